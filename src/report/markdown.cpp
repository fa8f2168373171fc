#include "report/markdown.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "base/display.h"

namespace assay {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view without_left_space(std::string_view line) {
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  return line;
}

bool is_code_fence(std::string_view line) { return without_left_space(line).starts_with("```"); }

// The length of "- ", "* " or "12. " at the start of the line; 0 where it is no list item.
std::size_t bullet_length(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ")) return 2;
  std::size_t digits = 0;
  while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits])) != 0) ++digits;
  return digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// A star that opens emphasis ("*error*"), not one of a product or a pattern ("2 * 3", "tr8*"): where it closes.
std::size_t closing_star(std::string_view text, std::size_t at) {
  const bool opens = (at == 0 || !word_char(text[at - 1])) && at + 1 < text.size() && word_char(text[at + 1]);
  if (!opens) return std::string_view::npos;
  const std::size_t close = text.find('*', at + 1);
  if (close == std::string_view::npos || text[close - 1] == ' ') return std::string_view::npos;
  return close + 1 < text.size() && word_char(text[close + 1]) ? std::string_view::npos : close;
}

// Emphasis loses its stars, and `code` stands in quotes as in all other sentences.
std::string without_marks(std::string_view text) {
  std::string out;
  std::size_t closing = std::string_view::npos;
  bool in_code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') {
      in_code = !in_code;
      out += '\'';
    } else if (in_code) {
      out += text[i];
    } else if (text.substr(i).starts_with("**")) {
      ++i;
    } else if (i == closing) {
      closing = std::string_view::npos;
    } else if (text[i] == '*' && closing == std::string_view::npos && closing_star(text, i) != std::string_view::npos) {
      closing = closing_star(text, i);
    } else {
      out += text[i];
    }
  }
  return out;
}

class Printer {
 public:
  Printer(Page& page, int indent) : page_(page), indent_(indent) {}

  void print(std::string_view markdown) {
    bool in_code = false;
    for (const std::string_view line : lines_of(markdown)) {
      if (is_code_fence(line)) {
        flush();
        in_code = !in_code;
      } else if (in_code || line.starts_with("    ") || line.starts_with("|")) {
        flush();
        page_.line(std::string(static_cast<std::size_t>(indent_ + 2), ' ') + page_.clean(line));
        blank_wanted_ = true;
      } else {
        add(line);
      }
    }
    flush();
  }

 private:
  void add(std::string_view line) {
    const std::string_view text = without_left_space(line);
    if (text.empty()) {
      flush();
      blank_wanted_ = started_;
      return;
    }
    if (const std::size_t bullet = bullet_length(text); bullet > 0) {
      flush();
      lead_ = std::string(text.substr(0, bullet));
      paragraph_ = std::string(text.substr(bullet));
      return;
    }
    if (!paragraph_.empty()) paragraph_ += ' ';
    const std::size_t heading = std::min(text.find_first_not_of('#'), text.size());
    paragraph_ += without_left_space(text.substr(heading));
  }

  void flush() {
    if (paragraph_.empty()) return;
    if (blank_wanted_) page_.blank();
    blank_wanted_ = false;
    started_ = true;
    const int lead_width = indent_ + display_width(lead_);
    page_.paragraph(std::string(static_cast<std::size_t>(indent_), ' ') + lead_, lead_width, lead_width,
                    without_marks(paragraph_));
    paragraph_.clear();
    lead_.clear();
  }

  Page& page_;
  int indent_;
  std::string lead_;
  std::string paragraph_;
  bool blank_wanted_ = false;
  bool started_ = false;
};

}  // namespace

void print_markdown(Page& page, int indent, std::string_view markdown) { Printer(page, indent).print(markdown); }

}  // namespace assay
