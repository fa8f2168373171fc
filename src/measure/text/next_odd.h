#pragma once
// Where a text next has one of the few characters that are looked at one by one. Most characters above ASCII are none:
// letters of the large alphabets, ideographs, their punctuation. These pass over some 10 bytes a nanosecond.
//
// Precondition: text is UTF-8; from <= text.size(), at a boundary of characters.

#include <cstddef>
#include <string_view>

namespace assay {

/// The next character, from `from` on, that may be invisible, unassigned, a mark, an emoji: one that the rule
/// invisible-characters asks about. text.size(): none. What is passed over is a space, a letter, a digit or a sign
/// (CharacterKind from kSpace on, no emoji), or one of the three gaps among kana.
std::size_t next_unusual(std::string_view text, std::size_t from);

/// The next character, from `from` on, that may be the first of those that a character of UTF-8 became when it was read
/// with a code page of one byte (see misread_utf8.cpp). text.size(): none.
std::size_t next_misread_lead(std::string_view text, std::size_t from);

/// Lead bytes of characters of several scripts (but for hexagrams among ideographs), or of few characters.
constexpr bool has_shared_lead(unsigned char byte) {
  const bool one_script = (byte >= 0xc4 && byte <= 0xc9) || (byte >= 0xce && byte <= 0xd3) ||
                          (byte >= 0xd7 && byte <= 0xdb) || (byte >= 0xe4 && byte <= 0xe9) || byte == 0xeb ||
                          byte == 0xec;
  return byte >= 0xc2 && !one_script;
}
/// The next such lead byte from `from` on; text.size(): none.
std::size_t next_shared_lead(std::string_view text, std::size_t from);

}  // namespace assay
