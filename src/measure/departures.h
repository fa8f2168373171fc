#pragma once
// Where a series leaves its level upwards: spikes, lasting rises, first bumps. Essay in departures.cpp.
//
// This measures; whether a departure is a data spike, a divergence or the way a run starts is judged elsewhere.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace assay {

/// The levels of a loss are compared by difference, those of a grad norm by ratio.
enum class Compare : std::uint8_t { kDifference, kRatio };

struct DepartureOptions {
  std::size_t window = 64;     ///< accepted records that make the level
  std::size_t least = 16;      ///< with fewer accepted records absolute terms decide
  double sigmas = 8;           ///< distance from the level in robust sigma (1.4826 MAD)
  double rise = 0.05;          ///< and at least this share of the scale; with kRatio: ratio - 1
  double back = 0.05;          ///< regained: within this share of the scale (kRatio: ratio - 1), or within 3 MAD
  double absolute_rise = 0.3;  ///< what `rise` is while fewer than `least` records stand before
  double absolute_noise = 3;   ///< and then at least this many times the noise among them
  double mad_floor = 0;        ///< least MAD, in the unit of the values; with kRatio: in natural log
  std::size_t onsets = std::numeric_limits<std::size_t>::max();  ///< look for alarms among so many values at the start
  Compare compare = Compare::kDifference;
};

/// One stretch above the level. Indices count all values of the span, those that were skipped too.
struct Departure {
  std::size_t onset = 0;                ///< first record of the rise, walked back from the alarm
  std::size_t alarm = 0;                ///< first record past the threshold
  std::size_t peak = 0;                 ///< highest record
  std::size_t half_last = 0;            ///< last record above half of the height: the acute part is onset … half_last
  std::size_t last = 0;                 ///< last record above the upper edge of the level
  std::optional<std::size_t> regained;  ///< first record back at the level; nothing: not back within the series

  double level = 0;       ///< median before, unit of the values
  double peak_value = 0;  ///< unit of the values
  double edge = 0;        ///< upper edge of the level: at or below it the level counts as regained, unit of the values
  double after = std::numeric_limits<double>::quiet_NaN();  ///< median of the first 16 records after `last` once
                                                            ///< regained, else of the last 16 of the series
  double z = 0;                                             ///< height of the peak in robust sigma
  double rise = 0;               ///< height in units of the scale: 0.1 is 10 %; with kRatio: ratio - 1
  double scale = 0;              ///< what 10 % is 10 % of; 1 with kRatio
  std::size_t before_count = 0;  ///< accepted records before it
  std::size_t after_count = 0;   ///< finite records after `last`; no more than 16 are counted once regained
  bool absolute = false;         ///< too few records before: judged without robust z
  bool ends_non_finite = false;  ///< not regained, and no finite value comes after the last one above

  std::size_t records() const { return last - onset + 1; }
};

/// All departures in the order of the series; they do not overlap. Non-finite values (with kRatio also those that are
/// not positive) and zeros before the first other value are skipped. `before`: records that came before these (of the
/// part of the run that was left): they make the level, nothing is told of them. O(n log window) time for n values,
/// O(window) memory beside the result.
std::vector<Departure> find_departures(std::span<const double> values, const DepartureOptions& options,
                                       std::span<const double> before = {});

/// The MAD below which a difference says nothing: the step to which the values were rounded (decimals printed,
/// bfloat16), or 1e-3 of the typical value where that is more. Looks at the last few thousand values at most.
double mad_floor_of(std::span<const double> values);

}  // namespace assay
