#pragma once
// How likely a text is, character by character, in any script: what decides between two readings of the same bytes.

#include <cstdint>
#include <string_view>

#include "measure/text/characters.h"

namespace assay {

/// What of a character its neighbours ask.
enum class Side : std::uint8_t {
  kNothing,     // blanks, ASCII digits and punctuation
  kPlain,       // letters of ASCII
  kAccented,    // other Latin letters
  kGregarious,  // the Latin letters that stand beside other accented ones: Vietnamese, Turkish
  kSign,        // signs and punctuation above ASCII, controls
  kLine,        // lines of box drawing, horizontal and vertical
  kBox,         // its corners, and blocks
  kSmallVowel,  // Cyrillic and Greek
  kSmall,
  kCapitalVowel,
  kCapital,
  kHan,
  kForeignHan,  // ideographs that Japanese does not write
  kKana,
  kHalfKana,
  kHangul,
  kEastSign,   // punctuation of East Asia
  kOther,      // letters of other scripts
  kLeading,    // vowels of Thai that stand before their consonant
  kFollowing,  // vowels, points and tones that stand on or behind a letter of their script
};
inline constexpr std::size_t kSides = 20;

struct Cost {
  double nats = 0;
  Side side = Side::kNothing;
  CharacterKind kind = CharacterKind::kSpace;
};

/// Minus the logarithm of the probability of a character behind another one.
Cost cost_of(char32_t code, const Cost& before);

/// Of a whole text.
double cost_of(std::u32string_view text);

}  // namespace assay
