// The expected errors of layer norm and RMS norm.
//
// The inputs, with σ' = √(v + ε) and y_j the outputs: if x_j changes by δ_j,
//     δy_i = (δ_i − mean δ − y_i · mean(y δ)) / σ'            (of RMS norm without the second term)
// and with independent δ_j of variance v_j the sums of v, y v and y² v over the row give every output's variance.
//
// The arithmetic. With errors e_μ of the mean and e_v of the variance, and ρ_i of x_i − μ,
//     δy_i = (ρ_i − e_μ) / σ' − y_i e_v / (2 σ'²) + roundings of v, v + ε, 1/√ and the product.
// e_μ and e_v come from the theory of sums (num/expected_error.cpp):
//     one-pass   e_v = e(Σx²)/n − 2 μ e_μ + roundings of the quotient, of μ² and of the difference;
//                all of size u μ², so that e_v / v is of size κ² u, κ² = 1 + μ²/σ² (of √n κ² u for a sequential sum)
//     two-pass   e_v = e(Σd²)/n + 2 mean(d ρ) + e_μ²
//     welford    welford.cpp
// Where a sum stagnates or cuts, e_v has a mean that is not small: the outputs are then too large by √(v / (v + mean
// e_v)), and all else is scaled with them. Where its deviation τ = dev(e_v) / v is not small, the mean and the mean
// square of (1 + t)^(−1/2) over a normal t take the place of 1 − t/2; what lies at t < −1 is NaN and no error that can
// be measured.
//
// Where it fails: τ above 0.4, where it says nothing (a variance near zero makes outputs of any size, and most of the
// mean square is a few of them); rows of equal numbers.

#include <algorithm>
#include <cmath>
#include <limits>

#include "num/format.h"
#include "study/operators/norms.h"
#include "study/operators/rounding_theory.h"
#include "study/operators/sum_theory.h"

namespace assay {

namespace {

using norm_variant::kTwoPass;
using norm_variant::kWelford;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostDeviation = 0.4;  // of the variance, relative: beyond it 1/√ has hardly a mean square

// A row as it is rounded into the input's format, and what is exact of it.
struct Row {
  std::vector<double> x;
  double mean = 0, variance = 0, mean_square = 0;
  double eps = 0, kept_eps = 0;
  double n() const { return static_cast<double>(x.size()); }
};

Row row_as_rounded(const OperatorCall& call, std::size_t index) {
  Row row;
  row.x = row_of(call.inputs[0], index);
  for (double& number : row.x) number = round_to(call.model.input, real(number), call.model.rules).value;
  for (const double number : row.x) row.mean += number / row.n();
  for (const double number : row.x) {
    row.variance += (number - row.mean) * (number - row.mean) / row.n();
    row.mean_square += number * number / row.n();
  }
  row.eps = call.parameters[0];
  row.kept_eps = round_to(call.model.compute, real(row.eps), call.model.rules).value;
  return row;
}

// Of Σ / n, where the sum has an error; both in the format of the sums. Infinite where the sum is beyond the format.
Moments divided(const OperatorModel& model, const Moments& sum_error, double sum, double n) {
  const NumberFormat& format = sum_format(model);
  const double kept_n = round_to(format, real(n), model.rules).value;
  Moments out = scaled(sum_error, 1 / kept_n);
  const double kept_sum = sum + sum_error.mean;
  if (std::abs(kept_sum) > largest(format))
    return {round_to(format, real(kept_sum), model.rules).value / kept_n - sum / n, 0};
  const double quotient = kept_sum / kept_n;
  out.mean += sum / kept_n - sum / n;
  // By a power of two the quotient has the sum's digits.
  const double grid = std::exp2(std::floor(std::log2(kept_n))) == kept_n ? spacing_at(format, quotient) : 0;
  out += rounding_about(model, format, quotient, std::sqrt(out.variance), grid);
  return out;
}

ExpectedStatistics expect_one_pass(const OperatorModel& model, const Row& row, double& peak) {
  const NumberFormat& format = sum_format(model);
  const double n = row.n();
  ExpectedStatistics out;
  out.mean = divided(model, expected_row_sum(model, model.input, row.x, false, peak), row.mean * n, n);
  Moments square = divided(model, expected_row_sum(model, model.input, row.x, true, peak), row.mean_square * n, n);
  const double mean = row.mean + out.mean.mean;
  const double deviation = std::sqrt(out.mean.variance);
  const Moments of_mean = rounding_about(model, format, mean * mean, 2 * std::abs(mean) * deviation);
  const double minuend = row.mean_square + square.mean;
  const double subtrahend = mean * mean + out.mean.variance + of_mean.mean;
  out.variance = {minuend - subtrahend - row.variance,
                  square.variance + 4 * mean * mean * out.mean.variance + of_mean.variance};
  const double grid = std::min(spacing_at(format, minuend), spacing_at(format, subtrahend));
  out.variance += rounding_of(model, format, minuend - subtrahend, grid);
  return out;
}

ExpectedStatistics expect_two_pass(const OperatorModel& model, const Row& row, double& peak) {
  const NumberFormat& format = model.accumulator;
  const double n = row.n();
  ExpectedStatistics out;
  out.mean = divided(model, expected_row_sum(model, model.input, row.x, false, peak), row.mean * n, n);
  const double mean = row.mean + out.mean.mean;
  std::vector<double> differences;
  double square = 0;
  Moments of_differences;
  for (const double number : row.x) {
    const double difference = number - mean;
    const double grid = std::min(spacing_at(model.input, number), spacing_at(sum_format(model), mean));
    const Moments error = rounding_of(model, format, difference, grid);
    of_differences += scaled(error, 2 * difference);
    differences.push_back(difference);
    square += difference * difference;
  }
  Moments sum_error = expected_row_sum(model, format, std::move(differences), true, peak);
  sum_error += of_differences;
  sum_error.mean += n * out.mean.variance + square - row.variance * n;
  out.variance = divided(model, sum_error, row.variance * n, n);
  return out;
}

// 1/√ of a number that has an error: the factor that its mean makes, and mean and variance of what is left, relative.
struct RootErrors {
  double factor = 1;
  Moments rest;
};

Moments of_inverse_root(double deviation) {
  constexpr double kSmall = 0.02;
  if (deviation < kSmall) return {0, deviation * deviation / 4};
  constexpr int kSteps = 200;
  constexpr double kReach = 5;
  double weights = 0, sum = 0, squares = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double z = kReach * ((2 * step + 1.0) / kSteps - 1);
    const double t = 1 + z * deviation;
    if (t <= 0) continue;
    const double weight = std::exp(-z * z / 2);
    const double error = 1 / std::sqrt(t) - 1;
    weights += weight;
    sum += weight * error;
    squares += weight * error * error;
  }
  const double mean = sum / weights;
  return {mean, squares / weights - mean * mean};
}

// `value`: v, exact, with an error in the format of the sums.
RootErrors expect_root(const OperatorModel& model, const Row& row, double value, Moments error) {
  const NumberFormat& compute = model.compute;
  const NumberFormat& sums = sum_format(model);
  RootErrors out;
  const auto round_about = [&](double number, double grid) {
    error += rounding_about(model, compute, number, std::sqrt(error.variance), grid);
  };
  const double given = value + error.mean;
  if (!(given <= largest(compute))) return {0, {}};
  round_about(given, spacing_at(sums, given));
  const double kept = value + error.mean;
  const double radicand = kept + row.kept_eps;
  error.mean += row.kept_eps - row.eps;
  const double grid = std::max(spacing_at(compute, kept), spacing_at(sums, kept));
  const double spacing = spacing_at(compute, radicand);
  if (grid >= spacing) {
    error += known_error(model.rules.rounding, row.kept_eps, spacing, radicand);
  } else {
    round_about(radicand, std::min(grid, spacing_at(compute, row.kept_eps)));
  }
  const double exact = value + row.eps;
  const double shifted = exact + error.mean;
  const double deviation = std::sqrt(error.variance) / shifted;
  if (!(shifted > 0) || deviation > kMostDeviation) return {kNan, {}};
  out.factor = std::sqrt(exact / shifted);
  out.rest = of_inverse_root(deviation);
  const double root = 1 / std::sqrt(shifted);
  out.rest += scaled(rounding_about(model, compute, root, root * std::sqrt(out.rest.variance)), 1 / root);
  return out;
}

// δ_i − mean δ − y_i · mean(y δ), or without the second term, over σ'.
void expect_inputs(const OperatorCall& call, std::size_t index, const ExactLanes& exact, bool centres, double root,
                   ExpectedErrors& out) {
  const std::size_t length = call.length();
  const auto n = static_cast<double>(length);
  std::vector<Moments> errors(length);
  Moments plain, once;  // Σ of the errors, and of them times y
  double crossed = 0;   // Σ y · variance
  for (std::size_t k = 0; k < length; ++k) {
    const std::size_t place = k * call.rows() + index;
    const double y = exact.hi.values[place];
    errors[k] = input_rounding(call.model, call.inputs[0].values[place]);
    plain += errors[k];
    once += scaled(errors[k], y);
    crossed += y * errors[k].variance;
  }
  const double centre = centres ? 1 : 0;
  for (std::size_t k = 0; k < length; ++k) {
    const std::size_t place = k * call.rows() + index;
    const double y = exact.hi.values[place];
    const double mean = errors[k].mean - centre * plain.mean / n - y * once.mean / n;
    const double variance = errors[k].variance * (1 - 2 * centre / n - 2 * y * y / n) +
                            (centre * plain.variance + y * y * once.variance + 2 * centre * y * crossed) / (n * n);
    out.input[place] += scaled({mean, std::max(0.0, variance)}, 1 / root);
  }
}

// The outputs (x − centre) · 1/√: `centre` with an error.
void expect_outputs(const OperatorCall& call, std::size_t index, const Row& row, double centre, Moments centre_error,
                    const RootErrors& root, double deviation, bool centres, ExpectedErrors& out) {
  const OperatorModel& model = call.model;
  const double used = centre + centre_error.mean;
  if (centres) {
    const double spread = std::sqrt(centre_error.variance);
    centre_error += rounding_about(model, model.compute, used, spread, spacing_at(sum_format(model), used));
  }
  const double centre_grid = spacing_at(model.compute, used);
  for (std::size_t k = 0; k < row.x.size(); ++k) {
    const double x = row.x[k];
    const double grid = spacing_at(model.input, x);
    const double difference = x - centre;
    Moments error = rounding_of(model, model.compute, x, grid);
    if (centres) {
      const double own_grid = std::max(grid, spacing_at(model.compute, x));
      error += rounding_of(model, model.compute, difference, std::min(own_grid, centre_grid));
      error += scaled(centre_error, -1);
    }
    const double y = difference / deviation;
    const double shifted = y * root.factor;
    Moments whole = scaled(error, root.factor / deviation);
    whole += scaled(root.rest, shifted);
    whole.mean += shifted - y;
    whole += rounding_of(model, model.compute, shifted);
    out.inner[k * call.rows() + index] += whole;
  }
}

}  // namespace

void layer_norm_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  results_are_of(call.model.compute, exact, out);
  for (std::size_t index = 0; index < call.rows(); ++index) {
    const Row row = row_as_rounded(call, index);
    const ExpectedStatistics statistics = call.variant == kWelford   ? expect_welford(call.model, row.x)
                                          : call.variant == kTwoPass ? expect_two_pass(call.model, row, out.peak)
                                                                     : expect_one_pass(call.model, row, out.peak);
    const double deviation = std::sqrt(row.variance + row.eps);
    const RootErrors root = expect_root(call.model, row, row.variance, statistics.variance);
    expect_inputs(call, index, exact, true, deviation, out);
    expect_outputs(call, index, row, row.mean, statistics.mean, root, deviation, true, out);
  }
}

void rms_norm_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  const OperatorModel& model = call.model;
  results_are_of(model.compute, exact, out);
  for (std::size_t index = 0; index < call.rows(); ++index) {
    const Row row = row_as_rounded(call, index);
    const double n = row.n();
    const Moments sum = expected_row_sum(model, model.input, row.x, true, out.peak);
    const RootErrors root = expect_root(model, row, row.mean_square, divided(model, sum, row.mean_square * n, n));
    const double deviation = std::sqrt(row.mean_square + row.eps);
    expect_inputs(call, index, exact, false, deviation, out);
    expect_outputs(call, index, row, 0, {}, root, deviation, false, out);
  }
}

}  // namespace assay
