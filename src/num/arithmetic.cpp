// The arithmetic of a format by way of FP64.
//
// A sum, product, quotient or root of numbers with p bits, done in FP64 (53 bits) and then rounded to p, is the rightly
// rounded one if 53 >= 2p + 2 (Figueroa, "When is double rounding innocuous?", 1995; Roux 2014): products of p <= 26
// bits are exact in FP64, quotients and roots cannot come nearer to a tie or to a number of the format than 2^-(2p+1)
// without being it. That serves every format up to FP32, in every rounding, also below emin, where fewer bits are kept.
//
// Sums are the exception: 1 + 2^-100 is 1 in FP64, which is right to nearest and wrong upwards, and a sum of a number
// of p bits and an exact product of 2p bits can be a tie in FP64 that is none. So sums are rounded to odd in FP64: the
// error of the FP64 sum is known exactly (2Sum: Møller 1965, Knuth), and where it is not zero and the last bit of the
// sum is 0, the sum moves to its neighbour in the direction of the error. The last bit 1 then says "not exact", and any
// further rounding to up to 51 bits is that of the exact sum (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums: proved algorithms using rounding to odd", 2008).
//
// What the inputs' flushing means for an operation: subnormal inputs of the format become zeros before it.
// Formats of more than 25 bits are worked on with Real, one number at a time: a hundred times slower. FP64 itself with
// its own rules is the machine's.

#include "num/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "num/format.h"
#include "num/real.h"

namespace assay {

namespace {

constexpr int kDoublePrecision = 53;
constexpr int kFloatPrecision = 24;

bool as_ieee(const RoundingRules& rules) {
  return rules.rounding == Rounding::kNearestEven && rules.overflow == Overflow::kInfinity && !rules.flush_outputs;
}

bool is_float(const NumberFormat& format) {
  return format.precision == kFloatPrecision && format.emin == -126 && format.emax == 127 && format.has_subnormals &&
         format.has_infinity();
}

// a + b rounded to odd. Not finite: as IEEE 754.
double sum_to_odd(double a, double b) {
  const double sum = a + b;
  const double from_b = sum - a;
  const double error = (a - (sum - from_b)) + (b - from_b);
  const auto bits = std::bit_cast<std::int64_t>(sum);
  // The error of an infinite sum is NaN: neither comparison holds.
  const bool move = (error < 0 || error > 0) && (bits & 1) == 0;
  const bool away = (error > 0) == (sum > 0);
  return std::bit_cast<double>(bits + (move ? (away ? 1 : -1) : 0));
}

RoundingRules without_input_flush(RoundingRules rules) {
  rules.flush_inputs = false;
  return rules;
}

}  // namespace

Arithmetic::Arithmetic(const NumberFormat& format, const RoundingRules& rules)
    : rounder_(format, without_input_flush(rules)), rules_(rules), means_(Means::kReal) {
  if (rules.flush_inputs) flush_below_ = smallest_normal(format);
  if (format.precision == kDoublePrecision && format.emin == -1022 && as_ieee(rounder_.rules())) {
    means_ = Means::kNative;
  } else if (is_float(format) && as_ieee(rounder_.rules())) {
    means_ = Means::kFloat;
  } else if (2 * format.precision + 2 <= kDoublePrecision) {
    means_ = Means::kDouble;
  }
}

void Arithmetic::round(std::span<const double> in, std::span<double> out) {
  if (means_ == Means::kNative) {
    std::copy(in.begin(), in.end(), out.begin());
  } else if (means_ == Means::kFloat) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = static_cast<double>(static_cast<float>(in[i]));
  } else {
    rounder_(in, out, drawn_);
    drawn_ += in.size();
  }
}

std::span<const double> Arithmetic::operand(std::span<const double> given, std::vector<double>& flushed) const {
  if (flush_below_ == 0) return given;
  flushed.assign(given.begin(), given.end());
  for (double& value : flushed) {
    if (std::abs(value) < flush_below_) value = std::copysign(0.0, value);
  }
  return flushed;
}

template <class Native, class Exact>
void Arithmetic::operate(std::span<const double> a, std::span<const double> b, std::span<double> out, Native native,
                         Exact exact) {
  const std::span<const double> left = operand(a, left_);
  const std::span<const double> right = operand(b, right_);
  if (means_ == Means::kReal) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      out[i] = round_to(format(), exact(real(left[i]), real(right[i])), rounder_.rules(), drawn_ + i).value;
    }
    drawn_ += left.size();
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) out[i] = native(left[i], right[i]);
  if (means_ != Means::kNative) round(out, out);
}

void Arithmetic::add(std::span<const double> a, std::span<const double> b, std::span<double> out) {
  if (means_ == Means::kNative) {
    operate(a, b, out, [](double x, double y) { return x + y; }, sum);
  } else {
    operate(a, b, out, sum_to_odd, sum);
  }
}

void Arithmetic::subtract(std::span<const double> a, std::span<const double> b, std::span<double> out) {
  const auto exact = [](const Real& x, const Real& y) { return sum(x, negated(y)); };
  if (means_ == Means::kNative) {
    operate(a, b, out, [](double x, double y) { return x - y; }, exact);
  } else {
    operate(a, b, out, [](double x, double y) { return sum_to_odd(x, -y); }, exact);
  }
}

void Arithmetic::multiply(std::span<const double> a, std::span<const double> b, std::span<double> out) {
  operate(a, b, out, [](double x, double y) { return x * y; }, product);
}

void Arithmetic::divide(std::span<const double> a, std::span<const double> b, std::span<double> out) {
  operate(a, b, out, [](double x, double y) { return x / y; }, quotient);
}

void Arithmetic::square_root(std::span<const double> a, std::span<double> out) {
  operate(
      a, a, out, [](double x, double) { return std::sqrt(x); },
      [](const Real& x, const Real&) { return assay::square_root(x); });
}

void Arithmetic::apply(double (*function)(double), std::span<const double> a, std::span<double> out) {
  const std::span<const double> in = operand(a, left_);
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = function(in[i]);
  round(out, out);
}

}  // namespace assay
