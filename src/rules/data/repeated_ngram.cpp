// One word, sentence or character over and over. How it is found: measure/text/repeats.cpp.
//
// OLMo 2 drops documents with 32 repeats of 1 to 13 tokens, wherever they stand. So does this rule, with bytes instead
// of tokens, where the run is also 1 KiB or a tenth of the document; a shorter one in a long text (a ruler, a cry in a
// chat) is a note. A longer period needs fewer repeats to be no text, when the run is half of the document. What has no
// letter (rulers of a table, matrices of zeros, lists of empty cells) is ordinary up to 1 KiB, blanks up to 256 bytes:
// formatted tables are up to 200 columns wide.
//
// Stuffed keywords repeat without a period: few different words, hardly a sentence. They are looked for where the
// survey sees letters and blanks and almost nothing else, in the first 2 KiB.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/text/ascii_classes.h"
#include "measure/text/repeats.h"
#include "measure/text/word_variety.h"
#include "rules/rule.h"

namespace assay {

namespace {

enum class Filling { kBlanks, kLetters, kOther };

// What a period is made of.
Filling filling_of(std::string_view period) {
  bool blank = true;
  for (std::size_t at = 0; at < period.size(); ++at) {
    const char c = period[at];
    // No-break and ideographic spaces are blanks, too.
    if (period.substr(at, 2) == "\xC2\xA0") {
      ++at;
    } else if (period.substr(at, 3) == "\xE3\x80\x80") {
      at += 2;
    } else if (!is_ascii(c, kAsciiBlank)) {
      blank = false;
      if (is_ascii(c, kAsciiLetter)) return Filling::kLetters;
      // Box drawing, blocks and dashes are rulers.
      if ((c & 0x80) != 0 && c != '\xE2' && c != '\xC2' && (c & 0x40) != 0) return Filling::kLetters;
    }
  }
  return blank ? Filling::kBlanks : Filling::kOther;
}

class Judge final : public DocumentJudge {
 public:
  explicit Judge(const Parameters& set)
      : repeats_(set["repeats"]),
        long_(set["long"]),
        share_(set["share"]),
        blanks_(set["blanks"]),
        variety_(set["variety"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const std::string_view text = document.text();
    finder_.find(text, found_);
    hits_.clear();
    for (const PeriodicRun& run : found_) consider(text, run);
    if (document.survey.longest_blank >= kMixedBlanks) consider_blanks(text);
    std::ranges::sort(hits_, [](const DocumentHit& a, const DocumentHit& b) {
      if (a.severity != b.severity) return a.severity > b.severity;
      return a.length != b.length ? a.length > b.length : a.offset < b.offset;
    });
    for (DocumentHit& hit : hits_) out.add(std::move(hit));
    if (hits_.empty()) consider_stuffing(document, out);
  }

 private:
  static constexpr std::size_t kMixedBlanks = 256;

  void consider(std::string_view text, const PeriodicRun& run) {
    const auto length = static_cast<double>(run.length);
    const double whole = static_cast<double>(text.size());
    // The last repeat often lacks the comma and the blank after it.
    const double repeats = std::floor(static_cast<double>(run.length + 2) / static_cast<double>(run.period));
    const Filling filling = filling_of(text.substr(run.offset, run.period));
    bool bad = false;
    bool note = false;
    std::string_view sentence = "repeats";
    if (filling == Filling::kBlanks) {
      sentence = "blanks";
      bad = length >= blanks_;
    } else if (filling == Filling::kOther) {
      note = repeats >= repeats_ && length >= long_ / 2;
      bad = repeats >= repeats_ &&
            ((length >= long_ && length >= share_ * whole) || (length >= 96 && length >= 0.8 * whole));
    } else {
      const bool many = repeats >= repeats_ && length >= 96;
      bad = many && (length >= long_ || length >= share_ * whole);
      bad |= run.period >= 20 && repeats >= 6 && length >= 300 && length >= whole / 2;
      note = many;
    }
    if (!bad && !note) return;
    DocumentHit hit{
        .offset = run.offset,
        .length = run.length,
        .severity = bad ? Severity::kWarning : Severity::kNote,
        .confidence = !bad                                                     ? 0.5
                      : repeats >= 2 * repeats_ || filling == Filling::kBlanks ? 0.95
                                                                               : 0.9,
        .reason = {std::string(sentence), {{"count", static_cast<std::size_t>(repeats)}, {"period", run.period}}}};
    if (filling == Filling::kBlanks) hit.reason.values = {{"bytes", run.length}};
    hits_.push_back(std::move(hit));
  }

  // Blanks and line feeds mixed are no period, but a gap all the same.
  void consider_blanks(std::string_view text) {
    const auto least = static_cast<std::size_t>(blanks_);
    const auto belongs = [](char c) { return is_ascii(c, kAsciiBlank); };
    for (ByteRun run = next_run(text, 0, least, belongs); run.first < text.size();
         run = next_run(text, run.last, least, belongs)) {
      const bool known = std::ranges::any_of(
          hits_, [&](const DocumentHit& hit) { return hit.offset < run.last && run.first < hit.offset + hit.length; });
      if (known) continue;
      hits_.push_back({.offset = run.first,
                       .length = run.last - run.first,
                       .severity = Severity::kWarning,
                       .confidence = 0.9,
                       .reason = {"blanks", {{"bytes", run.last - run.first}}}});
    }
  }

  void consider_stuffing(const SurveyedDocument& document, DocumentHits& out) {
    const TextSurvey& survey = document.survey;
    const std::size_t size = document.text().size();
    if (size < 500 || survey.letters * 4 < size * 3) return;
    const std::size_t ends = survey.of('.') + survey.of('!') + survey.of('?');
    const std::size_t others = survey.punctuation - ends - survey.of(',') - survey.of('-') - survey.of('|');
    if (ends * 250 > size || others * 100 > size) return;
    constexpr std::size_t kRead = 2048;  // bytes: a longer prose has fewer different words in 100
    const std::string_view text = document.text().substr(0, kRead);
    const WordVariety variety = words_.count(text);
    if (variety.words < 80 || static_cast<double>(variety.distinct) > variety_ * static_cast<double>(variety.words))
      return;
    out.add({.offset = 0,
             .length = text.size(),
             .severity = Severity::kWarning,
             .confidence = 0.8,
             .reason = {"stuffing", {{"words", variety.words}, {"distinct", variety.distinct}}}});
  }

  double repeats_, long_, share_, blanks_, variety_;
  PeriodFinder finder_;
  WordCounter words_;
  std::vector<PeriodicRun> found_;
  std::vector<DocumentHit> hits_;
};

std::unique_ptr<DocumentJudge> judge_documents(const Parameters& set) { return std::make_unique<Judge>(set); }

}  // namespace

extern const Rule kRepeatedNgram;
const Rule kRepeatedNgram{
    .name = "repeated-ngram",
    .family = "data",
    .title_en = "the same words or characters over and over",
    .title_zh = "同样的词或字符反复出现",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {{"repeats", "times", 32, 3, 1e6, "OLMo 2 drops documents from 32 repeats of 1 to 13 tokens on"},
                   {"long", "bytes", 1024, 64, 1e9, "some 300 tokens that foretell each other"},
                   {"share", "of the document", 0.1, 0.01, 1,
                    "a shorter run in a long document is a small part of what is learnt from it"},
                   {"blanks", "bytes", 256, 16, 1e9, "tables and centred titles have up to 200 blanks in a row"},
                   {"variety", "of the words", 0.25, 0.01, 1,
                    "the first 300 words of prose have 50 to 60 different ones in 100; stuffed keywords 5 to 15"}},
    .sentences = {{"repeats", "{period} bytes are repeated {count} times without a pause",
                   "{period} 字节的内容连续重复 {count} 次"},
                  {"blanks", "{bytes} blanks in a row", "连续 {bytes} 字节空白"},
                  {"stuffing", "{distinct} different words among {words}: keywords, no sentences",
                   "{words} 个词中只有 {distinct} 个不同：堆砌的关键词"},
                  {"do", "drop the document, or cut the run; many of one source: look at what made them",
                   "删除文档，或剪掉重复段；若多来自同一来源，请查明其产生方式"}},
    .docs =
        {.finds = "A word, sentence or character that is repeated without a pause, runs of blanks, stuffed keywords.",
         .matters =
             "After a few repeats the model foretells the rest, the loss falls to nothing, and gradients of all those "
             "tokens point in one direction. OLMo 2 found such documents in the batches at which the grad norm jumped.",
         .decides = "The run and its least period are followed byte by byte. A warning at `repeats` repeats in a run "
                    "of `long` "
                    "bytes or of `share` of the document; of a period of 20 bytes or more at 6 repeats, when the run "
                    "is half of "
                    "the document. Without letters: both `long` and `share`, or 80 % of the document. Blanks: `blanks` "
                    "bytes. What has the "
                    "repeats only "
                    "is a note. Keywords: at least 80 words, letters and blanks only, of which at most `variety` are "
                    "different.",
         .example = "`70 bytes are repeated 34 times without a pause`",
         .to_do = "Drop the document, or cut the run. Many of them from one source: look at what made it, often an "
                  "export or a conversion that went on at the end of its input.",
         .false_alarms = "Songs and litanies with more than 32 equal lines; sequences of proteins or genes.",
         .references =
             "OLMo et al., 2 OLMo 2 Furious, 2025, section on repeated n-grams. BigScience, chronicles of the "
             "104B model."},
    .judge_documents = judge_documents,
    .harm = {1,
             "OLMo 2 found long repeats in the batches at which its grad norm jumped, BigScience runs of backslashes "
             "where its loss did"}};

}  // namespace assay
