#pragma once
// In which language a text is written.

#include <cstdint>
#include <string_view>

#include "assay/text.h"
#include "measure/text/script.h"

namespace assay {

/// A place in the list of languages; 0: unknown.
using LanguageId = std::uint16_t;
inline constexpr LanguageId kUnknownLanguage = 0;

/// Stable, for JSON: ISO 639 code ("en", "zh", "zh-Hant"); "unknown".
std::string_view key_of_language(LanguageId language);
Text name_of_language(LanguageId language);
/// kUnknownLanguage where no language has this code.
LanguageId language_with_code(std::string_view code);

/// Whether a library for the languages that share a script was there when assay was built. Without it only those are
/// told that have a script of their own.
bool tells_languages();

/// Looks at a window from the middle of the text. Precondition: text is UTF-8; `counts` are of this text.
LanguageId language_of(std::string_view text, const ScriptCounts& counts);

}  // namespace assay
