#pragma once
// What the rank tests share: average ranks with their tie terms, and the tail of the normal distribution.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace assay {

struct Ranks {
  std::vector<double> rank;          ///< 1 for the smallest; equal values share the mean of their ranks
  std::vector<std::int64_t> groups;  ///< sizes of the groups of equal values that have more than one member
};

/// Ranks of values among which is no NaN (infinities are in order and have ranks). O(n log n).
Ranks average_ranks(std::span<const double> values);

/// Probability that a standard normal variable is at least as far from 0 as `z` is. NaN for NaN.
inline double two_sided_p(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

}  // namespace assay
