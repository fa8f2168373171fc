#pragma once
// What the text of a setting says: a number, a flag, a length in some unit, or nothing.

#include <optional>
#include <string>
#include <string_view>

#include "core/setting_table.h"

namespace assay {

/// The number that a scalar of a configuration stands for: "739_328", "1.e-5", "+3e-4", "1e-4" (a string in YAML 1.1),
/// ".5", ".inf". Nothing for "1:30", "2,5", "10%".
std::optional<double> config_number(std::string_view text);

/// The same number in the plain form that Setting::number() reads; the text itself where it already has it.
std::optional<std::string> plain_number(std::string_view text);

/// true, True, yes, on, 1 — and their opposites.
std::optional<bool> config_flag(std::string_view text);

/// "None", "null", "auto", an empty text: the program decides.
bool is_unset(std::string_view text);
/// "auto": said, and not known before the program decides.
bool is_automatic(std::string_view text);

/// The items of "[a, b]", "(a, b)" or "a, b"; one item where there is no list.
std::string_view list_item(std::string_view text, std::size_t index);

/// A length with its unit: "100ba", "2e12T", "1ep", "0.1dur", "30000tok" (Composer), "5000" (unit empty).
struct Duration {
  std::string number;     // plain
  std::string_view unit;  // as one of "steps", "samples", "tokens", "epochs", "fraction", "seconds", or empty
};
std::optional<Duration> config_duration(std::string_view text);
/// A unit that stands in a field of its own ("steps", "tokens", "ba").
std::string_view duration_unit(std::string_view word);

/// The text of a setting of this kind in its canonical form; "None" where it is unset, also by -1, which says
/// "off" or "derive" in all frameworks but for a seed. Other negative numbers stay, to be seen.
std::string canonical_value(ValueKind kind, std::string_view text);

}  // namespace assay
