#pragma once
// The canonical names of what a run logs. Whatever a framework calls it, rules and reports use these names;
// the aliases of the field are one table (src/core/metric_aliases.cpp).

#include <string_view>

namespace assay::metric {

inline constexpr std::string_view kLoss = "loss";  // training loss, in nats per token where the log lets us know
inline constexpr std::string_view kEvalLoss = "eval_loss";
inline constexpr std::string_view kEvalAccuracy = "eval_accuracy";
inline constexpr std::string_view kEvalPerplexity = "eval_perplexity";
inline constexpr std::string_view kPerplexity = "perplexity";
inline constexpr std::string_view kAccuracy = "accuracy";
inline constexpr std::string_view kGradNorm = "grad_norm";  // global, before clipping, unscaled
inline constexpr std::string_view kParamsNorm = "params_norm";
inline constexpr std::string_view kNumZeros = "num_zeros";
inline constexpr std::string_view kLearningRate = "learning_rate";
inline constexpr std::string_view kLossScale = "loss_scale";
inline constexpr std::string_view kSkippedSteps =
    "skipped_steps";  // as printed: since the last record, or since the start
inline constexpr std::string_view kNanSteps = "nan_steps";
inline constexpr std::string_view kGlobalBatchSize = "global_batch_size";
inline constexpr std::string_view kConsumedSamples = "consumed_samples";
inline constexpr std::string_view kConsumedTokens = "consumed_tokens";
inline constexpr std::string_view kSkippedSamples = "skipped_samples";
inline constexpr std::string_view kTotalSteps = "total_steps";
inline constexpr std::string_view kOptimizerStep = "optimizer_step";  // where the step axis counts micro-steps
inline constexpr std::string_view kEpoch = "epoch";
inline constexpr std::string_view kStepTime = "step_time";     // seconds
inline constexpr std::string_view kThroughput = "throughput";  // in the unit of the series: TFLOP/s as a rule
inline constexpr std::string_view kTokensPerSecond = "tokens_per_second";
inline constexpr std::string_view kSamplesPerSecond = "samples_per_second";
inline constexpr std::string_view kMfu = "mfu";        // per cent
inline constexpr std::string_view kMemory = "memory";  // GiB
inline constexpr std::string_view kReward = "reward";
inline constexpr std::string_view kClipFraction =
    "clip_fraction";                                       // share of steps clipped, as the framework prints it
inline constexpr std::string_view kOverflow = "overflow";  // 1 where the record says that its step overflowed

}  // namespace assay::metric
