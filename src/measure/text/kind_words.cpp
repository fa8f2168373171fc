// Words of programming languages, with points.
//
// What: words and marks, each with the kinds that it speaks for and how loudly. A point is worth one line: text of a
// kind has about one point for each of its lines or more. Words of one language alone (`elif`, `nullptr`, `println!`)
// have three, words that some languages share (`public`, `import`) one for each. Words of English (`for`, `use`, `my`)
// count only where a line begins with them and a sentence would not go on like that: the character after them is asked.
//
// Why words and marks by hand and no trained model: a corpus has to be told what a share means, so each decision has
// to be one that a reader can follow; and a table of 170 words is looked up in about 3 ns a word.
//
// Source: the grammars of the languages. Measured: kind.cpp.

#include "measure/text/kind_words.h"

#include <array>
#include <cstddef>
#include <iterator>

namespace assay {

namespace {

constexpr auto kAny = WordCue::Where::kAnywhere;
constexpr auto kStart = WordCue::Where::kLineStart;

// Equal words stand together.
constexpr WordCue kWords[] = {
    {"def", TextKind::kPython, 3, kStart, " "},
    {"elif", TextKind::kPython, 3, kStart, " "},
    {"elif", TextKind::kShell, 2, kStart, " "},
    {"self", TextKind::kPython, 1, kAny, ".,)"},
    {"self", TextKind::kRust, 1, kAny, ".,)"},
    {"None", TextKind::kPython, 1, kAny, ",):\n"},
    {"True", TextKind::kPython, 1, kAny, ",):\n"},
    {"False", TextKind::kPython, 1, kAny, ",):\n"},
    {"except", TextKind::kPython, 2, kStart, ": "},
    {"raise", TextKind::kPython, 2, kStart, " "},
    {"lambda", TextKind::kPython, 1, kAny, " :"},
    {"from", TextKind::kPython, 1, kStart, " "},
    {"import", TextKind::kPython, 1, kStart, " "},
    {"import", TextKind::kJava, 2, kStart, " "},
    {"import", TextKind::kJavaScript, 1, kStart, " {"},
    {"import", TextKind::kGo, 1, kStart, " "},
    {"try", TextKind::kPython, 2, kStart, ":"},
    {"else", TextKind::kPython, 2, kStart, ":"},
    {"finally", TextKind::kPython, 2, kStart, ":"},
    {"with", TextKind::kPython, 1, kStart, " "},
    {"assert", TextKind::kPython, 1, kStart, " "},
    {"yield", TextKind::kPython, 1, kStart, " \n"},
    {"isinstance", TextKind::kPython, 3, kAny, "("},
    {"len", TextKind::kPython, 1, kAny, "("},
    {"len", TextKind::kGo, 1, kAny, "("},
    {"range", TextKind::kPython, 1, kAny, "("},
    {"return", TextKind::kPython, 1, kStart, " \n"},
    {"return", TextKind::kC, 1, kStart, " ;"},
    {"return", TextKind::kJava, 1, kStart, " ;"},
    {"return", TextKind::kJavaScript, 1, kStart, " ;"},
    {"return", TextKind::kGo, 1, kStart, " \n"},
    {"include", TextKind::kC, 4, kAny, " \"<"},
    {"define", TextKind::kC, 1, kAny, " "},
    {"ifdef", TextKind::kC, 3, kAny, " "},
    {"ifndef", TextKind::kC, 3, kAny, " "},
    {"endif", TextKind::kC, 2, kAny, " \n"},
    {"pragma", TextKind::kC, 2, kAny, " "},
    {"struct", TextKind::kC, 2, kAny, " {"},
    {"struct", TextKind::kRust, 1, kAny, " "},
    {"struct", TextKind::kGo, 1, kAny, " {"},
    {"typedef", TextKind::kC, 4, kAny, " "},
    {"unsigned", TextKind::kC, 2, kAny, " "},
    {"sizeof", TextKind::kC, 2, kAny, "( "},
    {"extern", TextKind::kC, 2, kStart, " "},
    {"void", TextKind::kC, 2, kAny, " )*"},
    {"void", TextKind::kJava, 2, kAny, " "},
    {"char", TextKind::kC, 2, kAny, " *"},
    {"int", TextKind::kC, 2, kAny, " *"},
    {"int", TextKind::kJava, 1, kAny, " "},
    {"inline", TextKind::kC, 2, kStart, " "},
    {"template", TextKind::kC, 3, kStart, "< "},
    {"typename", TextKind::kC, 3, kAny, " "},
    {"namespace", TextKind::kC, 2, kStart, " "},
    {"nullptr", TextKind::kC, 3, kAny, ""},
    {"constexpr", TextKind::kC, 3, kAny, " "},
    {"const", TextKind::kC, 1, kAny, " "},
    {"const", TextKind::kJavaScript, 2, kStart, " "},
    {"static", TextKind::kC, 1, kAny, " "},
    {"static", TextKind::kJava, 1, kAny, " "},
    {"std", TextKind::kC, 1, kAny, ":"},
    {"NULL", TextKind::kC, 1, kAny, ",);"},
    {"public", TextKind::kJava, 3, kStart, " "},
    {"private", TextKind::kJava, 3, kStart, " "},
    {"protected", TextKind::kJava, 3, kStart, " "},
    {"package", TextKind::kJava, 1, kStart, " "},
    {"package", TextKind::kGo, 2, kStart, " "},
    {"extends", TextKind::kJava, 1, kAny, " "},
    {"implements", TextKind::kJava, 2, kAny, " "},
    {"throws", TextKind::kJava, 2, kAny, " "},
    {"final", TextKind::kJava, 2, kAny, " "},
    {"String", TextKind::kJava, 1, kAny, " [>"},
    {"boolean", TextKind::kJava, 2, kAny, " "},
    {"new", TextKind::kJava, 1, kAny, " "},
    {"new", TextKind::kJavaScript, 1, kAny, " "},
    {"null", TextKind::kJava, 1, kAny, ";) "},
    {"null", TextKind::kJavaScript, 1, kAny, ";),"},
    {"function", TextKind::kJavaScript, 2, kAny, " ("},
    {"var", TextKind::kJavaScript, 2, kStart, " "},
    {"let", TextKind::kJavaScript, 2, kStart, " "},
    {"let", TextKind::kRust, 2, kStart, " "},
    {"export", TextKind::kJavaScript, 2, kStart, " {"},
    {"export", TextKind::kShell, 2, kStart, " "},
    {"require", TextKind::kJavaScript, 3, kAny, "("},
    {"module", TextKind::kJavaScript, 2, kAny, "."},
    {"exports", TextKind::kJavaScript, 3, kAny, ".= "},
    {"typeof", TextKind::kJavaScript, 3, kAny, " "},
    {"undefined", TextKind::kJavaScript, 1, kAny, ";), "},
    {"this", TextKind::kJavaScript, 1, kAny, "."},
    {"this", TextKind::kJava, 1, kAny, "."},
    {"console", TextKind::kJavaScript, 3, kAny, "."},
    {"async", TextKind::kJavaScript, 1, kAny, " "},
    {"await", TextKind::kJavaScript, 1, kAny, " "},
    {"interface", TextKind::kJavaScript, 1, kStart, " "},
    {"readonly", TextKind::kJavaScript, 1, kStart, " "},
    {"string", TextKind::kJavaScript, 1, kAny, ";,)[ "},
    {"func", TextKind::kGo, 4, kStart, " ("},
    {"type", TextKind::kGo, 1, kStart, " "},
    {"err", TextKind::kGo, 1, kAny, " ,"},
    {"nil", TextKind::kGo, 2, kAny, " ,)\n{"},
    {"defer", TextKind::kGo, 4, kStart, " "},
    {"chan", TextKind::kGo, 3, kAny, " "},
    {"fmt", TextKind::kGo, 2, kAny, "."},
    {"fn", TextKind::kRust, 4, kAny, " "},
    {"impl", TextKind::kRust, 4, kAny, " <"},
    {"mut", TextKind::kRust, 3, kAny, " "},
    {"pub", TextKind::kRust, 4, kStart, " ("},
    {"match", TextKind::kRust, 2, kAny, " "},
    {"mod", TextKind::kRust, 2, kStart, " "},
    {"crate", TextKind::kRust, 2, kAny, ":"},
    {"use", TextKind::kRust, 1, kStart, " "},
    {"use", TextKind::kPerl, 2, kStart, " "},
    {"unwrap", TextKind::kRust, 3, kAny, "("},
    {"println", TextKind::kRust, 3, kAny, "!"},
    {"fi", TextKind::kShell, 4, kStart, "\n; "},
    {"then", TextKind::kShell, 2, kAny, "\n"},
    {"done", TextKind::kShell, 4, kStart, "\n; "},
    {"esac", TextKind::kShell, 4, kStart, "\n; "},
    {"echo", TextKind::kShell, 3, kStart, " "},
    {"exit", TextKind::kShell, 2, kStart, " \n"},
    {"set", TextKind::kShell, 1, kStart, " "},
    {"local", TextKind::kShell, 2, kStart, " "},
    {"cd", TextKind::kShell, 2, kStart, " "},
    {"sudo", TextKind::kShell, 2, kAny, " "},
    {"SELECT", TextKind::kSql, 4, kAny, " \n"},
    {"FROM", TextKind::kSql, 2, kAny, " \n"},
    {"WHERE", TextKind::kSql, 2, kAny, " \n"},
    {"INSERT", TextKind::kSql, 4, kAny, " "},
    {"VALUES", TextKind::kSql, 2, kAny, " (\n"},
    {"CREATE", TextKind::kSql, 2, kStart, " "},
    {"TABLE", TextKind::kSql, 2, kAny, " "},
    {"UPDATE", TextKind::kSql, 2, kStart, " "},
    {"DELETE", TextKind::kSql, 2, kStart, " "},
    {"JOIN", TextKind::kSql, 2, kAny, " "},
    {"FUNCTION", TextKind::kSql, 2, kAny, " "},
    {"LANGUAGE", TextKind::kSql, 1, kAny, " "},
    {"ALTER", TextKind::kSql, 3, kStart, " "},
    {"GRANT", TextKind::kSql, 3, kStart, " "},
    {"VARCHAR", TextKind::kSql, 3, kAny, "("},
    {"INTEGER", TextKind::kSql, 2, kAny, " ,\n"},
    {"select", TextKind::kSql, 2, kStart, " \n"},
    {"insert", TextKind::kSql, 2, kStart, " "},
    {"create", TextKind::kSql, 1, kStart, " "},
    {"my", TextKind::kPerl, 3, kStart, " ("},
    {"sub", TextKind::kPerl, 3, kStart, " "},
    {"sub", TextKind::kAssembly, 2, kStart, "\t"},
    {"elsif", TextKind::kPerl, 3, kAny, " ("},
    {"shift", TextKind::kPerl, 2, kAny, ";"},
    {"croak", TextKind::kPerl, 3, kAny, " ("},
    {"bless", TextKind::kPerl, 3, kAny, " "},
    {"MOVQ", TextKind::kAssembly, 4, kStart, " \t"},
    {"MOVD", TextKind::kAssembly, 4, kStart, " \t"},
    {"MOVL", TextKind::kAssembly, 4, kStart, " \t"},
    {"MOVW", TextKind::kAssembly, 4, kStart, " \t"},
    {"MOV", TextKind::kAssembly, 4, kStart, " \t"},
    {"ADD", TextKind::kAssembly, 3, kStart, "\t"},
    {"JMP", TextKind::kAssembly, 4, kStart, " \t"},
    {"CALL", TextKind::kAssembly, 3, kStart, "\t"},
    {"TEXT", TextKind::kAssembly, 4, kStart, " \t"},
    {"RET", TextKind::kAssembly, 3, kStart, "\n"},
    {"mov", TextKind::kAssembly, 4, kAny, " \t"},
    {"movq", TextKind::kAssembly, 4, kAny, " \t"},
    {"movl", TextKind::kAssembly, 4, kAny, " \t"},
    {"lea", TextKind::kAssembly, 4, kStart, " \t"},
    {"leaq", TextKind::kAssembly, 4, kAny, " \t"},
    {"push", TextKind::kAssembly, 3, kStart, " \t"},
    {"pushq", TextKind::kAssembly, 4, kStart, " \t"},
    {"pop", TextKind::kAssembly, 3, kStart, " \t"},
    {"call", TextKind::kAssembly, 2, kStart, "\t"},
    {"jmp", TextKind::kAssembly, 4, kStart, " \t"},
    {"cmp", TextKind::kAssembly, 3, kStart, " \t"},
    {"xor", TextKind::kAssembly, 3, kStart, " \t"},
    {"add", TextKind::kAssembly, 2, kStart, "\t"},
    {"ldr", TextKind::kAssembly, 4, kStart, " \t"},
    {"ret", TextKind::kAssembly, 3, kStart, "\n"},
    {"begin", TextKind::kLatex, 3, kAny, "{"},
    {"end", TextKind::kLatex, 2, kAny, "{"},
    {"section", TextKind::kLatex, 3, kAny, "{*"},
    {"subsection", TextKind::kLatex, 3, kAny, "{*"},
    {"cite", TextKind::kLatex, 3, kAny, "{"},
    {"documentclass", TextKind::kLatex, 8, kAny, "[{"},
    {"usepackage", TextKind::kLatex, 4, kAny, "[{"},
    {"textbf", TextKind::kLatex, 3, kAny, "{"},
    {"item", TextKind::kLatex, 1, kStart, " ["},
    {"end", TextKind::kOtherCode, 2, kStart, "\n;"},
    {"module", TextKind::kOtherCode, 2, kStart, " "},
    {"subroutine", TextKind::kOtherCode, 3, kAny, " ("},
    {"procedure", TextKind::kOtherCode, 1, kStart, " "},
};

constexpr std::size_t kSlots = 1024;
constexpr std::size_t kLongestWord = 13;

constexpr std::size_t slot_of(std::string_view word) {
  std::size_t hash = word.size();
  for (const char c : word) hash = hash * 31 + static_cast<unsigned char>(c);
  return (hash ^ (hash >> 10)) % kSlots;
}

// [slot]: 1 + the index of the first cue of a word.
constexpr auto kSlotOf = [] {
  std::array<std::uint16_t, kSlots> out{};
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    std::size_t slot = slot_of(kWords[i].word);
    while (out[slot] != 0 && kWords[out[slot] - 1].word != kWords[i].word) slot = (slot + 1) % kSlots;
    if (out[slot] == 0) out[slot] = static_cast<std::uint16_t>(i + 1);
  }
  return out;
}();

// [the first two bytes]: the lengths of the words that begin so, as bits. Nearly all words of a text end here.
constexpr std::size_t beginning_of(std::string_view word) {
  return 32 * (static_cast<unsigned char>(word[0]) & 63U) + (static_cast<unsigned char>(word[1]) & 31U);
}
constexpr auto kLengths = [] {
  std::array<std::uint16_t, 64 * 32> out{};
  for (const WordCue& cue : kWords) {
    std::uint16_t& lengths = out[beginning_of(cue.word)];
    lengths = static_cast<std::uint16_t>(lengths | 1U << cue.word.size());
  }
  return out;
}();

}  // namespace

std::span<const WordCue> cues_of_word(std::string_view word) {
  if (word.size() < 2 || word.size() > kLongestWord) return {};
  if ((kLengths[beginning_of(word)] >> word.size() & 1) == 0) return {};
  std::size_t slot = slot_of(word);
  while (kSlotOf[slot] != 0 && kWords[kSlotOf[slot] - 1].word != word) slot = (slot + 1) % kSlots;
  if (kSlotOf[slot] == 0) return {};
  const std::size_t first = kSlotOf[slot] - 1U;
  std::size_t last = first;
  while (last < std::size(kWords) && kWords[last].word == word) ++last;
  return {kWords + first, last - first};
}

}  // namespace assay
