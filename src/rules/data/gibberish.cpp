// Letters that are no words, and words that are not what they look like. How: measure/text/gibberish.cpp,
// consonant_rows.cpp, letter_tricks.cpp.
//
// Random letters are a warning when they are a tenth of the document (a key struck by accident in a chat is a note);
// babble, text upside down and lists of glitch tokens are the whole document. One word with a foreign look-alike is a
// slip of the keyboard; three of them, and one word in twenty, are a disguise. Styled letters are a note: they can be
// brought back to plain ones by normalisation (NFKC).

#include "measure/text/gibberish.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "measure/text/consonant_rows.h"
#include "rules/rule.h"

namespace assay {

namespace {

class Judge final : public DocumentJudge {
 public:
  explicit Judge(const Parameters& set)
      : share_(set["share"]), disguised_(set["disguised"]), glitches_(set["glitches"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const std::string_view text = document.text();
    const TextSurvey& survey = document.survey;
    OddStretch whole;
    if (is_upside_down(text, survey, whole)) {
      out.add(hit(whole, true, 0.95, "upside-down"));
      return;
    }
    find_random_letters(text, survey, found_);
    tell_letters(text, "letters", out);
    if (out.found().empty() && has_enough_letters(survey)) {
      find_consonant_rows(text, found_);
      tell_letters(text, "rows", out);
    }
    if (!out.found().empty()) return;
    judge_disguise(text, survey, out);
    judge_glitches(text, survey, out);
    if (out.found().empty() && find_styled_letters(text, survey, whole)) out.add(hit(whole, false, 0.55, "styled"));
    if (out.found().empty() && is_babble(text, survey, whole)) out.add(hit(whole, true, 0.7, "babble"));
    if (out.found().empty() && wordless_.judge(text, survey, whole)) out.add(hit(whole, true, 0.6, "wordless"));
  }

 private:
  static DocumentHit hit(const OddStretch& stretch, bool bad, double confidence, const char* sentence) {
    return {.offset = stretch.offset,
            .length = stretch.length,
            .severity = bad ? Severity::kWarning : Severity::kNote,
            .confidence = confidence,
            .reason = {sentence, {{"count", stretch.count}}}};
  }

  static double share_of(const std::vector<OddStretch>& found, std::string_view text) {
    double bytes = 0;
    for (const OddStretch& stretch : found) bytes += static_cast<double>(stretch.length);
    return bytes / static_cast<double>(text.size());
  }

  // Lead bytes of Cyrillic and Greek.
  static bool has_enough_letters(const TextSurvey& survey) {
    return survey.bytes[0xd0] + survey.bytes[0xd1] >= kLeastRowLetters ||
           survey.bytes[0xce] + survey.bytes[0xcf] >= kLeastRowLetters;
  }

  void tell_letters(std::string_view text, const char* sentence, DocumentHits& out) {
    const bool bad = share_of(found_, text) >= share_;
    std::ranges::sort(found_, [](const auto& a, const auto& b) {
      return a.length != b.length ? a.length > b.length : a.offset < b.offset;
    });
    for (const OddStretch& stretch : found_) {
      DocumentHit one = hit(stretch, bad, !bad ? 0.5 : stretch.length >= 100 ? 0.9 : 0.75, sentence);
      one.reason.values = {{"share", Value(static_cast<double>(stretch.count), Unit::kPercent)}};
      out.add(std::move(one));
    }
  }

  void judge_disguise(std::string_view text, const TextSurvey& survey, DocumentHits& out) {
    find_homoglyphs(text, survey, found_);
    if (found_.empty()) return;
    const std::size_t words = 1 + survey.blanks;
    const bool bad =
        found_.size() >= 3 && static_cast<double>(found_.size()) >= disguised_ * static_cast<double>(words);
    for (const OddStretch& word : found_) {
      if (out.found().size() == DocumentHits::kMost) {
        out.add({.offset = word.offset, .length = word.length});  // only its bytes count
        continue;
      }
      DocumentHit one = hit(word, bad, bad ? 0.9 : 0.5, "disguise");
      one.reason.values = {{"count", found_.size()}};
      one.repaired = without_homoglyphs(text.substr(word.offset, word.length));
      out.add(std::move(one));
    }
  }

  void judge_glitches(std::string_view text, const TextSurvey& survey, DocumentHits& out) {
    find_glitch_tokens(text, survey, found_);
    if (found_.empty()) return;
    const double share = share_of(found_, text);
    const bool bad = share >= glitches_ && (found_.size() >= 3 || share >= 0.5);
    if (!bad && found_.size() < 2) return;
    const OddStretch all{found_.front().offset, found_.back().offset + found_.back().length - found_.front().offset,
                         found_.size()};
    out.add(hit(all, bad, bad ? 0.85 : 0.4, "glitch"));
  }

  double share_, disguised_, glitches_;
  WordlessText wordless_;
  std::vector<OddStretch> found_;
};

std::unique_ptr<DocumentJudge> judge_documents(const Parameters& set) { return std::make_unique<Judge>(set); }

}  // namespace

extern const Rule kGibberish;
const Rule kGibberish{
    .name = "gibberish",
    .family = "data",
    .title_en = "letters that are no words",
    .title_zh = "不成词的字母",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters =
        {{"share", "of the document", 0.1, 0.001, 1,
          "a cry or a key struck by accident is not what a document is about"},
         {"disguised", "of the words", 0.05, 0.001, 1,
          "texts typed with two keyboards have one such word in hundreds; texts that hide from a filter one in ten"},
         {"glitches", "of the document", 0.15, 0.01, 1, "an article about such tokens is prose for the most part"}},
    .sentences = {{"letters", "letters follow each other as in no language: {share} of the triples are unusual",
                   "字母的排列不属于任何语言：{share} 的三字母组合罕见"},
                  {"rows", "letters follow each other as in no language: {share} of them stand in rows of consonants",
                   "字母的排列不属于任何语言：{share} 的字母处于连续辅音中"},
                  {"babble", "English in its little words only: {count} % of the words are common ones, not 70 %",
                   "只有虚词像英语：常用词仅占 {count} %，正常约 70 %"},
                  {"wordless",
                   "looks like prose, but {count} % of its words are different ones, and their letters unusual",
                   "形似文章，但 {count} % 的词互不相同，且字母组合罕见"},
                  {"disguise", "{count} words have letters of another script that look alike",
                   "{count} 个词混入形似的其他文字字母"},
                  {"upside-down", "text turned upside down: {count} turned letters", "倒写的文本：{count} 个倒置字母"},
                  {"styled", "{count} letters in styled alphabets", "{count} 个花体字母"},
                  {"glitch", "{count} names of tokens that models were hardly trained on",
                   "{count} 个几乎未被训练的词元名"},
                  {"do", "drop the documents; disguised words can be mended where the report says how they should read",
                   "删除这些文档；伪装的词若报告给出正确写法，可据此修复"}},
    .docs =
        {.finds =
             "Keys struck at random, random letters (Latin, Cyrillic, Greek), rot13; babble of Markov chains "
             "(English); words with look-alike "
             "letters of another script; text upside down; words in styled alphabets (a note); lists of glitch tokens.",
         .matters =
             "There is nothing to foretell: the loss of such tokens stays high whatever the model learns, and its "
             "gradients are noise. Disguised words are split into rare tokens.",
         .decides =
             "Triples of letters in words of small Latin letters, against those that any of 124 languages and variants "
             "has "
             "with 2 in 10,000: a stretch of 80 triples with 30 % unusual ones (fewer: 44 %); real text stays below 20 "
             "%, "
             "random letters have 50 to 70 %. Cyrillic and Greek: 17 % of 200 letters in rows of four consonants. A "
             "warning from `share` of the document on, else a note. Babble: at least "
             "40 "
             "words with two or three of English's little words, below 46 % common words; or, in the first 1.5 KiB of "
             "prose, "
             "82 % different words and 4.5 % unusual triples (75 % and 6.5 %, 70 % and 8 %). Look-alikes: words of two "
             "scripts in which the fewer letters are all look-alikes, at least three words and `disguised` of all. "
             "Glitch "
             "tokens: three or more, `glitches` of the document.",
         .example = "`letters follow each other as in no language: 57 % of the triples are unusual`",
         .to_do = "Drop the documents. Disguised words: the report has the word as it should read.",
         .false_alarms = "Lists of abbreviations; words of constructed languages; ciphers in documents about them.",
         .references = "Rumbelow and Watkins, SolidGoldMagikarp, 2023 (glitch tokens). Unicode Technical Standard 39 "
                       "(look-alikes)."},
    .judge_documents = judge_documents,
    .harm = {0.7, "nothing in it can be foretold, but its letters are well known"}};

}  // namespace assay
