// Minified JavaScript and CSS.
//
// A long line alone says little: prose, tables, JSON and SQL have those. Code on one line has the signs that end
// statements and blocks, ; { }, from 2 % of its bytes on, and calls; and what people leave between words is gone: fewer
// than one byte in eight is a blank (in code that people wrote, with its indentation, one in four to one in three; in
// CSS that was only joined, one in five). Words of the language have to be there as well, once in 400 bytes. JSON has
// quotes and colons instead of statements; it is data, whatever its lines are, and not told. LaTeX has braces, but
// backslashes. Symbols: programs of nothing but []()!+ and the like.
//
// A stretch is a line that is long enough, or several lines with at most one short one between them: some tools break
// lines at 500 or 32,000 bytes.

#include "measure/text/minified.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "measure/text/ascii_classes.h"

namespace assay {

namespace {

constexpr std::size_t kLeastLine = 160;
constexpr std::size_t kRead = 32768;  // of one line, to judge it

std::size_t count_of(std::string_view line, std::initializer_list<std::string_view> words, std::size_t enough) {
  std::size_t count = 0;
  for (const std::string_view word : words) {
    for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + word.size())) {
      if (++count >= enough) return count;
    }
  }
  return count;
}

struct LineCounts {
  std::array<std::uint32_t, 128> of = {};
  std::size_t size = 0;
  std::size_t high = 0;
  std::size_t letters = 0;
  std::size_t digits = 0;
  std::size_t blanks = 0;
  std::size_t at(char c) const { return of[static_cast<unsigned char>(c)]; }
};

LineCounts count_line(std::string_view line) {
  LineCounts out;
  out.size = line.size();
  for (const char c : line) {
    if ((c & 0x80) != 0) {
      ++out.high;
      continue;
    }
    ++out.of[static_cast<unsigned char>(c)];
    out.letters += is_ascii(c, kAsciiLetter);
    out.digits += is_ascii(c, kAsciiDigit);
    out.blanks += is_ascii(c, kAsciiBlank);
  }
  return out;
}

// "name": value, again and again.
bool is_data(std::string_view line, const LineCounts& counts) {
  const std::size_t pairs = count_of(line, {"\":", "\": "}, counts.size / 40 + 1);
  return pairs * 60 >= counts.size && counts.at(';') * 100 < counts.size;
}

bool is_script(std::string_view line, const LineCounts& counts) {
  const std::size_t size = counts.size;
  const std::size_t ends = counts.at(';') + counts.at('{') + counts.at('}');
  const bool statements = counts.blanks * 8 <= size && ends * 50 >= size && counts.at('(') * 70 >= size;
  // A table or one long expression inside of such code.
  const std::size_t signs = ends + counts.at('(') + counts.at(')') + counts.at('=') + counts.at('!') + counts.at('?') +
                            counts.at('&') + counts.at('|') + counts.at(':');
  const bool expression = counts.blanks * 14 <= size && signs * 10 >= size;
  if ((!statements && !expression) || counts.at('\\') * 40 > size) return false;
  if (counts.letters * 3 < size || counts.high * 4 > size || is_data(line, counts)) return false;
  const std::size_t wanted = size / 400 + 1;
  return count_of(line, {"function(", "function ",  "return",    "var ",    "let ",    "const ",  "this.",
                         "=>",        ".prototype", "null",      "void 0",  "typeof ", ".length", "if(",
                         "for(",      "new ",       "document.", "window.", ".push(",  "else{"},
                  wanted) >= wanted;
}

bool is_style(std::string_view line, const LineCounts& counts) {
  const std::size_t size = counts.size;
  const std::size_t blocks = counts.at('{');
  const std::size_t colons = counts.at(':');
  if (counts.blanks * 5 > size || blocks < 3 || blocks * 160 < size || counts.at('}') * 4 < blocks * 3) return false;
  if (colons < blocks || (counts.at(';') + blocks) * 45 < size || counts.at('(') * 25 > size || is_data(line, counts)) {
    return false;
  }
  const std::size_t wanted = size / 400 + 3;
  return count_of(line,
                  {"color:", "margin", "padding", "display:", "width:", "height:", "font-", "background", "border",
                   "position:", "top:", "left:", "float:", "text-", "opacity", "overflow", "transition", "transform",
                   "@media"},
                  wanted) >= wanted;
}

bool is_symbols(const LineCounts& counts) {
  const std::size_t calls =
      counts.at('[') + counts.at(']') + counts.at('(') + counts.at(')') + counts.at('!') + counts.at('+');
  return calls * 100 >= 90 * counts.size && counts.at('[') * 10 >= counts.size && counts.at('+') * 20 >= counts.size;
}

std::size_t longest_line(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t last = std::min(text.find('\n', first), text.size());
    longest = std::max(longest, last - first);
    first = last + 1;
  }
  return longest;
}

}  // namespace

void find_minified(std::string_view text, const TextSurvey& survey, std::vector<MinifiedStretch>& out) {
  out.clear();
  if (survey.punctuation * 12 < kLeastLine) return;
  if (survey.of(';') + survey.of('{') + survey.of('(') + survey.of('!') < 6 && survey.of('[') < 20) return;
  const std::size_t longest = longest_line(text);
  if (longest < kLeastLine || survey.punctuation * 12 < longest) return;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t feed = text.find('\n', first);
    const std::size_t last = feed == std::string_view::npos ? text.size() : feed;
    const std::string_view line = text.substr(first, last - first);
    const bool has_signs = line.find('(') != std::string_view::npos || line.find('{') != std::string_view::npos;
    if (line.size() >= kLeastLine && has_signs) {
      const std::string_view read = line.substr(0, kRead);
      const LineCounts counts = count_line(read);
      const bool script = is_script(read, counts);
      const bool style = !script && is_style(read, counts);
      if (script || style || is_symbols(counts)) {
        const MinifiedKind kind = script  ? MinifiedKind::kScript
                                  : style ? MinifiedKind::kStyle
                                          : MinifiedKind::kSymbols;
        constexpr std::size_t kBetween = 80;
        const bool follows =
            !out.empty() && out.back().kind == kind && first <= out.back().offset + out.back().length + kBetween;
        if (follows) {
          out.back().length = last - out.back().offset;
        } else {
          out.push_back({first, line.size(), kind});
        }
      }
    }
    first = last + 1;
  }
}

}  // namespace assay
