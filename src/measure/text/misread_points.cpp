#include "measure/text/misread_points.h"

namespace assay {

using Kind = CharacterKind;

bool is_plain_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_word(char32_t c) { return c < 0x80 ? is_plain_letter(c) : is_letter(kind_of(c)); }

// Case of the Latin letters that matter here: Latin-1 and Latin Extended-A and -B come in pairs.
bool is_capital(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z';
  if (c < 0x100) return c >= 0xc0 && c <= 0xde && c != 0xd7;
  if (c >= 0x139 && c <= 0x148) return c % 2 == 1;
  if (c >= 0x179 && c <= 0x17e) return c % 2 == 1;
  if (c == 0x178 || c == 0x1a0) return true;
  return ((c >= 0x100 && c < 0x180) || (c >= 0x1e00 && c < 0x1f00) || (c >= 0x218 && c < 0x21c)) && c % 2 == 0;
}

namespace {

bool is_latin_word(char32_t c) { return c < 0x80 ? is_plain_letter(c) : kind_of(c) == Kind::kLatin; }

bool is_small(char32_t c) { return is_latin_word(c) && !is_capital(c); }

// Letters that living languages write: 0 often, 0.5 some, 3 hardly ever (ŉ, ſ, ŗ and what is no letter of a word).
double rarity_of_latin(char32_t c) {
  if (c < 0x100) return 0;
  if (c == 0x132 || c == 0x133 || c == 0x138 || (c >= 0x13f && c <= 0x140) || (c >= 0x149 && c <= 0x14b) ||
      c == 0x156 || c == 0x157 || c == 0x17f) {
    return 3;
  }
  if (c < 0x180) {
    const bool some = (c >= 0x108 && c <= 0x10b) || (c >= 0x124 && c <= 0x129) || (c >= 0x134 && c <= 0x135) ||
                      (c >= 0x166 && c <= 0x169) || (c >= 0x174 && c <= 0x177);
    return some ? 0.5 : 0;
  }
  const bool usual = c == 0x1a0 || c == 0x1a1 || c == 0x1af || c == 0x1b0 || (c >= 0x218 && c <= 0x21b) ||
                     (c >= 0x1ea0 && c <= 0x1ef9);
  return usual ? 0 : 3;
}

double natural_latin(char32_t code, const Around& around) {
  const bool after_word = is_latin_word(around.before) || around.last == Kind::kLatin;
  const bool before_word = is_latin_word(around.after);
  double points = after_word || before_word ? 2 : 0.5;
  points -= rarity_of_latin(code);
  const bool plain_before = is_plain_letter(around.before);
  if (plain_before && is_small(around.before) && is_capital(code)) points -= 2;
  if (plain_before && is_capital(around.before) && is_small(code) && is_capital(around.after)) points -= 2;
  return points;
}

// Arrows, operators, boxes and shapes; signs of East Asian text. Not braille, dingbats of APL and the like.
bool is_usual_sign(char32_t code) {
  return (code >= 0x2000 && code < 0x2300) || (code >= 0x2500 && code < 0x27c0) || (code >= 0x3000 && code < 0x3040) ||
         (code >= 0xff00 && code < 0xfff0);
}

double natural_sign(char32_t code) {
  if (code == 0xa0) return 1.5;
  if (code < 0xa0) return 0;  // a C1 control: a step of several misreadings
  if (code < 0x100) {
    constexpr std::u32string_view kUsual =
        U"\u00a1\u00a3\u00a5\u00a7\u00a9\u00aa\u00ab\u00ad\u00ae\u00b0\u00b1\u00b4\u00b5\u00b7\u00ba\u00bb\u00bd\u00bf";
    return kUsual.find(code) != std::u32string_view::npos ? 1.5 : 0.3;
  }
  if (code >= 0x2010 && code <= 0x203a && (code < 0x2028 || code > 0x202f)) return 3;
  // ƒ, ˆ and ˜ of Windows-1252: a step of several misreadings.
  if (code == 0x192 || code == 0x2c6 || code == 0x2dc) return 0;
  if (code == 0x20ac || code == 0x2122) return 3;
  if (code == 0xfffd || code == 0xfeff) return 4;
  switch (kind_of(code)) {
    case Kind::kEmoji: return 3;
    case Kind::kSymbol:
    case Kind::kBox:
    case Kind::kPunctuation: return is_usual_sign(code) ? 1.5 : -1;
    case Kind::kZeroWidth:
    case Kind::kJoiner:
    case Kind::kSelector:
    case Kind::kDirectionMark: return 1.5;
    case Kind::kSpace: return 1;
    default: return -4;
  }
}

}  // namespace

double natural_points(char32_t code, const Around& around) {
  if (code >= 0xd800 && code < 0xe000) return around.last == Kind::kEmoji || code < 0xdc00 ? 1.5 : 3;  // CESU-8
  const Kind kind = kind_of(code);
  const bool sign = code == 0xaa || code == 0xba || code == 0x192 || code == 0x2c6 || code == 0x2dc;
  if (sign) return natural_sign(code);
  if (kind == Kind::kLatin) return natural_latin(code, around);
  if (!is_letter(kind) && kind != Kind::kDigit) return natural_sign(code);
  if (kind == Kind::kPhonetic || kind == Kind::kOtherLetter || kind == Kind::kMongolian) return -4;
  const bool follows = around.last == kind || (kind == Kind::kHan && around.last == Kind::kKana) ||
                       (kind == Kind::kKana && around.last == Kind::kHan);
  double points = follows ? 2.5 : 0;
  if (kind == Kind::kHan) points += han_levels(code) != 0 ? 1 : -2;
  if (kind == Kind::kKana) points += 1;
  if (kind == Kind::kHangul && follows) points += 0.5;
  // Script changes within a word.
  if (!follows && (is_plain_letter(around.before) || is_plain_letter(around.after)) && kind != Kind::kHan) points -= 2;
  return points;
}

double odd_lead_points(char32_t lead, char32_t first_rest, const Around& around) {
  const Kind kind = kind_of(lead);
  if (kind == Kind::kBox) {
    const bool in_word = is_plain_letter(around.before) || is_plain_letter(around.after);
    if (kind_of(first_rest) == Kind::kBox) return in_word ? 2 : -3;  // else a table
    return 2.5;
  }
  if (kind_of(first_rest) == Kind::kBox && is_letter(kind)) return 2.5;
  double points = 0;
  const bool after_word = is_word(around.before);
  if (!is_letter(kind)) return after_word && around.last == Kind::kSpace ? 1.5 : 0;
  if (kind == Kind::kLatin) {
    if (is_capital(lead)) {
      if (is_latin_word(around.before)) {
        points += is_small(around.before) ? 2 : -0.5;
      } else if (around.before >= '0' && around.before <= '9') {
        points += 1;
      } else {
        points += 0.5;
      }
    }
    return points;
  }
  // Nothing but letters of one script is a word, save where the case is that of no word ("тАЩ").
  if (kind == Kind::kCyrillic && kind_of(first_rest) == kind) {
    const bool small = is_small_cyrillic(lead);
    if (small == is_small_cyrillic(first_rest) || !small)
      points -= small ? 3 : 1;
    else
      points += 1;
  }
  if (kind != Kind::kCyrillic && kind_of(first_rest) == kind) points -= 3;
  // A letter of another script within a word of Latin letters.
  if (is_plain_letter(around.before) || is_plain_letter(around.after)) points += 2;
  return points;
}

double odd_rest_points(char32_t lead, char32_t code, bool last_one, const Around& around, bool more) {
  if (code >= 0x80 && code < 0xa0) return 3;
  if (code == 0xa0 || code < 0x80) return 0;
  const bool goes_on = !last_one || is_word(around.after) || more;
  switch (kind_of(code)) {
    case Kind::kPunctuation: {
      const bool quote = (code >= 0x2010 && code <= 0x203a) || code == 0xab || code == 0xbb || code == 0xb7;
      if (quote) return goes_on ? 1 : -0.5;
      return goes_on ? 2 : 1;  // ¡ § ¶ ¿
    }
    case Kind::kSymbol:
    case Kind::kNumber:
    case Kind::kPhonetic:
    case Kind::kSoftHyphen: return (goes_on ? 2 : 1) - (is_letter(kind_of(lead)) ? 0 : 1);
    default: return 0.3;
  }
}

}  // namespace assay
