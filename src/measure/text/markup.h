#pragma once
// Markup that was left in a text: HTML, MediaWiki, BBCode.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "measure/text/survey.h"

namespace assay {

/// Tags, scripts or marks that stand close to each other.
struct MarkupStretch {
  std::size_t offset = 0;  // bytes of the text
  std::size_t length = 0;
  std::size_t marks = 0;
  std::size_t bytes = 0;  // of the marks alone
};

struct HtmlCounts {
  std::size_t tags = 0;         // of HTML
  std::size_t tag_bytes = 0;    // with their scripts and styles
  std::size_t layout_tags = 0;  // div, span, li, td, nav, form, … and all with class=, style=, onclick=
  std::size_t shell_tags = 0;   // !doctype, html, head, meta, link, title, body
  std::size_t scripts = 0;      // script and style elements
  std::size_t other_tags = 0;   // of no HTML: XML, generics
  std::size_t source = 0;       // signs that a program makes or holds the page: className=, <?php, {{ }}, {% %}
  std::vector<MarkupStretch> stretches = {};
};
void count_html(std::string_view text, HtmlCounts& out);

struct WikiCounts {
  std::size_t marks = 0;
  std::size_t kinds = 0;  // links, files and categories, templates, tables, bold, references, headings
  MarkupStretch all = {};
};
WikiCounts count_wiki(std::string_view text);

struct BbcodeCounts {
  std::size_t opened = 0;
  std::size_t closed = 0;
  MarkupStretch all = {};
};
BbcodeCounts count_bbcode(std::string_view text);

}  // namespace assay
