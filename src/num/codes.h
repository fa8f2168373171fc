#pragma once
// Patterns of bits and what they mean. Only for formats that have patterns (bits > 0).

#include <cstdint>
#include <optional>
#include <vector>

#include "assay/number_format.h"

namespace assay {

enum class NumberClass : std::uint8_t { kZero, kSubnormal, kNormal, kInfinity, kNan };

/// The class of a value of the format.
NumberClass class_of(const NumberFormat& format, double value);

/// The value of a code; bits above format.bits are ignored, and so are unused bits. NaN codes give a NaN with their
/// sign and with their fraction in the highest bits of its payload (nan_from_bits).
double decode(const NumberFormat& format, std::uint64_t code);

/// The code of a value of the format. A NaN keeps its sign and the highest bits of its payload as far as there is
/// room, as conversions in hardware do; it becomes the format's only NaN, or that of its sign, where there is no more.
/// Precondition: the value is one of the format's (round_to gives such).
std::uint64_t encode(const NumberFormat& format, double value);

/// The next larger and the next smaller number or infinity; nothing beyond the last one. -0 and +0 are one number.
/// Precondition as above; not NaN.
std::optional<double> next_up(const NumberFormat& format, double value);
std::optional<double> next_down(const NumberFormat& format, double value);

/// The place of a finite value or infinity among the format's numbers in order: 0 for zero, -1 for the negative number
/// next to it. The difference of two is how many steps of next_up lie between. Formats without zero begin at 1.
std::int64_t ordinal(const NumberFormat& format, double value);
/// The number there; nothing where there is none.
std::optional<double> at_ordinal(const NumberFormat& format, std::int64_t ordinal);

/// A pattern in its fields, from the highest bit.
struct CodeField {
  enum class Kind : std::uint8_t { kSign, kPrefix, kExponent, kFraction, kUnused };
  Kind kind = Kind::kSign;
  int bits = 0;
  std::uint64_t value = 0;
};
std::vector<CodeField> fields_of(const NumberFormat& format, std::uint64_t code);

}  // namespace assay
