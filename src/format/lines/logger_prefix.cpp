#include "format/lines/logger_prefix.h"

#include <algorithm>
#include <array>

#include "format/lines/number_scan.h"
#include "format/tables/json_scanner.h"

namespace assay::lines {

namespace {

std::string_view trimmed_left(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view behind(std::string_view text, const char* from) {
  return {from, static_cast<std::size_t>(text.data() + text.size() - from)};
}

// Dates and times, and "[2024-05-01 10:00:00]".
std::string_view behind_stamps(std::string_view text) {
  bool open = false;
  for (;;) {
    text = trimmed_left(text);
    const bool opens = !open && text.starts_with('[');
    const char* const from = text.data() + (opens ? 1 : 0);
    const Token token = scan_token(from, text.data() + text.size());
    if (token.kind == TokenKind::kStamp) {
      open = open || opens;
      text = behind(text, token.end);
    } else if (open && text.starts_with(']')) {
      open = false;
      text.remove_prefix(1);
    } else {
      return text;
    }
  }
}

// Where the name of a level ends that stands among the first words, none of which says anything of the program; 0: no
// such name.
std::size_t level_end(std::string_view text) {
  constexpr auto kLevels =
      std::to_array<std::string_view>({"INFO", "WARNING", "WARN", "DEBUG", "ERROR", "CRITICAL", "TRACE"});
  constexpr std::size_t kLongest = 64;
  const std::string_view head = text.substr(0, kLongest);
  for (const std::string_view level : kLevels) {
    const std::size_t at = head.find(level);
    if (at == std::string_view::npos || (at > 0 && is_word(head[at - 1]))) continue;
    const std::size_t end = at + level.size();
    if (end < text.size() && is_word(text[end])) continue;
    if (head.substr(0, at).find_first_of("={}\"'") == std::string_view::npos) return end;
  }
  return 0;
}

// "] ", " - ", ":", "[x.py:3] ", "root:" between a level and the message.
std::string_view behind_marks(std::string_view text) {
  if (text.starts_with(':')) {  // "INFO:root:lr", not "INFO: lr: 0.1"
    std::size_t at = 1;
    while (at < text.size() && (is_word(text[at]) || text[at] == '.')) ++at;
    if (at > 1 && at < text.size() && text[at] == ':') text.remove_prefix(at);
  }
  constexpr std::string_view kMarks = " \t]:|>";
  for (;;) {
    while (!text.empty() && kMarks.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
    if (text.starts_with("- ")) {
      text.remove_prefix(2);
    } else if (text.starts_with('[') && text.find("] ") != std::string_view::npos) {
      text.remove_prefix(text.find("] ") + 2);
    } else {
      return text;
    }
  }
}

}  // namespace

std::string_view container_stamp(std::string_view line) {
  constexpr std::size_t kTime = 11;      // where it begins in "2024-05-01T10:00:00Z"
  constexpr std::size_t kShortest = 20;  // the whole of it
  if (line.size() <= kShortest || line[kTime - 1] != 'T' || line[4] != '-' || line[7] != '-') return {};
  const Token token = scan_token(line.data(), line.data() + line.size());
  auto size = static_cast<std::size_t>(token.end - line.data());
  if (token.kind != TokenKind::kStamp || size < kShortest || size == line.size() || line[size] != ' ') return {};
  const bool zone = line[size - 1] == 'Z' || line.substr(0, size).find_first_of("+-", kTime) != std::string_view::npos;
  if (!zone) return {};
  ++size;
  for (const std::string_view stream : {"stdout F ", "stderr F "}) {
    if (line.substr(size).starts_with(stream)) size += stream.size();
  }
  return line.substr(0, size);
}

std::optional<std::string> container_json(std::string_view line) {
  constexpr std::string_view kOpening = R"({"log":")";
  if (!line.starts_with(kOpening)) return std::nullopt;
  line.remove_prefix(kOpening.size());
  std::size_t end = 0;
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  if (end >= line.size() || !line.substr(end).starts_with(R"(","stream":")")) return std::nullopt;
  std::string_view raw = line.substr(0, end);
  if (raw.ends_with("\\n")) raw.remove_suffix(2);
  return json_unescaped(raw);
}

std::string_view logged_message(std::string_view text) {
  text = behind_stamps(text);
  const std::size_t end = level_end(text);
  return end == 0 ? text : behind_marks(text.substr(end));
}

}  // namespace assay::lines
