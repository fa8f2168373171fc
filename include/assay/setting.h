#pragma once
// The canonical names of what a configuration sets. Whatever a framework calls it, rules and reports use these names;
// the words of the frameworks are tables of data (src/format/config/vocabulary_*.cpp).
//
// A name carries its unit, because frameworks count the same thing in different ones: a warm-up of 0.01 is a share of
// the run, of the decay, or of an epoch, and each has a name of its own.

#include <string_view>

namespace assay::setting {

// The value of a setting that is left to the program. Config::find passes it over, so that another source may say it.
inline constexpr std::string_view kAutomatic = "auto";

inline constexpr std::string_view kFramework = "framework";  // whose words the source speaks; `written`: one of them

// Optimizer and schedule.
inline constexpr std::string_view kOptimizer = "optimizer";
inline constexpr std::string_view kLearningRate = "learning_rate";  // the peak
inline constexpr std::string_view kMinLearningRate = "min_learning_rate";
inline constexpr std::string_view kMinLearningRateFraction = "min_learning_rate_fraction";  // of the peak
inline constexpr std::string_view kSchedule = "schedule";  // "cosine", "linear", "WSD", … as written
inline constexpr std::string_view kWarmupSteps = "warmup_steps";
inline constexpr std::string_view kWarmupSamples = "warmup_samples";
inline constexpr std::string_view kWarmupTokens = "warmup_tokens";
inline constexpr std::string_view kWarmupFraction = "warmup_fraction";                  // of the run
inline constexpr std::string_view kWarmupFractionOfDecay = "warmup_fraction_of_decay";  // Megatron, GPT-NeoX
inline constexpr std::string_view kWarmupFractionOfEpoch = "warmup_fraction_of_epoch";  // litgpt
inline constexpr std::string_view kDecaySteps = "decay_steps";  // the step at which the schedule has come to its end
inline constexpr std::string_view kDecaySamples = "decay_samples";
inline constexpr std::string_view kDecayTokens = "decay_tokens";
inline constexpr std::string_view kAdamBeta1 = "adam_beta1";
inline constexpr std::string_view kAdamBeta2 = "adam_beta2";
inline constexpr std::string_view kAdamEpsilon = "adam_epsilon";
inline constexpr std::string_view kWeightDecay = "weight_decay";
inline constexpr std::string_view kClipNorm = "clip_norm";  // 0: off
inline constexpr std::string_view kClipValue = "clip_value";
inline constexpr std::string_view kSeed = "seed";

// Batch and length.
inline constexpr std::string_view kMicroBatchSize = "micro_batch_size";  // sequences in one forward pass of one rank
inline constexpr std::string_view kMicroBatchTokens = "micro_batch_tokens";
inline constexpr std::string_view kGradientAccumulation = "gradient_accumulation_steps";
inline constexpr std::string_view kGlobalBatchSize = "global_batch_size";  // sequences in one step of the optimizer
inline constexpr std::string_view kGlobalBatchTokens = "global_batch_tokens";
inline constexpr std::string_view kBatchRampup = "batch_size_rampup";      // Megatron: first size, increment, samples
inline constexpr std::string_view kMicroBatchCount = "micro_batch_count";  // of a pipeline (MindFormers)
inline constexpr std::string_view kBatchInterleave = "batch_interleave";   // MindFormers
inline constexpr std::string_view kSequenceLength = "sequence_length";
inline constexpr std::string_view kTrainSteps = "train_steps";  // of the optimizer
inline constexpr std::string_view kTrainSamples = "train_samples";
inline constexpr std::string_view kTrainTokens = "train_tokens";
inline constexpr std::string_view kTokensPerStep = "tokens_per_step";
inline constexpr std::string_view kTrainEpochs = "train_epochs";
inline constexpr std::string_view kNumExamples = "num_examples";  // of the training set

// Parallelism.
inline constexpr std::string_view kWorldSize = "world_size";
inline constexpr std::string_view kNodes = "nodes";
inline constexpr std::string_view kDevicesPerNode = "devices_per_node";
inline constexpr std::string_view kDataParallelSize = "data_parallel_size";
inline constexpr std::string_view kDataParallelReplicas = "data_parallel_replicas";  // of a copy that is sharded
inline constexpr std::string_view kDataParallelShards = "data_parallel_shards";      // over which one copy is split
inline constexpr std::string_view kTensorParallelSize = "tensor_parallel_size";
inline constexpr std::string_view kPipelineParallelSize = "pipeline_parallel_size";
inline constexpr std::string_view kContextParallelSize = "context_parallel_size";
inline constexpr std::string_view kSequenceParallelSize = "sequence_parallel_size";  // DeepSpeed-Ulysses
inline constexpr std::string_view kExpertParallelSize = "expert_parallel_size";
inline constexpr std::string_view kExpertTensorParallelSize = "expert_tensor_parallel_size";
inline constexpr std::string_view kZeroStage = "zero_stage";

// Precision.
inline constexpr std::string_view kPrecision = "precision";  // "bf16-mixed", "fp32", … as written
inline constexpr std::string_view kFp16 = "fp16";
inline constexpr std::string_view kBf16 = "bf16";
inline constexpr std::string_view kFp8 = "fp8";
inline constexpr std::string_view kTf32 = "tf32";
inline constexpr std::string_view kParamsDtype = "params_dtype";
inline constexpr std::string_view kWeightsDtype = "weights_dtype";  // of the weights that the optimizer changes
inline constexpr std::string_view kSoftmaxDtype = "softmax_dtype";
inline constexpr std::string_view kNormDtype = "norm_dtype";              // in which layer norm or RMS norm calculates
inline constexpr std::string_view kHf32 = "hf32";                         // Ascend: inputs of matrix units in 12 bits
inline constexpr std::string_view kMatmulPrecision = "matmul_precision";  // "highest", "high", "medium": of fp32 inputs
inline constexpr std::string_view kDeterministic = "deterministic";       // asked of all operators
inline constexpr std::string_view kGradReduceDtype = "grad_reduce_dtype";
inline constexpr std::string_view kGradAccumulationDtype = "grad_accumulation_dtype";
inline constexpr std::string_view kLossScale = "loss_scale";  // 0 or unset: dynamic
inline constexpr std::string_view kInitialLossScale = "initial_loss_scale";
inline constexpr std::string_view kInitialLossScalePower = "initial_loss_scale_power";
inline constexpr std::string_view kLossScaleWindow = "loss_scale_window";
inline constexpr std::string_view kMinLossScale = "min_loss_scale";
inline constexpr std::string_view kHysteresis = "hysteresis";

// Model.
inline constexpr std::string_view kModel = "model";  // a name or path
inline constexpr std::string_view kModelType = "model_type";
inline constexpr std::string_view kNumLayers = "num_layers";
inline constexpr std::string_view kHiddenSize = "hidden_size";
inline constexpr std::string_view kFfnHiddenSize = "ffn_hidden_size";
inline constexpr std::string_view kNumAttentionHeads = "num_attention_heads";
inline constexpr std::string_view kNumKeyValueHeads = "num_key_value_heads";
inline constexpr std::string_view kHeadDim = "head_dim";
inline constexpr std::string_view kVocabSize = "vocab_size";
inline constexpr std::string_view kPaddedVocabSize = "padded_vocab_size";
inline constexpr std::string_view kVocabDivisor = "vocab_divisor";
inline constexpr std::string_view kMaxPositions = "max_position_embeddings";
inline constexpr std::string_view kTiedEmbeddings = "tied_embeddings";
inline constexpr std::string_view kNumExperts = "num_experts";
inline constexpr std::string_view kExpertsPerToken = "experts_per_token";
inline constexpr std::string_view kMoeFfnHiddenSize = "moe_ffn_hidden_size";
inline constexpr std::string_view kSharedExperts = "shared_experts";
inline constexpr std::string_view kDenseLayers = "dense_layers";                  // the first ones, without experts
inline constexpr std::string_view kDenseFfnHiddenSize = "dense_ffn_hidden_size";  // where layers with experts differ
inline constexpr std::string_view kSharedExpertFfnHiddenSize = "shared_expert_ffn_hidden_size";  // of all of them
inline constexpr std::string_view kMlpRatio = "mlp_ratio";                                       // FFN over hidden
inline constexpr std::string_view kFfnMultipleOf = "ffn_multiple_of";  // LLaMA: the FFN is rounded up to it
inline constexpr std::string_view kFfnMultiplier = "ffn_multiplier";
inline constexpr std::string_view kGatedMlp = "gated_mlp";      // SwiGLU and its like: three matrices
inline constexpr std::string_view kLinearBias = "linear_bias";  // of all linear layers
inline constexpr std::string_view kQkvBias = "qkv_bias";
inline constexpr std::string_view kQkNorm = "qk_norm";
inline constexpr std::string_view kNormalization = "normalization";  // "RMSNorm", "LayerNorm", … as written
inline constexpr std::string_view kEmbeddingNorm = "embedding_norm";
inline constexpr std::string_view kPositionEmbedding = "position_embedding";  // "rope", "learned_absolute", "alibi"
inline constexpr std::string_view kQueryLoraRank = "query_lora_rank";         // latent attention (MLA)
inline constexpr std::string_view kKeyValueLoraRank = "key_value_lora_rank";
inline constexpr std::string_view kNopeHeadDim = "nope_head_dim";
inline constexpr std::string_view kRopeHeadDim = "rope_head_dim";
inline constexpr std::string_view kValueHeadDim = "value_head_dim";
inline constexpr std::string_view kNormEpsilon = "norm_epsilon";
inline constexpr std::string_view kRopeBase = "rope_base";
inline constexpr std::string_view kDropout = "dropout";
inline constexpr std::string_view kAttentionDropout = "attention_dropout";
inline constexpr std::string_view kInitStd = "init_std";
inline constexpr std::string_view kTrainableParameters = "trainable_parameters";
inline constexpr std::string_view kParameters = "parameters";               // of the whole model
inline constexpr std::string_view kActiveParameters = "active_parameters";  // that a token meets, of experts

// Data and the rest.
inline constexpr std::string_view kData = "data";
inline constexpr std::string_view kTokenizer = "tokenizer";
inline constexpr std::string_view kNumWorkers = "num_workers";
inline constexpr std::string_view kSaveInterval = "save_interval";
inline constexpr std::string_view kEvalInterval = "eval_interval";
inline constexpr std::string_view kLogInterval = "log_interval";
inline constexpr std::string_view kFineTuning = "fine_tuning";  // adapters, a method, a model to start from
inline constexpr std::string_view kResumeFrom = "resume_from";

}  // namespace assay::setting
