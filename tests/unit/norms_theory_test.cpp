// Layer norm and RMS norm: theory against measurement, bounds, and published figures.

#include <gtest/gtest.h>

#include <cmath>

#include "operator_trial.h"

namespace assay {
namespace {

const char* const kVariants[] = {"one-pass", "two-pass", "welford"};

struct Formats {
  const char *dtype, *inside, *sums;
};
constexpr Formats kFormats[] = {{"fp16", "fp32", "fp32"}, {"bf16", "fp32", "fp32"}, {"bf16", "bf16", "fp32"},
                                {"bf16", "bf16", "bf16"}, {"fp16", "fp16", "fp16"}, {"fp32", "fp32", "fp32"}};

Trial layer_norm(const char* variant, const Formats& f, Trial trial) {
  trial.op = "layer-norm";
  trial.variant = variant;
  return in(std::move(trial), f.dtype, f.inside, f.sums);
}

Trial rms_norm(const Formats& f, Trial trial) {
  trial.op = "rms-norm";
  return in(std::move(trial), f.dtype, f.inside, f.sums);
}

TEST(NormsTheory, InAllFormatsPairwise) {
  for (const Formats& f : kFormats) {
    for (const char* variant : kVariants)
      expect_predicted(layer_norm(variant, f, {.order = "pairwise", .length = 256, .rows = 32}));
    expect_predicted(rms_norm(f, {.order = "pairwise", .length = 256, .rows = 32}));
  }
}

TEST(NormsTheory, OfLengthsThatAreNoPowersOfTwo) {
  for (const Formats& f : kFormats) {
    for (const char* variant : kVariants) {
      expect_predicted(layer_norm(variant, f, {.order = "lanes:8", .length = 300, .rows = 48, .deviation = 3}));
    }
    expect_predicted(rms_norm(f, {.order = "lanes:8", .length = 300, .rows = 48, .mean = 1}));
  }
}

// Sums of squares that stop growing make outputs too large: at n = 4096 in BF16 by 40 % and more.
TEST(NormsTheory, StagnationIsForetold) {
  for (const Formats& f : {kFormats[3], kFormats[4]}) {
    for (const char* variant : kVariants) {
      expect_predicted(layer_norm(variant, f, {.length = 4096, .rows = 4}), 0.9, 1.1);
    }
    expect_predicted(rms_norm(f, {.length = 4096, .rows = 4}), 0.9, 1.1);
  }
  EXPECT_GT(run(rms_norm(kFormats[3], {.length = 4096, .rows = 4})).rms(), 0.4);
}

TEST(NormsTheory, FarFromZeroOnePassLosesTheSquareOfWhatTheOthersLose) {
  double of_variant[3] = {};
  for (const double mean : {3.0, 100.0}) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Trial trial = layer_norm(kVariants[i], kFormats[5], {.length = 256, .rows = 100, .mean = mean});
      expect_predicted(trial);
      of_variant[i] = run(trial).rms();
    }
  }
  EXPECT_GT(of_variant[0], 30 * of_variant[1]);
  EXPECT_GT(of_variant[0], 30 * of_variant[2]);
}

// μ/σ = 1000 in FP32: about a third of the variances of one pass are below zero.
TEST(NormsTheory, NegativeVariancesAreNan) {
  const std::size_t rows = 32;
  const Outcome got = run(layer_norm("one-pass", kFormats[5], {.length = 4096, .rows = rows, .mean = 1000}));
  const double share = static_cast<double>(got.not_finite) / static_cast<double>(rows * 4096);
  EXPECT_GT(share, 0.15);
  EXPECT_LT(share, 0.5);
  for (const char* variant : {"two-pass", "welford"}) {
    EXPECT_EQ(run(layer_norm(variant, kFormats[5], {.length = 512, .rows = 8, .mean = 1000})).not_finite, 0U);
  }
}

TEST(NormsTheory, EpsIsRoundedToo) {
  // 1e-5 is a subnormal of FP16, and beside a variance of 9e-6 that matters.
  for (const char* variant : kVariants) {
    expect_predicted(
        layer_norm(variant, kFormats[4], {.order = "pairwise", .length = 300, .rows = 40, .deviation = 0.003}));
  }
  expect_predicted(rms_norm(kFormats[4], {.order = "pairwise", .length = 300, .rows = 40, .deviation = 0.003}));
  // 1e-8 is 0 in FP16.
  const Lanes zeros = lanes_of({std::vector<double>(8)});
  Trial trial = rms_norm(kFormats[4], {.parameters = {1e-8}});
  for (const double one : emulated(trial, zeros).values) EXPECT_TRUE(std::isnan(one));
  trial.parameters = {1e-5};
  for (const double one : emulated(trial, zeros).values) EXPECT_EQ(one, 0);
}

// 256² is beyond FP16: the root is infinite and the outputs are 0. With FP32 inside they are 1.
TEST(NormsTheory, SquaresBeyondTheRange) {
  const Lanes x = lanes_of({std::vector<double>(64, 256.0)});
  for (const double one : emulated(rms_norm(kFormats[4], {}), x).values) EXPECT_EQ(one, 0);
  for (const double one : emulated(rms_norm(kFormats[0], {}), x).values) EXPECT_NEAR(one, 1, 1e-6);
  const Trial trial = rms_norm(kFormats[4], {.length = 512, .rows = 8, .deviation = 100});
  expect_predicted(trial, 0.99, 1.01);
  const Outcome got = run(trial);
  EXPECT_GT(got.theory.peak, 65504);
  EXPECT_TRUE(std::isinf(got.bounds.certain));
}

TEST(NormsTheory, BoundsHoldAndAreOfUse) {
  for (const Formats& f : {kFormats[0], kFormats[1], kFormats[2]}) {
    expect_bounded(rms_norm(f, {}), 10);
    expect_bounded(rms_norm(f, {.deviation = 0.01}), 10);
    for (const char* variant : {"one-pass", "two-pass"}) {
      expect_bounded(layer_norm(variant, f, {}), 15);
      expect_bounded(layer_norm(variant, f, {.mean = 5}), 40);
    }
  }
  expect_bounded(rms_norm(kFormats[4], {.order = "pairwise"}), 20);
  RoundingRules rules;
  rules.rounding = Rounding::kTowardZero;
  rules.flush_outputs = true;
  for (const char* variant : {"one-pass", "two-pass"}) {
    expect_bounded(layer_norm(variant, kFormats[4], {.order = "pairwise"}), 40);
    expect_bounded(layer_norm(variant, kFormats[4], {.order = "pairwise", .rules = rules, .rounds_products = true}),
                   60);
  }
  const Outcome far = run(layer_norm("one-pass", kFormats[5], {.length = 4096, .rows = 4, .mean = 1000}));
  EXPECT_TRUE(std::isinf(far.bounds.certain));
}

}  // namespace
}  // namespace assay
