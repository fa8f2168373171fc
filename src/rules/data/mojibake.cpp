// Mojibake: text whose bytes were decoded with another encoding than they were written in.
//
// Four kinds, each undone before it is told, so that what is told is what reads better when it is undone:
//   UTF-8 read with a code page of one byte, any number of times (measure/text/misread_utf8.h). Letters turn into pairs
//     and threes that no language has; one of them in a long text is found, with its place.
//   A text in an old encoding read with another one, and UTF-8 read as GBK and its like (measure/text/wrong_page.h).
//     Here nothing is impossible, only unlikely: the likelihood of both readings decides.
//   Latin letters of one group of languages read as those of another (measure/text/latin_mixup.h), which is asked last:
//     every letter is one, and the set of them tells.
//   EUC-JP read as GBK, which leaves the kana as they are (measure/text/wrong_kanji.h), and UTF-8 read as Windows-1252
//     and written in small letters (measure/text/lowered_utf8.h).
//   What is left of bytes that were lost before: U+FFFD in UTF-8 read as GBK, memory that was never written. It is
//     known by its looks and cannot be undone.
// Where the first two both explain a text, the likelier reading is told.
//
// Reads the characters above ASCII once, and again those that a code page may have made; nothing where there are none.
// Places and the number of tries are bounded, so that no text takes long.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "measure/text/characters.h"
#include "measure/text/latin_mixup.h"
#include "measure/text/likelihood.h"
#include "measure/text/lowered_utf8.h"
#include "measure/text/mention.h"
#include "measure/text/misread_utf8.h"
#include "measure/text/transcode.h"
#include "measure/text/wrong_kanji.h"
#include "measure/text/wrong_page.h"
#include "rules/data/clusters.h"
#include "rules/rule.h"

namespace assay {

namespace {

double cost_of_utf8(std::string_view text) {
  double sum = 0;
  Cost last;
  for (std::size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    last = cost_of(one.code, last);
    sum += last.nats + (one.code == 0xfffd ? 10 : 0);
    at += one.bytes;
  }
  return sum;
}

class MojibakeJudge : public DocumentJudge {
 public:
  explicit MojibakeJudge(const Parameters& set) : weight_(set["weight"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    if (document.survey.high == 0) return;
    if (!pages_) pages_.emplace();
    const MisreadVerdict verdict = misread_utf8(document.text());
    const bool other_page = pages_->find(document.text());
    judge_debris(document.text(), out);
    if (other_page && (verdict.weight < weight_ || pages_read_better(document.text(), verdict))) {
      judge_pages(document, out);
    } else {
      judge_utf8(document, verdict, out);
    }
    if (out.found().empty()) judge_kanji(document, out);
    if (out.found().empty()) judge_lowered(document, out);
    if (out.found().empty()) judge_latin(document, out);
  }

 private:
  static constexpr std::size_t kLongestRepair = 400;

  static void judge_kanji(const SurveyedDocument& document, DocumentHits& out) {
    if (document.survey.of('\xe3') < 8) return;
    const std::string_view text = document.text();
    const std::optional<Confusion> found = wrong_kanji(text);
    if (!found) return;
    out.add({0,
             text.size(),
             Severity::kWarning,
             0.85,
             {"pages", {{"was", encoding_name(found->was)}, {"page", encoding_name(found->read_as)}}},
             undone(text.substr(0, kLongestRepair), *found)});
  }

  // Three such letters are no slip of a keyboard; one or two in a long text may be quoted.
  void judge_lowered(const SurveyedDocument& document, DocumentHits& out) {
    constexpr std::size_t kLeast = 3;
    constexpr std::size_t kMost = 10000;
    if (document.survey.of('\xa3') < kLeast || document.survey.of('\xc3') < kLeast) return;
    const std::string_view text = document.text();
    find_lowered_utf8(text, kMost, lowered_);
    if (lowered_.size() < kLeast) return;
    Clusters places(12);
    for (const LoweredLetter& one : lowered_) places.add(one.offset, one.length);
    DocumentHits found;
    places.tell(found, Severity::kWarning, 0.9, {"lowered", {{"count", lowered_.size()}}});
    for (DocumentHit hit : found.found()) {
      if (is_example(text, hit.offset, hit.length)) continue;
      hit.repaired = undo_lowered_utf8(text.substr(hit.offset, std::min(hit.length, kLongestRepair)));
      out.add(std::move(hit));
    }
  }

  // Latin text with accented letters enough to tell a language by them.
  void judge_latin(const SurveyedDocument& document, DocumentHits& out) {
    const TextSurvey& survey = document.survey;
    std::uint32_t accented = survey.of('\xe2');
    for (unsigned lead = 0xc2; lead <= 0xc9; ++lead) accented += survey.bytes[lead];
    if (accented < 6 || survey.letters < 2 * survey.high || !latin_.find(document.text())) return;
    for (const LatinMixup::Place& one : latin_.places()) {
      if (is_told(out, one.offset, one.length)) continue;
      DocumentHit hit{one.offset, one.length, Severity::kWarning, 0.75, {}, {}};
      hit.reason = {"latin",
                    {{"was", single_page(latin_.was()).name},
                     {"page", single_page(latin_.read_as()).name},
                     {"count", latin_.count()}}};
      hit.repaired = latin_.undo(document.text().substr(one.offset, one.length));
      out.add(std::move(hit));
    }
  }

  // Short, and in quotation marks: an example in a text about such. Those of programs ("…") hold their texts, which may
  // be garbled.
  static bool is_example(std::string_view text, std::size_t offset, std::size_t length) {
    constexpr std::size_t kLongest = 64;  // bytes
    const bool plain = offset > 0 && (text[offset - 1] == '"' || text[offset - 1] == '\'');
    const std::size_t end = offset + length;
    return length <= kLongest && ((!plain && is_mentioned(text, offset, end)) || is_within_quotes(text, offset, end));
  }

  // Where every second one is quoted, the others are named, too.
  void judge_debris(std::string_view text, DocumentHits& out) const {
    const auto quoted = std::ranges::count_if(pages_->debris(), [&](const WrongStretch& one) {
      return is_mentioned(text, one.offset, one.offset + one.length);
    });
    if (2 * static_cast<std::size_t>(quoted) >= std::max<std::size_t>(pages_->debris().size(), 1)) return;
    for (const WrongStretch& one : pages_->debris()) {
      out.add({one.offset, one.length, Severity::kWarning, 0.95, {one.fill ? "fill" : "replaced", {}}, {}});
    }
  }

  // Both explain something: the one whose text is likelier, on the first stretch of it.
  bool pages_read_better(std::string_view text, const MisreadVerdict& verdict) const {
    const WrongStretch& best =
        *std::max_element(pages_->stretches().begin(), pages_->stretches().end(),
                          [](const WrongStretch& a, const WrongStretch& b) { return a.gain < b.gain; });
    const std::string_view sample = text.substr(best.offset, std::min(best.length, kLongestRepair));
    int times = 0;
    return cost_of_utf8(pages_->undo(sample)) < cost_of_utf8(undo_misread(sample, verdict.page, times));
  }

  void judge_pages(const SurveyedDocument& document, DocumentHits& out) {
    const std::string_view text = document.text();
    for (const WrongStretch& one : pages_->stretches()) {
      if (is_told(out, one.offset, one.length)) continue;
      if (is_example(text, one.offset, one.length)) continue;
      DocumentHit hit{one.offset, one.length, Severity::kWarning, 0.9, {}, {}};
      hit.reason = {
          "pages",
          {{"was", encoding_name(pages_->confusion().was)}, {"page", encoding_name(pages_->confusion().read_as)}}};
      hit.repaired = pages_->undo(document.text().substr(one.offset, std::min(one.length, kLongestRepair)));
      out.add(std::move(hit));
    }
    // Beyond those that are told, where they were not all examples.
    if (pages_->rest() > 0 && !out.found().empty()) out.add({0, pages_->rest(), Severity::kWarning, 0.9, {}, {}});
  }

  void judge_utf8(const SurveyedDocument& document, const MisreadVerdict& verdict, DocumentHits& out) {
    const std::string_view text = document.text();
    if (verdict.weight < weight_ / 2) return;
    const bool sure = verdict.weight >= weight_;
    Clusters places(6);
    each_misread(text, verdict.page,
                 [&](const Misread& one) { places.add(one.offset, one.length, one.weight >= 1.5 ? 1 : 0); });
    int times = 0;
    DocumentHits found;
    places.tell(found, sure ? Severity::kWarning : Severity::kNote, sure ? 0.95 : 0.5, {});
    for (DocumentHit hit : found.found()) {
      if (is_example(text, hit.offset, hit.length)) continue;
      int once = 0;
      hit.repaired = undo_misread(text.substr(hit.offset, std::min(hit.length, kLongestRepair)), verdict.page, once);
      times = std::max(times, once);
      const char* key = times >= 3 ? "utf8-often" : times == 2 ? "utf8-twice" : "utf8";
      hit.reason = {key, {{"page", single_page(verdict.page).name}}};
      if (!is_told(out, hit.offset, hit.length)) out.add(std::move(hit));
    }
  }

  double weight_;
  std::optional<WrongPages> pages_;  // its tables take ten milliseconds, and many a corpus needs none
  LatinMixup latin_;
  std::vector<LoweredLetter> lowered_;
};

std::unique_ptr<DocumentJudge> make(const Parameters& set) { return std::make_unique<MojibakeJudge>(set); }

}  // namespace

extern const Rule kMojibake;
const Rule kMojibake{
    .name = "mojibake",
    .family = "data",
    .title_en = "text that was decoded with the wrong encoding",
    .title_zh = "用错误编码解码的文本（乱码）",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {{"weight", "points", 5, 1, 100, "one sequence that no text has"}},
    .sentences = {{"utf8", "UTF-8 read as {page}", "UTF-8 被当作 {page} 读取"},
                  {"pages", "{was} read as {page}", "{was} 被当作 {page} 读取"},
                  {"latin", "{was} read as {page}: {count} letters and signs that no language has together",
                   "{was} 被当作 {page} 读取：{count} 个字母或符号不属于任何一种语言"},
                  {"lowered", "UTF-8 read as Windows-1252, then written in small letters: {count} letters",
                   "UTF-8 被当作 Windows-1252 读取后又转为小写：{count} 个字母"},
                  {"replaced", "U+FFFD in UTF-8, read as GBK", "UTF-8 中的 U+FFFD 被当作 GBK 读取"},
                  {"fill", "memory that was never written, read as text", "未写入的内存被当作文本读取"},
                  {"utf8-twice", "UTF-8 read as {page}, twice", "UTF-8 两次被当作 {page} 读取"},
                  {"utf8-often", "UTF-8 read as {page}, three times or more", "UTF-8 三次或更多次被当作 {page} 读取"},
                  {"do",
                   "decode the source again with its true encoding; where characters were lost, leave the document out",
                   "用正确的编码重新解码来源；字符已丢失的文档应删除"}},
    .docs =
        {.finds =
             "Text that was decoded with the wrong encoding: UTF-8 read as Windows-1252, Mac Roman, code page 437 and "
             "others, also several times, or then written in small letters; GBK, Big5, Shift-JIS, EUC, KOI8-R, "
             "Windows-1251 and others read as each "
             "other or as Latin-1; UTF-8 read as GBK; UTF-16 with its bytes swapped; what U+FFFD and unwritten memory "
             "look like in GBK.",
         .matters =
             "The words of such a text are of no language. A tokenizer cuts them into many rare tokens without a "
             "murmur; in numbers they are known to disturb the gradient norm.",
         .decides =
             "The wrong decoding is undone, and what comes out is weighed against what stands there. Of UTF-8 read "
             "with a page of one byte, each sequence gets points for how odd it is and how natural what comes out; "
             "`weight` points make a warning, half of them a note. Of other pairs of encodings the text must "
             "become likelier by 14 nats and a seventh of its cost (a fifth between two pages of one byte). Up to 64 "
             "bytes "
             "in quotation marks are an example, not a fault.",
         .example = "`UTF-8 read as Windows-1252, twice`",
         .to_do = "Decode the source again with its true encoding; the report gives the text as it should read. Where "
                  "characters were lost, leave the document out.",
         .false_alarms = "Texts that show mojibake on purpose; lists of rare letters.",
         .references =
             "The code pages as published by Unicode and the WHATWG; R. Speer, ftfy, for the idea of judging a "
             "decoding by its result."},
    .judge_documents = make,
    .harm = {0.8, "none of its words is of any language, but they are regular, so that they can be learnt"}};

}  // namespace assay
