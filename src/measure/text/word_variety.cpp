// Different words, counted by a table of hashes. Two words with one hash of 64 bits would count as one: that does not
// happen in a text of some thousand words.

#include "measure/text/word_variety.h"

#include <bit>

#include "base/ascii.h"
#include "measure/text/ascii_classes.h"

namespace assay {

WordVariety WordCounter::count(std::string_view text) {
  seen_.assign(std::bit_ceil(text.size() + 2), 0);  // a word has two bytes with what follows: at most half full
  const std::size_t mask = seen_.size() - 1;
  WordVariety out;
  for (std::size_t at = 0; at < text.size();) {
    if (is_ascii(text[at], kAsciiBlank | kAsciiPunctuation)) {
      ++at;
      continue;
    }
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
    for (; at < text.size() && !is_ascii(text[at], kAsciiBlank | kAsciiPunctuation); ++at) {
      hash = (hash ^ static_cast<unsigned char>(lower(text[at]))) * 0x100'0000'01B3;
    }
    hash |= 1;  // 0: the place is empty
    ++out.words;
    std::size_t slot = (hash >> 20) & mask;
    while (seen_[slot] != 0 && seen_[slot] != hash) slot = (slot + 1) & mask;
    if (seen_[slot] == 0) {
      seen_[slot] = hash;
      ++out.distinct;
    }
  }
  return out;
}

}  // namespace assay
