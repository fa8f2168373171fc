#pragma once
// Stretches in which a series swings about its local level. Essay in swings.cpp.

#include <cstddef>
#include <optional>
#include <span>

namespace assay {

struct SwingOptions {
  double amplitude = 0.10;  ///< sigma of the swings in units of the scale
  double growth = 3;        ///< over the calmest stretch before
  double always = 0.30;     ///< amplitude that counts without a calm stretch before
  double share = 0.2;       ///< of the records that the stretch has to cover
  std::size_t least = 48;   ///< finite records that the series has to have
};

struct Swings {
  std::size_t first = 0;     ///< index of the first record of the stretch
  std::size_t last = 0;      ///< of the last one
  double amplitude = 0;      ///< median over the stretch, in units of the scale
  double calm = 0;           ///< amplitude of the calmest stretch before; 0: there is none
  double level_before = 0;   ///< of its first half
  double level_after = 0;    ///< of its second half
  std::size_t smoothed = 1;  ///< records in a point: 1, 8 or 64 (slow swings show in blocks only)
  double sign_change_rate = 0;
};

/// The longest stretch of violent swings during which the level does not fall, or nothing. O(n log n).
std::optional<Swings> find_swings(std::span<const double> values, const SwingOptions& options);

}  // namespace assay
