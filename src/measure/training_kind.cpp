// Kinds of training.
//
// Why: a loss that is flat from the start is what fine-tuning looks like and what a dead pre-training run looks like; a
// loss of zero is an alarm for one and a habit of policy optimisation; a generator's loss rises against its
// discriminator. How it is told, the first that applies, and how sure that makes:
// 1. a reader knows (Run::kind);
// 2. what is logged: rewards and a divergence from a reference policy (reinforcement), rewards of chosen and rejected
//    answers (preference), losses of a generator and of a discriminator, the temperature or the losses of a teacher
//    made of the student's weights: certain, nothing else logs them;
// 3. what is set: a method of that name, adapters that are used, instruction data, --finetune: certain; a model to
//    start from: likely, for it may be no more than its shape;
// 4. the first loss of a log that begins at the start of its training: a language model with random weights starts near
//    ln V, 10 to 12 nats for the vocabularies in use. From 0.6 ln V on it is pre-training: certain where the
//    vocabulary is known, likely from 5 nats on where it is not. Below that it is fine-tuning: likely where the words
//    are a language model's trainer's, only possible elsewhere, since a classifier of ten classes starts at 2.3.
//    A loss above 16 is no mean over tokens, and parts of a loss that only other models have speak of those: then
//    nothing is said.
// An excerpt from the middle of a run tells nothing by its first loss. A mixture of experts is no kind of its own: it
// is pre-trained and fine-tuned like others, and told beside the kind.

#include "measure/training_kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "base/ascii.h"
#include "measure/adapters.h"
#include "measure/derive.h"
#include "measure/model_shape.h"
#include "measure/scaler.h"
#include "stat/quantile.h"

namespace assay {
namespace {

constexpr double kPretrainingNats = 5;
constexpr double kMostNats = 16;   // ln V of ten million words: no language model starts above it
constexpr double kMostOfAll = 40;  // with weights that are too wide one has started at 30; above, it is a sum
constexpr double kShareOfUniform = 0.6;
constexpr double kRisingShare = 0.5;
constexpr double kCertainly = 0.95;
constexpr double kProbably = 0.75;
constexpr double kPerhaps = 0.5;

KindOfTraining told(TrainingKind kind, double confidence, std::string en, std::string zh) {
  return {kind, confidence, {std::move(en), std::move(zh)}, false};
}

KindOfTraining logged(TrainingKind kind, const std::string& name) {
  return told(kind, kCertainly, "'" + name + "' is logged", "日志中有“" + name + "”");
}

bool of_pairs(std::string_view name) {
  return contains_any(name, {"rewards/", "reward_margin", "logps/", "logits/chosen", "logits/rejected"});
}

bool of_policies(std::string_view name) {
  return name == metric::kReward || name == "kl" || name == "policy_kl" || name == "pg_loss" ||
         contains_any(name, {"reward_std", "kl_coef", "approx_kl", "objective/kl", "frac_reward_zero_std", "policy/",
                             "critic/", "actor/", "ep_rew_mean", "episode_reward", "clipfrac", "advantages/"});
}

bool of_a_teacher(std::string_view name) {
  return contains_any(name, {"teacher_temp", "momentum_teacher", "teacher_momentum", "dino_loss", "dino_local",
                             "dino_global", "ibot_loss", "koleo"});
}

bool of_experts(std::string_view name) {
  return contains_any(name, {"load_balanc", "router", "moe_", "moe/", "expert"});
}

// Names that two metrics of adversaries have.
bool of_a_generator(std::string_view name) { return contains_any(name, {"gen", "loss_g", "g_loss", "errg", "loss/g"}); }
bool of_a_discriminator(std::string_view name) {
  return contains_any(name, {"disc", "loss_d", "d_loss", "errd", "loss/d"});
}

std::optional<KindOfTraining> from_metrics(const Run& run) {
  std::optional<KindOfTraining> policies;
  std::optional<KindOfTraining> teacher;
  for (const Segment& segment : run.segments) {
    for (const Series& series : segment.series) {
      const std::string name = lower(series.printed_as.empty() ? series.metric : series.printed_as);
      if (of_pairs(name)) {
        // Trainers of policies call each of their rewards "rewards/name".
        const bool pairs = contains_any(name, {"chosen", "rejected", "margin", "accuracies"});
        const auto kind = pairs ? TrainingKind::kPreference : TrainingKind::kReinforcement;
        if (pairs) return logged(kind, series.printed_as);
        if (!policies) policies = logged(kind, series.printed_as);
      }
      if (!policies && (of_policies(name) || of_policies(series.metric))) {
        policies = logged(TrainingKind::kReinforcement, series.printed_as);
      }
      if (!teacher && of_a_teacher(name)) teacher = logged(TrainingKind::kSelfDistillation, series.printed_as);
    }
  }
  if (policies) return policies;
  if (std::any_of(run.segments.begin(), run.segments.end(), adversarial)) {
    return told(TrainingKind::kAdversarial, kCertainly, "losses of a generator and of a discriminator are logged",
                "日志中有生成器与判别器的 loss");
  }
  return teacher;
}

bool names_a_method(std::string_view key) {
  static constexpr std::array<std::string_view, 8> kKeys = {"stage", "method",         "train_type",      "rlhf_type",
                                                            "rl",    "training_stage", "finetuning_type", "trainer"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::optional<TrainingKind> kind_of_method(std::string_view value) {
  if (contains_any(value, {"grpo", "ppo", "rloo", "dapo", "gspo", "reinforce"})) return TrainingKind::kReinforcement;
  if (contains_any(value, {"dpo", "kto", "orpo", "simpo", "reward"})) return TrainingKind::kPreference;
  if (value == "pt" || contains_any(value, {"pretrain", "pre-train"})) return TrainingKind::kPretraining;
  if (contains_any(value, {"sft", "lora", "finetun", "fine-tun", "full"})) return TrainingKind::kFineTuning;
  return std::nullopt;
}

KindOfTraining by_setting(TrainingKind kind, double confidence, const Setting& setting) {
  const std::string name = setting.written.empty() ? setting.key : setting.written;
  const std::string what = "'" + name + "' is '" + setting.value + "'";
  return told(kind, confidence, what, "“" + name + "”设为“" + setting.value + "”");
}

KindOfTraining from_settings(const Config& config) {
  KindOfTraining out;
  const Setting* const adapters = adapters_said(config);
  for (const Setting& setting : config.settings) {
    const std::string key = lower(setting.key);
    const std::string value = lower(setting.value);
    if (says_no(setting) || !setting.unknown.empty() || key == setting::kFramework) continue;
    if (names_a_method(key)) {
      const auto kind = kind_of_method(value);
      if (kind && *kind != TrainingKind::kFineTuning) return by_setting(*kind, kCertainly, setting);
      if (kind) out = by_setting(*kind, kCertainly, setting);
    }
    if (key == "adv_estimator" || key == "algorithm/adv_estimator") {
      return by_setting(TrainingKind::kReinforcement, kCertainly, setting);
    }
    if (of_a_teacher(key)) return by_setting(TrainingKind::kSelfDistillation, kProbably, setting);
    if (key == "init_from" && value == "scratch") return by_setting(TrainingKind::kPretraining, kCertainly, setting);
    if (&setting == adapters || key == setting::kFineTuning || key == "finetune" || key == "sft") {
      out = by_setting(TrainingKind::kFineTuning, kCertainly, setting);
    }
    const std::string written = lower(setting.written);
    const bool starts_from = key == "init_checkpoint" || key == "pretrained_checkpoint" ||
                             (key == "init_from" && value != "resume") || key == "model_name_or_path" ||
                             written.ends_with("model_name_or_path") || written.ends_with("model-name-or-path");
    if (starts_from && out.kind == TrainingKind::kUnknown) {
      out = by_setting(TrainingKind::kFineTuning, kProbably, setting);
    }
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

std::string in_nats(double loss) { return format(Value(loss)) + " nats"; }

// Trainers of language models.
bool trains_language_models(const Run& run) {
  static constexpr std::array<std::string_view, 19> kNames = {
      "megatron",  "hf-trainer", "hf-",         "axolotl", "llama",   "deepspeed", "nanogpt",
      "gpt-neox",  "olmo",       "litgpt",      "llm.c",   "modded",  "fairseq",   "torchtitan",
      "torchtune", "verl",       "mindformers", "mlx",     "minimind"};
  const std::string words = spoken_framework(run.config, run.dialect);
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view one) { return words.starts_with(one) || run.dialect.starts_with(one); });
}

// Detectors, transducers and autoencoders log parts of a loss, or scores, that a language model does not have.
bool of_another_model(const Segment& segment) {
  return std::any_of(segment.series.begin(), segment.series.end(), [](const Series& series) {
    const std::string name = lower(series.printed_as);
    return name == "wer" || name.ends_with("/wer") ||
           contains_any(name, {"bbox", "box_loss", "loss_box", "iou", "loss_cls", "cls_loss", "loss_mask", "mask_loss",
                               "ctc", "recon", "kl_loss", "psnr", "ssim", "map_50", "map50", "top-1", "acc1"});
  });
}

// What the first loss tells, beside what the settings say.
KindOfTraining from_first_loss(const Run& run, const KindOfTraining& said) {
  const Segment& first = run.segments.front();
  const Series* loss = first.find(metric::kLoss);
  if (loss == nullptr) loss = first.find(metric::kEvalLoss);
  if (loss == nullptr || loss->empty() || !std::isfinite(loss->value(0)) || !begins_at_start(run, 0)) return said;
  const double value = loss->value(0);
  const auto words = vocabulary(run.config);
  const bool language = trains_language_models(run);
  if (!words && !language && (value > kMostNats || of_another_model(first))) return said;
  if (value > kMostOfAll) return said;
  // Adapters and a random start exclude each other; a random start shows in the number, whatever a setting is called.
  if (said.confidence < kCertainly && value >= (words ? kShareOfUniform * std::log(*words) : kPretrainingNats)) {
    const std::string at = in_nats(value);
    if (!words) {
      return told(TrainingKind::kPretraining, kProbably, "the first loss is " + at + ": random weights",
                  "首个 loss 为 " + at + "：随机权重");
    }
    const std::string uniform = in_nats(std::log(*words));
    return told(TrainingKind::kPretraining, kCertainly,
                "the first loss is " + at + ", ln V is " + uniform + ": random weights",
                "首个 loss 为 " + at + "，ln V 为 " + uniform + "：随机权重");
  }
  if (said.kind != TrainingKind::kUnknown) return said;
  return told(TrainingKind::kFineTuning, language ? kProbably : kPerhaps,
              "the first loss is " + in_nats(value) + ": weights that have learned",
              "首个 loss 为 " + in_nats(value) + "：权重已训练过");
}

bool has_experts(const Run& run) {
  if (count_said(run.config, setting::kNumExperts).value_or(0) > 1) return true;
  for (const Segment& segment : run.segments) {
    for (const Series& series : segment.series) {
      if (of_experts(lower(series.printed_as)) || of_experts(lower(series.metric))) return true;
    }
  }
  return false;
}

KindOfTraining without_experts(const Run& run) {
  if (run.kind.kind != TrainingKind::kUnknown) return run.kind;
  if (auto kind = from_metrics(run)) return *kind;
  const KindOfTraining said = from_settings(run.config);
  const bool decided = said.kind != TrainingKind::kUnknown && said.kind != TrainingKind::kFineTuning;
  return decided ? said : from_first_loss(run, said);
}

}  // namespace

KindOfTraining kind_of_training(const Run& run) {
  KindOfTraining out = without_experts(run);
  out.experts = has_experts(run);
  return out;
}

TrainingKind training_kind(const Run& run) {
  return run.kind.kind != TrainingKind::kUnknown ? run.kind.kind : kind_of_training(run).kind;
}

bool is_objective(TrainingKind kind) {
  return kind == TrainingKind::kPreference || kind == TrainingKind::kReinforcement;
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
    generator = generator || of_a_generator(name);
    discriminator = discriminator || of_a_discriminator(name);
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
