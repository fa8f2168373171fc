#include "format/documents/json_walk.h"

#include <bitset>

#include "format/documents/json_strings.h"

namespace assay {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

// at_: at the opening quote.
bool JsonWalk::string(JsonValue& out) {
  const char* const from = ++at_;
  out = {.kind = JsonValue::Kind::kString, .escaped = false, .raw = {}};
  const StringEnd end = find_string_end(at_, end_, out.escaped);
  if (end != StringEnd::kQuote) return end == StringEnd::kCut ? cut() : invalid();
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
  const char* at = raw.data();
  bool good = true;
  out.resize_and_overwrite(before + raw.size() + kUnescapeSlack, [&](char* data, std::size_t) {
    const char* const end = unescape(at, raw.data() + raw.size(), data + before);
    good = end != nullptr;
    return good ? static_cast<std::size_t>(end - data) : before;
  });
  if (!good) lone = static_cast<std::size_t>(at - raw.data());
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
