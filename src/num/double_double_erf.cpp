// erf and erfc of numbers of two doubles.
//
// Up to 1: erf(x) = 2/√π · sum of (-1)^n x^(2n+1) / (n! (2n+1)), thirty terms; no term exceeds the first and the sum is
// at least 3/4 of it, so little cancels.
// From 1 on: erfc(x) = (2x/π) exp(-x²) ∫ exp(-t²) / (t² + x²) dt over t > 0, by the trapezoid rule with step h, whose
// error falls as exp(-π²/h²) once the poles at ±ix are accounted for (Chiarella, Reichel: On the evaluation of
// integrals related to the error function, Math. Comp. 22, 1968):
//   erfc(x) = (2hx/π) exp(-x²) [1/(2x²) + sum over n >= 1 of exp(-n²h²) / (n²h² + x²)] - 2 / (exp(2πx/h) - 1)
// h = 23/64 makes it 2^-110, 25 terms reach it, and n²h² is a double. The last term, 2^-25 of the result at x = 1 and
// less beyond, is left out where it no longer counts. All other terms are positive, so the relative error is that of
// exp(-x²): that of x² by 5 u² changes it by up to 745 · 5 u² = 2^-94 (x = 27.3, beyond which erfc is below every
// double), the rest some 40 u².

#include <cmath>
#include <iterator>

#include "num/double_double.h"
#include "num/double_double_tables.h"

namespace assay {

namespace {

using double_double_tables::kErfTerm;
using double_double_tables::kGauss;
using double_double_tables::kStep;
using double_double_tables::kTwoOverRootPi;
using double_double_tables::kTwoPiOverStep;
using double_double_tables::kTwoStepsOverPi;

constexpr double kNothingLeft = 27.3;  // erfc is below 2^-1075 from here on

// |x| <= 1.
DoubleDouble small_erf(const DoubleDouble& x) {
  constexpr int kDoublesFrom = 18;
  const DoubleDouble square = x * x;
  double tail = 0;
  for (int n = static_cast<int>(std::size(kErfTerm)) - 1; n >= kDoublesFrom; --n) {
    tail = tail * square.hi + kErfTerm[n].hi;
  }
  DoubleDouble sum = kErfTerm[kDoublesFrom - 1] + square * tail;
  for (int n = kDoublesFrom - 2; n >= 0; --n) sum = kErfTerm[n] + square * sum;
  return kTwoOverRootPi * (x * sum);
}

// x >= 1.
DoubleDouble large_erfc(const DoubleDouble& x) {
  if (x.hi > kNothingLeft) return {0};
  const DoubleDouble square = x * x;
  DoubleDouble sum;
  for (std::size_t i = std::size(kGauss); i-- > 0;) {
    const double place = static_cast<double>(i + 1) * kStep;
    sum = sum + kGauss[i] / (square + place * place);
  }
  sum = sum + 0.5 / square;
  const DoubleDouble area = kTwoStepsOverPi * x * sum * exp(-square);
  constexpr double kPolesCountTo = 8;  // 2 exp(-2πx/h) is below 2^-106 of erfc(x) beyond
  return x.hi > kPolesCountTo ? area : area - 2.0 / expm1(kTwoPiOverStep * x);
}

}  // namespace

DoubleDouble erf(const DoubleDouble& x) {
  if (std::isnan(x.hi)) return x;
  if (std::fabs(x.hi) < 1) return small_erf(x);
  return std::signbit(x.hi) ? large_erfc(-x) - 1.0 : 1.0 - large_erfc(x);
}

DoubleDouble erfc(const DoubleDouble& x) {
  if (std::isnan(x.hi)) return x;
  if (x.hi >= 1) return large_erfc(x);
  return x.hi <= -1 ? 2.0 - large_erfc(-x) : 1.0 - small_erf(x);
}

}  // namespace assay
