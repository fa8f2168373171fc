#pragma once
// Walks one JSON text, value by value, and takes exactly what Python's json module takes: strict JSON, and NaN,
// Infinity and -Infinity besides, which it tells. Nothing is built or copied: values are views of the text.
//
// Why not simdjson, which checks UTF-8 here: on demand it does not see what is wrong behind the text ("score": NaN, a
// second object, half an object); its DOM sees it, and is a quarter faster on good lines, but refuses what Python
// writes (NaN, numbers above 2^64) and never says where the fault is. So a second parser would be needed for all other
// lines, which would have to agree with the first. A line of a corpus is one long string, and json_strings.h finds its
// end with vectors. tests/oracle/against_python_readers.py holds this walk against Python's verdict.
//
// UTF-8 is not its business: whoever walks has checked the line.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

struct JsonValue {
  enum class Kind : std::uint8_t { kNone, kObject, kArray, kString, kNumber, kTrue, kFalse, kNull };
  Kind kind = Kind::kNone;
  bool escaped = false;  // a string with escapes in it
  std::string_view raw;  // as written: a string without its quotes, all others whole
};

class JsonWalk {
 public:
  static constexpr std::size_t kDeepest = 1000;  // Python's own recursion ends there
  enum class Fault : std::uint8_t { kNone, kCut, kInvalid };

  explicit JsonWalk(std::string_view text) : start_(text.data()), at_(start_), end_(start_ + text.size()) {}

  /// Reads the value at the position whole.
  bool value(JsonValue& out);
  /// Steps into the object (array) at the position; then each call gives a member (an element), false: its end.
  bool enter(JsonValue::Kind kind);
  bool next_member(JsonValue& key, JsonValue& value);
  bool next_element(JsonValue& value);
  /// Nothing but blanks is left.
  bool at_end();

  /// After false: why, and where.
  Fault fault() const { return fault_; }
  std::size_t position() const { return static_cast<std::size_t>(at_ - start_); }
  /// The first NaN, Infinity or -Infinity; empty: none.
  std::string_view odd() const { return odd_; }
  /// The first character of the next value; 0 at the end.
  char peek();

 private:
  void skip_blank();
  bool cut();
  bool invalid();
  bool string(JsonValue& out);
  bool number();
  bool word(std::string_view spelling, bool odd);
  bool scalar(JsonValue& out);
  bool nested(JsonValue& out);
  bool key_of(JsonValue& key);
  bool separated(char close);

  const char* start_;
  const char* at_;
  const char* end_;
  std::string_view odd_;
  Fault fault_ = Fault::kNone;
  bool first_ = true;  // of the members or elements of what was entered
};

/// Appends the string that `raw` (checked by a walk) stands for. False: `lone` is where an escape of half a character
/// stands in it, which no UTF-8 can hold; what has been appended is then of no use.
bool append_unescaped(std::string_view raw, std::string& out, std::size_t& lone);

/// Appends what JSON writes for a cell of a table: a number as it is, all else as a string.
void append_scalar(std::string_view text, std::string& out);

}  // namespace assay
