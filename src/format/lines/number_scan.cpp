#include "format/lines/number_scan.h"

#include <fast_float/fast_float.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "format/lines/identifier.h"

namespace assay::lines {

namespace {

constexpr std::array kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t kMostMantissa = 922'337'203'685'477'579;  // one more digit still fits 63 bits
constexpr std::int32_t kMostExponent = 100'000;

// What may stand directly behind an integer without making it a part of a word.
constexpr std::array<std::string_view, 40> kUnits{
    "ms",  "s",   "us",  "ns",   "sec", "secs",   "min",    "mins",   "m",       "h",     "hr",    "d",    "x", "it",
    "its", "GiB", "GB",  "MiB",  "MB",  "KiB",    "KB",     "kB",     "TiB",     "TB",    "T",     "G",    "g", "z",
    "W",   "J",   "tok", "toks", "p",   "TFLOPs", "TFLOPS", "tflops", "samples", "steps", "epoch", "batch"};

bool is_unit(std::string_view word) {
  for (const std::string_view unit : kUnits) {
    if (unit == word) return true;
  }
  return false;
}

const char* word_end(const char* p, const char* end) {
  while (p < end && is_word(*p)) ++p;
  return p;
}

const char* digits_end(const char* p, const char* end) {
  while (p < end && is_digit(*p)) ++p;
  return p;
}

// "22:26:20.123", "0:07", "1:02:03": from the end of the first group.
const char* time_end(const char* q, const char* end) {
  const auto group = [&](const char* p) -> const char* {
    return end - p >= 3 && *p == ':' && is_digit(p[1]) && is_digit(p[2]) && !(end - p > 3 && is_digit(p[3])) ? p + 3
                                                                                                             : nullptr;
  };
  const char* after = group(q);
  if (after == nullptr) return nullptr;
  if (const char* seconds = group(after)) after = seconds;
  if (end - after >= 2 && (*after == '.' || *after == ',') && is_digit(after[1])) after = digits_end(after + 1, end);
  if (after < end && *after == 'Z') ++after;
  return after;
}

// "+08:00" or "-0500" behind a time.
const char* zone_end(const char* p, const char* end) {
  const auto pair = [end](const char* q) { return end - q >= 2 && is_digit(q[0]) && is_digit(q[1]); };
  if (p == end || (*p != '+' && *p != '-') || !pair(p + 1)) return p;
  const char* minutes = p + 3;
  if (minutes < end && *minutes == ':') ++minutes;
  return pair(minutes) && (minutes + 2 == end || !is_digit(minutes[2])) ? minutes + 2 : p;
}

// "2024-05-28", "13/01/2022", also with "T22:26:20" behind it: from the end of the first group.
const char* date_end(const char* begin, const char* q, const char* end) {
  const char separator = *q;
  const char* second = digits_end(q + 1, end);
  if (second - q < 2 || second - q > 3 || second == end || *second != separator) return nullptr;
  const char* third = digits_end(second + 1, end);
  const auto first_size = q - begin;
  const auto last_size = third - second - 1;
  const bool fits = (first_size == 4 && (last_size == 1 || last_size == 2)) || (first_size <= 2 && last_size == 4);
  if (!fits || (third < end && *third == separator)) return nullptr;
  if (end - third > 2 && *third == 'T' && is_digit(third[1])) {
    if (const char* time = time_end(digits_end(third + 1, end), end)) return zone_end(time, end);
  }
  return third;
}

Token stamp(const char* begin, const char* end) {
  Token token;
  token.begin = begin;
  token.end = end;
  token.kind = TokenKind::kStamp;
  return token;
}

struct Word {
  std::string_view text;
  TokenKind kind;
  std::uint64_t mantissa;
};
constexpr std::array kWords = std::to_array<Word>({
    {"nan", TokenKind::kNumber, 0},
    {"NaN", TokenKind::kNumber, 0},
    {"NAN", TokenKind::kNumber, 0},
    {"Nan", TokenKind::kNumber, 0},
    {"inf", TokenKind::kNumber, 1},
    {"Inf", TokenKind::kNumber, 1},
    {"INF", TokenKind::kNumber, 1},
    {"Infinity", TokenKind::kNumber, 1},
    {"infinity", TokenKind::kNumber, 1},
    {"None", TokenKind::kAbsent, 0},
    {"null", TokenKind::kAbsent, 0},
    {"True", TokenKind::kTruth, 1},
    {"False", TokenKind::kTruth, 0},
    {"true", TokenKind::kTruth, 1},
    {"false", TokenKind::kTruth, 0},
});

// p: the beginning with the sign; q: behind the sign.
Token scan_word(const char* p, const char* q, const char* end) {
  Token token;
  if (q == end) return token;
  switch (*q) {
    case 'n':
    case 'N':
    case 'i':
    case 'I':
    case 'T':
    case 't':
    case 'F':
    case 'f': break;
    default: return token;
  }
  const bool is_signed = q != p;
  const char* stop = word_end(q, end);
  const std::string_view text(q, static_cast<std::size_t>(stop - q));
  if (!is_signed && text.size() == 1 && end - q >= 3 && (text == "n" || text == "N") && q[1] == '/' &&
      (q[2] == 'a' || q[2] == 'A') && (q + 3 == end || !is_word(q[3]))) {
    token.kind = TokenKind::kAbsent;
    token.begin = p;
    token.end = q + 3;
    return token;
  }
  for (const Word& word : kWords) {
    if (!text.starts_with(word.text)) continue;
    const std::string_view rest = text.substr(word.text.size());
    const bool number = word.kind == TokenKind::kNumber;
    if (is_signed && !number) continue;
    // "nanms" is a time that could not be measured, "nanxxx" how Paddle fills a field; "nano" and "information" are
    // words.
    if (!rest.empty() && !(number && (rest == "ms" || rest == "s" || rest == "xxx"))) continue;
    token.kind = word.kind;
    token.begin = p;
    token.end = q + word.text.size();
    token.negative = is_signed && *p == '-';
    token.special = number;
    token.mantissa = word.mantissa;
    return token;
  }
  return token;
}

void add_digits(Token& token, const char* from, const char* to, bool fraction) {
  for (const char* d = from; d < to; ++d) {
    if (token.mantissa < kMostMantissa) {
      token.mantissa = token.mantissa * 10 + static_cast<std::uint64_t>(*d - '0');
      if (fraction) --token.exponent;
    } else {
      token.inexact = true;
    }
  }
}

// ",345" groups of exactly three digits behind up to three digits.
const char* thousands_end(const char* begin, const char* q, const char* end) {
  if (q - begin > 3 || *begin == '0') return q;
  const char* after = q;
  while (end - after >= 4 && *after == ',' && is_digit(after[1]) && is_digit(after[2]) && is_digit(after[3]) &&
         !(end - after > 4 && is_digit(after[4]))) {
    after += 4;
  }
  return after;
}

const char* exponent_end(Token& token, const char* q, const char* end) {
  const char* e = q + 1;
  const bool negative = e < end && *e == '-';
  if (e < end && (*e == '-' || *e == '+')) ++e;
  if (e >= end || !is_digit(*e)) return q;
  const char* stop = digits_end(e, end);
  if (stop < end && (is_letter(*stop) || *stop == '_') &&
      !is_unit({stop, static_cast<std::size_t>(word_end(stop, end) - stop)})) {
    return q;  // "12e5abc" is no number
  }
  std::int32_t exponent = 0;
  for (const char* d = e; d < stop; ++d) {
    if (exponent < kMostExponent) exponent = exponent * 10 + (*d - '0');
  }
  token.exponent += negative ? -exponent : exponent;
  return stop;
}

// "1.20K", and "1.20kit/10.0kit" of a bar; 0: something else.
std::int8_t thousands_of(std::string_view word) {
  if (word == "K" || word == "k" || word == "kit") return 1;
  if (word == "M" || word == "Mit") return 2;
  return word == "B" ? 3 : 0;
}

Token scan_number(const char* p, const char* end) {
  Token token;
  const char* q = p;
  if (q == end) return token;
  if (*q == '-' || *q == '+') {
    token.negative = *q == '-';
    if (++q == end) return token;
  }
  const bool point_first = *q == '.' && end - q > 1 && is_digit(q[1]);
  if (!is_digit(*q) && !point_first) return scan_word(p, q, end);
  const char* digits = q;
  q = digits_end(q, end);
  if (q < end && digits == p && (*q == ':' || *q == '-' || *q == '/')) {
    const char* stop = *q == ':' ? time_end(q, end) : date_end(digits, q, end);
    if (stop != nullptr) return stamp(p, stop);
  }
  add_digits(token, digits, q, false);
  bool plain = true;
  if (q < end && *q == ',' && q > digits) {
    const char* after = thousands_end(digits, q, end);
    token.commas = after != q;
    for (const char* group = q; group < after; group += 4) add_digits(token, group + 1, group + 4, false);
    q = after;
  }
  if (q < end && *q == '.') {
    const char* fraction = digits_end(q + 1, end);
    if (fraction > q + 1) {
      plain = false;
      add_digits(token, q + 1, fraction, true);
      q = fraction;
      if (end - q > 1 && *q == '.' && is_digit(q[1])) {  // a version or an address
        while (end - q > 1 && *q == '.' && is_digit(q[1])) q = digits_end(q + 1, end);
        return stamp(p, q);
      }
    } else if (q > digits && (fraction == end || (!is_word(*fraction) && *fraction != '.'))) {
      plain = false;
      q = fraction;
    }
  }
  if (q < end && (*q == 'e' || *q == 'E')) {
    const char* after = exponent_end(token, q, end);
    if (after != q) plain = false;
    q = after;
  }
  if (q < end && (is_letter(*q) || *q == '_')) {
    const char* stop = word_end(q, end);
    const std::string_view word(q, static_cast<std::size_t>(stop - q));
    const std::int8_t thousands = thousands_of(word);
    if (thousands > 0) {
      token.thousands = thousands;
      plain = false;
      ++q;
    } else if (plain && !is_unit(word)) {
      return {};
    }
  }
  token.kind = TokenKind::kNumber;
  token.integer = plain;
  token.begin = p;
  token.end = q;
  return token;
}

}  // namespace

Token scan_token(const char* p, const char* end) {
  if (p < end && is_uuid(p, end)) return stamp(p, p + kUuidSize);
  if (const Token token = scan_number(p, end)) return token;
  const char* const stop = identifier_end(p, end);
  return stop == nullptr ? Token{} : stamp(p, stop);
}

bool breaks_number(std::string_view rest) {
  return rest == "." || rest == "e" || rest == "E" || rest == "e-" || rest == "E-" || rest == "e+" || rest == "E+";
}

bool is_part_of_key(const Token& token, const char* end) {
  const char* p = token.end;
  while (p < end && is_blank(*p)) ++p;
  if (p == token.end || p == end || !is_letter(*p)) return false;
  p = word_end(p, end);
  return p < end && (*p == ':' || *p == '=');
}

double Token::value() const {
  if (kind == TokenKind::kTruth) return static_cast<double>(mantissa);
  if (kind != TokenKind::kNumber) return std::numeric_limits<double>::quiet_NaN();
  const double sign = negative ? -1.0 : 1.0;
  if (special) {
    return mantissa == 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  const std::int32_t power = exponent + 3 * thousands;
  if (!inexact && mantissa <= kExact && power >= -22 && power <= 22) {
    const double number = static_cast<double>(mantissa);
    return sign * (power < 0 ? number / kPowers[static_cast<std::size_t>(-power)]
                             : number * kPowers[static_cast<std::size_t>(power)]);
  }
  const char* from = *begin == '+' ? begin + 1 : begin;  // from_chars knows no plus, and stops before a K
  double number = 0;
  if (commas) {
    std::string text(from, end);
    std::erase(text, ',');
    const auto done = fast_float::from_chars(text.data(), text.data() + text.size(), number);
    return done.ec == std::errc::invalid_argument ? std::numeric_limits<double>::quiet_NaN()
                                                  : number * kPowers[static_cast<std::size_t>(3 * thousands)];
  }
  const auto done = fast_float::from_chars(from, end, number);
  if (done.ec == std::errc::invalid_argument) return std::numeric_limits<double>::quiet_NaN();
  return number * kPowers[static_cast<std::size_t>(3 * thousands)];
}

std::int64_t Token::integer_or(std::int64_t otherwise) const {
  if (kind != TokenKind::kNumber || special || inexact || mantissa > (std::uint64_t{1} << 62)) return otherwise;
  if (exponent != 0 || thousands != 0) {
    const double number = value();  // "10.", "1.2K", "2e3"
    constexpr double kLargest = 9e15;
    return number == std::floor(number) && std::fabs(number) < kLargest ? static_cast<std::int64_t>(number) : otherwise;
  }
  const auto whole = static_cast<std::int64_t>(mantissa);
  return negative ? -whole : whole;
}

}  // namespace assay::lines
