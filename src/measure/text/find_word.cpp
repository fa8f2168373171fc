// One of three words in a long text: two letters of each are compared at all positions of a vector at once, and the
// rest where they agree. memmem needs up to a nanosecond a byte, as much as everything else that is asked of a text.

#include "measure/text/find_word.h"

#include <algorithm>
#include <cstdint>

#include "base/ascii.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "measure/text/find_word.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#ifndef ASSAY_FIND_WORD_ONCE
#define ASSAY_FIND_WORD_ONCE
namespace assay {
struct Pairs {
  std::uint8_t of[3][2];
};
}  // namespace assay
#endif  // ASSAY_FIND_WORD_ONCE

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The first position from `at` on, below `end`, where one of the pairs stands, in small or capital letters; `end`: no
// such.
std::size_t next_of_pairs(const std::uint8_t* in, std::size_t at, std::size_t end, const Pairs& pairs) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto small = hn::Set(d, 0x20);
  const auto is = [&](auto bytes, std::uint8_t letter) HWY_ATTR { return hn::Eq(bytes, hn::Set(d, letter)); };
  const auto found = [&](const std::uint8_t* here) HWY_ATTR {
    const auto first = hn::Or(hn::LoadU(d, here), small);
    const auto second = hn::Or(hn::LoadU(d, here + 1), small);
    const auto pair = [&](const std::uint8_t* one) HWY_ATTR { return hn::And(is(first, one[0]), is(second, one[1])); };
    return hn::Or(hn::Or(pair(pairs.of[0]), pair(pairs.of[1])), pair(pairs.of[2]));
  };
  while (at + 2 * lanes <= end && hn::AllFalse(d, hn::Or(found(in + at), found(in + at + lanes)))) at += 2 * lanes;
  for (; at + lanes <= end; at += lanes) {
    const auto here = found(in + at);
    if (!hn::AllFalse(d, here)) return at + static_cast<std::size_t>(hn::FindFirstTrue(d, here));
  }
#endif
  for (; at < end; ++at) {
    const int first = in[at] | 0x20;
    const int second = in[at + 1] | 0x20;
    for (const auto& pair : pairs.of) {
      if (first == pair[0] && second == pair[1]) return at;
    }
  }
  return end;
}

// The same for one pair of bytes as they are.
std::size_t next_pair(const std::uint8_t* in, std::size_t at, std::size_t end, std::uint8_t one, std::uint8_t two) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto a = hn::Set(d, one);
  const auto b = hn::Set(d, two);
  for (; at + lanes <= end; at += lanes) {
    const auto both = hn::And(hn::Eq(hn::LoadU(d, in + at), a), hn::Eq(hn::LoadU(d, in + at + 1), b));
    if (!hn::AllFalse(d, both)) return at + static_cast<std::size_t>(hn::FindFirstTrue(d, both));
  }
#endif
  while (at < end && !(in[at] == one && in[at + 1] == two)) ++at;
  return at;
}

std::size_t blank_from(const std::uint8_t* in, std::size_t at, std::size_t end) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  for (; at + lanes <= end; at += lanes) {
    const auto bytes = hn::LoadU(d, in + at);
    const auto is = [&](char c) HWY_ATTR { return hn::Eq(bytes, hn::Set(d, static_cast<std::uint8_t>(c))); };
    const auto blanks = hn::Or(hn::Or(is(' '), is('\n')), hn::Or(is('\t'), is('\r')));
    if (!hn::AllFalse(d, blanks)) return at + static_cast<std::size_t>(hn::FindFirstTrue(d, blanks));
  }
#endif
  while (at < end && in[at] != ' ' && in[at] != '\n' && in[at] != '\t' && in[at] != '\r') ++at;
  return at;
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(next_of_pairs);
HWY_EXPORT(next_pair);
HWY_EXPORT(blank_from);

namespace {

bool stands_at(std::string_view text, std::size_t pair_at, const SoughtWord& sought) {
  if (pair_at < sought.pair || text.size() - (pair_at - sought.pair) < sought.word.size()) return false;
  const std::string_view there = text.substr(pair_at - sought.pair, sought.word.size());
  return std::ranges::equal(there, sought.word, {}, [](char c) { return lower(c); });
}

}  // namespace

bool has_any(std::string_view text, const std::array<SoughtWord, 3>& words) {
  if (text.empty()) return false;
  Pairs pairs;
  for (std::size_t i = 0; i < words.size(); ++i) {
    pairs.of[i][0] = static_cast<std::uint8_t>(words[i].word[words[i].pair]);
    pairs.of[i][1] = static_cast<std::uint8_t>(words[i].word[words[i].pair + 1]);
  }
  const auto* in = reinterpret_cast<const std::uint8_t*>(text.data());
  const std::size_t end = text.size() - 1;
  for (std::size_t at = 0; (at = HWY_DYNAMIC_DISPATCH(next_of_pairs)(in, at, end, pairs)) < end; ++at) {
    if (std::ranges::any_of(words, [&](const SoughtWord& word) { return stands_at(text, at, word); })) return true;
  }
  return false;
}

std::size_t find_pair(std::string_view text, char first, char second, std::size_t from) {
  if (text.size() < from + 2) return std::string_view::npos;
  const auto* in = reinterpret_cast<const std::uint8_t*>(text.data());
  const std::size_t end = text.size() - 1;
  const std::size_t at = HWY_DYNAMIC_DISPATCH(next_pair)(in, from, end, static_cast<std::uint8_t>(first),
                                                         static_cast<std::uint8_t>(second));
  return at < end ? at : std::string_view::npos;
}

std::size_t next_blank(std::string_view text, std::size_t from) {
  return HWY_DYNAMIC_DISPATCH(blank_from)(reinterpret_cast<const std::uint8_t*>(text.data()), from, text.size());
}

}  // namespace assay
#endif
