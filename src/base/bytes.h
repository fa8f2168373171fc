#pragma once
// Arithmetic on numbers that a file told, and the questions one asks of raw bytes before believing them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// a + b, a · b; nothing where the result does not fit.
template <class T>
constexpr std::optional<T> checked_add(T a, T b) {
  T result{};
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}
template <class T>
constexpr std::optional<T> checked_multiply(T a, T b) {
  T result{};
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// The integer that `value` is, where it is one and is exact as a double (|value| <= 2^53): what may count steps.
std::optional<std::int64_t> exact_integer(double value);

/// Length of the valid UTF-8 sequence at the start of `text` (1 to 4); 0 where there is none, `cut` is then set when
/// the bytes are the beginning of a valid sequence.
std::size_t utf8_sequence(std::string_view text, bool* cut = nullptr);

/// Bytes that belong to no valid UTF-8 sequence; a sequence cut by the end is not counted.
std::size_t count_invalid_utf8(std::string_view text);

/// `text`, each byte that is not valid UTF-8 replaced by U+FFFD and each control character by a space: fit to be a name
/// in a report.
std::string printable_utf8(std::string_view text);

}  // namespace assay
