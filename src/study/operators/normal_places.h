#pragma once
// Places that stand for a normal distribution in sums over it.

#include <array>
#include <cstddef>

namespace assay {

/// x with P(N(0, 1) < x) = share.
double normal_quantile(double share);

/// kCount places of N(0, 1), of equal weight: the middle of each of as many equal parts of the distribution.
template <std::size_t kCount>
const std::array<double, kCount>& normal_places() {
  static const std::array<double, kCount> places = [] {
    std::array<double, kCount> out{};
    for (std::size_t i = 0; i < kCount; ++i) out[i] = normal_quantile((static_cast<double>(i) + 0.5) / kCount);
    return out;
  }();
  return places;
}

/// A few places of equal weight, one in each of as many equal parts of the distribution, others in the next step. Few
/// places that stay would all sit low, or high, in their binades.
inline constexpr std::size_t kPlaces = 5;
const std::array<double, kPlaces>& places_of_step(std::size_t step);

}  // namespace assay
