#pragma once
// What one pass over the bytes of a document tells: the counts by which detectors decide whether to look closer. A
// detector that would read every document again has to ask the survey first.

#include <array>
#include <cstdint>
#include <string_view>

namespace assay {

struct TextSurvey {
  std::array<std::uint32_t, 256> bytes = {};  // how often each byte occurs that is no letter and no digit of ASCII
  std::uint32_t characters = 0;               // code points
  std::uint32_t letters = 0;                  // of ASCII, and of them:
  std::uint32_t capitals = 0;
  std::uint32_t vowels = 0;  // with y
  std::uint32_t digits = 0;
  std::uint32_t blanks = 0;         // space, tab, CR, LF
  std::uint32_t punctuation = 0;    // of ASCII: the rest from 0x21 to 0x7e
  std::uint32_t controls = 0;       // C0 without tab, LF, CR, and 0x7f
  std::uint32_t high = 0;           // bytes from 0x80
  std::uint32_t lines = 0;          // line feeds, and one for a rest that does not end in one
  std::uint32_t longest_word = 0;   // bytes without a blank
  std::uint32_t longest_blank = 0;  // blanks in a row

  /// Precondition: no ASCII letter, no digit.
  std::uint32_t of(char c) const { return bytes[static_cast<unsigned char>(c)]; }
};

/// Precondition: text is UTF-8 of less than 4 GiB. Time: see bench/corpus_bench.
void survey(std::string_view text, TextSurvey& out);

}  // namespace assay
