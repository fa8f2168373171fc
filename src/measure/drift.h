#pragma once
// A rise for good without a jump: the loss that creeps upwards until the end. Essay in drift.cpp.

#include <cstddef>
#include <optional>
#include <span>

namespace assay {

struct DriftOptions {
  double rise = 0.10;         ///< of the scale (the level, or a third of the range where that is more)
  double sigmas = 6;          ///< of the smoothed series
  std::size_t least = 24;     ///< finite values that the series has to have
  double superiority = 0.95;  ///< a record of the end lies above one around the minimum with at least this probability
};

struct Drift {
  std::size_t onset = 0;     ///< last record that still lay at the minimum
  std::size_t lowest = 0;    ///< record of the minimum of the smoothed series
  double level = 0;          ///< smoothed, at the minimum, unit of the values
  double end = 0;            ///< median of the last records
  double highest = 0;        ///< of the smoothed series after the minimum
  double rise = 0;           ///< (end - level) / scale
  double sigma = 0;          ///< noise of the smoothed series
  double superiority = 0;    ///< probability that a value of the end is above one around the minimum
  bool coming_back = false;  ///< the smoothed series has been falling since its highest point, by a third of the rise
};

/// The rise that holds until the end of the series, or nothing. Non-finite values are skipped. O(n).
std::optional<Drift> find_drift(std::span<const double> values, const DriftOptions& options = {});

}  // namespace assay
