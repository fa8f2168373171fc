#include "study/float_formula.h"

#include <cmath>

#include "num/codes.h"
#include "num/format.h"
#include "study/float_words.h"

namespace assay {

namespace {

std::string number(std::int64_t value) { return value < 0 ? "−" + std::to_string(-value) : std::to_string(value); }

std::string power(int exponent) { return "2^" + std::to_string(exponent); }

std::string sign_factor(const NumberFormat& format, double value) {
  if (!format.has_sign) return {};
  return std::string("(−1)^") + (std::signbit(value) ? "1" : "0") + " · ";
}

struct Fields {
  std::int64_t exponent = 0;
  std::uint64_t fraction = 0;
  int fraction_bits = 0;
};

Fields read(const FloatInFormat& one) {
  Fields out;
  for (const CodeField& field : fields_of(one.format, *one.code)) {
    if (field.kind == CodeField::Kind::kExponent) out.exponent = static_cast<std::int64_t>(field.value);
    if (field.kind != CodeField::Kind::kFraction) continue;
    out.fraction = field.value;
    out.fraction_bits = field.bits;
  }
  return out;
}

std::string share(const Fields& fields) {
  constexpr int kMostWritten = 20;  // bits: 1/1024 is read at once, a denominator of sixteen digits never
  const int bits = fields.fraction_bits;
  return std::to_string(fields.fraction) + "/" +
         (bits > kMostWritten ? power(bits) : std::to_string(std::uint64_t{1} << bits));
}

std::string significand_of(double value, int exponent) {
  return shown_decimal(std::ldexp(std::fabs(value), -exponent));
}

std::string of_fields(const FloatInFormat& one) {
  const Fields fields = read(one);
  const std::string sign = sign_factor(one.format, one.stored());
  const std::string minus = std::signbit(one.stored()) ? "−" : "";
  if (fields.exponent == 0 && one.format.has_subnormals) {
    const std::string binade = sign + power(one.format.emin) + " · ";
    if (fields.fraction == 0) return binade + "0 = " + minus + "0";
    return binade + share(fields) + " = " + minus + power(one.format.emin) + " · " +
           significand_of(one.stored(), one.format.emin);
  }
  const int exponent = std::ilogb(one.stored());
  const std::string from = std::to_string(fields.exponent) + " − " + std::to_string(exponent_bias(one.format));
  std::string out = sign + "2^(" + from + ")";
  if (fields.fraction_bits > 0) out += " · (1 + " + share(fields) + ")";
  out += " = " + minus + power(exponent);
  return fields.fraction_bits > 0 ? out + " · " + significand_of(one.stored(), exponent) : out;
}

// The exponent is written with its sign and without its leading one; below 2^-15 the three last bits are the exponent.
std::string of_tapered(const FloatInFormat& one) {
  const std::string sign = sign_factor(one.format, one.stored());
  const std::string minus = std::signbit(one.stored()) ? "−" : "";
  if (one.stored() == 0) return {};
  const int exponent = std::ilogb(one.stored());
  const Fields fields = read(one);
  if (exponent < one.format.emin) {
    return sign + "2^(" + std::to_string(fields.fraction) + " − 23) = " + minus + power(exponent);
  }
  return sign + power(exponent) + " · (1 + " + share(fields) + ") = " + minus + power(exponent) + " · " +
         significand_of(one.stored(), exponent);
}

std::string of_integer(const FloatInFormat& one) {
  const int unit = one.format.emin - one.format.precision + 1;
  return number(static_cast<std::int64_t>(std::ldexp(one.stored(), -unit))) + " · " + power(unit);
}

}  // namespace

Text formula_of(const FloatInFormat& one) {
  if (!one.code || !std::isfinite(one.stored())) return {};
  switch (one.format.layout) {
    case CodeLayout::kFields: return both(of_fields(one));
    case CodeLayout::kTapered: return both(of_tapered(one));
    case CodeLayout::kTwosComplement: return both(of_integer(one));
  }
  return {};
}

}  // namespace assay
