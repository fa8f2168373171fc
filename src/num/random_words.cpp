// Philox with vectors.
//
// Blocks are independent, so a vector takes one block in each lane of 64 bits: the generator's two products of 32 bits
// by 32 are then one instruction each (MulEven reads the lower half of a lane and writes all of it), and what is in the
// upper halves of the four words meanwhile does not matter. At the end words 0 and 1 and words 2 and 3 of each block
// are put side by side and stored in turn, which is the order of the index. About 3 instructions a word with AVX-512.
// What is before and after whole vectors is computed one by one: the same bits, as everything here is integers.

#include <bit>
#include <cstring>

#include "num/philox.h"
#include "num/round_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "num/random_words.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

static_assert(std::endian::native == std::endian::little, "words are stored in pairs");

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // has no vectors of two halves

std::size_t whole_blocks(std::uint64_t, std::uint64_t, std::uint32_t*, std::size_t) { return 0; }

#else

namespace hn = hwy::HWY_NAMESPACE;

// Fills as many whole vectors as there are, from word 0 of the block on; returns how many words.
std::size_t whole_blocks(std::uint64_t seed, std::uint64_t block, std::uint32_t* out, std::size_t count) {
  const hn::ScalableTag<std::uint64_t> wide;
  const hn::Repartition<std::uint32_t, decltype(wide)> narrow;
  using V = hn::Vec<decltype(wide)>;
  const std::size_t lanes = hn::Lanes(wide);
  HWY_ALIGN std::uint64_t ordered[2 * HWY_MAX_BYTES / sizeof(std::uint64_t)];
  V next = hn::Iota(wide, block);
  std::size_t done = 0;
  for (; count - done >= 4 * lanes; done += 4 * lanes, next = hn::Add(next, hn::Set(wide, lanes))) {
    V c0 = next;
    V c1 = hn::ShiftRight<32>(c0);
    V c2 = hn::Zero(wide);
    V c3 = hn::Zero(wide);
    auto key0 = static_cast<std::uint32_t>(seed);
    auto key1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const V a = hn::MulEven(hn::BitCast(narrow, c0), hn::Set(narrow, 0xD2511F53));
      const V b = hn::MulEven(hn::BitCast(narrow, c2), hn::Set(narrow, 0xCD9E8D57));
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), c1), hn::Set(wide, key0));
      c1 = b;
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), c3), hn::Set(wide, key1));
      c3 = a;
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    const V lower = hn::Set(wide, 0xFFFFFFFF);
    hn::StoreInterleaved2(hn::Or(hn::And(c0, lower), hn::ShiftLeft<32>(c1)),
                          hn::Or(hn::And(c2, lower), hn::ShiftLeft<32>(c3)), wide, ordered);
    std::memcpy(out + done, ordered, 4 * lanes * sizeof(std::uint32_t));
  }
  return done;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(whole_blocks);

void random_words(std::uint64_t seed, std::uint64_t first, std::uint32_t* out, std::size_t count) {
  std::size_t i = 0;
  for (; i < count && (first + i) % 4 != 0; ++i) out[i] = random_word(seed, first + i);
  i += HWY_DYNAMIC_DISPATCH(whole_blocks)(seed, (first + i) / 4, out + i, count - i);
  for (; i < count; ++i) out[i] = random_word(seed, first + i);
}

}  // namespace assay
#endif
