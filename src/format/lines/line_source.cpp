#include "format/lines/line_source.h"

#include <algorithm>

#include "format/lines/identifier.h"
#include "format/lines/number_scan.h"

namespace assay::lines {

namespace {

constexpr char kEscape = '\x1b';

// Behind an escape: "[ … letter" (colour, cursor), "] … BEL" (title), or one more byte.
std::size_t escape_end(std::string_view raw, std::size_t at) {
  std::size_t p = at + 1;
  if (p == raw.size()) return p;
  if (raw[p] == '[') {
    ++p;
    while (p < raw.size() && !(raw[p] >= '@' && raw[p] <= '~')) {
      if (static_cast<unsigned char>(raw[p]) < 0x20) return p;  // broken off: what follows is text again
      ++p;
    }
    return p < raw.size() ? p + 1 : p;
  }
  if (raw[p] == ']') {
    constexpr std::size_t kLongestTitle = 256;
    const std::size_t limit = raw.size() < p + kLongestTitle ? raw.size() : p + kLongestTitle;
    for (std::size_t q = p; q < limit; ++q) {
      if (raw[q] == '\a') return q + 1;
      if (raw[q] == kEscape) return q;
    }
    return p + 1;
  }
  return raw[p] >= '@' && raw[p] <= '~' ? p + 1 : p;
}

}  // namespace

bool has_control(std::string_view text) {
  unsigned found = 0;  // no early exit: the loop is one vector comparison for sixteen bytes
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    found |= static_cast<unsigned>((byte < 0x20) & (byte != '\t')) | static_cast<unsigned>(byte == 0x7f);
  }
  return found != 0;
}

std::string_view launcher_prefix(std::string_view line) {
  constexpr std::size_t kLongest = 64;
  if (line.starts_with("> ")) return line.substr(0, 2);
  if (line.starts_with('(')) {
    const std::size_t end = line.substr(0, kLongest).find(") ");
    if (end == std::string_view::npos || line.substr(0, end).find(" pid=") == std::string_view::npos) return {};
    return line.substr(0, end + 2);
  }
  if (!line.starts_with('[')) return {};
  const std::size_t end = line.substr(0, line.starts_with("[pod/") ? 160 : 32).find(']');
  if (end == std::string_view::npos) return {};
  const std::string_view inside = line.substr(1, end - 1);
  if (inside.starts_with("pod/") && line.substr(end + 1).starts_with(" ")) return line.substr(0, end + 2);  // kubectl
  if (inside.find_first_of("=/ ") != std::string_view::npos) return {};  // "[batch=10/4800]:"
  std::size_t after = end + 1;
  if (line.substr(after).starts_with("<std")) after = std::min(line.find('>', after), kLongest) + 1;
  if (after >= line.size()) return {};
  const std::size_t colon = inside.find(':');  // "[node01:0] "
  const bool host = colon != std::string_view::npos && colon > 0 && colon + 1 < inside.size() && is_letter(inside[0]) &&
                    std::all_of(inside.begin() + static_cast<std::ptrdiff_t>(colon) + 1, inside.end(), is_digit);
  return line[after] == ':' || (host && line[after] == ' ') ? line.substr(0, after + 1) : std::string_view{};
}

std::string_view likely_prefix(std::string_view line) {
  constexpr std::size_t kLongest = 48;
  std::size_t at = 0;
  while (at < line.size() && at < kLongest && (is_word(line[at]) || line[at] == '-' || line[at] == '.')) ++at;
  if (at == 0 || at >= line.size()) return {};
  if (line[at] == ' ' && is_letter(line[0])) {  // a pod: "worker-7d9f8b-x2k "
    for (std::size_t word = 0; word < at; ++word) {
      const bool begins = word > 0 && line[word - 1] == '-';
      if (begins && identifier_end(line.data() + word, line.data() + at) != nullptr) return line.substr(0, at + 1);
    }
  }
  if (!is_digit(line[at - 1])) return {};
  std::size_t mark = at;
  while (mark < line.size() && line[mark] == ' ' && mark < kLongest) ++mark;
  const bool composed = mark > at && mark < line.size() && line[mark] == '|' && is_letter(line[0]);
  if (!composed && line[at] != ':') return {};
  const std::size_t end = (composed ? mark : at) + 1;
  return end < line.size() && line[end] == ' ' ? line.substr(0, end + 1) : std::string_view{};
}

bool same_but_digits(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() && k < b.size()) {
    if (is_digit(a[i]) && is_digit(b[k])) {
      while (i < a.size() && is_digit(a[i])) ++i;
      while (k < b.size() && is_digit(b[k])) ++k;
    } else if (a[i++] != b[k++]) {
      return false;
    }
  }
  return i == a.size() && k == b.size();
}

void join(std::string& head, std::string_view tail) {
  const char a = head.empty() ? ' ' : head.back();
  const char b = tail.empty() ? ' ' : tail.front();
  const auto in_number = [](char c) { return is_digit(c) || c == '.' || c == '+' || c == '-' || c == 'E' || c == 'e'; };
  const bool one_word = (is_letter(a) && is_letter(b)) || (in_number(a) && in_number(b));
  const bool opened = a == '{' && (b == '\'' || b == '"');
  if (!one_word && !opened && !is_blank(a) && !is_blank(b)) head += ' ';
  head += tail;
}

const std::vector<std::string_view>& CleanLine::parts(std::string_view raw) {
  buffer_.clear();
  parts_.clear();
  buffer_.reserve(raw.size());  // nothing grows: the views below stay valid
  std::size_t start = 0;
  const auto end_part = [&] {
    if (buffer_.size() > start) parts_.emplace_back(buffer_.data() + start, buffer_.size() - start);
    start = buffer_.size();
  };
  for (std::size_t p = 0; p < raw.size();) {
    const char c = raw[p];
    if (c == kEscape) {
      // "clear the line" redraws like '\r' does.
      const std::size_t end = escape_end(raw, p);
      if (raw.substr(p, end - p) == "\x1b[2K") end_part();
      p = end;
      continue;
    }
    if (c == '\r') {
      end_part();
    } else if (static_cast<unsigned char>(c) >= 0x20 ? c != 0x7f : c == '\t') {
      buffer_ += c;
    }
    ++p;
  }
  end_part();
  return parts_;
}

}  // namespace assay::lines
