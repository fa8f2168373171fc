#pragma once
// Three letters in a row, as they occur in languages that are written with Latin letters.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

inline constexpr std::size_t kTripleWords = 32 * 32 * 32 / 64;

/// Bit 1024 a + 32 b + c: the triple abc is usual (0: a blank; 1 to 26: a letter).
extern const std::array<std::uint64_t, kTripleWords> kUsualTriples;

struct TripleCounts {
  std::size_t words = 0;
  std::size_t triples = 0;
  std::size_t unusual = 0;
  double share() const { return triples == 0 ? 0 : static_cast<double>(unusual) / static_cast<double>(triples); }
};

/// Adds the triples of a word, blanks around it included. Precondition: the word is ASCII letters.
inline void add_triples(std::string_view word, TripleCounts& counts) {
  std::uint32_t triple = static_cast<std::uint32_t>(word.front()) & 31;
  for (std::size_t i = 1; i <= word.size(); ++i) {
    triple = (triple << 5 | (i < word.size() ? static_cast<std::uint32_t>(word[i]) & 31 : 0)) & 0x7FFF;
    counts.unusual += (kUsualTriples[triple / 64] >> (triple % 64) & 1) == 0;
  }
  counts.triples += word.size();
  ++counts.words;
}

/// Of all plain words of a text, of 3 to 200 letters: see plain_words.h. Precondition: at most
/// kMostTripled bytes of text.
inline constexpr std::size_t kMostTripled = 1536;
TripleCounts triples_of_words(std::string_view text);

}  // namespace assay
