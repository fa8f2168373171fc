#pragma once
// Escapes that were not undone: \u4e2d, \xe4, %E4, &amp;nbsp;, =E2=80=99, colours of a terminal, and others.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "measure/text/survey.h"

namespace assay {

enum class EscapeKind : std::uint8_t {
  kUnicode,          // \u4e2d \U0001f600 \u{1f600} %u4e2d u4e2du6587
  kByte,             // \xe4 \344
  kPercent,          // %E4
  kDoubleEntity,     // &amp;eacute;
  kEntity,           // &eacute; &#233; &#xe9;
  kQuotedPrintable,  // =E9, = at the end of a line
  kTerminal,         // ESC [ 31 m, and [31m whose ESC was lost
  kByteToken,        // <0xE4>
  kQuoted,           // \" \/
  kLineFeed,         // \n where a line feed should be
  kBackslashes,      // many in a row
  kTokenMark,        // Ġthe ▁the hel@@ lo: a tokenizer's marks
};
inline constexpr std::size_t kEscapeKinds = 12;

/// Escapes of one kind that stand close to each other.
struct EscapeRun {
  std::size_t offset = 0;  // bytes of the text
  std::size_t length = 0;
  EscapeKind kind = EscapeKind::kUnicode;
  std::size_t count = 0;    // escapes
  std::size_t bytes = 0;    // of the escapes alone
  bool in_address = false;  // of kPercent: the word is an address, where they belong
};

/// In the order of kinds, then of the text. Runs of different kinds may overlap. Reads only what the survey lets expect
/// something; linear in any case.
void find_escapes(std::string_view text, const TextSurvey& survey, std::vector<EscapeRun>& out);

/// What the run should read; empty where that is not certain (bytes that are no UTF-8).
std::string unescaped(std::string_view run, EscapeKind kind);

}  // namespace assay
