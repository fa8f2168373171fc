#pragma once
// In which scripts a text is written: how many of its characters belong to each.

#include <array>
#include <cstdint>
#include <string_view>

#include "assay/text.h"
#include "measure/text/survey.h"

namespace assay {

enum class Script : std::uint8_t {
  kCommon,  // digits, punctuation, blanks, symbols, emoji: of no script
  kLatin,
  kCyrillic,
  kGreek,
  kArmenian,
  kGeorgian,
  kHebrew,
  kArabic,
  kDevanagari,
  kBengali,
  kGurmukhi,
  kGujarati,
  kOdia,
  kTamil,
  kTelugu,
  kKannada,
  kMalayalam,
  kSinhala,
  kThai,
  kLao,
  kTibetan,
  kMyanmar,
  kKhmer,
  kMongolian,
  kEthiopic,
  kHan,
  kKana,
  kHangul,
  kOther,  // a script of which few models see much: Cherokee, Yi, Syriac, Runic, …
};
inline constexpr std::size_t kScripts = 29;

struct ScriptCounts {
  std::array<std::uint64_t, kScripts> characters = {};
  std::array<std::uint64_t, kScripts> bytes = {};

  std::uint64_t of(Script script) const { return characters[static_cast<std::size_t>(script)]; }
};

/// Stable, for JSON: "latin".
std::string_view key_of(Script script);
Text name_of(Script script);

/// By Unicode block.
Script script_of(char32_t code);

/// Precondition: `survey` is of this text. ASCII costs nothing: the survey has counted it.
void count_scripts(std::string_view text, const TextSurvey& survey, ScriptCounts& out);

/// The script with the most characters; kCommon where the text has no letter. Han with some kana is Japanese, and
/// counts as kana: Japanese text has often more ideographs than kana.
Script main_script(const ScriptCounts& counts);

}  // namespace assay
