#pragma once
// What a character is, as far as broken text is concerned.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace assay {

enum class CharacterKind : std::uint8_t {
  kControl,        // C0, DEL, C1; tab, line feed, carriage return and form feed are kSpace
  kUnassigned,     // no character of Unicode 15
  kNonCharacter,   // U+FFFE, U+FDD0: never a character
  kPrivate,        // private use
  kReplacement,    // U+FFFD
  kZeroWidth,      // U+200B, U+2060, U+FEFF, U+180E
  kJoiner,         // U+200C, U+200D
  kDirectionMark,  // U+200E, U+200F, U+061C
  kBidi,           // embeddings, overrides, isolates and their ends
  kInvisible,      // invisible operators, deprecated formats, annotation anchors, Hangul fillers
  kTag,            // U+E0000 to U+E007F
  kSelector,       // variation selectors
  kSoftHyphen,
  kFormat,  // other format characters, which belong to scripts
  kMark,    // combining marks of all scripts (U+0300 and the like); not those of a script of their own
  kSpace,
  kDigit,   // decimal digits of all scripts
  kNumber,  // fractions, superscripts, Roman numerals
  kPunctuation,
  kSymbol,  // mathematics, currency, arrows, other signs
  kBox,     // box drawing and block elements
  kEmoji,
  kLatin,
  kPhonetic,  // IPA and modifier letters
  kGreek,
  kCyrillic,
  kArmenian,
  kGeorgian,
  kHebrew,
  kArabic,  // and Syriac, Thaana, N'Ko, which join as well
  kThai,    // and Lao
  kIndic,
  kSoutheast,  // Khmer, Myanmar, Tibetan
  kEthiopic,
  kMongolian,
  kHan,
  kKana,
  kHalfKana,  // half-width katakana
  kHangul,
  kOtherLetter,
};

CharacterKind kind_of(char32_t code);

/// The same for loops over every character: asks once where the table is.
class CharacterKinds {
 public:
  CharacterKinds();
  CharacterKind of(char32_t code) const {
    return code < 0x10000 ? static_cast<CharacterKind>(kinds_[code]) : kind_of(code);
  }

 private:
  const std::uint8_t* kinds_;
};

/// Behind U+048A small letters are odd.
inline bool is_small_cyrillic(char32_t c) {
  return (c >= 0x430 && c <= 0x45f) || (c >= 0x48b && c % 2 == 1 && c < 0x530);
}

/// From kLatin on: letters, and the marks of a script of its own.
inline bool is_letter(CharacterKind kind) { return kind >= CharacterKind::kLatin; }

/// In which lists of common ideographs a character stands: bit 0 level 1 of GB 2312 (3,755), bit 1 level 1 of Big5
/// (5,401), bit 2 level 1 of JIS X 0208 (2,965). 0: it is rare, or no ideograph.
std::uint8_t han_levels(char32_t code);

struct Character {
  char32_t code = 0;
  std::uint32_t bytes = 1;
};

/// The character at `at`, which is below text.size(). What is no UTF-8 gives U+FFFD of one byte.
inline Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto next = [&](std::size_t i) {
    return at + i < text.size() && (byte(at + i) & 0xc0) == 0x80 ? byte(at + i) & 0x3fU : ~0U;
  };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::uint32_t a = next(1);
  if (first < 0xe0) {
    if (first < 0xc2 || a == ~0U) return {0xfffd, 1};
    return {(first & 0x1f) << 6 | a, 2};
  }
  const std::uint32_t b = next(2);
  if (a == ~0U || b == ~0U) return {0xfffd, 1};
  if (first < 0xf0) {
    const std::uint32_t code = (first & 0x0f) << 12 | a << 6 | b;
    return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? Character{0xfffd, 1} : Character{code, 3};
  }
  const std::uint32_t c = next(3);
  if (first > 0xf4 || c == ~0U) return {0xfffd, 1};
  const std::uint32_t code = (first & 0x07) << 18 | a << 12 | b << 6 | c;
  return code < 0x10000 || code > 0x10ffff ? Character{0xfffd, 1} : Character{code, 4};
}

/// The same for text that is UTF-8, as documents are: what is none may give any code below 0x110000, and as many bytes
/// as its first one announces.
inline Character fast_character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first >= 0xe0 && first < 0xf0 && at + 2 < text.size()) {
    return {(first & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
  }
  if (first >= 0xc0 && first < 0xe0 && at + 1 < text.size()) return {(first & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  return character_at(text, at);
}

/// Where the character before `at` begins; at > 0.
inline std::size_t before(std::string_view text, std::size_t at) {
  std::size_t i = at - 1;
  for (int most = 3; most > 0 && i > 0 && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80; --most) --i;
  return i;
}

/// The first byte above ASCII from `at` on; text.size() where there is none.
inline std::size_t next_high(std::string_view text, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);  // the first byte is the lowest
  constexpr std::uint64_t kHigh = 0x8080'8080'8080'8080;
  const auto high = [&](std::size_t i) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    return word & kHigh;
  };
  for (; at + 8 <= text.size(); at += 8) {
    if (const std::uint64_t found = high(at); found != 0)
      return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    while (at + 40 <= text.size() && (high(at + 8) | high(at + 16) | high(at + 24) | high(at + 32)) == 0) at += 32;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

void append_utf8(char32_t code, std::string& out);

}  // namespace assay
