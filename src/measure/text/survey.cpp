// One pass over a document: what its bytes are, how often each sign occurs, and the longest runs of two classes.
//
// Vectors tell the class of 64 bytes by two table look-ups, by the high and by the low half of the byte, whose common
// bits are the class. Letters, vowels and capitals are counted where they stand, lane by lane; blanks, and what is
// neither letter nor digit nor space, become bit masks. These others (signs, bytes of other scripts) are counted one by
// one in a table: three in a hundred bytes of prose. Four are taken at a time, there or not, because a loop that ends
// after one or two or three waits each time for a branch that was not foreseen. Where most bytes are others, all 64 are
// counted, in four tables in turn: equal bytes that follow each other would wait for each other's memory.
//
// The longest word and blank follow from the masks alone: the run that comes in from the masks before, the one that
// goes out, and, for the inside, whether any run is longer than the longest so far, which a few shifts tell (x & x >> 1
// has a bit where two follow each other, and so on by doubling). No step depends on how many words there are.
//
// Speed: bench/corpus_bench. The twin in tests/unit/survey_test.cpp counts byte by byte.

#include "measure/text/survey.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "measure/text/survey.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#ifndef ASSAY_SURVEY_ONCE
#define ASSAY_SURVEY_ONCE
namespace assay {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kTables = 4;
constexpr int kMany = 16;  // other bytes of a block: then all of it is counted

struct Runs {
  std::uint32_t word = 0, blank = 0;
};

struct Counts {
  std::uint64_t letters = 0, capitals = 0, vowels = 0;
  std::uint64_t plain = 0;  // letters, digits, spaces
  std::uint64_t blanks = 0;
};

struct BlockMasks {
  std::uint64_t plain = 0, blanks = 0;
};

// Eight bytes into the tables, in turn. Written out: g++ leaves the loop a loop, which takes twice as long.
inline void count_eight(const unsigned char* in, std::uint32_t* tables) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, in, sizeof eight);
  ++tables[eight & 0xFF];
  ++tables[256 + (eight >> 8 & 0xFF)];
  ++tables[512 + (eight >> 16 & 0xFF)];
  ++tables[768 + (eight >> 24 & 0xFF)];
  ++tables[eight >> 32 & 0xFF];
  ++tables[256 + (eight >> 40 & 0xFF)];
  ++tables[512 + (eight >> 48 & 0xFF)];
  ++tables[768 + (eight >> 56)];
}

}  // namespace assay
#endif  // ASSAY_SURVEY_ONCE

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The longest run of one class of bytes, fed with masks of 64 bytes; the last is filled up with zeros.
class LongestRun {
 public:
  // No branch on where runs begin and end: a text does that too often to be foreseen.
  HWY_INLINE void feed(std::uint64_t mask) {
    const std::uint32_t through = open_ + static_cast<std::uint32_t>(std::countr_one(mask));
    open_ = mask == ~std::uint64_t{0} ? through : static_cast<std::uint32_t>(std::countl_one(mask));
    if (through > longest_ || (longest_ < kBlock && has_longer(mask))) lengthen(mask, through);
  }
  // The same for a class that seldom has two in a row.
  HWY_INLINE void feed_rare(std::uint64_t mask) {
    const bool alone = (mask & mask << 1) == 0 && (open_ == 0 || (mask & 1) == 0);
    if (alone && longest_ > 0) {
      open_ = static_cast<std::uint32_t>(mask >> (kBlock - 1));
    } else {
      feed(mask);
    }
  }
  std::uint32_t longest() const { return std::max(longest_, open_); }

 private:
  // Whether a run of the mask is longer than the longest so far. Bit i of `runs`: as many bits in a row from i as the
  // steps so far add up to.
  HWY_INLINE bool has_longer(std::uint64_t mask) const {
    std::uint64_t runs = mask;
    for (const std::uint8_t step : steps_) runs &= runs >> step;
    return runs != 0;
  }

  HWY_NOINLINE void lengthen(std::uint64_t mask, std::uint32_t through) {
    if (longest_ >= kBlock) {  // none inside is longer
      longest_ = through;
      return;
    }
    std::uint32_t inside = 0;
    for (; mask != 0; mask &= mask >> 1) ++inside;
    longest_ = std::max({longest_, through, inside});
    set_steps();
  }

  // By doubling: 1, 2, 4, and what is missing to longest_, and then no more.
  void set_steps() {
    const std::uint32_t length = std::min<std::uint32_t>(longest_ + 1, kBlock);
    std::uint32_t known = 1;
    for (std::uint8_t& step : steps_) {
      step = static_cast<std::uint8_t>(std::min(known, length - known));
      known += step;
    }
  }

  std::uint32_t longest_ = 0;
  std::uint32_t open_ = 0;  // length of the run that the bytes so far end with
  std::array<std::uint8_t, 6> steps_ = {};
};

#if HWY_TARGET == HWY_SCALAR

// Letters, of which only the number is asked.
class LetterCounts {
 public:
  HWY_INLINE BlockMasks add(const unsigned char* in) {
    BlockMasks masks;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const unsigned char c = in[i];
      const unsigned char small = c | 0x20;
      const std::uint64_t bit = std::uint64_t{1} << i;
      const bool letter = small >= 'a' && small <= 'z';
      counts_.letters += letter ? 1 : 0;
      counts_.capitals += letter && c != small ? 1 : 0;
      for (const char vowel : {'a', 'e', 'i', 'o', 'u', 'y'}) counts_.vowels += letter && small == vowel ? 1 : 0;
      if (letter || (c >= '0' && c <= '9') || c == ' ') masks.plain |= bit;
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') masks.blanks |= bit;
    }
    return masks;
  }
  void sum_up() {}
  const Counts& counts() const { return counts_; }

 private:
  Counts counts_;
};

#else

// A bit for each rectangle of the ASCII table that a class is made of; a byte is in it when both halves have the bit.
constexpr std::uint8_t kDigits = 1;        // 0-9 of 0x3.
constexpr std::uint8_t kLettersFirst = 2;  // A-O a-o of 0x4. and 0x6.
constexpr std::uint8_t kLettersLast = 4;   // P-Z p-z of 0x5. and 0x7.
constexpr std::uint8_t kVowelsFirst = 8;   // A E I O, a e i o
constexpr std::uint8_t kVowelsLast = 16;   // U Y, u y
constexpr std::uint8_t kLineBlanks = 32;   // tab, LF, CR of 0x0.
constexpr std::uint8_t kSpace = 64;        // of 0x2.
constexpr std::uint8_t kFirst = kLettersFirst | kVowelsFirst;
constexpr std::uint8_t kLast = kLettersLast | kVowelsLast;
constexpr std::uint8_t kLetters = kLettersFirst | kLettersLast;
constexpr std::uint8_t kVowels = kVowelsFirst | kVowelsLast;
constexpr std::uint8_t kPlain = kLetters | kDigits | kSpace;
constexpr std::uint8_t kBlanks = kLineBlanks | kSpace;

alignas(16) constexpr std::uint8_t kByHigh[16] = {kLineBlanks, 0, kSpace, kDigits, kFirst, kLast, kFirst, kLast};
alignas(16) constexpr std::uint8_t kByLow[16] = {
    kDigits | kLettersLast | kSpace,                                                    // 0
    kDigits | kLettersFirst | kVowelsFirst | kLettersLast,                              // 1
    kDigits | kLettersFirst | kLettersLast,                                             // 2
    kDigits | kLettersFirst | kLettersLast,                                             // 3
    kDigits | kLettersFirst | kLettersLast,                                             // 4
    kDigits | kLettersFirst | kVowelsFirst | kLettersLast | kVowelsLast,                // 5
    kDigits | kLettersFirst | kLettersLast,                                             // 6
    kDigits | kLettersFirst | kLettersLast,                                             // 7
    kDigits | kLettersFirst | kLettersLast,                                             // 8
    kDigits | kLettersFirst | kVowelsFirst | kLettersLast | kVowelsLast | kLineBlanks,  // 9, tab
    kLettersFirst | kLettersLast | kLineBlanks,                                         // a, LF
    kLettersFirst,                                                                      // b
    kLettersFirst,                                                                      // c
    kLettersFirst | kLineBlanks,                                                        // d, CR
    kLettersFirst,                                                                      // e
    kLettersFirst | kVowelsFirst,                                                       // f
};

using Bytes = hn::CappedTag<std::uint8_t, kBlock>;
using Vector = hn::Vec<Bytes>;

HWY_INLINE Vector lanes_of(Vector lanes, std::uint8_t kinds) { return hn::And(lanes, hn::Set(Bytes(), kinds)); }

// Bits of the lanes that are zero.
HWY_INLINE std::uint64_t zeros_of(Vector lanes) {
  std::uint64_t bits = 0;
  hn::StoreMaskBits(Bytes(), hn::Eq(lanes, hn::Zero(Bytes())), reinterpret_cast<std::uint8_t*>(&bits));
  if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);
  return bits;
}

// Letters, of which only the number is asked: each lane counts its own until it is full.
class LetterCounts {
 public:
  HWY_INLINE LetterCounts() { forget(); }
  HWY_INLINE BlockMasks add(const unsigned char* in) {
    const Bytes d;
    const auto by_high = hn::LoadDup128(d, kByHigh);
    const auto by_low = hn::LoadDup128(d, kByLow);
    BlockMasks others;
    for (std::size_t at = 0; at < kBlock; at += hn::Lanes(d)) {
      const auto bytes = hn::LoadU(d, in + at);
      const auto high = hn::TableLookupBytes(by_high, hn::ShiftRight<4>(bytes));
      const auto low = hn::TableLookupBytes(by_low, hn::And(bytes, hn::Set(d, 15)));
      const auto kinds = hn::And(high, low);
      const auto one = hn::Set(d, 1);
      const auto letter = hn::Min(lanes_of(kinds, kLetters), one);
      letters_ = hn::Add(letters_, letter);
      small_ = hn::Add(small_, hn::And(letter, hn::ShiftRight<5>(bytes)));
      vowels_ = hn::Add(vowels_, hn::Min(lanes_of(kinds, kVowels), one));
      others.plain |= zeros_of(lanes_of(kinds, kPlain)) << at;
      others.blanks |= zeros_of(lanes_of(kinds, kBlanks)) << at;
    }
    if (++blocks_ == kFull) sum_up();
    return {~others.plain, ~others.blanks};
  }
  HWY_INLINE void sum_up() {
    const auto total = [](Vector lanes) HWY_ATTR {
      const hn::Repartition<std::uint64_t, Bytes> words;
      return hn::GetLane(hn::SumOfLanes(words, hn::SumsOf8(lanes)));
    };
    counts_.letters += total(letters_);
    counts_.capitals += total(hn::Sub(letters_, small_));
    counts_.vowels += total(vowels_);
    forget();
  }
  const Counts& counts() const { return counts_; }

 private:
  static constexpr unsigned kFull = 255 / (kBlock / 16);  // blocks: a vector has 16 lanes or more
  HWY_INLINE void forget() {
    letters_ = small_ = vowels_ = hn::Zero(Bytes());
    blocks_ = 0;
  }

  Counts counts_;
  unsigned blocks_;
  Vector letters_, small_, vowels_;
};

#endif

// Other bytes of a block, four at a time: where there are fewer, the block's first byte is counted for the rest, and
// taken off again. (A table may go below zero; what is asked is the sum of all, modulo 2^32.)
HWY_INLINE void count_others(const unsigned char* in, std::uint64_t others, std::uint32_t* tables) {
  std::uint32_t rest = 0U - static_cast<std::uint32_t>(std::popcount(others));
  do {
    for (std::size_t i = 0; i < kTables; ++i) {
      ++tables[256 * i + in[static_cast<std::size_t>(std::countr_zero(others)) % kBlock]];
      others &= others - 1;
    }
    rest += kTables;
  } while (others != 0);
  tables[in[0]] -= rest;
}

void survey_bytes(const unsigned char* in, std::size_t size, std::uint32_t* tables, Counts& counts, Runs& runs) {
  LetterCounts letters;
  LongestRun word;
  LongestRun blank;
  std::uint64_t plain = 0;
  std::uint64_t blanks = 0;
  std::size_t i = 0;
  for (; i + kBlock <= size; i += kBlock) {
    const BlockMasks masks = letters.add(in + i);
    word.feed(~masks.blanks);
    blank.feed_rare(masks.blanks);
    const int others = std::popcount(~masks.plain);
    plain += kBlock - static_cast<unsigned>(others);
    blanks += static_cast<unsigned>(std::popcount(masks.blanks));
    if (others <= kMany) {
      count_others(in + i, ~masks.plain, tables);
    } else {
      for (std::size_t at = 0; at < kBlock; at += 8) count_eight(in + i + at, tables);
    }
  }
  if (i < size) {
    unsigned char rest[kBlock] = {};
    std::memcpy(rest, in + i, size - i);
    const std::uint64_t valid = (std::uint64_t{1} << (size - i)) - 1;
    const BlockMasks masks = letters.add(rest);
    word.feed(~masks.blanks & valid);
    blank.feed_rare(masks.blanks);
    plain += static_cast<unsigned>(std::popcount(masks.plain));
    blanks += static_cast<unsigned>(std::popcount(masks.blanks));
    count_others(rest, ~masks.plain & valid, tables);
  }
  letters.sum_up();
  counts = letters.counts();
  counts.plain = plain;
  counts.blanks = blanks;
  runs = {word.longest(), blank.longest()};
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(survey_bytes);

namespace {

std::uint32_t sum(const TextSurvey& survey, unsigned first, unsigned last) {
  std::uint32_t total = 0;
  for (unsigned byte = first; byte <= last; ++byte) total += survey.bytes[byte];
  return total;
}

void derive_counts(const Counts& counts, std::size_t size, TextSurvey& out) {
  const auto total = static_cast<std::uint32_t>(size);
  const std::uint32_t line_blanks = out.of('\t') + out.of('\r') + out.of('\n');
  out.letters = static_cast<std::uint32_t>(counts.letters);
  out.capitals = static_cast<std::uint32_t>(counts.capitals);
  out.vowels = static_cast<std::uint32_t>(counts.vowels);
  out.blanks = static_cast<std::uint32_t>(counts.blanks);
  out.bytes[' '] = out.blanks - line_blanks;
  out.digits = static_cast<std::uint32_t>(counts.plain) - out.letters - out.of(' ');
  out.high = sum(out, 0x80, 0xFF);
  out.controls = sum(out, 0, 0x1F) - line_blanks + out.of('\x7F');
  out.punctuation = total - out.high - out.controls - out.blanks - out.digits - out.letters;
  out.characters = total - sum(out, 0x80, 0xBF);
  out.lines = out.of('\n');
}

}  // namespace

void survey(std::string_view text, TextSurvey& out) {
  Counts counts;
  Runs runs;
  std::uint32_t tables[kTables * 256] = {};
  HWY_DYNAMIC_DISPATCH(survey_bytes)
  (reinterpret_cast<const unsigned char*>(text.data()), text.size(), tables, counts, runs);
  for (unsigned byte = 0; byte < 256; ++byte)
    out.bytes[byte] = tables[byte] + tables[256 + byte] + tables[512 + byte] + tables[768 + byte];
  // Between many others, letters and digits were counted, too.
  const auto forget = [&](unsigned first, unsigned last) {
    std::fill(out.bytes.begin() + first, out.bytes.begin() + last + 1, 0U);
  };
  forget('0', '9');
  forget('A', 'Z');
  forget('a', 'z');
  derive_counts(counts, text.size(), out);
  if (!text.empty() && text.back() != '\n') ++out.lines;
  out.longest_word = runs.word;
  out.longest_blank = runs.blank;
}

}  // namespace assay
#endif
