// AdamW, Adam and SGD as operators: exact results, emulation, and theory against experiments.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "num/distribution.h"
#include "study/error_measure.h"
#include "study/error_op.h"
#include "study/operators/operators.h"

namespace assay {
namespace {

struct Setting {
  const Operator* op = &kAdamW;
  double rate = 1e-4;
  const char* variant = "plain";
  const char* storage = "bf16";
  const char* compute = "fp32";
  double mean = 0, deviation = 1;  // of the gradients
  std::size_t steps = 100;
  std::size_t rows = 500;
  Rounding rounding = Rounding::kNearestEven;
  double momentum = 0.9;
};

std::string words(const Setting& set) {
  return std::string(set.op->name) + " " + set.variant + ", " + set.storage + " in " + set.compute + ", lr " +
         std::to_string(set.rate) + ", gradients " + std::to_string(set.mean) + " ± " + std::to_string(set.deviation) +
         ", steps " + std::to_string(set.steps);
}

ErrorQuestion question_of(const Setting& set) {
  ErrorQuestion out;
  out.op = set.op;
  out.model.input = out.model.output = *number_format(set.storage);
  out.model.compute = *number_format(set.compute);
  out.model.accumulator = *number_format("fp32");
  out.model.rules.rounding = set.rounding;
  out.variant = set.variant;
  for (const OperatorParameter& one : set.op->parameters) out.parameters.push_back(one.value);
  out.parameters[0] = set.rate;
  if (set.op == &kSgd) out.parameters[1] = set.momentum;
  out.data = {{{}, Distribution::kNormal, set.mean, set.deviation}, {{}, Distribution::kNormal, 0, 0.02}};
  out.rows = set.rows;
  out.length = set.steps;
  out.length_given = true;
  out.jobs = 1;
  return out;
}

Experiment experiment(const Setting& set) {
  ErrorQuestion question = question_of(set);
  const Result<ErrorInputs> inputs = ErrorInputs::open(question);
  Result<Experiment> out = run_experiment(question, *inputs, 1, true);
  EXPECT_TRUE(out.has_value());
  return *out;
}

double swallowed(const Experiment& one) {
  return static_cast<double>(one.measured.events.swallowed) / static_cast<double>(one.measured.events.additions);
}

// Parts below this share of the whole error are not looked at.
constexpr double kCounts = 0.02;

void expect_within(const Setting& set, double most) {
  const Experiment one = experiment(set);
  const std::string what = words(set);
  ASSERT_TRUE(one.predicted.known) << what;
  const double whole = one.measured.rms();
  EXPECT_LT(std::sqrt(one.predicted.squares), whole * most) << what;
  EXPECT_GT(std::sqrt(one.predicted.squares), whole / most) << what;
  for (std::size_t part = 0; part < kErrorParts; ++part) {
    const double measured = one.measured.part_rms(static_cast<ErrorPart>(part));
    const double predicted = std::sqrt(one.predicted.part_squares[part]);
    if (measured < kCounts * whole && predicted < kCounts * whole) continue;
    EXPECT_LT(predicted, measured * most) << what << ", part " << part;
    EXPECT_GT(predicted, measured / most) << what << ", part " << part;
  }
  if (swallowed(one) < 0.01) return;
  EXPECT_LT(one.predicted.swallowed, swallowed(one) * most) << what;
  EXPECT_GT(one.predicted.swallowed, swallowed(one) / most) << what;
}

TEST(OptimizerTheory, WeightsInBf16) {
  for (const double rate : {1e-5, 1e-4, 1e-3, 1e-2}) expect_within({.rate = rate}, 1.2);
  for (const double rate : {1e-5, 1e-3}) expect_within({.rate = rate, .variant = "stochastic"}, 1.2);
  expect_within({.op = &kAdam, .rate = 1e-4}, 1.2);
}

TEST(OptimizerTheory, OtherFormatsRoundingsAndLengths) {
  expect_within({.rate = 1e-4, .storage = "fp16"}, 1.2);
  expect_within({.rate = 1e-5, .storage = "fp16"}, 1.2);
  expect_within({.rate = 1e-4, .compute = "bf16"}, 1.2);
  expect_within({.rate = 1e-4, .rounding = Rounding::kTowardZero}, 1.2);
  expect_within({.rate = 1e-4, .rounding = Rounding::kUp}, 1.2);
  expect_within({.rate = 1e-4, .steps = 20}, 1.2);
  expect_within({.rate = 1e-4, .steps = 500, .rows = 300}, 1.2);
  expect_within({.rate = 1e-4, .variant = "master"}, 1.2);
}

TEST(OptimizerTheory, GradientsWithAMean) {
  for (const double rate : {1e-5, 1e-4}) {
    expect_within({.rate = rate, .mean = 1, .deviation = 0.5}, 1.2);
    expect_within({.rate = rate, .mean = 0.1}, 1.2);
  }
}

TEST(OptimizerTheory, Sgd) {
  for (const double momentum : {0.0, 0.9}) {
    for (const double rate : {1e-5, 1e-4, 1e-3, 1e-2}) {
      expect_within({.op = &kSgd, .rate = rate, .momentum = momentum}, 1.2);
    }
  }
}

// --- one call --------------------------------------------------------------------------------------------------------

struct Steps {
  std::vector<double> start, end, exact, exact_low;
  SumEvents events;
};

// Of inputs that are rounded first.
Steps steps_of(const Setting& set) {
  ErrorQuestion question = question_of(set);
  const Result<ErrorInputs> inputs = ErrorInputs::open(question);
  std::vector<Lanes> in = *inputs->rows(question, 1, 0, set.rows);
  for (Lanes& one : in) Arithmetic(question.model.input).round(one.values, one.values);
  EXPECT_EQ(in[1].length, 1U);
  const OperatorCall call{question.model, question.variant, question.parameters, in};
  Steps out;
  Lanes result(set.rows, 1);
  ExactLanes exact(set.rows, 1);
  set.op->emulate(call, result, &out.events);
  set.op->exact(call, exact);
  out.start = in[1].values;
  out.end = result.values;
  out.exact = exact.hi.values;
  out.exact_low = exact.lo.values;
  return out;
}

double moved(const Steps& one, const std::vector<double>& end) {
  double sum = 0;
  for (std::size_t i = 0; i < end.size(); ++i) sum += end[i] - one.start[i];
  return sum / static_cast<double>(end.size());
}

double share_moved(const Steps& one) {
  double count = 0;
  for (std::size_t i = 0; i < one.end.size(); ++i) count += one.end[i] != one.start[i] ? 1 : 0;
  return count / static_cast<double>(one.end.size());
}

// 500 steps with gradients 1 ± 0.5 at a learning rate of 1e-5: BF16 weights lose most of the way, FP32 and stochastic
// rounding do not.
TEST(OptimizerOperators, Bf16WeightsStay) {
  const Setting plain{.op = &kAdam, .rate = 1e-5, .mean = 1, .deviation = 0.5, .steps = 500, .rows = 1000};
  Setting master = plain, stochastic = plain;
  master.variant = "master";
  stochastic.variant = "stochastic";
  const Steps narrow = steps_of(plain);
  EXPECT_NEAR(moved(narrow, narrow.exact), -4.48e-3, 0.03e-3);
  EXPECT_NEAR(moved(narrow, narrow.end), -5.3e-4, 0.8e-4);
  EXPECT_NEAR(share_moved(narrow), 0.16, 0.03);
  const Steps wide = steps_of(master);
  EXPECT_NEAR(moved(wide, wide.end), moved(wide, wide.exact), 1e-7);
  const Steps drawn = steps_of(stochastic);
  EXPECT_NEAR(moved(drawn, drawn.end), moved(drawn, drawn.exact), 0.1e-3);
}

TEST(OptimizerOperators, UpdatesAreCounted) {
  const Setting set{.rate = 1e-5, .steps = 50, .rows = 300};
  const Steps one = steps_of(set);
  EXPECT_EQ(one.events.additions, 50U * 300U);
  EXPECT_GT(one.events.swallowed, one.events.additions * 9 / 10);
  const Setting none{.rate = 1e-5, .variant = "master", .steps = 50, .rows = 300};
  const Steps wide = steps_of(none);
  EXPECT_LT(wide.events.swallowed, wide.events.additions / 100);
}

// The formulas as the papers have them, in long double.
TEST(OptimizerOperators, Exactly) {
  for (const Operator* op : {&kAdamW, &kAdam, &kSgd}) {
    Setting set{.op = op, .rate = 1e-2, .steps = 60, .rows = 40};
    ErrorQuestion question = question_of(set);
    question.parameters.back() = 0.3;  // weight decay
    const Result<ErrorInputs> inputs = ErrorInputs::open(question);
    const std::vector<Lanes> in = *inputs->rows(question, 1, 0, set.rows);
    ExactLanes exact(set.rows, 1);
    op->exact({question.model, question.variant, question.parameters, in}, exact);
    for (std::size_t row = 0; row < set.rows; ++row) {
      const long double decay = 0.3;
      const long double rate = 1e-2;
      const long double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
      long double w = in[1].values[row], m = 0, v = 0;
      for (std::size_t t = 1; t <= set.steps; ++t) {
        long double g = in[0].at(t - 1)[row];
        if (op != &kAdamW) g += decay * w;
        m = op == &kSgd ? beta1 * m + g : beta1 * m + (1 - beta1) * g;
        v = beta2 * v + (1 - beta2) * g * g;
        if (op == &kAdamW) w -= rate * decay * w;
        const auto steps = static_cast<long double>(t);
        const long double update =
            m / (1 - std::pow(beta1, steps)) / (std::sqrt(v / (1 - std::pow(beta2, steps))) + eps);
        w -= rate * (op == &kSgd ? m : update);
      }
      const long double got = static_cast<long double>(exact.hi.values[row]) + exact.lo.values[row];
      ASSERT_LT(std::abs(got - w), 1e-16L) << op->name << " row " << row;
    }
  }
}

// A weight decay of lr · wd = 1e-5 is less than half a spacing of any BF16 weight: lost where each step is BF16.
TEST(OptimizerOperators, WeightDecayIsLostInBf16) {
  ErrorQuestion question = question_of({.rate = 1e-3, .compute = "bf16", .steps = 10, .rows = 50});
  std::vector<Lanes> in = {Lanes(50, 10), Lanes(50, 1)};  // no gradients
  draw(Distribution::kNormal, 0, 0.02, 3, 0, 0, in[1].values);
  Arithmetic(question.model.input).round(in[1].values, in[1].values);
  Lanes result(50, 1);
  kAdamW.emulate({question.model, "plain", question.parameters, in}, result, nullptr);
  EXPECT_EQ(result.values, in[1].values);
}

// eps = 1e-8 is 0 in FP16: without gradients 0 / 0.
TEST(OptimizerOperators, EpsIsZeroInHalfPrecision) {
  ErrorQuestion question = question_of({.op = &kAdam, .storage = "fp16", .compute = "fp16", .steps = 1, .rows = 2});
  std::vector<Lanes> in = {Lanes(2, 1), Lanes(2, 1)};
  in[1].values = {0.5, -0.25};
  Lanes result(2, 1);
  kAdam.emulate({question.model, "plain", question.parameters, in}, result, nullptr);
  EXPECT_TRUE(std::isnan(result.values[0]));
  question.parameters[3] = 1e-7;
  kAdam.emulate({question.model, "plain", question.parameters, in}, result, nullptr);
  EXPECT_EQ(result.values, in[1].values);
}

}  // namespace
}  // namespace assay
