// What theory expects of GELU, SiLU, rotary positions and the moving average, against experiments.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "study/error_measure.h"
#include "study/error_op.h"
#include "study/operators/operators.h"

namespace assay {
namespace {

struct Setting {
  const Operator* op;
  std::string_view variant;
  const char* storage;
  const char* compute;
  const char* accumulator;
  std::vector<double> parameters = {};
  Distribution data = Distribution::kNormal;
  Rounding rounding = Rounding::kNearestEven;
};

std::string words(const Setting& set) {
  std::string out = std::string(set.op->name) + " " + std::string(set.variant) + ", " + set.storage + " in " +
                    set.compute + " and " + set.accumulator;
  for (const double one : set.parameters) out += " " + std::to_string(one);
  return out;
}

Experiment experiment(const Setting& set, std::size_t rows, std::size_t length) {
  ErrorQuestion question;
  question.op = set.op;
  question.model.input = question.model.output = *number_format(set.storage);
  question.model.compute = *number_format(set.compute);
  question.model.accumulator = *number_format(set.accumulator);
  question.model.rules.rounding = set.rounding;
  question.variant = set.variant;
  question.parameters = set.parameters;
  for (const OperatorInput& input : set.op->inputs) {
    question.data.push_back({.path = {}, .distribution = set.data, .mean = input.mean, .deviation = input.deviation});
  }
  question.rows = rows;
  question.length = length;
  question.jobs = 1;
  const Result<ErrorInputs> inputs = ErrorInputs::open(question);
  Result<Experiment> out = run_experiment(question, *inputs, 1, true);
  EXPECT_TRUE(out.has_value());
  return *out;
}

// Parts below this share of the whole error are not looked at.
constexpr double kCounts = 1e-3;

void expect_within(const Experiment& one, double most, const std::string& what) {
  ASSERT_TRUE(one.predicted.known) << what;
  const double whole = one.measured.rms();
  const double expected = std::sqrt(one.predicted.squares);
  EXPECT_GT(whole, 0) << what;
  EXPECT_LT(expected, whole * most) << what;
  EXPECT_GT(expected, whole / most) << what;
  for (std::size_t part = 0; part < kErrorParts; ++part) {
    const double measured = one.measured.part_rms(static_cast<ErrorPart>(part));
    const double predicted = std::sqrt(one.predicted.part_squares[part]);
    if (measured < kCounts * whole && predicted < kCounts * whole) continue;
    EXPECT_LT(predicted, measured * most) << what << ", part " << part;
    EXPECT_GT(predicted, measured / most) << what << ", part " << part;
  }
}

TEST(ElementwiseTheory, Activations) {
  for (const Operator* op : {&kGelu, &kSilu}) {
    for (const std::string_view variant : op->variants) {
      for (const auto& [storage, compute, data] : {std::tuple{"bf16", "fp32", Distribution::kNormal},
                                                   {"bf16", "bf16", Distribution::kNormal},
                                                   {"bf16", "bf16", Distribution::kHeavyTailed},
                                                   {"fp16", "fp16", Distribution::kUniform},
                                                   {"e4m3", "fp32", Distribution::kNormal},
                                                   {"fp32", "fp32", Distribution::kNormal},
                                                   {"fp32", "bf16", Distribution::kUniform}}) {
        const Setting set{op, variant, storage, compute, compute, {}, data};
        expect_within(experiment(set, 10, 100), 1.2, words(set) + ", data " + facts_of(data).name);
      }
    }
  }
}

TEST(ElementwiseTheory, ActivationsInOtherRoundings) {
  for (const Rounding rounding : {Rounding::kTowardZero, Rounding::kStochastic, Rounding::kUp}) {
    for (const char* compute : {"fp32", "bf16"}) {
      const Setting set{&kGelu, "tanh", "bf16", compute, compute, {}, Distribution::kNormal, rounding};
      expect_within(experiment(set, 10, 100), 1.2,
                    words(set) + ", rounding " + std::to_string(static_cast<int>(rounding)));
    }
  }
}

TEST(ElementwiseTheory, RotaryPositions) {
  for (const std::string_view variant : kRope.variants) {
    for (const auto& [storage, compute, theta, first] : {std::tuple{"bf16", "fp32", 10000, 0},
                                                         {"bf16", "bf16", 10000, 0},
                                                         {"bf16", "bf16", 500000, 3000},
                                                         {"fp16", "fp16", 10000, 3000},
                                                         {"fp32", "fp32", 500000, 0}}) {
      const Setting set{&kRope,  variant, storage,
                        compute, compute, {static_cast<double>(theta), static_cast<double>(first)}};
      expect_within(experiment(set, 512, 8), 1.2, words(set));
    }
  }
}

TEST(ElementwiseTheory, MovingAverage) {
  for (const std::string_view variant : kEma.variants) {
    for (const double beta : {0.9, 0.99, 0.999}) {
      for (const auto& [storage, compute, state] : {std::tuple{"bf16", "fp32", "bf16"}, {"fp16", "fp16", "fp16"}}) {
        const Setting set{&kEma, variant, storage, compute, state, {beta}};
        expect_within(experiment(set, 200, 200), 1.2, words(set));
      }
    }
  }
  const Setting wide{&kEma, "lerp", "fp16", "fp32", "fp32", {0.99}};
  expect_within(experiment(wide, 200, 200), 1.2, words(wide));
  const Setting uniform{&kEma, "lerp", "bf16", "bf16", "bf16", {0.99}, Distribution::kUniform};
  expect_within(experiment(uniform, 200, 200), 1.2, words(uniform));
  const Setting stochastic{&kEma, "lerp", "bf16", "fp32", "bf16", {0.99}, Distribution::kNormal, Rounding::kStochastic};
  expect_within(experiment(stochastic, 200, 200), 1.2, words(stochastic));
  // The decay that is 1 in BF16: the average stays where it began.
  const Setting frozen{&kEma, "products", "bf16", "bf16", "bf16", {0.999}};
  expect_within(experiment(frozen, 200, 200), 1.05, words(frozen));
}

}  // namespace
}  // namespace assay
