// What programs that take text out of PDF files leave behind. A page holds glyphs and places, no words: blanks are
// guessed from gaps, ligatures are single glyphs, and a font without a table of characters has numbers only.
//
// Letters apart: a stretch of single letters with the same one or two blanks between most of them, where the letters
// are as mixed as in words: a third of them vowels, some frequent and some rare; in Chinese, Japanese and Korean some
// of them again and again; and in no script most of them in the order of their codes. Alphabets, tables of syllables,
// lists of surnames, matrices and puzzles are not.
// Words together: a word of many small letters that has the frequent short words and endings of English in it, and
// vowels as text has them. Compound words of German and Finnish have none of those words, sequences of DNA and proteins
// are written in capitals. A word of more than a hundred letters is none in any language that sets blanks: it has only
// to look like text, which is to have vowels as text has them, few capitals, signs and digits, frequent and rare
// letters, and no two letters again and again as the names of proteins have ("methionylthreonylthreonyl"). So has a
// word of forty letters in a document of many such ones with signs in them, as where the ends of the lines are left.
// Where only some blanks are lost, words are twice as long as those of any text in English, and "the", "and", "that"
// stand within them.
// Glyph numbers: fonts count their glyphs in the order of ASCII, from another beginning; 'e' becomes 'H', 'a' 'D'. The
// histogram of the text, moved by the difference, is that of a text in Latin letters, and without moving it is not.
//
// Limits: fonts whose glyphs are numbered in the order of their use are a cipher, which is not solved here.

#include "measure/text/extraction.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/ascii.h"
#include "measure/text/characters.h"
#include "measure/text/vowels.h"

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

// Small letters from capitals, as far as the alphabets that are looked at here go.
char32_t small_of(char32_t code) {
  const bool plain = (code >= 'A' && code <= 'Z') || (code >= 0xc0 && code <= 0xde && code != 0xd7) ||
                     (code >= 0x391 && code <= 0x3ab) || (code >= 0x410 && code <= 0x42f);
  if (plain) return code + 0x20;
  if (code >= 0x400 && code <= 0x40f) return code + 0x50;
  const bool even_capital = (code >= 0x100 && code <= 0x137) || (code >= 0x14a && code <= 0x177) ||
                            (code >= 0x48a && code < 0x530) || (code >= 0x1e00 && code <= 0x1eff);
  if (even_capital) return code | 1;
  const bool odd_capital = (code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17e);
  return odd_capital && code % 2 == 1 ? code + 1 : code;
}

bool is_accented_vowel(char32_t small) {
  if (small < 0x100) return small >= 0xe0 && std::u32string_view(U"çðñ÷þ").find(small) == std::u32string_view::npos;
  return small <= 0x105 || (small >= 0x112 && small <= 0x11b) || (small >= 0x128 && small <= 0x131) ||
         (small >= 0x14c && small <= 0x153) || (small >= 0x168 && small <= 0x173) || small == 0x177 ||
         (small >= 0x1ea0 && small <= 0x1ef9) || small == U'ơ' || small == U'ư';
}

// Of Latin, Cyrillic and Greek. `small`: a small letter.
bool is_vowel_of(CharacterKind kind, char32_t small) {
  if (small < 0x80) return is_vowel(static_cast<char>(small));
  if (kind == CharacterKind::kLatin) return is_accented_vowel(small);
  return (kind == CharacterKind::kGreek ? kGreekVowels : kCyrillicVowels).contains(small);
}

constexpr bool has_known_vowels(CharacterKind kind) {
  return kind == CharacterKind::kLatin || kind == CharacterKind::kCyrillic || kind == CharacterKind::kGreek;
}

// Ideographs and syllables: too many of them for an alphabet.
constexpr bool is_syllable(CharacterKind kind) {
  return kind == CharacterKind::kHan || kind == CharacterKind::kKana || kind == CharacterKind::kHangul;
}

// How often each letter stands, by the last six bits of its code.
using LetterCounts = std::array<std::size_t, 64>;

// Whether some letters are frequent and others rare. Two letters of a text, taken at random, are the same in more than
// one of twenty cases; of random letters, in one of twenty-six.
bool has_rare_letters(const LetterCounts& counts, std::size_t letters) {
  std::size_t same = 0;
  for (const std::size_t count : counts) same += count * (count == 0 ? 0 : count - 1);
  return same * 1000 >= letters * (letters - 1) * 43;
}

// Of a stretch of single letters: whether they are as mixed as in words.
struct Mix {
  std::size_t letters = 0;
  std::size_t signs = 0;
  std::size_t vowels = 0;
  std::size_t voiced = 0;     // letters of which it is known whether they are vowels
  std::size_t other = 0;      // letters above ASCII
  std::size_t near = 0;       // letters that follow the one before in the alphabet, or are the same
  std::size_t ascending = 0;  // letters above ASCII that stand anywhere behind the one before
  LetterCounts counts = {};
  char32_t last = 0;
  std::array<std::size_t, 3> gaps = {};  // of one blank, two, more
  std::vector<char32_t> syllables;       // the first ones

  void add(char32_t code) {
    ++letters;
    const char32_t small = small_of(code);
    const CharacterKind kind = kind_of(code);
    ++counts[small & 63];
    near += small == last + 1 || small == last ? 1U : 0U;
    if (has_known_vowels(kind)) {
      ++voiced;
      vowels += is_vowel_of(kind, small) ? 1U : 0U;
    }
    if (code >= 0x80) {
      ++other;
      ascending += small > last ? 1U : 0U;
      if (is_syllable(kind) && syllables.size() < 2000) syllables.push_back(code);
    }
    last = small;
  }
  void add_gap(std::size_t blanks) { ++gaps[std::min<std::size_t>(blanks, gaps.size()) - 1]; }

  bool reads_as_words() {
    if (near * 3 > letters || signs * 2 > letters) return false;
    if (gaps[2] > std::max(gaps[0], gaps[1]) || (gaps[1] > gaps[0] && letters < kMany)) return false;
    if (other * 2 > letters && (ascending * 4 > other * 3 || ascending * 4 < other)) return false;
    return syllables.size() * 2 > letters ? repeats_syllables() : spells_words();
  }

 private:
  static constexpr std::size_t kMany = 40;  // letters: enough to count them

  // Words have neither all letters once, as lists have, nor a few again and again, as music and matrices have; with
  // many letters their shares are as in text, which those of puzzles and proteins are not.
  bool spells_words() const {
    const auto different = static_cast<std::size_t>(std::ranges::count_if(counts, [](auto n) { return n > 0; }));
    if (different < (letters < kMany ? 6 : 11) || different * 20 > letters * 19) return false;
    const bool voices = voiced * 2 > letters;
    if (voices && (vowels * 5 < voiced || vowels * 3 > voiced * 2)) return false;
    if (letters < 2 * kMany) return true;
    return has_rare_letters(counts, letters) && !(voices && vowels * 10 < voiced * 3);
  }

  // Lists have each once, tables of "yes" and "no" have few.
  bool repeats_syllables() {
    std::sort(syllables.begin(), syllables.end());
    const auto end = std::unique(syllables.begin(), syllables.end());
    const auto different = static_cast<std::size_t>(end - syllables.begin());
    return syllables.size() >= kMany && different >= 20 && different * 10 <= syllables.size() * 9;
  }
};

constexpr bool sets_blanks(CharacterKind kind) {
  return has_known_vowels(kind) || kind == CharacterKind::kArmenian || kind == CharacterKind::kGeorgian ||
         kind == CharacterKind::kHebrew || kind == CharacterKind::kArabic;
}

// Whether a sign stands so often in a word that it holds a list together: "apple,pear,plum", "org.example.text".
bool is_joined_list(std::string_view word) {
  return std::ranges::any_of(std::string_view(".,-:;"), [&](char sign) {
    const auto count = static_cast<std::size_t>(std::ranges::count(word, sign));
    return count >= 4 && count * 12 > word.size();
  });
}

// What a long word is made of, where it is letters of one script that sets blanks between words, a few of Latin among
// them, and signs of a sentence.
class Glue {
 public:
  // False: the word has something else in it.
  bool read(std::string_view word) {
    for (std::size_t at = 0; at < word.size();) {
      const Character one = character_at(word, at);
      const CharacterKind kind = kind_of(one.code);
      if (kind >= CharacterKind::kLatin ? !read_letter(one.code, kind) : !read_sign(one.code, kind)) return false;
      at += one.bytes;
    }
    return true;
  }

  bool reads_as_text(std::size_t least) const {
    if (foreign_ > 0 && latin_ * 5 > letters_) return false;
    if (letters_ < least || std::popcount(seen_) < 12) return false;
    if (signs_ * 8 > letters_ || commas_ * 14 > letters_ || hyphens_ * 24 > letters_ || digits_ * 16 > letters_)
      return false;
    if (capitals_ * 9 > letters_ || names_ * 40 > letters_ || accented_ * 2 > letters_) return false;
    if ((foreign_ == 0 || has_known_vowels(script_)) &&
        (vowels_ * 100 < letters_ * 30 || vowels_ * 100 > letters_ * 62))
      return false;
    return has_rare_letters(counts_, letters_) && !repeats_pair();
  }

 private:
  bool read_letter(char32_t code, CharacterKind kind) {
    if (!sets_blanks(kind)) return false;
    if (kind == CharacterKind::kLatin) {
      ++latin_;
    } else {
      if (foreign_++ == 0) script_ = kind;
      if (kind != script_) return false;
    }
    const char32_t small = small_of(code);
    ++letters_;
    capitals_ += small != code ? 1U : 0U;
    names_ += after_dot_ && small == code && small < 0x80 ? 1U : 0U;
    vowels_ += has_known_vowels(kind) && is_vowel_of(kind, small) ? 1U : 0U;
    accented_ += kind == CharacterKind::kLatin && code >= 0x80 ? 1U : 0U;
    seen_ |= std::uint64_t{1} << (small & 63);
    ++counts_[small & 63];
    if (last_ != 0) ++pairs_[(last_ & 31) * 32 + (small & 31)];
    last_ = small;
    after_dot_ = false;
    return true;
  }
  bool read_sign(char32_t code, CharacterKind kind) {
    last_ = 0;
    after_dot_ = code == '.' || code == ':';
    if (kind == CharacterKind::kMark) return true;
    if (kind == CharacterKind::kDigit) {
      ++digits_;
      return true;
    }
    ++signs_;
    const bool unbroken = code == 0xa0 || code == 0x202f;  // before the signs of French; elsewhere they are blanks
    commas_ += code == ',' || code == ';' || unbroken ? 1U : 0U;
    hyphens_ += code == '-' ? 1U : 0U;
    return code < 0x80 ? std::string_view(".,;:!?'\"()-").find(static_cast<char>(code)) != std::string_view::npos
                       : kind == CharacterKind::kPunctuation || unbroken;
  }
  bool repeats_pair() const { return *std::max_element(pairs_.begin(), pairs_.end()) * 11 > letters_; }

  CharacterKind script_ = CharacterKind::kLatin;  // of the letters that are not Latin, where there are some
  std::size_t letters_ = 0;
  std::size_t latin_ = 0;
  std::size_t foreign_ = 0;
  std::size_t capitals_ = 0;
  std::size_t names_ = 0;  // small letters behind a dot: "org.example.text"
  std::size_t vowels_ = 0;
  std::size_t accented_ = 0;
  std::size_t signs_ = 0;
  std::size_t commas_ = 0;
  std::size_t hyphens_ = 0;
  std::size_t digits_ = 0;
  std::uint64_t seen_ = 0;
  LetterCounts counts_ = {};
  std::array<std::uint32_t, 1024> pairs_ = {};
  char32_t last_ = 0;
  bool after_dot_ = false;
};

// Where letters apart may begin from `at` on, in ASCII: every second or third byte of such a stretch is a letter, so
// that every sixteenth place tells.
std::size_t next_spaced(std::string_view text, std::size_t at) {
  const auto apart = [&](std::size_t i) { return text[i] == ' ' && text[i + 2] == ' ' && text[i + 1] != ' '; };
  const auto far_apart = [&](std::size_t i) {
    return apart(i) && apart(i + 3) && text[i + 6] == ' ' && text[i + 7] != ' ';
  };
  for (std::size_t i = at; i + 24 < text.size(); i += 16) {
    const bool here = (apart(i) && apart(i + 2)) || (apart(i + 1) && apart(i + 3)) || (apart(i + 2) && apart(i + 4)) ||
                      far_apart(i) || far_apart(i + 1) || far_apart(i + 2);
    if (!here) continue;
    std::size_t from = i;
    while (from > at && i - from < 20 && text[from - 1] != '\n') --from;
    return from;
  }
  return text.size() - at > 48 ? text.size() : at;
}

// A sign or digit of a sentence that stands alone as its letters do: its bytes; 0: none.
std::size_t sign_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  const char c = text[at];
  if (static_cast<unsigned char>(c) < 0x80)
    return (c >= '0' && c <= '9') || std::string_view(".,;:!?'\"-").find(c) != std::string_view::npos ? 1 : 0;
  const Character one = character_at(text, at);
  return kind_of(one.code) == CharacterKind::kPunctuation ? one.bytes : 0;
}

constexpr std::size_t kWidestGap = 8;  // blanks between words whose letters are apart

// Single letters and signs from `at` on: behind the last.
std::size_t behind_letters(std::string_view text, std::size_t at, Mix& mix) {
  std::size_t end = at;
  for (std::size_t i = at;;) {
    const std::size_t letter = letter_at(text, i);
    const std::size_t size = letter > 0 ? letter : sign_at(text, i);
    const std::size_t next = i + size;
    if (size == 0 || (next < text.size() && text[next] != ' ' && text[next] != '\n')) return end;
    if (letter > 0) {
      mix.add(character_at(text, i).code);
    } else {
      ++mix.signs;
    }
    end = next;
    i = next;
    while (i < text.size() && text[i] == ' ' && i - next < kWidestGap) ++i;
    if (i > next) mix.add_gap(i - next);
    if (i < text.size() && text[i] == '\n') ++i;
    if (i == next) return end;
  }
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
    const std::size_t end = behind_letters(text, at, mix);
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

bool is_endless(std::string_view word, std::size_t least) {
  if (word.size() < least) return false;
  const auto first = static_cast<unsigned char>(word.front());
  if (first == 0xe0 || first >= 0xe3) return false;  // most often of Chinese, Japanese, Korean, Thai or Hindi
  Glue glue;
  return glue.read(word) && glue.reads_as_text(least);
}

bool is_half_glued(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kOfShortWords = {"the", "and", "tha", "hat", "was",
                                                                    "ith", "you", "his", "for"};
  std::size_t letters = 0;
  std::size_t found = 0;
  std::uint32_t different = 0;
  std::size_t turns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_letter(text[i])) continue;
    ++letters;
    turns += i > 0 && is_small(text[i - 1]) && !is_small(text[i]) ? 1U : 0U;
    const auto* const one = std::find(kOfShortWords.begin(), kOfShortWords.end(), text.substr(i, 3));
    if (one == kOfShortWords.end()) continue;
    ++found;
    different |= 1U << (one - kOfShortWords.begin());
  }
  return found >= 8 && std::popcount(different) >= 4 && found * 100 >= letters * 3 && turns * 30 <= letters;
}

bool is_glued(std::string_view word) {
  if (static_cast<unsigned char>(word.front()) >= 0xe0) return false;
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
  if (is_joined_list(word)) return false;
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
