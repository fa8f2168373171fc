// Periodic text.
//
// OLMo 2 found long repeats of n-grams in the batches at which the grad norm jumped, and drops a document with 32 or
// more repeats of a period of 1 to 13 tokens. Periods are bytes here, which needs no tokenizer and finds all of those,
// since equal text has equal tokens but for the first ones. A run is followed to both ends, byte by byte, and its least
// period told.
//
// To look at every position with every period is too slow for text of which one in a thousand repeats. So one looks at
// few places, chosen so that no run of 32 repeats can lie between them:
//   periods up to 32 bytes   every 64 bytes, four bytes are compared with those 1 to 32 bytes further on, at once. A
//                            run of 96 bytes contains such a place and the one that it equals.
//   longer ones              eight bytes of every 28th position are looked up in a table of those seen. With period p,
//                            the positions have at most p phases; after 28 p bytes each has been seen, and until the
//                            end of 32 p (132 bytes or more) every look-up finds the position lcm(28, p) before, or a
//                            nearer one with the same eight bytes. Where 64 bytes agree, they are followed up.
//   six repeats or more      only where they are half of the text, and such a run lies over its middle. So what stands
//                            there is looked for one period further on and one back.
// The distance may be a multiple of the period: what agrees is then periodic itself, and its least period comes by its
// borders (Knuth, Morris, Pratt). Nothing that was followed is followed again, so the time is linear whatever the text.
//
// Limits: a table has 4,096 places; with more phases than that, old ones are lost. Lines and sentences that are
// repeated, but not one after the other: measure/text/line_repeats.cpp. What differs in a number from repeat to repeat
// is not periodic.

#include "measure/text/repeats.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

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

// The next place from `at` on, before `end`, where the same four bytes stand; end: none.
std::size_t next_same(const std::uint8_t* in, std::size_t at, std::size_t end, const std::uint8_t* four) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  for (; at + lanes <= end; at += lanes) {
    auto same = hn::Eq(hn::LoadU(d, in + at), hn::Set(d, four[0]));
    for (std::size_t i = 1; i < kSameNear; ++i)
      same = hn::And(same, hn::Eq(hn::LoadU(d, in + at + i), hn::Set(d, four[i])));
    if (!hn::AllFalse(d, same)) return at + static_cast<std::size_t>(hn::FindFirstTrue(d, same));
  }
#endif
  while (at < end && std::memcmp(in + at, four, kSameNear) != 0) ++at;
  return at;
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(next_near);
HWY_EXPORT(next_same);

namespace {

constexpr std::size_t kStride = 28;
constexpr std::size_t kSame = 8;          // bytes looked up
constexpr std::size_t kAgree = 64;        // bytes worth to be followed
constexpr std::size_t kLeastLength = 64;  // of a run worth to be told
constexpr std::size_t kMostSlots = 4096;
constexpr std::size_t kShortestFar = 768;  // bytes of text: 32 repeats of more than 32 bytes do not fit into less
constexpr std::size_t kFew = 6;            // repeats that are half of the text
constexpr std::size_t kMiddle = 16;        // bytes of the middle that are looked for
constexpr std::size_t kMostTried = 32;     // places where they stand again

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

// Whether eight bytes before the place or after it repeat, too. Between columns and in indented text many lags agree in
// four bytes, and to follow each would take longer than all the rest. A run of 96 bytes has the one or the other.
bool is_longer(std::string_view text, std::size_t at, std::size_t period) {
  const auto same = [&](std::size_t from) {
    return from + period + 8 <= text.size() && std::memcmp(text.data() + from, text.data() + from + period, 8) == 0;
  };
  return same(at + kSameNear) || (at >= 8 && same(at - 8));
}

// The shortest of the lags whose run is long enough to be one.
PeriodicRun run_of_lags(std::string_view text, std::size_t at, std::uint32_t lags, std::size_t floor) {
  for (; lags != 0; lags &= lags - 1) {
    const auto period = static_cast<std::size_t>(std::countr_zero(lags)) + 1;
    if (!is_longer(text, at, period)) continue;
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

// The least period: length less the longest border.
std::size_t least_period(std::string_view text, std::vector<std::uint32_t>& border) {
  border.assign(text.size() + 1, 0);
  std::uint32_t matched = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    while (matched > 0 && text[i] != text[matched]) matched = border[matched];
    if (text[i] == text[matched]) ++matched;
    border[i + 1] = matched;
  }
  return text.size() - matched;
}

// Of runs that overlap, the longer ones.
void drop_overlaps(std::vector<PeriodicRun>& runs) {
  std::ranges::sort(runs, [](const PeriodicRun& a, const PeriodicRun& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.length > b.length;
  });
  std::size_t kept = 0;
  for (const PeriodicRun& run : runs) {
    if (kept > 0 && run.offset < runs[kept - 1].offset + runs[kept - 1].length) {
      if (run.length > runs[kept - 1].length) runs[kept - 1] = run;
    } else {
      runs[kept++] = run;
    }
  }
  runs.resize(kept);
}

// Where a text that occurs twice was passed over, a run behind it began too late.
void widen(std::string_view text, std::vector<PeriodicRun>& runs) {
  std::size_t floor = 0;
  for (PeriodicRun& run : runs) {
    for (; run.offset > floor && text[run.offset - 1] == text[run.offset - 1 + run.period]; --run.offset) ++run.length;
    floor = run.offset + run.length;
  }
}

// A text that occurs twice is no period of itself.
bool is_periodic(const PeriodicRun& run) { return run.length >= 3 * run.period; }

}  // namespace

// What earlier texts have left lies below `base` and counts as empty: clearing the table would take longer than filling
// it.
PeriodFinder::Places PeriodFinder::begin_places(std::size_t count, std::size_t size) {
  if (slots_.empty() || next_base_ + size > std::numeric_limits<std::uint32_t>::max()) {
    slots_.assign(kMostSlots, 0);
    next_base_ = 1;
  }
  const std::uint64_t base = next_base_;
  next_base_ += size;
  const std::size_t slots = std::min(kMostSlots, std::bit_ceil(count * 4 + 1));
  return {.slots = slots_.data(), .shift = 64 - std::countr_zero(slots), .base = base};
}

// Notes the eight bytes at `at`, and says where they stood last; where that is not before `at`, nowhere.
inline std::size_t PeriodFinder::place_before(const Places& places, std::string_view text, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + at, kSame);
  const std::uint64_t hash = word * 0x9E37'79B9'7F4A'7C15;
  const std::uint64_t start = (hash << 32) + places.base;
  return std::exchange(places.slots[hash >> places.shift], start + at) - start;
}

PeriodicRun PeriodFinder::follow(std::string_view text, std::size_t at, std::size_t distance, std::size_t& floor) {
  PeriodicRun run = extend(text, at, distance, floor);
  const std::size_t agree = run.length - distance;
  const std::string_view piece = text.substr(run.offset, std::min(agree, 2 * kLongestPeriod));
  const std::size_t period = least_period(piece, border_);
  // Followed at a multiple of its period, a run ends too early.
  if (2 * period <= piece.size()) run = extend(text, run.offset, period, floor);
  floor = std::max(floor, run.offset + (is_periodic(run) ? run.length : agree));
  return run;
}

void PeriodFinder::find_at_strides(std::string_view text, std::vector<PeriodicRun>& out) {
  const Places places = begin_places(text.size() / kStride, text.size());
  std::size_t floor = 0;  // what comes before is settled
  for (std::size_t at = 0; at + kAgree <= text.size(); at += kStride) {
    const std::size_t before = place_before(places, text, at);
    if (before >= at) [[likely]]
      continue;
    if (before < floor || std::memcmp(text.data() + before, text.data() + at, kAgree) != 0) continue;
    const PeriodicRun run = follow(text, before, at - before, floor);
    if (is_periodic(run)) out.push_back(run);
    if (floor > at + kStride) at = (floor - kStride) / kStride * kStride;
  }
}

// Looks for what stands at `from` in [first, last), the beginnings of as many bytes. True: a run of half of the text.
bool PeriodFinder::find_again(std::string_view text, std::size_t from, std::size_t first, std::size_t last,
                              std::vector<PeriodicRun>& out) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t tried = 0;
  for (std::size_t at = first; tried < kMostTried; ++at) {
    at = HWY_DYNAMIC_DISPATCH(next_same)(in, at, last, in + from);
    if (at >= last) return false;
    if (std::memcmp(in + at, in + from, kMiddle) != 0) continue;
    ++tried;
    std::size_t floor = 0;
    const std::size_t before = std::min(at, from);
    const PeriodicRun run = follow(text, before, std::max(at, from) - before, floor);
    if (!is_periodic(run) || 2 * run.length < text.size()) continue;
    out.push_back(run);
    return true;
  }
  return false;
}

// One half of the run lies on one side of the middle, with half of its repeats.
void PeriodFinder::find_over_middle(std::string_view text, std::vector<PeriodicRun>& out) {
  const std::size_t size = text.size();
  const std::size_t middle = size / 2;
  const std::size_t longest = size / kFew;
  if (longest <= kLags || size < kFew * kMiddle) return;
  const auto covers = [&](const PeriodicRun& run) {
    return 2 * run.length >= size && run.offset <= middle && run.offset + run.length >= middle;
  };
  if (std::ranges::any_of(out, covers)) return;
  if (find_again(text, middle, middle + kLags, std::min(middle + longest + 1, size - kMiddle + 1), out)) return;
  const std::size_t before = middle - kMiddle;
  find_again(text, before, before - std::min(before, longest), before - std::min(before, kLags), out);
}

void PeriodFinder::find(std::string_view text, std::vector<PeriodicRun>& out) {
  out.clear();
  find_near(text, out);
  if (text.size() >= kShortestFar) find_at_strides(text, out);
  find_over_middle(text, out);
  drop_overlaps(out);
  widen(text, out);
}

}  // namespace assay
#endif
