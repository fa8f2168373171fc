#pragma once
// What the lines of a window of text show of its kind: marks and words that one language has and others have not.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "measure/text/kind.h"

namespace assay {

/// A line feed separates; blank lines are not counted.
struct KindCues {
  static constexpr std::size_t kMostLines = 64;  // of which separators are counted

  std::array<std::uint32_t, kTextKinds> points = {};
  std::uint32_t lines = 0;
  std::uint32_t statements = 0;  // end in ; { } or are a lone bracket
  std::uint32_t bullets = 0;
  std::uint32_t numbered = 0;
  std::uint32_t settings = 0;  // key: value, key = value, [section], - item of a key
  std::uint32_t marks = 0;     // of Markdown, wiki text, manual pages
  std::uint32_t speakers = 0;  // lines of the form "Name: "
  std::uint32_t voices = 0;    // different names
  std::uint32_t columns = 0;   // lines with two gaps or more of several blanks
  std::uint32_t indented = 0;
  std::uint32_t signs = 0;     // punctuation that prose has little of: all but , . ' -
  std::uint32_t formulas = 0;  // $…$, \frac, ∑, ≤
  std::uint32_t chat = 0;      // marks of chat templates

  struct Separators {
    std::uint16_t tabs = 0, commas = 0, semicolons = 0, pipes = 0;
  };
  std::array<Separators, kMostLines> separators = {};
};

void add_cues(std::span<const std::string_view> windows, KindCues& out);

}  // namespace assay
