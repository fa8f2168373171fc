#include "base/bytes.h"

#include <cmath>

namespace assay {

std::optional<std::int64_t> exact_integer(double value) {
  constexpr double kLargest = 9007199254740992.0;  // 2^53: above it neighbouring integers share a double
  if (!(std::fabs(value) <= kLargest)) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(value);
  if (static_cast<double>(whole) != value) return std::nullopt;
  return whole;
}

std::size_t utf8_sequence(std::string_view text, bool* cut) {
  if (cut != nullptr) *cut = false;
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte is narrower after four leads: no overlong forms, no surrogates, nothing above U+10FFFF.
  const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) {
      if (cut != nullptr) *cut = true;
      return 0;
    }
    if (byte(i) < (i == 1 ? low : 0x80) || byte(i) > (i == 1 ? high : 0xbf)) return 0;
  }
  return length;
}

std::size_t count_invalid_utf8(std::string_view text) {
  std::size_t invalid = 0;
  while (!text.empty()) {
    bool cut = false;
    const std::size_t length = utf8_sequence(text, &cut);
    if (cut) break;
    if (length == 0) ++invalid;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return invalid;
}

std::string printable_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (first < 0x20 || first == 0x7f) {
      out += ' ';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace assay
