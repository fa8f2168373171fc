// A recursive descent through the grammar of POSIX shells with what bash adds and launch scripts use: arrays, `+=`,
// [[ ]], (( )), functions, here-documents and here-strings. A construct that is not understood (a quote never closed)
// costs the line on which it began, not the file: reading goes on with the line behind. Depth and the number of faults
// that are looked for again are limited, because each may scan the file to its end.

#include "format/config/shell_parser.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "format/config/shell_heredoc.h"
#include "format/config/shell_lexer.h"

namespace assay::shell {

namespace {

constexpr std::size_t kMostComplaints = 32;
constexpr std::size_t kLongestIndex = 1000;
constexpr std::array<std::string_view, 10> kClosers{"then", "elif", "else", "fi", "do", "done", "esac", "}", ";;", ")"};
constexpr std::array<std::string_view, 5> kDeclarers{"export", "declare", "local", "readonly", "typeset"};

bool is_plain(const Word& word, std::string_view text) {
  return word.size() == 1 && word[0].kind == Part::Kind::kText && !word[0].quoted && word[0].text == text;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), lexer_(text), documents_(text) {}

  Script parse() {
    while (!lexer_.at_end() && script_.complaints.size() < kMostComplaints) {
      const std::size_t begin = lexer_.position();
      const std::int64_t line = lexer_.line();
      list(script_.commands, true);
      if (lexer_.failed()) {
        resume(begin, line);
      } else if (!lexer_.at_end()) {
        complain(lexer_.line(), "has no beginning that it closes");
        lexer_.skip_line();
      }
    }
    if (script_.complaints.size() >= kMostComplaints) complain(lexer_.line(), "and what follows is not read");
    return std::move(script_);
  }

 private:
  void complain(std::int64_t line, std::string what) { script_.complaints.push_back({line, std::move(what)}); }

  // Behind the line of the fault. Statements that were whole before it are kept.
  void resume(std::size_t begin, std::int64_t line) {
    const Complaint fault = lexer_.complaint();
    complain(fault.line, fault.what);
    std::size_t at = begin;
    for (; line <= fault.line && at < text_.size(); ++line) {
      const std::size_t end = text_.find('\n', at);
      at = end == std::string_view::npos ? text_.size() : end + 1;
    }
    documents_.forget();
    depth_ = 0;
    lexer_.go_back(at, line);
  }

  bool at_closer() const {
    return std::any_of(kClosers.begin(), kClosers.end(), [&](std::string_view closer) {
      return closer == ";;" || closer == ")" ? lexer_.sees(closer) : lexer_.sees_word(closer);
    });
  }

  void skip_separators() {
    for (;;) {
      lexer_.skip_blanks();
      if (lexer_.peek() == '\n') {
        newline();
      } else if ((lexer_.peek() == ';' && lexer_.peek(1) != ';') ||
                 (lexer_.peek() == '&' && lexer_.peek(1) != '&' && lexer_.peek(1) != '>')) {
        lexer_.advance();
      } else {
        return;
      }
    }
  }

  void newline() {
    lexer_.advance();
    documents_.pass(lexer_);
  }

  // Commands up to what closes the construct around them. top: of the script itself; each is kept as soon as it is
  // whole.
  void list(List& out, bool top = false) {
    if (depth_ >= kDeepestNesting) return lexer_.fail(lexer_.line(), "is nested too deeply");
    ++depth_;
    Command::Join join = Command::Join::kThen;
    while (!lexer_.failed()) {
      const std::size_t before = lexer_.position();
      skip_separators();
      if (lexer_.at_end() || at_closer()) break;
      Command next = command();
      if (lexer_.failed()) break;
      next.join = join;
      out.push_back(std::move(next));
      join = connector();
      if (top && lexer_.position() == before) lexer_.advance();
      if (!top && lexer_.position() == before) break;
    }
    --depth_;
  }

  Command::Join connector() {
    lexer_.skip_blanks();
    Command::Join join = Command::Join::kThen;
    if (lexer_.sees("&&")) {
      join = Command::Join::kAnd;
      lexer_.advance(2);
    } else if (lexer_.sees("||")) {
      join = Command::Join::kOr;
      lexer_.advance(2);
    } else if (lexer_.peek() == '|') {
      join = Command::Join::kPipe;
      lexer_.advance(lexer_.peek(1) == '&' ? 2 : 1);
    } else {
      return join;
    }
    for (lexer_.skip_blanks(); lexer_.peek() == '\n'; lexer_.skip_blanks()) newline();
    return join;
  }

  bool take(std::string_view word) {
    if (!lexer_.sees_word(word)) return false;
    lexer_.advance(word.size());
    return true;
  }

  // A word that a construct cannot go on without. At the end of a file that is cut nothing is missed.
  void expect(std::string_view word, std::int64_t opened, std::string_view construct) {
    skip_separators();
    const bool there = word == ")" || word == ";;" ? lexer_.sees(word) : lexer_.sees_word(word);
    if (there) return lexer_.advance(word.size());
    if (lexer_.at_end()) {
      if (!told_end_) complain(opened, std::string(construct) + " has no " + std::string(word));
      told_end_ = true;
      return;
    }
    lexer_.fail(opened, std::string(construct) + " has no " + std::string(word));
  }

  Command command() {
    Command out;
    out.line = lexer_.line();
    while (lexer_.sees_word("!")) {
      lexer_.advance();
      out.negated = !out.negated;
      lexer_.skip_blanks();
    }
    if (take("time")) lexer_.skip_blanks();
    if (take("if")) {
      if_command(out);
    } else if (take("case")) {
      case_command(out);
    } else if (lexer_.sees_word("for") || lexer_.sees_word("select")) {
      lexer_.advance(lexer_.sees("for") ? 3 : 6);
      for_command(out);
    } else if (lexer_.sees_word("while") || lexer_.sees_word("until")) {
      lexer_.advance(5);
      while_command(out);
    } else if (take("function")) {
      lexer_.skip_blanks();
      function(out);
    } else if (take("{")) {
      group(out, Command::Kind::kGroup, "}");
    } else if (lexer_.sees("((")) {
      arithmetic(out);
    } else if (lexer_.peek() == '(') {
      lexer_.advance();
      group(out, Command::Kind::kSubshell, ")");
    } else if (take("[[")) {
      test(out);
    } else {
      simple(out);
    }
    if (out.kind != Command::Kind::kSimple && out.kind != Command::Kind::kFunction) redirections(out);
    return out;
  }

  void if_command(Command& out) {
    out.kind = Command::Kind::kIf;
    bool more = true;
    while (more && !lexer_.failed()) {
      Branch& branch = out.branches.emplace_back();
      branch.line = lexer_.line();
      list(branch.condition);
      expect("then", out.line, "if");
      list(branch.body);
      more = take("elif");
    }
    if (!lexer_.failed() && take("else")) {
      out.has_else = true;
      Branch& branch = out.branches.emplace_back();
      branch.line = lexer_.line();
      list(branch.body);
    }
    expect("fi", out.line, "if");
  }

  void case_command(Command& out) {
    out.kind = Command::Kind::kCase;
    lexer_.skip_blanks();
    out.words.push_back(lexer_.word());
    expect("in", out.line, "case");
    while (!lexer_.failed() && !lexer_.at_end()) {
      skip_separators();
      if (lexer_.sees_word("esac") || lexer_.at_end()) break;
      Branch& branch = out.branches.emplace_back();
      branch.line = lexer_.line();
      if (lexer_.peek() == '(') lexer_.advance();
      for (;;) {
        lexer_.skip_blanks();
        branch.patterns.push_back(lexer_.word());
        lexer_.skip_blanks();
        if (lexer_.peek() != '|') break;
        lexer_.advance();
      }
      expect(")", branch.line, "the pattern of a case");
      list(branch.body);
      skip_separators();
      if (!lexer_.sees(";;")) break;
      lexer_.advance(2);
      if (lexer_.peek() == '&') lexer_.advance();
    }
    expect("esac", out.line, "case");
  }

  void for_command(Command& out) {
    out.kind = Command::Kind::kFor;
    lexer_.skip_blanks();
    Branch& branch = out.branches.emplace_back();
    branch.line = out.line;
    if (lexer_.sees("((")) {
      Command head;
      arithmetic(head);
      out.expression = std::move(head.expression);
    } else {
      const Word variable = lexer_.word();
      if (variable.size() == 1) out.name = variable[0].text;
      lexer_.skip_blanks();
      if (take("in")) {
        for (lexer_.skip_blanks(); !lexer_.failed() && !lexer_.at_end(); lexer_.skip_blanks()) {
          if (std::string_view("\n;&|()<>").find(lexer_.peek()) != std::string_view::npos) break;
          out.words.push_back(lexer_.word());
        }
      }
    }
    expect("do", out.line, "for");
    list(branch.body);
    expect("done", out.line, "for");
  }

  void while_command(Command& out) {
    out.kind = Command::Kind::kWhile;
    Branch& branch = out.branches.emplace_back();
    branch.line = out.line;
    list(branch.condition);
    expect("do", out.line, "a loop");
    list(branch.body);
    expect("done", out.line, "a loop");
  }

  // Behind the word "function".
  void function(Command& out) {
    const Word name = lexer_.word();
    if (name.size() == 1) out.name = name[0].text;
    lexer_.skip_blanks();
    if (lexer_.peek() == '(') {
      lexer_.advance();
      lexer_.skip_blanks();
      expect(")", out.line, "a function");
    }
    body(out);
  }

  void body(Command& out) {
    out.kind = Command::Kind::kFunction;
    skip_separators();
    out.branches.emplace_back().line = out.line;
    if (depth_ >= kDeepestNesting) return lexer_.fail(lexer_.line(), "is nested too deeply");
    ++depth_;
    List inner;
    inner.push_back(command());
    --depth_;
    out.branches[0].body = std::move(inner);
  }

  void group(Command& out, Command::Kind kind, std::string_view end) {
    out.kind = kind;
    Branch& branch = out.branches.emplace_back();
    branch.line = out.line;
    list(branch.body);
    expect(end, out.line, kind == Command::Kind::kGroup ? "{" : "(");
  }

  void arithmetic(Command& out) {
    out.kind = Command::Kind::kArithmetic;
    lexer_.advance(2);
    const std::size_t end = lexer_.closing(lexer_.position());
    if (end == std::string_view::npos) return lexer_.fail(out.line, "(( is opened and never closed");
    out.expression = lexer_.text_until(end);
    lexer_.advance(2);
  }

  // [[ … ]]: its words, and its operators as words.
  void test(Command& out) {
    out.kind = Command::Kind::kTest;
    for (;;) {
      lexer_.skip_blanks();
      while (lexer_.peek() == '\n') {
        lexer_.advance();
        lexer_.skip_blanks();
      }
      if (lexer_.failed()) return;
      if (lexer_.at_end()) return lexer_.fail(out.line, "[[ is opened and never closed");
      if (take("]]")) return;
      Word word = lexer_.word();
      if (word.empty()) {
        const std::size_t size = lexer_.sees("&&") || lexer_.sees("||") ? 2 : 1;
        const std::size_t begin = lexer_.position();
        const std::int64_t line = lexer_.line();
        lexer_.advance(size);
        word.push_back({.line = line, .text = std::string(lexer_.from(begin))});
      }
      out.words.push_back(std::move(word));
    }
  }

  void simple(Command& out) {
    while (!lexer_.failed() && !lexer_.at_end()) {
      lexer_.skip_blanks();
      const char c = lexer_.peek();
      if (c == '\0' || c == '\n' || c == ';' || c == '|' || c == ')') break;
      if (c == '&' && lexer_.peek(1) != '>') break;
      if (Word told = lexer_.placeholder(); !told.empty()) {
        out.words.push_back(std::move(told));
        continue;
      }
      if (redirection(out)) continue;
      if ((out.words.empty() || out.declares) && assignment(out)) continue;
      if (c == '(') {
        if (out.words.size() != 1 || out.words[0].size() != 1) {
          return lexer_.fail(lexer_.line(), "a ( stands where none can");
        }
        out.name = out.words[0][0].text;  // name() { … }
        lexer_.advance();
        lexer_.skip_blanks();
        expect(")", out.line, "a function");
        out.words.clear();
        return lexer_.failed() ? void() : body(out);
      }
      Word word = lexer_.word();
      if (word.empty() && !lexer_.failed()) {  // a character that begins no word here
        lexer_.advance();
        continue;
      }
      if (out.words.empty() &&
          std::any_of(kDeclarers.begin(), kDeclarers.end(), [&](auto name) { return is_plain(word, name); })) {
        out.declares = true;
        out.exports = is_plain(word, "export");
      }
      out.words.push_back(std::move(word));
    }
  }

  // Where the `[` at `open` is closed on its line, near by; npos: it is not.
  std::size_t closing_index(std::size_t open) const {
    const std::size_t end = text_.substr(open, kLongestIndex).find_first_of("]\n");
    return end == std::string_view::npos || text_[open + end] != ']' ? std::string_view::npos : open + end;
  }

  // NAME=…, NAME+=…, NAME[…]=…, NAME=( … )
  bool assignment(Command& out) {
    std::size_t ahead = 0;
    while (is_name(lexer_.peek(ahead))) ++ahead;
    if (ahead == 0 || !is_name_start(lexer_.peek())) return false;
    const std::size_t begin = lexer_.position();
    const std::int64_t line = lexer_.line();
    Assignment one{.name = std::string(text_.substr(begin, ahead)), .line = line};
    std::size_t at = begin + ahead;
    if (at < text_.size() && text_[at] == '[') {
      const std::size_t end = closing_index(at);
      if (end == std::string_view::npos) return false;
      one.indexed = true;
      one.index = Lexer(text_.substr(at + 1, end - at - 1), line).text_until(end);
      at = end + 1;
    }
    if (at < text_.size() && text_[at] == '+') {
      one.append = true;
      ++at;
    }
    if (at >= text_.size() || text_[at] != '=') return false;
    lexer_.advance(at + 1 - begin);
    if (lexer_.peek() == '(') {
      lexer_.advance();
      elements(one, line);
    } else {
      Word value = lexer_.placeholder();
      one.values.push_back(value.empty() ? lexer_.word() : std::move(value));
    }
    out.assignments.push_back(std::move(one));
    return true;
  }

  void elements(Assignment& out, std::int64_t opened) {
    out.array = true;
    while (!lexer_.failed()) {
      lexer_.skip_blanks();
      if (lexer_.at_end()) return lexer_.fail(opened, "( is opened and never closed");
      if (lexer_.peek() == '\n') {
        lexer_.advance();
        continue;
      }
      if (lexer_.peek() == ')') return lexer_.advance();
      Word key;
      if (lexer_.peek() == '[') {
        const std::size_t begin = lexer_.position();
        const std::size_t end = closing_index(begin);
        if (end != std::string_view::npos && text_.substr(end).starts_with("]=")) {
          key = Lexer(text_.substr(begin + 1, end - begin - 1), lexer_.line()).word();
          lexer_.advance(end + 2 - begin);
        }
      }
      Word value = lexer_.word();
      if (value.empty() && key.empty()) {
        return lexer_.fail(opened, "an array holds what is no word");
      }
      out.keys.push_back(std::move(key));
      out.values.push_back(std::move(value));
    }
  }

  void redirections(Command& out) {
    for (lexer_.skip_blanks(); !lexer_.failed() && redirection(out);) lexer_.skip_blanks();
  }

  // [n]> file, >>, <, <<EOF, <<<word, &> file, 2>&1
  bool redirection(Command& out) {
    std::size_t ahead = 0;
    while (lexer_.peek(ahead) >= '0' && lexer_.peek(ahead) <= '9') ++ahead;
    if (ahead == 0 && lexer_.peek() == '&') ahead = 1;
    const char c = lexer_.peek(ahead);
    if (c != '<' && c != '>') return false;
    if (ahead == 0 && lexer_.peek(1) == '(') return false;
    lexer_.advance(ahead);
    if (lexer_.sees("<<<")) {
      lexer_.advance(3);
      lexer_.skip_blanks();
      out.strings.push_back(lexer_.word());
    } else if (lexer_.sees("<<")) {
      if (!documents_.read(lexer_, out.heredocs)) lexer_.fail(lexer_.line(), "<< names no end");
    } else {
      const bool writes = c == '>';
      while (std::string_view("<>&|").find(lexer_.peek()) != std::string_view::npos && !lexer_.at_end()) {
        lexer_.advance();
      }
      lexer_.skip_blanks();
      Word target = lexer_.word();
      if (writes && !target.empty()) out.targets.push_back(std::move(target));
    }
    return true;
  }

  std::string_view text_;
  Lexer lexer_;
  Script script_;
  HereDocuments documents_;
  int depth_ = 0;
  bool told_end_ = false;
};

}  // namespace

Script parse_script(std::string_view text) { return Parser(text).parse(); }

}  // namespace assay::shell
