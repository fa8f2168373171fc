#pragma once
// Sections of a report on a terminal.

#include <cstddef>
#include <string>

#include "assay/report.h"
#include "report/page.h"

namespace assay {

/// most: rows of a table that are shown, with a line that tells of the others; 0: all.
void print_section(Page& page, int indent, const Section& section, std::size_t most = 0);

/// A cell as people read it.
std::string shown(const Cell& cell, Language language);
/// The code that the bits of a pattern write: "0x2e66".
std::string hexadecimal(const BitPattern& pattern);

}  // namespace assay
