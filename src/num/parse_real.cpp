// Numbers as people write them.
//
// A decimal number is D·10^k with a whole number D of as many digits as were written. It is brought to 128 bits and the
// mark (real.h) with whole numbers only: for k >= 0 by multiplying, for k < 0 by shifting D up until the quotient has
// enough bits and dividing by ten k times. Each division drops a remainder; floor(floor(x/10)/10) = floor(x/100), and
// the quotient is exact only if all remainders were zero, so the mark comes out right. Beyond 10^±400 every format has
// overflowed or rounds to zero or to its smallest number, so there only the sign and the side matter.

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/display.h"
#include "num/double_bits.h"
#include "num/real.h"

namespace assay {

namespace {

constexpr std::size_t kLongest = 4096;
constexpr std::int64_t kFarthest = 400;  // powers of ten
constexpr int kBeyondAll = 4000;         // a power of two that no format reaches

// A whole number of any size, lowest word first.
class BigNumber {
 public:
  void multiply_add(std::uint32_t factor, std::uint32_t addend) {
    std::uint64_t carry = addend;
    for (std::uint32_t& word : words_) {
      carry += std::uint64_t{word} * factor;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_.push_back(static_cast<std::uint32_t>(carry));
  }

  std::uint32_t divide(std::uint32_t divisor) {
    std::uint64_t rest = 0;
    for (std::size_t i = words_.size(); i-- > 0;) {
      rest = rest << 32 | words_[i];
      words_[i] = static_cast<std::uint32_t>(rest / divisor);
      rest %= divisor;
    }
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
    return static_cast<std::uint32_t>(rest);
  }

  void shift_up_words(std::size_t count) { words_.insert(words_.begin(), count, 0); }
  bool is_zero() const { return words_.empty(); }
  std::size_t words() const { return words_.size(); }

  // The number times 2^exponent, and something more.
  Real real(bool negative, int exponent, bool more) const {
    Real out;
    out.negative = negative;
    if (words_.empty()) return out;
    out.kind = Real::Kind::kFinite;
    int taken = 0;
    const int bits = static_cast<int>(words_.size()) * 32;
    for (int bit = bits - 1; bit >= 0; --bit) {
      const bool one = (words_[static_cast<std::size_t>(bit / 32)] >> (bit % 32) & 1) != 0;
      if (taken == 0 && !one) continue;
      if (taken == 128) {
        more = more || one;
        continue;
      }
      out.significand = out.significand << 1 | (one ? 1 : 0);
      if (++taken == 128) out.exponent = exponent + bit;
    }
    if (taken < 128) {
      out.significand <<= 128 - taken;
      out.exponent = exponent - (128 - taken);
    }
    out.exact = !more;
    if (more) out.significand |= 1;
    return out;
  }

 private:
  std::vector<std::uint32_t> words_;
};

Real power_of_two(bool negative, int exponent) {
  Real out;
  out.kind = Real::Kind::kFinite;
  out.negative = negative;
  out.significand = UInt128{1} << 127;
  out.exponent = exponent - 127;
  return out;
}

bool is_far(std::int64_t count, std::int64_t power) { return std::abs(power + count) > kFarthest; }

Real decimal(bool negative, BigNumber digits, std::int64_t count, std::int64_t power) {
  if (digits.is_zero()) return digits.real(negative, 0, false);
  if (is_far(count, power)) {
    Real out = power_of_two(negative, power > 0 || power + count > 0 ? kBeyondAll : -kBeyondAll);
    out.exact = false;
    out.significand |= 1;
    return out;
  }
  if (power >= 0) {
    for (std::int64_t i = 0; i < power; ++i) digits.multiply_add(10, 0);
    return digits.real(negative, 0, false);
  }
  // A division by ten takes 3.4 bits; five words more than they all take leave a quotient of more than 128 bits.
  const auto words = static_cast<std::size_t>(-power * 34 / 320 + 6);
  digits.shift_up_words(words);
  bool more = false;
  std::int64_t left = -power;
  for (; left >= 9; left -= 9) more = digits.divide(1'000'000'000) != 0 || more;
  for (; left > 0; --left) more = digits.divide(10) != 0 || more;
  return digits.real(negative, -32 * static_cast<int>(words), more);
}

// Reads from the front of a text; every step says whether it could.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::size_t at() const { return at_; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool take_either(char a, char b) { return take(a) || take(b); }
  bool take_word(std::string_view word) {
    if (lower(text_.substr(at_, word.size())) != word) return false;
    at_ += word.size();
    return true;
  }
  // A digit; an underscore between two digits is passed over.
  std::optional<std::uint32_t> digit(std::uint32_t base, bool after_digit) {
    std::size_t place = at_;
    if (after_digit && place < text_.size() && text_[place] == '_') ++place;
    const auto value = place < text_.size() ? value_of(text_[place]) : base;
    if (value >= base) return std::nullopt;
    at_ = place + 1;
    return value;
  }
  // A whole number with a sign, as an exponent; far ones are cut to a million.
  std::optional<std::int64_t> exponent() {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int64_t out = 0;
    bool any = false;
    while (const auto one = digit(10, any)) {
      out = std::min<std::int64_t>(out * 10 + *one, 1'000'000);
      any = true;
    }
    if (!any) return std::nullopt;
    return negative ? -out : out;
  }

 private:
  static std::uint32_t value_of(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
    const char small = lower(c);
    return small >= 'a' && small <= 'f' ? static_cast<std::uint32_t>(small - 'a' + 10) : 99;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Digits {
  BigNumber number;
  std::int64_t count = 0;     // without leading zeros
  std::int64_t fraction = 0;  // of them behind the point
  bool any = false;
};

Digits digits_of(Reader& reader, std::uint32_t base) {
  Digits out;
  bool point = false;
  bool after_digit = false;
  for (;;) {
    if (const auto one = reader.digit(base, after_digit)) {
      out.number.multiply_add(base, *one);
      out.any = after_digit = true;
      if (!out.number.is_zero()) ++out.count;
      if (point) ++out.fraction;
    } else if (!point && reader.take('.')) {
      point = true;
      after_digit = false;
    } else {
      return out;
    }
  }
}

std::optional<Real> nan_from(Reader& reader, bool negative) {
  Real out;
  out.kind = Real::Kind::kNan;
  out.negative = negative;
  out.payload = kDoubleQuiet;
  if (reader.at_end()) return out;
  if (!reader.take('(')) return std::nullopt;
  const std::uint32_t base = reader.take_word("0x") ? 16 : 10;
  std::uint64_t payload = 0;
  bool any = false;
  while (const auto one = reader.digit(base, any)) {
    payload = payload * base + *one;
    if (payload >= kDoubleQuiet) return std::nullopt;
    any = true;
  }
  if (!any || !reader.take(')')) return std::nullopt;
  out.payload |= payload;
  return out;
}

Real scaled(Real value, std::int64_t by) {
  if (value.kind == Real::Kind::kFinite) {
    value.exponent = static_cast<int>(std::clamp<std::int64_t>(value.exponent + by, -2'000'000, 2'000'000));
  }
  return value;
}

std::optional<Real> hexadecimal(Reader& reader, bool negative) {
  const Digits digits = digits_of(reader, 16);
  if (!digits.any || !reader.take_either('p', 'P')) return std::nullopt;
  const auto exponent = reader.exponent();
  if (!exponent) return std::nullopt;
  return scaled(digits.number.real(negative, 0, false), *exponent - 4 * digits.fraction);
}

// "1.5e-3", "2^-24", "1.5*2^-3".
std::optional<Real> decimal_from(Reader& reader, bool negative) {
  Digits digits = digits_of(reader, 10);
  if (!digits.any) return std::nullopt;
  if (digits.count == 1 && digits.fraction == 0 && reader.take('^')) {
    const auto exponent = reader.exponent();
    const Real two = digits.number.real(false, 0, false);
    if (!exponent || two.significand != UInt128{1} << 127 || two.magnitude() != 1) return std::nullopt;
    return scaled(power_of_two(negative, 0), *exponent);
  }
  std::int64_t power = -digits.fraction;
  if (reader.take_either('e', 'E')) {
    const auto exponent = reader.exponent();
    if (!exponent) return std::nullopt;
    power += *exponent;
  }
  const Real factor = decimal(negative, std::move(digits.number), digits.count, power);
  if (!reader.take('*')) return factor;
  // A far number is only held as one that is far enough: times a power of two it could come back as another.
  const bool far = factor.kind == Real::Kind::kFinite && is_far(digits.count, power);
  if (far || !reader.take_word("2^")) return std::nullopt;
  const auto exponent = reader.exponent();
  return exponent ? std::optional(scaled(factor, *exponent)) : std::nullopt;
}

std::optional<Real> number_from(Reader& reader) {
  const bool negative = reader.take('-');
  if (!negative) reader.take('+');
  if (reader.take_word("nan")) return nan_from(reader, negative);
  if (reader.take_word("infinity") || reader.take_word("inf")) {
    Real out;
    out.kind = Real::Kind::kInfinite;
    out.negative = negative;
    return out;
  }
  return reader.take_word("0x") ? hexadecimal(reader, negative) : decimal_from(reader, negative);
}

}  // namespace

Result<Real> parse_real(std::string_view text) {
  const auto refuse = [&](const std::string& why) -> Result<Real> {
    return fail(ErrorCode::kUsage, "'" + shortened(text, 60) + "' is not a number" + why, {},
                "such are: -1.5e-3, 2^-24, 0x1.8p-3, inf, nan, nan(0x1)");
  };
  if (text.size() > kLongest) return refuse(": it is longer than " + std::to_string(kLongest) + " characters");
  Reader reader(text);
  auto value = number_from(reader);
  if (value && reader.at_end()) return *value;
  if (text.empty()) return refuse(": it is empty");
  return refuse(" from character " + std::to_string(reader.at() + 1) + " on");
}

}  // namespace assay
