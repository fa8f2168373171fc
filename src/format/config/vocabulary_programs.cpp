// Single programs and smaller frameworks: nanoGPT, llm.c, nanochat, fairseq and metaseq, MindFormers, MLX, the
// hyper-parameter files of AlgoPerf and MLPerf.

#include "assay/setting.h"
#include "format/config/vocabulary_tables.h"

namespace assay {

namespace {

constexpr std::string_view kNanogptSignature[] = {
    "/max_iters",  "/lr_decay_iters",         "/block_size", "/n_layer",   "/n_head",   "/n_embd",
    "/eval_iters", "/always_save_checkpoint", "/wandb_log",  "/init_from", "/decay_lr", "/warmup_iters",
    "/eval_only",
};

// batch_size is the micro-batch; gradient_accumulation_steps counts over all ranks (derive.cpp knows).
constexpr Term kNanogptTerms[] = {
    {"learning_rate", setting::kLearningRate},
    {"min_lr", setting::kMinLearningRate},
    {"warmup_iters", setting::kWarmupSteps},
    {"max_iters", setting::kTrainSteps},
    {"lr_decay_iters", setting::kDecaySteps},
    {"beta1", setting::kAdamBeta1},
    {"beta2", setting::kAdamBeta2},
    {"grad_clip", setting::kClipNorm},
    {"batch_size", setting::kMicroBatchSize},
    {"block_size", setting::kSequenceLength},
    {"n_layer", setting::kNumLayers},
    {"n_head", setting::kNumAttentionHeads},
    {"n_embd", setting::kHiddenSize},
    {"dropout", setting::kDropout},
    {"bias", setting::kLinearBias},
    {"dataset", setting::kData},
    {"dtype", setting::kPrecision},
    {"eval_interval", setting::kEvalInterval},
    {"log_interval", setting::kLogInterval},
    {"eval_iters", "", Form::kNoSetting},
};

// One-letter flags: nobody is found by them, the script's program is (vocabulary_named).
constexpr Term kLlmcTerms[] = {
    {"i", setting::kData},
    {"e", setting::kModel},
    {"b", setting::kMicroBatchSize},
    {"t", setting::kSequenceLength},
    {"d", setting::kGlobalBatchTokens},
    {"l", setting::kLearningRate},
    {"u", setting::kWarmupSteps},
    {"q", setting::kMinLearningRateFraction},
    {"c", setting::kWeightDecay},
    {"x", setting::kTrainSteps},
    {"z", setting::kZeroStage},
    {"f", setting::kTf32},
    {"k", setting::kSchedule},
    {"v", setting::kEvalInterval},
    {"n", setting::kSaveInterval},
};

// The same training in Python, train_gpt2.py: its total batch is of tokens.
constexpr std::string_view kLlmcPythonSignature[] = {
    "input_bin",    "input_val_bin",        "val_loss_every", "sample_every",   "write_tensors",
    "tensorcores",  "overfit_single_batch", "inference_only", "num_iterations", "learning_rate_decay_frac",
    "warmup_iters", "total_batch_size",     "zero_stage",
};
constexpr std::string_view kLlmcPythonOwn[] = {"input_bin", "overfit_single_batch", "learning_rate_decay_frac",
                                               "write_tensors"};

constexpr Term kLlmcPythonTerms[] = {
    {"input_bin", setting::kData},
    {"model", setting::kModel},
    {"batch_size", setting::kMicroBatchSize},
    {"sequence_length", setting::kSequenceLength},
    {"total_batch_size", setting::kGlobalBatchTokens},
    {"num_iterations", setting::kTrainSteps},
    {"learning_rate_decay_frac", setting::kMinLearningRateFraction},
    {"val_loss_every", setting::kEvalInterval},
};

constexpr std::string_view kNanochatSignature[] = {
    "matrix_lr",        "embedding_lr",      "unembedding_lr",    "warmdown_ratio",
    "total_batch_size", "device_batch_size", "core_metric_every", "target_param_data_ratio",
    "target_flops",     "num_iterations",    "scalar_lr",
};

constexpr Term kNanochatTerms[] = {
    {"total_batch_size", setting::kGlobalBatchTokens},
    {"device_batch_size", setting::kMicroBatchSize},
    {"max_seq_len", setting::kSequenceLength},
    {"num_iterations", setting::kTrainSteps},
    {"warmup_steps", setting::kWarmupSteps},
    {"warmup_ratio", setting::kWarmupFraction},
    {"final_lr_frac", setting::kMinLearningRateFraction},
    {"depth", setting::kNumLayers},
};

constexpr std::string_view kFairseqSignature[] = {
    "optimization/max_update",
    "optimization/update_freq",
    "optimization/lr",
    "optimizer/_name",
    "optimizer/adam_betas",
    "lr_scheduler/warmup_updates",
    "lr_scheduler/total_num_update",
    "lr_scheduler/_name",
    "criterion/_name",
    "task/_name",
    "task/tokens_per_sample",
    "common/fp16",
    "common/log_format",
    "distributed_training/distributed_world_size",
    "dataset/max_tokens",
    "checkpoint/no_epoch_checkpoints",
    "model/_name",
    "max_update",
    "update_freq",
    "warmup_updates",
    "total_num_update",
    "adam_betas",
    "tokens_per_sample",
    "lr_scheduler/power",
    "fp16_init_scale",
    "task/data",
};

constexpr Term kFairseqTerms[] = {
    {"optimization/lr", setting::kLearningRate},
    {"lr", setting::kLearningRate},
    {"end_learning_rate", setting::kMinLearningRate},
    {"warmup_updates", setting::kWarmupSteps},
    {"total_num_update", setting::kDecaySteps},
    {"lr_scheduler/_name", setting::kSchedule},
    {"lr_scheduler", setting::kSchedule},
    {"optimizer/_name", setting::kOptimizer},
    {"adam_betas", "", Form::kBetas},
    {"adam_eps", setting::kAdamEpsilon},
    {"clip_norm", setting::kClipNorm},
    {"max_update", setting::kTrainSteps},
    {"max_epoch", setting::kTrainEpochs},
    {"update_freq", setting::kGradientAccumulation},
    {"dataset/batch_size", setting::kMicroBatchSize},
    {"batch_size", setting::kMicroBatchSize},
    {"dataset/max_tokens", setting::kMicroBatchTokens},
    {"max_tokens", setting::kMicroBatchTokens},
    {"tokens_per_sample", setting::kSequenceLength},
    {"distributed_world_size", setting::kWorldSize},
    {"model_parallel_size", setting::kTensorParallelSize},
    {"memory_efficient_fp16", setting::kFp16, Form::kIfOn},
    {"memory_efficient_bf16", setting::kBf16, Form::kIfOn},
    {"fp16_init_scale", setting::kInitialLossScale},
    {"fp16_scale_window", setting::kLossScaleWindow},
    {"min_loss_scale", setting::kMinLossScale},
    {"task/data", setting::kData},
    {"model/_name", setting::kModelType},
    {"save_interval_updates", setting::kSaveInterval},
    {"save_interval", "", Form::kNoSetting},  // in epochs
    {"validate_interval_updates", setting::kEvalInterval},
    {"dataset/num_workers", setting::kNumWorkers},
    {"decoder_layers", setting::kNumLayers},
    {"decoder_embed_dim", setting::kHiddenSize},
    {"decoder_ffn_embed_dim", setting::kFfnHiddenSize},
    {"decoder_attention_heads", setting::kNumAttentionHeads},
};

constexpr std::string_view kMindformersSignature[] = {
    "runner_config/batch_size",
    "runner_config/epochs",
    "runner_config/sink_mode",
    "runner_config/sink_size",
    "runner_wrapper/type",
    "runner_wrapper/scale_sense",
    "runner_wrapper/scale_sense/type",
    "parallel_config/data_parallel",
    "parallel_config/model_parallel",
    "parallel_config/pipeline_stage",
    "parallel_config/micro_batch_num",
    "lr_schedule/learning_rate",
    "lr_schedule/type",
    "lr_schedule/warmup_ratio",
    "lr_schedule/warmup_steps",
    "lr_schedule/lr_end",
    "context/device_target",
    "trainer/model_name",
    "trainer/type",
    "parallel/parallel_mode",
    "model/model_config/type",
    "use_parallel",
    "run_mode",
    "recompute_config/recompute",
    "train_dataset/data_loader/type",
    "micro_batch_interleave_num",
    "auto_trans_ckpt",
};

constexpr Term kMindformersTerms[] = {
    {"lr_schedule/learning_rate", setting::kLearningRate},
    {"optimizer/learning_rate", setting::kLearningRate},
    {"lr_schedule/lr_end", setting::kMinLearningRate},
    {"lr_schedule/warmup_steps", setting::kWarmupSteps},
    {"lr_schedule/warmup_ratio", setting::kWarmupFraction},
    {"lr_schedule/total_steps", setting::kDecaySteps},
    {"lr_schedule/type", setting::kSchedule},
    {"optimizer/type", setting::kOptimizer},
    {"optimizer/beta1", setting::kAdamBeta1},
    {"optimizer/beta2", setting::kAdamBeta2},
    {"optimizer/betas", "", Form::kBetas},
    {"optimizer/eps", setting::kAdamEpsilon},
    {"optimizer/weight_decay", setting::kWeightDecay},
    {"runner_config/epochs", setting::kTrainEpochs},
    {"runner_config/batch_size", setting::kMicroBatchSize},
    {"runner_config/gradient_accumulation_steps", setting::kGradientAccumulation},
    {"batch_size", "", Form::kNoSetting},  // of data sets and of the model for prediction: the runner's counts
    {"runner_wrapper/max_grad_norm", setting::kClipNorm},
    {"runner_wrapper/use_clip_grad", "use_clip_grad"},
    {"runner_wrapper/scale_sense", setting::kLossScale, Form::kUnlessOne},
    {"scale_sense/loss_scale_value", setting::kInitialLossScale},
    {"scale_sense/scale_window", setting::kLossScaleWindow},
    {"parallel_config/data_parallel", setting::kDataParallelSize},
    {"parallel_config/model_parallel", setting::kTensorParallelSize},
    {"parallel_config/pipeline_stage", setting::kPipelineParallelSize},
    {"parallel_config/expert_parallel", setting::kExpertParallelSize},
    {"parallel_config/context_parallel", setting::kContextParallelSize},
    {"parallel_config/micro_batch_num", setting::kMicroBatchCount},
    {"micro_batch_interleave_num", setting::kBatchInterleave},
    {"model_config/seq_length", setting::kSequenceLength},
    {"model_config/hidden_size", setting::kHiddenSize},
    {"model_config/num_layers", setting::kNumLayers},
    {"model_config/num_heads", setting::kNumAttentionHeads},
    {"model_config/n_kv_heads", setting::kNumKeyValueHeads},
    {"model_config/vocab_size", setting::kVocabSize},
    {"model_config/multiple_of", setting::kFfnMultipleOf},
    {"model_config/ffn_dim_multiplier", setting::kFfnMultiplier},
    {"model_config/intermediate_size", setting::kFfnHiddenSize},
    {"model_config/rms_norm_eps", setting::kNormEpsilon},
    {"model_config/compute_dtype", setting::kPrecision},
    {"model_config/params_dtype", setting::kParamsDtype},
    {"model_config/param_init_type", setting::kParamsDtype},
    {"model_config/type", setting::kModelType},
    {"trainer/model_name", setting::kModel},
    {"data_loader/dataset_dir", setting::kData},
    {"load_checkpoint", setting::kResumeFrom},
    {"train_dataset/num_parallel_workers", setting::kNumWorkers},
};

// MindFormers outside of graphs: named after torchtitan's words, which have a degree where these have none.
constexpr std::string_view kMindformersPynativeSignature[] = {
    "parallelism/data_parallel_shard",
    "parallelism/tensor_parallel",
    "parallelism/pipeline_parallel",
    "parallelism/context_parallel",
    "parallelism/expert_parallel",
    "parallelism/pipeline_parallel_interleave_num",
    "training/steps",
    "training/local_batch_size",
    "training/global_batch_size",
    "training/max_norm",
    "lr_scheduler/type",
    "lr_scheduler/learning_rate",
    "model/model_type",
    "model/compute_dtype",
    "train_dataset/dataloader/type",
};
constexpr std::string_view kMindformersPynativeOwn[] = {"parallelism/data_parallel_shard",
                                                        "parallelism/tensor_parallel", "lr_scheduler/learning_rate"};

constexpr Term kMindformersPynativeTerms[] = {
    {"lr_scheduler/learning_rate", setting::kLearningRate},
    {"lr_scheduler/lr_end", setting::kMinLearningRate},
    {"lr_scheduler/warmup_steps", setting::kWarmupSteps},
    {"lr_scheduler/warmup_ratio", setting::kWarmupFraction},
    {"lr_scheduler/total_steps", setting::kDecaySteps},
    {"lr_scheduler/type", setting::kSchedule},
    {"optimizer/type", setting::kOptimizer},
    {"optimizer/betas", "", Form::kBetas},
    {"optimizer/adamw_betas", "", Form::kBetas},
    {"optimizer/eps", setting::kAdamEpsilon},
    {"optimizer/adamw_eps", setting::kAdamEpsilon},
    {"optimizer/weight_decay", setting::kWeightDecay},
    {"training/steps", setting::kTrainSteps},
    {"training/local_batch_size", setting::kMicroBatchSize},
    {"training/global_batch_size", setting::kGlobalBatchSize},
    {"training/max_norm", setting::kClipNorm},
    {"training/seed", setting::kSeed},
    {"parallelism/data_parallel_shard", setting::kDataParallelShards},
    {"parallelism/data_parallel_replicate", setting::kDataParallelReplicas},
    {"parallelism/tensor_parallel", setting::kTensorParallelSize},
    {"parallelism/pipeline_parallel", setting::kPipelineParallelSize},
    {"parallelism/context_parallel", setting::kContextParallelSize},
    {"parallelism/expert_parallel", setting::kExpertParallelSize},
    {"model/seq_length", setting::kSequenceLength},
    {"model/compute_dtype", setting::kPrecision},
    {"model/params_dtype", setting::kParamsDtype},
};

constexpr std::string_view kMlxSignature[] = {
    "/steps_per_report",    "/steps_per_eval", "/val_batches",  "/adapter_path",
    "/fine_tune_type",      "/iters",          "/save_every",   "/resume_adapter_file",
    "/grad_checkpoint",     "/lora_layers",    "/test_batches", "/mask_prompt",
    "lora_parameters/rank",
};

constexpr Term kMlxTerms[] = {
    {"iters", setting::kTrainSteps},
    {"batch_size", setting::kMicroBatchSize},
    {"learning_rate", setting::kLearningRate},
    {"max_seq_length", setting::kSequenceLength},
    {"num_layers", "", Form::kNoSetting},  // how many are fine-tuned
    {"lora_layers", "", Form::kNoSetting},
    {"fine_tune_type", setting::kFineTuning},
    {"lr_schedule/warmup", setting::kWarmupSteps},
    {"lr_schedule/name", setting::kSchedule},
    {"optimizer", setting::kOptimizer},
    {"model", setting::kModel},
    {"steps_per_report", setting::kLogInterval},
    {"steps_per_eval", setting::kEvalInterval},
    {"save_every", setting::kSaveInterval},
    {"train", "", Form::kNoSetting},
    {"test", "", Form::kNoSetting},
};

constexpr std::string_view kAlgoperfSignature[] = {"/one_minus_beta1", "/one_minus_beta_1", "/warmup_factor",
                                                   "/label_smoothing", "/aux_dropout_rate", "/dropout_rate"};

constexpr Term kAlgoperfTerms[] = {
    {"warmup_factor", setting::kWarmupFraction},
    {"warmup_steps_fraction", setting::kWarmupFraction},
    {"one_minus_beta1", setting::kAdamBeta1, Form::kOneMinus},
    {"one_minus_beta_1", setting::kAdamBeta1, Form::kOneMinus},
    {"one_minus_beta2", setting::kAdamBeta2, Form::kOneMinus},
    {"one_minus_beta_2", setting::kAdamBeta2, Form::kOneMinus},
    {"epsilon", setting::kAdamEpsilon},
    {"beta1", setting::kAdamBeta1},
    {"beta2", setting::kAdamBeta2},
    {"dropout_rate", setting::kDropout},
    {"attention_dropout_rate", setting::kAttentionDropout},
    {"bs", setting::kGlobalBatchSize},
};

constexpr std::string_view kT5xSignature[] = {
    "/mixture_or_task_name",
    "/mixture_or_task_module",
    "/task_feature_lengths",
    "/task_feature_lengths/inputs",
    "/use_cached_tasks",
    "/initial_checkpoint_path",
    "/loss_normalizing_factor",
    "train/utils/datasetconfig/batch_size",
    "create_learning_rate_scheduler/factors",
    "create_learning_rate_scheduler/base_learning_rate",
    "savecheckpointconfig/period",
    "modelbasedpjitpartitioner/num_partitions",
    "pjitpartitioner/num_partitions",
    "run/sequence_length",
    "utils/run/mesh_shape",
    "tokens_per_batch",
};

// Gin; a level that is called after a data set is the training's own.
constexpr Term kT5xTerms[] = {
    {"create_learning_rate_scheduler/base_learning_rate", setting::kLearningRate},
    {"create_learning_rate_scheduler/warmup_steps", setting::kWarmupSteps},
    {"create_learning_rate_scheduler/factors", setting::kSchedule},
    {"train_steps", setting::kTrainSteps},
    {"batch_size", setting::kGlobalBatchSize},
    {"train/utils/datasetconfig/batch_size", setting::kGlobalBatchSize},
    {"run/sequence_length/inputs", setting::kSequenceLength},
    {"task_feature_lengths/inputs", setting::kSequenceLength},
    {"dropout_rate", setting::kDropout},
    {"train/random_seed", setting::kSeed},
    {"train/eval_period", setting::kEvalInterval},
    {"savecheckpointconfig/period", setting::kSaveInterval},
    {"mixture_or_task_name", setting::kData},
    {"initial_checkpoint_path", setting::kFineTuning},
    {"t5config/vocab_size", setting::kVocabSize},
    {"t5config/emb_dim", setting::kHiddenSize},
    {"t5config/num_heads", setting::kNumAttentionHeads},
    {"t5config/head_dim", setting::kHeadDim},
    {"t5config/mlp_dim", setting::kFfnHiddenSize},
    {"t5config/dtype", setting::kPrecision},
};

// The log of MLPerf (":::MLLOG"): the words of its rules. What the optimizer is told begins with its name:
// opt_base_learning_rate, opt_adamw_beta_1, opt_lamb_weight_decay_rate.
constexpr Term kMlperfTerms[] = {
    {"opt_name", setting::kOptimizer},
    {"opt_base_learning_rate", setting::kLearningRate},
    {"opt_end_learning_rate", setting::kMinLearningRate},
    {"opt_learning_rate_warmup_steps", setting::kWarmupSteps},
    {"opt_learning_rate_decay_steps", setting::kDecaySteps},
    {"opt_learning_rate_decay_schedule", setting::kSchedule},
    {"opt_gradient_clip_norm", setting::kClipNorm},
    {"opt_adam_beta_1", setting::kAdamBeta1},
    {"opt_adam_beta_2", setting::kAdamBeta2},
    {"opt_adam_epsilon", setting::kAdamEpsilon},
    {"opt_adamw_beta_1", setting::kAdamBeta1},
    {"opt_adamw_beta_2", setting::kAdamBeta2},
    {"opt_adamw_epsilon", setting::kAdamEpsilon},
    {"opt_adamw_weight_decay", setting::kWeightDecay},
    {"opt_lamb_beta_1", setting::kAdamBeta1},
    {"opt_lamb_beta_2", setting::kAdamBeta2},
    {"opt_lamb_epsilon", setting::kAdamEpsilon},
    {"opt_epsilon", setting::kAdamEpsilon},
    {"opt_lamb_weight_decay_rate", setting::kWeightDecay},
    {"opt_weight_decay", setting::kWeightDecay},
    {"max_sequence_length", setting::kSequenceLength},
    {"train_samples", setting::kNumExamples},  // of the data set
};

constexpr std::string_view kLlamaParamsSignature[] = {
    "/dim",        "/n_layers",           "/n_heads",   "/multiple_of",      "/norm_eps",
    "/n_kv_heads", "/ffn_dim_multiplier", "/inter_dim", "/n_routed_experts", "/kv_lora_rank"};

constexpr Term kLlamaParamsTerms[] = {
    {"dim", setting::kHiddenSize},
    {"n_layers", setting::kNumLayers},
    {"n_heads", setting::kNumAttentionHeads},
    {"n_kv_heads", setting::kNumKeyValueHeads},
    {"hidden_dim", setting::kFfnHiddenSize},
    {"inter_dim", setting::kFfnHiddenSize},
    {"moe_inter_dim", setting::kMoeFfnHiddenSize},
    {"n_dense_layers", setting::kDenseLayers},
    {"n_routed_experts", setting::kNumExperts},
    {"n_activated_experts", setting::kExpertsPerToken},
    {"n_shared_experts", setting::kSharedExperts},
    {"q_lora_rank", setting::kQueryLoraRank},
    {"kv_lora_rank", setting::kKeyValueLoraRank},
    {"qk_nope_head_dim", setting::kNopeHeadDim},
    {"qk_rope_head_dim", setting::kRopeHeadDim},
    {"v_head_dim", setting::kValueHeadDim},
    {"head_dim", setting::kHeadDim},
    {"vocab_size", setting::kVocabSize},
    {"max_seq_len", setting::kMaxPositions},
    {"multiple_of", setting::kFfnMultipleOf},
    {"ffn_dim_multiplier", setting::kFfnMultiplier},
    {"norm_eps", setting::kNormEpsilon},
    {"rope_theta", setting::kRopeBase},
};

// The example scripts of diffusers and kohya's: the options of their argument parsers. A batch is one device's.
constexpr std::string_view kDiffusersSignature[] = {"center_crop",
                                                    "random_flip",
                                                    "snr_gamma",
                                                    "instance_data_dir",
                                                    "instance_prompt",
                                                    "class_data_dir",
                                                    "class_prompt",
                                                    "prior_loss_weight",
                                                    "num_class_images",
                                                    "with_prior_preservation",
                                                    "validation_prompt",
                                                    "noise_offset",
                                                    "train_text_encoder",
                                                    "num_validation_images",
                                                    "pretrained_model_name_or_path",
                                                    "network_module",
                                                    "enable_bucket",
                                                    "min_snr_gamma",
                                                    "unet_lr",
                                                    "text_encoder_lr",
                                                    "train_data_dir",
                                                    "validation_epochs",
                                                    "resolution",
                                                    "train_batch_size"};

constexpr Term kDiffusersTerms[] = {
    {"train_batch_size", setting::kMicroBatchSize},
    {"max_train_epochs", setting::kTrainEpochs},
    {"adam_weight_decay", setting::kWeightDecay},
    {"pretrained_model_name_or_path", setting::kModel},
    {"dataset_name", setting::kData},
    {"checkpointing_steps", setting::kSaveInterval},
};

}  // namespace

constinit const Vocabulary kNanogptWords{"nanogpt", kNanogptSignature, kNanogptTerms};
constinit const Vocabulary kLlmcWords{"llm.c", {}, kLlmcTerms};
constinit const Vocabulary kLlmcPythonWords{"llm.c-python", kLlmcPythonSignature, kLlmcPythonTerms, nullptr,
                                            nullptr,        kLlmcPythonOwn};
constinit const Vocabulary kNanochatWords{"nanochat", kNanochatSignature, kNanochatTerms};
constinit const Vocabulary kFairseqWords{"fairseq", kFairseqSignature, kFairseqTerms};
constinit const Vocabulary kMindformersWords{"mindformers", kMindformersSignature, kMindformersTerms, &kHfModelWords};
constinit const Vocabulary kMindformersPynativeWords{
    "mindformers-pynative", kMindformersPynativeSignature, kMindformersPynativeTerms, &kHfModelWords, nullptr,
    kMindformersPynativeOwn};
constinit const Vocabulary kMlxWords{"mlx-lm", kMlxSignature, kMlxTerms};
constinit const Vocabulary kAlgoperfWords{"algoperf", kAlgoperfSignature, kAlgoperfTerms};
constinit const Vocabulary kT5xWords{"t5x", kT5xSignature, kT5xTerms};
constinit const Vocabulary kMlperfWords{"mlperf", {}, kMlperfTerms};
constinit const Vocabulary kDiffusersWords{"diffusers", kDiffusersSignature, kDiffusersTerms};
constinit const Vocabulary kLlamaParamsWords{"llama-params", kLlamaParamsSignature, kLlamaParamsTerms};

}  // namespace assay
