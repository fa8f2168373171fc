#include "study/operators/rounding_theory.h"

#include <cmath>

#include "num/format.h"
#include "num/round.h"
#include "study/operators/sum_theory.h"

namespace assay {

Moments known_error(Rounding rounding, double number, double spacing, double sign) {
  const double quanta = number / spacing;
  const double below = quanta - std::floor(quanta);
  const double above = std::ceil(quanta) - quanta;
  const double square = spacing * spacing;
  switch (rounding) {
    case Rounding::kNearestEven:
    case Rounding::kNearestAway:
      if (below == above && below > 0) return {0, square / 4};
      return {spacing * (below < above ? -below : above), 0};
    case Rounding::kTowardZero: return {spacing * (sign >= 0 ? -below : above), 0};
    case Rounding::kUp: return {spacing * above, 0};
    case Rounding::kDown: return {-spacing * below, 0};
    case Rounding::kToOdd: return {0, square * (below * below + above * above) / 2};
    case Rounding::kStochastic: return {0, square * below * above};
  }
  return {};
}

Moments rounding_of(const OperatorModel& model, const NumberFormat& format, double value, double grid) {
  if (!std::isfinite(value)) return {};
  const double spacing = spacing_at(format, value);
  const double size = std::abs(value);
  const double greatest = largest(format);
  if (size > greatest && size - greatest >= spacing / 2) {  // an infinite result has no error that could be told
    const double stored = round_to(format, real(value), model.rules).value;
    return {std::isfinite(stored) ? stored - value : 0, 0};
  }
  const bool flushes = model.rules.flush_outputs && size < smallest_normal(format);
  if (size >= spacing && !flushes) return rounding_moments(format, model.rules.rounding, value, grid);
  if (model.rules.rounding == Rounding::kStochastic && !flushes) return {0, size * (spacing - size)};
  return {round_to(format, real(value), model.rules).value - value, 0};
}

Moments adding_of(const OperatorModel& model, double term, double spacing, double sum) {
  constexpr double kKnown = 2;  // beyond so many spacings what is cut off is as good as random
  const Rounding rounding = model.rules.rounding;
  if (std::abs(term) >= kKnown * spacing) return rounding_moments(rounding, spacing, 0, sum);
  return known_error(rounding, term, spacing, sum);
}

Moments rounding_about(const OperatorModel& model, const NumberFormat& format, double value, double deviation,
                       double grid) {
  if (!std::isfinite(value)) return {};
  const double spacing = spacing_at(format, value);
  if (grid >= spacing) return {};
  if (deviation >= spacing || std::abs(value) < spacing) return rounding_of(model, format, value, grid);
  constexpr double kFine = 1.0 / 64;  // of a spacing: a grid that makes no difference
  constexpr int kSteps = 24;
  constexpr double kReach = 3;
  double weights = 0, mean = 0, square = 0;
  for (int step = 0; step <= kSteps; ++step) {
    const double z = kReach * (2.0 * step / kSteps - 1);
    const double weight = std::exp(-z * z / 2);
    double number = value + z * deviation;
    if (grid > spacing * kFine) number = grid * std::round(number / grid);
    const Moments one = known_error(model.rules.rounding, number, spacing, value);
    weights += weight;
    mean += weight * one.mean;
    square += weight * (one.mean * one.mean + one.variance);
  }
  mean /= weights;
  return {mean, std::max(0.0, square / weights - mean * mean)};
}

double least_error(const OperatorModel& model, const NumberFormat& format) {
  if (model.rules.flush_outputs || model.rules.flush_inputs || !format.has_subnormals) return smallest_normal(format);
  return smallest_positive(format);
}

double conversion_unit(const OperatorModel& model, const NumberFormat& from, const NumberFormat& to) {
  return from.precision <= to.precision ? 0 : unit_of(model, to);
}

double unit_of(const OperatorModel& model, const NumberFormat& format) {
  const Rounding rounding = model.rules.rounding;
  const bool nearest = rounding == Rounding::kNearestEven || rounding == Rounding::kNearestAway;
  return unit_roundoff(format) * (nearest ? 1 : 2);
}

Moments expected_row_sum(const OperatorModel& model, const NumberFormat& format, std::vector<double> terms,
                         bool squares, double& peak) {
  OperatorModel sums = model;
  sums.input = format;
  sums.unit.reset();
  Lanes row(1, terms.size());
  row.values = std::move(terms);
  std::vector<Moments> error(1);
  expect_sums(sums, row, squares ? &row : nullptr, error, peak);
  return error.front();
}

std::vector<double> row_of(const Lanes& lanes, std::size_t row) {
  std::vector<double> out(lanes.length);
  for (std::size_t k = 0; k < lanes.length; ++k) out[k] = lanes.values[k * lanes.rows + row];
  return out;
}

}  // namespace assay
