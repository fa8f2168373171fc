// sin and cos of numbers of two doubles.
//
// x = n π/2 + r with |r| < 0.79; of n the last two bits choose among ±sin(r), ±cos(r). A phase of rotary embeddings
// reaches 10^5 and more, and near a zero r is tiny, so r is summed without loss: π/2 has 265 bits here, in five
// doubles, whose products with n are exact in two doubles each. The addends are distilled: passes of two_sum leave
// their sum unchanged and each gains 53 bits (Ogita, Rump, Oishi: Accurate sum and dot product, SISC 26, 2005). What is
// left out of π makes an error of n 2^-268. A double-double of 2^30 next to a multiple of π/2 leaves r at 2^-77; one in
// 2^k of them is nearer by 2^-k, so that r has 106 right bits unless that k is beyond 50.
// Then Taylor's series; the terms below 2^-53 of the first in doubles. Relative error about 10 u².

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

#include "num/double_double.h"
#include "num/double_double_tables.h"

namespace assay {

namespace {

using double_double_tables::kHalfPi;
using double_double_tables::kInverseFactorial;

constexpr double kFarthest = 0x1p50;  // beyond it n would not be exact

struct Reduced {
  DoubleDouble rest;
  unsigned quadrant;
};

// The sum of the addends, the largest of them last.
DoubleDouble distilled(std::span<double> addends) {
  constexpr int kPasses = 5;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 1; i < addends.size(); ++i) {
      const DoubleDouble sum = two_sum(addends[i], addends[i - 1]);
      addends[i] = sum.hi;
      addends[i - 1] = sum.lo;
    }
  }
  DoubleDouble sum;
  for (const double addend : addends) sum = sum + addend;
  return sum;
}

Reduced reduced(const DoubleDouble& x) {
  const double n = std::floor(x.hi / kHalfPi[0] + 0.5);
  double addends[2 * std::size(kHalfPi) + 2];
  std::size_t at = 0;
  for (std::size_t i = std::size(kHalfPi); i-- > 0;) {
    const DoubleDouble product = two_product(-n, kHalfPi[i]);
    addends[at++] = product.lo;
    addends[at++] = product.hi;
    if (i == 1) addends[at++] = x.lo;
  }
  addends[at] = x.hi;
  return {distilled(addends), static_cast<unsigned>(static_cast<std::int64_t>(n) & 3)};
}

DoubleDouble series(const DoubleDouble& square, int first) {
  // Terms first, first + 2, … up to 29 or 28 of the factorials, with alternating signs.
  constexpr int kDoublesFrom = 17;
  double tail = 0;
  int n = 28 + first % 2;
  for (; n >= kDoublesFrom; n -= 2) tail = kInverseFactorial[n].hi - square.hi * tail;
  DoubleDouble sum = kInverseFactorial[n] - square * tail;
  for (n -= 2; n >= first; n -= 2) sum = kInverseFactorial[n] - square * sum;
  return sum;
}

DoubleDouble small_sin(const DoubleDouble& x) {
  const DoubleDouble square = x * x;
  return x - x * (square * series(square, 3));
}

DoubleDouble small_cos(const DoubleDouble& x) {
  const DoubleDouble square = x * x;
  return 1.0 - square * series(square, 2);
}

DoubleDouble turned(const DoubleDouble& rest, unsigned quadrant) {
  const DoubleDouble size = quadrant % 2 == 0 ? small_sin(rest) : small_cos(rest);
  return quadrant >= 2 ? -size : size;
}

bool out_of_range(const DoubleDouble& x) { return !(std::fabs(x.hi) <= kFarthest); }

}  // namespace

DoubleDouble sin(const DoubleDouble& x) {
  if (out_of_range(x)) return {std::numeric_limits<double>::quiet_NaN()};
  if (std::fabs(x.hi) < 0.7) return std::fabs(x.hi) < 0x1p-300 ? x : small_sin(x);
  const Reduced r = reduced(x);
  return turned(r.rest, r.quadrant);
}

DoubleDouble cos(const DoubleDouble& x) {
  if (out_of_range(x)) return {std::numeric_limits<double>::quiet_NaN()};
  if (std::fabs(x.hi) < 0.7) return small_cos(x);
  const Reduced r = reduced(x);
  return turned(r.rest, (r.quadrant + 1) % 4);
}

}  // namespace assay
