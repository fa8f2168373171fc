#pragma once
// Classes of ASCII bytes in a table, for detectors that look at every byte of a suspicious stretch.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

enum AsciiClass : std::uint8_t {
  kAsciiLower = 1,
  kAsciiUpper = 2,
  kAsciiDigit = 4,
  kAsciiBlank = 8,  // space, tab, CR, LF
  kAsciiPunctuation = 16,
  kAsciiHexLetter = 32,  // a-f, A-F
  kAsciiBlobMark = 64,   // + / = _ -
  kAsciiLetter = kAsciiLower | kAsciiUpper,
  kAsciiHex = kAsciiDigit | kAsciiHexLetter,
  kAsciiBlob = kAsciiLetter | kAsciiDigit | kAsciiBlobMark,
};

inline constexpr std::array<std::uint8_t, 256> kAsciiClasses = [] {
  std::array<std::uint8_t, 256> out{};
  for (unsigned c = 0x21; c < 0x7F; ++c) out[c] = kAsciiPunctuation;
  for (unsigned c = 'a'; c <= 'z'; ++c) out[c] = c <= 'f' ? kAsciiLower | kAsciiHexLetter : kAsciiLower;
  for (unsigned c = 'A'; c <= 'Z'; ++c) out[c] = c <= 'F' ? kAsciiUpper | kAsciiHexLetter : kAsciiUpper;
  for (unsigned c = '0'; c <= '9'; ++c) out[c] = kAsciiDigit;
  for (const char c : {' ', '\t', '\r', '\n'}) out[static_cast<unsigned char>(c)] = kAsciiBlank;
  for (const char c : {'+', '/', '=', '_', '-'}) {
    out[static_cast<unsigned char>(c)] = kAsciiPunctuation | kAsciiBlobMark;
  }
  return out;
}();

inline unsigned ascii_class(char c) { return kAsciiClasses[static_cast<unsigned char>(c)]; }
inline bool is_ascii(char c, unsigned classes) { return (ascii_class(c) & classes) != 0; }

/// The next run of at least `least` bytes that `belongs` takes, from `from` on: [first, last). Looks at one byte of
/// `least` where there is none, hence fast where such bytes are rare. first == text.size(): there is no more.
struct ByteRun {
  std::size_t first = 0;
  std::size_t last = 0;
};
ByteRun next_run(std::string_view text, std::size_t from, std::size_t least, const auto& belongs) {
  while (from + least <= text.size()) {
    std::size_t at = from + least;
    while (at > from && belongs(text[at - 1])) --at;
    if (at > from) {
      from = at;
      continue;
    }
    std::size_t last = from + least;
    while (last < text.size() && belongs(text[last])) ++last;
    return {from, last};
  }
  return {text.size(), text.size()};
}

}  // namespace assay
