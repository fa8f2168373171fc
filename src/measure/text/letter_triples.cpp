// The triples of all words of a piece of text at once. Word by word, each beginning, each length and each end of a loop
// over letters is a branch that was not foreseen, which takes longer than the counting. So a bit for each byte says
// whether the triple around it is usual, another whether the byte is in a word that counts, and both are counted as
// bits. What does not count is taken out of the second mask, run by run, since it is rare.

#include "measure/text/letter_triples.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "measure/text/byte_masks.h"
#include "measure/text/plain_words.h"

namespace assay {

namespace {

constexpr std::size_t kMostLetters = 200;

// 1 to 26; 0: no letter.
constexpr std::array<std::uint8_t, 256> kNumbers = [] {
  std::array<std::uint8_t, 256> out = {};
  for (unsigned i = 1; i <= 26; ++i) out['a' - 1 + i] = out['A' - 1 + i] = static_cast<std::uint8_t>(i);
  return out;
}();

std::uint32_t number_of(char c) { return kNumbers[static_cast<unsigned char>(c)]; }

// Bits of a whole piece, with a word of zeros behind.
using PieceMask = std::array<std::uint64_t, kMostTripled / kMaskBytes + 1>;

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

void clear_bits(PieceMask& mask, std::size_t first, std::size_t last) {
  for (std::size_t at = first; at < last; ++at) mask[at / 64] &= ~(std::uint64_t{1} << at % 64);
}

// The run around the bit at `at`; where it ends.
std::size_t clear_run(PieceMask& mask, std::size_t at, std::size_t end) {
  std::size_t first = at;
  while (first > 0 && (mask[(first - 1) / 64] >> (first - 1) % 64 & 1) != 0) --first;
  const std::size_t last = next_bit(mask, at, end, false);
  clear_bits(mask, first, last);
  return last;
}

void clear_long_runs(PieceMask& mask, std::size_t end) {
  for (std::size_t first = next_bit(mask, 0, end, true); first < end;) {
    const std::size_t last = next_bit(mask, first, end, false);
    if (last - first > kMostLetters) clear_bits(mask, first, last);
    first = next_bit(mask, last, end, true);
  }
}

// Runs of one bit or two.
void clear_short_runs(PieceMask& mask, std::size_t words) {
  std::uint64_t before = 0;
  std::uint64_t ends = mask[0] & mask[0] << 1 & mask[0] << 2;  // third bits of a run, and later ones
  for (std::size_t word = 0; word < words; ++word) {
    before = mask[word];
    const std::uint64_t next = mask[word + 1];
    const std::uint64_t next_ends = next & (next << 1 | before >> 63) & (next << 2 | before >> 62);
    mask[word] = ends | ends >> 1 | ends >> 2 | next_ends << 63 | next_ends << 62;
    ends = next_ends;
  }
}

// The words that count: of names, those of letters that are small but for the first, and what does not begin behind a
// sign that makes it a name of something else.
void mask_plain_words(std::string_view text, std::size_t words, PieceMask& out) {
  NameMasks masks;
  ByteMasks blanks;
  PieceMask odd;
  std::uint64_t name_before = 0;
  std::uint64_t blank_before = 1;
  bool is_long = false;
  for (std::size_t word = 0; word < words; ++word) {
    const std::size_t place = word % kMaskWords;
    if (place == 0) {
      mask_names(text, word * kMaskBytes, masks);
      mask_either(text, word * kMaskBytes, ' ', '\n', blanks);
    }
    const std::uint64_t name = masks.names[place];
    const std::uint64_t behind_name = name << 1 | name_before;
    odd[word] = masks.odd(place, name_before);
    for (std::uint64_t bits = name & ~behind_name & ~(blanks[place] << 1 | blank_before); bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
      if (is_before_name(text[word * kMaskBytes + bit - 1])) odd[word] |= std::uint64_t{1} << bit;
    }
    is_long |= word > 0 && name == ~std::uint64_t{0} && out[word - 1] == name;
    out[word] = name;
    name_before = name >> 63;
    blank_before = blanks[place] >> 63;
  }
  out[words] = 0;
  if (is_long) clear_long_runs(out, text.size());
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint64_t bits = odd[word] & out[word]; bits != 0; bits &= out[word]) {
      clear_run(out, 64 * word + static_cast<std::size_t>(std::countr_zero(bits)), text.size());
    }
  }
  clear_short_runs(out, words);
}

}  // namespace

TripleCounts triples_of_words(std::string_view text) {
  assert(text.size() <= kMostTripled);
  TripleCounts out;
  if (text.empty()) return out;
  const std::size_t words = (text.size() + kMaskBytes - 1) / kMaskBytes;
  PieceMask counted;
  mask_plain_words(text, words, counted);
  std::uint32_t triple = number_of(text.front());
  std::uint64_t before = 0;
  for (std::size_t word = 0; word < words; ++word) {
    const std::size_t first = word * kMaskBytes;
    const std::size_t size = std::min(kMaskBytes, text.size() - first);
    const bool ends = first + size == text.size();
    std::uint64_t usual = 0;
    const auto add = [&](std::uint32_t next) {
      triple = (triple << 5 | next) & 0x7FFF;
      usual = usual >> 1 | kUsualTriples[triple / 64] >> triple % 64 << 63;
    };
    for (const char next : text.substr(first + 1, ends ? size - 1 : size)) add(number_of(next));
    if (ends) add(0);
    usual >>= kMaskBytes - size;
    const std::uint64_t bits = counted[word];
    out.words += static_cast<std::size_t>(std::popcount(bits & ~(bits << 1 | before)));
    out.triples += static_cast<std::size_t>(std::popcount(bits));
    out.unusual += static_cast<std::size_t>(std::popcount(bits & ~usual));
    before = bits >> 63;
  }
  return out;
}

}  // namespace assay
