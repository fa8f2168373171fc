// Advice is worth most as a line to copy. Each framework has words of its own for the same thing; those that advice of
// assay needs stand here, as their sources have them. A framework that counts something in another unit than the
// canonical setting has no row for it: a number in the wrong unit is worse than none.

#include "facts/framework_options.h"

#include <array>

#include "assay/setting.h"

namespace assay {

namespace {

constexpr std::string_view kMegatron = "Megatron-LM, megatron/training/arguments.py";
constexpr std::string_view kNeox = "gpt-neox, configs/neox_arguments.md";
constexpr std::string_view kTrainer = "transformers, TrainingArguments";
constexpr std::string_view kDeepspeed = "DeepSpeed, docs/_pages/config-json.md";
constexpr std::string_view kAxolotl = "axolotl, configuration reference";
constexpr std::string_view kNanogpt = "nanoGPT, train.py and configurator.py";
constexpr std::string_view kTorchtitan = "torchtitan, job_config.py";
constexpr std::string_view kFairseq = "fairseq, fairseq/dataclass/configs.py; metaseq for skip_batches";
constexpr std::string_view kOlmo = "OLMo, olmo/config.py";
constexpr std::string_view kLitgpt = "litgpt, litgpt/args.py";
constexpr std::string_view kNanotron = "nanotron, src/nanotron/config/config.py";
constexpr std::string_view kMaxtext = "maxtext, configs/base.yml";
constexpr std::string_view kFoundry = "llm-foundry, scripts/train/yamls";
constexpr std::string_view kLightning = "Lightning, Trainer";
constexpr std::string_view kMindformers = "mindformers, configs and docs of skip_data";
constexpr std::string_view kVerl = "verl, trainer/config/ppo_trainer.yaml";
constexpr std::string_view kNemo = "NeMo 1, examples/nlp/language_modeling/conf";
constexpr std::string_view kLlmc = "llm.c, train_gpt2.cu";

using enum OptionStyle;

// clang-format off
constexpr std::array kOptions = {
    FrameworkOption{"megatron", setting::kLearningRate, "--lr", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kAdamBeta2, "--adam-beta2", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kAdamEpsilon, "--adam-eps", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kWeightDecay, "--weight-decay", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kClipNorm, "--clip-grad", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kWarmupSteps, "--lr-warmup-iters", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kDecaySteps, "--lr-decay-iters", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kTrainSteps, "--train-iters", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kGlobalBatchSize, "--global-batch-size", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kMicroBatchSize, "--micro-batch-size", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kInitialLossScale, "--initial-loss-scale", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kLossScaleWindow, "--loss-scale-window", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kMinLossScale, "--min-loss-scale", kFlag, kMegatron},
    FrameworkOption{"megatron", setting::kResumeFrom, "--load", kFlag, kMegatron},
    FrameworkOption{"megatron", option::kUseBf16, "--bf16", kFlag, kMegatron},
    FrameworkOption{"megatron", option::kSkipSteps, "--iterations-to-skip", kFlag, kMegatron},
    FrameworkOption{"megatron", option::kNewSchedule, "--override-opt_param-scheduler", kFlag, kMegatron},
    FrameworkOption{"gpt-neox", setting::kLearningRate, "optimizer.params.lr", kYaml, kNeox},
    FrameworkOption{"gpt-neox", setting::kClipNorm, "gradient_clipping", kYaml, kNeox},
    FrameworkOption{"gpt-neox", setting::kWarmupFractionOfDecay, "warmup", kYaml, kNeox},
    FrameworkOption{"gpt-neox", setting::kDecaySteps, "lr_decay_iters", kYaml, kNeox},
    FrameworkOption{"gpt-neox", setting::kTrainSteps, "train_iters", kYaml, kNeox},
    FrameworkOption{"gpt-neox", setting::kInitialLossScalePower, "fp16.initial_scale_power", kYaml, kNeox},
    FrameworkOption{"gpt-neox", setting::kLossScaleWindow, "fp16.loss_scale_window", kYaml, kNeox},
    FrameworkOption{"gpt-neox", setting::kMinLossScale, "fp16.min_loss_scale", kYaml, kNeox},
    FrameworkOption{"gpt-neox", setting::kResumeFrom, "load", kYaml, kNeox},
    FrameworkOption{"gpt-neox", option::kUseBf16, "precision: bfloat16", kYaml, kNeox},
    FrameworkOption{"hf-trainer", setting::kLearningRate, "--learning_rate", kFlag, kTrainer},
    FrameworkOption{"hf-trainer", setting::kAdamBeta2, "--adam_beta2", kFlag, kTrainer},
    FrameworkOption{"hf-trainer", setting::kAdamEpsilon, "--adam_epsilon", kFlag, kTrainer},
    FrameworkOption{"hf-trainer", setting::kWeightDecay, "--weight_decay", kFlag, kTrainer},
    FrameworkOption{"hf-trainer", setting::kClipNorm, "--max_grad_norm", kFlag, kTrainer},
    FrameworkOption{"hf-trainer", setting::kWarmupSteps, "--warmup_steps", kFlag, kTrainer},
    FrameworkOption{"hf-trainer", setting::kTrainSteps, "--max_steps", kFlag, kTrainer},
    FrameworkOption{"hf-trainer", setting::kMicroBatchSize, "--per_device_train_batch_size", kFlag, kTrainer},
    FrameworkOption{"hf-trainer", setting::kGradientAccumulation, "--gradient_accumulation_steps", kFlag, kTrainer},
    FrameworkOption{"hf-trainer", setting::kResumeFrom, "--resume_from_checkpoint", kFlag, kTrainer},
    FrameworkOption{"hf-trainer", option::kUseBf16, "--bf16 true --fp16 false", kFlag, kTrainer},
    FrameworkOption{"deepspeed", setting::kLearningRate, "optimizer.params.lr", kJson, kDeepspeed},
    FrameworkOption{"deepspeed", setting::kClipNorm, "gradient_clipping", kJson, kDeepspeed},
    FrameworkOption{"deepspeed", setting::kWarmupSteps, "scheduler.params.warmup_num_steps", kJson, kDeepspeed},
    FrameworkOption{"deepspeed", setting::kGlobalBatchSize, "train_batch_size", kJson, kDeepspeed},
    FrameworkOption{"deepspeed", setting::kMicroBatchSize, "train_micro_batch_size_per_gpu", kJson, kDeepspeed},
    FrameworkOption{"deepspeed", setting::kGradientAccumulation, "gradient_accumulation_steps", kJson, kDeepspeed},
    FrameworkOption{"deepspeed", setting::kInitialLossScalePower, "fp16.initial_scale_power", kJson, kDeepspeed},
    FrameworkOption{"deepspeed", setting::kLossScaleWindow, "fp16.loss_scale_window", kJson, kDeepspeed},
    FrameworkOption{"deepspeed", setting::kMinLossScale, "fp16.min_loss_scale", kJson, kDeepspeed},
    FrameworkOption{"axolotl", setting::kLearningRate, "learning_rate", kYaml, kAxolotl},
    FrameworkOption{"axolotl", setting::kClipNorm, "max_grad_norm", kYaml, kAxolotl},
    FrameworkOption{"axolotl", setting::kWarmupSteps, "warmup_steps", kYaml, kAxolotl},
    FrameworkOption{"axolotl", setting::kTrainSteps, "max_steps", kYaml, kAxolotl},
    FrameworkOption{"axolotl", setting::kMicroBatchSize, "micro_batch_size", kYaml, kAxolotl},
    FrameworkOption{"axolotl", setting::kGradientAccumulation, "gradient_accumulation_steps", kYaml, kAxolotl},
    FrameworkOption{"axolotl", setting::kResumeFrom, "resume_from_checkpoint", kYaml, kAxolotl},
    FrameworkOption{"axolotl", option::kUseBf16, "bf16: true", kYaml, kAxolotl},
    FrameworkOption{"nanogpt", setting::kLearningRate, "--learning_rate", kEquals, kNanogpt},
    FrameworkOption{"nanogpt", setting::kAdamBeta2, "--beta2", kEquals, kNanogpt},
    FrameworkOption{"nanogpt", setting::kWeightDecay, "--weight_decay", kEquals, kNanogpt},
    FrameworkOption{"nanogpt", setting::kClipNorm, "--grad_clip", kEquals, kNanogpt},
    FrameworkOption{"nanogpt", setting::kWarmupSteps, "--warmup_iters", kEquals, kNanogpt},
    FrameworkOption{"nanogpt", setting::kDecaySteps, "--lr_decay_iters", kEquals, kNanogpt},
    FrameworkOption{"nanogpt", setting::kTrainSteps, "--max_iters", kEquals, kNanogpt},
    FrameworkOption{"nanogpt", setting::kMicroBatchSize, "--batch_size", kEquals, kNanogpt},
    FrameworkOption{"nanogpt", option::kUseBf16, "--dtype=bfloat16", kFlag, kNanogpt},
    FrameworkOption{"torchtitan", setting::kLearningRate, "--optimizer.lr", kFlag, kTorchtitan},
    FrameworkOption{"torchtitan", setting::kClipNorm, "--training.max_norm", kFlag, kTorchtitan},
    FrameworkOption{"torchtitan", setting::kWarmupSteps, "--lr_scheduler.warmup_steps", kFlag, kTorchtitan},
    FrameworkOption{"torchtitan", setting::kTrainSteps, "--training.steps", kFlag, kTorchtitan},
    FrameworkOption{"torchtitan", setting::kMicroBatchSize, "--training.local_batch_size", kFlag, kTorchtitan},
    FrameworkOption{"fairseq", setting::kLearningRate, "--lr", kFlag, kFairseq},
    FrameworkOption{"fairseq", setting::kClipNorm, "--clip-norm", kFlag, kFairseq},
    FrameworkOption{"fairseq", setting::kWarmupSteps, "--warmup-updates", kFlag, kFairseq},
    FrameworkOption{"fairseq", setting::kTrainSteps, "--max-update", kFlag, kFairseq},
    FrameworkOption{"fairseq", setting::kGradientAccumulation, "--update-freq", kFlag, kFairseq},
    FrameworkOption{"fairseq", setting::kInitialLossScale, "--fp16-init-scale", kFlag, kFairseq},
    FrameworkOption{"fairseq", setting::kLossScaleWindow, "--fp16-scale-window", kFlag, kFairseq},
    FrameworkOption{"fairseq", setting::kMinLossScale, "--min-loss-scale", kFlag, kFairseq},
    FrameworkOption{"fairseq", setting::kResumeFrom, "--restore-file", kFlag, kFairseq},
    FrameworkOption{"fairseq", option::kUseBf16, "--bf16", kFlag, kFairseq},
    FrameworkOption{"metaseq", option::kSkipSteps, "skip_batches", kHydra, kFairseq},
    FrameworkOption{"olmo", setting::kLearningRate, "optimizer.learning_rate", kYaml, kOlmo},
    FrameworkOption{"olmo", setting::kClipNorm, "max_grad_norm", kYaml, kOlmo},
    FrameworkOption{"olmo", setting::kGlobalBatchSize, "global_train_batch_size", kYaml, kOlmo},
    FrameworkOption{"olmo", setting::kResumeFrom, "load_path", kYaml, kOlmo},
    FrameworkOption{"olmo", option::kUseBf16, "precision: amp_bf16", kYaml, kOlmo},
    FrameworkOption{"litgpt", setting::kLearningRate, "--optimizer.init_args.lr", kFlag, kLitgpt},
    FrameworkOption{"litgpt", setting::kClipNorm, "--train.max_norm", kFlag, kLitgpt},
    FrameworkOption{"litgpt", setting::kWarmupSteps, "--train.lr_warmup_steps", kFlag, kLitgpt},
    FrameworkOption{"litgpt", setting::kGlobalBatchSize, "--train.global_batch_size", kFlag, kLitgpt},
    FrameworkOption{"litgpt", option::kUseBf16, "--precision bf16-mixed", kFlag, kLitgpt},
    FrameworkOption{"nanotron", setting::kLearningRate, "optimizer.learning_rate_scheduler.learning_rate",
                    kYaml, kNanotron},
    FrameworkOption{"nanotron", setting::kClipNorm, "optimizer.clip_grad", kYaml, kNanotron},
    FrameworkOption{"nanotron", setting::kWarmupSteps, "optimizer.learning_rate_scheduler.lr_warmup_steps",
                    kYaml, kNanotron},
    FrameworkOption{"nanotron", setting::kTrainSteps, "tokens.train_steps", kYaml, kNanotron},
    FrameworkOption{"nanotron", setting::kResumeFrom, "checkpoints.resume_checkpoint_path", kYaml, kNanotron},
    FrameworkOption{"maxtext", setting::kLearningRate, "learning_rate", kYaml, kMaxtext},
    FrameworkOption{"maxtext", setting::kClipNorm, "gradient_clipping_threshold", kYaml, kMaxtext},
    FrameworkOption{"maxtext", setting::kWarmupFraction, "warmup_steps_fraction", kYaml, kMaxtext},
    FrameworkOption{"maxtext", setting::kTrainSteps, "steps", kYaml, kMaxtext},
    FrameworkOption{"maxtext", option::kUseBf16, "dtype: bfloat16", kYaml, kMaxtext},
    FrameworkOption{"llm-foundry", setting::kLearningRate, "optimizer.lr", kYaml, kFoundry},
    FrameworkOption{"llm-foundry", setting::kGlobalBatchSize, "global_train_batch_size", kYaml, kFoundry},
    FrameworkOption{"llm-foundry", setting::kResumeFrom, "load_path", kYaml, kFoundry},
    FrameworkOption{"llm-foundry", option::kUseBf16, "precision: amp_bf16", kYaml, kFoundry},
    FrameworkOption{"lightning", setting::kClipNorm, "gradient_clip_val", kYaml, kLightning},
    FrameworkOption{"lightning", setting::kGradientAccumulation, "accumulate_grad_batches", kYaml, kLightning},
    FrameworkOption{"lightning", option::kUseBf16, "precision: bf16-mixed", kYaml, kLightning},
    FrameworkOption{"mindformers", setting::kLearningRate, "lr_schedule.learning_rate", kYaml, kMindformers},
    FrameworkOption{"mindformers", setting::kClipNorm, "runner_wrapper.max_grad_norm", kYaml, kMindformers},
    FrameworkOption{"mindformers", setting::kWarmupSteps, "lr_schedule.warmup_steps", kYaml, kMindformers},
    FrameworkOption{"mindformers", setting::kResumeFrom, "load_checkpoint", kYaml, kMindformers},
    FrameworkOption{"mindformers", option::kUseBf16, "compute_dtype: bfloat16", kYaml, kMindformers},
    FrameworkOption{"verl", setting::kLearningRate, "actor_rollout_ref.actor.optim.lr", kHydra, kVerl},
    FrameworkOption{"verl", setting::kClipNorm, "actor_rollout_ref.actor.grad_clip", kHydra, kVerl},
    FrameworkOption{"nemo", setting::kLearningRate, "model.optim.lr", kHydra, kNemo},
    FrameworkOption{"nemo", setting::kClipNorm, "trainer.gradient_clip_val", kHydra, kNemo},
    FrameworkOption{"nemo", setting::kWarmupSteps, "model.optim.sched.warmup_steps", kHydra, kNemo},
    FrameworkOption{"nemo", setting::kTrainSteps, "trainer.max_steps", kHydra, kNemo},
    FrameworkOption{"nemo", setting::kGlobalBatchSize, "model.global_batch_size", kHydra, kNemo},
    FrameworkOption{"nemo", setting::kMicroBatchSize, "model.micro_batch_size", kHydra, kNemo},
    FrameworkOption{"nemo", option::kUseBf16, "trainer.precision=bf16", kHydra, kNemo},
    FrameworkOption{"llm.c", setting::kLearningRate, "-l", kFlag, kLlmc},
    FrameworkOption{"llm.c", setting::kWarmupSteps, "-u", kFlag, kLlmc},
    FrameworkOption{"llm.c", setting::kTrainSteps, "-x", kFlag, kLlmc},
    FrameworkOption{"llm.c", setting::kMicroBatchSize, "-b", kFlag, kLlmc},
};
// clang-format on

}  // namespace

std::optional<FrameworkOption> framework_option(std::string_view framework, std::string_view key) {
  for (const FrameworkOption& one : kOptions) {
    if (one.framework == framework && one.key == key) return one;
  }
  return std::nullopt;
}

namespace {

// YAML 1.1, which most trainers read, takes "5e-6" for a text: a number with an exponent needs a point.
std::string yaml_number(std::string_view value) {
  const std::size_t exponent = value.find('e');
  const bool number = exponent != std::string_view::npos && exponent > 0 &&
                      value.substr(0, exponent).find_first_not_of("-0123456789") == std::string_view::npos;
  if (!number) return std::string(value);
  std::string out(value.substr(0, exponent));
  out += ".0";
  out += value.substr(exponent);
  const bool sign = value.size() > exponent + 1 && (value[exponent + 1] == '-' || value[exponent + 1] == '+');
  if (!sign) out.insert(out.find('e') + 1, "+");
  return out;
}

}  // namespace

std::string written_option(std::string_view name, OptionStyle style, std::string_view value) {
  std::string out(name);
  if (value.empty()) return out;
  switch (style) {
    case kFlag: out += " "; break;
    case kEquals:
    case kHydra: out += "="; break;
    case kYaml: out += ": "; break;
    case kAssign: out += " = "; break;
    case kJson: out = "\"" + out + "\": "; break;
  }
  return out + (style == kYaml ? yaml_number(value) : std::string(value));
}

}  // namespace assay
