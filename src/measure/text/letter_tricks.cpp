// Words that are not what they look like.
//
// Homoglyphs: Cyrillic and Greek have letters that look like Latin ones. A word is suspicious when it has letters of
// two of these scripts and all those of the script with fewer are of the look-alikes: a Latin stem with a Russian
// ending has others, too, and so do units (μm, kΩ) and formulas.
//
// Upside down: some twenty letters of the phonetic alphabet and of its neighbours look like turned ones. Transcriptions
// use them, too, but not the turned t and the turned e of U+01DD together, and not as one letter in six.
//
// Styled letters: alphabets that Unicode has for formulas, circled, full-width and small capitals, three or more in a
// row. In formulas they stand alone.
//
// Glitch tokens: names that got a token of their own from texts that the models then hardly saw (user names of a forum
// that counted to infinity, fields of a shop's pages); lists of them are tests of models, not text.

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "measure/text/ascii_classes.h"
#include "measure/text/gibberish.h"

namespace assay {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// A letter of Cyrillic or Greek and the Latin one that looks like it.
constexpr Pair kCyrillicPairs[] = {{"а", "a"}, {"е", "e"}, {"о", "o"}, {"р", "p"}, {"с", "c"}, {"у", "y"},
                                   {"х", "x"}, {"і", "i"}, {"ј", "j"}, {"ѕ", "s"}, {"һ", "h"}, {"ԁ", "d"},
                                   {"ԛ", "q"}, {"ԝ", "w"}, {"к", "k"}, {"А", "A"}, {"В", "B"}, {"Е", "E"},
                                   {"К", "K"}, {"М", "M"}, {"Н", "H"}, {"О", "O"}, {"Р", "P"}, {"С", "C"},
                                   {"Т", "T"}, {"У", "Y"}, {"Х", "X"}, {"І", "I"}, {"Ј", "J"}, {"Ѕ", "S"}};
constexpr Pair kGreekPairs[] = {{"ο", "o"}, {"ν", "v"}, {"α", "a"}, {"ι", "i"}, {"ρ", "p"}, {"κ", "k"}, {"υ", "u"},
                                {"Α", "A"}, {"Β", "B"}, {"Ε", "E"}, {"Ζ", "Z"}, {"Η", "H"}, {"Ι", "I"}, {"Κ", "K"},
                                {"Μ", "M"}, {"Ν", "N"}, {"Ο", "O"}, {"Ρ", "P"}, {"Τ", "T"}, {"Υ", "Y"}, {"Χ", "X"}};

enum class Script : std::uint8_t { kNone, kLatin, kCyrillic, kGreek };

struct Letter {
  Script script = Script::kNone;
  std::size_t length = 1;
};

Letter letter_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {is_ascii(text[at], kAsciiLetter) ? Script::kLatin : Script::kNone, 1};
  if (at + 1 >= text.size()) return {};
  const auto next = static_cast<unsigned char>(text[at + 1]);
  if (lead >= 0xD0 && lead <= 0xD4) return {Script::kCyrillic, 2};
  if (lead == 0xCE || lead == 0xCF) return {Script::kGreek, 2};
  // Accented Latin letters, less the two signs among them.
  if (lead >= 0xC3 && lead <= 0xC9)
    return {lead == 0xC3 && (next == 0x97 || next == 0xB7) ? Script::kNone : Script::kLatin, 2};
  return {Script::kNone, lead < 0xE0 ? std::size_t{2} : lead < 0xF0 ? std::size_t{3} : std::size_t{4}};
}

// What stands for the letter in the other script; empty: nothing looks like it.
std::string_view look_alike(std::string_view letter, Script from, Script other) {
  const bool to_latin = from != Script::kLatin;
  const Script table = to_latin ? from : other;
  const auto find = [&](const auto& pairs) -> std::string_view {
    for (const Pair& pair : pairs) {
      if ((to_latin ? pair.first : pair.second) == letter) return to_latin ? pair.second : pair.first;
    }
    return {};
  };
  return table == Script::kCyrillic ? find(kCyrillicPairs) : find(kGreekPairs);
}

struct WordScripts {
  std::array<std::size_t, 4> letters = {};
  std::size_t of(Script script) const { return letters[static_cast<std::size_t>(script)]; }
  // The script with most letters, and the other one where there are exactly two.
  std::pair<Script, Script> two() const {
    const bool cyrillic = of(Script::kCyrillic) > 0;
    const bool greek = of(Script::kGreek) > 0;
    if (of(Script::kLatin) == 0 || cyrillic == greek) return {Script::kNone, Script::kNone};
    const Script other = cyrillic ? Script::kCyrillic : Script::kGreek;
    return of(Script::kLatin) >= of(other) ? std::pair{Script::kLatin, other} : std::pair{other, Script::kLatin};
  }
};

WordScripts scripts_of(std::string_view word) {
  WordScripts out;
  for (std::size_t at = 0; at < word.size();) {
    const Letter letter = letter_at(word, at);
    ++out.letters[static_cast<std::size_t>(letter.script)];
    at += letter.length;
  }
  return out;
}

bool is_disguised(std::string_view word) {
  const WordScripts scripts = scripts_of(word);
  const auto [most, few] = scripts.two();
  if (most == Script::kNone || scripts.of(most) + scripts.of(few) < 3) return false;
  for (std::size_t at = 0; at < word.size();) {
    const Letter letter = letter_at(word, at);
    if (letter.script == few && look_alike(word.substr(at, letter.length), few, most).empty()) return false;
    at += letter.length;
  }
  return true;
}

constexpr Pair kTurned[] = {{"ɐ", "a"}, {"ɔ", "c"}, {"ǝ", "e"}, {"ɟ", "f"}, {"ƃ", "g"}, {"ɥ", "h"}, {"ᴉ", "i"},
                            {"ı", "i"}, {"ɾ", "j"}, {"ʞ", "k"}, {"ɯ", "m"}, {"ɹ", "r"}, {"ʇ", "t"}, {"ʌ", "v"},
                            {"ʍ", "w"}, {"ʎ", "y"}, {"˙", "."}, {"˥", "L"}, {"∀", "A"}, {"Ǝ", "E"}, {"┴", "T"},
                            {"¿", "?"}, {"¡", "!"}, {"‾", "_"}, {"Ɩ", "1"}, {"Ɔ", "C"}, {"ן", "l"}, {"q", "b"},
                            {"p", "d"}, {"u", "n"}, {"d", "p"}, {"b", "q"}, {"n", "u"}, {"M", "W"}, {"W", "M"},
                            {"'", ","}, {",", "'"}, {"(", ")"}, {")", "("}, {"6", "9"}, {"9", "6"}};
constexpr std::size_t kTurnedLetters = 16;  // the first ones: what is no letter of English

std::size_t length_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(length, text.size() - at);
}

char32_t code_at(std::string_view text, std::size_t at) {
  const std::size_t length = length_at(text, at);
  auto code = static_cast<char32_t>(static_cast<unsigned char>(text[at]));
  if (length > 1) code &= 0x7FU >> length;
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  return code;
}

bool is_styled(char32_t code) {
  return (code >= 0x1D400 && code <= 0x1D7CB) || (code >= 0xFF21 && code <= 0xFF5A) ||
         (code >= 0x24B6 && code <= 0x24E9) || (code >= 0x1F130 && code <= 0x1F189) ||
         (code >= 0x1D00 && code <= 0x1D22);
}

// The first bytes of these.
bool may_lead_styled(char c) { return c == '\xF0' || c == '\xEF' || c == '\xE2' || c == '\xE1'; }

// Published lists of tokens that GPT-2, GPT-3 and later vocabularies have and could not use.
constexpr std::string_view kGlitches[] = {
    "SolidGoldMagikarp",
    "TheNitromeFan",
    "TheNitrome",
    "RandomRedditorWithNo",
    "RandomRedditor",
    "StreamerBot",
    "TPPStreamerBot",
    "petertodd",
    "externalToEVA",
    "externalToEVAOnly",
    "externalTo",
    "rawdownload",
    "rawdownloadcloneembedreportprint",
    "cloneembedreportprint",
    "embedreportprint",
    "reportprint",
    "guiActiveUn",
    "guiActiveUnfocused",
    "guiActive",
    "unfocusedRange",
    "guiName",
    "attRot",
    "srfAttach",
    "srfN",
    "DragonMagazine",
    "InstoreAndOnline",
    "BuyableInstoreAndOnline",
    "oreAndOnline",
    "isSpecialOrderable",
    "SpecialOrderable",
    "ItemThumbnailImage",
    "channelAvailability",
    "quickShip",
    "quickShipAvailable",
    "soDeliveryDate",
    "soType",
    "inventoryQuantity",
    "PsyNetMessage",
    "PsyNet",
    "ForgeModLoader",
    "EStreamFrame",
    "EStream",
    "EngineDebug",
    "davidjl",
    "Smartstocks",
    "Mechdragon",
    "wcsstore",
    "catentry",
    "largeDownload",
    "natureconservancy",
    "assetsadobe",
    "Adinida",
    "Leilan",
    "ibliography",
    "GoldMagikarp",
    "ThumbnailImage",
    "Downloadha",
    "Mizuki",
    "Dragonbound",
    "龍喚士",
    "龍契士",
    "裏覚醒",
    "サーティワン",
    "給主人留下些什么吧",
    "给主人留下些什么吧",
    "天天中彩票",
    "日本毛片免费视频观看",
    "久久综合久久爱",
    "彩神争霸",
    "北京赛车",
    "微信公众号天天中彩票",
};

// By the first two bytes and the length: of a text's words one in ten gets past.
std::size_t filter_bit(std::string_view word) {
  return (static_cast<unsigned char>(word[0]) * 7U + static_cast<unsigned char>(word[1]) * 31U + word.size()) % 512;
}

bool is_glitch(std::string_view word) {
  static const std::array<bool, 512> kFilter = [] {
    std::array<bool, 512> out{};
    for (const std::string_view one : kGlitches) out[filter_bit(one)] = true;
    return out;
  }();
  return word.size() >= 4 && kFilter[filter_bit(word)] && std::ranges::find(kGlitches, word) != std::end(kGlitches);
}

}  // namespace

void find_homoglyphs(std::string_view text, const TextSurvey& survey, std::vector<OddStretch>& out) {
  out.clear();
  const std::size_t foreign = survey.of('\xD0') + survey.of('\xD1') + survey.of('\xD2') + survey.of('\xD4') +
                              survey.of('\xCE') + survey.of('\xCF');
  if (foreign == 0 || survey.letters == 0) return;
  std::size_t first = 0;
  unsigned seen = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const Letter letter = at < text.size() ? letter_at(text, at) : Letter{};
    if (letter.script != Script::kNone) {
      seen |= 1U << static_cast<unsigned>(letter.script);
      at += letter.length;
      continue;
    }
    // More than one script.
    if ((seen & (seen - 1)) != 0 && is_disguised(text.substr(first, at - first))) out.push_back({first, at - first, 1});
    seen = 0;
    at += letter.length;
    first = at;
  }
}

std::string without_homoglyphs(std::string_view word) {
  const auto [most, few] = scripts_of(word).two();
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    const Letter letter = letter_at(word, at);
    const std::string_view itself = word.substr(at, letter.length);
    out += letter.script == few && most != Script::kNone ? look_alike(itself, few, most) : itself;
    at += letter.length;
  }
  return out;
}

bool is_upside_down(std::string_view text, const TextSurvey& survey, OddStretch& out) {
  // All but three of the turned letters begin with these bytes, the turned e with the last.
  if (survey.of('\xC9') + survey.of('\xCA') < 3 || survey.of('\xC7') == 0) return false;
  std::array<std::size_t, kTurnedLetters> seen = {};
  std::size_t first = text.size();
  std::size_t last = 0;
  std::size_t turned = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_at(text, at);
    for (std::size_t i = 0; length > 1 && i < kTurnedLetters; ++i) {
      if (text.substr(at, length) != kTurned[i].first) continue;
      ++seen[i];
      ++turned;
      first = std::min(first, at);
      last = at + length;
    }
    at += length;
  }
  const auto distinct = kTurnedLetters - static_cast<std::size_t>(std::ranges::count(seen, std::size_t{0}));
  const bool both = seen[2] > 0 && seen[12] > 0;  // the turned e and t
  if (!both || distinct < 5 || turned * 6 < turned + survey.letters) return false;
  // Letters that look like others when turned stand around.
  while (first > 0 && (text[first - 1] & 0x80) == 0 && text[first - 1] != '\n') --first;
  while (last < text.size() && (text[last] & 0x80) == 0 && text[last] != '\n') ++last;
  out = {first, last - first, turned};
  return true;
}

std::string turned_back(std::string_view text) {
  std::string out;
  for (std::size_t end = text.size(); end > 0;) {
    std::size_t at = end - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    const std::string_view letter = text.substr(at, end - at);
    const auto* const found = std::ranges::find(kTurned, letter, &Pair::first);
    out += found == std::end(kTurned) ? letter : found->second;
    end = at;
  }
  return out;
}

namespace {

// A glance at three places: full-width signs are in every Chinese text, so the survey cannot tell.
bool may_be_styled(std::string_view text) {
  constexpr std::size_t kGlance = 96;
  for (const std::size_t place : {std::size_t{0}, text.size() / 2, text.size() - std::min(text.size(), kGlance)}) {
    std::size_t at = place;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    for (const std::size_t end = std::min(text.size(), place + kGlance); at < end; at += length_at(text, at)) {
      if (may_lead_styled(text[at]) && is_styled(code_at(text, at))) return true;
    }
  }
  return false;
}

}  // namespace

bool find_styled_letters(std::string_view text, const TextSurvey& survey, OddStretch& out) {
  const std::size_t leads = survey.of('\xF0') + survey.of('\xEF') + survey.of('\xE2') + survey.of('\xE1');
  if (leads < 12 || !may_be_styled(text)) return false;
  std::size_t letters = 0, run = 0, first = text.size(), last = 0, run_first = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_at(text, at);
    if (may_lead_styled(text[at]) && is_styled(code_at(text, at))) {
      if (run++ == 0) run_first = at;
    } else {
      if (run >= 3) {
        letters += run;
        first = std::min(first, run_first);
        last = at;
      }
      run = 0;
    }
    at += length;
  }
  if (run >= 3) {
    letters += run;
    first = std::min(first, run_first);
    last = text.size();
  }
  if (letters < 12 || letters * 5 < survey.characters - survey.blanks) return false;
  out = {first, last - first, letters};
  return true;
}

void find_glitch_tokens(std::string_view text, const TextSurvey& survey, std::vector<OddStretch>& out) {
  out.clear();
  // Lists are short, and their names have capitals, or are Chinese and Japanese.
  constexpr std::size_t kLongest = 2048;
  constexpr std::size_t kLongestForeign = 600;
  if (text.size() > kLongest) return;
  const bool foreign = survey.high * 2 >= text.size() && text.size() <= kLongestForeign;
  const bool names = survey.letters * 3 >= text.size() && survey.capitals * 20 >= survey.letters;
  if (!foreign && !names && survey.longest_word * 4 < text.size()) return;
  for (std::size_t at = 0; at < text.size();) {
    if (is_ascii(text[at], kAsciiBlank | kAsciiPunctuation)) {
      ++at;
      continue;
    }
    const std::size_t first = at;
    while (at < text.size() && !is_ascii(text[at], kAsciiBlank | kAsciiPunctuation)) ++at;
    if (is_glitch(text.substr(first, at - first))) out.push_back({first, at - first, 1});
  }
}

}  // namespace assay
