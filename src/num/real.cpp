// Arithmetic on numbers of 128 bits.
//
// Each operation gives the highest 128 bits of the exact result and, if anything is left, sets the lowest bit:
// "rounding to odd". Such a number lies on the same side of every number and every middle of at most 126 bits as the
// exact one does, so rounding it once more is rounding the exact result (Boldo, Melquiond: "Emulation of FMA and
// correctly rounded sums: proved algorithms using rounding to odd", IEEE Transactions on Computers 57, 2008). The
// operands are taken as exact: of a sum whose operands are themselves marked only the leading bits can be trusted.

#include "num/real.h"

#include <bit>
#include <cmath>
#include <limits>

#include "num/double_bits.h"
#include "num/round.h"

namespace assay {

namespace {

constexpr UInt128 kTop = UInt128{1} << 127;

using Kind = Real::Kind;

Real zero(bool negative) {
  Real out;
  out.negative = negative;
  return out;
}

Real infinite(bool negative) {
  Real out;
  out.kind = Kind::kInfinite;
  out.negative = negative;
  return out;
}

Real invalid() {
  Real out;
  out.kind = Kind::kNan;
  out.payload = kDoubleQuiet;
  return out;
}

int leading_zeros(UInt128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(value));
}

// significand · 2^exponent and something between 0 and 2^exponent, where `more`. A significand that is not full has
// nothing more, or its lowest bit would not be low enough.
Real normal(bool negative, UInt128 significand, int exponent, bool more) {
  if (significand == 0) return zero(negative);
  const int shift = leading_zeros(significand);
  Real out;
  out.kind = Kind::kFinite;
  out.negative = negative;
  out.significand = significand << shift;
  out.exponent = exponent - shift;
  out.exact = !more;
  if (more) out.significand |= 1;
  return out;
}

UInt128 shifted_down(UInt128 value, int by, bool& more) {
  if (by >= 128) {
    more = more || value != 0;
    return 0;
  }
  more = more || (by > 0 && (value & ((UInt128{1} << by) - 1)) != 0);
  return value >> by;
}

// Of magnitudes, high >= low; the sign is that of `high`.
Real added(const Real& high, const Real& low, bool more) {
  const int distance = std::min(high.exponent - low.exponent, 200);
  const UInt128 lower = shifted_down(low.significand, distance, more);
  const UInt128 total = high.significand + lower;
  if (total >= lower) return normal(high.negative, total, high.exponent, more);
  return normal(high.negative, kTop | total >> 1, high.exponent + 1, more || (total & 1) != 0);  // a carry
}

Real subtracted(const Real& high, const Real& low, bool marked) {
  const int distance = std::min(high.exponent - low.exponent, 200);
  if (distance == 0) {
    const UInt128 left = high.significand - low.significand;
    return left == 0 ? zero(false) : normal(high.negative, left, high.exponent, marked);
  }
  if (distance == 1) {  // 129 bits, of which any number may cancel
    const UInt128 doubled = high.significand << 1;
    const UInt128 left = doubled - low.significand;
    if (doubled < low.significand) return normal(high.negative, left, low.exponent, marked);
    return normal(high.negative, kTop | left >> 1, high.exponent, marked || (left & 1) != 0);
  }
  bool more = false;
  const UInt128 lower = shifted_down(low.significand, distance, more);
  // high - (lower + something): one less, and something more.
  return normal(high.negative, high.significand - lower - (more ? 1 : 0), high.exponent, more || marked);
}

}  // namespace

Real real(double value) {
  const DoubleParts parts = parts_of(value);
  if (std::isnan(value)) {
    Real out = invalid();
    out.negative = parts.negative;
    out.payload = parts.whole & kDoubleFraction;
    return out;
  }
  if (std::isinf(value)) return infinite(parts.negative);
  return normal(parts.negative, parts.whole, parts.exponent, false);
}

double to_double(const Real& value) { return round_to(number_formats().front(), value).value; }

Real negated(Real value) {
  value.negative = !value.negative;
  return value;
}

Real sum(const Real& a, const Real& b) {
  if (a.kind == Kind::kNan) return a;
  if (b.kind == Kind::kNan) return b;
  if (a.kind == Kind::kInfinite) return b.kind == Kind::kInfinite && a.negative != b.negative ? invalid() : a;
  if (b.kind == Kind::kInfinite) return b;
  if (a.kind == Kind::kZero && b.kind == Kind::kZero) return zero(a.negative && b.negative);
  if (a.kind == Kind::kZero) return b;
  if (b.kind == Kind::kZero) return a;
  const int order = a.exponent != b.exponent ? a.exponent - b.exponent : a.significand < b.significand ? -1 : 1;
  const Real& high = order < 0 ? b : a;
  const Real& low = order < 0 ? a : b;
  const bool marked = !a.exact || !b.exact;
  return a.negative == b.negative ? added(high, low, marked) : subtracted(high, low, marked);
}

Real product(const Real& a, const Real& b) {
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::kNan) return a;
  if (b.kind == Kind::kNan) return b;
  if (a.kind == Kind::kInfinite || b.kind == Kind::kInfinite) {
    return a.kind == Kind::kZero || b.kind == Kind::kZero ? invalid() : infinite(negative);
  }
  if (a.kind == Kind::kZero || b.kind == Kind::kZero) return zero(negative);
  const std::uint64_t a_high = static_cast<std::uint64_t>(a.significand >> 64);
  const std::uint64_t a_low = static_cast<std::uint64_t>(a.significand);
  const std::uint64_t b_high = static_cast<std::uint64_t>(b.significand >> 64);
  const std::uint64_t b_low = static_cast<std::uint64_t>(b.significand);
  const UInt128 low = UInt128{a_low} * b_low;
  const UInt128 cross = UInt128{a_low} * b_high;
  const UInt128 crossed = UInt128{a_high} * b_low;
  const UInt128 middle = (low >> 64) + static_cast<std::uint64_t>(cross) + static_cast<std::uint64_t>(crossed);
  const UInt128 high = UInt128{a_high} * b_high + (cross >> 64) + (crossed >> 64) + (middle >> 64);
  const UInt128 rest = middle << 64 | static_cast<std::uint64_t>(low);
  const bool inexact = !a.exact || !b.exact;
  if ((high & kTop) != 0) return normal(negative, high, a.exponent + b.exponent + 128, inexact || rest != 0);
  return normal(negative, high << 1 | rest >> 127, a.exponent + b.exponent + 127, inexact || (rest << 1) != 0);
}

// Bit by bit, as on paper: it is asked for a few times only.
Real quotient(const Real& a, const Real& b) {
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::kNan) return a;
  if (b.kind == Kind::kNan) return b;
  if (a.kind == Kind::kInfinite) return b.kind == Kind::kInfinite ? invalid() : infinite(negative);
  if (b.kind == Kind::kInfinite) return zero(negative);
  if (b.kind == Kind::kZero) return a.kind == Kind::kZero ? invalid() : infinite(negative);
  if (a.kind == Kind::kZero) return zero(negative);
  const bool fits = a.significand >= b.significand;  // then the first bit is 1
  UInt128 rest = fits ? a.significand - b.significand : a.significand;
  UInt128 out = fits ? 1 : 0;
  for (int bit = fits ? 1 : 0; bit < 128; ++bit) {
    const bool carried = (rest & kTop) != 0;
    rest <<= 1;
    const bool one = carried || rest >= b.significand;
    if (one) rest -= b.significand;
    out = out << 1 | (one ? 1 : 0);
  }
  const int exponent = a.exponent - b.exponent - (fits ? 127 : 128);
  return normal(negative, out, exponent, rest != 0 || !a.exact || !b.exact);
}

// 64 bits of the root, digit by digit, and the mark: enough for rounding to 62 bits, and every format has at most 53.
Real square_root(const Real& a) {
  if (a.kind == Kind::kNan || a.kind == Kind::kZero) return a;
  if (a.negative) return invalid();
  if (a.kind == Kind::kInfinite) return a;
  bool more = !a.exact;
  UInt128 radicand = a.significand;
  int exponent = a.exponent;
  if (exponent % 2 != 0) {
    radicand = shifted_down(radicand, 1, more);
    ++exponent;
  }
  UInt128 root = 0;
  UInt128 rest = 0;
  for (int digit = 63; digit >= 0; --digit) {
    rest = rest << 2 | (radicand >> (2 * digit) & 3);
    const UInt128 trial = root << 2 | 1;
    const bool one = rest >= trial;
    if (one) rest -= trial;
    root = root << 1 | (one ? 1 : 0);
  }
  more = more || rest != 0;
  return normal(false, root << 64, exponent / 2 - 64, more);
}

int compare(const Real& a, const Real& b) {
  const auto sign = [](const Real& x) { return x.kind == Kind::kZero ? 0 : x.negative ? -1 : 1; };
  if (sign(a) != sign(b)) return sign(a) < sign(b) ? -1 : 1;
  if (sign(a) == 0) return 0;
  const auto size = [](const Real& x) {
    return x.kind == Kind::kInfinite ? std::numeric_limits<int>::max() : x.exponent;
  };
  int larger = 0;
  if (size(a) != size(b)) {
    larger = size(a) < size(b) ? -1 : 1;
  } else if (a.kind == Kind::kFinite && a.significand != b.significand) {
    larger = a.significand < b.significand ? -1 : 1;
  }
  return sign(a) * larger;
}

}  // namespace assay
