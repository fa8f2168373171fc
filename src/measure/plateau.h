#pragma once
// Stretches in which a series does not move. Essay in plateau.cpp.

#include <cstddef>
#include <optional>
#include <span>

namespace assay {

struct PlateauOptions {
  double change = 0.015;   ///< of the level: what may change over the stretch
  double noises = 2;       ///< and no more than so many sigma of the noise between neighbours, or half of it
  std::size_t least = 30;  ///< finite records
};

struct Plateau {
  std::size_t first = 0;    ///< index of the first record of the stretch
  std::size_t last = 0;     ///< of the last one
  std::size_t records = 0;  ///< finite ones among them
  double level = 0;         ///< median
  double change = 0;        ///< Theil-Sen, over the whole stretch, unit of the values; negative: it falls
  double noise = 0;         ///< sigma between neighbours
};

/// The longest stretch of values[from ...] that does not move, or nothing. A stretch is told only where its noise
/// leaves room: three standard errors of the change have to be below the change allowed. Levels have to be positive.
std::optional<Plateau> longest_plateau(std::span<const double> values, std::size_t from, const PlateauOptions& options);

/// The records at the end of values[from ...] that all lie within 0.25 % of each other, five at least; nothing when
/// there are fewer. `change` is what they span. Levels have to be positive.
std::optional<Plateau> standstill(std::span<const double> values, std::size_t from);

/// The classes of a uniform guess, exp(level): the number that the run tells (`told`: vocabulary, classes) when `level`
/// is within 1 % of its entropy; untold, a usual vocabulary or 1,000 classes within 0.5 %. Fewer classes have to be
/// told: any loss lies near the logarithm of some small number.
std::optional<double> uniform_guess(double level, std::optional<double> told);

}  // namespace assay
