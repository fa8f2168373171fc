#pragma once
// A hash of a number.

#include <cstdint>

namespace assay {

/// SplitMix64's finaliser (Steele, Lea and Flood, 2014): every bit of `x` changes about half of the result.
constexpr std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace assay
