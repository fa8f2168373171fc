#pragma once
// The documentation of rules on a terminal.

#include <string_view>

#include "report/page.h"

namespace assay {

/// Prints Markdown: paragraphs, lists, tables and blocks of code; headings and emphasis lose their marks, `code`
/// stands in quotes. Enough for the rules' documentation, not a Markdown reader.
void print_markdown(Page& page, int indent, std::string_view markdown);

}  // namespace assay
