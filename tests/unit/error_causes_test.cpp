// What `assay error` says an error comes from, where a step inside fails.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "operator_trial.h"
#include "study/error_explain.h"
#include "study/error_measure.h"

namespace assay {
namespace {

struct Told {
  Experiment experiment;
  ErrorCause cause;
  Text words;
};

Told told(const Trial& trial) {
  ErrorQuestion question = question_of(trial);
  const ErrorInputs data = std::move(ErrorInputs::open(question)).value();
  Told out;
  out.experiment = std::move(run_experiment(question, data, 1, true)).value();
  out.cause = cause_of(question, out.experiment);
  out.words = explanation_of(question, out.experiment);
  return out;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ErrorCauses, AnInfiniteSumOfSquaresMakesResultsZero) {
  const Told got = told(in({.op = "rms-norm", .rows = 8, .deviation = 100}, "fp16", "fp16", "fp16"));
  EXPECT_EQ(got.cause, ErrorCause::kLostInside);
  EXPECT_TRUE(contains(got.words.en, "FP16 ends at 65504")) << got.words.en;
  EXPECT_TRUE(contains(got.words.zh, "65504")) << got.words.zh;
  EXPECT_EQ(got.experiment.measured.beyond_certain, 0U);
}

TEST(ErrorCauses, AStagnatingDenominatorMakesResultsTooLarge) {
  for (const char* variant : {"one-pass", "two-pass", "welford"}) {
    const Told got =
        told(in({.op = "layer-norm", .variant = variant, .length = 2048, .rows = 8}, "bf16", "bf16", "bf16"));
    EXPECT_EQ(got.cause, ErrorCause::kStagnation) << variant;
    EXPECT_TRUE(contains(got.words.en, "too large")) << got.words.en;
    EXPECT_TRUE(contains(got.words.zh, "偏大")) << got.words.zh;
  }
}

TEST(ErrorCauses, ANegativeVarianceIsNamedAndNotPredicted) {
  const Told got = told(in({.op = "layer-norm", .length = 4096, .rows = 16, .mean = 1000}, "fp32", "fp32", "fp32"));
  EXPECT_EQ(got.cause, ErrorCause::kOverflow);
  EXPECT_TRUE(contains(got.words.en, "E[x²] − μ²")) << got.words.en;
  EXPECT_FALSE(got.experiment.predicted.known);
}

// Most of the probabilities of large logits vanish in FP16: off by 100 %, and theory says no more. Beside the largest
// probability that is nothing, so it is not where the error comes from.
TEST(ErrorCauses, WhatVanishesIsOffByItself) {
  const Told got = told(in({.op = "softmax", .length = 512, .rows = 16, .deviation = 20}, "fp16", "fp32", "fp32"));
  EXPECT_EQ(got.cause, ErrorCause::kInput);
  EXPECT_GT(got.experiment.measured.vanished, got.experiment.measured.outputs / 2);
  EXPECT_NEAR(got.experiment.predicted.relative_p99, 1, 1e-3);
}

}  // namespace
}  // namespace assay
