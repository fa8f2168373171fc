// A text in JSON has an escape each hundred bytes or so (line feeds, quotes), or, where its writer kept to ASCII,
// nothing but escapes. So both loops look at 64 bytes at a time up to the next backslash, and take escapes that follow
// one another without going back to vectors; and both are one call for a string, because a call for each escape costs
// as much as the bytes between two of them. From an escape they go on with the 64 bytes behind it, wherever that is: to
// go back to a grid, or to halves of it, is a branch more that was not foreseen, which is what an escape costs.

#include "format/documents/json_strings.h"

#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "format/documents/json_strings.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#ifndef ASSAY_JSON_STRINGS_ONCE
#define ASSAY_JSON_STRINGS_ONCE
namespace assay {

inline int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four digits at `at`, which have been checked.
inline std::uint32_t hex4(const char* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 4 | static_cast<std::uint32_t>(hex_digit(at[i]));
  return value;
}

inline char* put_utf8(std::uint32_t code, char* to) {
  const auto put = [&](std::uint32_t byte) { *to++ = static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) {
    put(code);
    return to;
  }
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
  return to;
}

// The character of "\uXXXX", or of two of them; `at` stands behind the 'u' and moves behind it all. False: half of one.
inline bool take_unit(const char*& at, const char* end, std::uint32_t& code) {
  code = hex4(at);
  at += 4;
  if (code < 0xd800 || code > 0xdfff) return true;
  if (code >= 0xdc00 || end - at < 6 || at[0] != '\\' || at[1] != 'u') return false;
  const std::uint32_t low = hex4(at + 2);
  if (low < 0xdc00 || low > 0xdfff) return false;
  at += 6;
  code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  return true;
}

// Of an escape of one letter; 0: there is none of that letter.
constexpr std::array<char, 256> kPlainEscapes = [] {
  std::array<char, 256> out = {};
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  for (std::size_t i = 0; i < kLetters.size(); ++i) out[static_cast<unsigned char>(kLetters[i])] = kMeanings[i];
  return out;
}();
inline char plain_escape(char c) { return kPlainEscapes[static_cast<unsigned char>(c)]; }

// Passes the escape at `at`.
inline StringEnd pass_escape(const char*& at, const char* end) {
  if (end - at < 2) {
    at = end;
    return StringEnd::kCut;
  }
  if (plain_escape(at[1]) != 0) {
    at += 2;
    return StringEnd::kQuote;
  }
  ++at;
  if (*at != 'u') return StringEnd::kInvalid;
  ++at;
  for (int i = 0; i < 4; ++i, ++at) {
    if (at == end) return StringEnd::kCut;
    if (hex_digit(*at) < 0) return StringEnd::kInvalid;
  }
  return StringEnd::kQuote;
}

}  // namespace assay
#endif

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kBlock = kUnescapeSlack;
using Bytes = hn::CappedTag<std::uint8_t, kBlock>;
using Vector = hn::Vec<Bytes>;

HWY_INLINE Vector all(char byte) { return hn::Set(Bytes(), static_cast<std::uint8_t>(byte)); }

// Bit i: the answer for the byte in + i. `is` answers for the bytes of a vector, from a place on.
HWY_INLINE std::uint64_t mask_of(const auto& is) {
  std::uint64_t out = 0;
  for (std::size_t at = 0; at < kBlock; at += hn::Lanes(Bytes())) {
    std::uint64_t bits = 0;
    hn::StoreMaskBits(Bytes(), is(at), reinterpret_cast<std::uint8_t*>(&bits));
    if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);
    out |= bits << at;
  }
  return out;
}

HWY_INLINE Vector load(const char* at) { return hn::LoadU(Bytes(), reinterpret_cast<const std::uint8_t*>(at)); }

HWY_INLINE bool stops(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

// To where the string stops or an escape begins.
HWY_INLINE const char* pass_plain(const char* here, const char* end) {
  while (static_cast<std::size_t>(end - here) >= kBlock) {
    const std::uint64_t found = mask_of([&](std::size_t at) HWY_ATTR {
      const Vector v = load(here + at);
      const auto control = hn::Eq(hn::Min(v, all(0x1f)), v);
      return hn::Or(hn::Or(hn::Eq(v, all('"')), hn::Eq(v, all('\\'))), control);
    });
    if (found != 0) return here + std::countr_zero(found);
    here += kBlock;
  }
  while (here != end && !stops(*here)) ++here;
  return here;
}

StringEnd find_string_end(const char*& at, const char* end, bool& escaped) {
  for (const char* here = at;;) {
    here = pass_plain(here, end);
    at = here;
    if (here == end) return StringEnd::kCut;
    if (*here == '"') return StringEnd::kQuote;
    if (*here != '\\') return StringEnd::kInvalid;
    escaped = true;
    while (here != end && *here == '\\') {
      const StringEnd passed = pass_escape(here, end);
      at = here;
      if (passed != StringEnd::kQuote) return passed;
    }
  }
}

// Up to the next backslash.
HWY_INLINE void copy_plain(const char*& here, const char* end, char*& to) {
  while (static_cast<std::size_t>(end - here) >= kBlock) {
    const std::uint64_t found = mask_of([&](std::size_t at) HWY_ATTR {
      const Vector v = load(here + at);
      hn::StoreU(v, Bytes(), reinterpret_cast<std::uint8_t*>(to + at));
      return hn::Eq(v, all('\\'));
    });
    const std::size_t passed = found != 0 ? static_cast<std::size_t>(std::countr_zero(found)) : kBlock;
    here += passed;
    to += passed;
    if (found != 0) return;
  }
  while (here != end && *here != '\\') *to++ = *here++;
}

char* unescape(const char*& at, const char* end, char* to) {
  for (const char* here = at;;) {
    copy_plain(here, end, to);
    while (here != end && *here == '\\') {
      at = here;
      if (here[1] != 'u') {
        *to++ = plain_escape(here[1]);
        here += 2;
        continue;
      }
      here += 2;
      std::uint32_t code = 0;
      if (!take_unit(here, end, code)) return nullptr;
      to = put_utf8(code, to);
    }
    at = here;
    if (here == end) return to;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(find_string_end);
HWY_EXPORT(unescape);

StringEnd find_string_end(const char*& at, const char* end, bool& escaped) {
  return HWY_DYNAMIC_DISPATCH(find_string_end)(at, end, escaped);
}

char* unescape(const char*& at, const char* end, char* to) { return HWY_DYNAMIC_DISPATCH(unescape)(at, end, to); }

}  // namespace assay
#endif
