// Rounding, the reference.
//
// A number x with exponent E lies between two neighbouring multiples of 2^q, q the quantum of its binade: n·2^q and (n
// + 1)·2^q. Both are numbers of the format (the upper one may begin the next binade), so every rounding is a choice
// between n and n + 1 by what is left over and by the parity of n. Below emin the same holds with the spacing of the
// subnormal numbers, where n may be 0. Overflow is judged after rounding, as IEEE 754 does: a number is too large when
// its rounding with an unlimited exponent is. That is why E4M3, whose largest number 448 = 14·2^5 is even, rounds 464
// to 448 and not to NaN. With a significand of one bit n is 1 and n + 1 even, so ties go up, as ml_dtypes does in E8M0.

#include "num/round.h"

#include <cmath>
#include <limits>

#include "num/codes.h"
#include "num/double_bits.h"
#include "num/format.h"
#include "num/philox.h"

namespace assay {

namespace {

constexpr int kBits = 128;

// x between n·2^quantum and (n + 1)·2^quantum.
struct Split {
  std::uint64_t n = 0;
  UInt128 rest = 0;   // what is left over, as a fraction of 2^shift
  int shift = 0;      // 1 to 128; beyond: `tiny`
  bool tiny = false;  // less than half a quantum, n = 0
};

Split split(const Real& value, int quantum) {
  Split out;
  out.shift = quantum - value.exponent;
  if (out.shift > kBits) {
    out.tiny = true;
    out.rest = 1;
  } else if (out.shift == kBits) {
    out.rest = value.significand;
  } else {
    out.n = static_cast<std::uint64_t>(value.significand >> out.shift);
    out.rest = value.significand & ((UInt128{1} << out.shift) - 1);
  }
  return out;
}

// -1, 0, 1: below, at, above the middle.
int beside_half(const Split& split) {
  if (split.tiny) return -1;
  const UInt128 half = UInt128{1} << (split.shift - 1);
  return split.rest < half ? -1 : split.rest == half ? 0 : 1;
}

bool randomly_up(const Split& split, const RoundingRules& rules, const Real& value, int quantum, std::uint64_t index) {
  const int bits = rules.random_bits;
  // The highest `bits` bits of the fraction that is left over.
  const int drop = quantum - value.exponent - bits;
  const UInt128 rest = split.tiny ? value.significand : split.rest;
  const std::uint64_t top = drop >= kBits ? 0 : static_cast<std::uint64_t>(rest >> drop);
  const std::uint64_t random = random_word(rules.seed, index) >> (32 - bits);
  return top + random >= std::uint64_t{1} << bits;
}

bool rounds_away(const Split& split, const RoundingRules& rules, const Real& value, int quantum, std::uint64_t index) {
  if (split.rest == 0) return false;
  const bool odd = (split.n & 1) != 0;
  switch (rules.rounding) {
    case Rounding::kNearestEven: return beside_half(split) > 0 || (beside_half(split) == 0 && odd);
    case Rounding::kNearestAway: return beside_half(split) >= 0;
    case Rounding::kTowardZero: return false;
    case Rounding::kUp: return !value.negative;
    case Rounding::kDown: return value.negative;
    case Rounding::kToOdd: return !odd;
    case Rounding::kStochastic: return randomly_up(split, rules, value, quantum, index);
  }
  return false;
}

// Directed roundings stop at the largest number on the side that they come from.
bool stops_at_largest(Rounding rounding, bool negative) {
  return rounding == Rounding::kTowardZero || rounding == Rounding::kToOdd || (rounding == Rounding::kUp && negative) ||
         (rounding == Rounding::kDown && !negative);
}

double signed_as(double magnitude, bool negative) { return negative ? -magnitude : magnitude; }

double zero_of(const NumberFormat& format, bool negative) {
  return signed_as(0.0, negative && format.has_negative_zero());
}

// A quiet NaN as the format keeps it.
double quiet_nan(const NumberFormat& format, bool negative, std::uint64_t payload) {
  if (format.nans == Nans::kIeee) {
    const std::uint64_t kept = kDoubleFraction & ~(kDoubleFraction >> (format.precision - 1));
    payload = (payload | kDoubleQuiet) & (kept | kDoubleQuiet);
  } else {
    payload = kDoubleQuiet;
    negative = negative && format.nans == Nans::kAllOnes && format.has_sign;
  }
  return nan_with(negative, payload);
}

double from_nan(const NumberFormat& format, const Real& value, Overflow overflow) {
  if (overflow == Overflow::kAscend && format.has_zero) return 0;
  if (format.has_nan()) return quiet_nan(format, value.negative, value.payload);
  return largest(format);
}

double from_infinity(const NumberFormat& format, bool negative, Overflow overflow) {
  const double most = signed_as(largest(format), negative);
  const bool nan = format.has_nan();
  switch (overflow) {
    case Overflow::kAscend: return most;
    case Overflow::kSaturate:
      return format.nans == Nans::kNegativeZero && !format.has_infinity() ? quiet_nan(format, negative, 0) : most;
    case Overflow::kNan:
      if (nan) return quiet_nan(format, negative, 0);
      break;
    case Overflow::kInfinity: break;
  }
  if (format.has_infinity()) return signed_as(std::numeric_limits<double>::infinity(), negative);
  return nan ? quiet_nan(format, negative, 0) : most;
}

double from_overflow(const NumberFormat& format, bool negative, const RoundingRules& rules) {
  const bool saturates = rules.overflow == Overflow::kSaturate || rules.overflow == Overflow::kAscend;
  if (saturates || stops_at_largest(rules.rounding, negative)) return signed_as(largest(format), negative);
  return from_infinity(format, negative, rules.overflow);
}

Rounded from_finite(const NumberFormat& format, const Real& value, const RoundingRules& rules, std::uint64_t index) {
  Rounded out;
  int exponent = value.magnitude();
  if (exponent < smallest_exponent(format) && !format.has_zero) {  // E8M0: nothing below the smallest number
    out.value = smallest_positive(format);
    out.inexact = out.away = true;
    return out;
  }
  const int quantum = quantum_exponent(format, exponent);
  Split parts = split(value, quantum);
  out.inexact = parts.tiny || parts.rest != 0;
  out.away = rounds_away(parts, rules, value, quantum, index);
  if (out.away) ++parts.n;
  // The largest exponents are compared as exponents: n·2^quantum may be beyond FP64.
  if (exponent > format.emax || std::ldexp(static_cast<double>(parts.n), quantum) > largest(format)) {
    out.overflowed = out.inexact = true;
    out.value = from_overflow(format, value.negative, rules);
    out.away = std::isinf(out.value);
    return out;
  }
  const double magnitude = std::ldexp(static_cast<double>(parts.n), quantum);
  out.flushed = rules.flush_outputs && magnitude != 0 && magnitude < smallest_normal(format);
  const bool zero = magnitude == 0 || out.flushed;
  out.value = zero ? zero_of(format, value.negative) : signed_as(magnitude, value.negative);
  if (out.flushed) out.away = false;
  out.inexact = out.inexact || out.flushed;
  return out;
}

}  // namespace

Rounded round_to(const NumberFormat& format, const Real& value, const RoundingRules& rules, std::uint64_t index) {
  Rounded out;
  const bool unsigned_negative = !format.has_sign && value.negative && value.kind != Real::Kind::kNan;
  const bool no_zero = value.kind == Real::Kind::kZero && !format.has_zero;
  if (value.kind == Real::Kind::kNan || unsigned_negative || no_zero) {
    out.value = from_nan(format, value, rules.overflow);
    out.inexact = value.kind != Real::Kind::kNan;
    return out;
  }
  if (value.kind == Real::Kind::kZero) {
    out.value = zero_of(format, value.negative);
    return out;
  }
  if (value.kind == Real::Kind::kInfinite) {
    out.value = from_infinity(format, value.negative, rules.overflow);
    out.inexact = !std::isinf(out.value);
    out.overflowed = out.inexact;
    return out;
  }
  return from_finite(format, value, rules, index);
}

bool is_in(const NumberFormat& format, double value) {
  if (std::isnan(value)) return format.has_nan();
  if (format.layout == CodeLayout::kTwosComplement && value == -std::ldexp(1.0, format.emax + 1)) return true;
  if (value == 0) return format.has_zero && (!std::signbit(value) || format.has_negative_zero());
  const Rounded rounded = round_to(format, real(value));
  return !rounded.inexact && rounded.value == value;
}

Real flushed(const NumberFormat& from, const Real& value) {
  if (value.kind != Real::Kind::kFinite || value.magnitude() >= std::ilogb(smallest_normal(from))) return value;
  Real zero;
  zero.negative = value.negative;
  return zero;
}

}  // namespace assay
