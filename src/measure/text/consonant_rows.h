#pragma once
// Cyrillic and Greek letters that are no words: rows of consonants.

#include <cstddef>
#include <string_view>
#include <vector>

#include "measure/text/gibberish.h"

namespace assay {

/// A text with fewer letters of these alphabets has too few to tell.
inline constexpr std::size_t kLeastRowLetters = 120;

/// Stretches of about 200 small letters, of which a sixth or more stand in rows of four consonants or more; count: that
/// share in percent. Stretches that follow each other are one.
void find_consonant_rows(std::string_view text, std::vector<OddStretch>& out);

}  // namespace assay
