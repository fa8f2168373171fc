// Hugging Face's Trainer, what is built on it, and the other trainers that fine-tune: DeepSpeed, Accelerate, TRL,
// LLaMA-Factory, axolotl, PaddleNLP, verl, trlX, Lightning.

#include "assay/setting.h"
#include "format/config/vocabulary_tables.h"

namespace assay {

namespace {

constexpr std::string_view kDeepspeedSignature[] = {
    "train_micro_batch_size_per_gpu",
    "zero_optimization/stage",
    "steps_per_print",
    "wall_clock_breakdown",
    "zero_optimization/overlap_comm",
    "zero_optimization/reduce_bucket_size",
    "zero_allow_untested_optimizer",
    "bf16/enabled",
    "fp16/enabled",
    "fp16/loss_scale_window",
    "fp16/initial_scale_power",
    "optimizer/params/lr",
    "optimizer/type",
    "scheduler/params/warmup_num_steps",
    "scheduler/type",
    "gradient_clipping",
    "train_batch_size",
    "zero_optimization/contiguous_gradients",
    "zero_optimization/offload_optimizer/device",
    "/gradient_accumulation_steps",
};

constexpr Term kDeepspeedTerms[] = {
    {"optimizer/params/lr", setting::kLearningRate},
    {"optimizer/params/learning_rate", setting::kLearningRate},
    {"optimizer/params/betas", "", Form::kBetas},
    {"optimizer/params/eps", setting::kAdamEpsilon},
    {"optimizer/params/weight_decay", setting::kWeightDecay},
    {"optimizer/type", setting::kOptimizer},
    {"scheduler/type", setting::kSchedule},
    {"scheduler/params/warmup_max_lr", setting::kLearningRate},
    {"scheduler/params/warmup_num_steps", setting::kWarmupSteps},
    {"scheduler/params/total_num_steps", setting::kDecaySteps},
    {"scheduler/params/cos_min_ratio", setting::kMinLearningRateFraction},
    {"scheduler/params/warmup_min_lr", setting::kMinLearningRate, Form::kEndOfDecay},
    {"train_batch_size", setting::kGlobalBatchSize},
    {"train_micro_batch_size_per_gpu", setting::kMicroBatchSize},
    {"zero_optimization/stage", setting::kZeroStage},
    {"fp16/enabled", setting::kFp16},
    {"bf16/enabled", setting::kBf16},
    {"bfloat16/enabled", setting::kBf16},
    {"fp16/loss_scale", setting::kLossScale},
    {"fp16/initial_scale_power", setting::kInitialLossScalePower},
    {"fp16/loss_scale_window", setting::kLossScaleWindow},
    {"fp16/min_loss_scale", setting::kMinLossScale},
    {"communication_data_type", setting::kGradReduceDtype},
    {"data_types/grad_accum_dtype", setting::kGradAccumulationDtype},
    {"steps_per_print", setting::kLogInterval},
    {"sequence_parallel_size", setting::kSequenceParallelSize},
    {"tensor_parallel/autotp_size", setting::kTensorParallelSize},
};

constexpr std::string_view kHfTrainerSignature[] = {
    "per_device_train_batch_size",
    "per_device_eval_batch_size",
    "num_train_epochs",
    "lr_scheduler_type",
    "save_total_limit",
    "gradient_checkpointing",
    "logging_steps",
    "eval_steps",
    "save_steps",
    "model_name_or_path",
    "output_dir",
    "report_to",
    "evaluation_strategy",
    "eval_strategy",
    "dataloader_num_workers",
    "warmup_ratio",
    "ddp_timeout",
    "overwrite_output_dir",
    "finetuning_type",
    "cutoff_len",
    "lora_target",
    "torch_dtype",
    "attn_implementation",
    "max_grad_norm",
    "optim",
    "adam_beta1",
    "overwrite_cache",
    "dataset_mixer",
    "remove_unused_columns",
};

constexpr Term kHfTrainerTerms[] = {
    {"warmup_steps", setting::kWarmupSteps, Form::kStepsOrFraction},
    {"warmup_ratio", setting::kWarmupFraction},
    {"per_device_train_batch_size", setting::kMicroBatchSize},
    {"per_gpu_train_batch_size", setting::kMicroBatchSize},
    {"train_batch_size", setting::kMicroBatchSize},  // of trainer_state.json and TrainingArguments: per device
    {"deepspeed/train_batch_size", setting::kGlobalBatchSize},
    {"gradient_accumulation_steps", setting::kGradientAccumulation},
    {"eval_accumulation_steps", "", Form::kNoSetting},
    {"max_steps", setting::kTrainSteps},
    {"num_train_epochs", setting::kTrainEpochs},
    {"lr_scheduler_kwargs/min_lr", setting::kMinLearningRate},
    {"lr_scheduler_kwargs/min_lr_rate", setting::kMinLearningRateFraction},
    {"lr_scheduler_type", setting::kSchedule},
    {"min_learning_rate", setting::kMinLearningRate},
    {"max_length", setting::kSequenceLength, Form::kTrainedLength},
    {"max_seq_length", setting::kSequenceLength},
    {"max_seq_len", setting::kSequenceLength},
    {"cutoff_len", setting::kSequenceLength},
    {"block_size", setting::kSequenceLength},
    {"model_max_length", setting::kSequenceLength},  // of programs that cut or fill their texts to it
    {"loss_scale", "", Form::kNoSetting},            // ms-swift: weights of the loss by parts of a conversation
    {"fp16/loss_scale", setting::kLossScale},
    {"num_iterations", "", Form::kNoSetting},  // how often a batch of answers is used
    {"max_prompt_length", "", Form::kNoSetting},
    {"max_completion_length", "", Form::kNoSetting},
    {"data_seed", "", Form::kNoSetting},
    {"tf32", setting::kTf32},
    {"pure_bf16", setting::kBf16},
    {"fsdp", setting::kZeroStage, Form::kSharding},
    {"logging_steps", setting::kLogInterval, Form::kIntervalOrFraction},
    {"save_steps", setting::kSaveInterval, Form::kIntervalOrFraction},
    {"eval_steps", setting::kEvalInterval, Form::kIntervalOrFraction},
    {"model_name_or_path", setting::kModel},
    {"torch_dtype", setting::kParamsDtype},
    {"dataset_name", setting::kData},
    {"dataset", setting::kData},
    {"finetuning_type", setting::kFineTuning},
    {"resume_from_checkpoint", setting::kResumeFrom},
    {"tensor_parallel_size", setting::kTensorParallelSize},
    {"vllm_tensor_parallel_size", "", Form::kNoSetting},
    {"label_smoothing_factor", "label_smoothing_factor"},
};

constexpr std::string_view kAccelerateSignature[] = {
    "compute_environment",
    "distributed_type",
    "num_processes",
    "num_machines",
    "machine_rank",
    "main_process_ip",
    "main_training_function",
    "downcast_bf16",
    "rdzv_backend",
    "same_network",
    "fsdp_config/fsdp_sharding_strategy",
    "deepspeed_config/zero_stage",
    "use_cpu",
};

constexpr Term kAccelerateTerms[] = {
    {"num_processes", setting::kWorldSize},
    {"num_machines", setting::kNodes},
    {"mixed_precision", setting::kPrecision},
    {"deepspeed_config/zero_stage", setting::kZeroStage},
    {"deepspeed_config/gradient_accumulation_steps", setting::kGradientAccumulation},
    {"deepspeed_config/gradient_clipping", setting::kClipNorm},
    {"fsdp_config/fsdp_sharding_strategy", setting::kZeroStage, Form::kSharding},
    {"parallelism_config_dp_replicate_size", setting::kDataParallelReplicas},
    {"parallelism_config_dp_shard_size", setting::kDataParallelShards},
    {"parallelism_config_tp_size", setting::kTensorParallelSize},
    {"parallelism_config_cp_size", setting::kContextParallelSize},
};

constexpr std::string_view kAxolotlSignature[] = {
    "base_model",
    "sequence_len",
    "sample_packing",
    "num_epochs",
    "val_set_size",
    "special_tokens/pad_token",
    "dataset_prepared_path",
    "pad_to_sequence_len",
    "train_on_inputs",
    "group_by_length",
    "lora_model_dir",
    "datasets/0/path",
    "datasets/0/type",
    "saves_per_epoch",
    "evals_per_epoch",
    "lora_target_linear",
    "dp_shard_size",
};

constexpr Term kAxolotlTerms[] = {
    {"base_model", setting::kModel},
    {"float16", setting::kFp16},
    {"bfloat16", setting::kBf16},
    {"micro_batch_size", setting::kMicroBatchSize},
    {"eval_batch_size", "", Form::kNoSetting},
    {"num_epochs", setting::kTrainEpochs},
    {"sequence_len", setting::kSequenceLength},
    {"lr_scheduler", setting::kSchedule},
    {"optimizer", setting::kOptimizer},
    {"cosine_min_lr_ratio", setting::kMinLearningRateFraction},
    {"adapter", setting::kFineTuning},
    {"tensor_parallel_size", setting::kTensorParallelSize},
    {"context_parallel_size", setting::kContextParallelSize},
    {"fsdp_config/fsdp_sharding_strategy", setting::kZeroStage, Form::kSharding},
    {"datasets/0/path", setting::kData},
    {"dp_shard_size", setting::kDataParallelShards},
    {"dp_replicate_size", setting::kDataParallelReplicas},
};

// What DeepSpeed prints of itself, `[config.py:1001:print]   world_size ... 4`: flat, and the world is its own, the
// ranks that share the data.
constexpr Term kDeepspeedDumpTerms[] = {
    {"world_size", setting::kDataParallelSize},
    {"optimizer_name", setting::kOptimizer},
    {"scheduler_name", setting::kSchedule},
    {"initial_dynamic_scale", setting::kInitialLossScale},
    {"optimizer_params/lr", setting::kLearningRate},
    {"optimizer_params/betas", "", Form::kBetas},
    {"optimizer_params/eps", setting::kAdamEpsilon},
    {"optimizer_params/weight_decay", setting::kWeightDecay},
    {"scheduler_params/warmup_max_lr", setting::kLearningRate},
    {"scheduler_params/warmup_num_steps", setting::kWarmupSteps},
    {"scheduler_params/total_num_steps", setting::kDecaySteps},
    {"zero_config/stage", setting::kZeroStage},
    {"dump_state", "", Form::kNoSetting},
};

constexpr std::string_view kPaddleSignature[] = {
    "tensor_parallel_degree",
    "pipeline_parallel_degree",
    "sharding_parallel_degree",
    "sharding",
    "fp16_opt_level",
    "unified_checkpoint",
    "virtual_pp_degree",
    "use_fused_rms_norm",
    "amp_master_grad",
    "scale_loss",
    "continue_training",
    "min_learning_rate",
    "src_length",
    "dataset_name_or_path",
    "tensor_parallel_output",
    "sep_parallel_degree",
};

constexpr Term kPaddleTerms[] = {
    {"tensor_parallel_degree", setting::kTensorParallelSize},
    {"pipeline_parallel_degree", setting::kPipelineParallelSize},
    {"context_parallel_degree", setting::kContextParallelSize},
    {"sep_parallel_degree", setting::kSequenceParallelSize},
    {"sharding", setting::kZeroStage, Form::kSharding},
    {"scale_loss", setting::kInitialLossScale},
    {"decay_steps", setting::kDecaySteps},
    {"dataset_name_or_path", setting::kData},
    {"input_dir", setting::kData},
};

constexpr std::string_view kVerlSignature[] = {
    "actor_rollout_ref/actor/optim/lr",
    "actor_rollout_ref/actor/ppo_mini_batch_size",
    "actor_rollout_ref/actor/ppo_micro_batch_size_per_gpu",
    "actor_rollout_ref/actor/ppo_micro_batch_size",
    "actor_rollout_ref/rollout/name",
    "actor_rollout_ref/rollout/n",
    "actor_rollout_ref/model/path",
    "algorithm/adv_estimator",
    "trainer/n_gpus_per_node",
    "trainer/total_epochs",
    "trainer/nnodes",
    "trainer/project_name",
    "trainer/experiment_name",
    "trainer/logger",
    "data/train_batch_size",
    "data/train_files",
    "data/val_files",
    "data/max_prompt_length",
    "data/max_response_length",
    "trainer/total_training_steps",
    "trainer/test_freq",
    "actor/optim/lr",
    "model/partial_pretrain",
    "data/micro_batch_size_per_gpu",
    "data/micro_batch_size",
    "optim/warmup_steps_ratio",
    "trainer/default_local_dir",
    "data/prompt_key",
};

// Batches are counted in prompts. The actor is what is trained; critic, reference and rollout are other matters.
constexpr Term kVerlTerms[] = {
    {"actor/optim/lr", setting::kLearningRate},
    {"actor/optim/lr_warmup_steps", setting::kWarmupSteps},
    {"actor/optim/lr_warmup_steps_ratio", setting::kWarmupFraction},
    {"actor/optim/weight_decay", setting::kWeightDecay},
    {"actor/optim/betas", "", Form::kBetas},
    {"actor/optim/clip_grad", setting::kClipNorm},
    {"actor/optim/min_lr_ratio", setting::kMinLearningRateFraction},
    {"actor/optim/total_training_steps", "", Form::kNoSetting},
    {"actor/grad_clip", setting::kClipNorm},
    {"actor/clip_grad", setting::kClipNorm},
    {"actor/ppo_micro_batch_size_per_gpu", setting::kMicroBatchSize},
    {"actor/ppo_micro_batch_size", "", Form::kNoSetting},  // over all ranks in early versions
    {"actor/ulysses_sequence_parallel_size", setting::kSequenceParallelSize},
    {"actor/megatron/tensor_model_parallel_size", setting::kTensorParallelSize},
    {"actor/megatron/pipeline_model_parallel_size", setting::kPipelineParallelSize},
    {"actor_rollout_ref/model/path", setting::kModel},
    {"actor/fsdp_config/model_dtype", setting::kWeightsDtype},
    {"/model/fsdp_config/model_dtype", setting::kWeightsDtype},
    {"data/train_batch_size", setting::kGlobalBatchSize},
    {"data/micro_batch_size_per_gpu", setting::kMicroBatchSize},
    {"data/micro_batch_size", setting::kMicroBatchSize},
    {"data/max_length", setting::kSequenceLength},
    {"data/train_files", setting::kData},
    {"/optim/lr", setting::kLearningRate},
    {"/optim/betas", "", Form::kBetas},
    {"/optim/weight_decay", setting::kWeightDecay},
    {"/optim/warmup_steps_ratio", setting::kWarmupFraction},
    {"/optim/lr_warmup_steps_ratio", setting::kWarmupFraction},
    {"/optim/clip_grad", setting::kClipNorm},
    {"/model/partial_pretrain", setting::kModel},
    {"trainer/n_gpus_per_node", setting::kDevicesPerNode},
    {"trainer/nnodes", setting::kNodes},
    {"trainer/total_epochs", setting::kTrainEpochs},
    {"trainer/total_training_steps", setting::kTrainSteps},
    {"trainer/save_freq", setting::kSaveInterval},
    {"trainer/test_freq", setting::kEvalInterval},
    {"tensor_model_parallel_size", "", Form::kNoSetting},  // of the rollout
};

constexpr std::string_view kOpenRlhfSignature[] = {
    "micro_train_batch_size",
    "micro_rollout_batch_size",
    "rollout_batch_size",
    "prompt_max_len",
    "generate_max_len",
    "actor_learning_rate",
    "critic_learning_rate",
    "chosen_key",
    "rejected_key",
    "input_key",
    "apply_chat_template",
    "packing_samples",
    "adam_offload",
    "init_kl_coef",
    "ref_num_gpus_per_node",
    "actor_num_gpus_per_node",
    "reward_pretrain",
    "param_dtype",
    "save_path",
};

constexpr Term kOpenRlhfTerms[] = {
    {"train_batch_size", setting::kGlobalBatchSize},
    {"micro_train_batch_size", setting::kMicroBatchSize},
    {"actor_learning_rate", setting::kLearningRate},
    {"critic_learning_rate", "", Form::kNoSetting},
    {"actor_weight_decay", setting::kWeightDecay},
    {"critic_weight_decay", "", Form::kNoSetting},
    {"max_norm", setting::kClipNorm},
    {"max_len", setting::kSequenceLength},
    {"prompt_max_len", "", Form::kNoSetting},
    {"max_epochs", setting::kTrainEpochs},
    {"zero_stage", setting::kZeroStage},
    {"lr_warmup_ratio", setting::kWarmupFraction},
    {"lr_scheduler", setting::kSchedule},
    {"adam_betas", "", Form::kBetas},
    {"l2", setting::kWeightDecay},
    {"param_dtype", setting::kPrecision},
    {"pretrain", setting::kModel},
    {"dataset", setting::kData},
    {"prompt_data", setting::kData},
    {"ring_attn_size", setting::kContextParallelSize},
    {"ds_tensor_parallel_size", setting::kTensorParallelSize},
};

constexpr std::string_view kTrlxSignature[] = {
    "train/lr_init",      "train/lr_target",  "train/opt_betas",   "train/opt_eps",       "model/num_layers_unfrozen",
    "train/orchestrator", "train/pipeline",   "method/ppo_epochs", "method/num_rollouts", "train/total_steps",
    "method/name",        "train/seq_length",
};

constexpr Term kTrlxTerms[] = {
    {"train/lr_init", setting::kLearningRate},       {"train/lr_target", setting::kMinLearningRate},
    {"train/opt_betas", "", Form::kBetas},           {"train/opt_eps", setting::kAdamEpsilon},
    {"train/batch_size", setting::kMicroBatchSize},  {"train/total_steps", setting::kTrainSteps},
    {"train/epochs", setting::kTrainEpochs},         {"train/seq_length", setting::kSequenceLength},
    {"optimizer/kwargs/lr", setting::kLearningRate}, {"optimizer/kwargs/betas", "", Form::kBetas},
    {"optimizer/kwargs/eps", setting::kAdamEpsilon}, {"optimizer/kwargs/weight_decay", setting::kWeightDecay},
    {"optimizer/name", setting::kOptimizer},         {"checkpoint_interval", setting::kSaveInterval},
    {"eval_interval", setting::kEvalInterval},       {"num_layers_unfrozen", "", Form::kNoSetting},
};

constexpr std::string_view kLightningSignature[] = {
    "trainer/max_epochs",
    "trainer/accumulate_grad_batches",
    "trainer/gradient_clip_val",
    "trainer/precision",
    "trainer/devices",
    "trainer/accelerator",
    "trainer/strategy",
    "trainer/max_steps",
    "max_epochs",
    "accumulate_grad_batches",
    "gradient_clip_val",
    "check_val_every_n_epoch",
    "seed_everything",
    "num_nodes",
};

constexpr Term kLightningTerms[] = {
    {"accumulate_grad_batches", setting::kGradientAccumulation},
    {"gradient_clip_val", setting::kClipNorm},
    {"precision", setting::kPrecision},
    {"max_epochs", setting::kTrainEpochs},
    {"max_steps", setting::kTrainSteps},
    {"devices", setting::kDevicesPerNode},
    {"gpus", setting::kDevicesPerNode},
    {"num_nodes", setting::kNodes},
    {"seed_everything", setting::kSeed},
    {"batch_size", setting::kMicroBatchSize},
    {"optimizer/init_args/lr", setting::kLearningRate},
    {"optimizer/init_args/betas", "", Form::kBetas},
    {"optimizer/init_args/weight_decay", setting::kWeightDecay},
    {"optimizer/class_path", setting::kOptimizer},
    {"log_every_n_steps", setting::kLogInterval},
    {"val_check_interval", setting::kEvalInterval, Form::kIntervalOrFraction},
};

constexpr std::string_view kLevanterSignature[] = {
    "trainer/mp",         "trainer/train_batch_size",     "trainer/num_train_steps", "trainer/fsdp_axis",
    "trainer/batch_axis", "trainer/tensor_parallel_axes", "initialize_from_hf",      "trainer/steps_per_eval",
};

constexpr Term kLevanterTerms[] = {
    {"trainer/mp", setting::kPrecision},
    {"trainer/train_batch_size", setting::kGlobalBatchSize},
    {"trainer/num_train_steps", setting::kTrainSteps},
    {"trainer/steps_per_eval", setting::kEvalInterval},
    {"optimizer/min_lr_ratio", setting::kMinLearningRateFraction},
    {"optimizer/warmup", setting::kWarmupSteps, Form::kStepsOrFraction},
    {"trainer/model_axis_size", setting::kTensorParallelSize},
    {"initialize_from_hf", setting::kFineTuning},
    {"model/type", setting::kModelType},
    {"model/seq_len", setting::kSequenceLength},
    {"model/hidden_dim", setting::kHiddenSize},
    {"model/intermediate_dim", setting::kFfnHiddenSize},
    {"model/num_heads", setting::kNumAttentionHeads},
    {"model/num_kv_heads", setting::kNumKeyValueHeads},
};

constexpr std::string_view kTorchtuneSignature[] = {
    "model/_component_",        "tokenizer/_component_",     "checkpointer/_component_",
    "optimizer/_component_",    "loss/_component_",          "dataset/_component_",
    "lr_scheduler/_component_", "metric_logger/_component_", "max_steps_per_epoch",
};

constexpr Term kTorchtuneTerms[] = {
    {"model/_component_", setting::kModel},
    {"optimizer/_component_", setting::kOptimizer},
    {"lr_scheduler/_component_", setting::kSchedule},
    {"dataset/_component_", setting::kData},
    {"tokenizer/path", setting::kTokenizer},
    {"tokenizer/max_seq_len", setting::kSequenceLength},
    {"clip_grad_norm", setting::kClipNorm},
    {"dtype", setting::kPrecision},
    {"max_steps_per_epoch", "max_steps_per_epoch"},
    {"tensor_parallel_dim", setting::kTensorParallelSize},
    {"log_every_n_steps", setting::kLogInterval},
    {"num_steps", "", Form::kNoSetting},  // of the environment
    {"ppo_batch_size", setting::kGlobalBatchSize},
    {"batch_size", setting::kMicroBatchSize, Form::kUnlessBeside, "ppo_batch_size"},
};

}  // namespace

constinit const Vocabulary kDeepspeedWords{"deepspeed", kDeepspeedSignature, kDeepspeedTerms, &kHfModelWords};
constinit const Vocabulary kDeepspeedDumpWords{"deepspeed", {}, kDeepspeedDumpTerms, &kDeepspeedWords};
constinit const Vocabulary kHfTrainerWords{"hf-trainer", kHfTrainerSignature, kHfTrainerTerms, &kDeepspeedWords,
                                           &kDeepspeedWords};
constinit const Vocabulary kAccelerateWords{"accelerate", kAccelerateSignature, kAccelerateTerms, &kHfTrainerWords};
constinit const Vocabulary kAxolotlWords{"axolotl", kAxolotlSignature, kAxolotlTerms, &kHfTrainerWords,
                                         &kHfTrainerWords};
constinit const Vocabulary kPaddleWords{"paddle", kPaddleSignature, kPaddleTerms, &kHfTrainerWords, &kHfTrainerWords};
constinit const Vocabulary kVerlWords{"verl", kVerlSignature, kVerlTerms};
constinit const Vocabulary kOpenRlhfWords{"openrlhf", kOpenRlhfSignature, kOpenRlhfTerms, &kHfTrainerWords,
                                          &kHfTrainerWords};
constinit const Vocabulary kTrlxWords{"trlx", kTrlxSignature, kTrlxTerms};
constinit const Vocabulary kLightningWords{"lightning", kLightningSignature, kLightningTerms};
constinit const Vocabulary kLevanterWords{"levanter", kLevanterSignature, kLevanterTerms};
constinit const Vocabulary kTorchtuneWords{"torchtune", kTorchtuneSignature, kTorchtuneTerms};

}  // namespace assay
