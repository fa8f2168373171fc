// Each loop loads a vector, compares, and asks for the first lane that is meant: about one byte in 70 of a corpus in
// JSON is such a one (quotes and line feeds are escaped), so that a loop over bytes would spend all its time on the
// others. What is left behind the last whole vector is looked at one by one.

#include "format/documents/byte_scan.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "format/documents/byte_scan.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<std::uint8_t>;
using Vector = hn::Vec<Bytes>;

Vector load(const char* at) { return hn::LoadU(Bytes(), reinterpret_cast<const std::uint8_t*>(at)); }
Vector all(char byte) { return hn::Set(Bytes(), static_cast<std::uint8_t>(byte)); }
std::size_t left(const char* at, const char* end) { return static_cast<std::size_t>(end - at); }

const char* string_stop(const char* at, const char* end) {
  const std::size_t lanes = hn::Lanes(Bytes());
  const Vector quote = all('"');
  const Vector backslash = all('\\');
  const Vector last_control = all(0x1f);
  for (; left(at, end) >= lanes; at += lanes) {
    const Vector v = load(at);
    const auto control = hn::Eq(hn::Min(v, last_control), v);
    const auto stops = hn::Or(hn::Or(hn::Eq(v, quote), hn::Eq(v, backslash)), control);
    const std::intptr_t first = hn::FindFirstTrue(Bytes(), stops);
    if (first >= 0) return at + first;
  }
  for (; at != end; ++at) {
    if (*at == '"' || *at == '\\' || static_cast<unsigned char>(*at) < 0x20) return at;
  }
  return end;
}

const char* find_any(const char* at, const char* end, char a, char b, char c) {
  const std::size_t lanes = hn::Lanes(Bytes());
  const Vector first_byte = all(a);
  const Vector second_byte = all(b);
  const Vector third_byte = all(c);
  for (; left(at, end) >= lanes; at += lanes) {
    const Vector v = load(at);
    const auto stops = hn::Or(hn::Or(hn::Eq(v, first_byte), hn::Eq(v, second_byte)), hn::Eq(v, third_byte));
    const std::intptr_t first = hn::FindFirstTrue(Bytes(), stops);
    if (first >= 0) return at + first;
  }
  for (; at != end; ++at) {
    if (*at == a || *at == b || *at == c) return at;
  }
  return end;
}

std::uint64_t count_byte(const char* at, const char* end, char byte) {
  const std::size_t lanes = hn::Lanes(Bytes());
  const Vector wanted = all(byte);
  std::uint64_t count = 0;
  // Each lane counts its own, until it may be full.
  while (left(at, end) >= lanes) {
    Vector counts = hn::Zero(Bytes());
    for (const char* const full = at + lanes * std::min<std::size_t>(left(at, end) / lanes, 255); at != full;
         at += lanes)
      counts = hn::Sub(counts, hn::VecFromMask(Bytes(), hn::Eq(load(at), wanted)));
    count += hn::GetLane(hn::SumOfLanes(hn::Repartition<std::uint64_t, Bytes>(), hn::SumsOf8(counts)));
  }
  return count + static_cast<std::uint64_t>(std::count(at, end, byte));
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(string_stop);
HWY_EXPORT(find_any);
HWY_EXPORT(count_byte);

const char* string_stop(const char* at, const char* end) { return HWY_DYNAMIC_DISPATCH(string_stop)(at, end); }

const char* find_any(const char* at, const char* end, char a, char b, char c) {
  return HWY_DYNAMIC_DISPATCH(find_any)(at, end, a, b, c);
}

std::uint64_t count_byte(std::string_view text, char byte) {
  return HWY_DYNAMIC_DISPATCH(count_byte)(text.data(), text.data() + text.size(), byte);
}

}  // namespace assay
#endif
