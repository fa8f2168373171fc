#pragma once
// The number that most cells hold, read where it stands: digits, a point, perhaps an exponent.
//
// Up to 19 digits are gathered in an integer. Where it is below 2^53 and the power of ten is at most 22, both are exact
// doubles and one multiplication or division rounds correctly (Clinger 1990). Everything else (17 digits of Python's
// repr, nan, inf, no number at all) goes to fast_float, which gives the same double wherever both apply.

#include <fast_float/fast_float.h>

#include <cstddef>
#include <cstdint>
#include <system_error>

namespace assay {

/// Reads the number at the start of [from, end) into `value`. Returns its end; null where none begins. What is too
/// large is infinite.
inline const char* read_decimal(const char* from, const char* end, double& value) {
  constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  const auto slow = [&]() -> const char* {
    const auto [stop, error] = fast_float::from_chars(from, end, value);
    return error == std::errc::invalid_argument ? nullptr : stop;
  };
  const char* at = from;
  const bool negative = at != end && *at == '-';
  at += negative ? 1 : 0;
  std::uint64_t mantissa = 0;
  const char* const digits = at;
  for (unsigned digit = 0; at != end && (digit = static_cast<unsigned char>(*at) - unsigned{'0'}) < 10; ++at) {
    mantissa = mantissa * 10 + digit;
  }
  std::ptrdiff_t count = at - digits;
  int exponent = 0;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    for (unsigned digit = 0; at != end && (digit = static_cast<unsigned char>(*at) - unsigned{'0'}) < 10; ++at) {
      mantissa = mantissa * 10 + digit;
    }
    count += at - fraction;
    exponent = static_cast<int>(fraction - at);
  }
  if (count == 0 || count > 19 || mantissa > kExact) return slow();
  if (at != end && (*at == 'e' || *at == 'E')) {
    const char* digit = at + 1;
    const bool down = digit != end && *digit == '-';
    if (digit != end && (*digit == '-' || *digit == '+')) ++digit;
    const char* const first = digit;
    int power = 0;
    for (; digit != end && digit - first < 4 && static_cast<unsigned char>(*digit - '0') < 10; ++digit) {
      power = power * 10 + (*digit - '0');
    }
    if (digit == first || digit - first == 4) return slow();
    exponent += down ? -power : power;
    at = digit;
  }
  if (exponent < -22 || exponent > 22) return slow();
  const auto whole = static_cast<double>(mantissa);
  const double size = exponent < 0 ? whole / kPowers[-exponent] : whole * kPowers[exponent];
  value = negative ? -size : size;
  return at;
}

}  // namespace assay
