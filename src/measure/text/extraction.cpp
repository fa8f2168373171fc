// What programs that take text out of PDF files leave behind. A page holds glyphs and places, no words: blanks are
// guessed from gaps, ligatures are single glyphs, and a font without a table of characters has numbers only.
//
// Letters apart: a stretch of single letters with one blank between each, where the letters are as mixed as in words (a
// third of them vowels or, in other scripts, at least six different ones): alphabets and matrices are not.
// Words together: a word of many small letters that has the frequent short words and endings of a language in it, and
// vowels as text has them. Compound words of German and Finnish have none of those words, sequences of DNA and proteins
// are written in capitals.
// Ligatures lost: a list of the halves that remain; none of them is a word of English.
// Glyph numbers: fonts count their glyphs in the order of ASCII, from another beginning; 'e' becomes 'H', 'a' 'D'. The
// histogram of the text, moved by the difference, is that of a text in Latin letters, and without moving it is not.
//
// Limits: fonts whose glyphs are numbered in the order of their use are a cipher, which is not solved here.

#include "measure/text/extraction.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/ascii.h"
#include "measure/text/byte_masks.h"
#include "measure/text/characters.h"

namespace assay {

namespace {

constexpr bool is_small(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_vowel(char c) {
  const char small = lower(c);
  return small == 'a' || small == 'e' || small == 'i' || small == 'o' || small == 'u' || small == 'y';
}

// A letter at `at`: its bytes; 0: none.
std::size_t letter_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  if (static_cast<unsigned char>(text[at]) < 0x80) return is_letter(text[at]) ? 1 : 0;
  const Character one = character_at(text, at);
  return is_letter(kind_of(one.code)) ? one.bytes : 0;
}

// Of a stretch of single letters: whether they are as mixed as in words.
struct Mix {
  std::size_t letters = 0;
  std::size_t vowels = 0;
  std::size_t other = 0;   // letters above ASCII
  std::size_t rising = 0;  // letters that follow the one before in the alphabet
  std::uint32_t seen = 0;  // of a to z
  std::uint64_t seen_other = 0;
  char last = 0;

  void add(std::string_view letter) {
    ++letters;
    if (letter.size() > 1) {
      ++other;
      seen_other |= std::uint64_t{1} << (static_cast<unsigned char>(letter.back()) & 63);
      return;
    }
    const char small = lower(letter.front());
    vowels += is_vowel(small) ? 1U : 0U;
    rising += small == last + 1 || small == last ? 1U : 0U;
    seen |= 1U << (static_cast<unsigned>(small - 'a') & 31);
    last = small;
  }
  bool reads_as_words() const {
    if (rising * 3 > letters) return false;
    if (other * 2 > letters) return __builtin_popcountll(seen_other) >= 6;
    const std::size_t plain = letters - other;
    return __builtin_popcount(seen) >= 6 && vowels * 5 >= plain && vowels * 3 <= plain * 2;
  }
};

// As many letters in a row, of scripts that set blanks between words, and not the same few of them.
bool is_endless(std::string_view word) {
  std::size_t letters = 0;
  std::uint64_t seen = 0;
  for (std::size_t at = 0; at < word.size();) {
    const Character one = character_at(word, at);
    const CharacterKind kind = kind_of(one.code);
    const bool spaced = kind == CharacterKind::kLatin || kind == CharacterKind::kCyrillic ||
                        kind == CharacterKind::kGreek || kind == CharacterKind::kArmenian ||
                        kind == CharacterKind::kHebrew || kind == CharacterKind::kArabic;
    const bool sign = one.code == '.' || one.code == ',' || one.code == '-';
    const bool capital = one.code >= 'A' && one.code <= 'Z';
    if ((!spaced && !sign) || (capital && at > 0)) return false;
    if (spaced) {
      ++letters;
      seen |= std::uint64_t{1} << (one.code & 63);
    }
    at += one.bytes;
  }
  return letters >= 80 && __builtin_popcountll(seen) >= 12;
}

// Where letters apart may begin from `at` on, in ASCII: every second byte of such a stretch is a blank, so that every
// sixteenth place tells.
std::size_t next_spaced(std::string_view text, std::size_t at) {
  const auto apart = [&](std::size_t i) { return text[i] == ' ' && text[i + 2] == ' ' && text[i + 1] != ' '; };
  for (std::size_t i = at; i + 24 < text.size(); i += 16) {
    const bool here = (apart(i) && apart(i + 2)) || (apart(i + 1) && apart(i + 3)) || (apart(i + 2) && apart(i + 4));
    if (!here) continue;
    std::size_t from = i;
    while (from > at && i - from < 20 && text[from - 1] != '\n') --from;
    return from;
  }
  return text.size() - at > 48 ? text.size() : at;
}

// What stands before and behind the blank; before a first blank, the rest of a word that began with a ligature. In
// order, for the search. Neither halves nor wholes are English.
constexpr std::array<std::string_view, 96> kHalves = {
    " elds",       " exible",      " gure",         " gures",      " ltered",       " ltering",     " nally",
    " ndings",     " oating",      " rst",          " rstly",      " xed",          "a ected",      "a ects",
    "ampli ed",    "ampli er",     "arti cial",     "arti cially", "bene cial",     "bene t",       "bene ts",
    "bu er",       "bu ers",       "certi cate",    "certi cates", "classi cation", "classi ed",    "classi er",
    "classi ers",  "coe cient",    "coe cients",    "con dence",   "con dential",   "con guration", "con gure",
    "con gured",   "con ict",      "con icts",      "con rm",      "con rmed",      "de ned",       "de ning",
    "de nite",     "de nitely",    "de nition",     "de nitions",  "di cult",       "di culties",   "di culty",
    "di erence",   "di erences",   "di erent",      "di erently",  "di ers",        "di usion",     "e cacy",
    "e ciency",    "e cient",      "e ciently",     "e ect",       "e ective",      "e ectively",   "e ects",
    "e ort",       "e orts",       "identi cation", "identi ed",   "identi er",     "identi es",    "in ated",
    "in ation",    "in nite",      "in uence",      "in uenced",   "modi cation",   "modi ed",      "modi es",
    "noti cation", "o cial",       "o ering",       "o ers",       "over ow",       "re ect",       "re ected",
    "re ects",     "satis ed",     "scienti c",     "signi cance", "signi cant",    "signi cantly", "speci c",
    "speci cally", "speci cation", "speci ed",      "su cient",    "work ow"};

// Letters as numbers, 31 for what is none.
constexpr std::array<std::uint8_t, 256> kLetterSlots = [] {
  std::array<std::uint8_t, 256> out = {};
  out.fill(31);
  for (char c = 'a'; c <= 'z'; ++c) {
    out[static_cast<unsigned char>(c)] = out[static_cast<unsigned char>(c - 'a' + 'A')] =
        static_cast<std::uint8_t>(c - 'a');
  }
  return out;
}();
constexpr std::size_t slot_of(char c) { return kLetterSlots[static_cast<unsigned char>(c)]; }

// Of the letter before the blank and the two behind it: whether they stand so in a half. In few texts do they.
constexpr std::array<std::uint32_t, 1024> kMayBeHalf = [] {
  std::array<std::uint32_t, 1024> out = {};
  for (const std::string_view one : kHalves) {
    const std::size_t blank = one.find(' ');
    const std::string_view behind = one.substr(blank + 1);
    const std::size_t before = blank == 0 ? 31 : slot_of(one[blank - 1]);
    out[32 * before + slot_of(behind[0])] |= std::uint32_t{1} << (behind.size() > 1 ? slot_of(behind[1]) : 31);
  }
  return out;
}();

bool may_be_half(char before, char first, char second) {
  return (kMayBeHalf[32 * slot_of(before) + slot_of(first)] >> slot_of(second) & 1) != 0;
}

// The length of what is left of a word that lost its ligature, from `from` on; `at`: of the blank. 0: none.
std::size_t lost_ligature(std::string_view text, std::size_t at, std::size_t& from) {
  std::size_t begin = at;
  while (begin > 0 && at - begin < 8 && is_letter(text[begin - 1])) --begin;
  if (begin > 0 && text[begin - 1] > ' ' && static_cast<unsigned char>(text[begin - 1]) < 0x80) return 0;
  std::array<char, 24> key = {};
  std::size_t size = 0;
  for (std::size_t i = begin; i < at; ++i) key[size++] = lower(text[i]);
  key[size++] = ' ';
  std::size_t end = at + 1;
  while (end < text.size() && size < key.size() && is_letter(text[end])) key[size++] = lower(text[end++]);
  if (size == key.size() || size < 4) return 0;
  if (!std::binary_search(kHalves.begin(), kHalves.end(), std::string_view(key.data(), size))) return 0;
  from = begin == at ? at + 1 : begin;
  return end - from;
}

}  // namespace

Residue spaced_letters(std::string_view text, bool ascii) {
  Residue best;
  for (std::size_t at = 0; at < text.size();) {
    if (ascii) at = next_spaced(text, at);
    if (at >= text.size()) break;
    const std::size_t bytes = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n' ? letter_at(text, at) : 0;
    if (bytes == 0) {
      ++at;
      continue;
    }
    Mix mix;
    std::size_t end = at;
    for (std::size_t i = at;;) {
      const std::size_t size = letter_at(text, i);
      const bool sign =
          size == 0 && i < text.size() && (text[i] == '.' || text[i] == ',' || (text[i] >= '0' && text[i] <= '9'));
      if (size == 0 && !sign) break;
      const std::size_t next = i + std::max<std::size_t>(size, 1);
      if (next < text.size() && text[next] != ' ' && text[next] != '\n') break;
      if (size > 0) mix.add(text.substr(i, size));
      end = next;
      i = next;
      std::size_t blanks = 0;
      while (i < text.size() && text[i] == ' ' && blanks < 4) ++i, ++blanks;
      if (i < text.size() && text[i] == '\n') ++i;
      if (i == next) break;
    }
    if (mix.letters > best.count && mix.reads_as_words()) best = {at, end - at, mix.letters};
    at = std::max(end, at + bytes);
  }
  return best;
}

std::string unspaced(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != ' ') {
      out.push_back(text[at++]);
      continue;
    }
    std::size_t blanks = 0;
    while (at < text.size() && text[at] == ' ') ++at, ++blanks;
    if (blanks > 1) out.push_back(' ');
  }
  return out;
}

bool is_glued(std::string_view word) {
  if (static_cast<unsigned char>(word.front()) >= 0xe0) return false;
  if (word.size() >= 80 && is_endless(word)) return true;
  std::size_t small = 0;
  std::size_t letters = 0;
  std::size_t vowels = 0;
  std::size_t turns = 0;  // capitals behind small letters
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (!is_letter(word[i])) {
      if (std::string_view("/_=@\\<>{}&%#$+*|~^").find(word[i]) != std::string_view::npos) return false;
      continue;
    }
    ++letters;
    small += is_small(word[i]) ? 1U : 0U;
    vowels += is_vowel(word[i]) ? 1U : 0U;
    turns += i > 0 && !is_small(word[i]) && is_letter(word[i - 1]) && is_small(word[i - 1]) ? 1U : 0U;
  }
  if (letters < 20 || letters * 100 < word.size() * 85 || small * 100 < letters * 85) return false;
  if (vowels * 4 < letters || vowels * 2 > letters || turns * 8 > letters) return false;
  // The twenty most frequent threes of letters of English: a seventh of running text, a thirtieth of long words of
  // other languages.
  static constexpr std::array<std::string_view, 20> kFrequent = {"the", "and", "ing", "her", "hat", "his", "tha",
                                                                 "ere", "for", "ent", "ion", "ter", "was", "you",
                                                                 "ith", "ver", "all", "wit", "thi", "tio"};
  std::size_t found = 0;
  for (std::size_t i = 0; i + 3 <= word.size(); ++i) {
    found += std::find(kFrequent.begin(), kFrequent.end(), word.substr(i, 3)) != kFrequent.end() ? 1U : 0U;
  }
  return found >= 3 && found * 100 >= letters * 7;
}

Residue next_lost_ligature(std::string_view whole, std::size_t at, std::size_t end) {
  end = std::min(end, whole.size());
  const std::string_view text = whole.substr(0, end);
  ByteMasks blanks;
  const std::size_t last = end < 2 ? 0 : end - 2;  // two letters follow the blank
  for (; at < last; at += kMaskedBytes) {
    mask_either(text.substr(0, last), at, ' ', ' ', blanks);
    for (std::size_t from = at; from < last && from < at + kMaskedBytes; from += kMaskBytes) {
      for (std::uint64_t bits = blanks[(from - at) / kMaskBytes]; bits != 0; bits &= bits - 1) {
        const std::size_t blank = from + static_cast<std::size_t>(std::countr_zero(bits));
        if (!may_be_half(blank == 0 ? ' ' : whole[blank - 1], whole[blank + 1], whole[blank + 2])) continue;
        Residue one{0, 0, 1};
        one.length = lost_ligature(whole, blank, one.offset);
        if (one.length > 0) return one;
      }
    }
  }
  return {};
}

int glyph_shift(std::string_view text) {
  std::array<std::uint32_t, 256> counts = {};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  // Frequencies of letters of English, in thousandths; those of its neighbours are near enough.
  static constexpr std::array<int, 26> kShares = {82, 15, 28, 43, 127, 22, 20, 61, 70, 2,  8, 40, 24,
                                                  67, 75, 19, 1,  60,  63, 91, 28, 10, 24, 2, 20, 1};
  const auto likeness =
      [&](int shift) {  // how much of the visible text is letters, weighted with how frequent they are
        double sum = 0;
        double visible = 0;
        for (int byte = 0x21; byte < 0x7f; ++byte) {
          const double count = counts[static_cast<std::size_t>(byte)];
          visible += count;
          const int shown = byte + shift;
          if (shown >= 'a' && shown <= 'z') sum += count * kShares[static_cast<std::size_t>(shown - 'a')];
          if (shown >= 'A' && shown <= 'Z')
            sum += count * (shift == 0 ? 1 : 0.5) * kShares[static_cast<std::size_t>(shown - 'A')];
        }
        return visible < 24 ? 0 : sum / visible;
      };
  const double now = likeness(0);
  if (now > 45) return 0;
  int best = 0;
  double most = 50;  // running text has 65, and 55 with its digits and signs
  for (int shift = 1; shift <= 64; ++shift) {
    if (shift == 'a' - 'A') continue;
    const double likely = likeness(shift);
    if (likely > most) {
      most = likely;
      best = shift;
    }
  }
  return most > 1.6 * now ? best : 0;
}

}  // namespace assay
