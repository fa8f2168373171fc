// The arithmetic of a training run.
//
//   data-parallel size  D = world / (tensor x pipeline x context x sequence-parallel); experts do not enter
//   global batch        G = micro x D x accumulation, or given; then accumulation = G / (micro x D)
//   tokens of a step    G x S (an upper bound where sequences are not packed)
//   length              steps, or samples / G, or tokens / (G S), or epochs x examples / G
//   warm-up             in steps, whatever it was counted in
// Frameworks differ in what they are told and in what they count: nanoGPT's accumulation is over all ranks, MindFormers
// ignores accumulation in a pipeline and micro-batches outside of one, OLMo-core and llm.c count batches in tokens.
// What was told is believed before what can be calculated; where both are there and differ, the fact says both.
//
// All sizes come from files: zero, negative, fractional or huge ones count as not said, and no product is taken
// unchecked.

#include "measure/derive.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "assay/setting.h"
#include "base/bytes.h"
#include "measure/factors.h"
#include "measure/mesh.h"
#include "measure/model_shape.h"
#include "measure/rampup.h"

namespace assay {

namespace {

class Deriver {
 public:
  Deriver(const Config& config, std::string_view dialect)
      : config_(config), framework_(spoken_framework(config, dialect)) {}

  std::vector<Derived> take() {
    derive_precision(config_, out_);
    mesh();
    parallel();
    micro_batch();
    batch();
    accumulation();
    length();
    warmup();
    derive_model(config_, framework_, sequence_, total_tokens_, out_);
    return std::move(out_);
  }

 private:
  Count said(std::string_view key) const {
    const auto meshed = meshed_.find(key);
    return meshed == meshed_.end() ? count_said(config_, key) : meshed->second;
  }
  bool is(std::string_view framework) const { return framework_ == framework; }

  Derived& add(std::string name, Value value, Text arithmetic, std::vector<std::string> from, Text disagreement = {}) {
    out_.push_back(
        {std::move(name), std::move(value), std::move(arithmetic), std::move(disagreement), std::move(from)});
    return out_.back();
  }

  // A fact that a setting itself is. `against`: a calculation that gives another value.
  void as_set(std::string_view key, std::int64_t value, const Product* against = nullptr) {
    Text conflict;
    if (against != nullptr && against->value() && *against->value() != value) {
      const std::string product = shown(*against->value());
      conflict = {fmt::format("set to {}, but {} = {}", shown(value), against->text().en, product),
                  fmt::format("设为 {}，但 {} = {}", shown(value), against->text().zh, product)};
    }
    add(std::string(key), Value(value), {"as set", "按设置"}, {std::string(key)}, std::move(conflict));
  }

  void as_product(std::string_view key, const Product& product, const char* en = "", const char* zh = "") {
    if (!product.value() || product.from().empty()) return;
    const std::string result = shown(*product.value());
    add(std::string(key), Value(*product.value()),
        {fmt::format("{} = {}", product.text().en, *en == '\0' ? result : counted(*product.value(), en)),
         fmt::format("{} = {}{}", product.text().zh, result, zh)},
        product.from());
  }

  // --- parallelism ---

  void mesh() {
    if (!is("maxtext")) return;
    for (const MeshSize& one : mesh_sizes(config_)) {
      if (!one.product.value()) continue;
      meshed_[one.key] = *one.product.value();
      as_product(one.key, one.product);
    }
  }

  // Tensor x pipeline x context x sequence-parallel: the ranks that share one copy of the model. A size of 0 is 1.
  Product model_ranks() const {
    Product ranks;
    const Factor kinds[] = {{1, "tensor", "张量并行", setting::kTensorParallelSize},
                            {1, "pipeline", "流水线并行", setting::kPipelineParallelSize},
                            {1, "context", "上下文并行", setting::kContextParallelSize},
                            {1, "sequence-parallel", "序列并行", setting::kSequenceParallelSize}};
    for (Factor kind : kinds) {
      kind.value = said(kind.key).value_or(1);
      if (kind.value > 1) ranks.times(kind);
    }
    return ranks;
  }

  void parallel() {
    const Product shared = model_ranks();
    Count told = said(setting::kDataParallelSize);
    Product copies;
    if (const Count shards = said(setting::kDataParallelShards); !told && shards) {
      const std::int64_t replicas = said(setting::kDataParallelReplicas).value_or(1);
      if (replicas > 1) copies.times({replicas, "replicas", "个副本", setting::kDataParallelReplicas});
      copies.times({*shards, "shards", "个分片", setting::kDataParallelShards});
      told = copies.value();
    }
    world(told, shared);
    if (world_ && shared.value()) {
      quotient_of_world(told, shared);
    } else if (is("mlx-lm")) {
      data_parallel_ = 1;  // a single process
    } else if (told) {
      data_parallel_ = told;
      if (copies.from().empty()) as_set(setting::kDataParallelSize, *told);
      as_product(setting::kDataParallelSize, copies);
    }
  }

  void world(const Count& told, const Product& shared) {
    const Count nodes = said(setting::kNodes);
    const Count devices = said(setting::kDevicesPerNode);
    Product product;
    if (devices && (nodes || !is_asked(setting::kNodes))) {
      product.times({nodes.value_or(1), "nodes", "个节点", setting::kNodes});
      product.times({*devices, "devices", "个设备", setting::kDevicesPerNode});
      if (!nodes) product = only_devices(*devices);
    } else if (told && (is("nanotron") || is("mindformers"))) {
      product.times({*told, "data-parallel", "数据并行", setting::kDataParallelSize});
      if (shared.value().value_or(0) > 1)
        product.times({*shared.value(), "ranks of one copy", "个进程存一份模型", "parallel"});
    }
    if (const Count direct = said(setting::kWorldSize)) {
      world_ = direct;
      if (meshed_.contains(setting::kWorldSize)) return;
      as_set(setting::kWorldSize, *direct, product.from().empty() ? nullptr : &product);
    } else if (!product.from().empty() && product.value()) {
      world_ = product.value();
      as_product(setting::kWorldSize, product, "ranks", " 个进程");
    }
  }

  bool is_asked(std::string_view key) const {
    return std::any_of(config_.settings.begin(), config_.settings.end(),
                       [&](const Setting& one) { return one.key == key && !one.unknown.empty(); });
  }

  static Product only_devices(std::int64_t devices) {
    Product product;
    product.times({devices, "devices on one node", "个设备（单节点）", setting::kDevicesPerNode});
    return product;
  }

  void quotient_of_world(const Count& told, const Product& shared) {
    const std::int64_t divisor = *shared.value();
    std::vector<std::string> from = shared.from();
    from.insert(from.begin(), std::string(setting::kWorldSize));
    if (*world_ % divisor != 0) {
      const std::string name = std::string(setting::kDataParallelSize);
      add(name, Value("none"),
          {fmt::format("{} / ({})", counted(*world_, "ranks"), shared.text().en),
           fmt::format("{} 个进程 / ({})", shown(*world_), shared.text().zh)},
          from,
          {fmt::format("{} cannot be divided by {}", counted(*world_, "ranks"), shown(divisor)),
           fmt::format("{} 个进程不能被 {} 整除", shown(*world_), shown(divisor))});
      return;
    }
    const std::int64_t quotient = *world_ / divisor;
    data_parallel_ = told.value_or(quotient);
    Text text{counted(*world_, "ranks"), fmt::format("{} 个进程", shown(*world_))};
    if (divisor > 1) {
      text.en += fmt::format(" / ({}) = {}", shared.text().en, shown(quotient));
      text.zh += fmt::format(" /（{}）= {}", shared.text().zh, shown(quotient));
    }
    Text conflict;
    if (told && *told != quotient) {
      conflict = {fmt::format("set to {}, but {}", shown(*told), text.en),
                  fmt::format("设为 {}，但 {}", shown(*told), text.zh)};
    }
    add(std::string(setting::kDataParallelSize), Value(*data_parallel_), std::move(text), std::move(from),
        std::move(conflict));
  }

  // --- batch ---

  void micro_batch() {
    sequence_ = said(setting::kSequenceLength);
    micro_ = said(setting::kMicroBatchSize);
    const Count tokens = said(setting::kMicroBatchTokens);
    if (micro_ || !tokens || !sequence_ || *tokens % *sequence_ != 0 || is("fairseq")) return;
    micro_ = *tokens / *sequence_;
    quotient(setting::kMicroBatchSize, *tokens, "tokens", "个 token", *sequence_, "tokens a sequence", "个 token/序列",
             {std::string(setting::kMicroBatchTokens), std::string(setting::kSequenceLength)});
  }

  void quotient(std::string_view name, std::int64_t over, const char* over_en, const char* over_zh, std::int64_t under,
                const char* under_en, const char* under_zh, std::vector<std::string> from) {
    const std::int64_t result = over / under;
    add(std::string(name), Value(result),
        {fmt::format("{} / {} = {}", counted(over, over_en), counted(under, under_en), shown(result)),
         fmt::format("{} {} / {} {} = {}", shown(over), over_zh, shown(under), under_zh, shown(result))},
        std::move(from));
  }

  Factor micro_factor() const { return {*micro_, "micro", "单卡批量", setting::kMicroBatchSize}; }
  Factor accumulation_factor(std::int64_t steps) const {
    return {steps, "accumulation", "梯度累积", setting::kGradientAccumulation};
  }

  // Accumulation is 1 where these say nothing.
  bool accumulates_once() const {
    for (const std::string_view one : {"hf-trainer", "accelerate", "axolotl", "paddle", "deepspeed", "gpt-neox",
                                       "fairseq", "torchtitan", "lightning", "maxtext", "mlx-lm", "torchtune"}) {
      if (is(one)) return true;
    }
    return false;
  }

  // The global batch as it comes out of its factors; empty where one is not known.
  Product batch_product() const {
    Product product;
    const Count steps = said(setting::kGradientAccumulation);
    if (!micro_ || is("verl")) return product;
    if (is("nanogpt")) {
      product.times(micro_factor());
      product.times({steps.value_or(1), "accumulation over all ranks", "梯度累积（全部进程合计）",
                     setting::kGradientAccumulation});
      return product;
    }
    const bool meshed = is("maxtext") && world_;  // all its devices share the batch
    if (!data_parallel_ && !meshed) return product;
    const Factor ranks = meshed ? Factor{*world_, "devices", "个设备", setting::kWorldSize}
                                : Factor{*data_parallel_, "data-parallel", "数据并行", setting::kDataParallelSize};
    if (is("mindformers")) return mindformers_product(ranks, steps);
    if (!steps && !accumulates_once()) return product;
    product.times(micro_factor());
    product.times(ranks);
    if (steps) product.times(accumulation_factor(*steps));
    return product;
  }

  Product mindformers_product(const Factor& ranks, const Count& steps) const {
    Product product;
    product.times(micro_factor());
    product.times(ranks);
    const std::int64_t interleave = said(setting::kBatchInterleave).value_or(1);
    if (interleave > 1) product.times({interleave, "interleaved", "交错", setting::kBatchInterleave});
    if (said(setting::kPipelineParallelSize).value_or(1) > 1) {
      product.times({said(setting::kMicroBatchCount).value_or(1), "micro-batches of the pipeline", "流水线微批",
                     setting::kMicroBatchCount});
    } else if (steps) {
      product.times(accumulation_factor(*steps));
    }
    return product;
  }

  void batch() {
    const Product product = batch_product();
    const bool calculated = !product.from().empty() && product.value();
    if (const Count given = said(setting::kGlobalBatchSize)) {
      batch_ = given;
      // NeMo and Megatron calculate the accumulation from the batch; a product of theirs says nothing against it.
      as_set(setting::kGlobalBatchSize, *given, calculated ? &product : nullptr);
    } else if (const Count tokens = said(setting::kGlobalBatchTokens); tokens && sequence_) {
      if (*tokens % *sequence_ == 0) {
        batch_ = *tokens / *sequence_;
        quotient(setting::kGlobalBatchSize, *tokens, "tokens", "个 token", *sequence_, "tokens a sequence",
                 "个 token/序列", {std::string(setting::kGlobalBatchTokens), std::string(setting::kSequenceLength)});
      }
    } else if (calculated) {
      batch_ = product.value();
      as_product(setting::kGlobalBatchSize, product, "sequences", " 条序列");
    }
    rampup();
    tokens_of_step();
    ranks_from_batch();
  }

  void rampup() {
    const auto told = rampup_said(config_);
    if (!told || !batch_ || !steps_of_samples(*told, *batch_, 0)) return;
    rampup_ = told;
    add("first_global_batch_size", Value(told->first),
        {fmt::format("grows by {} to {} over {} samples", shown(told->increment), shown(*batch_), shown(told->samples)),
         fmt::format("每次增加 {}，经 {} 个样本增至 {}", shown(told->increment), shown(told->samples), shown(*batch_))},
        {std::string(setting::kBatchRampup), std::string(setting::kGlobalBatchSize)});
  }

  // With a batch that grows the beginning takes more steps.
  void steps_with_rampup(std::string_view name, std::int64_t samples, std::string_view from) {
    const Count steps = steps_of_samples(*rampup_, *batch_, samples);
    if (!steps) return;
    if (name == setting::kTrainSteps) steps_ = steps;
    add(std::string(name), Value(*steps),
        {fmt::format("{} in a batch that grows from {} to {}", counted(samples, "samples"), shown(rampup_->first),
                     shown(*batch_)),
         fmt::format("{} 个样本，批量由 {} 增至 {}", shown(samples), shown(rampup_->first), shown(*batch_))},
        {std::string(from), std::string(setting::kBatchRampup), std::string(setting::kGlobalBatchSize)});
  }

  void tokens_of_step() {
    if (const Count tokens = said(setting::kGlobalBatchTokens)) {
      step_tokens_ = tokens;
      add("tokens_per_step", Value(*tokens), {"as set", "按设置"}, {std::string(setting::kGlobalBatchTokens)});
      return;
    }
    if (!batch_ || !sequence_) return;
    Product product;
    product.times({*batch_, "sequences", "条序列", setting::kGlobalBatchSize});
    product.times({*sequence_, "tokens", "个 token", setting::kSequenceLength});
    step_tokens_ = product.value();
    as_product("tokens_per_step", product);
  }

  // Two of DeepSpeed's three batch settings give the third; all three give the ranks.
  void ranks_from_batch() {
    const Count steps = said(setting::kGradientAccumulation);
    if (data_parallel_ || !batch_ || !micro_ || !steps || !(is("deepspeed") || is("gpt-neox") || is("hf-trainer")))
      return;
    const Count one = checked_multiply(*micro_, *steps);
    if (!one || *batch_ % *one != 0) return;
    data_parallel_ = *batch_ / *one;
    quotient(setting::kDataParallelSize, *batch_, "sequences", "条序列", *one, "on each rank", "条/进程",
             {std::string(setting::kGlobalBatchSize), std::string(setting::kMicroBatchSize),
              std::string(setting::kGradientAccumulation)});
  }

  void accumulation() {
    const Count told = said(setting::kGradientAccumulation);
    if (told || !batch_ || !micro_ || !data_parallel_ || is("mindformers") || is("nanogpt")) return;
    Product product;
    product.times(micro_factor());
    product.times({*data_parallel_, "data-parallel", "数据并行", setting::kDataParallelSize});
    if (!product.value()) return;
    std::vector<std::string> from = product.from();
    from.insert(from.begin(), std::string(setting::kGlobalBatchSize));
    const std::int64_t quotient = *batch_ / *product.value();
    const bool whole = *batch_ % *product.value() == 0;
    const std::string name = std::string(setting::kGradientAccumulation);
    Text text{fmt::format("{} / ({})", counted(*batch_, "sequences"), product.text().en),
              fmt::format("{} 条序列 /（{}）", shown(*batch_), product.text().zh)};
    if (whole) {
      text.en += " = " + shown(quotient);
      text.zh += " = " + shown(quotient);
      add(name, Value(quotient), std::move(text), std::move(from));
    } else {
      const std::string divisor = shown(*product.value());
      add(name, Value("none"), std::move(text), std::move(from),
          {fmt::format("{} cannot be divided by {}", counted(*batch_, "sequences"), divisor),
           fmt::format("{} 条序列不能被 {} 整除", shown(*batch_), divisor)});
    }
  }

  // --- length ---

  void length() {
    const Count samples = said(setting::kTrainSamples);
    const Count tokens = said(setting::kTrainTokens);
    const auto epochs = number_said(config_, setting::kTrainEpochs);
    const Count examples = said(setting::kNumExamples);
    const std::string name = std::string(setting::kTrainSteps);
    steps_ = said(setting::kTrainSteps);
    if (steps_) {
      as_set(setting::kTrainSteps, *steps_);
    } else if (samples && rampup_) {
      steps_with_rampup(name, *samples, setting::kTrainSamples);
    } else if (samples && batch_) {
      steps_ = *samples / *batch_;
      quotient(name, *samples, "samples", "个样本", *batch_, "a step", "个/步",
               {std::string(setting::kTrainSamples), std::string(setting::kGlobalBatchSize)});
    } else if (tokens && step_tokens_) {
      steps_ = *tokens / *step_tokens_;
      quotient(name, *tokens, "tokens", "个 token", *step_tokens_, "a step", "个/步",
               {std::string(setting::kTrainTokens), "tokens_per_step"});
    } else if (epochs && examples && batch_ && *epochs > 0 && *epochs < 1e6) {
      steps_from_epochs(*epochs, *examples);
    }
    if (steps_ && *steps_ <= 0) steps_.reset();
    totals(samples, tokens, examples);
  }

  void steps_from_epochs(double epochs, std::int64_t examples) {
    const auto all = exact_integer(std::floor(epochs * static_cast<double>(examples)));
    if (!all) return;
    steps_ = *all / *batch_;
    add(std::string(setting::kTrainSteps), Value(*steps_),
        {fmt::format("{} epochs x {} examples / {} a step = {}", epochs, shown(examples), shown(*batch_),
                     shown(*steps_)),
         fmt::format("{} 个 epoch × {} 个样本 / 每步 {} = {}", epochs, shown(examples), shown(*batch_),
                     shown(*steps_))},
        {std::string(setting::kTrainEpochs), std::string(setting::kNumExamples),
         std::string(setting::kGlobalBatchSize)});
  }

  void totals(const Count& samples, const Count& tokens, const Count& examples) {
    Count all = samples;
    if (!samples && steps_ && rampup_) {
      all = samples_of_steps(*rampup_, *batch_, *steps_);
      if (all) {
        add(std::string(setting::kTrainSamples), Value(*all),
            {fmt::format("{} of a batch that grows from {} to {}", counted(*steps_, "steps"), shown(rampup_->first),
                         shown(*batch_)),
             fmt::format("{} 步，批量由 {} 增至 {}", shown(*steps_), shown(rampup_->first), shown(*batch_))},
            {std::string(setting::kTrainSteps), std::string(setting::kBatchRampup)});
      }
    } else if (!samples && steps_ && batch_) {
      Product product;
      product.times({*steps_, "steps", "步", setting::kTrainSteps});
      product.times({*batch_, "sequences", "条序列", setting::kGlobalBatchSize});
      all = product.value();
      as_product(setting::kTrainSamples, product);
    }
    if (tokens) {
      total_tokens_ = tokens;
    } else if (steps_ && step_tokens_ && !samples && !rampup_) {
      Product product;
      product.times({*steps_, "steps", "步", setting::kTrainSteps});
      product.times({*step_tokens_, "tokens", "个 token", "tokens_per_step"});
      total_tokens_ = product.value();
      as_product(setting::kTrainTokens, product);
    } else if (all && sequence_) {
      Product product;
      product.times({*all, "samples", "个样本", setting::kTrainSamples});
      product.times({*sequence_, "tokens", "个 token", setting::kSequenceLength});
      total_tokens_ = product.value();
      as_product(setting::kTrainTokens, product);
    }
    if (all && examples && !number_said(config_, setting::kTrainEpochs)) {
      const double epochs = static_cast<double>(*all) / static_cast<double>(*examples);
      add(std::string(setting::kTrainEpochs), Value(epochs),
          {fmt::format("{} samples / {} examples", shown(*all), shown(*examples)),
           fmt::format("{} 个样本 / 数据集 {} 个", shown(*all), shown(*examples))},
          {std::string(setting::kTrainSamples), std::string(setting::kNumExamples)});
    }
  }

  // --- warm-up ---

  void warmup() {
    if (const Count told = said(setting::kWarmupSteps)) return as_set(setting::kWarmupSteps, *told);
    const Count samples = said(setting::kWarmupSamples);
    const Count tokens = said(setting::kWarmupTokens);
    if (samples && rampup_) {
      steps_with_rampup(setting::kWarmupSteps, *samples, setting::kWarmupSamples);
    } else if (samples && batch_) {
      quotient(setting::kWarmupSteps, *samples, "samples", "个样本", *batch_, "a step", "个/步",
               {std::string(setting::kWarmupSamples), std::string(setting::kGlobalBatchSize)});
    } else if (tokens && step_tokens_) {
      quotient(setting::kWarmupSteps, *tokens, "tokens", "个 token", *step_tokens_, "a step", "个/步",
               {std::string(setting::kWarmupTokens), "tokens_per_step"});
    } else if (const auto share = number_said(config_, setting::kWarmupFraction)) {
      warmup_share(*share, steps_, setting::kWarmupFraction, "steps of the run", "全程", setting::kTrainSteps);
    } else if (const auto of_decay = number_said(config_, setting::kWarmupFractionOfDecay)) {
      const Count decay = said(setting::kDecaySteps);
      warmup_share(*of_decay, decay ? decay : steps_, setting::kWarmupFractionOfDecay, "steps of decay", "衰减期",
                   decay ? setting::kDecaySteps : setting::kTrainSteps);
    }
  }

  void warmup_share(double share, const Count& of, std::string_view key, const char* en, const char* zh,
                    std::string_view of_key) {
    if (!of || !(share >= 0) || share > 1) return;
    // Not above what was meant: 0.03 of 1000 steps are 30 although 0.03 * 1000 is a little more.
    const double steps = std::ceil(share * static_cast<double>(*of) - 1e-6);
    const auto whole = exact_integer(std::max(steps, 0.0));
    if (!whole) return;
    add(std::string(setting::kWarmupSteps), Value(*whole),
        {fmt::format("{} of {} {} = {}", share, shown(*of), en, shown(*whole)),
         fmt::format("{} {} 步的 {} = {} 步", zh, shown(*of), share, shown(*whole))},
        {std::string(key), std::string(of_key)});
  }

  const Config& config_;
  std::string framework_;
  std::vector<Derived> out_;
  std::map<std::string_view, std::int64_t> meshed_;  // by canonical name
  std::optional<Rampup> rampup_;
  Count world_, data_parallel_, micro_, sequence_, batch_, step_tokens_, steps_, total_tokens_;
};

}  // namespace

std::vector<Derived> derive(const Config& config, std::string_view dialect) { return Deriver(config, dialect).take(); }

}  // namespace assay
