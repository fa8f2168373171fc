// What is a value and what is a pattern? A hexadecimal number with 'p' or '.' is a value in every language that has
// them; one without is what a debugger or a dump prints for the bits. So no option has to say which is meant.

#include "study/float_value.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.h"
#include "base/display.h"
#include "num/block.h"
#include "num/codes.h"
#include "num/double_bits.h"
#include "num/format.h"

namespace assay {

namespace {

// The constants of a format that have a word.
constexpr std::array<std::string_view, 4> kWords = {"max", "min-normal", "min-subnormal", "eps"};

std::optional<double> constant(std::string_view word, const NumberFormat& format) {
  if (word == kWords[0]) return largest(format);
  if (word == kWords[1]) return smallest_normal(format);
  if (word == kWords[2]) return smallest_positive(format);
  if (word == kWords[3]) return epsilon(format);
  return std::nullopt;
}

// The digits of a pattern, four bits or one each; nothing where one is none.
std::optional<std::string> bits_of(std::string_view text) {
  const bool hex = text[1] == 'x';
  std::string out;
  for (const char c : text.substr(2)) {
    if (c == '_') continue;
    const bool digit = c >= '0' && c <= (hex ? '9' : '1');
    const bool letter = hex && c >= 'a' && c <= 'f';
    if (!digit && !letter) return std::nullopt;
    const int value = digit ? c - '0' : c - 'a' + 10;
    for (int bit = hex ? 3 : 0; bit >= 0; --bit) out += (value >> bit & 1) != 0 ? '1' : '0';
  }
  if (out.empty()) return std::nullopt;
  out.erase(0, std::min(out.find('1'), out.size() - 1));
  return out;
}

Result<std::uint64_t> code_of(std::string_view text, const NumberFormat& format) {
  const std::string name = format.title.empty() ? format.name : format.title;
  const std::optional<std::string> bits = bits_of(text);
  if (!bits) {
    return fail(ErrorCode::kUsage, "'" + shortened(text, 60) + "' is no pattern of bits", {},
                "such are 0x3c00 and 0b0_01111_0000000000; a hexadecimal number has a p: 0x1.8p-3");
  }
  if (format.bits == 0) {
    return fail(ErrorCode::kUsage, name + " has no patterns of bits, so '" + shortened(text, 60) + "' is none", {},
                "a hexadecimal number has a p: 0x1.8p-3");
  }
  if (bits->size() > static_cast<std::size_t>(format.bits)) {
    return fail(ErrorCode::kUsage, "the pattern '" + shortened(text, 60) + "' has " + std::to_string(bits->size()) +
                                       " bits; those of " + name + " have " + std::to_string(format.bits));
  }
  std::uint64_t code = 0;
  for (const char bit : *bits) code = code << 1 | (bit == '1' ? 1 : 0);
  return code;
}

// A description has commas of its own: "p=11,emin=-14,emax=15,no-inf" is one format.
bool goes_on(std::string_view before, std::string_view part) {
  if (before.find('=') == std::string_view::npos) return false;
  const std::string_view key = part.substr(0, part.find('='));
  const bool new_key = key.size() < part.size() && before.find(std::string(key) + "=") == std::string_view::npos;
  return new_key || part.starts_with("no-");
}

// "nan(0x1)": the payload is that of the format, whose quiet bit stands above it. In FP64, which a Real follows, its
// fraction stands at the top.
Result<FloatInput> set_payload(FloatInput input, const NumberFormat& format) {
  const std::uint64_t payload = input.value.payload & (kDoubleQuiet - 1);
  if (input.value.kind != Real::Kind::kNan || payload == 0) return input;
  const int bits = format.nans == Nans::kIeee ? format.precision - 2 : 0;
  if (payload >> std::max(bits, 0) != 0) {
    return fail(ErrorCode::kUsage, "a NaN of " + format.title + " has a payload of " +
                                       std::to_string(std::max(bits, 0)) + " bits: '" + shortened(input.text, 60) +
                                       "' has more");
  }
  input.value.payload = kDoubleQuiet | payload << (51 - bits);
  return input;
}

}  // namespace

bool is_bit_pattern(std::string_view text) {
  const std::string small = lower(text.substr(0, 2));
  return small == "0b" || (small == "0x" && text.find_first_of("pP.") == std::string_view::npos);
}

Result<FloatInput> float_input(std::string_view text, const NumberFormat& format) {
  FloatInput out;
  out.text = std::string(text);
  const std::string small = lower(text);
  if (is_bit_pattern(text)) {
    out.code = ASSAY_TRY(code_of(small, format));
    out.value = real(decode(format, *out.code));
    return out;
  }
  const bool sign = small.starts_with('-') || small.starts_with('+');
  if (const auto value = constant(std::string_view(small).substr(sign ? 1 : 0), format)) {
    if (std::isnan(*value)) {
      return fail(ErrorCode::kUsage, format.name + " has no eps: 1 is its largest number, or none of its numbers");
    }
    out.value = real(small.starts_with('-') ? -*value : *value);
    return out;
  }
  Result<Real> parsed = parse_real(text);
  if (!parsed) {
    Error error = parsed.error();
    error.hint =
        "a value is like -1.5e-3, 2^-24, 0x1.8p-3, inf, nan(0x1), max or eps; a pattern of bits like 0x3c00 or "
        "0b0_01111_0000000000";
    return std::unexpected(std::move(error));
  }
  out.value = *parsed;
  return set_payload(out, format);
}

bool is_negative_value(std::string_view word) {
  if (!word.starts_with('-') || word.size() < 2) return false;
  const std::string rest = lower(word.substr(1));
  if (rest.front() == '.' || (rest.front() >= '0' && rest.front() <= '9')) return true;
  return rest.starts_with("inf") || rest.starts_with("nan") ||
         std::find(kWords.begin(), kWords.end(), rest) != kWords.end();
}

Result<std::vector<NumberFormat>> float_formats(std::string_view names) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find(',', at), names.size());
    const std::string part(names.substr(at, end - at));
    if (!parts.empty() && goes_on(parts.back(), part)) {
      parts.back() += "," + part;
    } else {
      parts.push_back(part);
    }
    at = end + 1;
  }
  std::vector<NumberFormat> out;
  for (const std::string& part : parts) {
    if (find_block_format(part) != nullptr) {
      return fail(ErrorCode::kUsage, part + " is a format of blocks, not of single values", {},
                  "'assay float cast 0.1 0.2 --to " + part + "' shows a block");
    }
    out.push_back(ASSAY_TRY(number_format(part)));
  }
  return out;
}

}  // namespace assay
