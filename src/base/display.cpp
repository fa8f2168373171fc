// Widths follow Unicode's East Asian Width (W and F are two columns; ambiguous ones are one, as terminals outside East
// Asian locales do it). The ranges are those blocks that occur in messages, paths and metric names; an exotic character
// that is missing here misaligns a table by a column and harms nothing else.

#include "base/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace assay {

namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

template <std::size_t size>
bool within(const std::array<CodeRange, size>& ranges, char32_t code) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), code, [](char32_t c, const CodeRange& r) { return c < r.first; });
  return after != ranges.begin() && code <= std::prev(after)->last;
}

constexpr std::array<CodeRange, 16> kWide = {{{0x1100, 0x115f},
                                              {0x231a, 0x231b},
                                              {0x23e9, 0x23ec},
                                              {0x2614, 0x2615},
                                              {0x26a1, 0x26a1},
                                              {0x2705, 0x2705},
                                              {0x274c, 0x274c},
                                              {0x2e80, 0x303e},
                                              {0x3041, 0xa4cf},
                                              {0xa960, 0xa97f},
                                              {0xac00, 0xd7a3},
                                              {0xf900, 0xfaff},
                                              {0xfe30, 0xfe6f},
                                              {0xff00, 0xff60},
                                              {0xffe0, 0xffe6},
                                              {0x1f300, 0x3fffd}}};

constexpr std::array<CodeRange, 6> kCombining = {
    {{0x0300, 0x036f}, {0x0483, 0x0489}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}}};

// Soft hyphen, zero-width and bidirectional controls, line and paragraph separators, byte order mark, tags.
constexpr std::array<CodeRange, 9> kMisleading = {{{0x80, 0x9f},
                                                   {0xad, 0xad},
                                                   {0x061c, 0x061c},
                                                   {0x180e, 0x180e},
                                                   {0x200b, 0x200f},
                                                   {0x2028, 0x202e},
                                                   {0x2060, 0x206f},
                                                   {0xfeff, 0xfeff},
                                                   {0xe0000, 0xe007f}}};

void append_hex(std::string& out, std::uint32_t number, int least_digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (; number != 0 || least_digits > 0; number >>= 4, --least_digits) digits += kDigits[number & 15];
  out.append(digits.rbegin(), digits.rend());
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

Utf8Char next_char(std::string_view text) {
  if (text.empty()) return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const int length = lead >= 0xf0 && lead < 0xf5   ? 4
                     : lead >= 0xe0 && lead < 0xf0 ? 3
                     : lead >= 0xc2 && lead < 0xe0 ? 2
                                                   : 0;
  if (length == 0 || text.size() < static_cast<std::size_t>(length)) return {lead, 1, false};
  char32_t code = lead & (0x7fu >> length);
  for (int i = 1; i < length; ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (!is_continuation(c)) return {lead, 1, false};
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[static_cast<std::size_t>(length)] || code > 0x10ffff || surrogate) return {lead, 1, false};
  return {code, length, true};
}

int display_width(char32_t code) {
  if (code < 0x300) return 1;
  if (within(kCombining, code) || within(kMisleading, code)) return 0;
  return within(kWide, code) ? 2 : 1;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Utf8Char c = next_char(text);
    width += c.valid ? display_width(c.code) : 1;
    text.remove_prefix(static_cast<std::size_t>(c.bytes));
  }
  return width;
}

std::string printable(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Char c = next_char(text);
    const std::string_view bytes = text.substr(0, static_cast<std::size_t>(c.bytes));
    text.remove_prefix(bytes.size());
    if (!c.valid || c.code < 0x20 || c.code == 0x7f) {
      if (c.code == '\n' && keep_lines) {
        out += '\n';
      } else if (c.code == '\t') {
        out += ' ';
      } else {
        out += "\\x";
        append_hex(out, static_cast<std::uint32_t>(c.code), 2);
      }
    } else if (within(kMisleading, c.code)) {
      out += "\\u{";
      append_hex(out, static_cast<std::uint32_t>(c.code), 4);
      out += '}';
    } else {
      out += bytes;
    }
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Char c = next_char(text);
    if (c.valid) {
      out += text.substr(0, static_cast<std::size_t>(c.bytes));
    } else {
      out += "\\x";
      append_hex(out, static_cast<std::uint32_t>(c.code), 2);
    }
    text.remove_prefix(static_cast<std::size_t>(c.bytes));
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // within a character
  return std::string(text.substr(0, end)) + "…";
}

std::string size_text(double bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit > 0 && bytes < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string ascii_typography(std::string_view text) {
  struct Replacement {
    std::string_view from, to;
  };
  constexpr std::array<Replacement, 30> kReplacements = {
      {{"–", "-"},    {"—", "-"},    {"−", "-"},  {"×", "x"},      {"·", "*"},  {"…", "..."},
       {"≥", ">="},   {"≤", "<="},   {"≠", "!="}, {"≈", "~"},      {"→", "->"}, {"←", "<-"},
       {"“", "\""},   {"”", "\""},   {"‘", "'"},  {"’", "'"},      {"±", "+-"}, {"σ", "sigma"},
       {"β", "beta"}, {"√", "sqrt"}, {"²", "^2"}, {"\u00a0", " "}, {"▁", "_"},  {"▂", "."},
       {"▃", ":"},    {"▄", "-"},    {"▅", "="},  {"▆", "+"},      {"▇", "*"},  {"█", "#"}}};
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto hit = std::find_if(kReplacements.begin(), kReplacements.end(),
                                  [&](const Replacement& r) { return text.starts_with(r.from); });
    if (hit == kReplacements.end()) {
      out += text[0];
      text.remove_prefix(1);
    } else {
      out += hit->to;
      text.remove_prefix(hit->from.size());
    }
  }
  return out;
}

std::vector<std::string> wrap(std::string_view text, int width, int first_taken) {
  std::vector<std::string> lines;
  std::string line;
  int used = first_taken;
  std::string gap;  // spaces before the next piece, dropped when it starts a line
  const auto put = [&](const std::string& piece) {
    const int wide = display_width(piece);
    if (!line.empty() || (lines.empty() && first_taken > 0)) {
      if (used + static_cast<int>(gap.size()) + wide > width) {
        lines.push_back(std::move(line));
        line.clear();
        used = 0;
        gap.clear();
      }
    }
    if (line.empty()) gap.clear();
    line += gap + piece;
    used += static_cast<int>(gap.size()) + wide;
    gap.clear();
  };

  // A piece is a run of characters without a place to break. East Asian closing punctuation stays with what it closes.
  // As opening punctuation does with what it opens.
  constexpr std::u32string_view kOpening = U"（《「『“‘";
  constexpr std::u32string_view kClosing = U"，。、；：？！）》」』”’％";
  std::string piece;
  bool piece_is_wide = false;
  bool opened = false;
  while (!text.empty()) {
    const Utf8Char c = next_char(text);
    const std::string bytes(text.substr(0, static_cast<std::size_t>(c.bytes)));
    text.remove_prefix(bytes.size());
    if (bytes == " " && !piece.empty() && text.starts_with("%")) {
      piece += bytes;  // a number stays with its sign
      piece_is_wide = false;
      continue;
    }
    if (bytes == " ") {
      if (!piece.empty()) put(piece);
      piece.clear();
      gap += ' ';
      continue;
    }
    const bool wide = c.valid && display_width(c.code) == 2;
    const bool closing = c.valid && kClosing.find(c.code) != std::u32string_view::npos;
    if (!piece.empty() && !closing && !opened && (wide || piece_is_wide)) {
      put(piece);
      piece.clear();
    }
    piece += bytes;
    opened = c.valid && kOpening.find(c.code) != std::u32string_view::npos;
    piece_is_wide = wide;
  }
  if (!piece.empty()) put(piece);
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
}

std::string pad_left(std::string_view text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ') + std::string(text);
}

}  // namespace assay
