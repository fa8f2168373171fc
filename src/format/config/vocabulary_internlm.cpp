// What InternLM trains with: InternEvo, and XTuner upon MMEngine. Both take a Python file of dictionaries.

#include "assay/setting.h"
#include "format/config/vocabulary_tables.h"

namespace assay {

namespace {

constexpr std::string_view kInternevoSignature[] = {
    "data/micro_bsz",
    "data/micro_num",
    "data/pack_sample_into_one",
    "hybrid_zero_optimizer/clip_grad_norm",
    "hybrid_zero_optimizer/overlap_sync_grad",
    "parallel/zero1",
    "parallel/zero1/size",
    "parallel/tensor",
    "parallel/tensor/size",
    "parallel/pipeline/size",
    "parallel/weight/size",
    "grad_scaler/fp16/initial_scale",
    "adam/adam_beta2_c",
    "lr_scheduler/init_steps",
    "beta2_scheduler/init_beta2",
};
constexpr std::string_view kInternevoOwn[] = {"data/micro_bsz", "data/micro_num"};

// A batch of a rank is micro_num passes of micro_bsz sequences. The ranks of `weight` and `zero1` share out what each
// would hold and see batches of their own.
constexpr Term kInternevoTerms[] = {
    {"data/seq_len", setting::kSequenceLength},
    {"data/micro_bsz", setting::kMicroBatchSize},
    {"data/micro_num", setting::kGradientAccumulation},
    {"data/total_steps", setting::kTrainSteps},
    {"data/train_folder", setting::kData},
    {"adam/lr", setting::kLearningRate},
    {"adam/adam_eps", setting::kAdamEpsilon},
    {"adam/weight_decay", setting::kWeightDecay},
    {"lr_scheduler/total_steps", setting::kDecaySteps},
    {"lr_scheduler/warmup_ratio", setting::kWarmupFraction},
    {"lr_scheduler/eta_min", setting::kMinLearningRate},
    {"hybrid_zero_optimizer/clip_grad_norm", setting::kClipNorm},
    {"grad_scaler/fp16/initial_scale", setting::kInitialLossScale},
    {"grad_scaler/fp16/min_scale", setting::kMinLossScale},
    {"grad_scaler/fp16/growth_interval", setting::kLossScaleWindow},
    {"parallel/tensor", setting::kTensorParallelSize},
    {"parallel/tensor/size", setting::kTensorParallelSize},
    {"parallel/pipeline/size", setting::kPipelineParallelSize},
    {"model/dtype", setting::kPrecision},
    {"model/num_kv_attention_heads", setting::kNumKeyValueHeads},
    {"model/mlp_ratio", setting::kMlpRatio},
    {"model/layer_norm_epsilon", setting::kNormEpsilon},
};

constexpr std::string_view kXtunerSignature[] = {
    "accumulative_counts",
    "optim_wrapper/type",
    "optim_wrapper/optimizer/lr",
    "optim_wrapper/clip_grad/max_norm",
    "optim_wrapper/accumulative_counts",
    "train_cfg/type",
    "train_cfg/max_epochs",
    "pack_to_max_length",
    "evaluation_freq",
    "use_varlen_attn",
    "prompt_template",
    "custom_hooks/0/type",
    "default_hooks/timer/type",
    "default_hooks/checkpoint/interval",
    "env_cfg/cudnn_benchmark",
    "param_scheduler/0/type",
    "randomness/seed",
    "log_processor/by_epoch",
    "pretrained_model_name_or_path",
};
constexpr std::string_view kXtunerOwn[] = {"optim_wrapper/optimizer/lr", "optim_wrapper/type"};

constexpr Term kXtunerTerms[] = {
    {"pretrained_model_name_or_path", setting::kModel},
    {"batch_size", setting::kMicroBatchSize},
    {"max_epochs", setting::kTrainEpochs},
    {"optim_wrapper/optimizer/lr", setting::kLearningRate},
    {"optim_wrapper/optimizer/type", setting::kOptimizer},
    {"optim_wrapper/optimizer/betas", "", Form::kBetas},
    {"optim_wrapper/optimizer/weight_decay", setting::kWeightDecay},
    {"optim_wrapper/clip_grad/max_norm", setting::kClipNorm},
    {"optim_wrapper/accumulative_counts", setting::kGradientAccumulation},
    {"optim_wrapper/loss_scale", setting::kLossScale},
    {"optim_wrapper/dtype", setting::kPrecision},  // of autocast
    {"torch_dtype", setting::kParamsDtype},
    {"save_steps", setting::kSaveInterval},
    {"evaluation_freq", setting::kEvalInterval},
};

}  // namespace

constinit const Vocabulary kInternevoWords{"internevo", kInternevoSignature, kInternevoTerms, nullptr,
                                           nullptr,     kInternevoOwn};

constinit const Vocabulary kXtunerWords{"xtuner", kXtunerSignature, kXtunerTerms, nullptr, nullptr, kXtunerOwn};

}  // namespace assay
