// "é" is C3 A9, which Windows-1252 reads as "Ã©", and small letters make "ã©" of it. "ã" is a letter of Portuguese and
// Vietnamese; what never follows it there is a sign of U+00A0 to U+00BF or "ÿ" (the second byte of "ß" is "Ÿ"), but for
// the guillemets: "amanhã»". So "ë" and "û" are not counted, and mended all the same.

#include "measure/text/lowered_utf8.h"

#include <algorithm>

#include "measure/text/ascii_classes.h"
#include "measure/text/characters.h"
#include "measure/text/find_word.h"

namespace assay {

namespace {

constexpr std::size_t kLead = 2;  // bytes of "ã"

// The letter that "ã" and the character behind it were; 0: none.
char32_t letter_of(char32_t second) {
  if (second == 0xff) return U'ß';
  return second >= 0xa0 && second <= 0xbf ? 0xc0 + (second & 0x3f) : 0;
}

}  // namespace

void find_lowered_utf8(std::string_view text, std::size_t most, std::vector<LoweredLetter>& out) {
  out.clear();
  const auto is_letter_at = [&](std::size_t at) { return at < text.size() && is_ascii(text[at], kAsciiLetter); };
  for (std::size_t at = 0; out.size() < most; at += kLead) {
    at = find_pair(text, '\xc3', '\xa3', at);
    if (at == std::string_view::npos || at + kLead >= text.size()) return;
    const Character second = character_at(text, at + kLead);
    const bool quotes = second.code == 0xab || second.code == 0xbb;
    const std::size_t end = at + kLead + second.bytes;
    if (letter_of(second.code) == 0 || quotes || !((at > 0 && is_letter_at(at - 1)) || is_letter_at(end))) continue;
    out.push_back({at, end - at});
  }
}

std::string undo_lowered_utf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    const std::size_t behind = at + one.bytes;
    const char32_t letter = one.code == 0xe3 && behind < text.size() ? letter_of(character_at(text, behind).code) : 0;
    if (letter != 0) {
      append_utf8(letter, out);
      at = behind + character_at(text, behind).bytes;
    } else {
      out += text.substr(at, one.bytes);
      at = behind;
    }
  }
  return out;
}

}  // namespace assay
