#pragma once
// What theory expects of rounding errors, before one is drawn. Essay: expected_error.cpp.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "num/reduction.h"
#include "num/round.h"

namespace assay {

/// Mean and variance of an error.
struct Moments {
  double mean = 0;
  double variance = 0;
  Moments& operator+=(const Moments& other) {
    mean += other.mean;
    variance += other.variance;
    return *this;
  }
};

/// Distance of neighbouring numbers around a value; of zero the least.
double spacing_at(const NumberFormat& format, double value);

/// The error of rounding to multiples of `spacing` a number of which nothing is known but that it is a multiple of
/// `grid` (0: of nothing). `sign` of the number: for roundings toward zero and away. Both are powers of two.
Moments rounding_moments(Rounding rounding, double spacing, double grid, double sign);

/// The error of rounding `value`, a multiple of `grid`, into a format, by its spacing there.
Moments rounding_moments(const NumberFormat& format, Rounding rounding, double value, double grid = 0);

/// A sum as theory follows it.
struct ExpectedSum {
  double value = 0;  // the exact sum, and the mean of the errors until here
  double grid = 0;   // it is a multiple of this
  double peak = 0;   // largest magnitude on the way
  Moments error;     // of all additions until here, the rounding of the first terms included
};

/// What happens to a term that is added to a sum on a coarser grid: it is rounded to that grid. Mean and variance of
/// that over the terms of a sample, which should be larger than the sum is long: n terms add up n times the error of
/// its mean, beside √n times their own.
class TermRounding {
 public:
  /// What decides where "toward zero" is: a sum to which the terms are added, or each term itself (terms are cut before
  /// they are added).
  enum class Zero : std::uint8_t { kOfSum, kOfTerm };
  TermRounding(std::vector<double> sample, Rounding rounding, Zero zero = Zero::kOfSum)
      : sample_(std::move(sample)), rounding_(rounding), zero_(zero) {}
  /// `sum`: its sign matters for kOfSum.
  const Moments& to(double spacing, double sum);

 private:
  Moments measure(double spacing, Rounding rounding, bool negative) const;

  std::vector<double> sample_;
  Rounding rounding_;
  Zero zero_;
  std::map<std::pair<double, bool>, Moments> known_;
};

/// The expected error of one row's sum. `terms`: exact; `grids`: what each is a multiple of (0: not known).
ExpectedSum expected_sum(const SumModel& model, std::span<const double> terms, std::span<const double> grids,
                         TermRounding& term_rounding);

/// Bounds of |error| / sum of |terms| of a sum of n terms, for accumulators with unit roundoff u.
struct SumBounds {
  double certain = 0;   // height · u (2u where rounding is not to nearest)
  double probable = 0;  // with probability 1 − 1e-3 for each of `outputs` at once
};
SumBounds sum_bounds(const SumModel& model, std::size_t n, double outputs);

}  // namespace assay
