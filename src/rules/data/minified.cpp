// Code that was packed for browsers. How it is found: measure/text/minified.cpp.
//
// Names of one letter and no blanks: what people read code for is gone, and the same libraries stand in millions of
// pages. A line of it inside a page is residue that one cuts out; a file of it is dropped by every corpus of code
// (StarCoder: longest line above 1,000). 300 bytes are a warning where they are a tenth of the document, 1 KiB always.
// JSON, CSV and SQL in long lines are data and not told by this rule.

#include "measure/text/minified.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "rules/rule.h"

namespace assay {

namespace {

class Judge final : public DocumentJudge {
 public:
  explicit Judge(const Parameters& set) : long_(set["long"]), least_(set["least"]), share_(set["share"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    find_minified(document.text(), document.survey, found_);
    if (found_.empty()) return;
    std::ranges::sort(found_, [](const auto& a, const auto& b) {
      return a.length != b.length ? a.length > b.length : a.offset < b.offset;
    });
    double all = 0;
    for (const MinifiedStretch& stretch : found_) all += static_cast<double>(stretch.length);
    const double whole = static_cast<double>(document.text().size());
    const auto longest = static_cast<double>(found_.front().length);
    const bool bad = longest >= long_ || (all >= least_ && all >= share_ * whole);
    for (const MinifiedStretch& stretch : found_) {
      const char* sentence = stretch.kind == MinifiedKind::kScript  ? "script"
                             : stretch.kind == MinifiedKind::kStyle ? "style"
                                                                    : "symbols";
      out.add({.offset = stretch.offset,
               .length = stretch.length,
               .severity = bad ? Severity::kWarning : Severity::kNote,
               .confidence = bad ? 0.9 : 0.5,
               .reason = {sentence, {{"bytes", stretch.length}}}});
    }
  }

 private:
  double long_, least_, share_;
  std::vector<MinifiedStretch> found_;
};

std::unique_ptr<DocumentJudge> judge_documents(const Parameters& set) { return std::make_unique<Judge>(set); }

}  // namespace

extern const Rule kMinified;
const Rule kMinified{
    .name = "minified",
    .family = "data",
    .title_en = "minified code",
    .title_zh = "压缩（minified）代码",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {{"long", "bytes", 1024, 100, 1e9, "StarCoder drops files with a line above 1,000 characters"},
                   {"least", "bytes", 240, 100, 1e9, "less may be an example of one line"},
                   {"share", "of the document", 0.1, 0, 1, "a page of prose with a counter script is still prose"}},
    .sentences = {{"script", "{bytes} bytes of minified JavaScript", "{bytes} 字节压缩后的 JavaScript"},
                  {"style", "{bytes} bytes of minified CSS", "{bytes} 字节压缩后的 CSS"},
                  {"symbols", "{bytes} bytes of a program of brackets and signs",
                   "{bytes} 字节仅由括号和符号组成的程序"},
                  {"do", "drop such files, or take the sources that they were made from",
                   "删除此类文件，或改用生成它们的源代码"}},
    .docs =
        {.finds = "JavaScript and CSS without line breaks and blanks.",
         .matters =
             "It is machine output: names and layout, from which a model learns to write code, are gone. One library "
             "occurs in very many files.",
         .decides =
             "Lines of at least 160 bytes with `;`, `{`, `}` at 2 % of the bytes and more and calls, or with operators "
             "at 10 %, words of the "
             "language "
             "once in 400 bytes, and fewer blanks than one in eight bytes (CSS: one in five). A warning with a stretch "
             "of "
             "`long` bytes, or when all are `least` bytes and `share` of the document; else a note. JSON, CSV, SQL and "
             "LaTeX in long lines are no code in this sense.",
         .example = "`4,000 bytes of minified JavaScript`",
         .to_do = "Drop such files (names with .min.), or take the sources that they were made from.",
         .false_alarms = "Code of one line that someone wrote by hand, as in contests.",
         .references = "Li et al., StarCoder: may the source be with you, 2023, section on filters."},
    .judge_documents = judge_documents,
    .harm = {0.3, "code that works, without its names and layout"}};

}  // namespace assay
