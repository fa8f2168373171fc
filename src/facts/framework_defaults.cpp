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
constexpr std::string_view kTorchtitanSource = "torchtitan, job_config.py";

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
    FrameworkDefault{"hf-trainer", setting::kLearningRate, 5e-5, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kClipNorm, 1.0, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kAdamBeta1, 0.9, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kAdamBeta2, 0.999, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kAdamEpsilon, 1e-8, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kWeightDecay, 0, kTrainerSource},
    FrameworkDefault{"hf-trainer", setting::kMinLearningRate, 0, kTrainerSource},
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
