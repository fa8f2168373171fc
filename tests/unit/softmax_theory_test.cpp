// Softmax, log-sum-exp and cross-entropy: theory against measurement, bounds, and published figures.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "operator_trial.h"

namespace assay {
namespace {

struct Formats {
  const char *dtype, *inside, *sums;
};
constexpr Formats kFormats[] = {{"fp16", "fp32", "fp32"}, {"bf16", "fp32", "fp32"}, {"bf16", "bf16", "fp32"},
                                {"bf16", "bf16", "bf16"}, {"fp16", "fp16", "fp16"}, {"e4m3", "fp32", "fp32"},
                                {"fp32", "fp32", "fp32"}};

// The operators with so much data that a mean square of their results is worth a comparison.
std::vector<Trial> trials_of(const Formats& f, Trial trial) {
  std::vector<Trial> out;
  for (const char* op : {"softmax", "logsumexp", "cross-entropy"}) {
    trial.op = op;
    const bool many = trial.op == "softmax";
    trial.length = many ? 256 : 64;
    trial.rows = many ? 24 : 250;
    out.push_back(in(trial, f.dtype, f.inside, f.sums));
  }
  return out;
}

TEST(SoftmaxTheory, InAllFormats) {
  for (const Formats& f : kFormats) {
    for (const Trial& trial : trials_of(f, {.order = "pairwise"})) expect_predicted(trial);
  }
  for (const Formats& f : {kFormats[0], kFormats[3], kFormats[6]}) {
    for (const Trial& trial : trials_of(f, {.order = "lanes:8", .mean = -2, .deviation = 2})) expect_predicted(trial);
  }
}

TEST(SoftmaxTheory, DirectedRoundingsHaveTheirMean) {
  for (const Rounding rounding : {Rounding::kTowardZero, Rounding::kUp}) {
    for (const Formats& f : {kFormats[4], kFormats[6]}) {
      Trial directed{.order = "pairwise"};
      directed.rules.rounding = rounding;
      for (const Trial& trial : trials_of(f, directed)) {
        const Outcome got = run(trial);
        expect_predicted(got, trial);
        EXPECT_NEAR(got.predicted_bias(), got.bias(), 0.15 * got.rms()) << testing::PrintToString(trial);
      }
    }
  }
}

// What is stored of a log-sum-exp is then nearly the largest logit, which needs no rounding: the output's part alone is
// not foretold.
TEST(SoftmaxTheory, LargeLogitsAreRuledByTheirSpacing) {
  for (const double deviation : {5.0, 20.0}) {
    for (const Formats& f : {kFormats[0], kFormats[2]}) {
      for (Trial trial : trials_of(f, {.deviation = deviation})) {
        trial.length = 64;  // of a softmax few rows matter: those with a second logit near the first
        trial.rows = 400;
        const Outcome got = run(trial);
        EXPECT_GT(got.predicted_rms(), 0.8 * got.rms()) << testing::PrintToString(trial);
        EXPECT_LT(got.predicted_rms(), 1.2 * got.rms()) << testing::PrintToString(trial);
      }
    }
  }
}

TEST(SoftmaxTheory, Variants) {
  for (const Formats& f : {kFormats[0], kFormats[3], kFormats[4]}) {
    for (const char* variant : {"reciprocal", "unshifted"}) {
      expect_predicted(trials_of(f, {.variant = variant, .order = "pairwise"})[0]);
    }
    for (const double mean : {0.0, 30.0}) {
      expect_predicted(trials_of(f, {.variant = "logsumexp", .order = "pairwise", .mean = mean})[2]);
    }
    for (const std::size_t op : {1U, 2U}) expect_predicted(trials_of(f, {.variant = "unshifted"})[op]);
  }
}

TEST(SoftmaxTheory, StagnationIsForetoldWithItsSign) {
  for (const std::size_t length : {512U, 2048U}) {
    for (Trial trial : trials_of(kFormats[3], {})) {
      trial.length = length;
      trial.rows = 12;
      const Outcome got = run(trial);
      expect_predicted(got, trial, 0.9, 1.1);
      EXPECT_NEAR(got.predicted_bias() / got.bias(), 1, 0.1) << testing::PrintToString(trial);
    }
  }
}

// Everything in BF16, N(0, 1) logits: probabilities that add up to 2.47 at n = 4096; off by up to 0.235 at n = 512.
TEST(SoftmaxTheory, AStagnatingDenominator) {
  const Trial trial = in({.op = "softmax", .length = 4096, .rows = 16}, "bf16", "bf16", "bf16");
  Lanes x = data_of(trial)[0];
  Arithmetic(*number_format("bf16")).round(x.values, x.values);
  double sum = 0;
  for (const double one : emulated(trial, x).values) sum += one / static_cast<double>(trial.rows);
  EXPECT_NEAR(sum, 2.47, 0.05);
  const Outcome got = run(in({.op = "softmax", .length = 512}, "bf16", "bf16", "bf16"));
  EXPECT_NEAR(got.relative.back(), 0.235, 0.03);
}

TEST(SoftmaxTheory, FiveHundredAndTwelveEqualLogits) {
  const Trial trial = in({.op = "softmax", .length = 512}, "bf16", "bf16", "bf16");
  const Lanes q = emulated(trial, lanes_of({std::vector<double>(512, 1.5)}));
  for (const double one : q.values) EXPECT_EQ(one, 1.0 / 256);
}

// Relative errors of probabilities whose logits were rounded to BF16, by the deviation of the logits. The published
// medians are of few rows, and the rounding of a row's largest logit is in all of its probabilities: within a factor.
TEST(SoftmaxTheory, RoundedLogits) {
  for (const auto& [deviation, median] : {std::pair(5.0, 0.015), std::pair(20.0, 0.088), std::pair(60.0, 0.13)}) {
    Trial trial = in({.op = "softmax", .rows = 32, .deviation = deviation}, "fp64", "fp64", "fp64");
    trial.input = "bf16";
    const Outcome got = run(trial);
    EXPECT_GT(got.relative[got.judged / 2], median / 2.5) << deviation;
    EXPECT_LT(got.relative[got.judged / 2], median * 2.5) << deviation;
  }
}

TEST(SoftmaxTheory, BoundsHoldAndAreOfUse) {
  for (const Formats& f : {kFormats[0], kFormats[1], kFormats[2]}) {
    for (const Trial& trial : trials_of(f, {})) expect_bounded(trial, 10);
  }
  for (const Formats& f : {kFormats[0], kFormats[2]}) {
    for (const Trial& trial : trials_of(f, {.deviation = 5})) expect_bounded(trial, 20);
  }
  RoundingRules cuts;
  cuts.rounding = Rounding::kTowardZero;
  cuts.flush_outputs = true;
  for (const Trial& trial : trials_of(kFormats[3], {.order = "pairwise"})) expect_bounded(trial, 15);
  for (const Trial& trial : trials_of(kFormats[5], {.order = "pairwise"})) expect_bounded(trial, 20);
  for (const Trial& trial : trials_of(kFormats[4], {.variant = "unshifted", .order = "pairwise"})) {
    expect_bounded(trial, 15);
  }
  for (const Trial& trial : trials_of(kFormats[4], {.order = "pairwise", .rules = cuts})) expect_bounded(trial, 60);
  expect_bounded(trials_of(kFormats[4], {.variant = "reciprocal", .order = "pairwise"})[0], 15);
  expect_bounded(trials_of(kFormats[2], {.variant = "logsumexp", .mean = 30})[2], 10);
}

TEST(SoftmaxTheory, NoBoundWhereASumMayLoseEverything) {
  const Outcome got = run(in({.op = "softmax", .length = 1024, .rows = 4}, "bf16", "bf16", "bf16"));
  EXPECT_TRUE(std::isinf(got.bounds.certain));
}

// Without the shift exp overflows as it does in practice: FP16 ends at e^11.09.
TEST(SoftmaxTheory, UnshiftedOverflows) {
  const Trial trial = in({.op = "softmax", .variant = "unshifted", .rows = 32, .mean = 12}, "fp16", "fp16", "fp16");
  const Outcome got = run(trial);
  EXPECT_EQ(got.not_finite + static_cast<std::size_t>(std::ranges::count(got.relative, 1.0)), 32U * 256);
  EXPECT_GT(got.theory.peak, 65504);
  Trial shifted = trial;
  shifted.variant = "shifted";
  EXPECT_EQ(run(shifted).not_finite, 0U);
}

}  // namespace
}  // namespace assay
