#pragma once
// Does a series swing, how hard, and with which period? Essay in oscillation.cpp.
//
// Non-finite values are skipped where order suffices (oscillation) and stand for the local level where positions
// matter (autocorrelation, dominant_period): removing them would shift everything behind.

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace assay {

struct Oscillation {
  double sign_change_rate = 0.0;  ///< share of neighbours on different sides of the local level: 1/2 for noise
  double residual_std = 0.0;      ///< standard deviation around the local level, unit of the values
  double residual_sigma = 0.0;    ///< the same estimated from the MAD: not moved by single spikes
  double level = 0.0;             ///< median of the values, unit of the values
  std::size_t count = 0;          ///< finite values

  /// Swing in units of the level: residual_std (or residual_sigma) / |level|. Meaningless for losses around zero.
  double relative_std() const;
  double relative_sigma() const;
};

/// The local level is the mid-hinge of 2 half_width + 1 finite values around each. nullopt with fewer than 8 of them.
/// O(n log half_width).
std::optional<Oscillation> oscillation(std::span<const double> values, std::size_t half_width = 8);

/// Autocorrelation of the values about their mean at lags 0 .. max_lag (cut to n - 1); [0] is 1. Normalised by the
/// number of pairs, so that a periodic series has peaks of equal height. Empty without spread. O(n log n).
std::vector<double> autocorrelation(std::span<const double> values, std::size_t max_lag);

struct Period {
  double records = 0.0;   ///< length in records, good to about 1 %
  double strength = 0.0;  ///< autocorrelation there: share of the variance about the trend that repeats, at most 1
  double repeat = 0.0;    ///< the same after two periods: near `strength` if it truly repeats
};

/// Beyond so many records a series is replaced by means of equal blocks before its period is looked for.
inline constexpr std::size_t kPeriodPoints = std::size_t{1} << 20;

/// Clearest period between 2 records and a quarter of the series, about a trend that bends more slowly than it. nullopt
/// if nothing repeats: no peak of the autocorrelation that is at least `least_strength`, stands out of what noise of
/// this correlation does, and comes back after two periods with half of its height. Fewer than 32 records give nullopt.
/// With n > max_points, periods below 2 n / max_points records cannot be seen. About 0.25 s for a million records.
std::optional<Period> dominant_period(std::span<const double> values, double least_strength = 0.1,
                                      std::size_t max_points = kPeriodPoints);

}  // namespace assay
