// Comparisons of the bytes of a vector with those one, two and three further on. What follows a lead byte is asked only
// where the lead byte alone does not decide; the sets are chosen so that few comparisons do for nearly all text, and
// what they leave is looked at one by one.
//
// Which characters may be the first byte of something misread follows from the code pages: none of them has characters
// from U+1000 on but U+2000 to U+25FF and, as F0 of Mac Roman, U+F8FF; and what follows it has to be of a page, too, or
// lost (ASCII, U+FFFD), so that a quotation mark before an ideograph is none.
//
// The twin in tests/unit/text_passes_test.cpp asks for every character.

#include "measure/text/next_odd.h"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "measure/text/next_odd.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Bytes as a set of lanes or one alone, so that each question is written once.
struct OneByte {
  std::uint8_t byte;
  static OneByte at(const std::uint8_t* in) { return {*in}; }
  bool is(std::uint8_t other) const { return byte == other; }
  bool lies(std::uint8_t first, std::uint8_t last) const { return byte >= first && byte <= last; }
};
HWY_INLINE bool any(bool a, bool b) { return a || b; }
HWY_INLINE bool both(bool a, bool b) { return a && b; }
HWY_INLINE bool but(bool a, bool b) { return a && !b; }

#if HWY_TARGET != HWY_SCALAR
using Lanes = hn::ScalableTag<std::uint8_t>;
using LaneMask = hn::Mask<Lanes>;
struct ManyBytes {
  hn::Vec<Lanes> bytes;
  HWY_INLINE static ManyBytes at(const std::uint8_t* in) { return {hn::LoadU(Lanes(), in)}; }
  HWY_INLINE LaneMask is(std::uint8_t other) const { return hn::Eq(bytes, hn::Set(Lanes(), other)); }
  HWY_INLINE LaneMask lies(std::uint8_t first, std::uint8_t last) const {
    const auto moved = hn::Sub(bytes, hn::Set(Lanes(), first));
    return hn::Eq(moved, hn::Min(moved, hn::Set(Lanes(), static_cast<std::uint8_t>(last - first))));
  }
};
HWY_INLINE LaneMask any(LaneMask a, LaneMask b) { return hn::Or(a, b); }
HWY_INLINE LaneMask both(LaneMask a, LaneMask b) { return hn::And(a, b); }
HWY_INLINE LaneMask but(LaneMask a, LaneMask b) { return hn::AndNot(b, a); }
#endif

struct Unusual {
  static constexpr std::size_t kMore = 2;  // bytes read behind
  template <class B>
  HWY_INLINE static auto test(const std::uint8_t* in) {
    const B lead = B::at(in);
    const B second = B::at(in + 1);
    const B third = B::at(in + 2);
    // Latin-1 and Extended-A, Cyrillic, ideographs.
    const auto letters = any(any(lead.lies(0xc3, 0xc5), lead.lies(0xd0, 0xd1)), lead.lies(0xe4, 0xe9));
    // U+AC00 to U+D77F.
    const auto hangul = any(any(both(lead.is(0xea), second.lies(0xb0, 0xbf)), lead.lies(0xeb, 0xec)),
                            both(lead.is(0xed), second.lies(0x80, 0x9d)));
    // Kana; punctuation of East Asia, but for the tone marks of U+302A; full-width signs and letters from U+FF01 on.
    const auto east = both(lead.is(0xe3), any(second.lies(0x81, 0x83), but(second.is(0x80), third.lies(0xaa, 0xad))));
    const auto wide = both(lead.is(0xef), any(but(second.is(0xbc), third.is(0x80)), second.is(0xbd)));
    // Dashes, quotation marks, the ellipsis: U+2010 to U+2027.
    const auto marks = both(both(lead.is(0xe2), second.is(0x80)), third.lies(0x90, 0xa7));
    return but(lead.lies(0xc2, 0xff), any(any(any(letters, hangul), east), any(wide, marks)));
  }
};

struct MisreadLead {
  static constexpr std::size_t kMore = 3;
  template <class B>
  HWY_INLINE static auto test(const std::uint8_t* in) {
    const B lead = B::at(in);
    const auto signs = but(lead.is(0xe2), B::at(in + 3).lies(0xe3, 0xee));
    const auto apple = both(lead.is(0xef), B::at(in + 1).is(0xa3));
    return any(lead.lies(0xc2, 0xe0), any(signs, apple));
  }
};

struct SharedLead {
  static constexpr std::size_t kMore = 0;
  template <class B>
  HWY_INLINE static auto test(const std::uint8_t* in) {
    const B lead = B::at(in);
    const auto alphabets = any(any(lead.lies(0xc4, 0xc9), lead.lies(0xce, 0xd3)), lead.lies(0xd7, 0xdb));
    const auto east = any(lead.lies(0xe4, 0xe9), lead.lies(0xeb, 0xec));
    return but(lead.lies(0xc2, 0xff), any(alphabets, east));
  }
};

template <class Question>
HWY_INLINE std::size_t next_of(const std::uint8_t* in, std::size_t size, std::size_t at) {
#if HWY_TARGET != HWY_SCALAR
  const Lanes d;
  for (; at + hn::Lanes(d) + Question::kMore <= size; at += hn::Lanes(d)) {
    const LaneMask found = Question::template test<ManyBytes>(in + at);
    if (!hn::AllFalse(d, found)) return at + static_cast<std::size_t>(hn::FindFirstTrue(d, found));
  }
#endif
  for (; at + Question::kMore < size; ++at) {
    if (Question::template test<OneByte>(in + at)) return at;
  }
  // The last character is looked at itself.
  while (at < size && in[at] < 0xc2) ++at;
  return at;
}

std::size_t unusual(const std::uint8_t* in, std::size_t size, std::size_t at) { return next_of<Unusual>(in, size, at); }
std::size_t misread_lead(const std::uint8_t* in, std::size_t size, std::size_t at) {
  return next_of<MisreadLead>(in, size, at);
}
std::size_t shared_lead(const std::uint8_t* in, std::size_t size, std::size_t at) {
  return next_of<SharedLead>(in, size, at);
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(unusual);
HWY_EXPORT(misread_lead);
HWY_EXPORT(shared_lead);

std::size_t next_unusual(std::string_view text, std::size_t from) {
  const auto* const in = reinterpret_cast<const std::uint8_t*>(text.data());
  return HWY_DYNAMIC_DISPATCH(unusual)(in, text.size(), from);
}

std::size_t next_misread_lead(std::string_view text, std::size_t from) {
  const auto* const in = reinterpret_cast<const std::uint8_t*>(text.data());
  return HWY_DYNAMIC_DISPATCH(misread_lead)(in, text.size(), from);
}

std::size_t next_shared_lead(std::string_view text, std::size_t from) {
  const auto* const in = reinterpret_cast<const std::uint8_t*>(text.data());
  return HWY_DYNAMIC_DISPATCH(shared_lead)(in, text.size(), from);
}

}  // namespace assay
#endif
