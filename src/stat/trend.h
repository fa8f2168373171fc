#pragma once
// Does a series move, and by how much? Robust slope, noise, and tests of one window against another. Essay in
// trend.cpp.
//
// NaN values are skipped everywhere. Functions that compute with values (theil_sen, neighbor_noise, median_shift) skip
// infinities too; those that only compare (mann_whitney, mann_kendall) let them take part: they have a rank.
// Too little data gives std::nullopt, or NaN where a plain number is returned.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace assay {

struct Line {
  double slope = 0.0;      ///< unit of y per unit of x
  double intercept = 0.0;  ///< y at x = 0

  double at(double x) const { return intercept + slope * x; }
};

/// Blocks that theil_sen() reduces a long series to: 19,900 pairs, about 0.3 ms, whatever the length.
inline constexpr std::size_t kTheilSenBlocks = 200;

/// Theil–Sen line through (x[i], y[i]): median of the slopes of all pairs, median of y - slope x. Up to `max_blocks`
/// points it is exact; beyond, the points are replaced by (median x, median y) of that many equal runs of records.
/// `x` is usually the step; it need not be sorted, pairs with equal x are skipped. Spans of unequal length are cut to
/// the shorter. nullopt with fewer than two different x, or if the result is not finite.
std::optional<Line> theil_sen(std::span<const double> x, std::span<const double> y,
                              std::size_t max_blocks = kTheilSenBlocks);

/// The same over the record number: slope per record, x = index in `y`.
std::optional<Line> theil_sen(std::span<const double> y, std::size_t max_blocks = kTheilSenBlocks);

/// Sigma of the noise on a slowly moving series: 1.0484 * median |difference of neighbours|, neighbours being
/// consecutive finite values. In the unit of the values. NaN with fewer than two values; 0 if most steps repeat the
/// value before (printed decimals do that: use a floor).
double neighbor_noise(std::span<const double> values);

struct MannWhitney {
  double u = 0.0;            ///< pairs (a of before, b of after) with b > a, a tie counting one half
  double superiority = 0.5;  ///< u / number of pairs: probability that a value of after is the larger one
  double z = 0.0;            ///< positive when after tends to be larger; with continuity and tie correction
  double p = 1.0;            ///< two-sided, normal approximation (good from about 8 values a side)
};

/// Is one window higher than another? nullopt if either has no value.
std::optional<MannWhitney> mann_whitney(std::span<const double> before, std::span<const double> after);

struct MedianShift {
  double before = std::numeric_limits<double>::quiet_NaN();  ///< median of the first window
  double after = std::numeric_limits<double>::quiet_NaN();   ///< median of the second
  double mad = std::numeric_limits<double>::quiet_NaN();     ///< of all values about the median of their own window
  double n = 0.0;  ///< values that the difference stands on: 1 / (1/n_before + 1/n_after)

  double difference() const { return after - before; }
  /// Difference in units of MAD / sqrt(n), signed. With a MAD of zero: 0 without difference, otherwise infinite.
  /// For Gaussian noise and no change its standard deviation is 1.2533 * 1.4826 = 1.858: 3 units are a hint, 6 a fact.
  double units() const;
};

/// nullopt if either window has no finite value.
std::optional<MedianShift> median_shift(std::span<const double> before, std::span<const double> after);

struct MannKendall {
  std::int64_t s = 0;  ///< rising pairs minus falling pairs
  double tau = 0.0;    ///< s / number of pairs, -1 to 1
  double z = 0.0;      ///< with continuity and tie correction
  double p = 1.0;      ///< two-sided

  int sign() const { return s > 0 ? 1 : (s < 0 ? -1 : 0); }
};

/// Is a series monotone in tendency? O(n log n). Fewer than two values: all zero, p = 1.
MannKendall mann_kendall(std::span<const double> values);

}  // namespace assay
