// A comparison of vectors and its mask of bits. The last bytes of a text are put beside zeros first.

#include "measure/text/byte_masks.h"

#include <algorithm>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "measure/text/byte_masks.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#ifndef ASSAY_BYTE_MASKS_ONCE
#define ASSAY_BYTE_MASKS_ONCE
namespace assay {

// A text from some place on, of which `bytes` are asked for.
struct Piece {
  const std::uint8_t* in;
  const std::uint8_t* end;
  std::size_t bytes;
};

inline Piece piece_of(std::string_view text, std::size_t from) {
  const auto* const in = reinterpret_cast<const std::uint8_t*>(text.data());
  return {in + from, in + text.size(), std::min(text.size() - from, kMaskedBytes)};
}

}  // namespace assay
#endif  // ASSAY_BYTE_MASKS_ONCE

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// `take(word, in, asked)` for each 64 bytes: what stands at `in` and one byte more can be read; the bits that are asked
// for.
HWY_INLINE void for_each_word(Piece piece, const auto& take) {
  std::size_t word = 0;
  for (; piece.bytes >= kMaskBytes && piece.in + kMaskBytes < piece.end; piece.bytes -= kMaskBytes) {
    take(word++, piece.in, ~std::uint64_t{0});
    piece.in += kMaskBytes;
  }
  if (piece.bytes == 0) return;
  std::uint8_t last[2 * kMaskBytes] = {};
  std::memcpy(last, piece.in, std::min<std::size_t>(sizeof last, static_cast<std::size_t>(piece.end - piece.in)));
  take(word, last, ~std::uint64_t{0} >> (kMaskBytes - piece.bytes));
}

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE std::uint64_t mask_of(const std::uint8_t* in, const auto& test) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < kMaskBytes; ++i) out |= std::uint64_t{test(in + i)} << i;
  return out;
}

HWY_INLINE bool is(const std::uint8_t* in, std::uint8_t byte) { return *in == byte; }
HWY_INLINE bool lies(const std::uint8_t* in, std::uint8_t first, std::uint8_t last) {
  return *in >= first && *in <= last;
}
// Capitals as small letters.
HWY_INLINE bool lies_small(const std::uint8_t* in, std::uint8_t first, std::uint8_t last) {
  return (*in | 0x20) >= first && (*in | 0x20) <= last;
}
HWY_INLINE bool any(bool a, bool b) { return a || b; }
HWY_INLINE bool both(bool a, bool b) { return a && b; }

#else

using Bytes = hn::CappedTag<std::uint8_t, kMaskBytes>;

HWY_INLINE std::uint64_t mask_of(const std::uint8_t* in, const auto& test) {
  std::uint64_t out = 0;
  for (std::size_t at = 0; at < kMaskBytes; at += hn::Lanes(Bytes())) {
    std::uint64_t word = 0;
    hn::StoreMaskBits(Bytes(), test(in + at), reinterpret_cast<std::uint8_t*>(&word));
    if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
    out |= word << at;
  }
  return out;
}

// What is asked of all bytes of a vector at once.
HWY_INLINE hn::Mask<Bytes> is(const std::uint8_t* in, std::uint8_t byte) {
  return hn::Eq(hn::LoadU(Bytes(), in), hn::Set(Bytes(), byte));
}
HWY_INLINE hn::Mask<Bytes> lies(const std::uint8_t* in, std::uint8_t first, std::uint8_t last) {
  const auto moved = hn::Sub(hn::LoadU(Bytes(), in), hn::Set(Bytes(), first));
  return hn::Eq(moved, hn::Min(moved, hn::Set(Bytes(), static_cast<std::uint8_t>(last - first))));
}
HWY_INLINE hn::Mask<Bytes> lies_small(const std::uint8_t* in, std::uint8_t first, std::uint8_t last) {
  const auto small = hn::Or(hn::LoadU(Bytes(), in), hn::Set(Bytes(), 0x20));
  const auto moved = hn::Sub(small, hn::Set(Bytes(), first));
  return hn::Eq(moved, hn::Min(moved, hn::Set(Bytes(), static_cast<std::uint8_t>(last - first))));
}
HWY_INLINE hn::Mask<Bytes> any(hn::Mask<Bytes> a, hn::Mask<Bytes> b) { return hn::Or(a, b); }
HWY_INLINE hn::Mask<Bytes> both(hn::Mask<Bytes> a, hn::Mask<Bytes> b) { return hn::And(a, b); }

#endif

void either(const Piece& piece, std::uint8_t one, std::uint8_t other, std::uint64_t* out) {
  for_each_word(piece, [&](std::size_t word, const std::uint8_t* in, std::uint64_t asked) HWY_ATTR {
    out[word] = asked & mask_of(in, [&](const std::uint8_t* at) HWY_ATTR { return any(is(at, one), is(at, other)); });
  });
}

void pair(const Piece& piece, std::uint8_t first, std::uint8_t second, std::uint8_t other, std::uint64_t* out) {
  for_each_word(piece, [&](std::size_t word, const std::uint8_t* in, std::uint64_t asked) HWY_ATTR {
    out[word] = asked & mask_of(in, [&](const std::uint8_t* at) HWY_ATTR {
                  return any(both(is(at, first), is(at + 1, second)), is(at, other));
                });
  });
}

void words(const Piece& piece, WordMasks* out) {
  for_each_word(piece, [&](std::size_t word, const std::uint8_t* in, std::uint64_t asked) HWY_ATTR {
    out->plain[word] = asked & mask_of(in, [](const std::uint8_t* at)
                                               HWY_ATTR { return any(lies_small(at, 'a', 'z'), lies(at, '0', '9')); });
    out->leads[word] = asked & mask_of(in, [](const std::uint8_t* at) HWY_ATTR { return lies(at, 0xc0, 0xff); });
  });
}

void names(const Piece& piece, NameMasks* out) {
  for_each_word(piece, [&](std::size_t word, const std::uint8_t* in, std::uint64_t asked) HWY_ATTR {
    const std::uint64_t capitals = mask_of(in, [](const std::uint8_t* at) HWY_ATTR { return lies(at, 'A', 'Z'); });
    const std::uint64_t small = mask_of(in, [](const std::uint8_t* at) HWY_ATTR { return lies(at, 'a', 'z'); });
    const std::uint64_t high = mask_of(in, [](const std::uint8_t* at) HWY_ATTR { return lies(at, 0x80, 0xff); });
    const std::uint64_t others =
        mask_of(in, [](const std::uint8_t* at) HWY_ATTR { return any(lies(at, '0', '9'), is(at, '_')); });
    out->capitals[word] = asked & capitals;
    out->letters[word] = asked & (capitals | small);
    out->high[word] = asked & high;
    out->names[word] = asked & (capitals | small | others | high);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(either);
HWY_EXPORT(pair);
HWY_EXPORT(words);
HWY_EXPORT(names);

void mask_either(std::string_view text, std::size_t from, char one, char other, ByteMasks& out) {
  HWY_DYNAMIC_DISPATCH(either)
  (piece_of(text, from), static_cast<std::uint8_t>(one), static_cast<std::uint8_t>(other), out.data());
}

void mask_pair(std::string_view text, std::size_t from, char first, char second, char other, ByteMasks& out) {
  HWY_DYNAMIC_DISPATCH(pair)
  (piece_of(text, from), static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second),
   static_cast<std::uint8_t>(other), out.data());
}

void mask_words(std::string_view text, std::size_t from, WordMasks& out) {
  HWY_DYNAMIC_DISPATCH(words)(piece_of(text, from), &out);
}

void mask_names(std::string_view text, std::size_t from, NameMasks& out) {
  HWY_DYNAMIC_DISPATCH(names)(piece_of(text, from), &out);
}

}  // namespace assay
#endif
