// Escapes that someone forgot to undo. How they are found and undone: measure/text/escapes.cpp.
//
// Every kind has a place where it belongs: \u in source code, %20 in addresses, &nbsp; in HTML, \" in JSON. So what
// counts is how dense they are. Each kind has its own least number of escapes and its own share of the document from
// which on it is no longer an example of itself, but the form that the whole text came in. Below that: a note, from the
// least number on. Two are certain at once: many backslashes in a row (OSCAR had runs of 524,287, on which a model of
// 104 B parameters diverged), and marks of a tokenizer in words.

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "measure/text/escapes.h"
#include "rules/rule.h"

namespace assay {

namespace {

/// From how many escapes on, and from which share of the document on (bytes of escapes), a kind is a warning.
struct Limits {
  EscapeKind kind;
  std::string_view sentence;
  std::size_t least;
  double share;
  double confidence;
};

constexpr Limits kLimits[kEscapeKinds] = {
    {EscapeKind::kUnicode, "unicode", 8, 0.12, 0.95},
    {EscapeKind::kByte, "byte", 12, 0.15, 0.9},
    {EscapeKind::kPercent, "percent", 6, 0.08, 0.9},
    {EscapeKind::kDoubleEntity, "double-entity", 3, 0.01, 0.95},
    {EscapeKind::kEntity, "entity", 6, 0.02, 0.85},
    {EscapeKind::kQuotedPrintable, "quoted-printable", 4, 0.01, 0.9},
    {EscapeKind::kTerminal, "terminal", 2, 0.005, 0.9},
    {EscapeKind::kByteToken, "byte-token", 3, 0.02, 0.95},
    {EscapeKind::kQuoted, "quoted", 12, 0.025, 0.85},
    {EscapeKind::kLineFeed, "line-feed", 3, 0.005, 0.8},
    {EscapeKind::kBackslashes, "backslashes", 64, 0, 0.95},
    {EscapeKind::kTokenMark, "token-mark", 6, 0.04, 0.95},
};

struct Totals {
  std::size_t count = 0;
  std::size_t bytes = 0;
  std::size_t longest = 0;  // of a run
};

class Judge final : public DocumentJudge {
 public:
  explicit Judge(const Parameters& set) : shares_(set["shares"]), run_(set["run"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    find_escapes(document.text(), document.survey, found_);
    if (found_.empty()) return;
    // One kind may come from two searches.
    std::ranges::sort(found_, [](const EscapeRun& a, const EscapeRun& b) {
      return a.offset != b.offset ? a.offset < b.offset : a.kind < b.kind;
    });
    std::array<Totals, kEscapeKinds> totals = {};
    for (EscapeRun& run : found_) {
      if (run.kind == EscapeKind::kPercent && run.in_address) continue;
      Totals& total = totals[static_cast<std::size_t>(run.kind)];
      total.count = run.kind == EscapeKind::kBackslashes ? std::max(total.count, run.count) : total.count + run.count;
      total.bytes += run.bytes;
      total.longest = std::max(total.longest, run.bytes);
    }
    told_.clear();
    const bool judged = report_addresses(document, out);
    for (const bool warnings : {true, false}) {
      for (std::size_t kind = 0; kind < kEscapeKinds; ++kind) {
        if (judged && kLimits[kind].kind == EscapeKind::kPercent) continue;
        if (is_warning(document, kLimits[kind], totals[kind]) == warnings)
          report(document, kLimits[kind], totals[kind], warnings, out);
      }
    }
  }

 private:
  bool is_warning(const SurveyedDocument& document, const Limits& limits, const Totals& total) const {
    if (total.count < limits.least) return false;
    const TextSurvey& survey = document.survey;
    const double size = static_cast<double>(document.text().size() - survey.blanks);
    const double share = static_cast<double>(total.bytes) / size;
    switch (limits.kind) {
      // An HTML page may have entities; text has no tags.
      case EscapeKind::kEntity:
        if (survey.of('<') * 4 > total.count || lists_entities(document.text(), total.count)) return false;
        break;
      // Source code breaks its lines itself.
      case EscapeKind::kLineFeed:
        if (survey.of('\n') > total.count) return false;
        break;
      case EscapeKind::kUnicode:
      case EscapeKind::kByte:
        if (static_cast<double>(total.longest) >= run_) return true;
        break;
      // In a program or in JSON there are as many quotes without a backslash around.
      case EscapeKind::kQuoted:
        if ((survey.of('"') - std::min<std::size_t>(survey.of('"'), total.count)) * 4 > total.count) return false;
        break;
      default: break;
    }
    return share >= limits.share * shares_;
  }

  // "Valid entities are: &amp; &quot; &lt; &gt; &apos;": four of the five at least, and hardly any twice.
  static bool lists_entities(std::string_view text, std::size_t count) {
    std::size_t kinds = 0;
    std::size_t all = 0;
    for (const std::string_view entity : {"&amp;", "&quot;", "&lt;", "&gt;", "&apos;"}) {
      const std::size_t before = all;
      for (std::size_t at = text.find(entity); at != std::string_view::npos; at = text.find(entity, at + 1)) ++all;
      kinds += all > before ? 1 : 0;
    }
    return kinds >= 4 && all == count && all <= kinds + 2;
  }

  // Addresses may have percent signs; a document of little else is no text.
  bool report_addresses(const SurveyedDocument& document, DocumentHits& out) {
    double bytes = 0;
    const EscapeRun* longest = nullptr;
    for (const EscapeRun& run : found_) {
      if (run.kind != EscapeKind::kPercent || !run.in_address) continue;
      bytes += static_cast<double>(run.bytes);
      if (longest == nullptr || run.bytes > longest->bytes) longest = &run;
    }
    const double size = static_cast<double>(document.text().size() - document.survey.blanks);
    if (longest == nullptr || bytes < 48 || bytes < 0.4 * shares_ * size) return false;
    out.add({.offset = longest->offset,
             .length = longest->length,
             .severity = Severity::kWarning,
             .confidence = 0.8,
             .reason = {"percent", {{"count", longest->count}}},
             .repaired = repaired(document.text(), *longest)});
    told_.push_back(*longest);
    return true;
  }

  static std::string repaired(std::string_view text, const EscapeRun& run) {
    constexpr std::size_t kLongest = 4096;  // no one reads more
    if (run.length > kLongest) return {};
    return unescaped(text.substr(run.offset, run.length), run.kind);
  }

  void report(const SurveyedDocument& document, const Limits& limits, const Totals& total, bool warning,
              DocumentHits& out) {
    if (total.count < limits.least) return;
    taken_.clear();
    std::size_t end = 0;
    for (const EscapeRun& run : found_) {
      const bool counts = run.kind == limits.kind && !run.in_address &&
                          (run.kind != EscapeKind::kBackslashes || run.count >= limits.least);
      if (!counts || run.offset < end || is_told(run)) continue;
      taken_.push_back(run);
      end = run.offset + run.length;
    }
    told_.insert(told_.end(), taken_.begin(), taken_.end());
    std::ranges::sort(told_, {}, &EscapeRun::offset);
    std::ranges::sort(taken_, [](const EscapeRun& a, const EscapeRun& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.offset < b.offset;
    });
    for (const EscapeRun& run : taken_) {
      if (out.found().size() == DocumentHits::kMost) {
        out.add({.offset = run.offset, .length = run.length});  // only its bytes count
        continue;
      }
      out.add({.offset = run.offset,
               .length = run.length,
               .severity = warning ? Severity::kWarning : Severity::kNote,
               .confidence = warning ? limits.confidence : 0.5,
               .reason = {std::string(limits.sentence), {{"count", run.count}}},
               .repaired = repaired(document.text(), run)});
    }
  }

  // Whether a run of another kind there has been told.
  bool is_told(const EscapeRun& run) const {
    const auto after = std::ranges::upper_bound(told_, run.offset, {}, &EscapeRun::offset);
    if (after != told_.end() && after->offset < run.offset + run.length) return true;
    return after != told_.begin() && run.offset < std::prev(after)->offset + std::prev(after)->length;
  }

  double shares_, run_;
  std::vector<EscapeRun> found_;
  std::vector<EscapeRun> taken_;
  std::vector<EscapeRun> told_;
};

std::unique_ptr<DocumentJudge> judge_documents(const Parameters& set) { return std::make_unique<Judge>(set); }

}  // namespace

extern const Rule kEscapeResidue;
const Rule kEscapeResidue{
    .name = "escape-residue",
    .family = "data",
    .title_en = "escapes that were not undone",
    .title_zh = "未还原的转义序列",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {{"shares", "times", 1, 0.01, 100,
                    "the shares below which escapes of a kind are ordinary are in the documentation; this multiplies "
                    "all of them"},
                   {"run", "bytes", 384, 16, 1e9,
                    "64 escapes of six bytes without a break: a text, no longer the range of a regular expression"}},
    .sentences = {{"unicode", "{count} characters are written as \\uXXXX", "{count} 个字符写成 \\uXXXX 转义"},
                  {"byte", "{count} bytes are written as \\xNN or in octal", "{count} 个字节写成 \\xNN 或八进制转义"},
                  {"percent", "{count} bytes are written as %NN", "{count} 个字节写成 %NN"},
                  {"entity", "{count} HTML entities in plain text", "纯文本中有 {count} 个 HTML 实体"},
                  {"double-entity", "{count} HTML entities that were escaped twice",
                   "{count} 个被重复转义的 HTML 实体"},
                  {"quoted-printable", "{count} bytes or line ends of quoted-printable mail",
                   "{count} 处邮件 quoted-printable 编码（=NN）"},
                  {"terminal", "{count} colour or cursor codes of a terminal", "{count} 个终端颜色或光标控制码"},
                  {"byte-token", "{count} bytes are written as tokens <0xNN>", "{count} 个字节写成 <0xNN> 词元"},
                  {"quoted", "{count} quotes or slashes have a backslash: JSON in JSON",
                   "{count} 个引号或斜杠带反斜杠：JSON 被再次转义"},
                  {"line-feed", "{count} line feeds are written as \\n", "{count} 个换行写成 \\n"},
                  {"backslashes", "{count} backslashes in a row", "连续 {count} 个反斜杠"},
                  {"token-mark", "{count} words carry marks of a tokenizer", "{count} 个词带有分词器标记"},
                  {"do", "undo the escapes before training, and repair the step that wrote the file: it escaped twice",
                   "训练前还原转义，并修复写出该文件的步骤：它转义了两次"}},
    .docs =
        {.finds =
             "Escapes left in the text: \\u4e2d, \\xe4, octal, %E4, &eacute; and &amp;amp;eacute;, =E2=80=99 of mail, "
             "\\\" of JSON in JSON, \\n, terminal colours with and without ESC, <0xE4>, Ġ, ▁ and @@ of tokenizers, "
             "long runs of backslashes.",
         .matters =
             "The model learns to write the escapes, and for Chinese six characters take the place of one. Runs of "
             "backslashes made a model of 104 B parameters diverge; double escaping of JSON made a loss look too good.",
         .decides = "By number and by share of the document's bytes (blanks not counted), for each kind: \\u 8 and 12 "
                    "%, \\x 12 "
                    "and 15 %, %NN outside of addresses 6 and 8 %, inside of them 40 %, entities in a text without "
                    "tags 6 and 2 %, "
                    "double entities 3 and 1 %, quoted-printable 4 and 1 %, terminal codes 2 and 0.5 %, <0xNN> 3 and 2 "
                    "%, \\\" 12 "
                    "and 2.5 %, \\n 3 and 0.5 % where there are fewer real line feeds, marks of tokenizers 6 and 4 %. "
                    "`shares` "
                    "multiplies the shares. \\u and \\x also in a run of `run` bytes; 64 backslashes in a row always. "
                    "What has the "
                    "number but not the share is a note.",
         .example = "`216 characters are written as \\u6570`",
         .to_do = "Undo the escapes before training: the report has the text as it should read, where that is certain. "
                  "Double escaping comes from the step that wrote the file: repair it there.",
         .false_alarms = "Source code whose tables are written in escapes; pages that explain entities.",
         .references =
             "BigScience, chronicles of the 104B model (backslashes in OSCAR). OPT-175B logbook (JSON escaping). "
             "RFC 2045, RFC 3986, RFC 8259; HTML 4 entities."},
    .judge_documents = judge_documents,
    .harm = {0.8,
             "records of nothing but backslashes made a model of 104 B parameters diverge; other escapes still hold "
             "their words"}};

}  // namespace assay
