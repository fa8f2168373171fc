#pragma once
// Reads JSON token by token, as training programs write it: NaN and Infinity as numbers, a comma too many, a document
// that ends in the middle. It holds nothing of the document; strings are views into it.
//
// Why not simdjson: it refuses the whole document for one NaN, which is the very thing that one looks for here, gives
// no lines, and cannot say how far a cut document was good. A second parser for the good lines would only have to
// agree with this one; the bench shows how the two compare.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

class JsonScanner {
 public:
  enum class Token : std::uint8_t {
    kObject,     // {
    kEndObject,  // }
    kArray,      // [
    kEndArray,   // ]
    kKey,        // text(): the key; its value is the next token
    kString,     // text()
    kNumber,     // number(), text(): as written
    kTrue,
    kFalse,
    kNull,
    kEnd,    // the value is complete; position() stands behind it
    kCut,    // the text ends inside the value
    kError,  // error() says what is wrong, position() where
  };
  static constexpr std::size_t kDeepest = 64;

  /// What people write into configurations: comments (//, /* */, #), strings in single quotes, True, False and None.
  /// Not for lines of a log, where a Python dict is a record of another kind.
  enum class Dialect : std::uint8_t { kJson, kRelaxed };

  /// line: the number of the text's first line.
  explicit JsonScanner(std::string_view text, std::int64_t line = 1, Dialect dialect = Dialect::kJson)
      : at_(text.data()),
        end_(text.data() + text.size()),
        start_(text.data()),
        line_(line),
        relaxed_(dialect == Dialect::kRelaxed) {}

  /// After kEnd, kCut or kError nothing more comes.
  Token next();
  /// After kObject or kArray: passes over all that is inside, its end included. kEnd when that went well.
  Token skip();

  /// Of a key or string: without its quotes, escapes as written.
  std::string_view text() const { return text_; }
  bool escaped() const { return escaped_; }
  double number() const { return number_; }
  /// Line of the token read last.
  std::int64_t line() const { return line_; }
  std::size_t position() const { return static_cast<std::size_t>(at_ - start_); }
  std::size_t depth() const { return depth_; }
  const char* error() const { return error_; }

 private:
  enum class Expect : std::uint8_t { kValue, kValueOrEnd, kKeyOrEnd, kCommaOrEnd, kNothing };

  void skip_blank();
  bool skip_comment();
  bool opens_string() const { return *at_ == '"' || (relaxed_ && *at_ == '\''); }
  Token fail(const char* why);
  Token open(bool object);
  Token close(bool object);
  Token value();
  Token string_token(Token kind);
  Token number_token();
  Token word(std::string_view spelling, Token kind);
  void after_value() { expect_ = depth_ == 0 ? Expect::kNothing : Expect::kCommaOrEnd; }

  const char* at_;
  const char* end_;
  const char* start_;
  std::int64_t line_;
  std::string_view text_;
  double number_ = 0;
  const char* error_ = "";
  std::size_t depth_ = 0;
  Expect expect_ = Expect::kValue;
  bool escaped_ = false;
  bool relaxed_ = false;
  std::array<bool, kDeepest> in_object_{};
};

/// The string that `raw` stands for: escapes undone, lone surrogates as U+FFFD.
std::string json_unescaped(std::string_view raw);

}  // namespace assay
