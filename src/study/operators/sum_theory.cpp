#include "study/operators/sum_theory.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "num/double_bits.h"
#include "num/double_double.h"
#include "num/expected_unit.h"
#include "num/format.h"
#include "study/operators/rounding_theory.h"

namespace assay {

namespace {

// Terms whose rounding to a coarse grid is looked at.
constexpr std::size_t kSample = std::size_t{1} << 18;

struct RowTerms {
  std::vector<double> values, grids;
};

RowTerms terms_of(const OperatorModel& model, const Lanes& a, const Lanes* b, std::size_t row) {
  RowTerms out;
  out.values = row_of(a, row);
  const RowGrids left(model.input, out.values);
  out.grids.resize(out.values.size());
  for (std::size_t k = 0; k < out.values.size(); ++k) out.grids[k] = left.of(out.values[k]);
  if (b == nullptr) return out;
  const std::vector<double> factors = row_of(*b, row);
  const RowGrids right(model.input, factors);
  for (std::size_t k = 0; k < factors.size(); ++k) {
    out.values[k] *= factors[k];
    out.grids[k] *= right.of(factors[k]);
  }
  return out;
}

// Products that are rounded before they are added.
void round_terms(const OperatorModel& model, RowTerms& terms, Moments& error) {
  for (std::size_t k = 0; k < terms.values.size(); ++k) {
    error += rounding_moments(model.accumulator, model.rules.rounding, terms.values[k], terms.grids[k]);
    terms.grids[k] = std::max(terms.grids[k], spacing_at(model.accumulator, terms.values[k]));
  }
}

}  // namespace

double lowest_bit(double number) {
  if (number == 0 || !std::isfinite(number)) return std::numeric_limits<double>::infinity();
  const DoubleParts parts = parts_of(number);
  const int exponent = parts.exponent + std::countr_zero(parts.whole);
  return exponent >= std::numeric_limits<double>::min_exponent - 1 ? power_of_two(exponent) : std::ldexp(1.0, exponent);
}

void exact_sums(const Lanes& x, ExactLanes& out) {
  for (std::size_t k = 0; k < x.length; ++k) add_to(out.hi.values, out.lo.values, x.at(k));
}

void exact_sums(const Lanes& a, const Lanes& b, ExactLanes& out) {
  for (std::size_t k = 0; k < a.length; ++k) add_product_to(out.hi.values, out.lo.values, a.at(k), b.at(k));
}

std::vector<double> absolute_sums(const Lanes& x) {
  std::vector<double> out(x.rows);
  for (std::size_t k = 0; k < x.length; ++k) {
    const std::span<const double> term = x.at(k);
    for (std::size_t row = 0; row < x.rows; ++row) out[row] += std::abs(term[row]);
  }
  return out;
}

std::vector<double> absolute_sums(const Lanes& a, const Lanes& b) {
  std::vector<double> out(a.rows);
  for (std::size_t k = 0; k < a.length; ++k) {
    const std::span<const double> left = a.at(k);
    const std::span<const double> right = b.at(k);
    for (std::size_t row = 0; row < a.rows; ++row) out[row] += std::abs(left[row] * right[row]);
  }
  return out;
}

Lanes rounded_inputs(const OperatorModel& model, const Lanes& numbers) {
  Lanes out(numbers.rows, numbers.length);
  Arithmetic(model.input, model.rules).round(numbers.values, out.values);
  return out;
}

RowGrids::RowGrids(const NumberFormat& format, std::span<const double> numbers)
    : format_(format), least_(std::numeric_limits<double>::infinity()) {
  for (const double number : numbers) least_ = std::min(least_, lowest_bit(number));
}

double RowGrids::of(double number) const { return std::max(least_, spacing_at(format_, number)); }

std::vector<double> expect_sums(const OperatorModel& model, const Lanes& a, const Lanes* b, std::span<Moments> inner,
                                double& peak) {
  std::vector<double> sum_grids;
  const Lanes left = rounded_inputs(model, a);
  const Lanes right = b != nullptr ? rounded_inputs(model, *b) : Lanes();
  std::vector<RowTerms> rows;
  std::vector<double> sample;
  const std::size_t step = std::max<std::size_t>(1, a.values.size() / kSample);
  for (std::size_t row = 0; row < a.rows; ++row) {
    rows.push_back(terms_of(model, left, b != nullptr ? &right : nullptr, row));
    if (b != nullptr && model.rounds_products && !model.unit) round_terms(model, rows.back(), inner[row]);
    const std::vector<double>& terms = rows.back().values;
    for (std::size_t k = row % step; k < terms.size(); k += step) sample.push_back(terms[k]);
  }
  const SumModel sums = model.sums();
  TermRounding rounding = model.unit
                              ? TermRounding(std::move(sample), model.unit->alignment, TermRounding::Zero::kOfTerm)
                              : TermRounding(std::move(sample), sums.rules.rounding);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const ExpectedSum one = model.unit ? expected_unit_sum(*model.unit, row_of(left, row), row_of(right, row), rounding)
                                       : expected_sum(sums, rows[row].values, rows[row].grids, rounding);
    inner[row] += one.error;
    peak = std::max(peak, one.peak);
    sum_grids.push_back(one.grid);
  }
  return sum_grids;
}

void results_are_of(const NumberFormat& format, const ExactLanes& exact, ExpectedErrors& out) {
  out.grid.clear();
  for (const double result : exact.hi.values) out.grid.push_back(spacing_at(format, result));
}

Moments input_rounding(const OperatorModel& model, double number) {
  static const NumberFormat data = *number_format("fp32");
  const double grid = std::max(spacing_at(data, number), lowest_bit(number));
  if (!std::isfinite(grid)) return {};
  return rounding_of(model, model.input, number, grid);
}

}  // namespace assay
