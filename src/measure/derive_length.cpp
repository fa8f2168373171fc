// How long a run is, and its warm-up, in steps of the optimizer, whatever they were counted in.
//
//   steps    said, or samples / G, or tokens / (G S), or epochs x examples / G
//   warm-up  said, or samples / G, or tokens / (G S), or a share of the run or of the decay
// Of several lengths the first of that order counts; a length that is said but not known hides the ones behind it.
// Samples and tokens together are two limits (Megatron-DeepSpeed): the run ends at the one that comes first.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "assay/setting.h"
#include "base/bytes.h"
#include "measure/derive_facts.h"

namespace assay {

namespace {

class LengthFacts : DerivedFacts {
 public:
  LengthFacts(const Config& config, const std::string& framework, const StepSizes& sizes, std::vector<Derived>& out)
      : DerivedFacts(config, framework, out), sizes_(sizes) {}

  Count take() {
    length();
    warmup();
    return total_tokens_;
  }

 private:
  Amount batch(std::int64_t count) const { return {count, "a step", "个/步", setting::kGlobalBatchSize}; }
  Amount step(std::int64_t tokens) const { return {tokens, "a step", "个/步", "tokens_per_step"}; }

  void length() {
    const Count samples = said(setting::kTrainSamples);
    const Count tokens = said(setting::kTrainTokens);
    const Count examples = said(setting::kNumExamples);
    steps_ = said(setting::kTrainSteps);
    if (steps_) {
      as_set(setting::kTrainSteps, *steps_);
    } else if (!unknown(setting::kTrainSteps)) {
      // What the user says of the tokens leaves no room for another limit.
      steps_from(told_by_user(config_, setting::kTrainTokens) ? std::nullopt : samples, tokens, examples);
    }
    if (steps_ && *steps_ <= 0) steps_.reset();
    totals(samples, tokens, examples);
  }

  void steps_from(const Count& samples, const Count& tokens, const Count& examples) {
    const auto epochs = number_said(config_, setting::kTrainEpochs);
    if (samples && tokens) {
      steps_from_both(*samples, *tokens);
    } else if (samples && sizes_.rampup && sizes_.batch && !unknown(setting::kTrainTokens)) {
      steps_ = with_rampup(setting::kTrainSteps, *samples, setting::kTrainSamples);
    } else if (samples && sizes_.batch && !unknown(setting::kTrainTokens)) {
      steps_ = *samples / *sizes_.batch;
      quotient(setting::kTrainSteps, {*samples, "samples", "个样本", setting::kTrainSamples}, batch(*sizes_.batch));
    } else if (unknown(setting::kTrainSamples)) {
      return;
    } else if (tokens && sizes_.tokens) {
      steps_ = *tokens / *sizes_.tokens;
      quotient(setting::kTrainSteps, {*tokens, "tokens", "个 token", setting::kTrainTokens}, step(*sizes_.tokens));
    } else if (epochs && examples && sizes_.batch && *epochs > 0 && *epochs < 1e6 && !unknown(setting::kTrainTokens)) {
      steps_from_epochs(*epochs, *examples);
    }
  }

  // With a batch that grows the beginning takes more steps.
  Count with_rampup(std::string_view name, std::int64_t samples, std::string_view from) {
    const Count steps = steps_of_samples(*sizes_.rampup, *sizes_.batch, samples);
    if (!steps) return steps;
    const std::string first = shown(sizes_.rampup->first);
    add(std::string(name), Value(*steps),
        {fmt::format("{} in a batch that grows from {} to {}", counted(samples, "samples"), first,
                     shown(*sizes_.batch)),
         fmt::format("{} 个样本，批量由 {} 增至 {}", shown(samples), first, shown(*sizes_.batch))},
        {std::string(from), std::string(setting::kBatchRampup), std::string(setting::kGlobalBatchSize)});
    return steps;
  }

  // How many samples the steps take while the batch grows.
  Count samples_with_rampup() {
    const Count all = samples_of_steps(*sizes_.rampup, *sizes_.batch, *steps_);
    if (!all) return all;
    const std::string first = shown(sizes_.rampup->first);
    add(std::string(setting::kTrainSamples), Value(*all),
        {fmt::format("{} of a batch that grows from {} to {}", counted(*steps_, "steps"), first, shown(*sizes_.batch)),
         fmt::format("{} 步，批量由 {} 增至 {}", shown(*steps_), first, shown(*sizes_.batch))},
        {std::string(setting::kTrainSteps), std::string(setting::kBatchRampup)});
    return all;
  }

  void steps_from_both(std::int64_t samples, std::int64_t tokens) {
    if (!sizes_.batch || !sizes_.tokens) return;
    const Count grown = sizes_.rampup ? steps_of_samples(*sizes_.rampup, *sizes_.batch, samples) : std::nullopt;
    const std::int64_t by_samples = grown.value_or(samples / *sizes_.batch);
    const std::int64_t by_tokens = tokens / *sizes_.tokens;
    steps_ = std::min(by_samples, by_tokens);
    const bool at_tokens = by_tokens <= by_samples;
    const Amount all_tokens{tokens, "tokens", "个 token", setting::kTrainTokens};
    const Amount all_samples{samples, "samples", "个样本", setting::kTrainSamples};
    Derived& fact = at_tokens ? quotient(setting::kTrainSteps, all_tokens, step(*sizes_.tokens))
                              : quotient(setting::kTrainSteps, all_samples, batch(*sizes_.batch));
    if (by_samples == by_tokens) return;
    const std::string_view first = at_tokens ? setting::kTrainTokens : setting::kTrainSamples;
    const std::string_view other = at_tokens ? setting::kTrainSamples : setting::kTrainTokens;
    const std::string later = shown(std::max(by_samples, by_tokens));
    fact.from.emplace_back(other);
    fact.disagreement = {
        fmt::format("{} would be {} steps; the run ends at {}, which comes first", other, later, first),
        fmt::format("{} 相当于 {} 步；先到达 {}，训练在此结束", other, later, first)};
  }

  void steps_from_epochs(double epochs, std::int64_t examples) {
    const auto all = exact_integer(std::floor(epochs * static_cast<double>(examples)));
    if (!all) return;
    const std::int64_t batch = *sizes_.batch;
    steps_ = *all / batch;
    add(std::string(setting::kTrainSteps), Value(*steps_),
        {fmt::format("{} epochs x {} examples / {} a step = {}", epochs, shown(examples), shown(batch), shown(*steps_)),
         fmt::format("{} 个 epoch × {} 个样本 / 每步 {} = {}", epochs, shown(examples), shown(batch), shown(*steps_))},
        {std::string(setting::kTrainEpochs), std::string(setting::kNumExamples),
         std::string(setting::kGlobalBatchSize)});
  }

  void totals(const Count& samples, const Count& tokens, const Count& examples) {
    Count all = samples;
    if (!samples && steps_ && sizes_.batch && sizes_.rampup && !unknown(setting::kTrainSamples)) {
      all = samples_with_rampup();
    } else if (!samples && steps_ && sizes_.batch && !unknown(setting::kTrainSamples)) {
      Product product;
      product.times({*steps_, "steps", "步", setting::kTrainSteps});
      product.times(sizes_.prompts ? Factor{*sizes_.batch, "prompts", "条提示", setting::kGlobalBatchSize}
                                   : Factor{*sizes_.batch, "sequences", "条序列", setting::kGlobalBatchSize});
      all = product.value();
      as_product(setting::kTrainSamples, product, sizes_.prompts ? "prompts" : "", sizes_.prompts ? " 条提示" : "");
    }
    total_tokens(sizes_.rampup ? all : samples, tokens);
    if (all && examples && !number_said(config_, setting::kTrainEpochs) && !unknown(setting::kTrainEpochs)) {
      const double epochs = static_cast<double>(*all) / static_cast<double>(*examples);
      add(std::string(setting::kTrainEpochs), Value(epochs),
          {fmt::format("{} samples / {} examples", shown(*all), shown(*examples)),
           fmt::format("{} 个样本 / 数据集 {} 个", shown(*all), shown(*examples))},
          {std::string(setting::kTrainSamples), std::string(setting::kNumExamples)});
    }
  }

  void total_tokens(const Count& samples, const Count& tokens) {
    if (unknown(setting::kTrainTokens)) return;
    Product product;
    if (tokens) {
      total_tokens_ = tokens;
    } else if (steps_ && sizes_.tokens && !samples) {
      product.times({*steps_, "steps", "步", setting::kTrainSteps});
      product.times({*sizes_.tokens, "tokens", "个 token", "tokens_per_step"});
    } else if (samples && sizes_.sequence) {
      product.times({*samples, "samples", "个样本", setting::kTrainSamples});
      product.times({*sizes_.sequence, "tokens", "个 token", setting::kSequenceLength});
    }
    if (product.from().empty()) return;
    total_tokens_ = product.value();
    as_product(setting::kTrainTokens, product);
  }

  // --- warm-up ---

  void warmup() {
    if (const Count told = said(setting::kWarmupSteps)) return warmup_said(*told);
    if (!first_unknown({setting::kWarmupSteps, setting::kWarmupSamples, setting::kWarmupTokens}).empty()) return;
    const Count samples = said(setting::kWarmupSamples);
    const Count tokens = said(setting::kWarmupTokens);
    if (samples && sizes_.batch && sizes_.rampup) {
      with_rampup(setting::kWarmupSteps, *samples, setting::kWarmupSamples);
    } else if (samples && sizes_.batch) {
      quotient(setting::kWarmupSteps, {*samples, "samples", "个样本", setting::kWarmupSamples}, batch(*sizes_.batch));
    } else if (tokens && sizes_.tokens) {
      quotient(setting::kWarmupSteps, {*tokens, "tokens", "个 token", setting::kWarmupTokens}, step(*sizes_.tokens));
    } else if (const auto share = number_said(config_, setting::kWarmupFraction)) {
      warmup_share(*share, steps_, setting::kWarmupFraction, "steps of the run", "全程", setting::kTrainSteps);
    } else if (const auto of_decay = number_said(config_, setting::kWarmupFractionOfDecay)) {
      warmup_of_decay(*of_decay);
    }
  }

  // While the batch grows Megatron's schedule goes by samples, and a step of it is one of the whole batch.
  void warmup_said(std::int64_t steps) {
    const bool by_samples = sizes_.rampup && framework_.starts_with("megatron");
    const Count samples = by_samples ? checked_multiply(steps, *sizes_.batch) : std::nullopt;
    if (!samples || !with_rampup(setting::kWarmupSteps, *samples, setting::kWarmupSteps)) {
      as_set(setting::kWarmupSteps, steps);
    }
  }

  void warmup_of_decay(double share) {
    if (!first_unknown({setting::kDecaySteps, setting::kDecaySamples}).empty()) return;
    const Count decay = said(setting::kDecaySteps);
    const Count steps = decay ? decay : said(setting::kTrainSteps);
    Count samples = said(setting::kDecaySamples);
    if (!samples && sizes_.rampup)
      samples = steps ? checked_multiply(*steps, *sizes_.batch) : said(setting::kTrainSamples);
    if (samples) return warmup_share_of_samples(share, *samples);
    warmup_share(share, decay ? decay : steps_, setting::kWarmupFractionOfDecay, "steps of decay", "衰减期",
                 decay ? setting::kDecaySteps : setting::kTrainSteps);
  }

  void warmup_share_of_samples(double share, std::int64_t all) {
    const auto samples =
        share >= 0 && share <= 1 ? exact_integer(std::ceil(share * static_cast<double>(all) - 1e-6)) : std::nullopt;
    if (!samples || *samples <= 0 || !sizes_.batch) return;
    if (sizes_.rampup) {
      with_rampup(setting::kWarmupSteps, *samples, setting::kWarmupFractionOfDecay);
    } else {
      quotient(setting::kWarmupSteps, {*samples, "samples", "个样本", setting::kWarmupFractionOfDecay},
               batch(*sizes_.batch));
    }
  }

  void warmup_share(double share, const Count& of, std::string_view key, const char* en, const char* zh,
                    std::string_view of_key) {
    if (!of || !(share >= 0) || share > 1) return;
    // Up to the next whole step, but not above what was meant: 0.03 of 1000 steps are 30 although 0.03 * 1000 is a
    // little more. verl and MaxText leave the rest out (int(ratio * steps)).
    const double product = share * static_cast<double>(*of);
    const double steps = is("verl") || is("maxtext") ? std::floor(product) : std::ceil(product - 1e-6);
    const auto whole = exact_integer(std::max(steps, 0.0));
    if (!whole) return;
    add(std::string(setting::kWarmupSteps), Value(*whole),
        {fmt::format("{} of {} {} = {}", share, shown(*of), en, shown(*whole)),
         fmt::format("{} {} 步的 {} = {} 步", zh, shown(*of), share, shown(*whole))},
        {std::string(key), std::string(of_key)});
  }

  StepSizes sizes_;
  Count steps_, total_tokens_;
};

}  // namespace

Count derive_length(const Config& config, const std::string& framework, const StepSizes& sizes,
                    std::vector<Derived>& out) {
  return LengthFacts(config, framework, sizes, out).take();
}

}  // namespace assay
