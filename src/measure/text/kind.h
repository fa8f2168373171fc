#pragma once
// What kind of text a document is: prose, code and in which language, mathematics, a table.

#include <cstdint>
#include <string_view>

#include "assay/text.h"
#include "measure/text/survey.h"

namespace assay {

enum class TextKind : std::uint8_t {
  kProse,
  kDialogue,
  kMarkup,  // Markdown, wiki text, manual pages: prose with marks
  kList,    // items with bullets or numbers
  kMaths,   // prose with many formulas
  kLatex,
  kTable,  // CSV, TSV, a table in Markdown, columns of numbers
  kHtml,   // and XML
  kJson,
  kYaml,  // and INI, TOML
  kCss,
  kPython,
  kC,           // and C++
  kJava,        // and C#, Kotlin, Scala
  kJavaScript,  // and TypeScript
  kGo,
  kRust,
  kShell,
  kSql,
  kPerl,
  kAssembly,
  kOtherCode,  // code by its marks, of another language
  kOther,
};
inline constexpr std::size_t kTextKinds = 23;

/// Stable, for JSON: "javascript".
std::string_view key_of(TextKind kind);
Text name_of(TextKind kind);

/// Written by people for people: it has a language.
bool is_text(TextKind kind);

/// Looks at a window from the middle of the text. Precondition: `survey` is of this text.
TextKind kind_of_text(std::string_view text, const TextSurvey& survey);

}  // namespace assay
