#include "format/documents/json_walk.h"

#include <bitset>

#include "format/documents/byte_scan.h"

namespace assay {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four digits at `at`, which a walk has checked.
std::uint32_t hex4(const char* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 4 | static_cast<std::uint32_t>(hex_digit(at[i]));
  return value;
}

char* put_utf8(std::uint32_t code, char* to) {
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
bool take_unit(const char*& at, const char* end, std::uint32_t& code) {
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

char plain_escape(char c) {
  switch (c) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;
  }
}

}  // namespace

inline void JsonWalk::skip_blank() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
}

bool JsonWalk::cut() {
  at_ = end_;
  fault_ = Fault::kCut;
  return false;
}

bool JsonWalk::invalid() {
  fault_ = Fault::kInvalid;
  return false;
}

char JsonWalk::peek() {
  skip_blank();
  return at_ == end_ ? '\0' : *at_;
}

bool JsonWalk::at_end() {
  skip_blank();
  return at_ == end_;
}

// at_: behind a backslash.
bool JsonWalk::escape() {
  if (at_ == end_) return cut();
  switch (*at_++) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return true;
    case 'u': break;
    default: --at_; return invalid();
  }
  for (int i = 0; i < 4; ++i, ++at_) {
    if (at_ == end_) return cut();
    if (hex_digit(*at_) < 0) return invalid();
  }
  return true;
}

// at_: at the opening quote.
bool JsonWalk::string(JsonValue& out) {
  const char* const from = ++at_;
  out = {.kind = JsonValue::Kind::kString};
  for (;;) {
    at_ = string_stop(at_, end_);
    if (at_ == end_) return cut();
    if (*at_ == '"') break;
    if (*at_ != '\\') return invalid();
    out.escaped = true;
    while (at_ != end_ && *at_ == '\\') {  // escapes often come in a row: "\u4e2d\u6587"
      ++at_;
      if (!escape()) return false;
    }
  }
  out.raw = {from, static_cast<std::size_t>(at_ - from)};
  ++at_;
  return true;
}

bool JsonWalk::number() {
  if (*at_ == '-') ++at_;
  if (at_ == end_) return cut();
  if (*at_ == 'I') return word("Infinity", true);
  if (!is_digit(*at_)) return invalid();
  const auto digits = [&] {
    while (at_ != end_ && is_digit(*at_)) ++at_;
  };
  if (*at_ == '0') {
    ++at_;
  } else {
    digits();
  }
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (at_ == end_) return cut();
    if (!is_digit(*at_)) return invalid();
    digits();
  }
  if (at_ == end_ || (*at_ != 'e' && *at_ != 'E')) return true;
  ++at_;
  if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
  if (at_ == end_) return cut();
  if (!is_digit(*at_)) return invalid();
  digits();
  return true;
}

bool JsonWalk::word(std::string_view spelling, bool odd) {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  if (!rest.starts_with(spelling)) return spelling.starts_with(rest) ? cut() : invalid();
  if (odd && odd_.empty()) odd_ = rest.substr(0, spelling.size());
  at_ += spelling.size();
  return true;
}

// at_: at a value that is neither an object nor an array.
bool JsonWalk::scalar(JsonValue& out) {
  using Kind = JsonValue::Kind;
  const char* const from = at_;
  if (*at_ == '"') return string(out);
  bool good = false;
  Kind kind = Kind::kNumber;
  switch (*at_) {
    case 't':
      kind = Kind::kTrue;
      good = word("true", false);
      break;
    case 'f':
      kind = Kind::kFalse;
      good = word("false", false);
      break;
    case 'n':
      kind = Kind::kNull;
      good = word("null", false);
      break;
    case 'N': good = word("NaN", true); break;
    case 'I': good = word("Infinity", true); break;
    default: good = number();
  }
  out = {.kind = kind, .raw = {from, static_cast<std::size_t>(at_ - from)}};
  return good;
}

bool JsonWalk::key_of(JsonValue& key) {
  skip_blank();
  if (at_ == end_) return cut();
  if (*at_ != '"') return invalid();
  if (!string(key)) return false;
  skip_blank();
  if (at_ == end_) return cut();
  if (*at_ != ':') return invalid();
  ++at_;
  return true;
}

// at_: at a bracket. Passes over all that is inside.
bool JsonWalk::nested(JsonValue& out) {
  const char* const from = at_;
  std::bitset<kDeepest> in_object;
  std::size_t depth = 0;
  JsonValue inner;
  out.kind = *at_ == '{' ? JsonValue::Kind::kObject : JsonValue::Kind::kArray;
  do {
    // A value stands here, or the end of an empty bracket was just opened.
    if (*at_ == '{' || *at_ == '[') {
      if (depth == kDeepest) return invalid();
      const bool object = *at_ == '{';
      in_object[depth++] = object;
      ++at_;
      skip_blank();
      if (at_ == end_) return cut();
      if (*at_ != (object ? '}' : ']')) {
        if (object && !key_of(inner)) return false;
        skip_blank();
        if (at_ == end_) return cut();
        continue;
      }
      ++at_;
      --depth;
    } else if (!scalar(inner)) {
      return false;
    }
    // Behind a value: brackets that end here, then a comma.
    for (bool comma = false; depth > 0 && !comma;) {
      skip_blank();
      if (at_ == end_) return cut();
      const char c = *at_;
      if (c == ',') {
        ++at_;
        if (in_object[depth - 1] && !key_of(inner)) return false;
        skip_blank();
        if (at_ == end_) return cut();
        comma = true;
      } else if (c == (in_object[depth - 1] ? '}' : ']')) {
        ++at_;
        --depth;
      } else {
        return invalid();
      }
    }
  } while (depth > 0);
  out.raw = {from, static_cast<std::size_t>(at_ - from)};
  out.escaped = false;
  return true;
}

bool JsonWalk::value(JsonValue& out) {
  skip_blank();
  if (at_ == end_) return cut();
  return *at_ == '{' || *at_ == '[' ? nested(out) : scalar(out);
}

bool JsonWalk::enter(JsonValue::Kind kind) {
  skip_blank();
  if (at_ == end_) return cut();
  if (*at_ != (kind == JsonValue::Kind::kObject ? '{' : '[')) return invalid();
  ++at_;
  first_ = true;
  return true;
}

// Passes the comma before a member; false: the end, or a fault.
bool JsonWalk::separated(char close) {
  skip_blank();
  if (at_ == end_) return cut();
  if (*at_ == close) {
    ++at_;
    return false;
  }
  if (!first_) {
    if (*at_ != ',') return invalid();
    ++at_;
  }
  first_ = false;
  return true;
}

bool JsonWalk::next_member(JsonValue& key, JsonValue& value_of) {
  return separated('}') && key_of(key) && value(value_of);
}

bool JsonWalk::next_element(JsonValue& element) { return separated(']') && value(element); }

bool append_unescaped(std::string_view raw, std::string& out, std::size_t& lone) {
  const std::size_t before = out.size();
  bool good = true;
  out.resize_and_overwrite(before + raw.size() + kCopySlack, [&](char* data, std::size_t) {
    char* to = data + before;
    const char* at = raw.data();
    const char* const end = at + raw.size();
    while (at != end) {
      if (*at != '\\') {
        const char* const from = at;
        at = copy_to_backslash(at, end, to);
        to += at - from;
        continue;
      }
      if (at[1] != 'u') {
        *to++ = plain_escape(at[1]);
        at += 2;
        continue;
      }
      const char* const from = at;
      at += 2;
      std::uint32_t code = 0;
      if (!take_unit(at, end, code)) {
        lone = static_cast<std::size_t>(from - raw.data());
        good = false;
        break;
      }
      to = put_utf8(code, to);
    }
    return static_cast<std::size_t>(to - data);
  });
  return good;
}

void append_scalar(std::string_view text, std::string& out) {
  JsonWalk walk(text);
  JsonValue value;
  if (walk.value(value) && value.kind == JsonValue::Kind::kNumber && walk.odd().empty() && value.raw == text) {
    out += text;
    return;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace assay
