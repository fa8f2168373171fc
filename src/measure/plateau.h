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

/// The classes of a uniform guess, exp(level), when `level` is within 1 % of the entropy of a usual number of them
/// (2, 3, 4, 5, 10, 20, 50, 100, 1000, or `vocabulary`); without `vocabulary` also within 0.5 % of that of a usual one
/// (32,000, 50,257, 128,256, …).
std::optional<double> uniform_guess(double level, std::optional<double> vocabulary);

}  // namespace assay
