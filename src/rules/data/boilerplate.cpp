// Pages that say what millions of others say: placeholder text, consent, errors, domains for sale, menus. The phrases:
// measure/text/phrases.cpp.
//
// A phrase in an article is nothing: articles speak of cookies. So only short documents are looked at, and what counts
// is what the phrases leave: they carry a weight (3: says alone what the page is), and a document is boilerplate when
// the weights of different phrases together are large for its length. 400 bytes with one strong phrase, 2,000 bytes
// with four. Placeholder text is looked for in all documents that have its words at all; C4 drops documents that
// contain "lorem ipsum", here it has to be a tenth of the document, or it is a note.

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "measure/text/find_word.h"
#include "measure/text/phrases.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr const char* kSentences[kPhraseKinds] = {"placeholder", "cookies", "script",    "parked",
                                                  "missing",     "terms",   "navigation"};

class Judge final : public DocumentJudge {
 public:
  explicit Judge(const Parameters& set)
      : longest_(static_cast<std::size_t>(set["longest"])),
        share_(set["share"]),
        weight_(set["weight"]),
        each_(set["each"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    judge_placeholder(document, out);
    if (out.found().empty() && document.text().size() <= longest_) judge_phrases(document, out);
  }

 private:
  void judge_placeholder(const SurveyedDocument& document, DocumentHits& out) {
    const TextSurvey& survey = document.survey;
    if (survey.letters < 40) return;
    const std::string_view text = document.text();
    // Of its words these are the rarest in other languages; nearly each stretch of some lines has one of them.
    if (!has_any(text, {{{"ipsum", 1}, {"eiusmod", 3}, {"ullamco", 4}}})) return;
    find_placeholder(text, found_);
    std::size_t bytes = 0;
    for (const FoundPhrase& stretch : found_) bytes += stretch.length;
    const bool bad = static_cast<double>(bytes) >= share_ * static_cast<double>(text.size());
    std::ranges::sort(found_, [](const auto& a, const auto& b) {
      return a.length != b.length ? a.length > b.length : a.offset < b.offset;
    });
    for (const FoundPhrase& stretch : found_) {
      out.add({.offset = stretch.offset,
               .length = stretch.length,
               .severity = bad ? Severity::kWarning : Severity::kNote,
               .confidence = bad ? 0.95 : 0.55,
               .reason = {"placeholder", {{"bytes", stretch.length}}}});
    }
  }

  void judge_phrases(const SurveyedDocument& document, DocumentHits& out) {
    const std::string_view text = document.text();
    find_phrases(text, found_);
    if (found_.empty()) return;
    double weight = 0;
    std::size_t covered = 0;
    std::array<std::size_t, kPhraseKinds> by_kind = {};
    for (std::size_t i = 0; i < found_.size(); ++i) {
      covered += found_[i].length;
      if (is_repeated(i)) continue;
      weight += found_[i].weight;
      by_kind[static_cast<std::size_t>(found_[i].kind)] += found_[i].weight;
    }
    const auto kind = static_cast<std::size_t>(std::ranges::max_element(by_kind) - by_kind.begin());
    const double size = static_cast<double>(text.size());
    const bool strong = by_kind[kind] >= 3 && kind != static_cast<std::size_t>(PhraseKind::kNavigation);
    const double wanted = weight_ + size / each_;
    const bool dense = static_cast<double>(covered) * 3 >= size;
    // A licence names rights, too, and goes on to say something.
    const bool legal = kind == static_cast<std::size_t>(PhraseKind::kTerms);
    const bool bad = (weight >= wanted && by_kind[kind] >= 2 && !legal) || (weight >= weight_ && dense) ||
                     (strong && size <= each_ / 2 && static_cast<double>(covered) * 7 >= size && !legal) ||
                     (legal && weight >= 2 * wanted);
    if (!bad && weight < wanted / 2) return;
    const FoundPhrase& first = found_.front();
    const FoundPhrase& last = found_.back();
    out.add({.offset = first.offset,
             .length = last.offset + last.length - first.offset,
             .severity = bad ? Severity::kWarning : Severity::kNote,
             .confidence = !bad     ? 0.4
                           : strong ? 0.85
                                    : 0.75,
             .reason = {kSentences[kind], {{"count", found_.size()}}}});
  }

  bool is_repeated(std::size_t i) const {
    return std::any_of(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(i),
                       [&](const FoundPhrase& before) { return before.which == found_[i].which; });
  }

  std::size_t longest_;
  double share_, weight_, each_;
  std::vector<FoundPhrase> found_;
};

std::unique_ptr<DocumentJudge> judge_documents(const Parameters& set) { return std::make_unique<Judge>(set); }

}  // namespace

extern const Rule kBoilerplate;
const Rule kBoilerplate{
    .name = "boilerplate",
    .family = "data",
    .title_en = "placeholder text, or a page of nothing but a banner, an error or a menu",
    .title_zh = "占位文本，或只有横幅、错误提示、菜单的页面",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {{"longest", "bytes", 2000, 100, 1e6, "a longer page has something of its own to say"},
                   {"share", "of the document", 0.1, 0, 1,
                    "an article about typography quotes one line of placeholder text"},
                   {"weight", "points", 3, 1, 100,
                    "one phrase that says alone what the page is, or two that are telling"},
                   {"each", "bytes", 800, 50, 1e6,
                    "one more point for each: prose that mentions a phrase in passing has no more"}},
    .sentences = {{"placeholder", "{bytes} bytes of placeholder text (lorem ipsum)",
                   "{bytes} 字节占位文本（lorem ipsum）"},
                  {"cookies", "a cookie banner: {count} of its phrases", "Cookie 提示：{count} 处惯用语"},
                  {"script", "a page that asks for JavaScript: {count} of its phrases",
                   "要求启用 JavaScript 的页面：{count} 处惯用语"},
                  {"parked", "a parked domain or an empty site: {count} of its phrases",
                   "停放的域名或空站点：{count} 处惯用语"},
                  {"missing", "an error page: {count} of its phrases", "错误页面：{count} 处惯用语"},
                  {"terms", "rights and terms only: {count} of their phrases", "仅含版权与条款：{count} 处惯用语"},
                  {"navigation", "a menu without a text: {count} of its phrases", "只有菜单而无正文：{count} 处惯用语"},
                  {"do", "drop the documents; placeholder text also marks templates: look at their source",
                   "删除这些文档；占位文本还说明来源是模板：请检查来源"}},
    .docs =
        {.finds =
             "Placeholder text, and short pages of which a cookie banner, an error, a request for JavaScript, a domain "
             "for "
             "sale, terms or a menu is all there is. English, German, French, Spanish, Portuguese, Italian, Dutch, "
             "Russian, Chinese, Japanese and some more.",
         .matters =
             "The same page comes from millions of addresses, never quite equal, so that removing duplicates leaves "
             "many of them.",
         .decides =
             "Documents of at most `longest` bytes: phrases of a table, each with 1 to 3 points, count once, and not "
             "in quotation marks. A warning at `weight` points and one more for each `each` bytes; with a phrase "
             "of 3 points in a page of half of `each`; or when phrases are a third of the page. Half of the "
             "points are a note. Placeholder text of at least eight words, anywhere: a warning from `share` of "
             "the document on, else a note.",
         .example = "`an error page: 3 of its phrases`",
         .to_do = "Drop the documents. Placeholder text also marks templates and demonstrations: look at their source.",
         .false_alarms = "Short texts about web pages; manuals that quote messages.",
         .references =
             "Raffel et al., Exploring the Limits of Transfer Learning (C4), 2020: policy lines, JavaScript, lorem "
             "ipsum."},
    .judge_documents = judge_documents,
    .harm = {0.15, "sound sentences that nobody wants to train on"}};

}  // namespace assay
