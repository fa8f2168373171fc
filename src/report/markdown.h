#pragma once
// The documentation of rules on a terminal.

#include <string_view>

#include "report/page.h"

namespace assay {

/// Prints Markdown: paragraphs, lists, tables and blocks of code; `code` and emphasis lose their marks where colours
/// show them, and headings lose theirs. Enough for the rules' documentation, not a Markdown reader.
void print_markdown(Page& page, int indent, std::string_view markdown);

}  // namespace assay
