#pragma once
// An operator, measured and predicted, in a few words.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "num/arithmetic.h"
#include "num/distribution.h"
#include "num/double_double.h"
#include "num/round.h"
#include "study/error_theory.h"
#include "study/operators/operators.h"

namespace assay {

struct Trial {
  std::string op, variant;
  std::string input = "fp16", inside = "fp32", sums = "fp32", output = "fp16";
  std::string order = "sequential";
  std::size_t length = 256, rows = 64;
  double mean = 0, deviation = 1;
  RoundingRules rules = {};
  bool rounds_products = false;
  std::vector<double> parameters = {};
};

// One name in place of four: "bf16" inside fp32; "bf16/bf16": everything in it.
inline Trial in(Trial trial, const std::string& dtype, const std::string& inside, const std::string& sums) {
  trial.input = trial.output = dtype;
  trial.inside = inside;
  trial.sums = sums;
  return trial;
}

inline void PrintTo(const Trial& t, std::ostream* out) {
  *out << t.op << " " << t.variant << " " << t.input << "/" << t.inside << "/" << t.sums << "/" << t.output << " "
       << t.order << " n = " << t.length << ", mean " << t.mean << ", deviation " << t.deviation << ", rounding "
       << static_cast<int>(t.rules.rounding);
}

inline ErrorQuestion question_of(const Trial& trial) {
  ErrorQuestion question;
  question.op = *operator_named(trial.op);
  OperatorModel& model = question.model;
  model.input = *number_format(trial.input);
  model.compute = *number_format(trial.inside);
  model.accumulator = *number_format(trial.sums);
  model.output = *number_format(trial.output);
  model.order = *sum_order(trial.order);
  model.rules = trial.rules;
  model.rounds_products = trial.rounds_products;
  question.variant = trial.variant;
  if (trial.variant.empty() && !question.op->variants.empty()) question.variant = question.op->variants.front();
  question.parameters = trial.parameters;
  if (trial.parameters.empty()) {
    for (const OperatorParameter& one : question.op->parameters) question.parameters.push_back(one.value);
  }
  for (std::size_t i = 0; i < question.op->inputs.size(); ++i) {
    question.data.push_back({{}, Distribution::kNormal, trial.mean, trial.deviation});
  }
  question.rows = trial.rows;
  question.length = trial.length;
  question.length_given = true;
  question.jobs = 1;
  return question;
}

inline std::vector<Lanes> data_of(const Trial& trial) {
  Lanes out(trial.rows, trial.length);
  std::vector<double> row(trial.length);
  for (std::size_t r = 0; r < trial.rows; ++r) {
    draw({.mean = trial.mean, .deviation = trial.deviation, .seed = 1}, r * trial.length, row);
    for (std::size_t k = 0; k < trial.length; ++k) out.values[k * trial.rows + r] = row[k];
  }
  return {std::move(out)};
}

// In units of the operator's magnitude. Parts: inputs, inside, output.
struct Outcome {
  std::size_t judged = 0, not_finite = 0, beyond_certain = 0, beyond_probable = 0;
  double squares = 0, sum = 0, largest = 0;
  std::array<double, kErrorParts> parts{};
  std::vector<double> relative;  // |error| / |exact|, sorted
  SumBounds bounds;
  TheorySums theory;

  double rms() const { return std::sqrt(squares / static_cast<double>(judged)); }
  double bias() const { return sum / static_cast<double>(judged); }
  double predicted_rms() const { return std::sqrt(theory.squares / static_cast<double>(theory.outputs)); }
  double predicted_bias() const { return theory.sum / static_cast<double>(theory.outputs); }
};

// What study/error_measure.cpp does, in plain steps.
inline Outcome run(const Trial& trial) {
  const ErrorQuestion question = question_of(trial);
  const Operator& op = *question.op;
  const OperatorModel& model = question.model;
  const std::vector<Lanes> inputs = data_of(trial);
  std::vector<Lanes> rounded = inputs;
  Arithmetic(model.input, model.rules).round(inputs[0].values, rounded[0].values);
  const OperatorCall call{model, question.variant, question.parameters, inputs};
  const OperatorCall rounded_call{model, question.variant, question.parameters, rounded};
  const std::size_t length = op.one_output ? 1 : trial.length;
  ExactLanes exact(trial.rows, length), of_rounded(trial.rows, length);
  Lanes result(trial.rows, length), magnitude(trial.rows, length);
  op.exact(call, exact);
  op.exact(rounded_call, of_rounded);
  op.emulate(rounded_call, result, nullptr);
  op.magnitude(call, exact, magnitude);
  Outcome out;
  const std::size_t outputs = result.values.size();
  out.bounds = op.bounds(call, static_cast<double>(outputs));
  out.theory = expect_group(question, call, exact, magnitude, trial.rows);
  for (std::size_t i = 0; i < outputs; ++i) {
    const double stored = round_to(model.output, real(result.values[i]), model.rules).value;
    if (!std::isfinite(stored)) {
      ++out.not_finite;
      continue;
    }
    const DoubleDouble y{exact.hi.values[i], exact.lo.values[i]};
    const DoubleDouble middle{of_rounded.hi.values[i], of_rounded.lo.values[i]};
    const double unit = magnitude.values[i];
    const double error = (stored - y).hi / unit;
    ++out.judged;
    out.sum += error;
    out.squares += error * error;
    out.largest = std::max(out.largest, std::abs(error));
    out.beyond_certain += std::abs(error) > out.bounds.certain ? 1 : 0;
    out.beyond_probable += std::abs(error) > out.bounds.probable ? 1 : 0;
    out.relative.push_back(std::abs((stored - y).hi / y.hi));
    const double parts[] = {(middle - y).hi, (result.values[i] - middle).hi, stored - result.values[i]};
    for (std::size_t part = 0; part < kErrorParts; ++part) out.parts[part] += parts[part] * parts[part] / (unit * unit);
  }
  std::sort(out.relative.begin(), out.relative.end());
  return out;
}

// Theory within `low` to `high` of the measured root mean square, and of each part of it that matters.
inline void expect_predicted(const Outcome& got, const Trial& trial, double low = 0.8, double high = 1.2) {
  SCOPED_TRACE(testing::PrintToString(trial));
  ASSERT_GT(got.rms(), 0);
  ASSERT_GT(got.theory.outputs, 0U);
  const double ratio = got.predicted_rms() / got.rms();
  EXPECT_GT(ratio, low);
  EXPECT_LT(ratio, high);
  for (std::size_t part = 0; part < kErrorParts; ++part) {
    if (got.parts[part] < 0.1 * got.squares) continue;
    const double part_ratio = std::sqrt(got.theory.part_squares[part] / got.parts[part]);
    EXPECT_GT(part_ratio, low) << "part " << part;
    EXPECT_LT(part_ratio, high) << "part " << part;
  }
}

inline void expect_predicted(const Trial& trial, double low = 0.8, double high = 1.2) {
  expect_predicted(run(trial), trial, low, high);
}

// No error beyond the bounds, and bounds of use: at most `loose` times the largest error.
inline void expect_bounded(const Trial& trial, double loose) {
  const Outcome got = run(trial);
  SCOPED_TRACE(testing::PrintToString(trial));
  EXPECT_EQ(got.beyond_certain, 0U);
  EXPECT_EQ(got.beyond_probable, 0U);
  EXPECT_LT(got.bounds.certain, loose * got.largest);
}

// The results of rows that are given, number k of row r as rows[r][k], rounded into the input's format.
inline Lanes lanes_of(const std::vector<std::vector<double>>& rows) {
  Lanes out(rows.size(), rows.front().size());
  for (std::size_t row = 0; row < out.rows; ++row) {
    for (std::size_t k = 0; k < out.length; ++k) out.values[k * out.rows + row] = rows[row][k];
  }
  return out;
}

inline Lanes emulated(const Trial& trial, const Lanes& x) {
  const ErrorQuestion question = question_of(trial);
  const std::vector<Lanes> inputs = {x};
  Lanes out(x.rows, question.op->one_output ? 1 : x.length);
  question.op->emulate({question.model, question.variant, question.parameters, inputs}, out, nullptr);
  return out;
}

inline ExactLanes exact(const Trial& trial, const Lanes& x) {
  const ErrorQuestion question = question_of(trial);
  const std::vector<Lanes> inputs = {x};
  ExactLanes out(x.rows, question.op->one_output ? 1 : x.length);
  question.op->exact({question.model, question.variant, question.parameters, inputs}, out);
  return out;
}

}  // namespace assay
