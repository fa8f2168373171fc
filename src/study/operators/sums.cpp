// Sums and what is little more: mean, dot product, matrix product, norm of a gradient, accumulated gradients.
//
// The results are judged against Σ|terms|, not against themselves: a sum of numbers of both signs can be near zero by
// chance, and a relative error says then how near, not how well it was added (condition number Σ|x| / |Σx|).

#include <algorithm>
#include <cmath>

#include "num/double_double.h"
#include "num/expected_unit.h"
#include "num/format.h"
#include "study/operators/operators.h"
#include "study/operators/sum_theory.h"

namespace assay {

namespace {

double inverse_length(const OperatorCall& call) { return 1 / static_cast<double>(call.length()); }

void copy_to(std::span<const double> from, Lanes& out) { std::copy(from.begin(), from.end(), out.values.begin()); }

// --- sum -------------------------------------------------------------------------------------------------------------

void sum_exact(const OperatorCall& call, ExactLanes& out) { exact_sums(call.inputs[0], out); }

void sum_emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  Terms terms(call.inputs[0]);
  copy_to(rounded_sums(call.model.sums(), terms, events), out);
}

void sum_magnitude(const OperatorCall& call, const ExactLanes& /*exact*/, Lanes& out) {
  copy_to(absolute_sums(call.inputs[0]), out);
}

// Rounding of x alone, for each row.
void expect_inputs(const OperatorCall& call, std::span<Moments> input) {
  const Lanes& x = call.inputs[0];
  for (std::size_t i = 0; i < x.values.size(); ++i) input[i % x.rows] += input_rounding(call.model, x.values[i]);
}

void sum_expect(const OperatorCall& call, const ExactLanes& /*exact*/, ExpectedErrors& out) {
  expect_inputs(call, out.input);
  out.grid = expect_sums(call.model, call.inputs[0], nullptr, out.inner, out.peak);
}

SumBounds sum_bounds_of(const OperatorCall& call, double outputs) {
  const SumBounds sums = sum_bounds(call.model.sums(), call.length(), outputs);
  const double ends = unit_roundoff(call.model.input) + unit_roundoff(call.model.output);
  return {sums.certain + ends, sums.probable + ends};
}

// --- mean ------------------------------------------------------------------------------------------------------------

constexpr std::string_view kDivide = "divide";
constexpr std::string_view kReciprocal = "reciprocal";
constexpr std::string_view kScaleFirst = "scale-first";

// 1/n in the format of the arithmetic.
double rounded_inverse(const OperatorCall& call) {
  return round_to(call.model.compute, real(inverse_length(call)), call.model.rules).value;
}

void mean_exact(const OperatorCall& call, ExactLanes& out) {
  exact_sums(call.inputs[0], out);
  const DoubleDouble n{static_cast<double>(call.length())};
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const DoubleDouble mean = DoubleDouble{out.hi.values[row], out.lo.values[row]} / n;
    out.hi.values[row] = mean.hi;
    out.lo.values[row] = mean.lo;
  }
}

void mean_emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  Arithmetic compute(call.model.compute, call.model.rules);
  const double inverse = rounded_inverse(call);
  if (call.variant == kScaleFirst) {
    Lanes scaled = call.inputs[0];
    compute.multiply(scaled.values, std::vector<double>(scaled.values.size(), inverse), scaled.values);
    Terms terms(scaled);
    return copy_to(rounded_sums(call.model.sums(), terms, events), out);
  }
  sum_emulate(call, out, events);
  const bool divides = call.variant == kDivide;
  const double n = round_to(call.model.compute, real(static_cast<double>(call.length())), call.model.rules).value;
  const std::vector<double> factor(call.rows(), divides ? n : inverse);
  compute.round(out.values, out.values);
  if (divides) {
    compute.divide(out.values, factor, out.values);
  } else {
    compute.multiply(out.values, factor, out.values);
  }
}

void mean_magnitude(const OperatorCall& call, const ExactLanes& exact, Lanes& out) {
  sum_magnitude(call, exact, out);
  for (double& value : out.values) value *= inverse_length(call);
}

void scale(std::span<Moments> errors, double factor) {
  for (Moments& one : errors) one = {one.mean * factor, one.variance * factor * factor};
}

void mean_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  const double inverse = inverse_length(call);
  const OperatorModel& model = call.model;
  results_are_of(call.variant == kScaleFirst ? model.accumulator : model.compute, exact, out);
  expect_inputs(call, out.input);
  scale(out.input, inverse);
  if (call.variant == kScaleFirst) {
    const double factor = rounded_inverse(call);
    Lanes scaled = rounded_inputs(model, call.inputs[0]);
    for (std::size_t i = 0; i < scaled.values.size(); ++i) {
      const double before = scaled.values[i];
      double& value = scaled.values[i];
      value *= factor;
      Moments error = rounding_moments(model.compute, model.rules.rounding, value);
      const bool flushed = model.rules.flush_outputs && std::abs(value) < smallest_normal(model.compute);
      if (flushed) error = {-value, 0};
      error.mean += value - before * inverse;
      out.inner[i % scaled.rows] += error;
      if (flushed) value = 0;
    }
    OperatorModel sums = model;
    sums.input = model.compute;
    out.grid = expect_sums(sums, scaled, nullptr, out.inner, out.peak);
    return;
  }
  const std::vector<double> grids = expect_sums(model, call.inputs[0], nullptr, out.inner, out.peak);
  scale(out.inner, inverse);
  // What n, or 1/n, in the arithmetic's format differs from the real one, and the rounding of the operation.
  const double n = round_to(model.compute, real(static_cast<double>(call.length())), model.rules).value;
  const double used = call.variant == kDivide ? 1 / n : rounded_inverse(call);
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const double mean = exact.hi.values[row];
    // A division by a power of two rounds nothing that the sum has not rounded.
    const bool shifts = lowest_bit(n) == n;
    out.inner[row] += rounding_moments(model.compute, model.rules.rounding, mean, shifts ? grids[row] * inverse : 0);
    out.inner[row].mean += mean * (used / inverse - 1);
  }
}

// --- dot and matmul --------------------------------------------------------------------------------------------------

void dot_exact(const OperatorCall& call, ExactLanes& out) { exact_sums(call.inputs[0], call.inputs[1], out); }

void dot_emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  const OperatorModel& model = call.model;
  if (model.unit) {
    std::vector<double> a = call.inputs[0].values;
    std::vector<double> b = call.inputs[1].values;
    to_input(*model.unit, a.size(), a.data());
    to_input(*model.unit, b.size(), b.data());
    multiply_accumulate(*model.unit, call.rows(), call.length(), a.data(), b.data(), out.values.data());
    return to_output(*model.unit, call.rows(), out.values.data());
  }
  Arithmetic products(model.accumulator, model.rules);
  Terms terms =
      model.rounds_products ? Terms(call.inputs[0], call.inputs[1], products) : Terms(call.inputs[0], call.inputs[1]);
  copy_to(rounded_sums(model.sums(), terms, events), out);
}

void dot_magnitude(const OperatorCall& call, const ExactLanes& /*exact*/, Lanes& out) {
  copy_to(absolute_sums(call.inputs[0], call.inputs[1]), out);
}

void dot_expect(const OperatorCall& call, const ExactLanes& /*exact*/, ExpectedErrors& out) {
  const Lanes& a = call.inputs[0];
  const Lanes& b = call.inputs[1];
  const bool squares = a.values == b.values;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const Moments left = input_rounding(call.model, a.values[i]);
    const Moments right = input_rounding(call.model, b.values[i]);
    // The rounded numbers have their own means: one that became 0 makes the product 0, whatever the other one is.
    const double x = a.values[i] + left.mean;
    const double y = b.values[i] + right.mean;
    const double mean = x * y - a.values[i] * b.values[i];
    const double variance = left.variance * y * y + right.variance * x * x;
    // Squares of the same numbers: both factors are off alike.
    out.input[i % a.rows] += {mean, squares ? 2 * variance : variance};
  }
  out.grid = expect_sums(call.model, a, &b, out.inner, out.peak);
}

SumBounds dot_bounds(const OperatorCall& call, double outputs) {
  const double input = unit_roundoff(call.model.input);
  const double ends = 2 * input + input * input + unit_roundoff(call.model.output);
  SumBounds sums = sum_bounds(call.model.sums(), call.length(), outputs);
  if (call.model.unit) {
    sums = unit_bounds(*call.model.unit, call.length());
  } else if (call.model.rounds_products) {
    sums.certain += unit_roundoff(call.model.accumulator);
    sums.probable += unit_roundoff(call.model.accumulator);
  }
  return {sums.certain + ends, sums.probable + ends};
}

// --- norm ------------------------------------------------------------------------------------------------------------

void norm_exact(const OperatorCall& call, ExactLanes& out) {
  exact_sums(call.inputs[0], call.inputs[0], out);
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const DoubleDouble norm = sqrt(DoubleDouble{out.hi.values[row], out.lo.values[row]});
    out.hi.values[row] = norm.hi;
    out.lo.values[row] = norm.lo;
  }
}

OperatorCall squared(const OperatorCall& call, std::vector<Lanes>& twice) {
  twice = {call.inputs[0], call.inputs[0]};
  return {call.model, call.variant, call.parameters, twice};
}

void norm_emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  std::vector<Lanes> twice;
  dot_emulate(squared(call, twice), out, events);
  Arithmetic compute(call.model.compute, call.model.rules);
  compute.round(out.values, out.values);
  compute.square_root(out.values, out.values);
}

void own_magnitude(const OperatorCall& /*call*/, const ExactLanes& exact, Lanes& out) {
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = std::abs(exact.hi.values[i]);
}

// d norm = Σ x dx / norm, and the root of a sum with its error.
void norm_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  const Lanes& x = call.inputs[0];
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double norm = exact.hi.values[i % x.rows];
    const double share = norm > 0 ? x.values[i] / norm : 0;
    const Moments one = input_rounding(call.model, x.values[i]);
    out.input[i % x.rows] += {one.mean * share, one.variance * share * share};
  }
  results_are_of(call.model.compute, exact, out);
  std::vector<Moments> sums(x.rows);
  expect_sums(call.model, x, &x, sums, out.peak);
  for (std::size_t row = 0; row < x.rows; ++row) {
    // About the expected sum, which may have lost much of the exact one.
    const double norm = exact.hi.values[row];
    const double expected = std::sqrt(std::max(0.0, norm * norm + sums[row].mean));
    const double slope = expected > 0 ? 1 / (2 * expected) : 0;
    out.inner[row] += {expected - norm, sums[row].variance * slope * slope};
    out.inner[row] += rounding_moments(call.model.compute, call.model.rules.rounding, norm);
  }
}

}  // namespace

const Operator kSum{.name = "sum",
                    .title = {"sum", "求和"},
                    .formula = {"Σ x", "Σ x"},
                    .inputs = {{.name = "x"}},
                    .scale = {"Σ|x|", "Σ|x|"},
                    .exact = sum_exact,
                    .emulate = sum_emulate,
                    .magnitude = sum_magnitude,
                    .expect = sum_expect,
                    .bounds = sum_bounds_of};

const Operator kMean{.name = "mean",
                     .title = {"mean", "均值"},
                     .formula = {"Σ x / n", "Σ x / n"},
                     .inputs = {{.name = "x"}},
                     .variants = {kDivide, kReciprocal, kScaleFirst},
                     .scale = {"Σ|x| / n", "Σ|x| / n"},
                     .length = 10000,
                     .exact = mean_exact,
                     .emulate = mean_emulate,
                     .magnitude = mean_magnitude,
                     .expect = mean_expect,
                     .bounds = sum_bounds_of};

const Operator kDot{.name = "dot",
                    .title = {"dot product", "点积"},
                    .formula = {"Σ a·b", "Σ a·b"},
                    .inputs = {{.name = "a"}, {.name = "b"}},
                    .scale = {"Σ|a·b|", "Σ|a·b|"},
                    .multiplies = true,
                    .length = 4096,
                    .exact = dot_exact,
                    .emulate = dot_emulate,
                    .magnitude = dot_magnitude,
                    .expect = dot_expect,
                    .bounds = dot_bounds};

// A row is one element of the product.
const Operator kMatmul = [] {
  Operator op = kDot;
  op.name = "matmul";
  op.also = {"gemm", "linear"};
  op.title = {"matrix product", "矩阵乘"};
  op.formula = {"C = A·B; a row here is one element of C: Σ a·b over K",
                "C = A·B；这里的一行是 C 的一个元素：沿 K 求 Σ a·b"};
  return op;
}();

const Operator kNorm{.name = "norm",
                     .also = {"grad-norm", "l2-norm"},
                     .title = {"norm of a gradient", "梯度范数"},
                     .formula = {"√(Σ x²)", "√(Σ x²)"},
                     .inputs = {{.name = "x"}},
                     .scale = {"the norm", "范数本身"},
                     .multiplies = true,
                     .length = 4096,
                     .exact = norm_exact,
                     .emulate = norm_emulate,
                     .magnitude = own_magnitude,
                     .expect = norm_expect};

const Operator kAccumulate = [] {
  Operator op = kSum;
  op.name = "accumulate";
  op.also = {"grad-accumulation", "gradient-accumulation"};
  op.title = {"gradients of micro-batches, added up", "梯度累积"};
  op.formula = {"Σ g over the micro-batches", "沿微批次求 Σ g"};
  op.inputs = {{.name = "g"}};
  op.scale = {"Σ|g|", "Σ|g|"};
  op.length = 64;
  return op;
}();

}  // namespace assay
