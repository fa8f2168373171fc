// Bounds of the errors of layer norm and RMS norm, against the root mean square of a row's outputs.
//
// RMS norm: everything is relative. A mean square has the relative error of its sum (B) and of the quotient, 2 u_i of
// its inputs, and the roundings on its way to the root; half of that and the inputs' own, rsqrt's, the product's and
// the output's are an output's relative error, times max|x| / rms x, the largest output against the others.
//
// Layer norm: with M1 = mean |x|, M2 = mean x², v the variance, and bounds e_μ and e_v of the mean and the variance,
//     |error_i| <= (u_i + u) (|x_i| + M1) / σ' + e_μ / σ' + |y_i| (1/√(1 − e_v / σ'²) − 1 + 3 u),
//     e_μ <= B M1 + 2 u |μ|,
//     e_v <= B M2 + u M2 + 2 |μ| e_μ + e_μ² + u (μ² + v) + …        (one-pass: n κ² u),
//     e_v <= B v + 2 u √v (√v + |μ|) + e_μ² + …                     (two-pass),
// and what rounded inputs change, 2 u_i (M2 + M1²) at most. Where e_v reaches σ'² the computed variance may be 0 or
// less, and there is no bound. Welford's has none here: its mean's errors fade by a recurrence that no simple bound
// catches.

#include <algorithm>
#include <cmath>

#include "num/format.h"
#include "study/operators/norms.h"
#include "study/operators/rounding_theory.h"

namespace assay {

namespace {

using norm_variant::kTwoPass;
using norm_variant::kWelford;

struct RowSizes {
  double mean = 0, mean_size = 0, mean_square = 0, variance = 0;
  double largest_size = 0;
  double farthest = 0;  // max |x − μ|
};

RowSizes sizes_of_row(const Lanes& x, std::size_t row) {
  RowSizes out;
  const auto n = static_cast<double>(x.length);
  const auto number = [&](std::size_t k) { return x.values[k * x.rows + row]; };
  for (std::size_t k = 0; k < x.length; ++k) {
    out.mean += number(k) / n;
    out.mean_size += std::abs(number(k)) / n;
    out.mean_square += number(k) * number(k) / n;
    out.largest_size = std::max(out.largest_size, std::abs(number(k)));
  }
  for (std::size_t k = 0; k < x.length; ++k) {
    const double distance = number(k) - out.mean;
    out.variance += distance * distance / n;
    out.farthest = std::max(out.farthest, std::abs(distance));
  }
  return out;
}

struct Units {
  double input, sums, into_compute, compute, product, output;
  double input_least, sums_least, compute_least, output_least;
};

Units units_of(const OperatorModel& model) {
  const NumberFormat& sums = sum_format(model);
  return {.input = unit_of(model, model.input),
          .sums = std::max(unit_of(model, sums), unit_of(model, model.accumulator)),
          .into_compute = conversion_unit(model, sums, model.compute),
          .compute = unit_of(model, model.compute),
          .product = model.rounds_products ? unit_of(model, model.accumulator) : 0,
          .output = unit_of(model, model.output),
          .input_least = least_error(model, model.input),
          .sums_least = least_error(model, sums) + least_error(model, model.accumulator),
          .compute_least = least_error(model, model.compute),
          .output_least = least_error(model, model.output)};
}

// n and the quotient, relative.
double quotient_unit(const Units& units) { return (2 * units.sums + units.sums * units.sums) / (1 - units.sums); }

// Of 1/√(v + ε), relative, where v has an error of at most `error`.
double root_bound(const OperatorCall& call, const Units& units, double variance, double error) {
  const double eps = call.parameters[0];
  const double radicand = variance + eps;
  const double into = units.into_compute * (variance + error) + units.compute_least;
  const double of_eps = units.compute * eps + units.compute_least;
  const double before = error + into + of_eps;
  const double all = before + units.compute * (radicand + before);
  if (!(all < radicand)) return INFINITY;
  return (1 / std::sqrt(1 - all / radicand)) * (1 + units.compute) - 1;
}

// A sum of non-negative terms of that mean, divided by n: `sum` is the sum's bound.
double mean_bound(const Units& units, double mean, double sum) {
  const double first = mean * sum + units.sums_least;
  return first + (mean + first) * quotient_unit(units) + units.sums_least;
}

// Whether a sum of the row may overflow: then no bound holds.
bool may_overflow(const OperatorCall& call, const RowSizes& row, double sum) {
  const auto n = static_cast<double>(call.length());
  const double most =
      n * std::max(row.mean_square, row.mean_size) * (1 + sum) * (1 + 4 * unit_of(call.model, call.model.input));
  const double end = std::min(largest(sum_format(call.model)), largest(call.model.accumulator));
  return !(most < end && most / n < largest(call.model.compute));
}

double rms_row_bound(const OperatorCall& call, const RowSizes& row, double sum) {
  if (may_overflow(call, row, sum)) return INFINITY;
  const Units units = units_of(call.model);
  const double rms = std::sqrt(row.mean_square);
  const double change = units.input + units.input_least / rms;
  const double square = row.mean_square * (1 + change) * (1 + change) * (1 + units.product);
  const double error = square - row.mean_square + mean_bound(units, square, sum);
  const double root = root_bound(call, units, row.mean_square, error);
  const double deviation = std::sqrt(row.mean_square + call.parameters[0]);
  const double into = conversion_unit(call.model, call.model.input, call.model.compute);
  const double relative = (1 + units.input) * (1 + into) * (1 + root) * (1 + units.compute) * (1 + units.output) - 1;
  const double least = (units.input_least + units.compute_least) * (1 + root) / rms +
                       2 * (units.compute_least + units.output_least) * deviation / rms;
  return row.largest_size / rms * relative + least;
}

// Errors of a row's mean and variance, those that rounded inputs make included.
struct StatisticsBound {
  double mean = 0, variance = 0;
};

StatisticsBound statistics_bound(const OperatorCall& call, const RowSizes& row, double sum) {
  const Units units = units_of(call.model);
  const double size = row.mean_size * (1 + units.input) + units.input_least;
  const double root = std::sqrt(row.mean_square) * (1 + units.input) + units.input_least;
  const double square = root * root;
  const double size_change = size - row.mean_size;
  StatisticsBound out;
  const double mean_error = mean_bound(units, size, sum);
  out.mean = size_change + mean_error;
  // The variance of the rounded inputs differs by that of the roundings, at most.
  const double spread = std::sqrt(row.variance);
  const double spread_change = root - std::sqrt(row.mean_square);
  out.variance = 2 * spread * spread_change + spread_change * spread_change;
  if (call.variant == kTwoPass) {
    const double far = row.farthest + size_change + row.largest_size * units.input + units.input_least + mean_error;
    const double difference = unit_of(call.model, call.model.accumulator) * far + units.sums_least;
    const double kept = spread + spread_change + mean_error + difference;
    out.variance += 2 * (spread + spread_change) * (mean_error + difference) +
                    (mean_error + difference) * (mean_error + difference);
    out.variance += kept * kept * units.product + mean_bound(units, kept * kept * (1 + units.product), sum);
    return out;
  }
  const double mean = std::abs(row.mean) + size_change;
  const double mean_square = (mean + mean_error) * (mean + mean_error);
  const double first = square * units.product + mean_bound(units, square * (1 + units.product), sum) +
                       2 * mean * mean_error + mean_error * mean_error + units.sums * mean_square + units.sums_least;
  out.variance += first + units.sums * (row.variance + out.variance + first);
  return out;
}

double layer_row_bound(const OperatorCall& call, const RowSizes& row, double sum) {
  if (may_overflow(call, row, sum)) return INFINITY;
  const Units units = units_of(call.model);
  const StatisticsBound statistics = statistics_bound(call, row, sum);
  const double deviation = std::sqrt(row.variance + call.parameters[0]);
  const double root = root_bound(call, units, row.variance, statistics.variance);
  const double into = units.input + conversion_unit(call.model, call.model.input, call.model.compute);
  const double mean = std::abs(row.mean) + statistics.mean;
  const double moved = row.largest_size * (into + units.input * into) + units.input_least + units.compute_least +
                       statistics.mean + units.into_compute * mean + units.compute_least;
  const double difference = moved + units.compute * (row.farthest + moved) + units.compute_least;
  const double rounding = (1 + units.compute) * (1 + units.output);
  const double factor = (1 + root) * rounding;
  const double error = row.farthest * (factor - 1) + difference * factor;
  const double least = 2 * (units.compute_least + units.output_least);
  const double rms = std::sqrt(row.variance) / deviation;
  return (error / deviation + least) / rms;
}

template <class RowBound>
SumBounds worst_row(const OperatorCall& call, double outputs, RowBound bound) {
  const Lanes& x = call.inputs[0];
  const SumBounds sums = sum_bounds(call.model.sums(), x.length, outputs);
  SumBounds out;
  for (std::size_t index = 0; index < x.rows; ++index) {
    const RowSizes row = sizes_of_row(x, index);
    if (!std::isfinite(row.mean_square)) continue;  // its results are not finite either
    out.certain = std::max(out.certain, bound(call, row, sums.certain));
    out.probable = std::max(out.probable, bound(call, row, sums.probable));
  }
  return out;
}

}  // namespace

SumBounds layer_norm_bounds(const OperatorCall& call, double outputs) {
  if (call.variant == kWelford) return {INFINITY, INFINITY};
  return worst_row(call, outputs, layer_row_bound);
}

SumBounds rms_norm_bounds(const OperatorCall& call, double outputs) { return worst_row(call, outputs, rms_row_bound); }

}  // namespace assay
