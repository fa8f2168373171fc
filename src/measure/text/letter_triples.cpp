// The triples of all words of a piece of text at once. Word by word, each beginning, each length and each end of a loop
// over letters is a branch that was not foreseen, which takes longer than the counting. So one counts at every byte, as
// if it were in a word, sums up, and takes of each word that counts the difference of two sums. Where words are: masks.

#include "measure/text/letter_triples.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "measure/text/byte_masks.h"

namespace assay {

namespace {

constexpr std::size_t kLeastLetters = 3;
constexpr std::size_t kMostLetters = 200;

// 1 to 26; 0: no letter.
constexpr std::array<std::uint8_t, 256> kNumbers = [] {
  std::array<std::uint8_t, 256> out = {};
  for (unsigned i = 1; i <= 26; ++i) out['a' - 1 + i] = out['A' - 1 + i] = static_cast<std::uint8_t>(i);
  return out;
}();

// Bits of a whole piece, with a word of zeros behind.
using PieceMask = std::array<std::uint64_t, kMostTripled / kMaskBytes + 1>;

// Of names, and of what makes one no plain word: other signs than letters, capitals but at its beginning.
void mask_words(std::string_view text, PieceMask& names, PieceMask& odd) {
  NameMasks masks;
  std::uint64_t before = 0;
  const std::size_t words = (text.size() + kMaskBytes - 1) / kMaskBytes;
  for (std::size_t word = 0; word < words; ++word) {
    const std::size_t place = word % kMaskWords;
    if (place == 0) mask_names(text, word * kMaskBytes, masks);
    names[word] = masks.names[place];
    const std::uint64_t behind_name = names[word] << 1 | before;
    odd[word] = (names[word] & ~masks.letters[place]) | (masks.capitals[place] & behind_name);
    before = names[word] >> 63;
  }
  names[words] = odd[words] = 0;
}

// The first bit from `at` on that is `value`; `end`: none.
std::size_t next_bit(const PieceMask& mask, std::size_t at, std::size_t end, bool value) {
  const std::uint64_t flip = value ? 0 : ~std::uint64_t{0};
  while (at < end) {
    const std::uint64_t rest = (mask[at / 64] ^ flip) >> (at % 64);
    if (rest != 0) return std::min(end, at + static_cast<std::size_t>(std::countr_zero(rest)));
    at = (at / 64 + 1) * 64;
  }
  return end;
}

}  // namespace

TripleCounts triples_of_words(std::string_view text) {
  assert(text.size() <= kMostTripled);
  PieceMask names;
  PieceMask odd;
  mask_words(text, names, odd);
  std::array<std::uint16_t, kMostTripled + 1> unusual;  // triples around the bytes before
  unusual[0] = 0;
  std::uint32_t before = 0;
  std::uint32_t number = text.empty() ? 0 : kNumbers[static_cast<unsigned char>(text[0])];
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint32_t next = i + 1 < text.size() ? kNumbers[static_cast<unsigned char>(text[i + 1])] : 0;
    const std::uint32_t bit = 729 * before + 27 * number + next;
    unusual[i + 1] =
        static_cast<std::uint16_t>(unusual[i] + ((kUsualTriples[bit / 64] >> (bit % 64) & 1) == 0 ? 1 : 0));
    before = number;
    number = next;
  }
  TripleCounts out;
  std::size_t next_odd = 0;
  const std::size_t size = text.size();
  for (std::size_t first = next_bit(names, 0, size, true); first < size;) {
    const std::size_t last = next_bit(names, first, size, false);
    if (next_odd <= first) next_odd = next_bit(odd, first, size, true);
    const std::size_t length = last - first;
    const bool counts = length >= kLeastLetters && length <= kMostLetters && next_odd >= last &&
                        !(first > 0 && is_before_name(text[first - 1]));
    out.words += counts ? 1 : 0;
    out.triples += counts ? length : 0;
    out.unusual += counts ? static_cast<std::size_t>(unusual[last] - unusual[first]) : 0;
    first = next_bit(names, last, size, true);
  }
  return out;
}

}  // namespace assay
