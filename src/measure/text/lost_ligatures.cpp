// Ligatures are single glyphs, and a program that does not know them leaves a blank: "signi cant". Words are told by a
// list of the halves that remain; none of them is a word of English. In few texts the letter before a blank and the two
// behind it stand as in a half, so that the list is asked for one blank in a hundred.

#include "measure/text/lost_ligatures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/ascii.h"
#include "measure/text/byte_masks.h"

namespace assay {

namespace {

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

}  // namespace assay
