// Layer norm and RMS norm: what they compute, exactly and in a format. Theory: norms_theory.cpp.
//
//     layer norm  y = (x − μ) / √(v + ε),   μ = Σx / n,   v = Σ(x − μ)² / n
//     RMS norm    y = x / √(Σx² / n + ε)
// Without scale and shift behind it: they are one more multiplication and addition that every implementation shares.
//
// Mean and variance are in the accumulator's format, as kernels keep them: one-pass v = Σx²/n − μ², the square of μ
// rounded before it is subtracted; two-pass, the differences rounded before they are squared; Welford's running mean
// and sum of squares (welford.cpp). They go into the format of the arithmetic, and there follow v + ε, 1/√ (one
// operation, as rsqrt is), x − μ and the product. A variance below zero becomes NaN where its root is taken: one-pass
// has that.
//
// What errors are set against: the root mean square of the row's exact outputs, which is 1 where ε is small beside v.
// An output is near zero by chance, so its relative error says little. A row of equal numbers has outputs 0: then 1.

#include "study/operators/norms.h"

#include <algorithm>
#include <cmath>

#include "num/arithmetic.h"
#include "num/double_double.h"
#include "study/operators/operators.h"
#include "study/operators/sum_theory.h"

namespace assay {

namespace {

using norm_variant::kOnePass;
using norm_variant::kTwoPass;
using norm_variant::kWelford;

double eps_of(const OperatorCall& call) { return call.parameters[0]; }

// --- exact -----------------------------------------------------------------------------------------------------------

std::vector<DoubleDouble> exact_means(const Lanes& x) {
  ExactLanes sums(x.rows, 1);
  exact_sums(x, sums);
  std::vector<DoubleDouble> out(x.rows);
  const DoubleDouble n{static_cast<double>(x.length)};
  for (std::size_t row = 0; row < x.rows; ++row) {
    out[row] = DoubleDouble{sums.hi.values[row], sums.lo.values[row]} / n;
    // Of equal numbers the mean is that number, to the last bit: so that their outputs are 0.
    const double first = x.values[row];
    bool equal = true;
    for (std::size_t k = 1; k < x.length && equal; ++k) equal = x.values[k * x.rows + row] == first;
    if (equal) out[row] = first;
  }
  return out;
}

void layer_norm_exact(const OperatorCall& call, ExactLanes& out) {
  const Lanes& x = call.inputs[0];
  const std::vector<DoubleDouble> means = exact_means(x);
  for (std::size_t row = 0; row < x.rows; ++row) {
    DoubleDouble squares;
    for (std::size_t k = 0; k < x.length; ++k) {
      const DoubleDouble centred = x.values[k * x.rows + row] - means[row];
      squares = squares + centred * centred;
    }
    const DoubleDouble root = sqrt(squares / static_cast<double>(x.length) + eps_of(call));
    for (std::size_t k = 0; k < x.length; ++k) {
      const std::size_t place = k * x.rows + row;
      const DoubleDouble y = (x.values[place] - means[row]) / root;
      out.hi.values[place] = y.hi;
      out.lo.values[place] = y.lo;
    }
  }
}

void rms_norm_exact(const OperatorCall& call, ExactLanes& out) {
  const Lanes& x = call.inputs[0];
  ExactLanes squares(x.rows, 1);
  exact_sums(x, x, squares);
  for (std::size_t row = 0; row < x.rows; ++row) {
    const DoubleDouble sum{squares.hi.values[row], squares.lo.values[row]};
    const DoubleDouble root = sqrt(sum / static_cast<double>(x.length) + eps_of(call));
    for (std::size_t k = 0; k < x.length; ++k) {
      const std::size_t place = k * x.rows + row;
      const DoubleDouble y = x.values[place] / root;
      out.hi.values[place] = y.hi;
      out.lo.values[place] = y.lo;
    }
  }
}

// --- in a format -----------------------------------------------------------------------------------------------------

Terms squares_of(const OperatorModel& model, const Lanes& x, Arithmetic& products) {
  return model.rounds_products ? Terms(x, x, products) : Terms(x, x);
}

// Σ / n, in the format of the sums.
void divide_by_length(const Lanes& x, Arithmetic& arithmetic, std::vector<double>& sums) {
  std::vector<double> count(x.rows, static_cast<double>(x.length));
  arithmetic.round(count, count);
  arithmetic.divide(sums, count, sums);
}

std::vector<double> mean_of_rows(const OperatorModel& model, const Lanes& x, Arithmetic& sums, SumEvents* events) {
  Terms terms(x);
  std::vector<double> mean = rounded_sums(model.sums(), terms, events);
  divide_by_length(x, sums, mean);
  return mean;
}

std::vector<double> mean_square(const OperatorModel& model, const Lanes& x, Arithmetic& sums, SumEvents* events) {
  Arithmetic products(model.accumulator, model.rules);
  Terms terms = squares_of(model, x, products);
  std::vector<double> mean = rounded_sums(model.sums(), terms, events);
  divide_by_length(x, sums, mean);
  return mean;
}

RowStatistics statistics_of(const OperatorCall& call, SumEvents* events) {
  const OperatorModel& model = call.model;
  const Lanes& x = call.inputs[0];
  if (call.variant == kWelford) return welford(model, x, events);
  Arithmetic sums(model.partials ? *model.partials : model.accumulator, model.rules);
  RowStatistics out;
  out.mean = mean_of_rows(model, x, sums, events);
  if (call.variant == kTwoPass) {
    Arithmetic differences(model.accumulator, model.rules);
    Lanes centred(x.rows, x.length);
    for (std::size_t k = 0; k < x.length; ++k) differences.subtract(x.at(k), out.mean, centred.at(k));
    out.variance = mean_square(model, centred, sums, events);
    return out;
  }
  out.variance = mean_square(model, x, sums, events);
  std::vector<double> square(x.rows);
  sums.multiply(out.mean, out.mean, square);
  sums.subtract(out.variance, square, out.variance);
  return out;
}

// 1 / √(v + ε) in the format of the arithmetic.
std::vector<double> inverse_root(const OperatorCall& call, std::vector<double> variance, Arithmetic& compute) {
  std::vector<double> eps(variance.size(), eps_of(call));
  compute.round(eps, eps);
  compute.round(variance, variance);
  compute.add(variance, eps, variance);
  compute.apply([](double x) { return 1 / std::sqrt(x); }, variance, variance);
  return variance;
}

void layer_norm_emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  Arithmetic compute(call.model.compute, call.model.rules);
  RowStatistics statistics = statistics_of(call, events);
  const std::vector<double> factor = inverse_root(call, statistics.variance, compute);
  compute.round(statistics.mean, statistics.mean);
  compute.round(call.inputs[0].values, out.values);
  for (std::size_t k = 0; k < out.length; ++k) {
    compute.subtract(out.at(k), statistics.mean, out.at(k));
    compute.multiply(out.at(k), factor, out.at(k));
  }
}

void rms_norm_emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  const OperatorModel& model = call.model;
  Arithmetic compute(model.compute, model.rules);
  Arithmetic sums(model.partials ? *model.partials : model.accumulator, model.rules);
  const std::vector<double> square = mean_square(model, call.inputs[0], sums, events);
  const std::vector<double> factor = inverse_root(call, square, compute);
  compute.round(call.inputs[0].values, out.values);
  for (std::size_t k = 0; k < out.length; ++k) compute.multiply(out.at(k), factor, out.at(k));
}

void row_rms(const OperatorCall& /*call*/, const ExactLanes& exact, Lanes& out) {
  std::vector<double> squares = absolute_sums(exact.hi, exact.hi);
  for (double& one : squares) one = one == 0 ? 1 : std::sqrt(one / static_cast<double>(out.length));
  for (std::size_t k = 0; k < out.length; ++k) std::copy(squares.begin(), squares.end(), out.at(k).begin());
}

const OperatorParameter kEps{.name = "eps",
                             .value = 1e-5,
                             .least = 0,
                             .most = 1,
                             .meaning = {"added to the variance under the root", "加在根号内的方差上"}};

}  // namespace

const Operator kLayerNorm{
    .name = "layer-norm",
    .also = {"layernorm", "ln"},
    .title = {"layer norm", "层归一化"},
    .formula = {"(x − μ) / √(v + eps)", "(x − μ) / √(v + eps)"},
    .inputs = {{.name = "x"}},
    .parameters = {kEps},
    .variants = {kOnePass, kTwoPass, kWelford},
    .scale = {"the rms of the row's outputs", "该行输出的均方根"},
    .not_finite = {"E[x²] − μ² came out below zero, and the root of that is NaN", "E[x²] − μ² 小于零，开方得 NaN"},
    .one_output = false,
    .length = 4096,
    .exact = layer_norm_exact,
    .emulate = layer_norm_emulate,
    .magnitude = row_rms,
    .expect = layer_norm_expect,
    .bounds = layer_norm_bounds};

const Operator kRmsNorm{.name = "rms-norm",
                        .also = {"rmsnorm", "rms"},
                        .title = {"RMS norm", "RMS 归一化"},
                        .formula = {"x / √(Σ x² / n + eps)", "x / √(Σ x² / n + eps)"},
                        .inputs = {{.name = "x"}},
                        .parameters = {kEps},
                        .scale = {"the rms of the row's outputs", "该行输出的均方根"},
                        .one_output = false,
                        .length = 4096,
                        .exact = rms_norm_exact,
                        .emulate = rms_norm_emulate,
                        .magnitude = row_rms,
                        .expect = rms_norm_expect,
                        .bounds = rms_norm_bounds};

}  // namespace assay
