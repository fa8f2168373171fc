// What kind of text a document is, by the lines of three windows.
//
// What: 1,536 bytes each at a sixth, at half and at five sixths of the text (all of it where it is short), from the
// beginning of a line. Each line gives points to kinds (kind_cues.cpp, kind_words.cpp). Order of the decision: JSON by
// its first character and its keys; code where a language has about one point for two lines and the window has the
// signs of code (7 % of what is no blank, or statements' ends); tables by rows with equal numbers of separators;
// settings; code of no known language; then writing: formulas, dialogue, lists, markup, prose by its letters.
//
// Why three windows: the beginning of a source file is a licence, and its middle may be one long comment.
// Why points and shares of lines, and no trained model: see kind_words.cpp.
//
// Measured on 300 files each of a Debian system, told by their names (share that is called so): HTML 100 %, JSON 95 %,
// Perl 93 %, shell 91 %, Go 86 %, C headers 84 % (most of the others are comments throughout: prose), CSS 84 %, CSV
// 84 %, SQL 75 %, YAML and TOML 75 %, assembly 70 %, Python 68 % (files of strings and doc strings: prose); licences
// 86 % prose (11 % dialogue: "Files: … License: …" has names that come back). Files of Markdown are called markup in
// 40 % only, prose in 34 % and JavaScript in 15 %, by what stands in most of their lines.
//
// Limits: one kind a document; a short program in a language without keywords of its own is "other code"; Java, C# and
// Kotlin are one, C and C++ are one. TypeScript and JavaScript are one.

#include "measure/text/kind.h"

#include <algorithm>
#include <iterator>

#include "measure/text/ascii_classes.h"
#include "measure/text/kind_cues.h"

namespace assay {

namespace {

struct KindName {
  std::string_view key, en, zh;
};

constexpr KindName kNames[kTextKinds] = {
    {"prose", "prose", "散文（普通文本）"},
    {"dialogue", "dialogue", "对话"},
    {"markup", "text with markup", "带标记的文本"},
    {"list", "list", "列表"},
    {"maths", "mathematics", "数学"},
    {"latex", "LaTeX", "LaTeX"},
    {"table", "table", "表格"},
    {"html", "HTML, XML", "HTML、XML"},
    {"json", "JSON", "JSON"},
    {"yaml", "YAML, INI, TOML", "YAML、INI、TOML"},
    {"css", "CSS", "CSS"},
    {"python", "Python", "Python"},
    {"c", "C, C++", "C、C++"},
    {"java", "Java, C#", "Java、C#"},
    {"javascript", "JavaScript, TypeScript", "JavaScript、TypeScript"},
    {"go", "Go", "Go"},
    {"rust", "Rust", "Rust"},
    {"shell", "shell", "shell"},
    {"sql", "SQL", "SQL"},
    {"perl", "Perl", "Perl"},
    {"assembly", "assembly", "汇编"},
    {"code", "other code", "其他代码"},
    {"other", "other", "其他"},
};

constexpr std::size_t kWindow = 1536;   // bytes: 30 lines of code
constexpr std::size_t kProseLine = 80;  // bytes that count as a line where lines are longer
constexpr std::uint32_t kLeastTableRows = 4;

/// The parts of the text that are looked at: all of a short one.
struct Windows {
  std::array<std::string_view, 3> parts = {};
  std::size_t bytes = 0;
};

// From the beginning of a line, where there is one near.
std::string_view window_at(std::string_view text, std::size_t first) {
  if (const std::size_t feed = text.substr(first, kWindow / 3).find('\n'); feed != std::string_view::npos)
    first += feed + 1;
  std::string_view window = text.substr(first, kWindow);
  if (const std::size_t feed = window.rfind('\n'); feed != std::string_view::npos && feed > kWindow / 2)
    window = window.substr(0, feed);
  return window;
}

Windows windows_of(std::string_view text) {
  Windows out;
  if (text.size() <= 3 * kWindow) {
    out.parts[0] = text;
  } else {
    for (std::size_t i = 0; i < 3; ++i) out.parts[i] = window_at(text, text.size() / 6 * (2 * i + 1) - kWindow / 2);
  }
  for (const std::string_view part : out.parts) out.bytes += part.size();
  return out;
}

bool at_least(std::uint64_t part, std::uint64_t percent, std::uint64_t all) { return 100 * part >= percent * all; }

/// A share of the rows that have as many separators as the row in the middle, in percent; 0 where that has too few.
unsigned regular(const KindCues& cues, std::uint16_t KindCues::Separators::* which, std::uint16_t least) {
  const std::size_t rows = std::min<std::size_t>(cues.lines, KindCues::kMostLines);
  if (rows < kLeastTableRows) return 0;
  std::array<std::uint16_t, KindCues::kMostLines> counts{};
  for (std::size_t i = 0; i < rows; ++i) counts[i] = cues.separators[i].*which;
  const auto last = counts.begin() + static_cast<std::ptrdiff_t>(rows);
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(rows / 2);
  std::nth_element(counts.begin(), middle, last);
  const std::uint16_t usual = *middle;
  if (usual < least) return 0;
  const auto equal = static_cast<std::size_t>(std::count(counts.begin(), last, usual));
  return static_cast<unsigned>(100 * equal / rows);
}

bool is_table(const KindCues& cues) {
  using Separators = KindCues::Separators;
  if (at_least(cues.statements, 20, cues.lines)) return false;
  if (regular(cues, &Separators::tabs, 1) >= 80 || regular(cues, &Separators::pipes, 2) >= 80) return true;
  if (regular(cues, &Separators::commas, 2) >= 80 || regular(cues, &Separators::semicolons, 2) >= 80) return true;
  return cues.lines >= 2 * kLeastTableRows && at_least(cues.columns, 80, cues.lines);
}

bool is_dialogue(const KindCues& cues) {
  if (cues.chat >= 2) return true;
  return cues.speakers >= 4 && cues.voices >= 2 && 5 * cues.voices <= 3 * cues.speakers &&
         at_least(cues.speakers, 40, cues.lines);
}

bool is_json(std::string_view text, const KindCues& cues, std::uint64_t lines) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return false;
  return cues.points[static_cast<std::size_t>(TextKind::kJson)] >= lines;
}

struct BestCode {
  TextKind kind = TextKind::kOther;
  std::uint32_t points = 0;
};

BestCode best_code(const KindCues& cues) {
  BestCode best;
  for (const TextKind kind : {TextKind::kHtml, TextKind::kCss, TextKind::kPython, TextKind::kC, TextKind::kJava,
                              TextKind::kJavaScript, TextKind::kGo, TextKind::kRust, TextKind::kShell, TextKind::kSql,
                              TextKind::kPerl, TextKind::kAssembly, TextKind::kLatex, TextKind::kOtherCode}) {
    const std::uint32_t points = cues.points[static_cast<std::size_t>(kind)];
    if (points > best.points) best = {kind, points};
  }
  return best;
}

// A dollar is a variable to a shell and the edge of a formula to a mathematician; pairs of them decide.
bool is_maths(const KindCues& cues, std::uint64_t lines) { return cues.formulas >= 3 && 2 * cues.formulas >= lines; }

// Text by people: letters make up most of it.
TextKind kind_of_writing(const TextSurvey& survey, const KindCues& cues, std::uint64_t lines) {
  if (is_maths(cues, lines)) return TextKind::kMaths;
  if (is_dialogue(cues)) return TextKind::kDialogue;
  if (cues.lines >= 3 && at_least(cues.bullets + cues.numbered, 60, cues.lines)) return TextKind::kList;
  if (cues.marks >= 3 && at_least(cues.marks, 20, cues.lines)) return TextKind::kMarkup;
  const std::uint64_t shown = std::uint64_t{survey.letters} + survey.digits + survey.punctuation + survey.high;
  const std::uint64_t letters = std::uint64_t{survey.letters} + survey.high;
  return shown > 0 && at_least(letters, 65, shown) ? TextKind::kProse : TextKind::kOther;
}

// Text without any of the signs that another kind is made of, in lines of some length: most of what is read from the
// web, and nothing in a window of it would say otherwise.
bool is_plain_prose(const TextSurvey& survey) {
  constexpr std::uint32_t kApart = 400;     // bytes from one sign to the next
  constexpr std::uint32_t kLongLine = 120;  // bytes of a line: no list and no talk
  std::uint64_t signs = 0;
  for (const char c : std::string_view("{}[]<>|=;:*#`$\\_~@^+\t")) signs += survey.of(c);
  std::uint64_t bytes = 0;
  for (const std::uint64_t part : {survey.letters, survey.digits, survey.blanks, survey.punctuation, survey.high}) {
    bytes += part;
  }
  const std::uint64_t written = std::uint64_t{survey.letters} + survey.high;
  return bytes > 0 && signs * kApart <= bytes && std::uint64_t{survey.lines} * kLongLine <= bytes &&
         at_least(written, 75, bytes) && survey.controls == 0;
}

}  // namespace

std::string_view key_of(TextKind kind) { return kNames[static_cast<std::size_t>(kind)].key; }

Text name_of(TextKind kind) {
  const KindName& name = kNames[static_cast<std::size_t>(kind)];
  return {std::string(name.en), std::string(name.zh)};
}

bool is_text(TextKind kind) { return kind <= TextKind::kLatex || kind == TextKind::kHtml; }

TextKind kind_of_text(std::string_view text, const TextSurvey& survey) {
  if (is_plain_prose(survey)) return TextKind::kProse;
  const Windows windows = windows_of(text);
  KindCues cues;
  add_cues(windows.parts, cues);
  if (cues.lines == 0) return TextKind::kOther;
  const std::uint64_t lines = std::max<std::uint64_t>(cues.lines, windows.bytes / kProseLine);
  if (is_json(text, cues, lines)) return TextKind::kJson;
  const std::uint64_t shown = std::uint64_t{survey.letters} + survey.digits + survey.punctuation + survey.high;
  const bool has_signs = at_least(cues.signs, 7, windows.bytes * shown / text.size());
  const bool is_code = has_signs || at_least(cues.statements, 15, cues.lines);
  const BestCode code = best_code(cues);
  const bool by_dollars = code.kind == TextKind::kShell || code.kind == TextKind::kPerl;
  if (code.points >= 3 && at_least(code.points, is_code ? 45 : 200, lines)) {
    return by_dollars && is_maths(cues, lines) ? TextKind::kMaths : code.kind;
  }
  if (is_table(cues)) return TextKind::kTable;
  if (cues.lines >= 3 && at_least(cues.settings, 50, cues.lines) && !is_dialogue(cues)) return TextKind::kYaml;
  if (at_least(cues.statements, 40, cues.lines) && cues.lines >= 3 && has_signs) return TextKind::kOtherCode;
  return kind_of_writing(survey, cues, lines);
}

}  // namespace assay
