#pragma once
// Python cut into logical lines: brackets join lines, comments and docstrings fall away.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct LogicalLine {
  std::string text;
  std::int64_t line = 0;
};

/// cut: the text may go on, so the last line is left out. Strings in three quotes fall away; blanks at the beginning of
/// a line stay.
std::vector<LogicalLine> logical_lines(std::string_view text, bool cut);

/// Of a blank within a line.
inline bool is_blank_code(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::string_view trimmed_code(std::string_view text);

}  // namespace assay
