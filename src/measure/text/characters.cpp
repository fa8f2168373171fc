// What a character is: one table of bytes for the Basic Multilingual Plane, built once from the properties that ICU
// has, and a few ranges beyond it. Detectors ask this for every character of a text that is not ASCII, so it is a load
// from 64 KiB of which a text in one script touches some hundred bytes, not a search.
//
// Sources: Unicode 15 (general category, script); GB 2312, Big5 and JIS X 0208 order their common ideographs by sound
// or by strokes in a first level, and the rare ones in a second: level 1 is what a reader knows. The levels are taken
// from the code ranges of the encodings themselves (GB 2312: lead bytes B0 to D7; Big5: A4 to C6; JIS: B0 to CF in
// EUC-JP).
// Limits: characters newer than Unicode 15 count as unassigned; whoever judges by that asks for several.

#include "measure/text/characters.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <memory>

#include "measure/text/code_pages.h"

namespace assay {

namespace {

using Kind = CharacterKind;

struct KindRange {
  char32_t first;
  char32_t last;
  Kind kind;
};

// What the general category does not tell.
constexpr KindRange kSpecial[] = {
    {0x09, 0x0a, Kind::kSpace},           {0x0c, 0x0d, Kind::kSpace},           {0xad, 0xad, Kind::kSoftHyphen},
    {0x34f, 0x34f, Kind::kMark},          {0x61c, 0x61c, Kind::kDirectionMark}, {0x115f, 0x1160, Kind::kInvisible},
    {0x180b, 0x180d, Kind::kSelector},    {0x180e, 0x180e, Kind::kZeroWidth},   {0x180f, 0x180f, Kind::kSelector},
    {0x200b, 0x200b, Kind::kZeroWidth},   {0x200c, 0x200d, Kind::kJoiner},      {0x200e, 0x200f, Kind::kDirectionMark},
    {0x202a, 0x202e, Kind::kBidi},        {0x2060, 0x2060, Kind::kZeroWidth},   {0x2061, 0x2064, Kind::kInvisible},
    {0x2066, 0x2069, Kind::kBidi},        {0x206a, 0x206f, Kind::kInvisible},   {0x2500, 0x259f, Kind::kBox},
    {0x3164, 0x3164, Kind::kInvisible},   {0xfe00, 0xfe0f, Kind::kSelector},    {0xfeff, 0xfeff, Kind::kZeroWidth},
    {0xff66, 0xff9f, Kind::kHalfKana},    {0xffa0, 0xffa0, Kind::kInvisible},   {0xfff9, 0xfffb, Kind::kInvisible},
    {0xfffd, 0xfffd, Kind::kReplacement}, {0x250, 0x2ff, Kind::kPhonetic},      {0x1d00, 0x1dbf, Kind::kPhonetic},
    {0x640, 0x640, Kind::kArabic},        {0x3031, 0x3035, Kind::kKana},        {0x30fc, 0x30fc, Kind::kKana},
    {0xe0000, 0xe007f, Kind::kTag},       {0xe0100, 0xe01ef, Kind::kSelector},  {0x1f000, 0x1faff, Kind::kEmoji},
    {0x2600, 0x27bf, Kind::kEmoji},
};

Kind kind_of_script(UScriptCode script) {
  switch (script) {
    case USCRIPT_LATIN: return Kind::kLatin;
    case USCRIPT_GREEK: return Kind::kGreek;
    case USCRIPT_CYRILLIC: return Kind::kCyrillic;
    case USCRIPT_ARMENIAN: return Kind::kArmenian;
    case USCRIPT_GEORGIAN: return Kind::kGeorgian;
    case USCRIPT_HEBREW: return Kind::kHebrew;
    case USCRIPT_ARABIC:
    case USCRIPT_SYRIAC:
    case USCRIPT_THAANA:
    case USCRIPT_NKO: return Kind::kArabic;
    case USCRIPT_THAI:
    case USCRIPT_LAO: return Kind::kThai;
    case USCRIPT_DEVANAGARI:
    case USCRIPT_BENGALI:
    case USCRIPT_GURMUKHI:
    case USCRIPT_GUJARATI:
    case USCRIPT_ORIYA:
    case USCRIPT_TAMIL:
    case USCRIPT_TELUGU:
    case USCRIPT_KANNADA:
    case USCRIPT_MALAYALAM:
    case USCRIPT_SINHALA: return Kind::kIndic;
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
    case USCRIPT_TIBETAN: return Kind::kSoutheast;
    case USCRIPT_ETHIOPIC: return Kind::kEthiopic;
    case USCRIPT_MONGOLIAN: return Kind::kMongolian;
    case USCRIPT_HAN: return Kind::kHan;
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_BOPOMOFO: return Kind::kKana;
    case USCRIPT_HANGUL: return Kind::kHangul;
    default: return Kind::kOtherLetter;
  }
}

// A mark of a script (a vowel sign of Devanagari, a point of Hebrew) is a letter of it; one of all scripts is not. Some
// that Unicode lets several scripts share belong to one all the same: the vowel signs of Arabic, the accents of the
// Vedas, the voicing marks of kana.
Kind kind_of_mark(UChar32 code) {
  if ((code >= 0x64b && code <= 0x655) || code == 0x670) return Kind::kArabic;
  if (code >= 0x951 && code <= 0x954) return Kind::kIndic;
  if (code >= 0x1cd0 && code <= 0x1cff) return Kind::kIndic;
  if (code == 0x3099 || code == 0x309a) return Kind::kKana;
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(code, &status);
  return script == USCRIPT_INHERITED || script == USCRIPT_COMMON ? Kind::kMark : kind_of_script(script);
}

Kind kind_from_properties(char32_t point) {
  for (const KindRange& one : kSpecial) {
    if (point >= one.first && point <= one.last) {
      if (one.kind != Kind::kEmoji || u_isdefined(static_cast<UChar32>(point)) != 0) return one.kind;
    }
  }
  const auto code = static_cast<UChar32>(point);
  if (U_IS_UNICODE_NONCHAR(code)) return Kind::kNonCharacter;
  UErrorCode status = U_ZERO_ERROR;
  switch (u_charType(code)) {
    case U_UNASSIGNED: return Kind::kUnassigned;
    case U_SURROGATE: return Kind::kReplacement;
    case U_PRIVATE_USE_CHAR: return Kind::kPrivate;
    case U_CONTROL_CHAR: return Kind::kControl;
    case U_FORMAT_CHAR: return Kind::kFormat;
    case U_NON_SPACING_MARK:
    case U_ENCLOSING_MARK:
    case U_COMBINING_SPACING_MARK: return kind_of_mark(code);
    case U_SPACE_SEPARATOR:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR: return Kind::kSpace;
    case U_DECIMAL_DIGIT_NUMBER: return Kind::kDigit;
    case U_LETTER_NUMBER:
    case U_OTHER_NUMBER: return Kind::kNumber;
    case U_DASH_PUNCTUATION:
    case U_START_PUNCTUATION:
    case U_END_PUNCTUATION:
    case U_CONNECTOR_PUNCTUATION:
    case U_OTHER_PUNCTUATION:
    case U_INITIAL_PUNCTUATION:
    case U_FINAL_PUNCTUATION: return Kind::kPunctuation;
    case U_MATH_SYMBOL:
    case U_CURRENCY_SYMBOL:
    case U_MODIFIER_SYMBOL:
    case U_OTHER_SYMBOL: return Kind::kSymbol;
    default: return kind_of_script(uscript_getScript(code, &status));
  }
}

struct Tables {
  std::uint8_t kinds[0x10000];
  std::uint8_t levels[0x10000] = {};
};

void mark_level(Tables& out, const DoublePage& page, unsigned first, unsigned last, unsigned trails, std::uint8_t bit) {
  for (unsigned lead = first; lead <= last; ++lead) {
    for (unsigned trail = trails; trail < 0xff; ++trail) {
      const char16_t code = page.decode(lead, trail);
      if (code >= 0x4e00 && code < 0xa000) out.levels[code] = static_cast<std::uint8_t>(out.levels[code] | bit);
    }
  }
}

const Tables& tables() {
  static const std::unique_ptr<const Tables> built = [] {
    auto out = std::make_unique<Tables>();
    for (char32_t code = 0; code < 0x10000; ++code) {
      out->kinds[code] = static_cast<std::uint8_t>(kind_from_properties(code));
    }
    mark_level(*out, double_page(DoubleByte::kGbk), 0xb0, 0xd7, 0xa1, 1);
    mark_level(*out, double_page(DoubleByte::kBig5), 0xa4, 0xc6, 0x40, 2);
    mark_level(*out, double_page(DoubleByte::kEucJp), 0xb0, 0xcf, 0xa1, 4);
    return out;
  }();
  return *built;
}

}  // namespace

CharacterKinds::CharacterKinds() : kinds_(tables().kinds) {}

CharacterKind kind_of(char32_t code) {
  if (code < 0x10000) [[likely]] {
    return static_cast<Kind>(tables().kinds[code]);
  }
  return code <= 0x10ffff ? kind_from_properties(code) : Kind::kNonCharacter;
}

std::uint8_t han_levels(char32_t code) { return code < 0x10000 ? tables().levels[code] : std::uint8_t{0}; }

void append_utf8(char32_t code, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  const auto rest = [&](unsigned shift) { put(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    rest(0);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    rest(6);
    rest(0);
  } else {
    put(0xf0 | code >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

}  // namespace assay
