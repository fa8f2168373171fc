// The words that frameworks share, and the list of all vocabularies.

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "assay/setting.h"
#include "base/ascii.h"
#include "format/config/vocabulary_tables.h"

namespace assay {

namespace {

// These mean the same wherever they stand, also alone on a line of a log. Two levels of a path may stand for one word:
// "fp16/enabled" is fp16_enabled.
constexpr Term kCommonTerms[] = {
    {"train_iters", setting::kTrainSteps},
    {"max_iters", setting::kTrainSteps},
    {"max_steps", setting::kTrainSteps},
    {"num_iterations", setting::kTrainSteps},
    {"iterations", setting::kTrainSteps},
    {"num_training_steps", setting::kTrainSteps},
    {"total_optimization_steps", setting::kTrainSteps},
    {"data_parallel_gpus", setting::kDataParallelSize},  // Unsloth
    {"max_update", setting::kTrainSteps},
    {"lr", setting::kLearningRate},
    {"learning_rate", setting::kLearningRate},
    {"max_sequence_length", setting::kSequenceLength},
    {"min_lr", setting::kMinLearningRate},
    {"min_lr_ratio", setting::kMinLearningRateFraction},
    {"lr_warmup_iters", setting::kWarmupSteps},
    {"warmup_steps", setting::kWarmupSteps, Form::kStepsOrFraction},
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
    {"dtype", setting::kPrecision},  // of a program: what autocast uses; of a model its own table says otherwise
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
    {"total_train_batch_size_(w/_parallel,_distributed_&_accumulation)", setting::kGlobalBatchSize},
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
};

// For hand-written programs and for levels that a framework's own table does not name. In a configuration they are
// settings; alone on a line of a log they might be anything.
constexpr Term kSharedTerms[] = {
    {"optimizer/lr", setting::kLearningRate},
    {"optim/lr", setting::kLearningRate},
    {"optimizer/learning_rate", setting::kLearningRate},
    {"base_lr", setting::kLearningRate},
    {"peak_lr", setting::kLearningRate},
    {"max_lr", setting::kLearningRate},
    {"lr_peak", setting::kLearningRate},
    {"init_lr", setting::kLearningRate},
    {"learning_rate/value", setting::kLearningRate},
    {"lr_min", setting::kMinLearningRate},
    {"eta_min", setting::kMinLearningRate},
    {"end_lr", setting::kMinLearningRate},
    {"final_lr", setting::kMinLearningRate},
    {"alpha_f", setting::kMinLearningRateFraction},
    {"betas", "", Form::kBetas},
    {"adam_betas", "", Form::kBetas},
    {"opt_betas", "", Form::kBetas},
    {"adam_b1", setting::kAdamBeta1},
    {"adam_b2", setting::kAdamBeta2},
    {"optimizer/eps", setting::kAdamEpsilon},
    {"optimizer/epsilon", setting::kAdamEpsilon},
    {"optim/eps", setting::kAdamEpsilon},
    {"optimizer/weight_decay", setting::kWeightDecay},
    {"optimizer/name", setting::kOptimizer},
    {"optimizer/type", setting::kOptimizer},
    {"optimizer/_target_", setting::kOptimizer},
    {"scheduler/name", setting::kSchedule},
    {"scheduler/type", setting::kSchedule},
    {"lr_scheduler", setting::kSchedule},
    {"lr_schedule", setting::kSchedule},
    {"lr_warmup_steps", setting::kWarmupSteps},
    {"t_warmup", setting::kWarmupSteps, Form::kDuration},
    {"warmup", setting::kWarmupSteps, Form::kStepsOrFraction},
    {"warmup_fraction", setting::kWarmupFraction},
    {"warmup_frac", setting::kWarmupFraction},
    {"warmup_samples", setting::kWarmupSamples},
    {"warmup_tokens", setting::kWarmupTokens},
    {"lr_decay_steps", setting::kDecaySteps},
    {"decay_steps", setting::kDecaySteps},
    {"gradient_clip_val", setting::kClipNorm},
    {"gradient_clip_norm", setting::kClipNorm},
    {"grad_norm_clip", setting::kClipNorm},
    {"max_norm", setting::kClipNorm},
    {"train_steps", setting::kTrainSteps},
    {"total_steps", setting::kTrainSteps},
    {"num_train_steps", setting::kTrainSteps},
    {"max_train_steps", setting::kTrainSteps},
    {"total_iters", setting::kTrainSteps},
    {"max_tokens", setting::kTrainTokens},
    {"train_tokens", setting::kTrainTokens},
    {"epochs", setting::kTrainEpochs},
    {"max_epochs", setting::kTrainEpochs},
    {"n_epochs", setting::kTrainEpochs},
    {"n_epoch", setting::kTrainEpochs},
    {"total_epochs", setting::kTrainEpochs},
    {"batch_size", setting::kMicroBatchSize},
    {"data/batch_size", setting::kMicroBatchSize},
    {"per_device_batch_size", setting::kMicroBatchSize},
    {"micro_batch", setting::kMicroBatchSize},
    {"microbatch_size", setting::kMicroBatchSize},
    {"device_batch_size", setting::kMicroBatchSize},
    {"local_batch_size", setting::kMicroBatchSize},
    {"batch_size_per_device", setting::kMicroBatchSize},
    {"global_bs", setting::kGlobalBatchSize},
    {"grad_accum", setting::kGradientAccumulation},
    {"grad_accumulation_steps", setting::kGradientAccumulation},
    {"gradient_accumulation_step", setting::kGradientAccumulation},
    {"accumulation_steps", setting::kGradientAccumulation},
    {"accum_steps", setting::kGradientAccumulation},
    {"accumulative_counts", setting::kGradientAccumulation},  // MMEngine
    {"model/loss_scale", "", Form::kNoSetting},               // a weight
    {"criterion/loss_scale", "", Form::kNoSetting},
    {"sequence_length", setting::kSequenceLength},
    {"dataset/seq_length", setting::kSequenceLength},
    {"data/seq_length", setting::kSequenceLength},
    {"data/seq_len", setting::kSequenceLength},
    {"data/max_length", setting::kSequenceLength},
    {"dataset/max_length", setting::kSequenceLength},
    {"data/max_seq_length", setting::kSequenceLength},
    {"max_len", setting::kSequenceLength},
    {"data/block_size", setting::kSequenceLength},
    {"context_length", setting::kSequenceLength},
    {"max_seq_len", setting::kSequenceLength},
    {"tensor_parallel_size", setting::kTensorParallelSize},
    {"pipeline_parallel_size", setting::kPipelineParallelSize},
    {"context_parallel_size", setting::kContextParallelSize},
    {"expert_parallel_size", setting::kExpertParallelSize},
    {"dp_size", setting::kDataParallelSize},
    {"tp_size", setting::kTensorParallelSize},
    {"pp_size", setting::kPipelineParallelSize},
    {"zero_stage", setting::kZeroStage},
    {"num_nodes", setting::kNodes},
    {"nnodes", setting::kNodes},
    {"gpus_per_node", setting::kDevicesPerNode},
    {"n_gpus_per_node", setting::kDevicesPerNode},
    {"nproc_per_node", setting::kDevicesPerNode},
    {"num_gpus_per_node", setting::kDevicesPerNode},
    {"precision", setting::kPrecision},
    {"mixed_precision", setting::kPrecision},
    {"allow_tf32", setting::kTf32},
    {"enable_tf32", setting::kTf32},
    {"use_tf32", setting::kTf32},
    {"allow_hf32", setting::kHf32},
    {"matmul_allow_hf32", setting::kHf32},
    {"allow_matmul_hf32", setting::kHf32},
    {"float32_matmul_precision", setting::kMatmulPrecision},
    {"fp32_matmul_precision", setting::kMatmulPrecision},
    {"softmax_dtype", setting::kSoftmaxDtype},
    {"softmax_compute_dtype", setting::kSoftmaxDtype},
    {"softmax_compute_type", setting::kSoftmaxDtype},
    {"layernorm_compute_dtype", setting::kNormDtype},
    {"layernorm_compute_type", setting::kNormDtype},
    {"deterministic_mode", setting::kDeterministic},
    {"use_deter_comp", setting::kDeterministic},  // MindSpeed-LLM
    {"full_determinism", setting::kDeterministic},
    {"trainer/deterministic", setting::kDeterministic},
    {"training/deterministic", setting::kDeterministic},
    {"debug/deterministic", setting::kDeterministic},
    {"use_deterministic_algorithms", setting::kDeterministic},
    {"num_hidden_layers", setting::kNumLayers},
    {"n_layer", setting::kNumLayers},
    {"n_layers", setting::kNumLayers},
    {"d_model", setting::kHiddenSize},
    {"n_embd", setting::kHiddenSize},
    {"ffn_hidden_size", setting::kFfnHiddenSize},
    {"intermediate_size", setting::kFfnHiddenSize},
    {"n_head", setting::kNumAttentionHeads},
    {"n_heads", setting::kNumAttentionHeads},
    {"num_heads", setting::kNumAttentionHeads},
    {"num_key_value_heads", setting::kNumKeyValueHeads},
    {"n_kv_heads", setting::kNumKeyValueHeads},
    {"num_kv_heads", setting::kNumKeyValueHeads},
    {"head_dim", setting::kHeadDim},
    {"tie_word_embeddings", setting::kTiedEmbeddings},
    {"tie_embeddings", setting::kTiedEmbeddings},
    {"max_position_embeddings", setting::kMaxPositions},
    {"rope_theta", setting::kRopeBase},
    {"num_local_experts", setting::kNumExperts},
    {"num_experts", setting::kNumExperts},
    {"num_experts_per_tok", setting::kExpertsPerToken},
    {"moe_intermediate_size", setting::kMoeFfnHiddenSize},
    {"dropout", setting::kDropout},
    {"attention_dropout", setting::kAttentionDropout},
    {"random_seed", setting::kSeed},
    {"num_workers", setting::kNumWorkers},
    {"data/num_workers", setting::kNumWorkers},
    {"model_name_or_path", setting::kModel},
    {"model_type", setting::kModelType},
    {"save_interval", setting::kSaveInterval},
    {"eval_interval", setting::kEvalInterval},
    {"log_interval", setting::kLogInterval},
    {"logging_steps", setting::kLogInterval},
    {"resume_from_checkpoint", setting::kResumeFrom},
};

constinit const Vocabulary kCommonWords{"", {}, kCommonTerms};
constinit const Vocabulary kSharedWords{"", {}, kSharedTerms, &kCommonWords};

// The more exact of two that share words first.
constexpr std::array<const Vocabulary*, 37> kAll = {
    &kGptNeoxWords,
    &kPaddleWords,
    &kAxolotlWords,
    &kHfTrainerWords,
    &kAccelerateWords,
    &kDeepspeedWords,
    &kNemoWords,
    &kMegatronBridgeWords,
    &kMegatronWords,
    &kOlmoCoreWords,
    &kLlmFoundryWords,
    &kOlmoWords,
    &kMindformersPynativeWords,
    &kTorchtitanWords,
    &kLitgptWords,
    &kNanotronWords,
    &kMaxtextWords,
    &kMindformersWords,
    &kFairseqWords,
    &kVerlWords,
    &kTrlxWords,
    &kMlxWords,
    &kLlmcPythonWords,
    &kNanochatWords,
    &kNanogptWords,
    &kLlmcWords,
    &kLlamaParamsWords,
    &kHfModelWords,
    &kLightningWords,
    &kAlgoperfWords,
    &kLevanterWords,
    &kTorchtuneWords,
    &kT5xWords,
    &kOpenRlhfWords,
    &kDiffusersWords,
    &kInternevoWords,
    &kXtunerWords,
};

constexpr std::size_t kLongestWord = 80;

// A word as terms are written, in a buffer of the caller's: lines of logs ask for many words that are none.
std::string_view normal_word(std::string_view word, std::array<char, kLongestWord>& buffer) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));  // of an option
  if (word.size() > buffer.size()) return {};
  std::transform(word.begin(), word.end(), buffer.begin(), [](char c) {
    if (c == ' ' || c == '-') return '_';
    if (c == '.') return '/';
    return lower(c);
  });
  return {buffer.data(), word.size()};
}

}  // namespace

std::span<const Vocabulary* const> vocabularies() { return kAll; }
const Vocabulary& shared_vocabulary() { return kSharedWords; }

const Term* common_term(std::string_view word) {
  static const auto kIndex = [] {
    std::unordered_map<std::string_view, const Term*> index;
    for (const Term& term : kCommonTerms) index.emplace(term.words, &term);
    return index;
  }();
  std::array<char, kLongestWord> buffer;
  const auto found = kIndex.find(normal_word(word, buffer));
  return found == kIndex.end() ? nullptr : found->second;
}

std::string_view common_setting(std::string_view word) {
  const Term* term = common_term(word);
  return term == nullptr ? std::string_view{} : term->canonical;
}

}  // namespace assay
