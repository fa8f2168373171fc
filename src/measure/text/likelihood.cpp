// How likely a text is: a model of single characters and of the kinds of two neighbours, for all scripts at once.
//
// Wrong decodings are undone by trying: what comes out has to be more likely than what stands there. Both are readings
// of the same bytes, so their likelihoods can be compared, and a model that is right within a nat a character decides
// after a few characters, because wrong readings cost twice as much: a letter that is rare in its language, an
// ideograph that no one knows, a capital in the middle of a word, a sign between letters.
//
// The model is small on purpose: no table has to be trained, stored and trusted.
//   Cyrillic     frequencies of the letters of Russian; letters of other languages as rare ones
//   ideographs   the 200 most frequent ones of Chinese (half of all text) and 100 of Japanese; others of a first level
//                (GB 2312, Big5, JIS); rare ones
//   Hangul       the 100 most frequent syllables; others of KS X 1001; the other 8,800
//   other scripts and Latin: one value for a letter, another for a rare one
//   neighbours   what a change of script, of case or a sign within a word costs, and, in Cyrillic and Greek, a vowel
//                or a consonant behind another one
// In nats; set from the shares in running text (a character of share p costs -ln p), rounded.
// Limits: says nothing of words. Two readings in one script whose letters are equally frequent are not told apart.

#include "measure/text/likelihood.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "measure/text/code_pages.h"

namespace assay {

namespace {

using Kind = CharacterKind;

constexpr std::u32string_view kFrequentHan =
    U"的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然"
    U"家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日者意无力它与长把机"
    U"十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应向头文体政美相见被利什二等产或新己制身果加西"
    U"月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活更别打女"
    U"变四总何电数安少报才结反受目太量再感建务做接必场件计管期市直资命"
    U"這個們來國說時會對發後過樣裡種經麼學現當沒動還進從實無與長機關點業將兩間問應頭體見產話給門兒東聲員論處義幾認"
    U"條係氣題變總電數報結場計務請為於著裏";
constexpr std::u32string_view kFrequentKanji =
    U"日本語年会議時事社見連発対部党市業定今場選米問高代実円関決京戦経最氏調当約首治強気七期野思記書読使用付分行"
    U"者者間的後前予来通知設更新確認表示変追加情報入力方法能必要";
constexpr std::u32string_view kFrequentHangul =
    U"이다는에의가을로하고지은를한기사도어리시자정아인서대나일부수있보해들그스과전게라으적주만장관제상구습니면원동성"
    U"여공조비위용문경안방국영선무연계였었했된되음요세우발건통설치할때같없오개회신물학생마모화분유소야러미것와중합드터"
    U"트내려일파실행메명령";

// What wrong decodings are made of; in texts they are rare enough.
constexpr std::u32string_view kDebris = U"锟斤拷烫屯葺";

struct LetterCost {
  char32_t letter;
  std::uint8_t tenths;  // of a nat
};
// Of Russian; letters of other languages as in these.
constexpr LetterCost kCyrillic[] = {
    {U'о', 22}, {U'е', 25}, {U'а', 25}, {U'и', 26}, {U'н', 27}, {U'т', 28}, {U'с', 29}, {U'р', 31}, {U'в', 31},
    {U'л', 31}, {U'к', 34}, {U'м', 34}, {U'д', 35}, {U'п', 36}, {U'у', 36}, {U'я', 39}, {U'ы', 40}, {U'ь', 41},
    {U'г', 41}, {U'з', 41}, {U'б', 41}, {U'ч', 43}, {U'й', 44}, {U'х', 46}, {U'ж', 47}, {U'ш', 50}, {U'ю', 51},
    {U'ц', 53}, {U'щ', 55}, {U'э', 48}, {U'ф', 58}, {U'ъ', 60}, {U'ё', 60}, {U'і', 35}, {U'ї', 50}, {U'є', 50},
    {U'ў', 50}, {U'ј', 38}, {U'ћ', 52}, {U'љ', 58}, {U'њ', 55}, {U'ђ', 62}, {U'џ', 65}, {U'ѓ', 62}, {U'ќ', 62},
    {U'ѕ', 65}, {U'ґ', 65}, {U'ү', 45}, {U'ө', 45}, {U'қ', 42}, {U'ә', 42}, {U'ғ', 48}, {U'ң', 48}};
constexpr LetterCost kGreek[] = {{U'α', 22}, {U'ο', 24}, {U'ι', 24}, {U'ε', 25}, {U'τ', 25}, {U'ν', 28}, {U'η', 30},
                                 {U'σ', 31}, {U'υ', 32}, {U'ρ', 32}, {U'π', 32}, {U'κ', 32}, {U'μ', 34}, {U'ς', 34},
                                 {U'λ', 35}, {U'ό', 39}, {U'ί', 39}, {U'έ', 39}, {U'ά', 40}, {U'ή', 41}, {U'ω', 41},
                                 {U'δ', 41}, {U'γ', 41}, {U'θ', 45}, {U'χ', 46}, {U'ύ', 46}, {U'φ', 47}, {U'ώ', 47},
                                 {U'β', 50}, {U'ξ', 53}, {U'ζ', 55}, {U'ψ', 65}};

// Hebrew and Arabic, with the letters of Persian.
constexpr LetterCost kSemitic[] = {
    {U'י', 22}, {U'ו', 22}, {U'ה', 24}, {U'ל', 26}, {U'א', 28}, {U'ר', 29}, {U'ת', 30}, {U'ב', 31}, {U'מ', 31},
    {U'ש', 31}, {U'ע', 34}, {U'נ', 36}, {U'ם', 36}, {U'ד', 36}, {U'ח', 37}, {U'כ', 37}, {U'ק', 39}, {U'פ', 41},
    {U'ן', 42}, {U'ס', 42}, {U'ז', 43}, {U'ג', 43}, {U'צ', 44}, {U'ט', 44}, {U'ך', 48}, {U'ף', 62}, {U'ץ', 69},
    {U'ا', 21}, {U'ل', 22}, {U'ي', 27}, {U'م', 28}, {U'و', 28}, {U'ن', 28}, {U'ر', 30}, {U'ت', 31}, {U'ب', 32},
    {U'ة', 34}, {U'ع', 33}, {U'د', 33}, {U'س', 37}, {U'ف', 35}, {U'ه', 35}, {U'ك', 37}, {U'ق', 37}, {U'أ', 37},
    {U'ح', 39}, {U'ج', 43}, {U'ش', 43}, {U'ص', 46}, {U'ط', 46}, {U'خ', 47}, {U'ى', 50}, {U'إ', 48}, {U'ء', 55},
    {U'ض', 51}, {U'ذ', 48}, {U'ز', 50}, {U'ث', 51}, {U'غ', 53}, {U'ظ', 58}, {U'ئ', 55}, {U'ؤ', 62}, {U'آ', 55},
    {U'ی', 27}, {U'ک', 38}, {U'گ', 45}, {U'پ', 47}, {U'چ', 55}, {U'ژ', 65}};

struct Entry {
  std::uint8_t tenths = 0;  // of a nat
  Side side = Side::kNothing;
  Kind kind = Kind::kSpace;
};

bool is_common_hangul(char32_t code) {
  const unsigned bytes = double_page(DoubleByte::kEucKr).encode(code);
  return bytes >> 8 >= 0xb0 && bytes >> 8 <= 0xc8 && (bytes & 0xff) >= 0xa1;
}

bool is_vowel(char32_t small) {
  constexpr std::u32string_view kVowels = U"аеиоуыэюяёіїєўүөәαεηιουωάέήίόύώ";
  return kVowels.find(small) != std::u32string_view::npos;
}
bool is_small_greek(char32_t c) { return (c >= 0x3ac && c <= 0x3ce) || c == 0x390 || c >= 0x1f00; }

// Thai (and Lao, which lies 0x80 further): vowels that stand before their consonant, and what stands on or behind it.
Side side_of_thai(char32_t code) {
  const char32_t thai = code & ~char32_t{0x80};
  if (thai >= 0xe40 && thai <= 0xe44) return Side::kLeading;
  const bool follows = thai == 0xe31 || (thai >= 0xe33 && thai <= 0xe3a) || (thai >= 0xe47 && thai <= 0xe4e);
  if (follows) return Side::kFollowing;
  return thai >= 0xe50 ? Side::kNothing : Side::kOther;
}

// Letters that stand beside other accented ones.
bool is_gregarious(char32_t c) {
  return (c >= 0x1ea0 && c < 0x1efa) || c == 0x1a0 || c == 0x1a1 || c == 0x1af || c == 0x1b0 || c == U'ı' ||
         c == U'ş' || c == U'ğ' || c == U'ə';
}

Entry letter_entry(char32_t code, Kind kind) {
  switch (kind) {
    case Kind::kLatin:
      if (is_gregarious(code)) return {60, Side::kGregarious, kind};
      return {static_cast<std::uint8_t>(code < 0x180 ? 60 : 85), Side::kAccented, kind};
    case Kind::kPhonetic: return {75, Side::kAccented, kind};
    case Kind::kGreek: return is_small_greek(code) ? Entry{55, Side::kSmall, kind} : Entry{80, Side::kCapital, kind};
    case Kind::kCyrillic:
      return is_small_cyrillic(code) ? Entry{70, Side::kSmall, kind} : Entry{95, Side::kCapital, kind};
    case Kind::kHan:
      return {static_cast<std::uint8_t>(han_levels(code) != 0 ? 85 : 130),
              double_page(DoubleByte::kEucJp).encode(code) != 0 ? Side::kHan : Side::kForeignHan, kind};
    case Kind::kKana:
      return {static_cast<std::uint8_t>(code < 0x30a0 ? 40 : code < 0x3100 ? 55 : 90), Side::kKana, kind};
    case Kind::kHalfKana: return {80, Side::kHalfKana, kind};
    case Kind::kHangul:
      if (code >= 0x3131 && code <= 0x3163) return {60, Side::kHangul, kind};  // single letters: laughter
      return {static_cast<std::uint8_t>(code >= 0xac00 && is_common_hangul(code) ? 75 : 130), Side::kHangul, kind};
    case Kind::kHebrew: return {42, code < 0x5d0 && code != 0x5be ? Side::kFollowing : Side::kOther, kind};
    case Kind::kArabic: return {static_cast<std::uint8_t>(code < 0x700 ? 52 : 90), Side::kOther, kind};
    case Kind::kThai: return {42, side_of_thai(code), kind};
    case Kind::kOtherLetter: return {110, Side::kOther, kind};
    default: return {60, Side::kOther, kind};
  }
}

bool is_line(char32_t code) {
  return code == 0x2500 || code == 0x2502 || code == 0x2550 || code == 0x2551 || code == 0x2501 || code == 0x2503;
}

// Full stop and comma; brackets, colon, question mark; lenticular and tortoise-shell brackets, full-width letters.
std::uint8_t tenths_of_east_sign(char32_t code) {
  if (code < 0x3003 || code == 0xff0c) return 35;
  if (code < 0x3012 || (code >= 0xff00 && code < 0xff10) || code == 0xff1a || code == 0xff1b || code == 0xff1f)
    return 50;
  return code < 0x3040 ? 95 : 70;
}

Entry entry_from_kind(char32_t code) {
  const Kind kind = kind_of(code);
  if (code < 0x80) {
    if ((code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z')) {
      return {static_cast<std::uint8_t>(code >= 'a' ? 30 : 35), Side::kPlain, Kind::kLatin};
    }
    if (kind == Kind::kControl) return {140, Side::kSign, kind};
    return {static_cast<std::uint8_t>(kind == Kind::kSpace   ? 20
                                      : kind == Kind::kDigit ? 35
                                                             : 45),
            Side::kNothing, kind};
  }
  if (is_letter(kind)) return letter_entry(code, kind);
  const bool east = (code >= 0x3000 && code < 0x3040) || (code >= 0xff00 && code < 0xff66) || code == 0xffe5;
  if (east) return {tenths_of_east_sign(code), Side::kEastSign, kind};
  switch (kind) {
    case Kind::kControl:
    case Kind::kPrivate:
    case Kind::kUnassigned:
    case Kind::kNonCharacter: return {150, Side::kSign, kind};
    case Kind::kReplacement: return {40, Side::kSign, kind};
    case Kind::kPunctuation:
      return {static_cast<std::uint8_t>(
                  (code >= 0x2010 && code <= 0x2026) || code == 0xab || code == 0xbb || code == 0xb7 ? 60 : 75),
              Side::kSign, kind};
    case Kind::kBox: return {80, is_line(code) ? Side::kLine : Side::kBox, kind};
    case Kind::kSoftHyphen: return {30, Side::kNothing, kind};
    case Kind::kSpace: return {60, Side::kNothing, kind};
    case Kind::kMark: return {60, Side::kAccented, kind};
    case Kind::kDigit: return {50, Side::kNothing, kind};
    default: return {75, Side::kSign, kind};
  }
}

char32_t capital_of(char32_t cyrillic) {
  if (cyrillic < 0x450) return cyrillic - 0x20;
  return cyrillic < 0x460 ? cyrillic - 0x50 : cyrillic - 1;
}

using Table = std::array<Entry, 0x10000>;

void put_letter(Table& out, char32_t small, char32_t capital, std::uint8_t tenths) {
  if (capital != small) {
    out[capital].tenths = static_cast<std::uint8_t>(tenths + 25);
    if (is_vowel(small)) out[capital].side = Side::kCapitalVowel;
  }
  out[small].tenths = tenths;
  if (is_vowel(small)) out[small].side = Side::kSmallVowel;
}

const Table& table() {
  static const std::unique_ptr<const Table> built = [] {
    auto out = std::make_unique<Table>();
    for (char32_t code = 0; code < 0x10000; ++code) (*out)[code] = entry_from_kind(code);
    for (const char32_t code : kFrequentHan) (*out)[code].tenths = 50;
    for (const char32_t code : kFrequentKanji) {
      if ((*out)[code].tenths > 65) (*out)[code].tenths = 65;
    }
    for (const char32_t code : kDebris) (*out)[code].tenths = 110;
    for (const char32_t code : kFrequentHangul) (*out)[code].tenths = 48;
    for (const auto& [letter, tenths] : kCyrillic) {
      put_letter(*out, letter, capital_of(letter), tenths);
    }
    for (const auto& [letter, tenths] : kSemitic) (*out)[letter].tenths = tenths;
    for (const auto& [letter, tenths] : kGreek) {
      const bool has_capital = letter >= U'α' && letter != U'ς' && letter <= U'ω';
      put_letter(*out, letter, has_capital ? letter - 0x20 : letter, tenths);
    }
    return out;
  }();
  return *built;
}

bool is_small(Side s) { return s == Side::kSmall || s == Side::kSmallVowel; }
bool is_capital(Side s) { return s == Side::kCapital || s == Side::kCapitalVowel; }
bool is_cased(Side s) { return is_small(s) || is_capital(s); }
bool is_east(Side s) { return s == Side::kHan || s == Side::kForeignHan || s == Side::kKana; }
bool is_latin(Side s) { return s == Side::kPlain || s == Side::kAccented || s == Side::kGregarious; }
bool is_script(Side s) { return s == Side::kOther || s == Side::kLeading || s == Side::kFollowing; }
bool is_word(Side s) {
  return is_cased(s) || is_east(s) || is_latin(s) || is_script(s) || s == Side::kHangul || s == Side::kHalfKana;
}
bool is_box(Side s) { return s == Side::kLine || s == Side::kBox; }

// A vowel behind a consonant is likelier than a vowel, behind a vowel less likely: shares of Russian and Greek text.
double between_letters(Side a, Side b) {
  const auto vowel = [](Side s) { return s == Side::kSmallVowel || s == Side::kCapitalVowel; };
  if (vowel(a)) return vowel(b) ? 1.1 : -0.4;
  return vowel(b) ? -0.4 : 0.45;
}

double between_cased(Side a, Side b) {
  if (is_latin(a)) return 7;
  if (is_east(a) || is_script(a)) return 5;
  if (is_box(a)) return 4;
  if (!is_cased(a)) return is_capital(b) && a == Side::kNothing ? -0.5 : 0;
  const double letters = between_letters(a, b);
  if (is_small(b)) return letters;
  return letters + (is_small(a) ? 5 : -1.5);
}

double between_latin(Side a, Side b) {
  if (b == Side::kPlain) {
    if (is_cased(a)) return 7;
    if (is_script(a)) return 5;
    return is_box(a) ? 2 : a == Side::kSign ? 1 : 0;
  }
  if (a == Side::kGregarious || (a == Side::kAccented && b == Side::kGregarious)) return 0;
  if (a == Side::kAccented) return 3;
  if (a == Side::kPlain) return -0.5;
  return is_word(a) ? 5 : a == Side::kSign || is_box(a) ? 1 : 0;
}

double between_east(Side a, Side b) {
  const bool foreign = (a == Side::kForeignHan && b == Side::kKana) || (a == Side::kKana && b == Side::kForeignHan);
  if (foreign) return 2.5;
  if (is_east(a) && is_east(b)) return 0;
  switch (b) {
    case Side::kHalfKana: return a == Side::kHalfKana ? -2.5 : a == Side::kNothing ? 0 : 2;
    case Side::kHangul: return is_east(a) ? 2 : is_word(a) && a != Side::kHangul && a != Side::kPlain ? 4 : 0;
    case Side::kEastSign: return a == Side::kAccented || is_script(a) ? 3 : 0;
    default: break;
  }
  if (a == Side::kHangul || a == Side::kHalfKana) return 2;
  return is_word(a) && a != Side::kPlain ? 4 : 0;
}

double between_sign(Side a, Side b) {
  if (is_box(b)) {
    // Boxes are drawn with lines: corners beside corners are letters of an old code page.
    if (is_box(a)) return a == Side::kLine || b == Side::kLine ? -5 : 0.5;
    return is_word(a) ? 4 : 0;
  }
  if (is_cased(a)) return 3;
  if (a == Side::kAccented || a == Side::kGregarious) return 2;
  return is_word(a) ? 1.5 : a == Side::kSign ? 1 : 0;
}

// What it costs that b stands behind a.
double between(Side a, Side b) {
  if (b == Side::kNothing) return 0;
  if (is_cased(b)) return between_cased(a, b);
  if (is_latin(b)) return between_latin(a, b);
  if (is_east(b) || b == Side::kHalfKana || b == Side::kHangul || b == Side::kEastSign) return between_east(a, b);
  if (b == Side::kOther) return is_word(a) && !is_script(a) ? 5 : 0;
  if (b == Side::kLeading) return a == Side::kLeading || (is_word(a) && !is_script(a)) ? 5 : 0;
  if (b == Side::kFollowing) return a == Side::kOther || a == Side::kFollowing ? 0 : 6;
  return between_sign(a, b);
}

using Neighbours = std::array<std::array<double, kSides>, kSides>;

const Neighbours& neighbours() {
  static const Neighbours built = [] {
    Neighbours out{};
    for (std::size_t a = 0; a < kSides; ++a) {
      for (std::size_t b = 0; b < kSides; ++b) out[a][b] = between(static_cast<Side>(a), static_cast<Side>(b));
    }
    return out;
  }();
  return built;
}

// What a character of ordinary text costs at most, in tenths, by its side. Words in capitals are always looked at.
int usual(Side side, int tenths) {
  switch (side) {
    case Side::kNothing: return tenths + 5;
    case Side::kPlain: return 40;
    case Side::kSmall:
    case Side::kSmallVowel: return 37;
    case Side::kCapital:
    case Side::kCapitalVowel: return 42;
    case Side::kOther:
    case Side::kLeading:
    case Side::kFollowing: return 50;
    case Side::kLine:
    case Side::kBox: return 82;
    case Side::kHan:
    case Side::kForeignHan: return 77;
    case Side::kKana: return 56;
    case Side::kEastSign:
    case Side::kHangul: return 70;
    default: return 65;
  }
}

}  // namespace

Surprise::Plane Surprise::plane(const std::array<std::array<std::int8_t, kSides>, kSides>& between) {
  static constexpr std::array<std::array<Side, 3>, kEasts> kSidesOf = {
      {{Side::kHan, Side::kForeignHan, Side::kEastSign},
       {Side::kHan, Side::kKana, Side::kEastSign},
       {Side::kHan, Side::kHangul, Side::kEastSign}}};
  Plane out;
  for (std::size_t code = 0; code < 0x10000; ++code) {
    const auto& one = table()[code];
    const Entry entry{static_cast<std::int8_t>(one.tenths - usual(one.side, one.tenths)), one.side};
    out.entries[code] = entry;
    const auto costs_nothing = [&](Side before) {
      return entry.tenths + between[static_cast<std::size_t>(before)][static_cast<std::size_t>(entry.side)] <= 0;
    };
    for (std::size_t east = 0; east < kEasts; ++east) {
      const auto& sides = kSidesOf[east];
      const bool calm =
          std::ranges::find(sides, entry.side) != sides.end() && std::ranges::all_of(sides, costs_nothing);
      if (calm) out.calm[east][code / 64] |= std::uint64_t{1} << code % 64;
    }
  }
  return out;
}

Surprise::Surprise() {
  for (std::size_t a = 0; a < kSides; ++a) {
    for (std::size_t b = 0; b < kSides; ++b) {
      between_[a][b] = static_cast<std::int8_t>(std::lround(10 * between(static_cast<Side>(a), static_cast<Side>(b))));
    }
  }
  static const auto built = std::make_unique<const Plane>(plane(between_));
  entries_ = built->entries.data();
  calm_ = built->calm.data();
}

Cost cost_of(char32_t code, const Cost& before) {
  Cost out;
  if (code < 0x10000) {
    const Entry& entry = table()[code];
    out = {0.1 * entry.tenths, entry.side, entry.kind};
  } else {
    out = {kind_of(code) == Kind::kEmoji ? 6.0 : 13.0, Side::kSign, kind_of(code)};
  }
  out.nats += neighbours()[static_cast<std::size_t>(before.side)][static_cast<std::size_t>(out.side)];
  // Greek beside Cyrillic, Hebrew beside Arabic.
  const bool other_script = before.kind != out.kind && ((is_cased(out.side) && is_cased(before.side)) ||
                                                        (is_script(out.side) && is_script(before.side)));
  if (other_script) out.nats += 5;
  return out;
}

double cost_of(std::u32string_view text) {
  double sum = 0;
  Cost last;
  for (const char32_t code : text) {
    last = cost_of(code, last);
    sum += last.nats;
  }
  return sum;
}

}  // namespace assay
