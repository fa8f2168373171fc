#include "core/setting_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "assay/setting.h"

namespace assay {

namespace {

constexpr std::size_t kLongestKey = 80;

struct Row {
  std::string_view key;  // lower case, '_' for ' ' and '-'
  std::string_view canonical;
};
constexpr std::array kRows = std::to_array<Row>({
    {"train_iters", setting::kTrainSteps},
    {"max_iters", setting::kTrainSteps},
    {"max_steps", setting::kTrainSteps},
    {"num_iterations", setting::kTrainSteps},
    {"iterations", setting::kTrainSteps},
    {"num_training_steps", setting::kTrainSteps},
    {"total_optimization_steps", setting::kTrainSteps},
    {"max_update", setting::kTrainSteps},
    {"lr", setting::kLearningRate},
    {"learning_rate", setting::kLearningRate},
    {"opt_base_learning_rate", setting::kLearningRate},
    {"opt_end_learning_rate", setting::kMinLearningRate},
    {"opt_learning_rate_warmup_steps", setting::kWarmupSteps},
    {"opt_learning_rate_decay_steps", setting::kDecaySteps},
    {"opt_gradient_clip_norm", setting::kClipNorm},
    {"opt_adam_beta_1", setting::kAdamBeta1},
    {"opt_adam_beta_2", setting::kAdamBeta2},
    {"opt_adam_epsilon", setting::kAdamEpsilon},
    {"opt_weight_decay", setting::kWeightDecay},
    {"max_sequence_length", setting::kSequenceLength},
    {"min_lr", setting::kMinLearningRate},
    {"min_lr_ratio", setting::kMinLearningRateFraction},
    {"lr_warmup_iters", setting::kWarmupSteps},
    {"warmup_steps", setting::kWarmupSteps},
    {"warmup_iters", setting::kWarmupSteps},
    {"num_warmup_steps", setting::kWarmupSteps},
    {"warmup_updates", setting::kWarmupSteps},
    {"warmup_num_steps", setting::kWarmupSteps},
    {"lr_warmup_fraction", setting::kWarmupFraction},
    {"warmup_ratio", setting::kWarmupFraction},
    {"lr_warmup_samples", setting::kWarmupSamples},
    {"lr_decay_iters", setting::kDecaySteps},
    {"lr_decay_samples", setting::kDecaySamples},
    {"lr_decay_style", setting::kSchedule},
    {"lr_scheduler_type", setting::kSchedule},
    {"scheduler", setting::kSchedule},
    {"train_samples", setting::kTrainSamples},
    {"clip_grad", setting::kClipNorm},
    {"gradient_clipping", setting::kClipNorm},
    {"max_grad_norm", setting::kClipNorm},
    {"grad_clip", setting::kClipNorm},
    {"grad_clipping", setting::kClipNorm},
    {"clip_norm", setting::kClipNorm},
    {"adam_beta1", setting::kAdamBeta1},
    {"adam_beta2", setting::kAdamBeta2},
    {"beta1", setting::kAdamBeta1},
    {"beta2", setting::kAdamBeta2},
    {"adam_eps", setting::kAdamEpsilon},
    {"adam_epsilon", setting::kAdamEpsilon},
    {"weight_decay", setting::kWeightDecay},
    {"optimizer", setting::kOptimizer},
    {"optimizer_type", setting::kOptimizer},
    {"scheduler_type", setting::kSchedule},
    {"optimizer_name", setting::kOptimizer},
    {"optim", setting::kOptimizer},
    {"fp16", setting::kFp16},
    {"fp16_enabled", setting::kFp16},
    {"bf16", setting::kBf16},
    {"bfloat16_enabled", setting::kBf16},
    {"params_dtype", setting::kParamsDtype},
    {"dtype", setting::kParamsDtype},
    {"loss_scale", setting::kLossScale},
    {"loss_scale_window", setting::kLossScaleWindow},
    {"fp16_scale_window", setting::kLossScaleWindow},
    {"initial_loss_scale", setting::kInitialLossScale},
    {"initial_dynamic_scale", setting::kInitialLossScale},
    {"initial_scale_power", setting::kInitialLossScalePower},
    {"min_loss_scale", setting::kMinLossScale},
    {"hysteresis", setting::kHysteresis},
    {"gradient_accumulation_steps", setting::kGradientAccumulation},
    {"gradient_accumulation", setting::kGradientAccumulation},
    {"grad_accum_steps", setting::kGradientAccumulation},
    {"accumulate_grad_batches", setting::kGradientAccumulation},
    {"global_batch_size", setting::kGlobalBatchSize},
    {"train_batch_size", setting::kGlobalBatchSize},
    {"total_batch_size", setting::kGlobalBatchSize},
    {"total_train_batch_size_(w._parallel,_distributed_&_accumulation)", setting::kGlobalBatchSize},
    {"micro_batch_size", setting::kMicroBatchSize},
    {"train_micro_batch_size_per_gpu", setting::kMicroBatchSize},
    {"per_device_train_batch_size", setting::kMicroBatchSize},
    {"instantaneous_batch_size_per_device", setting::kMicroBatchSize},
    {"batch_size_per_gpu", setting::kMicroBatchSize},
    {"seq_length", setting::kSequenceLength},
    {"seq_len", setting::kSequenceLength},
    {"train_seq_len", setting::kSequenceLength},
    {"max_seq_length", setting::kSequenceLength},
    {"max_length", setting::kSequenceLength},
    {"block_size", setting::kSequenceLength},
    {"vocab_size", setting::kVocabSize},
    {"padded_vocab_size", setting::kPaddedVocabSize},
    {"num_layers", setting::kNumLayers},
    {"hidden_size", setting::kHiddenSize},
    {"num_attention_heads", setting::kNumAttentionHeads},
    {"num_epochs", setting::kTrainEpochs},
    {"num_train_epochs", setting::kTrainEpochs},
    {"num_examples", setting::kNumExamples},
    {"number_of_trainable_parameters", setting::kTrainableParameters},
    {"dataloader_num_workers", setting::kNumWorkers},
    {"tensor_model_parallel_size", setting::kTensorParallelSize},
    {"pipeline_model_parallel_size", setting::kPipelineParallelSize},
    {"data_parallel_size", setting::kDataParallelSize},
    {"world_size", setting::kWorldSize},
    {"seed", setting::kSeed},
});

}  // namespace

std::string_view canonical_setting(std::string_view key) {
  key.remove_prefix(std::min(key.find_first_not_of('-'), key.size()));  // of an option
  if (key.size() > kLongestKey) return {};
  std::string normal(key);
  for (char& c : normal) {
    if (c == ' ' || c == '-') c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.key == normal; });
  return found == kRows.end() ? std::string_view{} : found->canonical;
}

std::string_view canonical_of_path(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash != std::string_view::npos) {
    const std::size_t before = slash == 0 ? std::string_view::npos : path.find_last_of('/', slash - 1);
    std::string pair(path.substr(before + 1));
    std::replace(pair.begin(), pair.end(), '/', '_');
    if (const std::string_view canonical = canonical_setting(pair); !canonical.empty()) return canonical;
  }
  return canonical_setting(path.substr(slash + 1));  // all of it where there is no level above
}

std::string_view setting_of_path(std::string_view path) {
  const std::string_view canonical = canonical_of_path(path);
  return canonical.empty() ? path.substr(path.find_last_of('/') + 1) : canonical;
}

}  // namespace assay
