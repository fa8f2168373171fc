// Characters that are lost: U+FFFD, which decoders put where bytes made no sense, and question marks, which encoders
// put where a character had no code.
//
// U+FFFD is a fault wherever it stands beside letters. One or two that stand alone (in quotes, say) may be meant: texts
// on Unicode show the character, and so do tests. Those are a note.
// A question mark means loss in two shapes that writers do not make: words of nothing else ("???? ?? ?????, ???"), and
// one between the letters of a word ("fran?ais"). Both need several, because "a?b:c" is code, "colou?r" a pattern and
// "Really??" emphasis: words with other signs in them do not count, and neither do runs that follow a letter.
//
// Reads nothing unless the bytes of U+FFFD occur, or question marks are many.

#include <algorithm>
#include <memory>

#include "base/ascii.h"
#include "measure/text/characters.h"
#include "measure/text/find_word.h"
#include "rules/data/clusters.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::string_view kLost = "\xef\xbf\xbd";

bool beside_letter(std::string_view text, std::size_t at) {
  const std::size_t end = at + kLost.size();
  const auto letter = [&](std::size_t i) {
    const Character one = character_at(text, i);
    return one.code < 0x80 ? is_letter(static_cast<char>(one.code)) : is_letter(kind_of(one.code));
  };
  return (at > 0 && letter(before(text, at))) || (end < text.size() && letter(end));
}

class ReplacementJudge : public DocumentJudge {
 public:
  explicit ReplacementJudge(const Parameters& set)
      : meant_(static_cast<std::size_t>(set["meant"])),
        words_(static_cast<std::size_t>(set["words"])),
        share_(set["share"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const TextSurvey& survey = document.survey;
    if (survey.of('\xef') > 0 && survey.of('\xbf') > 0 && survey.of('\xbd') > 0) judge_lost(document, out);
    if (survey.of('?') >= words_) judge_question_marks(document, out);
  }

 private:
  void judge_lost(const SurveyedDocument& document, DocumentHits& out) const {
    const std::string_view text = document.text();
    Clusters places(3);
    std::size_t beside = 0;
    // Its last two bytes are rare, while Chinese has the first in every comma.
    for (std::size_t last = find_pair(text, kLost[1], kLost[2]); last != std::string_view::npos;
         last = find_pair(text, kLost[1], kLost[2], last + 2)) {
      if (last == 0 || text[last - 1] != kLost[0]) continue;
      const std::size_t at = last - 1;
      places.add(at, kLost.size());
      if (beside <= meant_ && beside_letter(text, at)) ++beside;
    }
    const std::size_t count = places.count();
    if (count == 0) return;
    const bool may_be_meant = count <= meant_ && (beside == 0 || count * 2000 < document.survey.characters);
    places.tell(out, may_be_meant ? Severity::kNote : Severity::kWarning, may_be_meant ? 0.5 : 0.95,
                {"lost", {{"count", count}}});
  }

  // Blank-separated words that hold a question mark.
  void judge_question_marks(const SurveyedDocument& document, DocumentHits& out) const {
    const std::string_view text = document.text();
    Clusters whole(8);
    Clusters inside(0);
    std::size_t marks = 0;  // in words of nothing else
    for (std::size_t at = text.find('?'); at != std::string_view::npos; at = text.find('?', at)) {
      std::size_t from = at;
      while (from > 0 && at - from < kLongestWord && !is_blank(text[from - 1])) --from;
      std::size_t to = at;
      while (to < text.size() && to - at < kLongestWord && !is_blank(text[to])) ++to;
      const std::string_view word = text.substr(from, to - from);
      if (const std::size_t lost = only_marks(word); lost > 0) {
        whole.add(from, word.size());
        marks += lost;
      } else if (marks_within(word)) {
        inside.add(from, word.size());
      }
      at = to;
    }
    const double visible = document.survey.characters - document.survey.blanks;
    if (whole.count() >= words_ && static_cast<double>(marks) >= share_ * visible) {
      whole.tell(out, Severity::kWarning, 0.85, {"words-of-marks", {{"count", whole.count()}}});
    } else if (inside.count() >= words_ && static_cast<double>(inside.count()) * 500 >= visible) {
      inside.tell(out, Severity::kWarning, 0.7, {"marks-in-words", {{"count", inside.count()}}});
    }
  }

  // "????", "???,": the question marks, at least two; 0 for any other word.
  static std::size_t only_marks(std::string_view word) {
    std::size_t marks = 0;
    for (const char c : word) {
      if (c == '?') {
        ++marks;
      } else if (std::string_view(",.;:!()\"'-").find(c) == std::string_view::npos) {
        return 0;
      }
    }
    return marks >= 2 ? marks : 0;
  }

  // "fran?ais", "sagl?b??ana": letters, and question marks between them, the last before a small one.
  static bool marks_within(std::string_view word) {
    while (!word.empty() && std::string_view(",.;:!?)\"'").find(word.back()) != std::string_view::npos) {
      word.remove_suffix(1);
    }
    while (!word.empty() && std::string_view("(\"'").find(word.front()) != std::string_view::npos)
      word.remove_prefix(1);
    bool found = false;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (word[i] == '?') {
        const bool before = i > 0 && (is_letter(word[i - 1]) || word[i - 1] == '?');
        if (!before || (word[i + 1] != '?' && (word[i + 1] < 'a' || word[i + 1] > 'z'))) return false;
        found = true;
      } else if (!is_letter(word[i]) && word[i] != '-' && static_cast<unsigned char>(word[i]) < 0x80) {
        return false;
      }
    }
    return found;
  }

  static constexpr std::size_t kLongestWord = 200;
  std::size_t meant_;
  std::size_t words_;
  double share_;
};

std::unique_ptr<DocumentJudge> make(const Parameters& set) { return std::make_unique<ReplacementJudge>(set); }

}  // namespace

extern const Rule kReplacementCharacters;
const Rule kReplacementCharacters{
    .name = "replacement-characters",
    .family = "data",
    .title_en = "characters that were lost when the text was decoded or encoded",
    .title_zh = "解码或编码时丢失的字符",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters =
        {{"meant", "characters", 2, 0, 1000,
          "up to two U+FFFD may be meant: texts on Unicode, and tests of decoders, show the character"},
         {"words", "words", 4, 1, 1000,
          "fewer words with question marks inside are code, patterns or a missing blank after a question"},
         {"share", "of the visible characters", 0.2, 0.05, 1,
          "emphasis (\"what???\") and quizzes stay below; a text that was encoded without its alphabet lies above"}},
    .sentences = {{"lost", "{count} characters were lost when the text was decoded (U+FFFD)",
                   "解码时丢失 {count} 个字符（U+FFFD）"},
                  {"words-of-marks",
                   "{count} words are nothing but question marks: the letters were lost when the text was encoded",
                   "{count} 个词只剩问号：编码时字母已丢失"},
                  {"marks-in-words", "{count} words have a question mark in place of a letter",
                   "{count} 个词中有字母变成了问号"},
                  {"do", "decode the source again with its true encoding; where it is gone, leave the documents out",
                   "用正确的编码重新解码来源；来源已不在的文档应删除"}},
    .docs = {.finds = "U+FFFD, words of nothing but question marks, and question marks in place of letters.",
             .matters = "What is lost cannot be brought back: the model learns words with holes, and to write holes. A "
                        "tokenizer makes three byte tokens of each U+FFFD without a murmur.",
             .decides =
                 "Every U+FFFD counts; up to `meant` that stand alone, or in a long text, are a note. At least "
                 "`words` words of two or more question marks each, with `share` of the visible characters; "
                 "or that many words of letters with a question mark between two of them, one in 500 characters.",
             .example = "`40 characters were lost when the text was decoded (U+FFFD)`",
             .to_do = "Decode the source again with its true encoding; where it is gone, leave the documents out.",
             .false_alarms = "Texts on character encodings, which show U+FFFD; then it is few.",
             .references = "The Unicode Standard, chapter 3, U+FFFD substitution."},
    .judge_documents = make,
    .harm = {0.6, "words with holes: what stands between them is text"}};

}  // namespace assay
