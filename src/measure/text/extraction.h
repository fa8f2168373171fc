#pragma once
// What programs that take text out of PDF files leave: letters apart, words together, ligatures lost, words cut by
// hyphens, glyph numbers in place of characters.

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

struct Residue {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::size_t count = 0;  // letters, words; 0: none
};

/// The longest stretch of single letters with a blank between each ("T h e   q u i c k"): its letters. `ascii`: the
/// text has few others, which makes looking faster.
Residue spaced_letters(std::string_view text, bool ascii);

/// The letters put together again: one blank between letters goes, more than one become one.
std::string unspaced(std::string_view text);

/// Whether a word of at least `least` letters, in a script that sets blanks between words, is made as text is.
bool is_endless(std::string_view word, std::size_t least);

/// Whether the short words of English stand in a text whose words are long: "Thelighthousehad beenemptysince".
bool is_half_glued(std::string_view text);

/// Whether a word without blanks is several words of English: "Weproposeanewmethodfordetecting".
bool is_glued(std::string_view word);

/// By how much glyph numbers lie below the characters that they show, where the text is one of glyph numbers: most
/// often 29 ("7KH TXLFN" is "The quick"); 0: it is none.
int glyph_shift(std::string_view text);

}  // namespace assay
