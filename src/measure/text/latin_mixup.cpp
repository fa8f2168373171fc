// Latin text with the accented letters of another page. Between two pages of Latin letters a wrong decoding turns
// letters into letters, and neither the likelihood of characters nor their neighbours tell: "č" read as "è" stands
// where "è" may stand. What tells is the set: each language has some ten accented letters, and a text that has those
// of several languages at once, and none whole, was decoded with the wrong page if some page turns all of them into
// the letters of one language.
//
// Counted are accented letters, capitals among them only where capitals may stand, and signs between two letters
// ("m³žeme"). For each language: how many of these its alphabet does not explain; the least of all languages is what
// is odd in the text. For each pair of pages: the same after the letters were mapped. It is told where at least 5
// letters and a twelfth of all are odd, and the mapping leaves a tenth of those at most, with at least three different
// letters in it.
//
// Source: the alphabets of the languages (letters with marks, as in CLDR's main exemplar sets). Limits: texts of few
// accented letters; pairs of pages that agree in the letters of a language (German in Windows-1250 and -1252).

#include "measure/text/latin_mixup.h"

#include <algorithm>

#include "measure/text/characters.h"

namespace assay {

namespace {

constexpr std::size_t kNoSlot = ~std::size_t{0};

// Latin letters and signs of Latin-1 up to U+024F, spacing accents, signs of typography.
constexpr std::size_t slot_of(char32_t code) {
  if (code < 0x300) return code;
  if (code >= 0x2000 && code < 0x2100) return 0x300 + (code - 0x2000);
  return kNoSlot;
}

// Letters with marks, and those that ASCII lacks.
constexpr std::array<std::u32string_view, 46> kAlphabets = {U"àâæçéèêëîïôùûüÿœ",
                                                            U"äöüßé",
                                                            U"áéíñóúü",
                                                            U"áâãàçéêíóôõúü",
                                                            U"àèéìíîòóùú",
                                                            U"áčďéěíňóřšťúůýž",
                                                            U"áäčďéíĺľňóôŕšťúýž",
                                                            U"ąćęłńóśźż",
                                                            U"áéíóöőúüű",
                                                            U"ăâîșțşţ",
                                                            U"çğıöşüâîû",
                                                            U"čćđšž",
                                                            U"ąčęėįšųūž",
                                                            U"āčēģīķļņšūžō",
                                                            U"äõöüšž",
                                                            U"äöåé",
                                                            U"æøåéöä",
                                                            U"áðéíóúýþæö",
                                                            U"àçéèíïóòúü·",
                                                            U"ĉĝĥĵŝŭ",
                                                            U"éëïèöüêáó",
                                                            U"áéíóúàèìòù",
                                                            U"âêîôûŵŷáéëïö",
                                                            U"ëç",
                                                            U"ċġħżàèìòù",
                                                            U"āēīōūë",
                                                            U"əıöüçşğ",
                                                            U"âêîôûùüñéè",
                                                            U"äçňöşüýž",
                                                            U"äçğıñöşü",
                                                            U"çêîşûéèü",
                                                            U"áčđŋšŧžåäö",
                                                            U"áðíóúýæø",
                                                            U"åâçéèêîôû",
                                                            U"àáçéèíïóòúü",
                                                            U"ćčěłńóřśšźž",
                                                            U"ãéëłńòóôùż",
                                                            U"äéëêîôûèüö",
                                                            U"ãẽĩñõũáéíóúý",
                                                            U"āáǎàēéěèīíǐìōóǒòūúǔùü",
                                                            U"āīūñśḥṃṅṇṛṣṭḍ",
                                                            U"âêîôûáéíóúàèìòùãẽĩõũ",
                                                            U"áéíóúäëïöüñ",
                                                            U"ñáéíóúâêîôû",
                                                            U"äöüéèêçà",
                                                            U"õäöüáéíóúāēīōū"};

// Small letter of a pair.
constexpr char32_t small_of(char32_t c) {
  if (c >= 0xc0 && c <= 0xde && c != 0xd7) return c + 0x20;
  if (c == 0x178) return 0xff;
  if (c == 0x130) return U'ı';
  if (c == 0x18f) return U'ə';
  const bool odd_pairs = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e);
  if (odd_pairs) return c % 2 == 1 ? c + 1 : c;
  const bool even_pairs = (c >= 0x100 && c <= 0x137) || (c >= 0x14a && c <= 0x177) || (c >= 0x218 && c <= 0x21b);
  return even_pairs && c % 2 == 0 ? c + 1 : c;
}
constexpr bool is_capital(char32_t c) { return small_of(c) != c; }

bool is_plain(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_small_plain(char32_t c) { return c >= 'a' && c <= 'z'; }

// Signs that do stand between letters.
bool may_join(char32_t c) {
  return c == 0xad || c == 0xb7 || c == 0x2019 || c == 0x2018 || (c >= 0x2010 && c <= 0x2015) || c == 0x2026 ||
         c == 0x2bc || c == 0xa0 || c < 0x80 || (c >= 0x2000 && c < 0x2010) || (c >= 0x2028 && c < 0x2030) ||
         c == 0x2060 || c == 0xd7;
}

struct Alphabet {
  std::array<bool, 0x400> has = {};
};
const std::array<Alphabet, kAlphabets.size()>& alphabets() {
  static const auto built = [] {
    std::array<Alphabet, kAlphabets.size()> out{};
    for (std::size_t i = 0; i < kAlphabets.size(); ++i) {
      for (const char32_t code : kAlphabets[i]) {
        if (slot_of(code) != kNoSlot) out[i].has[slot_of(code)] = true;  // "ẽ", "ṣ" are in no page
      }
      for (char32_t code = 0xc0; code < 0x250; ++code) {
        if (is_capital(code) && out[i].has[slot_of(small_of(code))]) out[i].has[slot_of(code)] = true;
      }
    }
    return out;
  }();
  return built;
}

struct Pair {
  SingleByte was, read_as;
};
constexpr std::array<Pair, 26> kPairs = {{{SingleByte::kIso2, SingleByte::kWestern},
                                          {SingleByte::kWindows1250, SingleByte::kWestern},
                                          {SingleByte::kWindows1254, SingleByte::kWestern},
                                          {SingleByte::kWindows1257, SingleByte::kWestern},
                                          {SingleByte::kMacRoman, SingleByte::kWestern},
                                          {SingleByte::kDos850, SingleByte::kWestern},
                                          {SingleByte::kDos437, SingleByte::kWestern},
                                          {SingleByte::kDos852, SingleByte::kWestern},
                                          {SingleByte::kWestern, SingleByte::kWindows1250},
                                          {SingleByte::kDos852, SingleByte::kWindows1250},
                                          {SingleByte::kIso2, SingleByte::kWindows1250},
                                          {SingleByte::kWindows1250, SingleByte::kIso2},
                                          {SingleByte::kWestern, SingleByte::kMacRoman},
                                          {SingleByte::kWindows1250, SingleByte::kMacRoman},
                                          {SingleByte::kIso2, SingleByte::kMacRoman},
                                          {SingleByte::kWindows1254, SingleByte::kMacRoman},
                                          {SingleByte::kWestern, SingleByte::kDos850},
                                          {SingleByte::kWindows1250, SingleByte::kDos850},
                                          {SingleByte::kWestern, SingleByte::kDos852},
                                          {SingleByte::kWindows1250, SingleByte::kDos852},
                                          {SingleByte::kWestern, SingleByte::kDos437},
                                          {SingleByte::kWestern, SingleByte::kWindows1254},
                                          {SingleByte::kWestern, SingleByte::kWindows1257},
                                          {SingleByte::kWindows1257, SingleByte::kWindows1250},
                                          {SingleByte::kWindows1250, SingleByte::kWindows1257},
                                          {SingleByte::kWindows1254, SingleByte::kWindows1250}}};

// What a character becomes; itself where the page does not have it.
char32_t mapped(char32_t code, const Pair& pair) {
  const unsigned byte = single_page(pair.read_as).encode(code);
  const char32_t out = byte == 0 ? 0 : single_page(pair.was).decode(byte);
  return out == 0 ? code : out;
}

}  // namespace

bool LatinMixup::find(std::string_view text) {
  places_.clear();
  for (const Seen& one : seen_) place_of_[2 * slot_of(one.code) + (one.inside ? 1 : 0)] = 0;
  seen_.clear();
  count_letters(text);
  if (!choose()) return false;
  collect(text);
  return !places_.empty();
}

void LatinMixup::add(char32_t code, bool inside) {
  std::uint16_t& place = place_of_[2 * slot_of(code) + (inside ? 1 : 0)];
  if (place == 0) {
    seen_.push_back({code, inside, 0});
    place = static_cast<std::uint16_t>(seen_.size());
  }
  ++seen_[place - 1U].count;
}

void LatinMixup::count_letters(std::string_view text) {
  for (std::size_t at = next_high(text, 0); at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first > 0xc9 && first != 0xcb && first != 0xe2) {  // no Latin letter of a page, no sign of typography
      at = next_high(text, at + fast_character_at(text, at).bytes);
      continue;
    }
    const Character one = fast_character_at(text, at);
    const std::size_t next = at + one.bytes;
    const std::size_t slot = slot_of(one.code);
    if (slot != kNoSlot && !may_join(one.code)) {
      const char32_t behind = next < text.size() ? fast_character_at(text, next).code : U' ';
      const char32_t before_it = at > 0 ? character_at(text, before(text, at)).code : U' ';
      const bool letter = (one.code >= 0xc0 && one.code < 0x250 && one.code != 0xd7 && one.code != 0xf7);
      if (letter && !(is_capital(one.code) && is_small_plain(before_it))) {
        add(one.code, false);
      } else if (is_plain(before_it) && (is_plain(behind) || (behind >= 0xc0 && behind < 0x250))) {
        add(one.code, true);
      }
    }
    at = next_high(text, next);
  }
}

bool LatinMixup::choose() {
  std::size_t all = 0;
  for (const Seen& one : seen_) all += one.count;
  // Letters that an alphabet does not explain, as they stand (no pair) or mapped.
  const auto odd = [&](const Alphabet& alphabet, const Pair* pair) {
    std::size_t out = 0;
    for (const Seen& one : seen_) {
      const char32_t code = pair == nullptr ? one.code : mapped(one.code, *pair);
      const std::size_t slot = slot_of(code);
      const bool there =
          slot != kNoSlot && alphabet.has[slot] && !(one.inside && (pair == nullptr || is_capital(code)));
      out += there ? 0 : one.count;
    }
    return out;
  };
  std::size_t now = all;
  for (const Alphabet& one : alphabets()) now = std::min(now, odd(one, nullptr));
  if (seen_.size() < 3 || now < 5 || now * 12 < all) return false;
  std::size_t least = now;
  for (const Pair& pair : kPairs) {
    for (std::size_t i = 0; i < kAlphabets.size(); ++i) {
      const std::size_t left = odd(alphabets()[i], &pair);
      if (left >= least) continue;
      least = left;
      was_ = pair.was;
      read_as_ = pair.read_as;
      language_ = i;
    }
  }
  count_ = now;
  return least * 10 <= now;
}

// Words with a letter that the language lacks, or a sign between letters.
void LatinMixup::collect(std::string_view text) {
  const Pair pair{was_, read_as_};
  const Alphabet& alphabet = alphabets()[language_];
  const auto is_word = [&](char32_t code) {
    return is_plain(code) || (code >= 0x80 && slot_of(code) != kNoSlot && !may_join(code));
  };
  for (std::size_t at = next_high(text, 0); at < text.size() && places_.size() < kMostPlaces;) {
    const Character one = fast_character_at(text, at);
    const std::size_t slot = slot_of(one.code);
    const bool own = slot != kNoSlot && alphabet.has[slot] && mapped(one.code, pair) == one.code;
    if (slot == kNoSlot || own || may_join(one.code) || mapped(one.code, pair) == one.code) {
      at = next_high(text, at + one.bytes);
      continue;
    }
    std::size_t from = at;
    for (int most = 40; most > 0 && from > 0 && is_word(character_at(text, before(text, from)).code); --most) {
      from = before(text, from);
    }
    std::size_t to = at;
    for (int most = 40; most > 0 && to < text.size() && is_word(character_at(text, to).code); --most) {
      to += character_at(text, to).bytes;
    }
    places_.push_back({from, to - from});
    at = next_high(text, std::max(to, at + one.bytes));
  }
}

std::string LatinMixup::undo(std::string_view text) const {
  const Pair pair{was_, read_as_};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    append_utf8(one.code < 0x80 ? one.code : mapped(one.code, pair), out);
    at += one.bytes;
  }
  return out;
}

}  // namespace assay
