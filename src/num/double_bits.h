#pragma once
// What stands in the pattern of a double, for those that take doubles apart.

#include <algorithm>
#include <bit>
#include <cstdint>

namespace assay {

inline constexpr std::uint64_t kDoubleFraction = (std::uint64_t{1} << 52) - 1;  // the fraction's field
inline constexpr std::uint64_t kDoubleQuiet = std::uint64_t{1} << 51;           // of it, what makes a NaN quiet

/// |value| = whole · 2^exponent. Of finite values.
struct DoubleParts {
  bool negative = false;
  std::uint64_t whole = 0;
  int exponent = 0;  // at least -1074
};

inline DoubleParts parts_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int field = static_cast<int>(bits >> 52 & 0x7FF);
  const std::uint64_t fraction = bits & kDoubleFraction;
  return {(bits >> 63) != 0, field == 0 ? fraction : fraction | std::uint64_t{1} << 52, std::max(field, 1) - 1075};
}

/// 2^exponent, -1022 to 1023: a field of the pattern. std::ldexp does more and takes ten times as long.
inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// floor(log2 |value|) of a normal number.
inline int exponent_of(double value) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7FF) - 1023;
}

/// A NaN with that sign and fraction.
inline double nan_with(bool negative, std::uint64_t fraction) {
  return std::bit_cast<double>(std::uint64_t{negative} << 63 | std::uint64_t{0x7FF} << 52 | fraction);
}

}  // namespace assay
