#include "format/config/python_lines.h"

#include "format/config/literal.h"

namespace assay {

namespace {

// Without its comment.
std::string_view code_of(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '#') return line.substr(0, at);
    at = line[at] == '"' || line[at] == '\'' ? behind_string(line, at) : at + 1;
  }
  return line;
}

}  // namespace

std::string_view trimmed_code(std::string_view text) {
  while (!text.empty() && (is_blank_code(text.front()) || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (is_blank_code(text.back()) || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

std::vector<LogicalLine> logical_lines(std::string_view text, bool cut) {
  std::vector<LogicalLine> out;
  BracketDepth brackets;
  std::string_view docstring;
  bool joined = false;
  std::int64_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos && cut) break;
    std::string_view line = text.substr(at, end == std::string_view::npos ? end : end - at);
    at = end == std::string_view::npos ? text.size() : end + 1;
    ++number;
    if (!docstring.empty()) {
      if (line.find(docstring) != std::string_view::npos) docstring = {};
      continue;
    }
    for (const std::string_view quotes : {"\"\"\"", "'''"}) {
      const std::size_t open = line.find(quotes);
      if (open == std::string_view::npos || !trimmed_code(line.substr(0, open)).empty()) continue;
      if (line.find(quotes, open + 3) == std::string_view::npos) docstring = quotes;
      line = {};
    }
    std::string_view code = code_of(line);
    const bool goes_on = joined || brackets.depth() > 0;
    if (!goes_on && trimmed_code(code).empty()) continue;
    if (!goes_on) out.push_back({"", number});
    joined = code.ends_with('\\');
    if (joined) code.remove_suffix(1);
    brackets.line(code);
    out.back().text += code;
    out.back().text += '\n';
  }
  if (cut && (brackets.depth() > 0 || joined) && !out.empty()) out.pop_back();
  return out;
}

}  // namespace assay
