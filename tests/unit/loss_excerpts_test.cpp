// What a few records say: excerpts of logs, as they stand in questions and reports.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "measure/few_records.h"
#include "unit/support/loss_cases.h"

namespace assay {
namespace {

using test::judge_completely;
using test::MakeRun;
using test::rule;

// The gravest of what loss-spike and loss-divergence say.
std::optional<Severity> gravest(const Run& run) {
  std::optional<Severity> worst;
  for (const char* name : {"loss-spike", "loss-divergence"}) {
    for (const Finding& one : judge_completely(rule(name), run)) worst = std::max(worst, std::optional(one.severity));
  }
  return worst;
}

Run middle_of_a_run(const std::vector<double>& loss) { return MakeRun().steps(5000, 10).series("loss", loss).done(); }

TEST(LossExcerpts, BatchNoiseIsAtMostANote) {
  const std::vector<std::vector<double>> noisy = {
      {2.4, 4.2, 2.9, 3.8, 2.3, 4.3, 3.5, 4.9, 2.7, 4.4},
      {0.95, 2.1, 0.77, 0.72},
      {1.05, 0.92, 0.89, 0.94, 1.26, 1.36},
      {1.75, 1.9, 2.0, 2.7},
      {46.0, 60.0, 108.0},
      {0.8, 1.7},
      {2.1, 3.0, 1.8, 1.9, 2.1, 3.1, 1.3, 1.5, 3.0, 1.6, 1.5, 3.3},
      {0.8, 1.0, 1.2, 1.3, 1.5, 1.4, 2.0, 0.8, 0.9, 1.2, 1.4, 1.6, 2.1},
      {1.2, 5.0, 4.1, 3.8, 2.2, 1.7, 3.0, 2.4, 1.6, 2.5},
      {0.46, 1.2, 1.16, 3.2, 1.5, 0.42, 1.03, 2.9, 0.83, 1.33, 1.34, 1.85, 2.1, 1.3, 1.6, 1.56, 1.7, 1.2, 0.85},
      {1.1, 2.0, 1.9, 2.6, 1.9, 2.1, 3.0, 1.7, 2.0, 2.6, 2.1, 1.9, 1.8, 2.1, 2.3, 2.6, 2.1, 3.6, 2.5},
  };
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    for (std::size_t n = 2; n <= noisy[i].size(); ++n) {
      const std::vector<double> begin(noisy[i].begin(), noisy[i].begin() + static_cast<std::ptrdiff_t>(n));
      if (i == 8 && n < 5) continue;   // cut there it looks like a jump
      if (i == 7 && n == 5) continue;  // and there like a climb
      if (i == 9 && n < 6) continue;   // the level has not been visited again yet
      EXPECT_LE(gravest(middle_of_a_run(begin)), Severity::kNote) << "excerpt " << i << ", " << n << " records";
    }
  }
}

TEST(LossExcerpts, WhatNoNoiseDoesIsAnError) {
  const std::vector<std::vector<double>> sick = {
      {3.02, 3.09, 7.6},                                              // twice the level
      {2.0, 11.3},                                                    // more than three times that of a single record
      {0.15, 25000.0, 76000.0, 29000.0, 130000.0},                    // swings as wide as it likes, far above
      {2.66, 2.67, 4.35, 4.4, 4.38, 4.12, 4.15},                      // a clean step
      {4.57, 4.55, 6.3, 6.91, 6.91, 6.91},                            // the same with a record on the way up
      {6.4, 6.6, 7.3, 9.1, 10.3},                                     // a steady climb
      {1.2, 1.05, 1.12, 0.98, 1.6, 1.609, 1.609, 1.61, 1.609, 1.61},  // stands still
      {1.9, 1.8, 1.7, 1.6, 1.6, 2.3, 2.9, 3.4, 4.5, 4.0, 3.9, 3.5, 3.3, 3.1, 3.0, 2.7, 2.4, 2.3},  // up there for good
      {15.2, 12.8, 4.1, 2.6, 1.5, 5.6, 7.2, 9.8},  // the fall with which it began is no noise
  };
  for (std::size_t i = 0; i < sick.size(); ++i)
    EXPECT_EQ(gravest(middle_of_a_run(sick[i])), Severity::kError) << "excerpt " << i;
}

TEST(LossExcerpts, ASecondWitnessMakesTheDifference) {
  const std::vector<double> loss = {1.05, 0.92, 0.89, 0.94, 1.26, 1.36};
  const auto run = [&](const char* metric, const std::vector<double>& values) {
    return MakeRun().steps(5000, 10).series("loss", loss).series(metric, values).done();
  };
  EXPECT_EQ(gravest(run("grad_norm", {1.1, 0.9, 1.0, 1.0, 9.0, 14.0})), Severity::kError);
  EXPECT_LE(gravest(run("grad_norm", {1.1, 0.9, 1.0, 1.0, 1.6, 2.1})), Severity::kNote);
  const auto doubled = MakeRun().steps(5000, 10).series("loss", {0.47, 0.48, 1.2, 1.1});
  EXPECT_LE(gravest(MakeRun(doubled).series("grad_norm", {1.2, 0.9, 1.1, 1.2}).done()), Severity::kNote) << "calm";
  EXPECT_EQ(gravest(MakeRun(doubled).done()), Severity::kError);
  EXPECT_EQ(gravest(run("eval_loss", {1.0, 0.98, 0.97, 0.97, 1.3, 1.4})), Severity::kError);
}

TEST(LossExcerpts, ObjectivesOfPoliciesAreAtMostNotes) {
  const std::vector<double> loss = {0.33, 4.3, 3.6, 0.07, 0.4, 5.1};
  const std::vector<double> margins = {4.0, -3.9, -3.5, 4.1, 3.2, -4.4};
  EXPECT_LE(gravest(MakeRun().series("loss", loss).series("rewards/margins", margins).done()), Severity::kNote);
  const std::vector<double> policy = {-0.28, -0.11, -0.2, -0.05, -0.01};
  EXPECT_LE(gravest(MakeRun().series("loss", policy).series("reward", policy).done()), Severity::kNote);
}

TEST(LossSpike, ALogThatEndsAtTheLevelIsBack) {
  std::vector<double> loss = test::trained(300);
  const double level = loss[296];
  loss[297] = 12 * level;
  loss[298] = 2.5 * level;
  loss[299] = level;
  EXPECT_LE(gravest(MakeRun().series("loss", loss).done()), Severity::kNote);
  loss[299] = 2.4 * level;
  EXPECT_EQ(gravest(MakeRun().series("loss", loss).done()), Severity::kWarning) << "more than half way back";
}

TEST(LossExcerpts, AnEvaluationThatJumpsAloneIsTold) {
  const auto said = [](const std::vector<double>& loss, const std::vector<double>& eval) {
    return gravest(MakeRun().series("loss", loss).series("eval_loss", eval).done());
  };
  const std::vector<double> calm = {0.2, 0.19, 0.18, 0.18, 0.17, 0.17};
  EXPECT_EQ(said(calm, {0.15, 0.147, 0.148, 0.149, 0.71, 0.73}), Severity::kWarning);
  EXPECT_EQ(said(calm, {0.15, 0.147, 0.148, 0.71, 0.149, 0.15}), std::nullopt) << "back at the next";
  EXPECT_EQ(said(calm, {0.15, 0.147, 0.19, 0.24, 0.29, 0.35}), std::nullopt) << "a slow rise is another rule's";
  EXPECT_EQ(said({0.2, 0.19, 0.18, 0.18, 0.8, 0.8}, {0.15, 0.147, 0.148, 0.149, 0.71, 0.73}), Severity::kError)
      << "told once, by the training loss";
}

TEST(LossExcerpts, RecordsBehindTheEndAreNotSkipped) {
  const Rule& spike = rule("loss-spike");
  auto records = MakeRun().series("loss", {3.02, 3.05, 3.01, 7.6, 8.1}).done();
  records.segments[0].axis = "";
  const auto found = judge_completely(spike, records);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(test::actions_of(spike, found[0]).find("skip the data of steps 3-5"), std::string::npos)
      << test::actions_of(spike, found[0]);
}

TEST(FewRecords, NoiseIsWhatRises) {
  FewRecords few(32);
  for (const double x : {15.0, 12.0, 4.0}) few.add(x);
  EXPECT_DOUBLE_EQ(few.noise(), 8.0) << "the last fall may be a swing";
  for (const double x : {2.0, 1.5}) few.add(x);
  EXPECT_EQ(few.noise(), 0) << "a steady fall";
  few.add(1.7);
  EXPECT_DOUBLE_EQ(few.noise(), 1.7 - 1.5);
  EXPECT_EQ(few.noise(1), 0) << "without the last record";
  EXPECT_DOUBLE_EQ(few.floor(), 1.5);
  const std::vector<double> zigzag = {3.0, 4.0, 2.9, 4.2, 3.1, 4.0};
  EXPECT_NEAR(later_rises(zigzag, 3.2), 1.0, 1e-12);
  EXPECT_EQ(later_rises(zigzag, 2.95), 0) << "one alone is no habit";
}

}  // namespace
}  // namespace assay
