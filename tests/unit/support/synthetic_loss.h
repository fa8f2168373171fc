#pragma once
// Training losses made by formula: a power law that falls to a floor, with the kinds of noise that real logs have.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "unit/stat_random.h"

namespace assay::test {

enum class Noise : std::uint8_t {
  kGauss,         // a large batch
  kSkewed,        // hard batches are further from the mean than easy ones
  kSingleSample,  // records of one sample each: 10 to 20 % of the level
  kCorrelated,    // neighbouring batches are alike
  kCount
};

struct LossShape {
  double first = 11.0;
  double floor = 2.8;
  double time = 200;  // records in which the fall slows down
  double power = 0.6;
  double noise = 0.02;  // sigma as a share of the level
  Noise kind = Noise::kGauss;
  std::size_t epoch = 0;    // records of an epoch; 0: one pass. Later epochs are lower by `memorised`
  double memorised = 0.12;  // share of the level by which each epoch falls at its border
  std::size_t ends_at_plateau = 0;
};

inline double to_bfloat16(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF0000U;
  return static_cast<double>(std::bit_cast<float>(rounded));
}

inline double to_decimals(double value, int decimals) {
  const double factor = std::pow(10.0, decimals);
  return std::round(value * factor) / factor;
}

inline std::vector<double> healthy_loss(std::size_t records, const LossShape& shape, Random& random) {
  std::vector<double> out(records);
  double memory = 0;
  for (std::size_t i = 0; i < records; ++i) {
    double level =
        shape.floor + (shape.first - shape.floor) * std::pow(1 + static_cast<double>(i) / shape.time, -shape.power);
    if (shape.epoch > 0) level *= std::pow(1 - shape.memorised, static_cast<double>(i / shape.epoch));
    double deviation = random.gauss();
    if (shape.kind == Noise::kSkewed) deviation = std::exp(0.5 * deviation) - std::exp(0.125);
    if (shape.kind == Noise::kCorrelated) {
      memory = 0.8 * memory + 0.6 * deviation;
      deviation = memory;
    }
    const double sigma = shape.kind == Noise::kSingleSample ? 0.15 : shape.noise;
    out[i] = std::max(0.02 * level, level * (1 + sigma * deviation));
  }
  return out;
}

}  // namespace assay::test
