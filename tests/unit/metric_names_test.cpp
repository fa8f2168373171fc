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
