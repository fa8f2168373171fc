#pragma once
// Numbers as people and programs write them into tables.

#include <optional>
#include <string_view>

namespace assay {

/// The number that a cell holds: blanks around it, a sign, nan and inf in every spelling (C, Python, JavaScript, MSVC),
/// thousands ("12,345.6"), a per cent sign. decimal_comma: "2,5" is 2.5. Too large is infinite, too small zero.
std::optional<double> parse_number(std::string_view cell, bool decimal_comma = false);

/// Spellings of "there is no value": an empty cell, None, null, NA, a dash, …
bool is_no_value(std::string_view cell);

std::string_view trimmed(std::string_view text);

}  // namespace assay
