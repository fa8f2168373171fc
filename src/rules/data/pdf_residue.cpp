// Text that was taken out of PDF files badly: letters apart, words together, ligatures lost, words cut by hyphens,
// glyph numbers in place of characters. How each is told stands in extraction.cpp; here is when it is asked.
//
//   glyph numbers, "(cid:12)"   the histogram of the survey; the marks themselves, where there are brackets and digits
//   letters apart               blanks are two fifths of the text
//   words together              a word is longer than forty bytes, or words are long on average; for words that are
//                               together by twos and threes, the words have from 11 to 24 letters on average
//   ligatures                   the first 500 bytes hold one: a file that lost them lost them everywhere
//   hyphens                     several small letters with "- " behind and small letters after, no "and" or "or"; in
//                               Latin and Cyrillic
// So a text that was never in a PDF costs a look at its first 500 bytes.

#include <algorithm>
#include <memory>

#include "base/ascii.h"
#include "measure/text/characters.h"
#include "measure/text/extraction.h"
#include "measure/text/find_word.h"
#include "measure/text/lost_ligatures.h"
#include "rules/data/clusters.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr std::size_t kLook = 500;  // bytes in which a lost ligature is looked for first
constexpr std::size_t kLongestRepair = 400;

constexpr bool is_small(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

constexpr std::size_t kLongWord = 24;

// Letters of a word that need not be English:
constexpr std::size_t kLongLine = 40;    // in a document of words as long
constexpr std::size_t kEndless = 110;    // anywhere: no word is as long, and those that poets make have a hundred
constexpr std::size_t kMostRead = 4000;  // bytes of a word by which it is judged

// The first kMostRead bytes of a word, in whole characters.
std::string_view beginning(std::string_view word) {
  std::size_t end = std::min(word.size(), kMostRead);
  while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80) --end;
  return word.substr(0, end);
}

// A small letter of Latin or Cyrillic that is not in ASCII.
bool is_small_high(char32_t code) { return (code >= 0xdf && code <= 0xff && code != 0xf7) || is_small_cyrillic(code); }

// Small letters before `at`, and from `at` on: their bytes.
std::size_t small_before(std::string_view text, std::size_t at) {
  std::size_t from = at;
  while (from > 0 && at - from < 40) {
    const std::size_t one = before(text, from);
    if (!is_small(text[one]) && !is_small_high(character_at(text, one).code)) break;
    from = one;
  }
  return at - from;
}
std::size_t small_from(std::string_view text, std::size_t at) {
  std::size_t to = at;
  while (to < text.size() && to - at < 40) {
    const Character one = character_at(text, to);
    if (!is_small(text[to]) && !is_small_high(one.code)) break;
    to += one.bytes;
  }
  return to - at;
}

// Two letters, of one byte or of two.
bool are_two(std::string_view letters) {
  return letters.size() > 2 || (letters.size() == 2 && static_cast<unsigned char>(letters.front()) < 0x80);
}

// Behind the last blank of the next kLongWord bytes: words that are shorter are passed over. `at` where there is none.
std::size_t behind_last_blank(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(at + kLongWord, text.size());
  for (std::size_t i = end; i > at; --i) {
    if (is_blank(text[i - 1])) return i;
  }
  return end == text.size() ? end : at;
}

// "pre- and post-war": the first half of a pair.
bool is_conjunction(std::string_view word) {
  for (const std::string_view one : {"and", "or",    "to",  "und", "oder", "bis",  "et",  "ou", "y",      "e",   "o",
                                     "en",  "of",    "och", "og",  "i",    "a",    "nor", "vs", "versus", "but", "as",
                                     "bzw", "sowie", "ja",  "tai", "или",  "либо", "но",  "та", "або",    "чи"}) {
    if (word == one) return true;
  }
  return false;
}

class PdfJudge : public DocumentJudge {
 public:
  explicit PdfJudge(const Parameters& set)
      : letters_(static_cast<std::size_t>(set["letters"])),
        several_(static_cast<std::size_t>(set["several"])),
        word_(static_cast<std::size_t>(set["word"])) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const std::string_view text = document.text();
    const TextSurvey& survey = document.survey;
    if (judge_glyphs(document, out)) return;
    if (survey.of('(') >= several_ && survey.of(')') >= several_ && survey.of(':') >= several_)
      judge_numbers(text, out);
    if (survey.letters + survey.high / 2 >= letters_ && survey.blanks * 5 >= survey.characters * 2)
      judge_spaced(document, out);
    if (survey.letters * 4 + survey.high * 2 >= survey.characters * 3) judge_glued(document, out);
    if (survey.letters * 2 >= survey.characters) {
      judge_ligatures(text, out);
      judge_half_glued(document, out);
    }
    const std::uint32_t cyrillic = survey.bytes[0xd0] + survey.bytes[0xd1];
    if (survey.of('-') >= several_ && (survey.letters + cyrillic) * 2 >= survey.characters)
      judge_hyphens(document, cyrillic > survey.letters, out);
  }

 private:
  static bool judge_glyphs(const SurveyedDocument& document, DocumentHits& out) {
    const TextSurvey& survey = document.survey;
    const std::uint32_t visible = survey.letters + survey.digits + survey.punctuation;
    const std::uint32_t small = survey.letters - survey.capitals;
    // Small letters become capitals and signs.
    if (visible < 40 || small * 8 > visible || survey.high * 4 > visible || survey.letters * 2 < visible) return false;
    const int shift = glyph_shift(document.text());
    if (shift == 0) return false;
    std::string shown;
    for (const char c : document.text().substr(0, kLongestRepair)) {
      const int code = static_cast<unsigned char>(c) + (is_blank(c) ? 0 : shift);
      shown.push_back(code < 0x7f ? static_cast<char>(code) : '?');
    }
    out.add({0, document.text().size(), Severity::kWarning, 0.85, {"glyphs", {{"shift", shift}}}, shown});
    return true;
  }

  void judge_numbers(std::string_view text, DocumentHits& out) const {
    Clusters places(4);
    for (std::size_t at = text.find("(cid:"); at != std::string_view::npos; at = text.find("(cid:", at + 5)) {
      std::size_t end = at + 5;
      while (end < text.size() && end < at + 12 && text[end] >= '0' && text[end] <= '9') ++end;
      if (end > at + 5 && end < text.size() && text[end] == ')') places.add(at, end + 1 - at);
    }
    const std::size_t count = places.count();
    if (count == 0) return;
    const bool many = count >= several_;
    places.tell(out, many ? Severity::kWarning : Severity::kNote, many ? 0.95 : 0.5, {"numbers", {{"count", count}}});
  }

  void judge_spaced(const SurveyedDocument& document, DocumentHits& out) const {
    const std::string_view text = document.text();
    const Residue found = spaced_letters(text, document.survey.high < document.survey.letters);
    if (found.count < letters_) return;
    const bool much = found.length * 5 >= text.size();
    out.add({found.offset,
             found.length,
             much ? Severity::kWarning : Severity::kNote,
             much ? 0.85 : 0.5,
             {"spaced", {{"count", found.count}}},
             unspaced(text.substr(found.offset, std::min(found.length, kLongestRepair)))});
  }

  // One very long word, or a text of many long ones.
  void judge_glued(const SurveyedDocument& document, DocumentHits& out) const {
    const std::string_view text = document.text();
    const TextSurvey& survey = document.survey;
    const bool long_words = survey.blanks * 14 < survey.letters && survey.letters * 4 >= survey.characters * 3;
    if (survey.longest_word < word_ && !(long_words && survey.longest_word >= kLongWord)) return;
    Clusters places(1);
    // Chinese and Japanese have three bytes for a character.
    const bool might_be_lines = survey.blanks * 30 < survey.characters && survey.high * 10 < survey.characters * 21;
    const std::size_t least = might_be_lines && has_long_lines(text) ? kLongLine : kEndless;
    std::size_t glued = 0;
    for (std::size_t at = 0; at < text.size();) {
      if (const std::size_t next = behind_last_blank(text, at); next > at) {
        at = next;
        continue;
      }
      const std::size_t end = next_blank(text, std::min(at + kLongWord, text.size()));
      const std::string_view word = beginning(text.substr(at, end - at));
      if (word.size() >= kLongWord && (is_glued(word) || is_endless(word, least))) {
        places.add(at, end - at);
        glued += end - at;
      }
      at = end + 1;
    }
    if (glued < word_) return;
    const bool much = glued * 4 >= text.size();
    places.tell(out, much ? Severity::kWarning : Severity::kNote, much ? 0.85 : 0.5,
                {"glued", {{"count", places.count()}}});
  }

  // Whether two thirds of the text, and three words at least, are as long as lines, with signs in them as a list of
  // compound words has none.
  static bool has_long_lines(std::string_view text) {
    std::size_t lines = 0;
    std::size_t bytes = 0;
    std::size_t signs = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = next_blank(text, at);
      if (end - at >= kLongLine) {
        ++lines;
        bytes += end - at;
        signs += text.substr(at, end - at - 1).find_first_of(".,") != std::string_view::npos ? 1U : 0U;
      }
      at = end + 1;
    }
    return lines >= 3 && signs * 5 >= lines && bytes * 3 >= text.size() * 2;
  }

  // Two or three words together each time: words of twelve letters on average, where those of Finnish have eight.
  void judge_half_glued(const SurveyedDocument& document, DocumentHits& out) const {
    const TextSurvey& survey = document.survey;
    if (survey.letters < 200 || survey.blanks * 11 > survey.letters || survey.letters * 5 < survey.characters * 4)
      return;
    if (survey.blanks * 24 < survey.letters || is_told(out, 0, document.text().size())) return;
    if (!is_half_glued(document.text())) return;
    out.add({0,
             document.text().size(),
             Severity::kWarning,
             0.7,
             {"glued", {{"count", static_cast<std::size_t>(survey.blanks) + 1}}}});
  }

  void judge_ligatures(std::string_view text, DocumentHits& out) const {
    if (next_lost_ligature(text, 0, kLook).count == 0) return;
    Clusters places(0);
    for (Residue one = next_lost_ligature(text, 0, text.size()); one.count > 0;) {
      places.add(one.offset, one.length);
      one = next_lost_ligature(text, one.offset + one.length, text.size());
    }
    const std::size_t count = places.count();
    const bool many = count >= several_ || (count >= 2 && count * 400 >= text.size());
    places.tell(out, many ? Severity::kWarning : Severity::kNote, many ? 0.85 : 0.5, {"ligatures", {{"count", count}}});
  }

  // `dashes`: of a language whose writers set dashes that look so, "Moscow- the capital" for "Moscow is the capital":
  // words, where hyphens leave halves, of which every third is short.
  void judge_hyphens(const SurveyedDocument& document, bool dashes, DocumentHits& out) const {
    const std::string_view text = document.text();
    Clusters places(0);
    constexpr std::size_t kShortHalf = 6;  // bytes: three letters of Cyrillic
    std::size_t halves = 0;
    std::size_t thirds = 0;  // "ma-" in "to- ma- to": a primer shows where words may be cut
    for (std::size_t at = text.find("- "); at != std::string_view::npos; at = text.find("- ", at + 2)) {
      const std::size_t from = at - small_before(text, at);
      if (from >= 2 && text.substr(from - 2, 2) == "- ") ++thirds;
      const std::size_t to = at + 2 + small_from(text, at + 2);
      const std::string_view second = text.substr(at + 2, to - at - 2);
      if (!are_two(text.substr(from, at - from)) || !are_two(second) || is_conjunction(second)) continue;
      places.add(from, to - from);
      halves += (at - from <= kShortHalf ? 1U : 0U) + (second.size() <= kShortHalf ? 1U : 0U);
    }
    const std::size_t count = places.count();
    if (dashes && halves * 2 < count) return;
    if (count < several_ || count * 100 < document.survey.blanks || thirds * 6 >= count) return;
    const bool many = count * 40 >= document.survey.blanks;
    places.tell(out, many ? Severity::kWarning : Severity::kNote, many ? 0.8 : 0.5, {"hyphens", {{"count", count}}});
  }

  std::size_t letters_;
  std::size_t several_;
  std::size_t word_;
};

std::unique_ptr<DocumentJudge> make(const Parameters& set) { return std::make_unique<PdfJudge>(set); }

}  // namespace

extern const Rule kPdfResidue;
const Rule kPdfResidue{
    .name = "pdf-residue",
    .family = "data",
    .title_en = "text that was taken out of PDF files badly",
    .title_zh = "从 PDF 中提取不当的文本",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {{"letters", "letters", 20, 8, 1000,
                    "headings are set with gaps between their letters, and are shorter"},
                   {"several", "places", 4, 2, 1000, "fewer may be quoted, or slips of a writer"},
                   {"word", "bytes", 45, 24, 10000, "longer than the words of German, Finnish and Turkish text"}},
    .sentences =
        {{"glyphs", "glyph numbers in place of characters: each lies {shift} below the one that it shows",
          "字形编号代替了字符：每个都比所显示的字符小 {shift}"},
         {"numbers", "{count} glyph numbers, (cid:…), in place of characters", "{count} 处字形编号 (cid:…) 代替了字符"},
         {"spaced", "{count} letters with a blank between each", "{count} 个字母逐个被空格隔开"},
         {"glued", "{count} stretches of words without blanks between", "{count} 处单词之间没有空格"},
         {"ligatures", "{count} words have lost a ligature (fi, fl, ff)", "{count} 个词丢失了连字（fi、fl、ff）"},
         {"hyphens", "{count} words are cut in two by a hyphen and a blank", "{count} 个词被连字符和空格切断"},
         {"do", "extract again with a program that uses the gaps and tables of the PDF, or recognise the pages",
          "用能利用 PDF 间距和字形表的程序重新抽取，或改用 OCR"}},
    .docs =
        {.finds =
             "Letters with a blank between each, words without blanks, words without their ligatures, words cut by "
             "hyphens, glyph numbers.",
         .matters =
             "The words of such a text are not those of the language: a tokenizer cuts them into many rare tokens, "
             "and the model learns to write so.",
         .decides =
             "A stretch of at least `letters` single letters (40 ideographs or syllables) with a blank or two between; "
             "words of at least `word` bytes that are several words of English by the short words within them, or of "
             "more than 110 letters in any language that sets blanks between words (40 where two thirds of the "
             "document are such words), with the vowels, capitals and signs of text; a text in English whose words "
             "have twelve letters on average and short words within them; at least `several` lost ligatures, cut words "
             "or glyph numbers; a "
             "histogram that is that of a text once every character is moved by the same number. Where it is a "
             "small part of the document, a note.",
         .example = "`60 letters with a blank between each`",
         .to_do = "Extract again with a program that uses the gaps and tables of the file, or recognise the pages.",
         .false_alarms = "Letter-spaced poems; lists of halves of words; a name or a word of a poet of more than 110 "
                         "letters; old writing without blanks.",
         .references = "ISO 32000-2, 9.10 (extraction of text content)."},
    .judge_documents = make,
    .harm = {0.4, "words in unusual pieces; the sentences are sound"}};

}  // namespace assay
