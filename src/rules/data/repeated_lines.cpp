// Lines, sentences and paragraphs that occur again and again. How they are counted: measure/text/line_repeats.cpp.
//
// Gopher drops a document of which 30 % of the lines, or lines with 20 % of the characters, are repeats. Measured on
// code, songs and tables that is too strict; and a heading that occurs twice is no fault. What a crawl or an export
// leaves is of another size: one sentence makes up most of the page. So there are four ways to be abnormal, each beyond
// what songs (a chorus of short lines, six times) and cumulative tales (a line eleven times) reach:
//   long lines or sentences (from 60 bytes), three times or more, whose repeats are 30 % of the document
//   repeats are 60 % of it, one of them twelve times
//   one line 32 times, whose repeats are 10 %
//   lines of code, tables or markup: 90 %, one of them 32 times
// and lines that differ in a number only: at least 20, 80 % of the document, words and few digits (not a log, no CSV).

#include <algorithm>
#include <memory>
#include <utility>

#include "measure/text/line_repeats.h"
#include "rules/rule.h"

namespace assay {

namespace {

class Judge final : public DocumentJudge {
 public:
  explicit Judge(const Parameters& set)
      : long_(set["long"]), share_(set["share"]), times_(set["times"]), counters_(set["counters"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const std::string_view text = document.text();
    if (!lines_.is_suspicious(text, document.survey)) return;
    lines_.count(text, document.survey, found_);
    const double size =
        static_cast<double>(text.size() - std::min<std::size_t>(document.survey.blanks, text.size() / 2));
    const auto share = [&](std::size_t bytes) { return static_cast<double>(bytes) / size; };
    const double repeated = share(found_.repeated_bytes);
    const auto most = static_cast<double>(found_.most);
    const bool many = most >= times_ && share(found_.most_bytes) >= 0.1;
    const bool bad = share(found_.long_bytes) >= long_ || (repeated >= share_ && most >= 12) || many ||
                     (share(found_.structural_bytes) >= 0.9 && static_cast<double>(found_.most_structural) >= times_);
    if (bad || (repeated >= long_ && most >= 5)) {
      report(text, bad, repeated + share(found_.structural_bytes), out);
    } else if (found_.counter_units >= 20 && share(found_.counter_bytes) >= counters_) {
      out.add({.offset = 0,
               .length = text.size(),
               .severity = Severity::kWarning,
               .confidence = 0.8,
               .reason = {"counters", {{"count", found_.counter_units}}}});
    }
  }

 private:
  void report(std::string_view text, bool bad, double share, DocumentHits& out) {
    auto& stretches = found_.repeated;
    std::ranges::sort(stretches, [](const auto& a, const auto& b) {
      return a.length != b.length ? a.length > b.length : a.offset < b.offset;
    });
    for (const LineRepeats::Stretch& stretch : stretches) {
      if (stretch.offset + stretch.length > text.size()) continue;
      out.add({.offset = stretch.offset,
               .length = stretch.length,
               .severity = bad ? Severity::kWarning : Severity::kNote,
               .confidence = bad ? 0.9 : 0.5,
               .reason = {"lines",
                          {{"count", std::max(found_.most, found_.most_structural)},
                           {"share", Value(100 * std::min(share, 1.0), Unit::kPercent)}}}});
    }
  }

  double long_, share_, times_, counters_;
  LineCounter lines_;
  LineRepeats found_;
};

std::unique_ptr<DocumentJudge> judge_documents(const Parameters& set) { return std::make_unique<Judge>(set); }

}  // namespace

extern const Rule kRepeatedLines;
const Rule kRepeatedLines{
    .name = "repeated-lines",
    .family = "data",
    .title_en = "the same lines or sentences again and again",
    .title_zh = "相同的行或句子反复出现",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters =
        {{"long", "of the document", 0.3, 0.01, 1,
          "Gopher's limit for repeated lines, here for lines of 60 bytes and more, which songs and code hardly repeat"},
         {"share", "of the document", 0.6, 0.01, 1, "songs with a chorus reach 50 %"},
         {"times", "times", 32, 2, 1e6, "as for n-grams in OLMo 2; a cumulative tale has a line eleven times"},
         {"counters", "of the document", 0.8, 0.01, 1, "numbered lists have text of their own in each line"}},
    .sentences = {{"lines", "repeated lines or sentences are {share} of the document, one occurs {count} times",
                   "重复的行或句子占文档的 {share}，其中一条出现 {count} 次"},
                  {"counters", "{count} lines differ in their numbers only", "{count} 行仅数字不同"},
                  {"do",
                   "keep one occurrence, or drop the document; a menu or footer of a crawl comes from the extraction",
                   "只保留一次，或删除文档；网页菜单或页脚的重复来自抽取步骤"}},
    .docs =
        {.finds =
             "Documents of which repeated lines, sentences or paragraphs are a large part, and lists of lines that "
             "differ in a number only.",
         .matters =
             "The repeats are learnt by heart within the document: the loss looks better than it is, and the tokens "
             "are paid for without anything to learn.",
         .decides =
             "Lines without the blanks around them, from 12 bytes on; where lines are long, sentences. A warning when "
             "repeats (all occurrences but the first) of units from 60 bytes on that occur three times are `long` of "
             "the "
             "document; when repeats are `share` of it and one occurs 12 times; when one occurs `times` times and its "
             "repeats are 10 %; for lines with signs of code or markup at 90 % and `times`. At least 20 lines of words "
             "that "
             "are equal but for numbers and are `counters` of the document. `long` with a line five times is a note.",
         .example = "`repeated lines or sentences are 97.4 % of the document, one occurs 40 times`",
         .to_do =
             "Keep one occurrence, or drop the document. Look at what made it: a menu or footer that every page of a "
             "crawl carries, an export that joined parts.",
         .false_alarms = "Litanies; transcripts of machines that say one thing all day.",
         .references = "Rae et al., Scaling Language Models (Gopher), 2021, table A1."},
    .judge_documents = judge_documents,
    .harm = {0.5, "paid for and learnt by heart, with pauses that keep it from being foretold to the last token"}};

}  // namespace assay
