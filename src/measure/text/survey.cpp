// One pass over a document: a histogram of its bytes and the longest runs of four classes.
//
// Most of what detectors ask first (how many letters, digits, line feeds, lead bytes of a script) follows from how
// often each byte occurs, so that is counted, and the rest of the counts are sums over parts of the histogram. Equal
// bytes that follow each other would wait for each other's memory: four tables are counted in turn, and added at the
// end.
//
// The longest line, word, blob and blank need places. 64 bytes become a bit mask of each class with vectors: two table
// look-ups, by the high and by the low half of the byte, whose common bits tell the class. How long the longest run is
// then follows from the masks alone: the run that comes in from the masks before, the one that goes out, and, for the
// inside, whether any run is longer than the longest so far, which a few shifts tell (x & x >> 1 has a bit where two
// follow each other, and so on by doubling). No step depends on how many words or lines there are.
//
// Speed: bench/corpus_bench. The twin in tests/unit/survey_test.cpp counts byte by byte.

#include "measure/text/survey.h"

#include <algorithm>
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

/// The runs of one class of bytes, fed with masks of up to 64 bytes.
class LongestRun {
 public:
  // No branch on where runs begin and end: a text does that too often to be foreseen.
  void feed(std::uint64_t mask, unsigned length) {
    const auto leading = static_cast<unsigned>(std::countr_one(mask));
    const auto trailing = static_cast<unsigned>(std::countl_one(mask << (kBlock - length)));
    longest_ = std::max(longest_, open_ + leading);
    open_ = leading >= length ? open_ + length : trailing;
    while (longest_ < kBlock && has_run(mask, longest_ + 1)) ++longest_;
  }
  std::uint32_t longest() const { return std::max(longest_, open_); }

 private:
  static bool has_run(std::uint64_t mask, unsigned length) {
    unsigned known = 1;  // bit i of mask: `known` bits in a row from i
    while (2 * known <= length) {
      mask &= mask >> known;
      known *= 2;
    }
    if (known < length) mask &= mask >> (length - known);
    return mask != 0;
  }

  std::uint32_t longest_ = 0;
  std::uint32_t open_ = 0;  // length of the run that the bytes so far end with
};

struct Runs {
  LongestRun line, word, blob, blank;
};

struct BlockMasks {
  std::uint64_t feed = 0, blank = 0, blob = 0;
};

HWY_INLINE void feed_runs(Runs& runs, const BlockMasks& masks, unsigned length) {
  const std::uint64_t valid = length == kBlock ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
  runs.line.feed(~masks.feed & valid, length);
  runs.word.feed(~masks.blank & valid, length);
  runs.blob.feed(masks.blob & valid, length);
  runs.blank.feed(masks.blank & valid, length);
}

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

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE BlockMasks masks_of(const unsigned char* in) {
  BlockMasks masks;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const unsigned char c = in[i];
    const std::uint64_t bit = std::uint64_t{1} << i;
    const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    const bool digit = c >= '0' && c <= '9';
    if (c == '\n') masks.feed |= bit;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') masks.blank |= bit;
    if (letter || digit || c == '+' || c == '/' || c == '=' || c == '_' || c == '-') masks.blob |= bit;
  }
  return masks;
}

#else

// A bit for each rectangle of the ASCII table that a class is made of; a byte is in it when both halves have the bit.
constexpr std::uint8_t kMarks = 1;         // + - /   of 0x2.
constexpr std::uint8_t kDigits = 2;        // 0-9 =   of 0x3.
constexpr std::uint8_t kLettersFirst = 4;  // A-O a-o of 0x4. and 0x6.
constexpr std::uint8_t kLettersLast = 8;   // P-Z p-z of 0x5. and 0x7.
constexpr std::uint8_t kUnderscore = 16;   //         of 0x5.
constexpr std::uint8_t kLineBlanks = 32;   // tab, LF, CR of 0x0.
constexpr std::uint8_t kSpace = 64;        //         of 0x2.
constexpr std::uint8_t kBlobs = kMarks | kDigits | kLettersFirst | kLettersLast | kUnderscore;
constexpr std::uint8_t kBlanks = kLineBlanks | kSpace;

alignas(16) constexpr std::uint8_t kByHigh[16] = {
    kLineBlanks, 0, kMarks | kSpace, kDigits, kLettersFirst, kLettersLast | kUnderscore, kLettersFirst, kLettersLast};
alignas(16) constexpr std::uint8_t kByLow[16] = {
    kDigits | kLettersLast | kSpace,                       // 0
    kDigits | kLettersFirst | kLettersLast,                // 1
    kDigits | kLettersFirst | kLettersLast,                // 2
    kDigits | kLettersFirst | kLettersLast,                // 3
    kDigits | kLettersFirst | kLettersLast,                // 4
    kDigits | kLettersFirst | kLettersLast,                // 5
    kDigits | kLettersFirst | kLettersLast,                // 6
    kDigits | kLettersFirst | kLettersLast,                // 7
    kDigits | kLettersFirst | kLettersLast,                // 8
    kDigits | kLettersFirst | kLettersLast | kLineBlanks,  // 9, tab
    kLettersFirst | kLettersLast | kLineBlanks,            // a, LF
    kLettersFirst | kMarks,                                // b
    kLettersFirst,                                         // c
    kLettersFirst | kMarks | kDigits | kLineBlanks,        // d, CR
    kLettersFirst,                                         // e
    kLettersFirst | kMarks | kUnderscore,                  // f
};

using Bytes = hn::CappedTag<std::uint8_t, kBlock>;

HWY_INLINE void put_bits(hn::Mask<Bytes> mask, std::size_t at, std::uint64_t& out) {
  std::uint64_t bits = 0;
  hn::StoreMaskBits(Bytes(), mask, reinterpret_cast<std::uint8_t*>(&bits));
  if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);
  out |= bits << at;
}

HWY_INLINE BlockMasks masks_of(const unsigned char* in) {
  const Bytes d;
  const auto by_high = hn::LoadDup128(d, kByHigh);
  const auto by_low = hn::LoadDup128(d, kByLow);
  BlockMasks masks;
  for (std::size_t at = 0; at < kBlock; at += hn::Lanes(d)) {
    const auto bytes = hn::LoadU(d, in + at);
    const auto high = hn::TableLookupBytes(by_high, hn::ShiftRight<4>(bytes));
    const auto low = hn::TableLookupBytes(by_low, hn::And(bytes, hn::Set(d, 15)));
    const auto kinds = hn::And(high, low);
    put_bits(hn::Ne(hn::And(kinds, hn::Set(d, kBlobs)), hn::Zero(d)), at, masks.blob);
    put_bits(hn::Ne(hn::And(kinds, hn::Set(d, kBlanks)), hn::Zero(d)), at, masks.blank);
    put_bits(hn::Eq(bytes, hn::Set(d, static_cast<std::uint8_t>('\n'))), at, masks.feed);
  }
  return masks;
}

#endif

void survey_bytes(const unsigned char* in, std::size_t count, std::uint32_t* tables, Runs& out) {
  Runs runs;
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    feed_runs(runs, masks_of(in + i), kBlock);
    for (std::size_t at = 0; at < kBlock; at += 8) count_eight(in + i + at, tables);
  }
  if (i < count) {
    unsigned char rest[kBlock] = {};
    std::memcpy(rest, in + i, count - i);
    feed_runs(runs, masks_of(rest), static_cast<unsigned>(count - i));
    for (; i < count; ++i) ++tables[in[i]];
  }
  out = runs;
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

void derive_counts(TextSurvey& out, std::size_t size) {
  const auto total = static_cast<std::uint32_t>(size);
  out.letters = sum(out, 'A', 'Z') + sum(out, 'a', 'z');
  out.digits = sum(out, '0', '9');
  out.blanks = out.of(' ') + out.of('\t') + out.of('\r') + out.of('\n');
  out.high = sum(out, 0x80, 0xFF);
  out.controls = sum(out, 0, 0x1F) - out.of('\t') - out.of('\r') - out.of('\n') + out.bytes[0x7F];
  out.punctuation = total - out.high - out.controls - out.blanks - out.digits - out.letters;
  out.characters = total - sum(out, 0x80, 0xBF);
  out.lines = out.of('\n');
}

}  // namespace

void survey(std::string_view text, TextSurvey& out) {
  Runs runs;
  std::uint32_t tables[kTables * 256] = {};
  HWY_DYNAMIC_DISPATCH(survey_bytes)
  (reinterpret_cast<const unsigned char*>(text.data()), text.size(), tables, runs);
  for (unsigned byte = 0; byte < 256; ++byte)
    out.bytes[byte] = tables[byte] + tables[256 + byte] + tables[512 + byte] + tables[768 + byte];
  derive_counts(out, text.size());
  if (!text.empty() && text.back() != '\n') ++out.lines;
  out.longest_line = runs.line.longest();
  out.longest_word = runs.word.longest();
  out.longest_blob = runs.blob.longest();
  out.longest_blank = runs.blank.longest();
}

}  // namespace assay
#endif
