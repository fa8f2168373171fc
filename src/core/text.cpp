// Numbers and sentences as people read them.

#include "assay/text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace assay {

namespace {

std::string with_thousands(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

// Four significant digits; plain notation from 1e-3 to 1e6, else a power of ten ("3.0e-4", "1.5e+24").
std::string four_digits(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Inf" : "-Inf";
  if (number == 0) return "0";
  char text[64];
  const double size = std::fabs(number);
  if (size >= 1e-3 && size < 1e6) {
    if (number == std::floor(number)) return with_thousands(static_cast<std::int64_t>(number));
    if (size >= 1e4) return with_thousands(std::llround(number));
    std::snprintf(text, sizeof text, "%.4g", number);
    const double rounded = std::strtod(text, nullptr);
    return std::fabs(rounded) >= 1000 && rounded == std::floor(rounded) ? with_thousands(std::llround(rounded)) : text;
  }
  std::snprintf(text, sizeof text, "%.3e", number);
  std::string out = text;
  const std::size_t e = out.find('e');
  std::string mantissa = out.substr(0, e);
  while (mantissa.size() > 3 && mantissa.back() == '0') mantissa.pop_back();  // keeps one digit after the point
  std::string exponent = out.substr(e + 2);
  while (exponent.size() > 1 && exponent.front() == '0') exponent.erase(0, 1);
  return mantissa + "e" + (out[e + 1] == '-' ? "-" : "+") + exponent;
}

std::string with_unit(const std::string& number, Unit unit) {
  const std::string_view sign = symbol(unit);
  return sign.empty() ? number : number + " " + std::string(sign);
}

}  // namespace

std::string format(const Value& value) {
  if (const auto* number = std::get_if<double>(&value.data)) return with_unit(four_digits(*number), value.unit);
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return with_unit(with_thousands(*count), value.unit);
  if (const auto* range = std::get_if<StepRange>(&value.data)) {
    if (range->first == range->last) return with_thousands(range->first);
    return with_thousands(range->first) + "-" + with_thousands(range->last);
  }
  return std::get<std::string>(value.data);
}

std::string fill(const Text& text, const Values& values, Language language) {
  const std::string& pattern = text.in(language);
  std::string out;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t close = pattern[at] == '{' ? pattern.find('}', at) : std::string::npos;
    const Value* found = nullptr;
    if (close != std::string::npos) {
      const std::string_view name = std::string_view(pattern).substr(at + 1, close - at - 1);
      for (const auto& [key, value] : values) {
        if (key == name) found = &value;
      }
    }
    if (found != nullptr) {
      out += format(*found);
      at = close + 1;
    } else {
      out += pattern[at++];
    }
  }
  return out;
}

}  // namespace assay
