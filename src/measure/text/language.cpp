// The language of a text.
//
// What: one language for a document, told by the least that tells it:
// 1. A script that one language alone writes: Greek, Thai, Hangul, kana. Nothing but the counts of scripts is needed.
// 2. English, by its function words: of the words of the window, at least kEnglishShare are among the most frequent
//    ones of English. English prose has 30 to 50 % of them; its nearest relatives in the UDHR (Scots, Nigerian Pidgin)
//    stay below a quarter. This is here because CLD2 costs about 15 us a document whatever its length, as much as all
//    else that is asked of a document of 4 kB, and most corpora are English for the larger part.
// 3. CLD2 (where it was there when assay was built): quadgrams of letters by naive Bayes, about 80 languages.
// Anything else is unknown: where CLD2 says itself that it is not sure, a code that is in no list, a text with too few
// letters. Unknown is an answer, and counted as one.
//
// Window: kWindow bytes from the middle, at boundaries of characters: beginnings have titles, dates and menus. Longer
// windows do not tell more: of the 144 translations of the UDHR in the languages that CLD2 names, 76 are told from 256
// bytes and 79 from 1,024 (most of the others are in none of its tables); of English, Russian and German all.
//
// Source: github.com/CLD2Owners/cld2; the list of words: the most frequent of any English text. Limits: one language a
// document; close languages (Bosnian, Croatian, Serbian; Malay, Indonesian; Bokmål, Nynorsk) are told apart badly by
// any method from a few hundred bytes; code and tables have a language only by what people wrote in them, so kinds that
// are no text are not asked (nature.cpp).

#include "measure/text/language.h"

#include <algorithm>
#include <array>
#include <cstdio>  // CLD2's header wants it
#include <iterator>

#include "measure/text/ascii_classes.h"
#include "measure/text/languages.h"

#ifdef ASSAY_CLD2
#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
#endif

namespace assay {

namespace {

constexpr std::size_t kWindow = 512;      // bytes
constexpr std::size_t kLeastLetters = 8;  // a name or an answer of one word has no language that could be told
constexpr unsigned kLeastWords = 12;      // for English by its words
constexpr unsigned kEnglishShare = 30;    // percent of the words

// Latin, Cyrillic, Arabic, Devanagari, Han, Ethiopic, Hebrew, Bengali, Tibetan write several languages.
std::string_view language_alone(Script script) {
  switch (script) {
    case Script::kGreek: return "el";
    case Script::kArmenian: return "hy";
    case Script::kGeorgian: return "ka";
    case Script::kGurmukhi: return "pa";
    case Script::kGujarati: return "gu";
    case Script::kOdia: return "or";
    case Script::kTamil: return "ta";
    case Script::kTelugu: return "te";
    case Script::kKannada: return "kn";
    case Script::kMalayalam: return "ml";
    case Script::kSinhala: return "si";
    case Script::kThai: return "th";
    case Script::kLao: return "lo";
    case Script::kMyanmar: return "my";
    case Script::kKhmer: return "km";
    case Script::kMongolian: return "mn";
    case Script::kKana: return "ja";
    case Script::kHangul: return "ko";
    default: return {};
  }
}

std::string_view window_of(std::string_view text) {
  if (text.size() <= kWindow) return text;
  const auto is_inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  std::size_t first = (text.size() - kWindow) / 2;
  std::size_t last = first + kWindow;
  while (is_inside(first)) ++first;
  while (is_inside(last)) --last;
  return last > first ? text.substr(first, last - first) : std::string_view();
}

// Only words that no other large language in Latin script shares in numbers.
constexpr std::string_view kEnglishWords[] = {
    "a",    "an",   "and",  "are",   "as",    "at",   "be",    "been",  "but",   "by",   "can", "could",
    "for",  "from", "had",  "has",   "have",  "he",   "her",   "his",   "how",   "if",   "in",  "is",
    "it",   "its",  "may",  "more",  "not",   "of",   "on",    "or",    "our",   "she",  "so",  "some",
    "than", "that", "the",  "their", "them",  "then", "there", "these", "they",  "this", "to",  "was",
    "we",   "were", "what", "when",  "which", "who",  "will",  "with",  "would", "you",  "your"};

constexpr std::size_t kMostLetters = 5;

// A word of so many letters as a number: letters are numbers of five bits, whatever their case.
constexpr std::uint32_t number_of(std::string_view word) {
  std::uint32_t out = 0;
  for (const char c : word) out = out << 5 | (static_cast<unsigned char>(c) & 31U);
  return out;
}

// The words by their numbers; 0: the place is empty.
constexpr std::size_t kSlots = 256;
constexpr std::size_t slot_of(std::uint32_t number) { return (number * 0x9E37'79B1U) >> 24; }
constexpr std::array<std::uint32_t, kSlots> kEnglish = [] {
  std::array<std::uint32_t, kSlots> out{};
  for (const std::string_view word : kEnglishWords) {
    std::size_t slot = slot_of(number_of(word));
    while (out[slot] != 0) slot = (slot + 1) % kSlots;
    out[slot] = number_of(word);
  }
  return out;
}();

bool is_english_word(std::string_view word) {
  if (word.size() > kMostLetters) return false;
  const std::uint32_t number = number_of(word);
  std::size_t slot = slot_of(number);
  while (kEnglish[slot] != 0 && kEnglish[slot] != number) slot = (slot + 1) % kSlots;
  return kEnglish[slot] != 0;
}

bool is_english(std::string_view window) {
  unsigned words = 0, known = 0;
  for (std::size_t at = 0; at < window.size();) {
    if (!is_ascii(window[at], kAsciiLetter)) {
      ++at;
      continue;
    }
    std::size_t last = at;
    while (last < window.size() && is_ascii(window[last], kAsciiLetter)) ++last;
    ++words;
    known += is_english_word(window.substr(at, last - at)) ? 1 : 0;
    at = last;
  }
  return words >= kLeastWords && 100 * known >= kEnglishShare * words;
}

#ifdef ASSAY_CLD2

// CLD2 keeps the codes of its time.
std::string_view code_today(std::string_view code) {
  if (code == "iw") return "he";
  if (code == "jw") return "jv";
  return code == "nn" ? "no" : code;
}

LanguageId asked(std::string_view window) {
  const CLD2::CLDHints none = {nullptr, nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  CLD2::Language languages[3];
  int percent[3];
  double scores[3];
  int bytes = 0;
  bool reliable = false;
  const CLD2::Language found =
      CLD2::ExtDetectLanguageSummary(window.data(), static_cast<int>(window.size()), true, &none, 0, languages, percent,
                                     scores, nullptr, &bytes, &reliable);
  return reliable ? language_with_code(code_today(CLD2::LanguageCode(found))) : kUnknownLanguage;
}

#else

LanguageId asked(std::string_view) { return kUnknownLanguage; }

#endif

}  // namespace

std::string_view key_of_language(LanguageId language) { return languages()[language].code; }

Text name_of_language(LanguageId language) {
  const LanguageName& name = languages()[language];
  return {std::string(name.en), std::string(name.zh)};
}

LanguageId language_with_code(std::string_view code) {
  const auto known = languages();
  const auto found = std::lower_bound(known.begin() + 1, known.end(), code,
                                      [](const LanguageName& a, std::string_view b) { return a.code < b; });
  if (found == known.end() || found->code != code) return kUnknownLanguage;
  return static_cast<LanguageId>(found - known.begin());
}

bool tells_languages() {
#ifdef ASSAY_CLD2
  return true;
#else
  return false;
#endif
}

LanguageId language_of(std::string_view text, const ScriptCounts& counts) {
  const Script script = main_script(counts);
  std::uint64_t letters = 0;
  for (std::size_t i = 1; i < kScripts; ++i) letters += counts.characters[i];
  const bool ideographs = script == Script::kHan || script == Script::kKana || script == Script::kHangul;
  if (letters < (ideographs ? kLeastLetters / 2 : kLeastLetters)) return kUnknownLanguage;
  if (const std::string_view alone = language_alone(script); !alone.empty()) return language_with_code(alone);
  const std::string_view window = window_of(text);
  if (script == Script::kLatin && is_english(window)) return language_with_code("en");
  return asked(window);
}

}  // namespace assay
