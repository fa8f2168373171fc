#pragma once
// A real number to 128 bits, with a mark when there was more: enough to round rightly, once, into any format here.

#include <cstdint>
#include <optional>
#include <string_view>

#include "assay/result.h"

namespace assay {

__extension__ using UInt128 = unsigned __int128;

/// (-1)^negative · significand · 2^exponent, the significand's highest bit (127) set unless zero, infinite or NaN.
/// Where the number has more bits than these the lowest bit is 1 ("round to odd"): any rounding to up to 126 bits is
/// then that of the exact number, because the mark keeps it away from ties and from representable numbers.
struct Real {
  enum class Kind : std::uint8_t { kZero, kFinite, kInfinite, kNan };
  Kind kind = Kind::kZero;
  bool negative = false;
  UInt128 significand = 0;
  int exponent = 0;
  bool exact = true;          // false: the lowest bit is the mark
  std::uint64_t payload = 0;  // of a NaN: the fraction of its FP64 pattern

  bool finite() const { return kind == Kind::kZero || kind == Kind::kFinite; }
  /// floor(log2 |x|). Precondition: kFinite.
  int magnitude() const { return exponent + 127; }
};

Real real(double value);
/// Nearest, ties to even; infinite beyond FP64.
double to_double(const Real& value);

/// Correctly marked results. Infinities, zeros and NaN as IEEE 754 has them; the sum of opposite numbers is +0.
Real negated(Real value);
Real sum(const Real& a, const Real& b);
Real product(const Real& a, const Real& b);
Real quotient(const Real& a, const Real& b);
Real square_root(const Real& a);
/// -1, 0, 1; of finite and infinite numbers.
int compare(const Real& a, const Real& b);

/// A number as people write it: decimal ("-1.5e-3", ".1", "1_000"), "2^-24", hexadecimal floating point ("0x1.8p-3"),
/// "inf", "nan", "-nan(0x1)". Any length up to 4,096 characters, any exponent. Not bit patterns: those belong to a
/// format. Error kUsage: what is not a number, with the place.
Result<Real> parse_real(std::string_view text);

}  // namespace assay
