// The rules that judge settings: what fixtures cannot show, since a good fixture may have notes.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "unit/support/complete.h"
#include "unit/support/make_run.h"

namespace assay {

extern const Rule kClipAlwaysActive;
extern const Rule kClipNeverActive;
extern const Rule kGradNormSpike;
extern const Rule kLossScaleSetting;
extern const Rule kScheduleMismatch;
extern const Rule kSettingOverridden;

namespace {

using test::MakeRun;

struct Said {
  std::string_view written, key, value;
};

// The settings of a launch script, one in each line.
Run script(std::string_view framework, std::initializer_list<Said> options) {
  Run out = MakeRun("launch.sh").setting(setting::kFramework, framework).done();
  std::int64_t line = 1;
  for (const Said& one : options) {
    Location where;
    where.path = "launch.sh";
    where.line = ++line;
    out.config.settings.push_back({std::string(one.key), std::string(one.value), where, std::string(one.written)});
  }
  return out;
}

std::string loss_scale_of(const Run& run) {
  const auto found = test::judge_completely(kLossScaleSetting, run);
  return found.empty() ? "" : found[0].message.key;
}

TEST(SettingsRules, ADefaultLossScaleIsNoFinding) {
  EXPECT_EQ(loss_scale_of(script("megatron", {{"--fp16", setting::kFp16, "true"}})), "");
  EXPECT_EQ(loss_scale_of(script("megatron", {{"--fp16", setting::kFp16, "true"},
                                              {"--initial-loss-scale", setting::kInitialLossScale, "4294967296"}})),
            "start");
}

// The trainer's options do not act there; DeepSpeed's own configuration does.
TEST(SettingsRules, UnderDeepspeedItsOwnLossScaleIsJudged) {
  const Said fp16{"--fp16", setting::kFp16, "true"};
  const Said own{"--loss-scale", setting::kLossScale, "12"};
  const Said start{"--deepspeed", "deepspeed", "true"};
  EXPECT_EQ(loss_scale_of(script("megatron", {fp16, own})), "static");
  EXPECT_EQ(loss_scale_of(script("megatron", {fp16, own, start})), "");
  EXPECT_EQ(loss_scale_of(script("megatron", {fp16, own, start, {"fp16/loss_scale", setting::kLossScale, "0"}})), "");
  EXPECT_EQ(loss_scale_of(script("megatron", {fp16, own, start, {"fp16/loss_scale", setting::kLossScale, "1"}})),
            "static-small");
}

// How many steps the search took is in the log.
TEST(SettingsRules, NoPredictionBesideALoggedLossScale) {
  MakeRun make;
  make.setting(setting::kFp16, "True").setting(setting::kInitialLossScale, "4294967296");
  EXPECT_EQ(loss_scale_of(MakeRun(make).series(metric::kLoss, {9, 8, 7}).done()), "start");
  EXPECT_EQ(loss_scale_of(make.series(metric::kLossScale, {65536, 65536, 65536}).done()), "");
}

TEST(SettingsRules, WhatOneSettingMakesVoidIsOneFinding) {
  const auto found = test::judge_completely(kSettingOverridden,
                                            script("megatron", {{"--lr-warmup-fraction", "lr_warmup_fraction", "0.01"},
                                                                {"--lr-warmup-iters", "lr_warmup_iters", "20"},
                                                                {"--lr-warmup-samples", "lr_warmup_samples", "2000"},
                                                                {"HCCL_DETERMINISITIC", "HCCL_DETERMINISITIC", "true"},
                                                                {"NVIDIA_TF32_OVERIDE", "NVIDIA_TF32_OVERIDE", "0"}}));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].message.key, "refused-one-of");
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[1].message.key, "misspelt");
  EXPECT_EQ(found[2].message.key, "misspelt");
}

std::vector<double> wavering(std::size_t records) {
  std::vector<double> out;
  for (std::size_t i = 0; i < records; ++i) out.push_back(0.7 + 0.1 * std::sin(static_cast<double>(i)));
  return out;
}

// A share that is printed outranks a default (fairseq does not clip unless told).
TEST(SettingsRules, PrintedShareOfClippedSteps) {
  const auto always = [](double share, std::size_t records) {
    const auto found = test::judge_completely(kClipAlwaysActive,
                                              MakeRun()
                                                  .dialect("fairseq")
                                                  .series(metric::kGradNorm, wavering(records))
                                                  .series(metric::kClipFraction, std::vector<double>(records, share))
                                                  .done());
    return found.empty() ? std::string() : found[0].message.key + " " + std::string(name(found[0].severity));
  };
  EXPECT_EQ(always(1, 8), "printed note");
  EXPECT_EQ(always(1, 200), "printed warning");
  EXPECT_EQ(always(0.4, 200), "");
  EXPECT_EQ(always(0, 200), "");
  EXPECT_EQ(always(20, 200), "");  // no share
}

// Only the updates of SGD grow with the threshold.
TEST(SettingsRules, ThresholdAndLearningRate) {
  const auto advice = [](std::string_view optimizer) {
    const auto found =
        test::judge_completely(kClipAlwaysActive, MakeRun()
                                                      .setting(setting::kOptimizer, optimizer)
                                                      .setting(setting::kClipNorm, "1.0")
                                                      .series(metric::kGradNorm, std::vector<double>(200, 8))
                                                      .done());
    return found.empty() || found[0].actions.size() < 2 ? std::string() : found[0].actions[1].text.key;
  };
  EXPECT_EQ(advice("AdamW"), "clip-at");
  EXPECT_EQ(advice("SGD"), "clip-at-and-lower");
}

std::string schedule_of(MakeRun make) {
  const auto found = test::judge_completely(kScheduleMismatch, make.done());
  return found.empty() ? "" : found[0].message.key;
}

std::vector<double> rising(int steps) {
  std::vector<double> out;
  for (int s = 1; s <= steps; ++s) out.push_back(1e-6 * s);
  return out;
}

TEST(SettingsRules, TheLogEndsWithinTheWarmUp) {
  EXPECT_EQ(schedule_of(MakeRun().series(metric::kLearningRate, rising(200))), "rising");
  EXPECT_EQ(schedule_of(MakeRun().planned(5100).series(metric::kLearningRate, rising(200))), "rising-of");
  EXPECT_EQ(schedule_of(MakeRun().planned(200).series(metric::kLearningRate, rising(200))), "never-warm");
  // The rate was logged for the beginning alone.
  std::vector<double> loss(2000, 3.0);
  EXPECT_EQ(schedule_of(MakeRun().series(metric::kLearningRate, rising(200)).series(metric::kLoss, loss)), "");
}

// Norms of skipped steps are missing, so the norm rises records after the loss did: that is one event.
TEST(SettingsRules, TheLossRoseBeforeTheNorm) {
  const auto told = [](std::vector<double> loss) {
    const auto found =
        test::judge_completely(kGradNormSpike, MakeRun()
                                                   .steps(17060)
                                                   .series(metric::kLoss, std::move(loss))
                                                   .series(metric::kGradNorm, {0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 6.7})
                                                   .done());
    std::string out;
    for (const Finding& one : found) {
      for (const Evidence& line : one.evidence) out += line.text.key + " ";
    }
    return out;
  };
  EXPECT_NE(told({2.66, 2.66, 4.40, 4.41, 4.38, 4.37, 4.39}).find("loss-already"), std::string::npos);
  EXPECT_NE(told({2.66, 2.66, 2.65, 2.66, 2.64, 2.65, 2.66}).find("loss-quiet"), std::string::npos);
}

}  // namespace

}  // namespace assay
