#include "num/double_double.h"

// Sum, product, quotient and root of numbers of two doubles.
//
// Everything stands on two facts: the error of a rounded sum of two doubles is a double (Møller, Knuth: two_sum), and
// so is that of a product (two_product, by a fused multiply-add; where the processor has none the C library computes
// the same bits with integers). From there on:
//   +   AccurateDWPlusDW    3 u² + O(u³)   Joldes, Muller, Popescu: Tight and rigorous error bounds for basic building
//                                          blocks of double-word arithmetic (ACM TOMS 44, 2017)
//   ×   DWTimesDW1          5 u²           the same, with the bound of Muller, Rideau (ACM TOMS 48, 2022)
//   ÷   DWDivDW2            16 u²          Joldes, Muller, Popescu: 15 u², and here 1 u² more, as its inner product
//                                          takes a plain product and sum in place of a fused one
//   √   SQRTDWtoDW          25/8 u²        Lefèvre, Louvet, Muller, Picot, Rideau: Accurate calculation of Euclidean
//                                          norms using double-word arithmetic (ACM TOMS 49, 2023)
// u² = 2^-106, so the worst of them, the quotient, has 102 bits.
// The theorems leave out overflow and underflow. Here operands whose errors might not be doubles are brought near 1 by
// powers of two first, and the result back: that is exact, except for a result with no room below it. What is infinite
// or NaN in doubles is so here, because then hi alone decides.

namespace assay {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool ordinary(double value) { return std::isfinite(value) && value != 0; }

// Of finite numbers that are not 0: one in [1, 2), and the power of two taken out.
struct Scaled {
  DoubleDouble value;
  int power;
};

Scaled scaled(const DoubleDouble& a) {
  const int power = std::ilogb(a.hi);
  return {ldexp(a, -power), power};
}

}  // namespace

DoubleDouble rare::sum(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = two_sum(a.hi, b.hi);
  if (!std::isfinite(high.hi)) return {high.hi};
  const DoubleDouble low = two_sum(a.lo, b.lo);
  if (high.hi == 0) return low.hi == 0 ? DoubleDouble{high.hi} : low;  // -0 + -0 is -0
  const DoubleDouble first = fast_two_sum(high.hi, high.lo + low.hi);
  return fast_two_sum(first.hi, low.lo + first.lo);
}

DoubleDouble rare::product(const DoubleDouble& a, const DoubleDouble& b) {
  if (!ordinary(a.hi) || !ordinary(b.hi)) return {a.hi * b.hi};
  const Scaled left = scaled(a), right = scaled(b);
  return ldexp(left.value * right.value, left.power + right.power);
}

DoubleDouble rare::quotient(const DoubleDouble& a, const DoubleDouble& b) {
  if (!ordinary(a.hi) || !ordinary(b.hi)) return {a.hi / b.hi};
  const Scaled left = scaled(a), right = scaled(b);
  return ldexp(left.value / right.value, left.power - right.power);
}

DoubleDouble ldexp(const DoubleDouble& a, int power) {
  if (!ordinary(a.hi)) return {a.hi};
  const double high = std::ldexp(a.hi, power);
  if (is_comfortable(high)) return {high, std::ldexp(a.lo, power)};
  if (!std::isfinite(high)) return {high};
  // What hi loses at the bottom of the range is put to lo's account, and rounded there once: away from a tie that it is
  // not.
  const DoubleDouble rest = two_sum(a.hi - std::ldexp(high, -power), a.lo);
  const double low = rest.lo == 0 ? rest.hi : std::nextafter(rest.hi, std::copysign(kInfinity, rest.lo));
  return fast_two_sum(high, std::ldexp(low, power));
}

DoubleDouble sqrt(const DoubleDouble& a) {
  if (!ordinary(a.hi) || a.hi < 0) return {std::sqrt(a.hi)};
  if (!is_comfortable(a.hi)) {
    const int half = std::ilogb(a.hi) / 2;
    return ldexp(sqrt(ldexp(a, -2 * half)), half);
  }
  const double root = std::sqrt(a.hi);
  const double rest = std::fma(-root, root, a.hi) + a.lo;
  return fast_two_sum(root, rest / (2 * root));
}

}  // namespace assay
