// exp, log and tanh of numbers of two doubles.
//
// exp(x) = 2^k · (1 + e), where x = k ln 2 + r, |r| <= 0.35 and e = exp(r) - 1. k ln 2 is subtracted in three parts, so
// that r is as exact as x. exp(r / 256) - 1 is a Taylor series of ten terms, of which those below 2^-56 of the first
// are summed as doubles; then e doubles its argument eight times: e <- 2e + e². Working with e and not with 1 + e keeps
// the relative error: 3 u² a step, some 32 u² = 2^-101 in the end, and expm1 comes with it.
// log(x) = k ln 2 + log(m), m within [√½, √2]. Near 1 (|m - 1| <= 1/32): 2 atanh(t / (2 + t)) with t = m - 1, to ten
// terms, at most 30 u². Elsewhere one Newton step from a series in doubles: with y of error d <= 2^-50 and
// t = m exp(-y) - 1, log(m) = y + t - t²/2 + t³/3 …: the terms left out are below 2^-150, and the error is that of exp,
// 2^-101 absolutely. As |log m| > 1/33 there, 2^-96 relatively.
// tanh(x) = e / (e + 2) with e = expm1(2x), for x > 1/2 as 1 - 2 / (exp(2x) + 1), which does not overflow.
// The series for doubles stand here, and not in the C library, so that all bits are the same on every machine.

#include <cmath>
#include <limits>

#include "num/double_double.h"
#include "num/double_double_tables.h"

namespace assay {

namespace {

using double_double_tables::kInverseFactorial;
using double_double_tables::kInverseOdd;
using double_double_tables::kLn2High;
using double_double_tables::kLn2Low;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// exp(x) - 1 for |x| <= 0.36.
DoubleDouble small_expm1(const DoubleDouble& x) {
  constexpr int kDoublings = 8;
  const DoubleDouble r{x.hi / 256, x.lo / 256};
  double tail = 0;
  for (int n = 10; n >= 6; --n) tail = tail * r.hi + kInverseFactorial[n].hi;
  DoubleDouble series = kInverseFactorial[5] + r * tail;
  for (int n = 4; n >= 2; --n) series = kInverseFactorial[n] + r * series;
  DoubleDouble e = r + r * r * series;
  for (int i = 0; i < kDoublings; ++i) e = DoubleDouble{2 * e.hi, 2 * e.lo} + e * e;
  return e;
}

// 2^power · (1 + e) is exp(x). Precondition: |x| <= 800.
struct Split {
  int power;
  DoubleDouble e;
};

Split split_exp(const DoubleDouble& x) {
  const double k = std::floor(x.hi / kLn2High + 0.5);
  const DoubleDouble rest = two_sum(x.hi, -k * kLn2High) + (DoubleDouble{x.lo} - kLn2Low * k);
  return {static_cast<int>(k), small_expm1(rest)};
}

// log(m) in plain doubles, m within [√½, √2].
double plain_log(double m) {
  const double s = (m - 1) / (m + 1);
  double sum = 0;
  for (int n = 9; n >= 0; --n) sum = sum * (s * s) + kInverseOdd[n].hi;
  return 2 * s * sum;
}

// log(1 + t) for |t| <= 1/32.
DoubleDouble small_log1p(const DoubleDouble& t) {
  if (std::fabs(t.hi) < 0x1p-300) return t.hi == 0 ? t : t - t * (t * 0.5);
  const DoubleDouble s = t / (2.0 + t);
  const DoubleDouble square = s * s;
  double tail = 0;
  for (int n = 9; n >= 5; --n) tail = tail * square.hi + kInverseOdd[n].hi;
  DoubleDouble series = kInverseOdd[4] + square * tail;
  for (int n = 3; n >= 0; --n) series = kInverseOdd[n] + square * series;
  return DoubleDouble{2 * s.hi, 2 * s.lo} * series;
}

}  // namespace

DoubleDouble exp(const DoubleDouble& x) {
  if (std::isnan(x.hi)) return x;
  if (x.hi > 710) return {kInfinity};
  if (x.hi < -746) return {0};
  const auto [power, e] = split_exp(x);
  return ldexp(1.0 + e, power);
}

DoubleDouble expm1(const DoubleDouble& x) {
  if (std::fabs(x.hi) < 0x1p-300) return x.hi == 0 ? x : x + x * (x * 0.5);
  if (std::fabs(x.hi) <= 0.35) return small_expm1(x);
  return exp(x) - 1.0;
}

DoubleDouble log(const DoubleDouble& x) {
  if (std::isnan(x.hi) || x.hi < 0) return {kNan};
  if (x.hi == 0) return {-kInfinity};
  if (x.hi == kInfinity) return x;
  int power = std::ilogb(x.hi);
  DoubleDouble m = ldexp(x, -power);
  if (m.hi > 1.4142) {
    m = {m.hi / 2, m.lo / 2};
    ++power;
  }
  const DoubleDouble t = m - 1.0;
  if (power == 0 && std::fabs(t.hi) <= 1.0 / 32) return small_log1p(t);
  const double guess = plain_log(m.hi);
  const DoubleDouble rest = t + m * small_expm1(-guess);
  const DoubleDouble fraction = guess + (rest - 0.5 * rest.hi * rest.hi);
  return two_sum(power * kLn2High, fraction.hi) + (fraction.lo + kLn2Low * power);
}

DoubleDouble log1p(const DoubleDouble& x) { return std::fabs(x.hi) <= 1.0 / 32 ? small_log1p(x) : log(1.0 + x); }

DoubleDouble tanh(const DoubleDouble& x) {
  const DoubleDouble size = abs(x);
  const DoubleDouble twice{2 * size.hi, 2 * size.lo};
  DoubleDouble result;
  if (size.hi < 0.5) {
    const DoubleDouble e = expm1(twice);
    result = e / (e + 2.0);
  } else {
    result = 1.0 - 2.0 / (exp(twice) + 1.0);
  }
  return std::signbit(x.hi) ? -result : result;
}

}  // namespace assay
