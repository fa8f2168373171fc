#pragma once
// Strings of JSON at the speed of memory: where they end, and what they stand for.

#include <cstddef>
#include <cstdint>

namespace assay {

enum class StringEnd : std::uint8_t { kQuote, kCut, kInvalid };

/// Where the string ends whose first byte is at `at`: at its closing quote; at `end`; at a control character or what no
/// escape is. escaped: it has escapes.
StringEnd find_string_end(const char*& at, const char* end, bool& escaped);

/// More than what is written may be overwritten behind it.
inline constexpr std::size_t kUnescapeSlack = 64;

/// Writes what a string (found by find_string_end) stands for to `to`, which has room for end - at + kUnescapeSlack
/// bytes, and returns where that ends. Null: at `at` stands half a character, which no UTF-8 can hold.
char* unescape(const char*& at, const char* end, char* to);

}  // namespace assay
