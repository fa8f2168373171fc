// Patterns of bits.
//
// Fields, as in IEEE 754: sign, biased exponent, fraction. The formats differ only in what the last codes mean, so the
// special codes are asked for first and the rest is one formula. HiF8 (arXiv 2409.16626) spends its bits on a prefix
// that tells how many exponent bits follow; with 128 magnitudes a table serves. The order of numbers (ordinal) is
// counted from the quantum, not from the codes, so that formats without patterns have one, too.

#include "num/codes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "num/double_bits.h"
#include "num/format.h"

namespace assay {

namespace {

constexpr std::uint64_t kNanCodeOfTapered = 0x80;

constexpr std::uint64_t ones(int bits) { return (std::uint64_t{1} << bits) - 1; }  // fewer than 64

double with_sign(double magnitude, bool negative) { return negative ? -magnitude : magnitude; }

// --- HiF8 ---

struct TaperedPrefix {
  int bits;           // of the prefix
  std::uint64_t is;   // the prefix
  int exponent_bits;  // behind it
  int fraction_bits;
};
constexpr std::array<TaperedPrefix, 6> kPrefixes = {
    {{2, 0b11, 4, 1}, {2, 0b10, 3, 2}, {2, 0b01, 2, 3}, {3, 0b001, 1, 3}, {4, 0b0001, 0, 3}, {4, 0b0000, 0, 3}}};

const TaperedPrefix& prefix_of(std::uint64_t magnitude) {
  return *std::find_if(kPrefixes.begin(), kPrefixes.end(),
                       [&](const TaperedPrefix& one) { return magnitude >> (7 - one.bits) == one.is; });
}

double tapered_magnitude(std::uint64_t code) {
  const TaperedPrefix& prefix = prefix_of(code);
  const std::uint64_t fraction = code & ones(prefix.fraction_bits);
  if (prefix.is == 0) return fraction == 0 ? 0 : std::ldexp(1.0, static_cast<int>(fraction) - 23);
  int exponent = 0;
  if (prefix.exponent_bits > 0) {  // its sign, then the magnitude without the leading one
    const std::uint64_t field = code >> prefix.fraction_bits & ones(prefix.exponent_bits);
    const std::uint64_t leading = std::uint64_t{1} << (prefix.exponent_bits - 1);
    const int size = static_cast<int>((field & (leading - 1)) | leading);
    exponent = (field & leading) != 0 ? -size : size;
  }
  const int one = 1 << prefix.fraction_bits;
  return std::ldexp(one + static_cast<int>(fraction), exponent - prefix.fraction_bits);
}

// The 127 positive numbers and infinity in order, each with its code.
struct TaperedOrder {
  std::array<double, 128> value{};  // value[0] is zero, value[127] infinity
  std::array<std::uint8_t, 128> code{};
};

const TaperedOrder& tapered_order() {
  static const TaperedOrder order = [] {
    TaperedOrder out;
    for (std::size_t i = 0; i < 128; ++i) out.code[i] = static_cast<std::uint8_t>(i);
    std::sort(out.code.begin(), out.code.end(),
              [](std::uint8_t a, std::uint8_t b) { return tapered_magnitude(a) < tapered_magnitude(b); });
    for (std::size_t i = 0; i < 127; ++i) out.value[i] = tapered_magnitude(out.code[i]);
    out.value[127] = std::numeric_limits<double>::infinity();
    return out;
  }();
  return order;
}

std::int64_t tapered_place(double magnitude) {
  const auto& values = tapered_order().value;
  return std::lower_bound(values.begin(), values.end(), magnitude) - values.begin();
}

double decode_tapered(std::uint64_t code) {
  if ((code & 0xFF) == kNanCodeOfTapered) return nan_with(false, kDoubleQuiet);
  const double magnitude =
      tapered_order().value[static_cast<std::size_t>(tapered_place(tapered_magnitude(code & 0x7F)))];
  return with_sign(magnitude, (code & 0x80) != 0);
}

std::uint64_t encode_tapered(double value) {
  if (std::isnan(value)) return kNanCodeOfTapered;
  const std::uint64_t code = tapered_order().code[static_cast<std::size_t>(tapered_place(std::abs(value)))];
  return value < 0 ? code | 0x80 : code;
}

// --- fields ---

struct Widths {
  int exponent, fraction;
};
Widths widths(const NumberFormat& format) { return {exponent_bits(format), format.precision - 1}; }

double decode_fields(const NumberFormat& format, std::uint64_t code) {
  const auto [exponent_width, fraction_width] = widths(format);
  const int used = format.bits - format.unused_bits;
  const std::uint64_t pattern = code << (64 - format.bits) >> (64 - used);
  const std::uint64_t fraction = pattern & ones(fraction_width);
  const std::uint64_t field = pattern >> fraction_width & ones(exponent_width);
  const bool negative = format.has_sign && (pattern >> (used - 1) & 1) != 0;
  if (format.nans == Nans::kNegativeZero && pattern == std::uint64_t{1} << (used - 1))
    return nan_with(false, kDoubleQuiet);
  if (field == ones(exponent_width)) {
    if (format.nans == Nans::kAllOnes && fraction == ones(fraction_width)) return nan_with(negative, kDoubleQuiet);
    if (fraction == 0 && format.has_infinity()) return with_sign(std::numeric_limits<double>::infinity(), negative);
    if (fraction != 0 && format.nans == Nans::kIeee) return nan_with(negative, fraction << (52 - fraction_width));
  }
  const bool below = field == 0 && (format.has_zero || format.has_subnormals);
  const auto whole = static_cast<double>(below ? fraction : fraction | std::uint64_t{1} << fraction_width);
  const int exponent = below ? format.emin : static_cast<int>(field) - exponent_bias(format);
  return with_sign(std::ldexp(whole, exponent - fraction_width), negative);
}

std::uint64_t nan_code(const NumberFormat& format, double value) {
  const auto [exponent_width, fraction_width] = widths(format);
  const int used = format.bits - format.unused_bits;
  const std::uint64_t sign = std::uint64_t{format.has_sign && std::signbit(value)} << (used - 1);
  if (format.nans == Nans::kNegativeZero) return std::uint64_t{1} << (used - 1);
  if (format.nans == Nans::kAllOnes) return sign | ones(exponent_width + fraction_width);
  std::uint64_t fraction = (std::bit_cast<std::uint64_t>(value) & kDoubleFraction) >> (52 - fraction_width);
  if (fraction == 0) fraction = std::uint64_t{1} << (fraction_width - 1);  // only its low bits were set
  return sign | ones(exponent_width) << fraction_width | fraction;
}

std::uint64_t magnitude_code(const NumberFormat& format, double magnitude) {
  const auto [exponent_width, fraction_width] = widths(format);
  if (magnitude == 0) return 0;
  if (std::isinf(magnitude)) return ones(exponent_width) << fraction_width;
  const int exponent = std::max(std::ilogb(magnitude), format.emin);
  const auto whole = static_cast<std::uint64_t>(std::ldexp(magnitude, fraction_width - exponent));
  const std::uint64_t leading = std::uint64_t{1} << fraction_width;
  if (whole < leading) return whole;  // subnormal
  return static_cast<std::uint64_t>(exponent + exponent_bias(format)) << fraction_width | (whole - leading);
}

std::uint64_t encode_fields(const NumberFormat& format, double value) {
  const int used = format.bits - format.unused_bits;
  if (std::isnan(value)) return nan_code(format, value) << format.unused_bits;
  std::uint64_t code = magnitude_code(format, std::abs(value));
  const bool negative = format.has_sign && std::signbit(value) && (value != 0 || format.has_negative_zero());
  if (negative) code |= std::uint64_t{1} << (used - 1);
  return code << format.unused_bits;
}

// --- integers ---

double integer_unit(const NumberFormat& format) { return std::ldexp(1.0, format.emin - format.precision + 1); }

double decode_integer(const NumberFormat& format, std::uint64_t code) {
  const auto value = static_cast<std::int64_t>(code & ones(format.bits));
  const std::int64_t wrap = std::int64_t{1} << format.bits;
  return static_cast<double>(value >= wrap / 2 ? value - wrap : value) * integer_unit(format);
}

std::uint64_t encode_integer(const NumberFormat& format, double value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value / integer_unit(format))) & ones(format.bits);
}

// The integer that two's complement has more than its positive numbers.
double lowest_integer(const NumberFormat& format) { return -std::ldexp(1.0, format.emax + 1); }

std::int64_t magnitude_ordinal(const NumberFormat& format, double magnitude) {
  if (magnitude == 0) return 0;
  if (format.layout == CodeLayout::kTapered) return tapered_place(magnitude);
  if (std::isinf(magnitude)) return magnitude_ordinal(format, largest(format)) + 1;
  const int exponent = std::max(std::ilogb(magnitude), format.emin);
  const auto whole = static_cast<std::int64_t>(std::ldexp(magnitude, format.precision - 1 - exponent));
  const std::int64_t binade = std::int64_t{1} << (format.precision - 1);
  const std::int64_t before = exponent - format.emin;
  return format.has_subnormals ? before * binade + whole : before * binade + (whole - binade) + 1;
}

double at_magnitude(const NumberFormat& format, std::int64_t place) {
  if (place == 0) return 0;
  if (format.layout == CodeLayout::kTapered) return tapered_order().value[static_cast<std::size_t>(place)];
  const std::int64_t binade = std::int64_t{1} << (format.precision - 1);
  const std::int64_t shifted = format.has_subnormals ? place : place - 1 + binade;
  const std::int64_t exponent = std::max<std::int64_t>(0, shifted / binade - 1);
  const std::int64_t whole = shifted - exponent * binade;
  return std::ldexp(static_cast<double>(whole), static_cast<int>(exponent) + format.emin - format.precision + 1);
}

}  // namespace

NumberClass class_of(const NumberFormat& format, double value) {
  if (std::isnan(value)) return NumberClass::kNan;
  if (std::isinf(value)) return NumberClass::kInfinity;
  if (value == 0) return NumberClass::kZero;
  return std::abs(value) < smallest_normal(format) ? NumberClass::kSubnormal : NumberClass::kNormal;
}

double decode(const NumberFormat& format, std::uint64_t code) {
  switch (format.layout) {
    case CodeLayout::kTapered: return decode_tapered(code);
    case CodeLayout::kTwosComplement: return decode_integer(format, code);
    case CodeLayout::kFields: break;
  }
  return decode_fields(format, code);
}

std::uint64_t encode(const NumberFormat& format, double value) {
  switch (format.layout) {
    case CodeLayout::kTapered: return encode_tapered(value);
    case CodeLayout::kTwosComplement: return encode_integer(format, value);
    case CodeLayout::kFields: break;
  }
  return encode_fields(format, value);
}

std::int64_t ordinal(const NumberFormat& format, double value) {
  const std::int64_t place = magnitude_ordinal(format, std::abs(value));
  return value < 0 ? -place : place;
}

std::optional<double> at_ordinal(const NumberFormat& format, std::int64_t place) {
  if (place < 0 && !format.has_sign) return std::nullopt;
  if (place == 0 && !format.has_zero) return std::nullopt;
  const std::int64_t last = magnitude_ordinal(format, largest(format));
  if (format.layout == CodeLayout::kTwosComplement && place == -last - 1) return lowest_integer(format);
  const std::int64_t most = last + (format.has_infinity() ? 1 : 0);
  if (place < -most || place > most) return std::nullopt;
  const std::int64_t magnitude = place < 0 ? -place : place;
  const double value = magnitude > last ? std::numeric_limits<double>::infinity() : at_magnitude(format, magnitude);
  return with_sign(value, place < 0);
}

std::optional<double> next_up(const NumberFormat& format, double value) {
  return at_ordinal(format, ordinal(format, value) + 1);
}

std::optional<double> next_down(const NumberFormat& format, double value) {
  return at_ordinal(format, ordinal(format, value) - 1);
}

std::vector<CodeField> fields_of(const NumberFormat& format, std::uint64_t code) {
  using Kind = CodeField::Kind;
  std::vector<CodeField> out;
  int left = format.bits;
  const auto take = [&](Kind kind, int bits) {
    if (bits == 0) return;
    left -= bits;
    out.push_back({kind, bits, code >> left & ones(bits)});
  };
  if (format.has_sign) take(Kind::kSign, 1);
  if (format.layout == CodeLayout::kTapered) {
    const TaperedPrefix& prefix = prefix_of(code & 0x7F);
    take(Kind::kPrefix, prefix.bits);
    take(Kind::kExponent, prefix.exponent_bits);
  } else if (format.layout == CodeLayout::kFields) {
    take(Kind::kExponent, exponent_bits(format));
  }
  take(Kind::kFraction, left - format.unused_bits);
  take(Kind::kUnused, format.unused_bits);
  return out;
}

}  // namespace assay
