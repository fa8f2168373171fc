#pragma once
// Numbers of about 106 bits: the unevaluated sum of two doubles. The exact reference that operators are measured
// against where a sum of all bits (num/exact_sum.h) is too slow or does not exist (exp, tanh, erf). Bits and bounds:
// the essay of double_double.cpp. The same bits on every machine: nothing here depends on the C library's functions but
// fma and sqrt, which IEEE 754 specifies.

#include <cmath>
#include <compare>
#include <cstddef>
#include <limits>
#include <span>

#include "num/real.h"

namespace assay {

/// hi + lo, where hi is that sum rounded to a double. Infinities and NaN: in hi, and lo is 0. Results over- and
/// underflow where those of doubles do; a result below 2^-916 is good to a multiple of 2^-1074 only, as lo has no room.
/// Bounds below are relative to the exact result, u = 2^-53.
struct DoubleDouble {
  double hi = 0;
  double lo = 0;

  constexpr DoubleDouble() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): every double is one
  constexpr DoubleDouble(double high, double low = 0) : hi(high), lo(low) {}
};

/// a + b exactly, as the rounded sum and what it lacks. Where the sum is infinite or NaN it lacks 0.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double lacks = (a - (sum - part)) + (b - part);
  return {sum, std::fabs(lacks) <= std::numeric_limits<double>::max() ? lacks : 0};
}

/// The same where |a| >= |b| or a is 0, in half the time.
inline DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  const double lacks = b - (sum - a);
  return {sum, std::fabs(lacks) <= std::numeric_limits<double>::max() ? lacks : 0};
}

/// a · b exactly, as the rounded product and what it lacks, if the product is 0 or at least 2^-968. Where it is
/// infinite or NaN it lacks 0.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  const double lacks = std::fma(a, b, -product);
  return {product, std::fabs(lacks) <= std::numeric_limits<double>::max() ? lacks : 0};
}

inline DoubleDouble operator-(const DoubleDouble& a) { return {-a.hi, -a.lo}; }

namespace rare {  // operands or results near the ends of the range, infinite or NaN
DoubleDouble sum(const DoubleDouble& a, const DoubleDouble& b);
DoubleDouble product(const DoubleDouble& a, const DoubleDouble& b);
DoubleDouble quotient(const DoubleDouble& a, const DoubleDouble& b);
}  // namespace rare

/// Whether products with it have errors that are doubles, and nothing overflows on the way.
inline bool is_comfortable(double value) { return std::fabs(value) > 0x1p-900 && std::fabs(value) < 0x1p1000; }

/// To 3 u², whatever cancels.
inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = two_sum(a.hi, b.hi);
  if (!is_comfortable(high.hi)) return rare::sum(a, b);
  const DoubleDouble low = two_sum(a.lo, b.lo);
  const DoubleDouble first = fast_two_sum(high.hi, high.lo + low.hi);
  return fast_two_sum(first.hi, low.lo + first.lo);
}

inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }

/// To 5 u².
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = two_product(a.hi, b.hi);
  if (!is_comfortable(high.hi)) return rare::product(a, b);
  return fast_two_sum(high.hi, high.lo + (a.hi * b.lo + a.lo * b.hi));
}

/// To 16 u².
inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double high = a.hi / b.hi;
  if (!is_comfortable(high) || !is_comfortable(a.hi)) return rare::quotient(a, b);
  const DoubleDouble product = two_product(b.hi, high);
  const DoubleDouble back = fast_two_sum(product.hi, product.lo + b.lo * high);
  const double rest = (a.hi - back.hi) + (a.lo - back.lo);  // the first difference is exact: they agree in most bits
  return fast_two_sum(high, rest / b.hi);
}

/// To 25/8 u².
DoubleDouble sqrt(const DoubleDouble& a);
/// a · 2^power, rounded only where the result is below 2^-916.
DoubleDouble ldexp(const DoubleDouble& a, int power);

inline bool operator==(const DoubleDouble& a, const DoubleDouble& b) { return a.hi == b.hi && a.lo == b.lo; }
inline std::partial_ordering operator<=>(const DoubleDouble& a, const DoubleDouble& b) {
  return a.hi == b.hi ? a.lo <=> b.lo : a.hi <=> b.hi;
}
inline DoubleDouble abs(const DoubleDouble& a) { return std::signbit(a.hi) ? -a : a; }

/// To nearest even: hi itself.
inline double to_double(const DoubleDouble& a) { return a.hi; }
/// Exactly or marked, to be rounded once into any format.
inline Real real(const DoubleDouble& a) { return a.lo == 0 ? real(a.hi) : sum(real(a.hi), real(a.lo)); }

// Functions. Each is good to 2^-94, proved in the essays and measured against MPFR
// (tests/oracle/mpfr_double_double_test .cpp), unless said otherwise. Infinities, NaN and poles as the C library has
// them.

DoubleDouble exp(const DoubleDouble& x);
DoubleDouble expm1(const DoubleDouble& x);
DoubleDouble log(const DoubleDouble& x);
DoubleDouble log1p(const DoubleDouble& x);
DoubleDouble tanh(const DoubleDouble& x);
/// Up to |x| = 2^50, beyond it NaN. Near zeros of the function, too, to 2^-94 while |x| <= 2^30; beyond that the error
/// is at most 2^-94 |result| + 2^-150.
DoubleDouble sin(const DoubleDouble& x);
DoubleDouble cos(const DoubleDouble& x);
DoubleDouble erf(const DoubleDouble& x);
/// 1 - erf(x) without cancellation. To 2^-92.
DoubleDouble erfc(const DoubleDouble& x);

// Many sums side by side, one a row; the spans have one size. Start hi and lo at 0. A step is good to 2 u² of the new
// sum (add_to), to 3 u² of |sum| + |a · b| (add_product_to); so n steps to 3 n u² of the sum of magnitudes. Infinities,
// NaN and overflow are in hi as a sum of doubles has them, and lo is 0 there; a sum that is 0 is +0 or -0.

/// (hi[i], lo[i]) += addend[i].
void add_to(std::span<double> hi, std::span<double> lo, std::span<const double> addend);
/// (hi[i], lo[i]) += a[i] · b[i], the product exact if it is 0 or at least 2^-968.
void add_product_to(std::span<double> hi, std::span<double> lo, std::span<const double> a, std::span<const double> b);

}  // namespace assay
