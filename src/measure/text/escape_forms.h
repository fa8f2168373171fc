#pragma once
// One escape: where it ends and what it means. Shared by the finding and the undoing.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "measure/text/escapes.h"

namespace assay {

struct Escape {
  std::size_t length = 0;   // 0: none begins here
  char32_t code = 0;        // the character, or the byte of kByte, kPercent, kQuotedPrintable, kByteToken
  bool is_nothing = false;  // stands for no text (a soft line break, a colour)
};

/// The escape of the kind that begins at `at`.
Escape escape_at(std::string_view text, std::size_t at, EscapeKind kind);

}  // namespace assay
