#include "study/operators/normal_places.h"

#include <cmath>
#include <numbers>

namespace assay {

namespace {

constexpr std::size_t kSets = 61;
constexpr std::size_t kStride = 38;  // near the golden section of 61: neighbouring steps are far apart

using PlaceSets = std::array<std::array<double, kPlaces>, kSets>;

PlaceSets place_sets() {
  PlaceSets out{};
  for (std::size_t set = 0; set < kSets; ++set) {
    const double within = (static_cast<double>(set) + 0.5) / kSets;
    for (std::size_t i = 0; i < kPlaces; ++i)
      out[set][i] = normal_quantile((static_cast<double>(i) + within) / kPlaces);
  }
  return out;
}

}  // namespace

double normal_quantile(double share) {
  constexpr double kFar = 10, kNear = 1e-9;
  double low = -kFar, high = kFar;
  while (high - low > kNear) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

const std::array<double, kPlaces>& places_of_step(std::size_t step) {
  static const PlaceSets sets = place_sets();
  return sets[step * kStride % kSets];
}

}  // namespace assay
