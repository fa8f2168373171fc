#include "study/float_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/display.h"
#include "base/version.h"
#include "num/codes.h"
#include "num/decimal_text.h"

namespace assay {

namespace {

// Digits of a finite value without trailing zeros, and the power of ten of the first one. A double has at most 767.
struct Digits {
  std::string digits;
  int power = 0;
};

Digits digits_of(double value) {
  std::array<char, 800> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value), std::chars_format::scientific, 770);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  Digits out;
  for (const char c : text.substr(0, e)) {
    if (c != '.') out.digits += c;
  }
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  std::string_view power = text.substr(e + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), out.power);
  return out;
}

std::string written(double value, std::size_t most) {
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isnan(value)) return sign + "NaN";
  if (std::isinf(value)) return sign + "Inf";
  if (value == 0) return sign + "0";
  Digits number = digits_of(value);
  return decimal_text(std::signbit(value), std::move(number.digits), number.power, most);
}

}  // namespace

std::string exact_decimal(double value) { return written(value, 1000); }

std::string shown_decimal(double value) { return written(value, 30); }

std::string brief_decimal(double value) { return written(value, 15); }

std::string rounded_decimal(double value) { return format(Value(value)); }

std::string constant_decimal(double value) {
  if (!std::isfinite(value)) return exact_decimal(value);
  std::string out = fmt::format("{:.7g}", value);
  const std::size_t e = out.find('e');  // "6.103516e-05" -> "6.103516e-5"
  if (e != std::string::npos && out[e + 2] == '0') out.erase(e + 2, 1);
  return out;
}

std::string hexadecimal_float(double value) {
  if (!std::isfinite(value)) return exact_decimal(value);
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value), std::chars_format::hex);
  return std::string(std::signbit(value) ? "-" : "") + "0x" + std::string(buffer.data(), end.ptr);
}

std::string in_powers_of_two(double value) {
  if (!std::isfinite(value) || value == 0) return exact_decimal(value);
  const int exponent = std::ilogb(value);
  const double significand = std::ldexp(std::fabs(value), -exponent);
  const std::string sign = value < 0 ? "-" : "";
  const std::string power = "2^" + std::to_string(exponent);
  if (significand == 1) return sign + power;
  const double missing = 2 - significand;  // exact: both are below 2
  const int bits = std::ilogb(missing);
  if (bits < -3 && missing == std::ldexp(1.0, bits)) {
    return sign + "(2 − 2^" + std::to_string(bits) + ") · " + power;
  }
  return sign + shown_decimal(significand) + " · " + power;
}

std::string shown_text(std::string_view written) { return shortened(written, 40); }

bool same_number(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

std::string code_text(const NumberFormat& format, std::uint64_t code) {
  std::array<char, 20> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), code, 16);
  const std::string digits(buffer.data(), end.ptr);
  const auto width = static_cast<std::size_t>((format.bits + 3) / 4);
  return "0x" + std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
}

BitPattern pattern_of(const NumberFormat& format, std::uint64_t code) {
  BitPattern out;
  for (const CodeField& field : fields_of(format, code)) {
    BitField one;
    switch (field.kind) {
      case CodeField::Kind::kSign: one.kind = BitField::Kind::kSign; break;
      case CodeField::Kind::kPrefix: one.kind = BitField::Kind::kPrefix; break;
      case CodeField::Kind::kExponent: one.kind = BitField::Kind::kExponent; break;
      case CodeField::Kind::kFraction: one.kind = BitField::Kind::kFraction; break;
      case CodeField::Kind::kUnused: one.kind = BitField::Kind::kUnused; break;
    }
    for (int bit = field.bits - 1; bit >= 0; --bit) one.bits += (field.value >> bit & 1) != 0 ? '1' : '0';
    if (!one.bits.empty()) out.fields.push_back(std::move(one));
  }
  return out;
}

std::string binary_text(const BitPattern& pattern) {
  std::string out;
  for (const BitField& field : pattern.fields) out += (out.empty() ? "" : " ") + field.bits;
  return out;
}

Text nan_words(const NumberFormat& format, std::uint64_t code) {
  if (format.nans != Nans::kIeee) return {"without payload", "无载荷"};
  std::uint64_t fraction = 0;
  for (const CodeField& field : fields_of(format, code)) {
    if (field.kind == CodeField::Kind::kFraction) fraction = field.value;
  }
  const std::uint64_t quiet_bit = std::uint64_t{1} << (format.precision - 2);
  const std::uint64_t payload = fraction & (quiet_bit - 1);
  std::array<char, 20> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), payload, 16);
  const Values values = {{"payload", "0x" + std::string(buffer.data(), end.ptr)}};
  return (fraction & quiet_bit) != 0 ? filled("quiet, payload {payload}", "静默 NaN，载荷 {payload}", values)
                                     : filled("signalling, payload {payload}", "信号 NaN，载荷 {payload}", values);
}

const std::vector<RoundingName>& rounding_names() {
  static const std::vector<RoundingName> names = {{Rounding::kNearestEven, "nearest-even"},
                                                  {Rounding::kNearestAway, "nearest-away"},
                                                  {Rounding::kTowardZero, "toward-zero"},
                                                  {Rounding::kUp, "up"},
                                                  {Rounding::kDown, "down"},
                                                  {Rounding::kToOdd, "to-odd"},
                                                  {Rounding::kStochastic, "stochastic"}};
  return names;
}

const std::vector<OverflowName>& overflow_names() {
  static const std::vector<OverflowName> names = {{Overflow::kInfinity, "infinity"},
                                                  {Overflow::kNan, "nan"},
                                                  {Overflow::kSaturate, "saturate"},
                                                  {Overflow::kAscend, "ascend"}};
  return names;
}

std::string names_of(const std::vector<NumberFormat>& formats) {
  std::string out;
  for (const NumberFormat& format : formats) out += (out.empty() ? "" : ",") + format.name;
  return out;
}

void add_rules(std::vector<std::string>& words, const RoundingRules& rules) {
  const RoundingRules standard;
  const auto add = [&](std::string name, std::string value) {
    words.push_back("--" + std::move(name));
    words.push_back(std::move(value));
  };
  const auto name_in = [](const auto& names, auto value) {
    return std::string(
        std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.first == value; })->second);
  };
  if (rules.rounding != standard.rounding) add("rounding", name_in(rounding_names(), rules.rounding));
  if (rules.overflow != standard.overflow) add("overflow", name_in(overflow_names(), rules.overflow));
  if (rules.flush_inputs || rules.flush_outputs) {
    add("flush", rules.flush_inputs && rules.flush_outputs ? "both" : rules.flush_inputs ? "inputs" : "outputs");
  }
  if (rules.seed != standard.seed) add("seed", std::to_string(rules.seed));
  if (rules.random_bits != standard.random_bits) add("random-bits", std::to_string(rules.random_bits));
}

Report study_report(std::string study, std::vector<std::string> arguments, Text answer) {
  Report out;
  out.tool_version = std::string(version());
  out.study = std::move(study);
  out.arguments = std::move(arguments);
  out.answer = std::move(answer);
  out.judged = false;
  return out;
}

}  // namespace assay
