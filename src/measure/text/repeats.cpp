// Periodic text.
//
// OLMo 2 found long repeats of n-grams in the batches at which the grad norm jumped, and drops a document with 32 or
// more repeats of a period of 1 to 13 tokens. Periods are bytes here, which needs no tokenizer and finds all of those,
// since equal text has equal tokens but for the first ones. A run is followed to both ends, byte by byte, and its least
// period told.
//
// To look at every position with every period is too slow for text of which one in a thousand repeats. So one looks at
// few places, chosen so that no run of 32 repeats can lie between them:
//   periods up to 32 bytes   every 64 bytes, four bytes are compared with those 1 to 32 bytes further on, at once. A run
//                            of 96 bytes contains such a place and the one that it equals.
//   longer ones              eight bytes of every 24th position are looked up in a table of those seen. With period p,
//                            the positions have at most p phases; after 24 p bytes each has been seen, and until the end
//                            of 32 p every look-up finds the position lcm(24, p) before. Three such in a row, at one
//                            distance, are followed up. By chance that is as rare as 40 bytes that occur twice.
// From the distance, a multiple of the period, the least period comes by the borders of the run's beginning (Knuth,
// Morris, Pratt). After a run the search goes on at its end, so the time is linear whatever the text.
//
// Limits: the table has 4,096 places; with more phases than that, old ones are lost. Longer periods of few repeats are
// lines and paragraphs: measure/text/line_repeats.cpp. What differs in a number from repeat to repeat is not periodic.

#include "measure/text/repeats.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <span>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "measure/text/repeats.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#ifndef ASSAY_REPEATS_ONCE
#define ASSAY_REPEATS_ONCE
namespace assay {
constexpr std::size_t kLags = 32;
constexpr std::size_t kNear = 64;     // bytes between two places that are compared with what follows
constexpr std::size_t kSameNear = 4;  // bytes that have to be equal there
}  // namespace assay
#endif  // ASSAY_REPEATS_ONCE

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Bit p - 1: the four bytes at `in` stand p bytes further on, too.
HWY_INLINE std::uint32_t equal_lags(const std::uint8_t* in) {
#if HWY_TARGET == HWY_SCALAR
  std::uint32_t out = 0;
  for (std::size_t lag = 1; lag <= kLags; ++lag) {
    if (std::memcmp(in, in + lag, kSameNear) == 0) out |= std::uint32_t{1} << (lag - 1);
  }
  return out;
#else
  const hn::CappedTag<std::uint8_t, kLags> d;
  std::uint32_t out = 0;
  for (std::size_t lag = 1; lag <= kLags; lag += hn::Lanes(d)) {
    auto same = hn::Eq(hn::LoadU(d, in + lag), hn::Set(d, in[0]));
    for (std::size_t i = 1; i < kSameNear; ++i)
      same = hn::And(same, hn::Eq(hn::LoadU(d, in + lag + i), hn::Set(d, in[i])));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, same, bits);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < sizeof word; ++i) word |= std::uint32_t{bits[i]} << (8 * i);
    out |= word << (lag - 1);
  }
  return out;
#endif
}

// The next place from `at` on, in steps of kNear, with an equal one near by; size: none.
std::size_t next_near(const std::uint8_t* in, std::size_t size, std::size_t at, std::uint32_t* lags) {
  for (; at + kLags + 2 * kSameNear <= size; at += kNear) {
    *lags = equal_lags(in + at);
    if (*lags != 0) return at;
  }
  return size;
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(next_near);

namespace {

constexpr std::size_t kStride = 24;
constexpr std::size_t kSame = 8;          // bytes looked up
constexpr std::size_t kInARow = 3;        // look-ups at one distance
constexpr std::size_t kLeastLength = 64;  // of a run worth to be told
constexpr std::size_t kMostSlots = 4096;
constexpr std::size_t kShortestFar = 768;  // bytes of text: 32 repeats of more than 32 bytes do not fit into less

std::size_t equal_forward(std::string_view text, std::size_t a, std::size_t b) {
  const std::size_t first = b;
  for (; b + 8 <= text.size(); a += 8, b += 8) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, text.data() + a, 8);
    std::memcpy(&y, text.data() + b, 8);
    if (x != y) break;
  }
  while (b < text.size() && text[a] == text[b]) ++a, ++b;
  return b - first;
}

// The run of the period around `at`, not before `floor`.
PeriodicRun extend(std::string_view text, std::size_t at, std::size_t period, std::size_t floor) {
  const std::size_t right = equal_forward(text, at, at + period);
  std::size_t first = at;
  while (first > floor && text[first - 1] == text[first - 1 + period]) --first;
  return {first, at + right + period - first, period};
}

// The shortest of the lags whose run is long enough to be one.
PeriodicRun run_of_lags(std::string_view text, std::size_t at, std::uint32_t lags, std::size_t floor) {
  for (; lags != 0; lags &= lags - 1) {
    const auto period = static_cast<std::size_t>(std::countr_zero(lags)) + 1;
    const PeriodicRun run = extend(text, at, period, floor);
    if (run.length >= kLeastLength && run.length >= 3 * period) return run;
  }
  return {};
}

void find_near(std::string_view text, std::vector<PeriodicRun>& out) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t at = 0;
  std::size_t floor = 0;
  std::uint32_t lags = 0;
  while ((at = HWY_DYNAMIC_DISPATCH(next_near)(in, text.size(), at, &lags)) < text.size()) {
    const PeriodicRun run = run_of_lags(text, at, lags, floor);
    if (run.length == 0) {
      at += kNear;
      continue;
    }
    out.push_back(run);
    floor = run.offset + run.length;
    at = (floor + kNear - 1) / kNear * kNear;
  }
}

// The least period of a run, one of whose periods is `multiple`: length less the longest border, of two of them at most.
std::size_t least_period(std::string_view run, std::size_t multiple, std::vector<std::uint32_t>& border) {
  if (multiple > PeriodFinder::kLongestPeriod) return multiple;
  const std::string_view window = run.substr(0, 2 * multiple);
  border.assign(window.size() + 1, 0);
  std::uint32_t matched = 0;
  for (std::size_t i = 1; i < window.size(); ++i) {
    while (matched > 0 && window[i] != window[matched]) matched = border[matched];
    if (window[i] == window[matched]) ++matched;
    border[i + 1] = matched;
  }
  return window.size() - matched;
}

bool covers(std::span<const PeriodicRun> runs, std::size_t at) {
  const auto after = std::ranges::upper_bound(runs, at, {}, &PeriodicRun::offset);
  return after != runs.begin() && at < std::prev(after)->offset + std::prev(after)->length;
}

}  // namespace

void PeriodFinder::find(std::string_view text, std::vector<PeriodicRun>& out) {
  out.clear();
  find_near(text, out);
  if (text.size() < kShortestFar) return;
  const std::size_t count = std::min(kMostSlots, std::bit_ceil(text.size() / kStride * 4));
  slots_.assign(count, Slot{});
  const int shift = 64 - std::countr_zero(count);
  const std::size_t near = out.size();
  std::size_t distance = 0;
  std::size_t in_a_row = 0;
  std::size_t floor = 0;
  for (std::size_t at = 0; at + kSame <= text.size(); at += kStride) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, kSame);
    const std::uint64_t hash = word * 0x9E37'79B9'7F4A'7C15;
    const auto tag = static_cast<std::uint32_t>(hash) | 1U;  // 0: the place is empty
    Slot& slot = slots_[hash >> shift];
    const std::size_t before = slot.at;
    const bool seen = slot.tag == tag;
    slot = {tag, static_cast<std::uint32_t>(at)};
    if (!seen) {
      in_a_row = 0;
      continue;
    }
    in_a_row = at - before == distance ? in_a_row + 1 : 1;
    distance = at - before;
    if (in_a_row < kInARow || before < floor) continue;
    in_a_row = 0;
    PeriodicRun run = extend(text, before, distance, floor);
    const std::size_t end = run.offset + run.length;
    if (run.length < 2 * distance && run.length < distance + 32) continue;
    run.period = least_period(text.substr(run.offset, run.length), distance, border_);
    // A long text that occurs twice is no period of itself.
    if (run.length >= 3 * run.period && !covers(std::span(out).first(near), before)) {
      out.push_back(run);
    }
    floor = end;
    if (end > at + kStride) at = (end - kStride) / kStride * kStride;
  }
  std::ranges::sort(out, {}, &PeriodicRun::offset);
}

}  // namespace assay
#endif
