#pragma once
// Which bytes of a text are of a kind, as the bits of words. A loop that asks each byte whether a word or a sentence
// ends there waits at every end for a branch that was not foreseen; one that goes from bit to bit waits once in 64
// bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

inline constexpr std::size_t kMaskBytes = 64;
inline constexpr std::size_t kMaskWords = 16;  // asked for at once
inline constexpr std::size_t kMaskedBytes = kMaskBytes * kMaskWords;

/// Bit i of word w: the byte 64 w + i behind where one asked. Behind the text all bits are 0; words that lie wholly
/// there are not written.
using ByteMasks = std::array<std::uint64_t, kMaskWords>;

/// The byte is the one or the other.
void mask_either(std::string_view text, std::size_t from, char one, char other, ByteMasks& out);

/// `first` stands there and `second` behind it, or `other` stands there.
void mask_pair(std::string_view text, std::size_t from, char first, char second, char other, ByteMasks& out);

struct WordMasks {
  ByteMasks plain;  // ASCII letters and digits
  ByteMasks leads;  // where a character beyond ASCII begins
};
void mask_words(std::string_view text, std::size_t from, WordMasks& out);

/// Of names in the widest sense: ASCII letters and digits, the underscore, bytes above ASCII.
struct NameMasks {
  ByteMasks names;     // all of these
  ByteMasks letters;   // of ASCII
  ByteMasks capitals;  // of ASCII
  ByteMasks high;      // above ASCII

  /// What makes a name no plain word: other bytes than letters, and capitals but for its first. `before`: 1 where the
  /// byte before the word of bits is of a name, else 0.
  std::uint64_t odd(std::size_t word, std::uint64_t before) const {
    return (names[word] & ~letters[word]) | (capitals[word] & (names[word] << 1 | before));
  }
};
void mask_names(std::string_view text, std::size_t from, NameMasks& out);

}  // namespace assay
