// Lines and signs of a kind of text. Words: kind_words.cpp; what points mean stands there; how they decide: kind.cpp.
//
// One pass over a window: each line by how it begins, each sign with the one after it, each word, how the line ends.
// Nothing is searched for: a text of 1,500 bytes is looked at in a few microseconds.

#include "measure/text/kind_cues.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <span>

#include "measure/text/ascii_classes.h"
#include "measure/text/byte_masks.h"
#include "measure/text/characters.h"
#include "measure/text/kind_words.h"

namespace assay {

namespace {

// Precondition: neither the line nor one of those is empty. Nearly all are told apart by the first byte.
bool begins(std::string_view line, std::initializer_list<std::string_view> with) {
  return std::any_of(with.begin(), with.end(),
                     [&](std::string_view one) { return one.front() == line.front() && line.starts_with(one); });
}

bool is_word(char c) { return is_ascii(c, kAsciiLetter | kAsciiDigit) || c == '_'; }

// Where the words of a window end, from masks: most of the time would go into waiting for the ends of loops.
class WordEnds {
 public:
  WordEnds() = default;
  explicit WordEnds(std::string_view window) : window_(window) {}

  /// The end of the word that `at` of the line is in, within the line, which is a part of the window.
  std::size_t behind(std::string_view line, std::size_t at) {
    const auto first = static_cast<std::size_t>(line.data() - window_.data());
    for (std::size_t place = first + at; place < first + line.size();) {
      if (place - from_ >= kMaskedBytes || !masked_) mask(place);
      const std::size_t word = (place - from_) / kMaskBytes;
      const std::uint64_t others = (~masks_.names[word] | masks_.high[word]) >> ((place - from_) % kMaskBytes);
      if (others != 0) return std::min(line.size(), place - first + static_cast<std::size_t>(std::countr_zero(others)));
      place = from_ + (word + 1) * kMaskBytes;
    }
    return line.size();
  }

 private:
  void mask(std::size_t from) {
    mask_names(window_, from, masks_);
    from_ = from;
    masked_ = true;
  }

  std::string_view window_;
  std::size_t from_ = 0;  // of the masks; places only grow
  bool masked_ = false;
  NameMasks masks_;
};

class Looker {
 public:
  explicit Looker(KindCues& out) : out_(out) {}

  void look(std::string_view window) {
    words_ = WordEnds(window);
    while (!window.empty()) {
      const std::size_t end = std::min(window.find('\n'), window.size());
      look_at_line(window.substr(0, end));
      window.remove_prefix(std::min(end + 1, window.size()));
    }
  }

 private:
  void give(TextKind kind, unsigned points) { out_.points[static_cast<std::size_t>(kind)] += points; }

  void look_at_line(std::string_view line) {
    std::size_t first = 0;
    while (first < line.size() && is_ascii(line[first], kAsciiBlank)) ++first;
    while (line.size() > first && is_ascii(line.back(), kAsciiBlank)) line.remove_suffix(1);
    if (first == line.size()) return;
    if (first > 0) ++out_.indented;
    line.remove_prefix(first);
    separators_ = {};
    gaps_ = 0;
    look_at_start(line, first > 0);
    look_inside(line);
    look_at_end(line);
    if (out_.lines < KindCues::kMostLines) out_.separators[out_.lines] = separators_;
    if (gaps_ >= 2) ++out_.columns;
    if (has_mark_) ++out_.marks;
    ++out_.lines;
  }

  void look_at_start(std::string_view line, bool is_indented) {
    const char c = line.front();
    const char second = line.size() > 1 ? line[1] : '\n';
    if (is_setting(line)) ++out_.settings;
    look_for_speaker(line);
    has_mark_ = false;
    if (is_ascii(c, kAsciiLetter)) return;  // all else begins with a sign or a digit
    if (is_bullet(line)) ++out_.bullets;
    if ((c & 0x80) != 0) return;
    if (is_numbered(line)) ++out_.numbered;
    has_mark_ = is_mark(line);
    if (begins(line, {"//", "/*", "* ", "*/"}) && !(c == '*' && !is_indented)) {
      for (const TextKind kind : {TextKind::kC, TextKind::kJava, TextKind::kJavaScript, TextKind::kOtherCode})
        give(kind, 1);
      if (line.starts_with("//")) {
        for (const TextKind kind : {TextKind::kGo, TextKind::kRust}) give(kind, 1);
      }
    }
    if (line.starts_with("///") || line.starts_with("#[")) give(TextKind::kRust, 2);
    if (c == '#' && second == ' ') {
      for (const TextKind kind : {TextKind::kPython, TextKind::kShell, TextKind::kYaml, TextKind::kPerl}) give(kind, 1);
    }
    if (line.starts_with("#!")) give(line.contains("python") ? TextKind::kPython : TextKind::kShell, 4);
    if (line.starts_with(">>> ") || line.starts_with("\"\"\"")) give(TextKind::kPython, 2);
    if (line.starts_with("<?php")) give(TextKind::kOtherCode, 8);
    if (line.starts_with("-- ")) give(TextKind::kSql, 1);
    if (c == '@' && is_ascii(second, kAsciiUpper)) give(TextKind::kJava, 2);
    if (c == '.' && is_ascii(second, kAsciiLower) && is_indented) give(TextKind::kAssembly, 3);
    if (c == '=' && is_ascii(second, kAsciiLower)) give(TextKind::kPerl, 1);  // =head1
    if (begins(line, {"<|im_start|>", "<|user|>", "<|assistant|>", "[INST]", "### Human", "### Instruction"}))
      ++out_.chat;
  }

  static bool is_bullet(std::string_view line) {
    if ((line[0] & 0x80) != 0) return begins(line, {"• ", "· ", "– ", "● ", "▪ ", "○ "});
    return line.size() > 2 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ';
  }

  static bool is_numbered(std::string_view line) {
    std::size_t i = 0;
    while (i < line.size() && i < 4 && is_ascii(line[i], kAsciiDigit)) ++i;
    return i > 0 && i + 1 < line.size() && (line[i] == '.' || line[i] == ')') && line[i + 1] == ' ';
  }

  // Of YAML, INI, TOML: `key: value`, `key:`, `key = value`, `[section]`; a key has no blank.
  static bool is_setting(std::string_view line) {
    if (line.starts_with("- ")) line.remove_prefix(2);
    if (line.front() == '[' && line.back() == ']') return is_word(line[1]);
    std::size_t i = 0;
    while (i < line.size() && (is_word(line[i]) || line[i] == '-' || line[i] == '.' || line[i] == '/')) ++i;
    if (i == 0 || i == line.size() || line.back() == ';' || line.back() == '{' || line.back() == ',') return false;
    if (line[i] == ':') return i + 1 == line.size() || line[i + 1] == ' ';
    while (i < line.size() && line[i] == ' ') ++i;
    return i + 1 < line.size() && line[i] == '=' && line[i + 1] != '=' && line.back() != ')';
  }

  static bool is_mark(std::string_view line) {
    if (line.front() == '.' && line.size() > 2 && is_ascii(line[1], kAsciiUpper) && is_ascii(line[2], kAsciiUpper))
      return true;  // .SH, .TP: a manual page
    return begins(line,
                  {"# ", "## ", "### ", "#### ", "```", "> ", "![", "[[", "{{", "==", "---", "***", "~~~", ".. "});
  }

  static bool is_wide_colon(std::string_view line, std::size_t at) {
    return line[at] == '\xEF' && line.substr(at).starts_with("：");
  }

  // "User: …", "JULIET: …", "小王：…". The same names come back.
  void look_for_speaker(std::string_view line) {
    constexpr std::size_t kLongestName = 24;
    std::size_t i = 0;
    unsigned blanks = 0;
    if (line.starts_with("**")) i = 2;
    const std::size_t first = i;
    if (i < line.size() && !is_ascii(line[i], kAsciiUpper) && static_cast<unsigned char>(line[i]) < 0x80) return;
    while (i < line.size() && i < kLongestName && line[i] != ':' && !is_wide_colon(line, i)) {
      if (line[i] == ' ' && ++blanks > 2) return;
      if (is_ascii(line[i], kAsciiPunctuation) && line[i] != '.' && line[i] != '\'' && line[i] != '-') return;
      ++i;
    }
    if (i == first || i >= line.size() || i == kLongestName) return;
    if (line[i] == ':' && i + 1 < line.size() && line[i + 1] != ' ' && line[i + 1] != '*') return;
    std::uint32_t hash = 2166136261;
    for (const char c : line.substr(first, i - first)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    ++out_.speakers;
    const auto known = voices_.begin() + std::min<std::size_t>(out_.voices, voices_.size());
    if (std::find(voices_.begin(), known, hash) != known) return;
    if (out_.voices < voices_.size()) voices_[out_.voices] = hash;
    ++out_.voices;
  }

  void look_inside(std::string_view line) {
    for (std::size_t i = 0; i < line.size();) {
      const char c = line[i];
      if (is_word(c)) {
        const std::size_t first = i;
        i = words_.behind(line, i);
        look_at_word(line, first, i);
        if (i + 1 < line.size() && line[i] == ' ' && line[i + 1] != ' ') ++i;  // as nearly always
      } else if (is_ascii(c, kAsciiPunctuation)) {
        look_at_sign(line, i);
        ++i;
      } else if (c == '\t') {
        ++separators_.tabs;
        ++i;
      } else if (c == ' ') {
        const std::size_t first = i;
        while (i < line.size() && line[i] == ' ') ++i;
        if (i - first > 1) ++gaps_;
      } else if ((c & 0x80) != 0) {
        look_at_high(line, i);
      } else {
        ++i;  // a control
      }
    }
  }

  void look_at_word(std::string_view line, std::size_t first, std::size_t last) {
    const std::span<const WordCue> cues = cues_of_word(line.substr(first, last - first));
    if (cues.empty()) return;
    const char next = last < line.size() ? line[last] : '\n';
    // A command of LaTeX is a word after a backslash: no other language has it there.
    const bool command = first > 0 && line[first - 1] == '\\';
    for (const WordCue& cue : cues) {
      if (command != (cue.kind == TextKind::kLatex)) continue;
      if (!command && cue.where == WordCue::Where::kLineStart && first != 0) continue;
      if (cue.next.empty() || cue.next.contains(next)) give(cue.kind, cue.points);
    }
  }

  void look_at_sign(std::string_view line, std::size_t at) {
    const char c = line[at];
    const char next = at + 1 < line.size() ? line[at + 1] : '\n';
    if (c != ',' && c != '.' && c != '\'' && c != '-') ++out_.signs;
    switch (c) {
      case ',': ++separators_.commas; break;
      case ';': ++separators_.semicolons; break;
      case '|':
        ++separators_.pipes;
        if (next == '|') give_shared(1);
        // A pipe of a command; in a table there is more than one.
        if (next == ' ' && separators_.pipes == 1 && is_ascii(line.front(), kAsciiLetter | kAsciiDigit) &&
            at + 2 < line.size() && is_ascii(line[at + 2], kAsciiLower))
          give(TextKind::kShell, 1);
        break;
      case '&':
        if (next == '&') give_shared(1);
        break;
      case '=': look_at_equals(next, at + 2 < line.size() ? line[at + 2] : '\n'); break;
      case '-':
        if (next == '>') {
          for (const TextKind kind : {TextKind::kC, TextKind::kRust, TextKind::kPerl}) give(kind, 1);
        }
        break;
      case ':':
        if (next == ':') {
          for (const TextKind kind : {TextKind::kC, TextKind::kRust, TextKind::kPerl}) give(kind, 1);
        }
        if (next == '=') give(TextKind::kGo, 3);
        break;
      case '<': look_at_less(next); break;
      case ']':
        if (next == '(') has_mark_ = true;
        break;
      case '[':
      case '*':
      case '`':
        if (next == c) has_mark_ = true;
        break;
      case '/':
        if (next == '>') give(TextKind::kHtml, 2);
        break;
      case '$': look_at_dollar(line, at, next); break;
      case '\\':
        if (is_ascii(next, kAsciiLetter)) {
          // Formulas stand in many texts; LaTeX has commands for the rest as well.
          if (is_formula(line.substr(at + 1))) {
            ++out_.formulas;
          } else {
            give(TextKind::kLatex, 1);
          }
          if (next == 'f') has_mark_ = true;  // \fB: a manual page
        }
        break;
      case '%':
        if (next == 'r' || next == 'e' || next == 'x') give(TextKind::kAssembly, 1);
        break;
      case '"':
        if (next == ':') give(TextKind::kJson, 2);
        break;
      case '@':
      case '!': look_at_perl_or_rust(c, next); break;
      default: break;
    }
  }

  void give_shared(unsigned points) {
    for (const TextKind kind : {TextKind::kC, TextKind::kJava, TextKind::kJavaScript, TextKind::kShell})
      give(kind, points);
  }

  void look_at_equals(char next, char third) {
    if (next == '=' && third == '=') {
      give(TextKind::kJavaScript, 3);
    } else if (next == '>') {
      for (const TextKind kind : {TextKind::kJavaScript, TextKind::kRust, TextKind::kPerl, TextKind::kOtherCode})
        give(kind, 1);
    } else if (next == '~') {
      give(TextKind::kPerl, 3);
    }
  }

  void look_at_less(char next) {
    if (next == '/' || next == '!') {
      give(TextKind::kHtml, 3);
    } else if (is_ascii(next, kAsciiLetter)) {
      give(TextKind::kHtml, 1);
    }
  }

  void look_at_dollar(std::string_view line, std::size_t at, char next) {
    if (next == '(' || next == '{') {
      give(TextKind::kShell, 2);
    } else if (is_ascii(next, kAsciiLetter) || next == '_') {
      give(TextKind::kPerl, 1);
      give(TextKind::kShell, 1);
    }
    // $x^2$: a dollar with its twin a few characters on, and no amount of money.
    if (!is_ascii(next, kAsciiDigit | kAsciiBlank)) {
      const std::size_t twin = line.find('$', at + 1);
      if (twin != std::string_view::npos && twin - at < 80) ++out_.formulas;
    }
  }

  static bool is_formula(std::string_view rest) {
    return begins(rest, {"frac", "sum", "int", "alpha", "beta", "lambda", "mathbb", "mathcal", "left", "right", "cdot",
                         "leq", "geq", "sqrt", "infty", "in ", "to ", "times", "partial"});
  }

  void look_at_perl_or_rust(char c, char next) {
    if (c == '@' && (next == '_' || next == '{')) give(TextKind::kPerl, 2);
    if (c == '!' && (next == '(' || next == '[')) give(TextKind::kRust, 1);
  }

  // Up to the next byte of ASCII or sign of mathematics: operators, alphabets of formulas and of sets.
  void look_at_high(std::string_view line, std::size_t& at) {
    const auto may_be = [](char lead) { return lead == '\xE2' || lead == '\xF0'; };
    while (at < line.size() && !may_be(line[at])) {
      if ((line[at] & 0x80) == 0) return;
      ++at;
    }
    if (at == line.size()) return;
    const Character one = character_at(line, at);
    at += one.bytes;
    const bool is_maths = (one.code >= 0x2200 && one.code < 0x2300) || (one.code >= 0x1d400 && one.code < 0x1d800) ||
                          (one.code >= 0x2a00 && one.code < 0x2b00) || one.code == 0x211d || one.code == 0x2124;
    if (is_maths) ++out_.formulas;
  }

  void look_at_end(std::string_view line) {
    const char last = line.back();
    if (last == ';' || last == '{' || last == '}' || line == ")" || line == ");" || line == "}," || line == "],") {
      ++out_.statements;
      for (const TextKind kind : {TextKind::kC, TextKind::kJava, TextKind::kJavaScript}) give(kind, 1);
      if (last != ';') {
        for (const TextKind kind : {TextKind::kGo, TextKind::kRust, TextKind::kCss}) give(kind, 1);
      } else if (is_declaration(line)) {
        give(TextKind::kCss, 2);
      }
    }
    if (last == ':' && out_.indented > 0 && is_ascii(line.front(), kAsciiLower)) give(TextKind::kPython, 1);
  }

  // `margin-left: 3px;`
  static bool is_declaration(std::string_view line) {
    std::size_t i = 0;
    while (i < line.size() && (is_ascii(line[i], kAsciiLower) || line[i] == '-')) ++i;
    return i > 0 && i < line.size() && line[i] == ':' && !line.contains('(') == !line.contains(')') &&
           !line.substr(i).starts_with("::");
  }

  KindCues& out_;
  WordEnds words_;
  KindCues::Separators separators_;
  std::uint32_t gaps_ = 0;
  bool has_mark_ = false;
  std::array<std::uint32_t, 16> voices_ = {};
};

}  // namespace

void add_cues(std::span<const std::string_view> windows, KindCues& out) {
  Looker looker(out);
  for (const std::string_view window : windows) looker.look(window);
}

}  // namespace assay
