// Precedence climbing over 64-bit integers, as bash computes them, except that what wraps there is refused here: a
// batch size that overflows is no batch size. A name stands for its text, read as an expression in turn; depth is
// limited, so that A=A ends.

#include "format/config/shell_arithmetic.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/bytes.h"
#include "format/config/shell_lexer.h"

namespace assay::shell {

namespace {

constexpr int kDeepest = 32;

struct Operator {
  std::string_view text;
  int precedence;
};
// Longer ones first.
constexpr std::array<Operator, 19> kOperators{{{"**", 12},
                                               {"<<", 8},
                                               {">>", 8},
                                               {"<=", 7},
                                               {">=", 7},
                                               {"==", 6},
                                               {"!=", 6},
                                               {"&&", 2},
                                               {"||", 1},
                                               {"*", 10},
                                               {"/", 10},
                                               {"%", 10},
                                               {"+", 9},
                                               {"-", 9},
                                               {"<", 7},
                                               {">", 7},
                                               {"&", 5},
                                               {"^", 4},
                                               {"|", 3}}};

std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
  std::int64_t out = 1;
  for (; exponent > 0; --exponent) {
    const auto next = checked_multiply(out, base);
    if (!next) return std::nullopt;
    out = *next;
    if (out == 0 || (out == 1 && base == 1)) break;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;  // the rest would only turn the sign to and fro
  }
  return out;
}

class Evaluator {
 public:
  Evaluator(std::string_view text, const ArithmeticHost& host, int depth) : text_(text), host_(host), depth_(depth) {}

  std::expected<std::int64_t, std::string> run() {
    std::int64_t value = 0;
    do {
      value = assignment();
    } while (why_.empty() && take(","));
    skip();
    if (why_.empty() && at_ < text_.size()) refuse("is no arithmetic that is understood");
    if (!why_.empty()) return std::unexpected(why_);
    return value;
  }

 private:
  std::int64_t refuse(std::string_view what) {
    return fail("\"" + std::string(text_.substr(0, 60)) + "\" " + std::string(what));
  }
  std::int64_t fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    at_ = text_.size();
    return 0;
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool take(std::string_view what) {
    skip();
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }

  std::string_view name() {
    skip();
    const std::size_t begin = at_;
    if (at_ < text_.size() && is_name_start(text_[at_])) {
      while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  std::int64_t assignment() {
    const std::size_t begin = at_;
    const std::string_view target = name();
    if (!target.empty()) {
      for (const std::string_view op : {"=", "+=", "-=", "*=", "/=", "%="}) {
        skip();
        if (!text_.substr(at_).starts_with(op) || text_.substr(at_ + op.size()).starts_with("=")) continue;
        at_ += op.size();
        if (++depth_ > kDeepest) return refuse("is nested too deeply");
        std::int64_t value = assignment();
        --depth_;
        if (op.size() > 1 && why_.empty()) value = apply(op.substr(0, 1), variable(target), value);
        if (why_.empty()) host_.write(target, value);
        return value;
      }
    }
    at_ = why_.empty() ? begin : at_;
    return conditional();
  }

  std::int64_t conditional() {
    if (++depth_ > kDeepest) return refuse("is nested too deeply");
    const std::int64_t condition = binary(1);
    if (!take("?")) {
      --depth_;
      return condition;
    }
    const std::int64_t yes = conditional();
    if (!take(":")) return refuse("is no arithmetic that is understood");
    const std::int64_t no = conditional();
    --depth_;
    return condition != 0 ? yes : no;
  }

  const Operator* operator_here() {
    skip();
    const std::string_view rest = text_.substr(at_);
    for (const Operator& one : kOperators) {
      if (!rest.starts_with(one.text)) continue;
      const bool assigns = one.precedence != 6 && one.precedence != 7 && rest.substr(one.text.size()).starts_with("=");
      return assigns ? nullptr : &one;
    }
    return nullptr;
  }

  std::int64_t binary(int lowest) {
    std::int64_t left = unary();
    while (why_.empty()) {
      const Operator* op = operator_here();
      if (op == nullptr || op->precedence < lowest) break;
      at_ += op->text.size();
      const bool to_the_right = op->text == "**";
      if (++depth_ > kDeepest) return refuse("is nested too deeply");
      const std::int64_t right = binary(to_the_right ? op->precedence : op->precedence + 1);
      --depth_;
      if (why_.empty()) left = apply(op->text, left, right);
    }
    return left;
  }

  std::int64_t unary() {
    skip();
    if (++depth_ > kDeepest) return refuse("is nested too deeply");
    std::int64_t out = 0;
    if (const char step = step_here(); step != '\0' && at_ + 2 < text_.size() && is_name_start(text_[at_ + 2])) {
      at_ += 2;
      const std::string_view target = name();
      out = apply(std::string_view(&step, 1), variable(target), 1);
      if (why_.empty()) host_.write(target, out);
    } else if (take("-")) {
      out = apply("-", 0, unary());
    } else if (take("+")) {
      out = unary();
    } else if (take("!")) {
      out = unary() == 0 ? 1 : 0;
    } else if (take("~")) {
      out = ~unary();
    } else if (take("(")) {
      out = assignment();
      if (!take(")")) refuse("has a ( that is never closed");
    } else {
      out = operand();
    }
    --depth_;
    return out;
  }

  std::int64_t operand() {
    skip();
    if (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') return number();
    const std::string_view found = name();
    if (found.empty()) return refuse(text_.empty() ? "is empty" : "is no arithmetic that is understood");
    const std::int64_t value = variable(found);
    const char step = step_here();
    if (step == '\0' || !why_.empty()) return value;
    at_ += 2;  // A++ is A, and A is one more from then on
    const std::int64_t next = apply(std::string_view(&step, 1), value, 1);
    if (why_.empty()) host_.write(found, next);
    return value;
  }

  // '+' at "++", '-' at "--".
  char step_here() const {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()), 2);
    return rest == "++" || rest == "--" ? rest[0] : '\0';
  }

  // Behind "10#": up to base 36 letters of both cases are the same digits, beyond it capital ones follow, then @ and _.
  static int digit_of(char c, std::int64_t base) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + (base <= 36 ? 10 : 36);
    return c == '@' ? 62 : c == '_' ? 63 : 99;
  }

  std::int64_t based(std::int64_t base) {
    const std::size_t begin = ++at_;
    std::int64_t out = 0;
    if (base < 2 || base > 64) return refuse("holds a number that the shell does not know");
    for (; at_ < text_.size() && digit_of(text_[at_], base) < 64; ++at_) {
      const int digit = digit_of(text_[at_], base);
      if (digit >= base) return refuse("holds a number that the shell does not know");
      const auto shifted = checked_multiply<std::int64_t>(out, base);
      const auto next = shifted ? checked_add<std::int64_t>(*shifted, digit) : std::nullopt;
      if (!next) return refuse("is larger than 64 bits");
      out = *next;
    }
    return at_ > begin ? out : refuse("holds a number that the shell does not know");
  }

  std::int64_t number() {
    std::int64_t base = 10;
    if (text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X")) {
      base = 16;
      at_ += 2;
    } else if (text_[at_] == '0') {
      base = 8;
    }
    std::int64_t out = 0;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && is_name(text_[at_]); ++at_) {
      const char c = text_[at_];
      const int lower = c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
      const int digit = c >= '0' && c <= '9' ? c - '0' : lower;
      if (digit >= base) return refuse("holds a number that the shell does not know");
      const auto shifted = checked_multiply<std::int64_t>(out, base);
      const auto next = shifted ? checked_add<std::int64_t>(*shifted, digit) : std::nullopt;
      if (!next) return refuse("is larger than 64 bits");
      out = *next;
    }
    if (base == 10 && at_ < text_.size() && text_[at_] == '#') return based(out);
    if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '#')) {
      return refuse("holds a number that the shell does not know");
    }
    return at_ > begin ? out : refuse("holds a number that the shell does not know");
  }

  std::int64_t variable(std::string_view found) {
    const auto text = host_.read(found);
    if (!text) return fail(text.error());
    if (text->find_first_not_of(" \t\n") == std::string::npos) return 0;
    const auto value = evaluate(*text, host_, depth_ + 1);
    return value ? *value : fail(value.error());
  }

  std::int64_t apply(std::string_view op, std::int64_t a, std::int64_t b) {
    std::optional<std::int64_t> out;
    if (op == "+") out = checked_add(a, b);
    std::int64_t difference = 0;
    if (op == "-" && !__builtin_sub_overflow(a, b, &difference)) out = difference;
    if (op == "*") out = checked_multiply(a, b);
    if (op == "/" || op == "%") {
      if (b == 0) return refuse("divides by zero");
      if (b != -1 || a != std::numeric_limits<std::int64_t>::min()) out = op == "/" ? a / b : a % b;
    }
    if (op == "**" && b >= 0) out = power(a, b);
    if (op == "<<" && b >= 0 && b < 63) out = checked_multiply(a, std::int64_t{1} << b);
    if (op == ">>" && b >= 0 && b < 64) out = a >> b;
    if (const auto truth = compare(op, a, b)) out = *truth ? 1 : 0;
    if (op == "&") out = a & b;
    if (op == "|") out = a | b;
    if (op == "^") out = a ^ b;
    return out ? *out : refuse("is larger than 64 bits");
  }

  static std::optional<bool> compare(std::string_view op, std::int64_t a, std::int64_t b) {
    if (op == "<") return a < b;
    if (op == ">") return a > b;
    if (op == "<=") return a <= b;
    if (op == ">=") return a >= b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "&&") return a != 0 && b != 0;
    if (op == "||") return a != 0 || b != 0;
    return std::nullopt;
  }

  std::string_view text_;
  const ArithmeticHost& host_;
  int depth_;
  std::size_t at_ = 0;
  std::string why_;
};

}  // namespace

std::expected<std::int64_t, std::string> evaluate(std::string_view expression, const ArithmeticHost& host, int depth) {
  if (depth > kDeepest) return std::unexpected("a variable refers to itself");
  return Evaluator(expression, host, depth).run();
}

}  // namespace assay::shell
