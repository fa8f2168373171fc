// Fast division and square root.
//
// Processors without a fast divider, and compilers that are told so (-prec-div=false, -ffast-math), compute a / b as
// a · x, x ≈ 1/b. A seed x0 with few good bits comes from a table; Newton's iteration for f(x) = 1/x - b,
//   x' = x (2 - b x),   relative error e' = e²,
// doubles its bits; then one multiplication. For roots y ≈ 1/√a, y' = y (3 - a y²) / 2, e' = 3/2 e² + 1/2 e³, √a = a y.
// The iteration forgives errors of the seed, not those of its own last operations, and the multiplication rounds a
// result that was rounded before: so quotients come out one or two ulps beside the correctly rounded one. With a fused
// multiply-add the residual a - b q is exact (Markstein 1990), and q + (a - b q) x rounds rightly in almost all cases,
// in all where x is the correctly rounded reciprocal and q is within an ulp.
//
// Bounds, e the relative error before, u = 2^-p, each δ a rounding with |δ| <= u:
//   kFused      x (1 - e) exact times (1 + e (1 + δ)) (1 + δ):   e' <= (e² + (1 + e) e u)(1 + u) + u
//   kFusedStep  (1 - e²)(1 + δ)(1 + δ):                          e' <= e² + (1 + u)² - 1
//   kSeparate   (1 - e)(1 + e - (1 - e) δ)(1 + δ)²:              e' <= (e² + (1 + e)² u)(1 + u)² + (1 + u)² - 1
// Roots have E = 3/2 e² + 1/2 e³ for e², and half of the roundings within a y²: 1/2 u (kFused, kFusedStep), 1/2 · 2 u
// (kSeparate), each times (1 + e)³. Multiplication: (1 + e)(1 + u) - 1. Correction of q with error n by x with error e:
// n (u + e + e u)(1 + u) + u, of roots n (n/2 + u + e + e u)(1 + u) + u. An error e is at most e · 2^p ulps, since a
// number is less than 2^p of its ulps; the distance from the correctly rounded result is at most that, rounded.
//
// Seeds. Arm's and RISC-V's estimates are specified exactly, and both are the reciprocal of the middle of an interval,
// rounded (kTable): 1/b by 2^k intervals of the significand, 1/√a by 2^(k-1) in each of two binades; k = 8 and 7. With
// k = 11 the same table gives what is documented and observed of x86's RCPPS (1.5 · 2^-12; 1 becomes 0.99975586), whose
// own table differs between makers. Other seeds of x86 and those of GPUs are modelled as the reciprocal (root)
// correctly rounded to b bits (kRounded): of the b for which the documented bound holds, the smallest. A value shown by
// such a mode is one that the chip may give, not the one that a particular chip gives.
//
// Where ranges end, fast modes fail differently: 1/b of |b| > 2^126 is subnormal and may be flushed, then a / b is 0
// (CUDA's __fdividef); 1/b of |b| < 2^-128 overflows; the seed of 0 is infinite and 2 - 0 · ∞ is NaN. Hence the value
// is computed here operation by operation in the format, with round_to, and never by a shortcut.

#include "num/fast_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "num/codes.h"
#include "num/fast_seed.h"
#include "num/fast_steps.h"
#include "num/format.h"
#include "num/real.h"
#include "num/round.h"

namespace assay {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Arithmetic of the format itself: every operation exact, then rounded once.
struct FormatArithmetic {
  const NumberFormat& format;
  RoundingRules rules;

  double rounded(const Real& exact) const { return round_to(format, exact, rules).value; }
  Real operand(double x) const { return rules.flush_inputs ? flushed(format, real(x)) : real(x); }
  double mul(double a, double b) const { return rounded(product(operand(a), operand(b))); }
  double sub(double a, double b) const { return rounded(sum(operand(a), negated(operand(b)))); }
  double fma(double a, double b, double c) const { return rounded(sum(product(operand(a), operand(b)), operand(c))); }
};

FormatArithmetic arithmetic(const FastMode& mode, const NumberFormat& format) {
  return {format, {.flush_inputs = mode.flush, .flush_outputs = mode.flush}};
}

Real exact_result(FastOperation operation, const Real& a, const Real& b) {
  switch (operation) {
    case FastOperation::kDivide: return quotient(a, b);
    case FastOperation::kReciprocal: return quotient(real(1), b);
    case FastOperation::kSquareRoot: return square_root(a);
    case FastOperation::kReciprocalRoot: return quotient(real(1), square_root(a));
  }
  return {};
}

// The argument of the seed: zero, infinite and NaN have their own reciprocals, all others the table's.
double seed_of(const FastMode& mode, const FormatArithmetic& in, double argument) {
  const bool root = is_root(mode.operation);
  Real x = in.operand(argument);
  if (mode.seed_flushes_inputs) x = flushed(in.format, x);
  double seed = 0;
  if (x.kind != Real::Kind::kFinite || (root && x.negative)) {
    seed = in.rounded(exact_result(root ? FastOperation::kReciprocalRoot : FastOperation::kReciprocal, x, x));
  } else {
    // An argument is m · 2^e, m in [1, 2) or, for roots, m in [1, 4) and e even.
    const int e = root ? 2 * static_cast<int>(std::floor(x.magnitude() / 2.0)) : x.magnitude();
    Real m = x;
    m.exponent -= e;
    m.negative = false;
    Real of_m = real(fast::seed(mode, to_double(m)));
    of_m.exponent -= root ? e / 2 : e;
    of_m.negative = x.negative;
    seed = in.rounded(of_m);
  }
  const bool subnormal = seed != 0 && std::abs(seed) < smallest_normal(in.format);
  return mode.seed_flushes_outputs && subnormal ? std::copysign(0.0, seed) : seed;
}

double unscaled(const FastMode& mode, const NumberFormat& format, double a, double b) {
  const FormatArithmetic in = arithmetic(mode, format);
  return fast::finish(in, mode, steps_of(mode, format), a, b, seed_of(mode, in, is_root(mode.operation) ? a : b));
}

// 2^96 in FP32: far enough below the largest number that a product with 2^-32 brings every divisor into the range whose
// reciprocals are normal.
double with_large_divisor(const FastMode& mode, const NumberFormat& format, double a, double b) {
  const FormatArithmetic in = arithmetic(mode, format);
  if (std::isnan(b) || std::abs(b) <= std::ldexp(1.0, format.emax - 31)) return unscaled(mode, format, a, b);
  const double by = std::ldexp(1.0, -32);
  return in.mul(unscaled(mode, format, a, in.mul(b, by)), by);
}

// Precondition: the arguments are finite and not 0.
double fully_scaled(const FastMode& mode, const NumberFormat& format, double a, double b) {
  const FormatArithmetic in = arithmetic(mode, format);
  const bool root = is_root(mode.operation);
  Real x = in.operand(a);
  Real y = in.operand(b);
  const int of_a = root ? 2 * static_cast<int>(std::floor(x.magnitude() / 2.0)) : x.magnitude();
  const int of_b = root ? 0 : y.magnitude();
  x.exponent -= of_a;
  y.exponent -= of_b;
  Real out = real(unscaled(mode, format, to_double(x), to_double(y)));
  const bool divides = mode.operation == FastOperation::kDivide;
  const int back =
      root ? (mode.operation == FastOperation::kSquareRoot ? of_a / 2 : -of_a / 2) : (divides ? of_a : 0) - of_b;
  if (out.kind == Real::Kind::kFinite) out.exponent += back;
  return in.rounded(out);
}

bool is_special(const FormatArithmetic& in, double x) { return in.operand(x).kind != Real::Kind::kFinite; }

}  // namespace

int steps_of(const FastMode& mode, const NumberFormat& format) {
  if (mode.steps >= 0) return mode.steps;
  int steps = 0;
  for (int bits = mode.seed_bits; bits < format.precision; bits *= 2) ++steps;
  return steps;
}

double fast_value(const FastMode& mode, const NumberFormat& format, double a, double b) {
  const FormatArithmetic in = arithmetic(mode, format);
  const bool root = is_root(mode.operation);
  const bool specials = (mode.operation != FastOperation::kReciprocal && is_special(in, a)) ||
                        (!root && is_special(in, b)) || (root && a < 0);
  if (specials && (mode.keeps_specials || mode.scaling == FastScaling::kFull)) {
    return in.rounded(exact_result(mode.operation, in.operand(a), in.operand(b)));
  }
  if (mode.operation == FastOperation::kReciprocal) a = 1;
  if (root) b = 1;
  switch (mode.scaling) {
    case FastScaling::kFull: return fully_scaled(mode, format, a, b);
    case FastScaling::kLargeDivisor: return with_large_divisor(mode, format, a, b);
    case FastScaling::kNone: break;
  }
  return unscaled(mode, format, a, b);
}

RightValue right_value(const FastMode& mode, const NumberFormat& format, double a, double b, double fast) {
  const Real exact = exact_result(mode.operation, real(a), real(b));
  RightValue out;
  out.value = round_to(format, exact, {.flush_outputs = mode.flush}).value;
  out.fast_error_ulps = out.right_error_ulps = kNan;
  if (exact.kind == Real::Kind::kZero || !exact.finite()) {
    if (exact.kind == Real::Kind::kZero && fast == 0) out.fast_error_ulps = out.right_error_ulps = 0;
    return out;
  }
  const int ulp = quantum_exponent(format, std::min(exact.magnitude(), format.emax));
  const auto in_ulps = [&](double value) {
    if (!std::isfinite(value)) return kNan;
    Real error = sum(real(value), negated(exact));
    if (error.kind == Real::Kind::kFinite) error.exponent -= ulp;
    return std::abs(to_double(error));
  };
  out.fast_error_ulps = in_ulps(fast);
  out.right_error_ulps = in_ulps(out.value);
  return out;
}

double relative_error_bound(const FastMode& mode, int precision) {
  const double u = std::ldexp(1.0, -precision);
  const bool root = is_root(mode.operation);
  NumberFormat format;
  format.precision = precision;
  double e = fast::seed_error_bound(mode);
  const double twice = (1 + u) * (1 + u);
  const double inside = root ? 0.5 * std::pow(1 + e, 3) : 0;  // weight of a rounding within a y²
  for (int step = steps_of(mode, format); step > 0; --step) {
    const double square = root ? 1.5 * e * e + 0.5 * e * e * e : e * e;
    switch (mode.form) {
      case StepForm::kFused: e = (square + (1 + e) * e * u + inside * u) * (1 + u) + u; break;
      case StepForm::kFusedStep: e = (square + inside * u) * twice + twice - 1; break;
      case StepForm::kSeparate:
        e = (square + (root ? 2 * inside * (1 + u) : (1 + e) * (1 + e)) * u) * twice + twice - 1;
        break;
    }
  }
  if (mode.operation == FastOperation::kReciprocal || mode.operation == FastOperation::kReciprocalRoot) return e;
  const double n = (1 + e) * (1 + u) - 1;
  if (!mode.correction) return n;
  return n * ((root ? n / 2 : 0) + u + e + e * u) * (1 + u) + u;
}

}  // namespace assay
