// Arithmetic whose bits do not depend on the machine.
//
// The examples must come out byte for byte the same wherever they are made again. IEEE 754 fixes + - * / and sqrt, but
// not exp, log and cos, which differ in the last bit from one C library to the next. A training run amplifies one bit
// into another curve within a few hundred steps, so the three functions are written out here with the five fixed
// operations (compile with -ffp-contract=off: a fused multiply-add rounds once where this code rounds twice).
// Their error is a few units in the last place of a double, far below what a loss shows.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::examples {

// e^x: x = n ln 2 + r with |r| <= 0.35, e^r by its Taylor series, times 2^n.
inline double exact_exp(double x) {
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 0.693147180369123816490, kLn2Low = 1.90821492927058770002e-10;
  if (!(x > -700)) return x != x ? x : 0;
  if (x > 700) return std::numeric_limits<double>::infinity();
  const double n = std::floor(x * kLog2E + 0.5);
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double sum = 1;
  for (int k = 14; k >= 1; --k) sum = 1 + sum * r / k;
  return std::ldexp(sum, static_cast<int>(n));
}

// ln x for finite x > 0: x = m 2^e with m near 1, ln m = 2 atanh((m - 1) / (m + 1)).
inline double exact_log(double x) {
  constexpr double kLn2 = 0.69314718055994530942;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752440) m *= 2, --exponent;
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int k = 25; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return 2 * s * sum + exponent * kLn2;
}

// cos(pi t) for 0 <= t <= 1, by its Taylor series about the middle: cos(pi t) = sin(pi (1/2 - t)).
inline double exact_cos_pi(double t) {
  const double y = 3.14159265358979323846 * (0.5 - t), square = y * y;
  double sum = 1;
  for (int k = 23; k >= 3; k -= 2) sum = 1 - sum * square / (k * (k - 1));
  return y * sum;
}

// x rounded to the nearest fp16 value, ties to even: 11 bits of precision down to 2^-14, spacing 2^-24 below, and
// infinity from 65520 on, where the rounding would leave the format. Adding and taking away c leaves x on c's grid.
inline float round_to_half(float x) {
  const float size = std::fabs(x);
  if (!(size < 65520.0f)) return size != size ? x : std::copysign(std::numeric_limits<float>::infinity(), x);
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(size) & 0x7f800000u;
  const std::uint32_t normal = exponent < 0x38800000u ? 0x38800000u : exponent;  // 2^-14, the smallest normal
  const float c = std::bit_cast<float>(normal + (13u << 23)) * 1.5f;
  return std::copysign((size + c) - c, x);
}

// SplitMix64: the whole state is one counter, so a seed names a sequence for good.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  // 0 <= result < n. The bias of the modulus is below 1e-16 for the small n used here.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }

  // Mean 0, variance 1: the sum of twelve uniforms. Its tails end at 6, which suits initial weights, and needs no log.
  float normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(next() >> 11) * 0x1p-53;
    return static_cast<float>(sum);
  }

 private:
  std::uint64_t state_;
};

}  // namespace assay::examples
