// Kinds of training.
//
// Why: a loss that is flat from the start is what fine-tuning looks like and what a dead pre-training run looks like; a
// loss of zero is an alarm for one and a habit of policy optimisation. How it is told, the first that applies:
// 1. a reader knows (Run::kind);
// 2. preference: rewards, preference margins or a divergence from a reference model are logged, or the settings name
//    such a method;
// 3. fine-tuning: the settings name adapters that are used, instruction data, --finetune, or a model to start from
//    (unless the first loss speaks of a random start); or the first loss of a log that begins at the start of its
//    training is below 5 nats and below 0.6 ln V: a language model with random weights starts near ln V, 10 to 12 nats
//    for the vocabularies in use;
// 4. pre-training: the log says that a model was initialised from scratch, or the first loss is not below 5 nats, or
//    not below 0.6 ln V where the vocabulary is known.
// An excerpt from the middle of a run tells nothing by its first loss. Losses of other models than language models are
// not separated: a classifier of ten classes starts at 2.3 and is called fine-tuning, which is the careful side.

#include "measure/training_kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "measure/scaler.h"
#include "stat/quantile.h"

namespace assay {
namespace {

constexpr double kPretrainingNats = 5;
constexpr double kShareOfUniform = 0.6;
constexpr double kRisingShare = 0.5;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool says_no(std::string_view value) {
  return value.empty() || value == "0" || value == "false" || value == "none" || value == "null" || value == "''" ||
         value == "[]" || value == "()" || value == "{}";
}

bool preference_metric(std::string_view name) {
  return name == metric::kReward || name == "kl" || name == "policy_kl" ||
         contains_any(name, {"rewards/", "reward_std", "reward_margin", "logps/", "kl_coef", "approx_kl",
                             "objective/kl", "frac_reward_zero_std", "policy/", "critic/", "actor/"});
}

// A dump of all arguments names adapters whether they are used or not.
bool adapters_are_off(const Config& config) {
  return std::any_of(config.settings.begin(), config.settings.end(), [](const Setting& setting) {
    const std::string key = lower(setting.key);
    const bool decides = key == "use_lora" || key == "use_peft" || key == "peft" || key.starts_with("lora_target");
    return decides && setting.unknown.empty() && says_no(lower(setting.value));
  });
}

// DeepSeek's attention calls its ranks like those of adapters.
bool is_rank_of_latent_attention(std::string_view key) {
  return key == setting::kQueryLoraRank || key == setting::kKeyValueLoraRank || key.ends_with("/q_lora_rank") ||
         key.ends_with("/kv_lora_rank") || key == "q_lora_rank" || key == "kv_lora_rank" || key == "o_lora_rank";
}

struct Said {
  TrainingKind kind = TrainingKind::kUnknown;
  bool surely = false;  // false: a model to start from is named, which may be no more than its shape
};

Said from_settings(const Config& config) {
  Said out;
  const bool no_adapters = adapters_are_off(config);
  for (const Setting& setting : config.settings) {
    const std::string key = lower(setting.key);
    const std::string value = lower(setting.value);
    if (says_no(value) || !setting.unknown.empty()) continue;
    if (key == "stage" || key == "method" || key == "train_type" || key == "rlhf_type" || key == "rl" ||
        key == "training_stage" || key == "finetuning_type" || key == "trainer") {
      if (contains_any(value, {"dpo", "grpo", "ppo", "kto", "orpo", "simpo", "rloo", "reward"}))
        return {TrainingKind::kPreference, true};
      if (contains_any(value, {"sft", "lora", "finetun", "fine-tun", "full"})) out = {TrainingKind::kFineTuning, true};
      if (value == "pt" || contains_any(value, {"pretrain", "pre-train"})) return {TrainingKind::kPretraining, true};
    }
    if (key == "init_from" && value == "scratch") return {TrainingKind::kPretraining, true};
    const bool latent = is_rank_of_latent_attention(key);
    const bool adapters = !no_adapters && !latent &&
                          contains_any(key, {"lora_r", "lora_alpha", "lora_target", "peft", "adapter_r", "qlora"});
    if (adapters || key == setting::kFineTuning || key == "finetune" || key == "use_lora" || key == "sft") {
      out = {TrainingKind::kFineTuning, true};
    }
    const std::string written = lower(setting.written);
    const bool starts_from = key == "init_checkpoint" || key == "pretrained_checkpoint" ||
                             (key == "init_from" && value != "resume") || key == "model_name_or_path" ||
                             written.ends_with("model_name_or_path") || written.ends_with("model-name-or-path");
    if (starts_from && out.kind == TrainingKind::kUnknown) out.kind = TrainingKind::kFineTuning;
  }
  return out;
}

std::optional<double> vocabulary(const Config& config) {
  for (const std::string_view key : {"vocab_size", "padded_vocab_size", "vocabulary_size", "n_vocab"}) {
    const Setting* said = config.find(key);
    const auto number = said != nullptr ? said->number() : std::nullopt;
    if (number && *number > 1) return number;
  }
  return std::nullopt;
}

}  // namespace

TrainingKind training_kind(const Run& run) {
  if (run.kind != TrainingKind::kUnknown) return run.kind;
  for (const Segment& segment : run.segments) {
    for (const Series& series : segment.series) {
      if (preference_metric(series.metric) || preference_metric(series.printed_as)) return TrainingKind::kPreference;
    }
  }
  const Said said = from_settings(run.config);
  if (said.kind != TrainingKind::kUnknown && said.kind != TrainingKind::kFineTuning) return said.kind;
  const Segment& first = run.segments.front();
  const Series* loss = first.find(metric::kLoss);
  if (loss == nullptr) loss = first.find(metric::kEvalLoss);
  const bool told = loss != nullptr && !loss->empty() && std::isfinite(loss->value(0));
  if (!told || !begins_at_start(run, 0)) return said.kind;
  const auto words = vocabulary(run.config);
  const double bar = words ? kShareOfUniform * std::log(*words) : kPretrainingNats;
  // Adapters and a random start exclude each other; a random start shows in the number, whatever a setting is called.
  if (!said.surely && loss->value(0) >= bar) return TrainingKind::kPretraining;
  return TrainingKind::kFineTuning;
}

std::optional<std::size_t> warmup_end_row(const Segment& segment) {
  const Series* rate = segment.find(metric::kLearningRate);
  if (rate == nullptr || rate->size() < 3) return std::nullopt;
  std::size_t end = 0;
  for (std::size_t i = 1; i < rate->size(); ++i) {
    if (rate->value(i) > rate->value(end)) {
      end = i;
    } else if (rate->value(i) < rate->value(end)) {
      break;
    }
  }
  const double start = rate->value(0);
  const bool rises = end > 0 && rate->value(end) > (1 + kRisingShare) * start;
  return rises ? std::optional(rate->row_of(end)) : std::nullopt;
}

bool adversarial(const Segment& segment) {
  bool generator = false;
  bool discriminator = false;
  for (const Series& series : segment.series) {
    const std::string name = lower(series.printed_as);
    if (name.find("loss") == std::string::npos && name.find("err") == std::string::npos) continue;
    generator = generator || contains_any(name, {"gen", "loss_g", "g_loss", "errg", "loss/g"});
    discriminator = discriminator || contains_any(name, {"disc", "loss_d", "d_loss", "errd", "loss/d"});
  }
  return generator && discriminator;
}

std::int64_t spacing_before(const Series& series, std::size_t index) {
  constexpr std::size_t kDifferences = 16;
  index = std::min(index, series.empty() ? 0 : series.size() - 1);
  std::size_t from = index > kDifferences ? index - kDifferences : 0;
  if (index == 0 && series.size() > 1) index = std::min(series.size() - 1, kDifferences);  // none before: those after
  std::vector<double> differences;
  for (; from < index; ++from) {
    differences.push_back(static_cast<double>(series.step(from + 1) - series.step(from)));
  }
  return differences.empty() ? 1 : std::max<std::int64_t>(1, std::llround(median_in_place(differences)));
}

}  // namespace assay
