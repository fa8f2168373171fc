// Markup where text should be. How it is counted: measure/text/markup.cpp.
//
// NeMo keeps an HTML page when a fifth of it is visible text; that is a filter for code. As text, a page of which a
// quarter is layout is not extracted. Tags that Markdown allows (a picture, a line break, a centred title) stay below:
// layout tags are asked for, eight of them, or the shell of a page (doctype, head, meta) with a script or a style.
// Pages that a program makes or holds (React, PHP, templates) are source code: a note. MediaWiki and BBCode: one mark
// in 150 bytes, and two kinds of marks or closed pairs, as each mark alone has other meanings.

#include <algorithm>
#include <memory>
#include <utility>

#include "measure/text/markup.h"
#include "rules/rule.h"

namespace assay {

namespace {

class Judge final : public DocumentJudge {
 public:
  explicit Judge(const Parameters& set) : share_(set["share"]), tags_(set["tags"]), between_(set["between"]) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const TextSurvey& survey = document.survey;
    if (survey.of('<') >= 4 && survey.of('>') >= 4) judge_html(document, out);
    if (!out.found().empty()) return;
    const bool brackets = survey.of('[') >= 4 && survey.of(']') >= 4;
    if (brackets || (survey.of('{') >= 4 && survey.of('|') >= 4)) judge_wiki(document, out);
    if (brackets && out.found().empty()) judge_bbcode(document, out);
  }

 private:
  void judge_html(const SurveyedDocument& document, DocumentHits& out) {
    const std::string_view text = document.text();
    count_html(text, html_);
    if (html_.tags < 4) return;
    const double size = static_cast<double>(text.size()) - static_cast<double>(document.survey.blanks) / 2;
    const double share = static_cast<double>(html_.tag_bytes) / size;
    const auto layout = static_cast<double>(html_.layout_tags);
    const bool page = html_.shell_tags >= 3 && (html_.scripts > 0 || layout >= tags_ || share >= share_);
    const bool pieces = layout >= tags_ && share >= share_;
    // Little else than tags, however few there are.
    const bool bare = layout >= 4 && share >= 0.5;
    const bool source = html_.source >= 2 || html_.other_tags > html_.tags;
    const bool bad = (page || pieces || bare) && !source;
    if (!bad && layout < 4 && html_.scripts == 0) return;
    std::ranges::sort(html_.stretches, [](const auto& a, const auto& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.offset < b.offset;
    });
    for (const MarkupStretch& stretch : html_.stretches) {
      if (stretch.marks < 2 && stretch.bytes < 40) continue;
      out.add({.offset = stretch.offset,
               .length = stretch.length,
               .severity = bad ? Severity::kWarning : Severity::kNote,
               .confidence = !bad                   ? 0.5
                             : page || share >= 0.4 ? 0.9
                                                    : 0.8,
               .reason = {page ? "page" : "tags",
                          {{"tags", html_.tags}, {"share", Value(100 * std::min(share, 1.0), Unit::kPercent)}}}});
    }
  }

  void judge_wiki(const SurveyedDocument& document, DocumentHits& out) {
    const WikiCounts wiki = count_wiki(document.text());
    if (wiki.marks < 4 || wiki.kinds < 2) return;
    const bool dense = static_cast<double>(wiki.marks) * between_ >= static_cast<double>(wiki.all.length);
    report(wiki.all, dense && wiki.marks >= 5, "wiki", wiki.marks, out);
  }

  void judge_bbcode(const SurveyedDocument& document, DocumentHits& out) {
    const BbcodeCounts codes = count_bbcode(document.text());
    if (codes.opened < 2 || codes.closed < 2) return;
    const std::size_t marks = codes.opened + codes.closed;
    const bool dense = static_cast<double>(marks) * between_ >= static_cast<double>(codes.all.length);
    report(codes.all, dense && codes.closed >= 3, "bbcode", marks, out);
  }

  static void report(const MarkupStretch& all, bool bad, const char* sentence, std::size_t marks, DocumentHits& out) {
    out.add({.offset = all.offset,
             .length = all.length,
             .severity = bad ? Severity::kWarning : Severity::kNote,
             .confidence = bad ? 0.8 : 0.5,
             .reason = {sentence, {{"marks", marks}}}});
  }

  double share_, tags_, between_;
  HtmlCounts html_;
};

std::unique_ptr<DocumentJudge> judge_documents(const Parameters& set) { return std::make_unique<Judge>(set); }

}  // namespace

extern const Rule kMarkupResidue;
const Rule kMarkupResidue{
    .name = "markup-residue",
    .family = "data",
    .title_en = "markup left in the text",
    .title_zh = "文本中残留标记",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {{"share", "of the document", 0.25, 0.01, 1,
                    "tags, scripts and styles; a README with pictures and a table has up to 20 %"},
                   {"tags", "tags", 8, 1, 1e6, "of layout; Markdown with some HTML has two or three"},
                   {"between", "bytes", 150, 10, 1e6,
                    "from one mark of MediaWiki or BBCode to the next; an article has one in 60 to 100 bytes"}},
    .sentences = {{"page", "an HTML page: {tags} tags, with scripts and styles {share} of the document",
                   "HTML 页面：{tags} 个标签，连同脚本和样式占文档的 {share}"},
                  {"tags", "{tags} HTML tags, {share} of the document", "{tags} 个 HTML 标签，占文档的 {share}"},
                  {"wiki", "{marks} marks of MediaWiki", "{marks} 处 MediaWiki 标记"},
                  {"bbcode", "{marks} marks of BBCode", "{marks} 处 BBCode 标记"},
                  {"do", "extract the text of these pages again, or drop what cannot be extracted",
                   "重新抽取这些页面的正文，抽取不了的删除"}},
    .docs =
        {.finds =
             "HTML pages and pieces of them, inline scripts and styles, MediaWiki and BBCode in what should be text.",
         .matters =
             "Half of the tokens are layout, the same on all pages of a site; the model learns to write it between "
             "sentences.",
         .decides =
             "HTML: a warning with at least `tags` layout tags (div, span, li, td, forms, or with class=, style=, "
             "onclick=) "
             "where tags with scripts and styles are `share` of the document, with three tags of a page's shell and a "
             "script, a style or layout, or where little else is there. XML, and pages with signs of a program "
             "(className=, "
             "<?php, {{ }}, {% %}), are a note. MediaWiki: at least five marks of two kinds; BBCode: at least three "
             "closed "
             "pairs; both with one mark in `between` bytes. What is less is a note.",
         .example = "`an HTML page: 214 tags, with scripts and styles 71.3 % of the document`",
         .to_do = "Extract the text again (trafilatura, resiliparse), or drop what cannot be extracted.",
         .false_alarms = "Corpora of code that want HTML files: switch the rule off there.",
         .references =
             "NVIDIA NeMo Curator (visible text of HTML). Penedo et al., The FineWeb Datasets, 2024 (extraction)."},
    .judge_documents = judge_documents,
    .harm = {0.3, "layout between sound sentences, easily foretold"}};

}  // namespace assay
