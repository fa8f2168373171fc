#pragma once
// Words that have lost a ligature where a program took text out of a PDF file.

#include <cstddef>
#include <string_view>

#include "measure/text/extraction.h"

namespace assay {

/// The first word from `at` to `end` that has lost its ligature (fi, fl, ff, ffi): "signi cant", "e cient", "rst"
/// behind a blank. Count 0: none.
Residue next_lost_ligature(std::string_view text, std::size_t at, std::size_t end);

}  // namespace assay
