#pragma once
// One number of a log line: where it ends, and what it is worth.
//
// The scan decides at one place, for the tokenizer and for the fast path alike, what counts as a number; that is what
// makes a compiled shape and the slow path agree on every line. It looks only forward from a given byte; the caller
// has to make sure that the byte before is not part of a word ("fp16") or of another number.
//
//   value   1  -2.5  1.0E+01  .5  0.  12,345  1.20K 3.4M 2B  nan -inf Infinity  None null n/a  True False
//   stamp   dates, times, versions, addresses: 2024-05-28  22:26:20,123  2.3.1  10.0.0.7: recognised, never a value;
//           so are identifiers: 6c576fac  block_00af3c  7d9f8b-x2k  0x7f3a2b10  any uuid (identifier.h)
//   neither digits that run on into letters: 0x14a5, 3rd, 8xH100 – unless the letters are a unit (ms, GiB) or the
//           number has a fraction (3.91x)
//
// While it scans it gathers the digits. Up to 19 digits and a small power of ten give the exactly rounded double with
// one multiplication or division (Clinger's fast path); everything else goes to fast_float.

#include <cstdint>
#include <string_view>

#include "base/ascii.h"

namespace assay::lines {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

enum class TokenKind : std::uint8_t {
  kNone,
  kNumber,
  kAbsent,  // None, null, n/a: a value that is not there
  kTruth,   // True, False
  kStamp,
};

struct Token {
  const char* begin = nullptr;
  const char* end = nullptr;
  TokenKind kind = TokenKind::kNone;
  bool negative = false;
  bool special = false;       // nan or inf: mantissa 0 is nan, 1 is inf
  bool inexact = false;       // more digits than the mantissa holds
  bool commas = false;        // between thousands
  bool integer = false;       // digits only
  std::int8_t thousands = 0;  // 1: K, 2: M, 3: B
  std::int32_t exponent = 0;
  std::uint64_t mantissa = 0;

  explicit operator bool() const { return kind != TokenKind::kNone; }
  bool is_word() const { return special || kind == TokenKind::kAbsent || kind == TokenKind::kTruth; }
  bool is_value() const { return kind != TokenKind::kNone && kind != TokenKind::kStamp; }
  /// The number; NaN for what is absent; 1 and 0 for True and False.
  double value() const;
  /// The number where it is an integer that fits; otherwise `otherwise`.
  std::int64_t integer_or(std::int64_t otherwise) const;
};

/// The token that begins exactly at p, or none.
Token scan_token(const char* p, const char* end);

/// The same for the number that logs mostly hold, digits with or without a fraction; falls back where anything else is.
inline Token scan_token_quickly(const char* p, const char* end) {
  const char* q = p;
  std::uint64_t mantissa = 0;
  while (q < end && static_cast<unsigned char>(*q - '0') < 10)
    mantissa = mantissa * 10 + static_cast<unsigned char>(*q++ - '0');
  std::int32_t exponent = 0;
  const bool integer = q == end || *q != '.';
  if (q == p) return scan_token(p, end);
  if (!integer) {
    const char* const fraction = ++q;
    while (q < end && static_cast<unsigned char>(*q - '0') < 10)
      mantissa = mantissa * 10 + static_cast<unsigned char>(*q++ - '0');
    exponent = static_cast<std::int32_t>(fraction - q);
  }
  constexpr std::ptrdiff_t kDigits = 18;  // of as many the mantissa is exact
  const char c = q < end ? *q : ' ';
  const bool ends = c == ' ' || c == '|' || c == '\t' || c == ')' || c == ']' || c == '}' || c == ';' ||
                    (c == '/' && !integer) || (c == ',' && (!integer || end - q < 2 || !is_digit(q[1])));
  if (!ends || q - p > kDigits || (!integer && exponent == 0)) return scan_token(p, end);
  Token token;
  token.begin = p;
  token.end = q;
  token.kind = TokenKind::kNumber;
  token.integer = integer;
  token.exponent = exponent;
  token.mantissa = mantissa;
  return token;
}

/// Whether what stands between a number and the end of a text is the beginning of its rest: "1." "1.2e" "1.2e-".
bool breaks_number(std::string_view rest);

/// "nan", "None" and the like behind a word and a blank: a value in "loss nan lr 0.1", a part of the key in
/// "number of nan iterations: 0".
bool is_part_of_key(const Token& token, const char* end);

}  // namespace assay::lines
