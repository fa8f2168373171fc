#pragma once
// Looking for bytes with vectors, for readers whose time is spent on it.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

/// The first of a quote, a backslash and a control character (below 0x20) from `at` on; `end` where there is none.
const char* string_stop(const char* at, const char* end);

/// The first of three bytes.
const char* find_any(const char* at, const char* end, char a, char b, char c);

/// What some programs put before UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::uint64_t count_byte(std::string_view text, char byte);

}  // namespace assay
