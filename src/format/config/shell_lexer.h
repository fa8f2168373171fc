#pragma once
// The words of a shell script: quotes, expansions, joined lines. Understood, not run.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/config/shell_syntax.h"

namespace assay::shell {

inline constexpr int kDeepestNesting = 40;

bool is_name_start(char c);
bool is_name(char c);
bool is_name(std::string_view text);

/// A place in the text, and the words that begin there.
class Lexer {
 public:
  /// line: the number of the text's first line.
  explicit Lexer(std::string_view text, std::int64_t line = 1) : text_(text), line_(line) {}

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool sees(std::string_view what) const { return text_.substr(std::min(at_, text_.size())).starts_with(what); }
  void advance(std::size_t count = 1);
  std::size_t position() const { return at_; }
  std::int64_t line() const { return line_; }
  std::string_view from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
  /// Back to a place where it has been.
  void go_back(std::size_t position, std::int64_t line) {
    at_ = position;
    line_ = line;
    failed_ = false;
  }
  /// Blanks, joined lines and a comment; no line end.
  void skip_blanks();
  /// Everything up to the next line end.
  void skip_line();

  /// Behind its end stands a blank, a line end or an operator.
  Word word();
  /// `<your data path>`, what a template says instead of a value (to the shell it is two redirections), and what is
  /// joined to it; empty where none begins here.
  Word placeholder();
  /// Text as within double quotes, up to `end` (not taken): a heredoc, an expression.
  Word text_until(std::size_t end);
  /// Whether the word here is this one, unquoted and whole.
  bool sees_word(std::string_view word) const;
  /// Position of the `)` that closes the `(` before `from`; npos: none.
  std::size_t closing(std::size_t from) const;

  bool failed() const { return failed_; }
  const Complaint& complaint() const { return complaint_; }
  void fail(std::int64_t line, std::string what);

 private:
  enum class Within : std::uint8_t { kPlain, kQuotes, kBraces };

  void single_quoted(Word& out);
  void ansi_quoted(Word& out);
  void double_quoted(Word& out);
  void dollar(Word& out, bool quoted);
  void braces(Word& out, bool quoted);
  void operation(Part& part, bool quoted);
  void parentheses(Word& out, bool quoted);
  bool printed_document(Word& out, std::size_t end);
  void backticks(Word& out, bool quoted);
  void process(Word& out);
  Word argument(std::string_view ends, bool quoted);
  void put(Word& out, char c, bool quoted);
  bool common(Word& out, bool quoted);
  bool deeper();

  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t line_;
  int depth_ = 0;
  bool failed_ = false;
  Complaint complaint_;
};

}  // namespace assay::shell
