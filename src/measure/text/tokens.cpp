// Tokens estimated from scripts and kind.
//
// What: tokens per character of each script for text, tokens per byte for code and data, summed up. For a first
// question of scale (how many tokens a source holds, whether it is 1 % or 10 % of the corpus) that is enough, and it
// costs nothing; a count needs the tokenizer itself.
//
// Source: measured with o200k_base, a vocabulary of 200,000 tokens trained on many languages. Text: 4,000 characters of
// each translation of the UDHR, all characters counted, so that a rate has its share of blanks and punctuation; code
// and data: 40 files of 6,000 bytes each from a Debian system (Python, C, Perl, JavaScript, Go, shell, SQL, CSS, HTML,
// YAML, assembly, CSV). English is 0.18 tokens a character in the UDHR and 0.27 in licences; 0.22 lies between.
//
// Error: Latin languages other than English lie from 0.20 (Spanish) to 0.33 (Czech, Hungarian), Vietnamese at 0.53; a
// vocabulary of 100,000 tokens (cl100k_base) gives the same for English and code, 1.3 times as many for other Latin and
// for Han, 1.8 times for Cyrillic, 2 to 5 times for Arabic, Hebrew, Greek and Indic scripts. So: a quarter for English,
// code and Chinese with today's vocabularies, a factor for the rest where the vocabulary is small. Scripts that could
// not be measured (Odia, Mongolian, Cherokee) have the rate of bytes that no merge covers, about 2 a character.

#include "measure/text/tokens.h"

namespace assay {

namespace {

constexpr std::uint64_t kEnglish = 220;  // thousandths of a token a character

constexpr std::uint64_t per_character(Script script) {
  switch (script) {
    case Script::kCommon: return 270;
    case Script::kLatin: return 270;
    case Script::kCyrillic: return 300;
    case Script::kGreek: return 340;
    case Script::kArmenian: return 280;
    case Script::kGeorgian: return 285;
    case Script::kHebrew: return 385;
    case Script::kArabic: return 305;
    case Script::kDevanagari: return 295;
    case Script::kBengali: return 340;
    case Script::kGurmukhi: return 490;
    case Script::kGujarati: return 335;
    case Script::kTamil: return 345;
    case Script::kTelugu: return 470;
    case Script::kKannada: return 385;
    case Script::kMalayalam: return 335;
    case Script::kSinhala: return 545;
    case Script::kThai: return 425;
    case Script::kLao: return 1815;
    case Script::kTibetan: return 1495;
    case Script::kMyanmar: return 510;
    case Script::kKhmer: return 610;
    case Script::kEthiopic: return 1990;
    case Script::kHan: return 820;
    case Script::kKana: return 865;
    case Script::kHangul: return 565;
    case Script::kOdia:
    case Script::kMongolian:
    case Script::kOther: break;
  }
  return 2000;
}

// Of ASCII in code and data; 0: text, which goes by its script.
constexpr std::uint64_t per_byte(TextKind kind) {
  switch (kind) {
    case TextKind::kLatex: return 280;
    case TextKind::kTable: return 395;
    case TextKind::kHtml: return 300;
    case TextKind::kJson: return 335;
    case TextKind::kYaml: return 230;
    case TextKind::kCss: return 300;
    case TextKind::kPython: return 285;
    case TextKind::kC:
    case TextKind::kJava: return 270;
    case TextKind::kJavaScript: return 340;
    case TextKind::kGo: return 300;
    case TextKind::kRust: return 235;
    case TextKind::kShell: return 315;
    case TextKind::kSql: return 270;
    case TextKind::kPerl: return 305;
    case TextKind::kAssembly: return 455;
    case TextKind::kOtherCode: return 300;
    default: return 0;
  }
}

}  // namespace

TokenEstimate estimate_tokens(const ScriptCounts& counts, TextKind kind, LanguageId language) {
  const std::uint64_t of_kind = per_byte(kind);
  const bool english = language != kUnknownLanguage && key_of_language(language) == "en";
  const std::uint64_t latin = of_kind != 0 ? of_kind : english ? kEnglish : per_character(Script::kLatin);
  const Script main = main_script(counts);
  TokenEstimate out{};
  for (std::size_t i = 0; i < kScripts; ++i) {
    const auto script = static_cast<Script>(i);
    std::uint64_t rate = script == Script::kLatin ? latin : per_character(script);
    // Blanks and punctuation were measured with the text that they stand in.
    if (script == Script::kCommon) rate = of_kind != 0 || main == Script::kLatin ? latin : per_character(main);
    out[i] = counts.characters[i] * rate;
  }
  return out;
}

}  // namespace assay
