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
  kVietnamese,  // the Latin letters that stand beside other accented ones
  kSign,        // signs and punctuation above ASCII, controls
  kBox,
  kSmall,    // Cyrillic and Greek
  kCapital,  // Cyrillic and Greek
  kEast,     // ideographs and kana
  kHalfKana,
  kHangul,
  kEastSign,   // punctuation of East Asia
  kOther,      // letters of other scripts
  kLeading,    // vowels of Thai that stand before their consonant
  kFollowing,  // vowels, points and tones that stand on or behind a letter of their script
};

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
