#include "core/metric_names.h"

#include <gtest/gtest.h>

#include "assay/metric.h"

namespace assay {
namespace {

std::string_view metric_of(std::string_view key) {
  const auto found = meaning_of(key);
  return found && found->role == KeyRole::kMetric ? found->metric : std::string_view{};
}

TEST(MetricNames, SpellingDoesNotMatter) {
  EXPECT_EQ(normalise_key("LM_Loss"), "lmloss");
  EXPECT_EQ(normalise_key(" 'lm-loss' "), "lmloss");
  EXPECT_EQ(normalise_key("elapsed time per iteration (ms)"), "elapsedtimeperiteration(ms)");
  for (const char* key : {"lm loss", "lm-loss", "LM_Loss", "lm_loss", "loss", "train_loss", "train/loss", "Train loss",
                          "training loss", "reduced_train_loss", "train/CrossEntropyLoss", "train/CE loss",
                          "loss/train/total", "Batch Loss", "loss train"}) {
    EXPECT_EQ(metric_of(key), metric::kLoss) << key;
  }
}

TEST(MetricNames, EvaluationIsNotTraining) {
  for (const char* key : {"eval_loss", "val_loss", "valid loss", "validation loss", "eval/loss", "test_loss",
                          "lm loss value", "Val loss", "loss/val", "dev_loss", "valid_loss"}) {
    EXPECT_EQ(metric_of(key), metric::kEvalLoss) << key;
  }
  EXPECT_EQ(metric_of("eval_accuracy"), metric::kEvalAccuracy);
  EXPECT_EQ(metric_of("valid_ppl"), metric::kEvalPerplexity);
  EXPECT_EQ(metric_of("lm loss PPL"), metric::kEvalPerplexity);
  EXPECT_EQ(meaning_of("eval_runtime")->role, KeyRole::kIgnored);
  EXPECT_EQ(meaning_of("eval_samples_per_second")->role, KeyRole::kIgnored);
}

struct Named {
  const char* key;
  std::string_view metric;
};

TEST(MetricNames, WhatFrameworksWriteIntoEventFiles) {
  const Named names[] = {
      {"Train/Samples/train_loss", metric::kLoss},
      {"Train/Samples/lr", metric::kLearningRate},
      {"Train/Samples/loss_scale", metric::kLossScale},
      {"learning/loss", metric::kLoss},
      {"learning/lm_loss", metric::kLoss},
      {"learning/grad_norm", metric::kGradNorm},
      {"learning/raw_grad_norm", metric::kGradNorm},
      {"learning/param_norm", metric::kParamsNorm},
      {"learning/current_learning_rate", metric::kLearningRate},
      {"perf/step_time_seconds", metric::kStepTime},
      {"perf/per_device_tokens_per_sec", metric::kTokensPerSecond},
      {"perf/per_device_tflops_per_sec", metric::kThroughput},
      {"eval/avg_loss", metric::kEvalLoss},
      {"loss/out", metric::kLoss},
      {"optim/grad_norm", metric::kGradNorm},
      {"optim/lr", metric::kLearningRate},
      {"speed/wps", metric::kTokensPerSecond},
      {"grad/norm/total", metric::kGradNorm},
      {"params/norm/total", metric::kParamsNorm},
      {"optim/learning_rate", metric::kLearningRate},
      {"throughput/tokens_per_second", metric::kTokensPerSecond},
      {"throughput/duration", metric::kStepTime},
      {"training_loss", metric::kLoss},
      {"l2_grads", metric::kGradNorm},
      {"l2_params", metric::kParamsNorm},
      {"loss_metrics/global_avg_loss", metric::kLoss},
      {"validation_metrics/loss", metric::kEvalLoss},
      {"throughput(tps)", metric::kTokensPerSecond},
      {"time_metrics/end_to_end(s)", metric::kStepTime},
      {"memory/max_reserved(GiB)", metric::kMemory},
      {"runtime/iteration_time", metric::kStepTime},
      {"runtime/samples_per_sec", metric::kSamplesPerSecond},
      {"runtime/flops_per_sec_per_gpu", metric::kThroughput},
      {"train/lm_loss", metric::kLoss},
      {"validation/lm_loss", metric::kEvalLoss},
      {"validation/lm_loss_ppl", metric::kEvalPerplexity},
      {"throughput/tokens_per_sec", metric::kTokensPerSecond},
      {"throughput/device/tokens_per_sec", metric::kTokensPerSecond},
      {"metrics/train/LanguageCrossEntropy", metric::kLoss},
      {"metrics/train/LanguagePerplexity", metric::kPerplexity},
      {"optim/total_grad_norm", metric::kGradNorm},
      {"optim/LR (group 0)", metric::kLearningRate},
      {"tflops_per_sec_per_gpu", metric::kThroughput},
      {"perf/throughput", metric::kTokensPerSecond},
      {"Grad/norm", metric::kGradNorm},
      {"grad_norm/0_default", metric::kGradNorm},
      {"grad_2.0_norm_total", metric::kGradNorm},
      {"tgs/last_tgs_1", metric::kTokensPerSecond},
      {"img/sec/core", metric::kSamplesPerSecond},
      {"lr-AdamW", metric::kLearningRate},
      {"lr-Adam/pg1", metric::kLearningRate},
      {"lr-DecoupledLionW/group0", metric::kLearningRate},
      {"Train_Samples_train_loss", metric::kLoss},
      {"训练/损失", metric::kLoss},
      {"训练/学习率", metric::kLearningRate},
      {"验证/损失", metric::kEvalLoss},
      {"损失/验证集", metric::kEvalLoss},
  };
  for (const Named& one : names) EXPECT_EQ(metric_of(one.key), one.metric) << one.key;
  EXPECT_LT(meaning_of("learning/raw_grad_norm")->rank, meaning_of("learning/grad_norm")->rank);  // before clipping
}

TEST(MetricNames, NamesOfOtherThingsHaveNoMeaning) {
  for (const char* key : {"train/scale", "learning/total_weights", "learning/moe_lb_loss", "learning/mtp_loss",
                          "Train/Eigenvalues/ModelBlockParam_0", "time_metrics/data_loading(s)", "critic/vf_loss",
                          "lr-AdamW/pg2", "lr-of-layer", "lr-AdamW-momentum", "perf/per_device_tokens", "l2_updates",
                          "grad/norm/layers/0", "optim/clipping_rate"}) {
    EXPECT_FALSE(meaning_of(key).has_value()) << key;
  }
  EXPECT_EQ(metric_of("scale"), metric::kLossScale);
  EXPECT_EQ(metric_of("train/loss_scale"), metric::kLossScale);
}

TEST(MetricNames, UnitsAtTheEndOfANameGiveTheFactor) {
  EXPECT_DOUBLE_EQ(meaning_of("perf/step_time_seconds")->factor, 1);
  EXPECT_DOUBLE_EQ(meaning_of("iteration_time_ms")->factor, 1e-3);
  EXPECT_DOUBLE_EQ(meaning_of("step_time_us")->factor, 1e-6);
  EXPECT_DOUBLE_EQ(meaning_of("max_memory_allocated_mb")->factor, 1.0 / 1024);
  EXPECT_DOUBLE_EQ(meaning_of("peak_mem_bytes")->factor, 1.0 / (1024.0 * 1024 * 1024));
  EXPECT_DOUBLE_EQ(meaning_of("runtime/flops_per_sec_per_gpu")->factor, 1e-12);
  for (const char* key : {"loss_ms", "lr_s", "grad_norm_seconds", "steps_ms", "train_time_s"}) {
    EXPECT_EQ(metric_of(key), "") << key;
  }
}

TEST(MetricNames, WhatIsNotTheMainQuantityHasNoMeaning) {
  for (const char* key : {"value_loss", "z_loss", "mtp_1 loss", "load_balancing_loss", "critic/grad_norm", "critic/lr",
                          "overflow_expert1", "nan_count", "decoupled learning rate", "actor/kl_loss", "", "(ms)"}) {
    EXPECT_FALSE(meaning_of(key).has_value()) << key;
  }
  EXPECT_FALSE(meaning_of(std::string(100'000, 'a')).has_value());
}

TEST(MetricNames, UnitsInBracketsGiveTheFactor) {
  EXPECT_DOUBLE_EQ(meaning_of("elapsed time per iteration (ms)")->factor, 1e-3);
  EXPECT_DOUBLE_EQ(meaning_of("elapsed time per iteration (s)")->factor, 1);
  EXPECT_EQ(meaning_of("elapsed time per iteration (s)")->unit, Unit::kSecond);
  EXPECT_EQ(metric_of("throughput per GPU (TFLOP/s/GPU)"), metric::kThroughput);
  EXPECT_EQ(metric_of("max_memory_allocated(GB)"), metric::kMemory);
  EXPECT_FALSE(meaning_of("loss (cats)").has_value());
}

TEST(MetricNames, StepsHaveRanksAndKeepWhatTheyCount) {
  EXPECT_EQ(meaning_of("iteration")->role, KeyRole::kStep);
  EXPECT_LT(meaning_of("global_step")->rank, meaning_of("step")->rank);
  EXPECT_LT(meaning_of("_step")->rank, meaning_of("update_step")->rank);
  EXPECT_EQ(meaning_of("update_step")->metric, metric::kOptimizerStep);
  EXPECT_EQ(meaning_of("total_steps")->role, KeyRole::kTotalSteps);
  EXPECT_LT(meaning_of("average_loss")->rank, meaning_of("step_loss")->rank);
}

TEST(MetricNames, OneMetricManyNames) {
  EXPECT_EQ(metric_of("gnorm"), metric::kGradNorm);
  EXPECT_EQ(metric_of("optim/total_grad_norm"), metric::kGradNorm);
  EXPECT_EQ(metric_of("actor/grad_norm"), metric::kGradNorm);
  EXPECT_EQ(metric_of("cur_lr"), metric::kLearningRate);
  EXPECT_EQ(metric_of("number of skipped iterations"), metric::kSkippedSteps);
  EXPECT_EQ(metric_of("optim/step skipped"), metric::kSkippedSteps);
  EXPECT_EQ(metric_of("overflow cond"), metric::kOverflow);
  EXPECT_EQ(metric_of("tok/sec"), metric::kTokensPerSecond);
  EXPECT_EQ(metric_of("critic/score/mean"), metric::kReward);
  EXPECT_EQ(metric_of("TFLOPs"), metric::kThroughput);
}

}  // namespace
}  // namespace assay
