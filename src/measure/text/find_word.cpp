// One word in a long text: its first, second and last letter are compared at all positions of a vector at once, and the
// rest where all three agree. memmem needs up to a nanosecond a byte, as much as everything else that is asked of a
// text.

#include "measure/text/find_word.h"

#include <bit>
#include <cstdint>

#include "base/ascii.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "measure/text/find_word.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The first position from `at` on, below `end`, whose three letters agree with the word's; `end`: none.
std::size_t next_candidate(const std::uint8_t* in, std::size_t at, std::size_t end, const std::uint8_t* word,
                           std::size_t last) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto small = hn::Set(d, 0x20);
  const auto a = hn::Set(d, word[0]);
  const auto b = hn::Set(d, word[1]);
  const auto c = hn::Set(d, word[last]);
  for (; at + lanes <= end; at += lanes) {
    const auto first = hn::Eq(hn::Or(hn::LoadU(d, in + at), small), a);
    const auto second = hn::Eq(hn::Or(hn::LoadU(d, in + at + 1), small), b);
    const auto third = hn::Eq(hn::Or(hn::LoadU(d, in + at + last), small), c);
    const auto all = hn::And(first, hn::And(second, third));
    if (!hn::AllFalse(d, all)) return at + static_cast<std::size_t>(hn::FindFirstTrue(d, all));
  }
#endif
  for (; at < end; ++at) {
    if ((in[at] | 0x20) == word[0] && (in[at + 1] | 0x20) == word[1] && (in[at + last] | 0x20) == word[last]) return at;
  }
  return end;
}

// The same for two bytes as they are.
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

HWY_EXPORT(next_candidate);
HWY_EXPORT(next_pair);
HWY_EXPORT(blank_from);

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  if (text.size() < word.size()) return std::string_view::npos;
  const auto* in = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto* letters = reinterpret_cast<const std::uint8_t*>(word.data());
  const std::size_t end = text.size() - word.size() + 1;
  for (std::size_t at = from; at < end; ++at) {
    at = HWY_DYNAMIC_DISPATCH(next_candidate)(in, at, end, letters, word.size() - 1);
    if (at >= end) break;
    std::size_t same = 0;
    while (same < word.size() && lower(text[at + same]) == word[same]) ++same;
    if (same == word.size()) return at;
  }
  return std::string_view::npos;
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
