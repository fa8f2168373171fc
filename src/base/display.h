#pragma once
// Text on a terminal: how wide it is, where it may be broken, and what of it must not reach the terminal as it is.

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The next character of UTF-8 text. bytes is at least 1 for non-empty text; an invalid byte gives valid = false.
struct Utf8Char {
  char32_t code = 0;
  int bytes = 0;
  bool valid = false;
};
Utf8Char next_char(std::string_view text);

/// Columns that a terminal needs for one character (0 for combining marks, 2 for East Asian wide ones) and for a text.
int display_width(char32_t code);
int display_width(std::string_view text);

/// The text with everything that could steer a terminal, or mislead who reads it, shown as an escape: control
/// characters, bytes that are not UTF-8 (\xHH), bidirectional and invisible format characters (\u{HHHH}).
/// Applying it twice changes nothing. keep_lines: line feeds stay.
std::string printable(std::string_view text, bool keep_lines = false);

/// The text with every byte that is not UTF-8 shown as \xHH; all else as it is.
std::string valid_utf8(std::string_view text);

/// The text as a message quotes it: where it has more than `most` bytes, as many whole characters as `most` - 1 bytes
/// hold, and "…".
std::string shortened(std::string_view text, std::size_t most);

/// Bytes as people count files, in powers of ten: "812 B", "3.1 MB", "47 GB".
std::string size_text(double bytes);

/// Typographic characters replaced by ASCII of the same meaning ("–" by "-", "×" by "x", …). Letters stay as they are.
std::string ascii_typography(std::string_view text);

/// Lines of at most `width` columns (the first of at most `width` - `first_taken`). Breaks at spaces and between East
/// Asian characters; a word longer than a line stays whole, so that a path can still be copied. At least one line.
std::vector<std::string> wrap(std::string_view text, int width, int first_taken = 0);

/// The text, with spaces up to `width` columns on its right (or left).
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

}  // namespace assay
