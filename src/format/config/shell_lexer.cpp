#include "format/config/shell_lexer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace assay::shell {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }
bool is_name(std::string_view text) {
  return !text.empty() && is_name_start(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_name(c); });
}

namespace {

constexpr std::string_view kEnds = " \t\n;&|<>()";  // of an unquoted word

}  // namespace

void Lexer::advance(std::size_t count) {
  for (; count > 0 && at_ < text_.size(); --count) {
    if (text_[at_++] == '\n') ++line_;
  }
}

void Lexer::fail(std::int64_t line, std::string what) {
  if (failed_) return;
  failed_ = true;
  complaint_ = {line, std::move(what)};
}

void Lexer::skip_line() {
  while (!at_end() && peek() != '\n') ++at_;
}

void Lexer::skip_blanks() {
  for (;;) {
    if (peek() == ' ' || peek() == '\t') {
      ++at_;
    } else if (peek() == '\\' && peek(1) == '\n') {
      advance(2);
    } else if (peek() == '#') {
      return skip_line();
    } else {
      return;
    }
  }
}

bool Lexer::sees_word(std::string_view word) const {
  if (!sees(word)) return false;
  const char behind = peek(word.size());
  return behind == '\0' || kEnds.find(behind) != std::string_view::npos;
}

bool Lexer::deeper() {
  if (depth_ < kDeepestNesting) return true;
  fail(line_, "is nested too deeply");
  at_ = text_.size();
  return false;
}

// A part ends with its line, so that each word of an argument list over many lines knows where it stands.
void Lexer::put(Word& out, char c, bool quoted) {
  const bool goes_on = !out.empty() && out.back().kind == Part::Kind::kText && out.back().quoted == quoted &&
                       out.back().line == line_ && !out.back().text.ends_with('\n');
  if (!goes_on) out.push_back({.kind = Part::Kind::kText, .quoted = quoted, .line = line_});
  out.back().text += c;
}

// What is the same within double quotes and outside.
bool Lexer::common(Word& out, bool quoted) {
  if (peek() == '$') {
    dollar(out, quoted);
  } else if (peek() == '`') {
    backticks(out, quoted);
  } else if (peek() == '\\' && peek(1) == '\n') {
    advance(2);
  } else {
    return false;
  }
  return true;
}

Word Lexer::word() {
  Word out;
  while (!at_end() && !failed_) {
    const char c = peek();
    if ((c == '<' || c == '>') && peek(1) == '(') {
      process(out);
      continue;
    }
    if (kEnds.find(c) != std::string_view::npos) break;
    if (c == '\'') {
      single_quoted(out);
    } else if (c == '"') {
      double_quoted(out);
    } else if (c == '$' && peek(1) == '\'') {
      ansi_quoted(out);
    } else if (common(out, false)) {
      continue;
    } else if (c == '\\') {
      advance();
      if (at_end()) break;
      put(out, peek(), true);
      advance();
    } else {
      put(out, c, false);
      advance();
    }
  }
  return out;
}

Word Lexer::placeholder() {
  constexpr std::size_t kLongest = 200;
  const std::string_view rest = text_.substr(std::min(at_, text_.size()), kLongest);
  if (rest.size() < 3 || rest[0] != '<' || !is_name_start(rest[1])) return {};
  const std::size_t end = rest.find_first_of("<>|&;$\"'\n", 1);
  if (end == std::string_view::npos || rest[end] != '>' || rest[end - 1] == ' ') return {};
  const char behind = end + 1 < rest.size() ? rest[end + 1] : ' ';
  if (std::string_view(" \t\n/_;").find(behind) == std::string_view::npos) return {};
  Word out;
  out.push_back({.kind = Part::Kind::kCommand, .quoted = true, .line = line_});
  out[0].text = rest.substr(0, end + 1);
  advance(end + 1);
  for (Part& part : word()) out.push_back(std::move(part));  // <path>_text_document
  return out;
}

void Lexer::single_quoted(Word& out) {
  const std::int64_t opened = line_;
  const std::size_t begin = at_;
  const std::size_t end = text_.find('\'', at_ + 1);
  if (end == std::string_view::npos) {
    fail(opened, "a quote ' is opened and never closed");
    at_ = text_.size();
    return;
  }
  out.push_back({.kind = Part::Kind::kText, .quoted = true, .line = line_});
  for (at_ = begin + 1; at_ < end;) {
    put(out, text_[at_], true);
    advance();
  }
  advance();
}

void Lexer::ansi_quoted(Word& out) {
  const std::int64_t opened = line_;
  advance(2);
  out.push_back({.kind = Part::Kind::kText, .quoted = true, .line = line_});
  while (!at_end() && peek() != '\'') {
    char c = peek();
    if (c == '\\') {
      advance();
      constexpr std::string_view kNames = "ntre\\'\"";
      constexpr std::string_view kStandFor = "\n\t\r\x1b\\'\"";
      const std::size_t which = kNames.find(peek());
      c = which == std::string_view::npos ? peek() : kStandFor[which];
    }
    put(out, c, true);
    advance();
  }
  if (at_end()) fail(opened, "a quote $' is opened and never closed");
  advance();
}

void Lexer::double_quoted(Word& out) {
  const std::int64_t opened = line_;
  if (!deeper()) return;
  ++depth_;
  advance();
  out.push_back({.kind = Part::Kind::kText, .quoted = true, .line = line_});
  while (!at_end() && !failed_ && peek() != '"') {
    if (common(out, true)) continue;
    if (peek() == '\\' && std::string_view("$`\"\\").find(peek(1)) != std::string_view::npos && peek(1) != '\0') {
      advance();
    }
    put(out, peek(), true);
    advance();
  }
  --depth_;
  if (at_end()) fail(opened, "a quote \" is opened and never closed");
  advance();
}

Word Lexer::text_until(std::size_t end) {
  Word out;
  while (at_ < end && !at_end() && !failed_) {
    if (common(out, true)) continue;
    if (peek() == '\\' && std::string_view("$`\\").find(peek(1)) != std::string_view::npos && peek(1) != '\0') {
      advance();
    }
    put(out, peek(), true);
    advance();
  }
  return out;
}

void Lexer::dollar(Word& out, bool quoted) {
  const std::size_t begin = at_;
  const char next = peek(1);
  if (next == '{') return braces(out, quoted);
  if (next == '(') return parentheses(out, quoted);
  if (next == '"' && !quoted) {
    ++at_;
    return double_quoted(out);
  }
  Part part{.kind = Part::Kind::kParameter, .quoted = quoted, .line = line_};
  if (is_name_start(next)) {
    ++at_;
    while (is_name(peek())) ++at_;
    part.name = text_.substr(begin + 1, at_ - begin - 1);
  } else if (next != '\0' && std::string_view("0123456789@*#?$!-").find(next) != std::string_view::npos) {
    at_ += 2;
    part.name = next;
  } else {
    put(out, '$', quoted);
    ++at_;
    return;
  }
  part.text = text_.substr(begin, at_ - begin);
  out.push_back(std::move(part));
}

// ${…}
void Lexer::braces(Word& out, bool quoted) {
  const std::size_t begin = at_;
  const std::int64_t opened = line_;
  if (!deeper()) return;
  ++depth_;
  Part part{.kind = Part::Kind::kParameter, .quoted = quoted, .line = line_};
  at_ += 2;
  if (peek() == '#' && peek(1) != '}') {
    part.op = "length";
    ++at_;
  } else if (peek() == '!') {
    part.op = "!";
    ++at_;
  }
  const std::size_t name = at_;
  if (is_name_start(peek())) {
    while (is_name(peek())) ++at_;
  } else {
    while (peek() >= '0' && peek() <= '9') ++at_;
    if (at_ == name && peek() != '}') advance();
  }
  part.name = text_.substr(name, at_ - name);
  if (peek() == '[') {
    ++at_;
    part.indexed = true;
    part.index = argument("]", true);
    if (peek() == ']') ++at_;
  }
  operation(part, quoted);
  --depth_;
  if (peek() != '}') {
    fail(opened, "${ is opened and never closed");
    return;
  }
  ++at_;
  part.text = text_.substr(begin, at_ - begin);
  out.push_back(std::move(part));
}

void Lexer::operation(Part& part, bool quoted) {
  if (peek() == '}') return;
  constexpr std::array<std::string_view, 21> kOperators{":-", ":=", ":+", ":?", "##", "%%", "//",
                                                        "/#", "/%", "^^", ",,", "-",  "=",  "+",
                                                        "?",  "#",  "%",  "/",  "^",  ",",  ":"};
  const auto* const found =
      std::find_if(kOperators.begin(), kOperators.end(), [&](std::string_view op) { return sees(op); });
  if (found == kOperators.end()) {
    part.op = "!";
    part.argument = argument("}", quoted);
    return;
  }
  if (part.op.empty()) part.op = *found;
  at_ += found->size();
  const bool replaces = part.op[0] == '/';
  part.argument = argument(replaces ? "/}" : part.op == ":" ? ":}" : "}", quoted);
  if (peek() == '/' || peek() == ':') {
    ++at_;
    part.replacement = argument("}", quoted);
  }
}

// A word that ends at one of `ends`, blanks and all.
Word Lexer::argument(std::string_view ends, bool quoted) {
  Word out;
  while (!at_end() && !failed_ && ends.find(peek()) == std::string_view::npos) {
    if (peek() == '"') {
      double_quoted(out);
    } else if (peek() == '\'' && !quoted) {
      single_quoted(out);
    } else if (common(out, quoted)) {
      continue;
    } else {
      if (peek() == '\\') advance();
      if (at_end()) break;
      put(out, peek(), quoted);
      advance();
    }
  }
  return out;
}

// Position of the `)` that closes; quotes, nested parentheses and comments are passed over without recursion.
std::size_t Lexer::closing(std::size_t from) const {
  std::string open = "(";
  for (std::size_t at = from; at < text_.size(); ++at) {
    const char c = text_[at];
    const bool in_quotes = open.back() == '"';
    if (c == '\\') {
      ++at;
    } else if (c == '"') {
      if (in_quotes) {
        open.pop_back();
      } else {
        open += '"';
      }
    } else if (c == '\'' && !in_quotes) {
      at = text_.find('\'', at + 1);
      if (at == std::string_view::npos) return at;
    } else if (c == '#' && !in_quotes && at > from && (text_[at - 1] == ' ' || text_[at - 1] == '\n')) {
      at = text_.find('\n', at);
      if (at == std::string_view::npos) return at;
    } else if (c == '(' && (!in_quotes || text_[at - 1] == '$')) {
      open += '(';
    } else if (c == ')' && !in_quotes) {
      open.pop_back();
      if (open.empty()) return at;
    }
  }
  return std::string_view::npos;
}

// $(…) and $((…))
void Lexer::parentheses(Word& out, bool quoted) {
  const std::size_t begin = at_;
  const std::int64_t opened = line_;
  const std::size_t end = closing(at_ + 2);
  if (end == std::string_view::npos) {
    fail(opened, "$( is opened and never closed");
    at_ = text_.size();
    return;
  }
  if (printed_document(out, end)) return;
  Part part{.kind = Part::Kind::kCommand, .quoted = quoted, .line = line_};
  const bool arithmetic = peek(2) == '(' && text_[end - 1] == ')' && closing(at_ + 3) == end - 1;
  if (arithmetic && deeper()) {
    ++depth_;
    part.kind = Part::Kind::kArithmetic;
    advance(3);
    part.argument = text_until(end - 1);
    --depth_;
  }
  if (failed_) return;
  advance(end + 1 - at_);
  part.text = text_.substr(begin, at_ - begin);
  out.push_back(std::move(part));
}

// $(cat <<EOF … EOF): nothing has to be run to know what it prints.
bool Lexer::printed_document(Word& out, std::size_t end) {
  std::string_view inner = text_.substr(at_ + 2, end - at_ - 2);
  const std::size_t first = inner.find('\n');
  if (first == std::string_view::npos) return false;
  std::string head(inner.substr(0, first));
  std::erase_if(head, [](char c) { return c == ' ' || c == '\t'; });
  if (!head.starts_with("cat<<")) return false;
  std::string name = head.substr(5);
  if (name.starts_with('-')) name.erase(0, 1);
  const bool literal = name.size() > 2 && (name[0] == '\'' || name[0] == '"') && name.back() == name[0];
  if (literal) name = name.substr(1, name.size() - 2);
  if (!is_name(name)) return false;
  const std::size_t stop = inner.rfind('\n' + name);
  if (stop == std::string_view::npos || stop < first) return false;
  if (inner.substr(stop + 1 + name.size()).find_first_not_of(" \t\n") != std::string_view::npos) return false;
  const std::size_t begin = at_ + 2 + first + 1;
  const std::size_t size = stop > first ? stop - first - 1 : 0;
  if (literal) {
    out.push_back({.quoted = true, .line = line_ + 1, .text = std::string(text_.substr(begin, size))});
  } else if (deeper()) {
    Lexer body(text_.substr(begin, size), line_ + 1);
    body.depth_ = depth_ + 1;
    for (Part& part : body.text_until(size)) out.push_back(std::move(part));
  }
  advance(end + 1 - at_);
  return true;
}

void Lexer::backticks(Word& out, bool quoted) {
  const std::size_t begin = at_;
  const std::int64_t opened = line_;
  std::size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '`') end += text_[end] == '\\' ? 2U : 1U;
  if (end >= text_.size()) {
    fail(opened, "a back-tick is opened and never closed");
    at_ = text_.size();
    return;
  }
  Part part{.kind = Part::Kind::kCommand, .quoted = quoted, .line = line_};
  advance(end + 1 - at_);
  part.text = text_.substr(begin, at_ - begin);
  out.push_back(std::move(part));
}

// <(…): the name of a pipe.
void Lexer::process(Word& out) {
  const std::size_t begin = at_;
  const std::size_t end = closing(at_ + 2);
  if (end == std::string_view::npos) {
    fail(line_, "<( is opened and never closed");
    at_ = text_.size();
    return;
  }
  Part part{.kind = Part::Kind::kCommand, .quoted = true, .line = line_};
  advance(end + 1 - at_);
  part.text = text_.substr(begin, at_ - begin);
  out.push_back(std::move(part));
}

}  // namespace assay::shell
