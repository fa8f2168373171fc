#pragma once
// Words that speak for a kind of text.

#include <cstdint>
#include <span>
#include <string_view>

#include "measure/text/kind.h"

namespace assay {

struct WordCue {
  enum class Where : std::uint8_t { kAnywhere, kLineStart };

  std::string_view word;
  TextKind kind;
  std::uint8_t points;
  Where where;
  std::string_view next;  // one of these follows; empty: anything
};

/// Those of this word; none for most words. Time: some nanoseconds.
std::span<const WordCue> cues_of_word(std::string_view word);

}  // namespace assay
