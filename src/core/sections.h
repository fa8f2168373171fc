#pragma once
// What sections of a report are made of: sentences, cells, shares.

#include <cstdint>
#include <string>
#include <string_view>

#include "assay/report.h"
#include "assay/text.h"

namespace assay {

/// A sentence in both languages.
Text filled(std::string_view en, std::string_view zh, const Values& values);
/// A word that is the same in both.
Text both(std::string text);
/// Lines one under the other.
void add_line(Text& text, const Text& line);

/// A cell: a number with its text; a word; nothing.
Cell cell(double value, std::string text = {});
Cell cell(std::string word, Text text = {});
Cell count_cell(std::uint64_t count);

}  // namespace assay
