// Defaults as the frameworks' sources have them. A value that changed between versions that are in use is left out:
// nothing in a configuration tells the version, and a wrong default is worse than none.

#include "facts/framework_defaults.h"

#include <array>

#include "assay/setting.h"

namespace assay {

namespace {

constexpr std::string_view kMegatronSource = "Megatron-LM, megatron/training/arguments.py (2024-2026)";
constexpr std::string_view kTrainerSource = "transformers, TrainingArguments (4.x and 5.x)";
constexpr std::string_view kNanogptSource = "nanoGPT, train.py";
constexpr std::string_view kTorchtitanSource = "torchtitan, job_config.py (2024-2025)";
constexpr std::string_view kNeoxSource = "gpt-neox, megatron/neox_arguments (2.0)";
constexpr std::string_view kDeepspeedSource = "DeepSpeed, runtime/constants.py and fp16/loss_scaler.py";
constexpr std::string_view kOlmoSource = "allenai/OLMo, olmo/config.py";
constexpr std::string_view kOlmoCoreSource = "allenai/OLMo-core, optim/adamw.py";
constexpr std::string_view kMaxtextSource = "maxtext, configs/base.yml";
constexpr std::string_view kVerlSource = "verl, trainer/config (2025)";
constexpr std::string_view kLlmcSource = "llm.c, train_gpt2.cu";
constexpr std::string_view kPaddleSource = "PaddleNLP, TrainingArguments";
constexpr std::string_view kFairseqSource = "fairseq, optim/adam.py and dataclass/configs.py";
constexpr std::string_view kLightningSource = "Lightning, Trainer";

// clang-format off
constexpr std::array kDefaults = {
    FrameworkDefault{"megatron", setting::kClipNorm, 1.0, kMegatronSource},
    FrameworkDefault{"megatron", setting::kAdamBeta1, 0.9, kMegatronSource},
    FrameworkDefault{"megatron", setting::kAdamBeta2, 0.999, kMegatronSource},
    FrameworkDefault{"megatron", setting::kAdamEpsilon, 1e-8, kMegatronSource},
    FrameworkDefault{"megatron", setting::kWeightDecay, 0.01, kMegatronSource},
    FrameworkDefault{"megatron", setting::kMinLearningRate, 0, kMegatronSource},
    FrameworkDefault{"megatron", setting::kLossScaleWindow, 1000, kMegatronSource},
    FrameworkDefault{"megatron", setting::kMinLossScale, 1, kMegatronSource},
    FrameworkDefault{"megatron", setting::kWarmupSteps, 0, kMegatronSource},
    FrameworkDefault{"megatron", setting::kInitialLossScale, 4294967296.0, kMegatronSource},
    FrameworkDefault{"megatron", setting::kHysteresis, 2, kMegatronSource},
    FrameworkDefault{"gpt-neox", setting::kClipNorm, 1.0, kNeoxSource},
    FrameworkDefault{"gpt-neox", setting::kWeightDecay, 0.1, kNeoxSource},
    FrameworkDefault{"gpt-neox", setting::kMinLearningRate, 0, kNeoxSource},
    FrameworkDefault{"gpt-neox", setting::kWarmupFractionOfDecay, 0.01, kNeoxSource},
    FrameworkDefault{"deepspeed", setting::kInitialLossScalePower, 16, kDeepspeedSource},
    FrameworkDefault{"deepspeed", setting::kLossScaleWindow, 1000, kDeepspeedSource},
    FrameworkDefault{"deepspeed", setting::kMinLossScale, 1, kDeepspeedSource},
    FrameworkDefault{"deepspeed", setting::kHysteresis, 2, kDeepspeedSource},
    FrameworkDefault{"hf-trainer", setting::kLearningRate, 5e-5, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kClipNorm, 1.0, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kAdamBeta1, 0.9, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kAdamBeta2, 0.999, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kAdamEpsilon, 1e-8, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kWeightDecay, 0, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kMinLearningRate, 0, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kWarmupSteps, 0, kTrainerSource},
    FrameworkDefault{"paddle", setting::kLearningRate, 5e-5, kPaddleSource},
    FrameworkDefault{"paddle", setting::kClipNorm, 1.0, kPaddleSource},
    FrameworkDefault{"paddle", setting::kAdamBeta1, 0.9, kPaddleSource},
    FrameworkDefault{"paddle", setting::kAdamBeta2, 0.999, kPaddleSource},
    FrameworkDefault{"paddle", setting::kAdamEpsilon, 1e-8, kPaddleSource},
    FrameworkDefault{"paddle", setting::kWeightDecay, 0, kPaddleSource},
    FrameworkDefault{"nanogpt", setting::kLearningRate, 6e-4, kNanogptSource},
    FrameworkDefault{"nanogpt", setting::kClipNorm, 1.0, kNanogptSource},
    FrameworkDefault{"nanogpt", setting::kAdamBeta1, 0.9, kNanogptSource},
    FrameworkDefault{"nanogpt", setting::kAdamBeta2, 0.95, kNanogptSource},
    FrameworkDefault{"nanogpt", setting::kAdamEpsilon, 1e-8, kNanogptSource},
    FrameworkDefault{"nanogpt", setting::kWeightDecay, 0.1, kNanogptSource},
    FrameworkDefault{"nanogpt", setting::kWarmupSteps, 2000, kNanogptSource},
    FrameworkDefault{"torchtitan", setting::kClipNorm, 1.0, kTorchtitanSource},
    FrameworkDefault{"torchtitan", setting::kAdamBeta1, 0.9, kTorchtitanSource},
    FrameworkDefault{"torchtitan", setting::kAdamBeta2, 0.95, kTorchtitanSource},
    FrameworkDefault{"torchtitan", setting::kAdamEpsilon, 1e-8, kTorchtitanSource},
    FrameworkDefault{"torchtitan", setting::kLearningRate, 8e-4, kTorchtitanSource},
    FrameworkDefault{"torchtitan", setting::kWeightDecay, 0.1, kTorchtitanSource},
    FrameworkDefault{"torchtitan", setting::kWarmupSteps, 200, kTorchtitanSource},
    FrameworkDefault{"olmo", setting::kClipNorm, 0, kOlmoSource},
    FrameworkDefault{"olmo", setting::kAdamBeta1, 0.9, kOlmoSource},
    FrameworkDefault{"olmo", setting::kAdamBeta2, 0.95, kOlmoSource},
    FrameworkDefault{"olmo", setting::kAdamEpsilon, 1e-5, kOlmoSource},
    FrameworkDefault{"olmo", setting::kWeightDecay, 0.01, kOlmoSource},
    FrameworkDefault{"olmo", setting::kMinLearningRateFraction, 0.1, kOlmoSource},
    FrameworkDefault{"olmo-core", setting::kLearningRate, 1e-3, kOlmoCoreSource},
    FrameworkDefault{"olmo-core", setting::kClipNorm, 0, kOlmoCoreSource},
    FrameworkDefault{"olmo-core", setting::kAdamBeta1, 0.9, kOlmoCoreSource},
    FrameworkDefault{"olmo-core", setting::kAdamBeta2, 0.999, kOlmoCoreSource},
    FrameworkDefault{"olmo-core", setting::kAdamEpsilon, 1e-8, kOlmoCoreSource},
    FrameworkDefault{"olmo-core", setting::kWeightDecay, 0.01, kOlmoCoreSource},
    FrameworkDefault{"maxtext", setting::kLearningRate, 3e-5, kMaxtextSource},
    FrameworkDefault{"maxtext", setting::kMinLearningRateFraction, 0.1, kMaxtextSource},
    FrameworkDefault{"maxtext", setting::kWarmupFraction, 0.1, kMaxtextSource},
    FrameworkDefault{"maxtext", setting::kClipNorm, 1.0, kMaxtextSource},
    FrameworkDefault{"maxtext", setting::kAdamBeta1, 0.9, kMaxtextSource},
    FrameworkDefault{"maxtext", setting::kAdamBeta2, 0.95, kMaxtextSource},
    FrameworkDefault{"maxtext", setting::kAdamEpsilon, 1e-8, kMaxtextSource},
    FrameworkDefault{"maxtext", setting::kWeightDecay, 0.1, kMaxtextSource},
    FrameworkDefault{"verl", setting::kLearningRate, 1e-6, kVerlSource},
    FrameworkDefault{"verl", setting::kClipNorm, 1.0, kVerlSource},
    FrameworkDefault{"verl", setting::kWeightDecay, 0.01, kVerlSource},
    FrameworkDefault{"llm.c", setting::kLearningRate, 3e-4, kLlmcSource},
    FrameworkDefault{"llm.c", setting::kWarmupSteps, 0, kLlmcSource},
    FrameworkDefault{"llm.c", setting::kClipNorm, 1.0, kLlmcSource},
    FrameworkDefault{"llm.c", setting::kAdamBeta1, 0.9, kLlmcSource},
    FrameworkDefault{"llm.c", setting::kAdamBeta2, 0.95, kLlmcSource},
    FrameworkDefault{"llm.c", setting::kAdamEpsilon, 1e-8, kLlmcSource},
    FrameworkDefault{"llm.c", setting::kWeightDecay, 0, kLlmcSource},
    FrameworkDefault{"fairseq", setting::kClipNorm, 0, kFairseqSource},
    FrameworkDefault{"fairseq", setting::kAdamBeta1, 0.9, kFairseqSource},
    FrameworkDefault{"fairseq", setting::kAdamBeta2, 0.999, kFairseqSource},
    FrameworkDefault{"fairseq", setting::kAdamEpsilon, 1e-8, kFairseqSource},
    FrameworkDefault{"fairseq", setting::kWeightDecay, 0, kFairseqSource},
    FrameworkDefault{"lightning", setting::kClipNorm, 0, kLightningSource},
};
// clang-format on

}  // namespace

std::optional<FrameworkDefault> framework_default(std::string_view framework, std::string_view key) {
  for (const FrameworkDefault& one : kDefaults) {
    if (one.framework == framework && one.key == key) return one;
  }
  return std::nullopt;
}

}  // namespace assay
