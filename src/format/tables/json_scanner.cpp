#include "format/tables/json_scanner.h"

#include <algorithm>
#include <limits>

#include "format/tables/decimal.h"

namespace assay {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::uint32_t code, std::string& out) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
  if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

// The four hexadecimal digits at the start of `text`; -1 where they are not.
std::int32_t hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  std::int32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value << 4 | digit;
  }
  return value;
}

}  // namespace

inline void JsonScanner::skip_blank() {
  for (; at_ != end_; ++at_) {
    if (*at_ == '\n') {
      ++line_;
    } else if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r') {
      if (!relaxed_ || !skip_comment()) return;
      if (at_ == end_) return;
      --at_;  // what ends a comment is looked at again
    }
  }
}

// Behind it: at the end of its line, or behind its closing mark.
bool JsonScanner::skip_comment() {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  if (rest.starts_with("/*")) {
    const std::size_t close = rest.find("*/", 2);
    const std::size_t size = close == std::string_view::npos ? rest.size() : close + 2;
    line_ += std::count(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size), '\n');
    at_ += size;
    return true;
  }
  if (!rest.starts_with("//") && !rest.starts_with('#')) return false;
  at_ += std::min(rest.find('\n'), rest.size());
  return true;
}

JsonScanner::Token JsonScanner::fail(const char* why) {
  error_ = why;
  expect_ = Expect::kNothing;
  return Token::kError;
}

JsonScanner::Token JsonScanner::open(bool object) {
  if (depth_ == kDeepest) return fail("nested too deeply");
  in_object_[depth_++] = object;
  ++at_;
  expect_ = object ? Expect::kKeyOrEnd : Expect::kValueOrEnd;
  return object ? Token::kObject : Token::kArray;
}

JsonScanner::Token JsonScanner::close(bool object) {
  if (in_object_[depth_ - 1] != object) return fail("a bracket of the other kind closes it");
  --depth_;
  ++at_;
  after_value();
  return object ? Token::kEndObject : Token::kEndArray;
}

JsonScanner::Token JsonScanner::next() {
  if (expect_ == Expect::kNothing) return Token::kEnd;
  skip_blank();
  if (at_ == end_) return Token::kCut;
  if (expect_ == Expect::kCommaOrEnd) {
    if (*at_ == '}' || *at_ == ']') return close(*at_ == '}');
    if (*at_ != ',') return fail("a comma is missing");
    ++at_;
    expect_ = in_object_[depth_ - 1] ? Expect::kKeyOrEnd : Expect::kValueOrEnd;
    skip_blank();
    if (at_ == end_) return Token::kCut;
  }
  if (expect_ == Expect::kKeyOrEnd) {
    if (*at_ == '}') return close(true);
    if (!opens_string()) return fail("a key in double quotes is missing");
    const Token key = string_token(Token::kKey);
    if (key != Token::kKey) return key;
    skip_blank();
    if (at_ == end_) return Token::kCut;
    if (*at_ != ':') return fail("a colon is missing");
    ++at_;
    expect_ = Expect::kValue;
    return key;
  }
  if (expect_ == Expect::kValueOrEnd && *at_ == ']') return close(false);
  return value();
}

JsonScanner::Token JsonScanner::value() {
  if (relaxed_) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (*at_ == 'T') return word("True", Token::kTrue);
    if (*at_ == 'F') return word("False", Token::kFalse);
    if (rest.starts_with("No")) return word("None", Token::kNull);
  }
  switch (*at_) {
    case '{': return open(true);
    case '[': return open(false);
    case '\'':
      if (!relaxed_) return number_token();
      [[fallthrough]];
    case '"': {
      const Token token = string_token(Token::kString);
      if (token == Token::kString) after_value();
      return token;
    }
    case 't': return word("true", Token::kTrue);
    case 'f': return word("false", Token::kFalse);
    case 'n': return end_ - at_ > 1 && at_[1] == 'a' ? word("nan", Token::kNumber) : word("null", Token::kNull);
    case 'N': return word("NaN", Token::kNumber);
    case 'I': return word("Infinity", Token::kNumber);
    case 'i': return word("inf", Token::kNumber);
    default: return number_token();
  }
}

JsonScanner::Token JsonScanner::word(std::string_view spelling, Token kind) {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  if (!rest.starts_with(spelling)) {
    return spelling.starts_with(rest) ? Token::kCut : fail("a value that JSON does not know");
  }
  text_ = rest.substr(0, spelling.size());
  number_ = spelling.front() == 'N' || spelling == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                                         : std::numeric_limits<double>::infinity();
  at_ += spelling.size();
  after_value();
  return kind;
}

JsonScanner::Token JsonScanner::string_token(Token kind) {
  const char quote = *at_;
  const char* from = ++at_;
  escaped_ = false;
  for (; at_ != end_; ++at_) {
    if (*at_ == quote) {
      text_ = {from, static_cast<std::size_t>(at_ - from)};
      ++at_;
      return kind;
    }
    if (*at_ == '\n') return fail("a string that is not closed in its line");
    if (*at_ != '\\') continue;
    escaped_ = true;
    if (++at_ == end_) break;
  }
  return Token::kCut;
}

JsonScanner::Token JsonScanner::number_token() {
  const char* from = at_;
  const bool negative = *at_ == '-';
  if (negative && end_ - at_ > 1 && (at_[1] == 'I' || at_[1] == 'i' || at_[1] == 'n' || at_[1] == 'N')) {
    ++at_;
    const char kind = *at_;
    const Token token = word(kind == 'I'   ? "Infinity"
                             : kind == 'i' ? "inf"
                             : kind == 'N' ? "NaN"
                                           : "nan",
                             Token::kNumber);
    if (token == Token::kNumber) {
      text_ = {from, static_cast<std::size_t>(at_ - from)};
      number_ = -number_;
    }
    return token;
  }
  if (!negative && !is_digit(*at_) && *at_ != '+' && *at_ != '.') return fail("a value that JSON does not know");
  if (*from == '+') ++from;
  const char* const stop = read_decimal(from, end_, number_);
  if (stop == nullptr) return from + 1 >= end_ ? Token::kCut : fail("a number that is none");
  if (stop == end_ && depth_ > 0) return Token::kCut;
  const char after = stop == end_ ? ' ' : *stop;
  const bool comment = relaxed_ && (after == '/' || after == '#');
  if (!comment && after != ',' && after != '}' && after != ']' && after != ' ' && after != '\n' && after != '\r' &&
      after != '\t') {
    const std::string_view rest(stop, static_cast<std::size_t>(end_ - stop));
    const bool may_go_on = rest.find_first_not_of("0123456789+-.eE") == std::string_view::npos;  // "1e" of "1e-05"
    return may_go_on ? Token::kCut : fail("a number that is none");
  }
  text_ = {from, static_cast<std::size_t>(stop - from)};
  at_ = stop;
  after_value();
  return Token::kNumber;
}

JsonScanner::Token JsonScanner::skip() {
  const std::size_t outside = depth_ - 1;
  while (depth_ > outside) {
    const Token token = next();
    if (token == Token::kCut || token == Token::kError) return token;
  }
  return Token::kEnd;
}

std::string json_unescaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      out += raw[i];
      continue;
    }
    const char c = raw[++i];
    if (c != 'u') {
      constexpr std::string_view kLetters = "bfnrt";
      const std::size_t known = kLetters.find(c);
      out += known == std::string_view::npos ? c : "\b\f\n\r\t"[known];
      continue;
    }
    const std::int32_t unit = hex4(raw.substr(i + 1));
    if (unit < 0) {
      out += 'u';
      continue;
    }
    i += 4;
    auto code = static_cast<std::uint32_t>(unit);
    if (code >= 0xd800 && code <= 0xdbff && raw.substr(i + 1).starts_with("\\u")) {
      const std::int32_t low = hex4(raw.substr(i + 3));
      if (low >= 0xdc00 && low <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (static_cast<std::uint32_t>(low) - 0xdc00);
        i += 6;
      }
    }
    append_utf8(code, out);
  }
  return out;
}

}  // namespace assay
