#pragma once
// Rows of tables: which of a line's numbers are cells.

#include "format/lines/shape.h"

namespace assay::lines {

/// A line of numbers and separators, behind what a launcher puts there; message: where that ends.
bool find_cells(const Tokenised& tokens, const char* message, Meaning& out);
/// "31/1000  6.73G  1.235  0.5911  640: 100%|███| 16/16 [": a row that is drawn anew with each batch of its epoch.
bool find_cells_before_bar(const Tokenised& tokens, Meaning& out);

}  // namespace assay::lines
