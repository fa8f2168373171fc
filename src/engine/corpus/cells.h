#pragma once
// What the tables of a corpus are made of.

#include <cstdint>
#include <string>

#include "assay/report.h"

namespace assay {

/// Shown as "1.2 %"; the number is in per cent.
Cell percent_cell(double percent);
Cell share_cell(std::uint64_t part, std::uint64_t all);
/// Of an estimate in thousandths of a token: shown as "1.2 M".
Cell tokens_cell(std::uint64_t thousandths);
/// Ten blocks for all, of as many as the share is.
Cell bar_cell(std::uint64_t part, std::uint64_t all);

/// The same as text: an estimate has no more digits than it deserves.
std::string tokens_text(std::uint64_t thousandths);

/// Of numbers on the right, of words on the left. A hidden one is for scripts: a line of a terminal has no room for it.
TableColumn number_column(std::string key, Text title);
TableColumn word_column(std::string key, Text title);
TableColumn hidden(TableColumn column);

}  // namespace assay
