#include "study/operators/rounding_theory.h"

#include <cmath>

#include "num/format.h"
#include "num/round.h"
#include "study/operators/sum_theory.h"

namespace assay {

Moments rounding_of(const OperatorModel& model, const NumberFormat& format, double value, double grid) {
  if (!std::isfinite(value)) return {};
  const double spacing = spacing_at(format, value);
  const double size = std::abs(value);
  const bool flushes = model.rules.flush_outputs && size < smallest_normal(format);
  if (size >= spacing && !flushes) return rounding_moments(format, model.rules.rounding, value, grid);
  if (model.rules.rounding == Rounding::kStochastic && !flushes) return {0, size * (spacing - size)};
  return {round_to(format, real(value), model.rules).value - value, 0};
}

Moments adding_of(const OperatorModel& model, double term, double spacing, double sum) {
  constexpr double kKnown = 2;  // beyond so many spacings what is cut off is as good as random
  const double quanta = term / spacing;
  const Rounding rounding = model.rules.rounding;
  if (std::abs(quanta) >= kKnown) return rounding_moments(rounding, spacing, 0, sum);
  const double below = std::floor(quanta);
  const double rest = quanta - below;
  const double up = std::ceil(quanta) - quanta;
  const double square = spacing * spacing;
  switch (rounding) {
    case Rounding::kNearestEven:
    case Rounding::kNearestAway:
      if (rest == up && rest > 0) return {0, square / 4};
      return {spacing * (rest < up ? -rest : up), 0};
    case Rounding::kTowardZero: return {spacing * (sum >= 0 ? -rest : up), 0};
    case Rounding::kUp: return {spacing * up, 0};
    case Rounding::kDown: return {-spacing * rest, 0};
    case Rounding::kToOdd: return {0, square * (rest * rest + up * up) / 2};
    case Rounding::kStochastic: return {0, square * rest * up};
  }
  return {};
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
