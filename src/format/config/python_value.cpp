// Integers are exact as far as 64 bits go and refused beyond; everything else is a double, printed with the fewest
// digits that read back the same. A number without arithmetic keeps its spelling: 6e-4 stays 6e-4.

#include "format/config/python_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/bytes.h"

namespace assay {

namespace {

constexpr int kDeepest = 32;

struct Number {
  bool whole = true;
  std::int64_t integer = 0;
  double real = 0;
  double value() const { return whole ? static_cast<double>(integer) : real; }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c);

// Behind ["a"]["b"] at `at`; their words are joined to `name` by dots.
std::size_t behind_subscripts(std::string_view text, std::size_t at, std::string& name) {
  while (at + 4 < text.size() && text[at] == '[' && (text[at + 1] == '"' || text[at + 1] == '\'')) {
    const std::size_t end = text.find(text[at + 1], at + 2);
    if (end == std::string_view::npos || end + 1 >= text.size() || text[end + 1] != ']') break;
    name += '.';
    name += text.substr(at + 2, end - at - 2);
    at = end + 2;
  }
  return at;
}

bool is_name(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string printed(const Number& number) {
  if (number.whole) return std::to_string(number.integer);
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number.real, std::chars_format::general);
  return error == std::errc() ? std::string(text, end) : "nan";
}

std::optional<Number> number_of(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  const char* begin = digits.data();
  const char* end = begin + digits.size();
  Number out;
  if (const auto [rest, error] = std::from_chars(begin, end, out.integer); error == std::errc() && rest == end)
    return out;
  out.whole = false;
  if (const auto [rest, error] = std::from_chars(begin, end, out.real); error == std::errc() && rest == end) return out;
  return std::nullopt;
}

class Arithmetic {
 public:
  Arithmetic(std::string_view text, const std::function<const PythonValue*(std::string_view)>& known)
      : text_(text), known_(known) {}

  std::optional<Number> run() {
    const Number out = sum();
    skip();
    if (failed_ || at_ < text_.size() || (!out.whole && !std::isfinite(out.real))) return std::nullopt;
    return out;
  }
  const std::string& why() const { return why_; }

 private:
  Number fail(std::string why = {}) {
    failed_ = true;
    if (why_.empty()) why_ = std::move(why);
    return {};
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

  Number sum() {
    Number left = product();
    while (!failed_) {
      if (take("+")) {
        left = apply('+', left, product());
      } else if (take("-")) {
        left = apply('-', left, product());
      } else {
        break;
      }
    }
    return left;
  }

  Number product() {
    Number left = factor();
    while (!failed_) {
      skip();
      if (text_.substr(at_).starts_with("**")) break;
      if (take("//")) {
        left = apply('d', left, factor());
      } else if (take("*")) {
        left = apply('*', left, factor());
      } else if (take("/")) {
        left = apply('/', left, factor());
      } else if (take("%")) {
        left = apply('%', left, factor());
      } else {
        break;
      }
    }
    return left;
  }

  Number factor() {
    if (++depth_ > kDeepest) return fail();
    Number out;
    if (take("-")) {
      out = apply('-', Number{}, factor());
    } else if (take("+")) {
      out = factor();
    } else {
      out = operand();
      if (!failed_ && take("**")) out = apply('^', out, factor());
    }
    --depth_;
    return out;
  }

  Number operand() {
    skip();
    if (take("(")) {
      const Number out = sum();
      return take(")") ? out : fail();
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '.' ||
                                  ((text_[at_] == '-' || text_[at_] == '+') && at_ > begin && is_digit(text_[begin]) &&
                                   (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))) {
      ++at_;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty()) return fail();
    if (is_digit(word[0]) || word[0] == '.') {
      const auto number = number_of(word);
      return number ? *number : fail();
    }
    std::string name(word);
    at_ = behind_subscripts(text_, at_, name);
    const PythonValue* value = known_(name);
    if (value == nullptr) return fail(name + " is not set in this file");
    if (!value->unknown.empty()) return fail(value->unknown);
    const auto number = number_of(value->text);
    return number ? *number : fail();
  }

  Number apply(char op, Number a, Number b) {
    if (failed_) return {};
    const bool whole = a.whole && b.whole && op != '/' && !(op == '^' && b.integer < 0);
    if ((op == '/' || op == 'd' || op == '%') && b.value() == 0) return fail("divides by zero");
    if (!whole) return real(op, a.value(), b.value());
    std::optional<std::int64_t> out;
    std::int64_t difference = 0;
    if (op == '+') out = checked_add(a.integer, b.integer);
    if (op == '-' && !__builtin_sub_overflow(a.integer, b.integer, &difference)) out = difference;
    if (op == '*') out = checked_multiply(a.integer, b.integer);
    if ((op == 'd' || op == '%') && (b.integer != -1 || a.integer != INT64_MIN)) {
      std::int64_t quotient = a.integer / b.integer;
      std::int64_t rest = a.integer % b.integer;
      if (rest != 0 && (rest < 0) != (b.integer < 0)) {  // Python rounds down
        --quotient;
        rest += b.integer;
      }
      out = op == 'd' ? quotient : rest;
    }
    if (op == '^') out = power(a.integer, b.integer);
    return out ? Number{.integer = *out} : fail("is larger than 64 bits");
  }

  static std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
    if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    std::int64_t out = 1;
    for (; exponent > 0; --exponent) {  // 64 times at most
      const auto next = checked_multiply(out, base);
      if (!next) return std::nullopt;
      out = *next;
    }
    return out;
  }

  static Number real(char op, double a, double b) {
    Number out{.whole = false};
    out.real = op == '+'   ? a + b
               : op == '-' ? a - b
               : op == '*' ? a * b
               : op == '/' ? a / b
               : op == 'd' ? std::floor(a / b)
               : op == '%' ? a - b * std::floor(a / b)
                           : std::pow(a, b);
    return out;
  }

  std::string_view text_;
  const std::function<const PythonValue*(std::string_view)>& known_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
  std::string why_;
};

}  // namespace

PythonValue evaluate_python(std::string_view expression,
                            const std::function<const PythonValue*(std::string_view name)>& known) {
  constexpr std::size_t kLongest = 200;
  const std::string_view text = trimmed(expression);
  if (text == "True" || text == "False" || text == "None" || text.empty()) return {std::string(text)};
  if (const auto number = number_of(text)) {
    std::string written(text);
    std::erase(written, '_');
    return {written};
  }
  const auto end_of_name = std::find_if_not(text.begin(), text.end(), is_name);
  std::string name(text.begin(), end_of_name);
  if (!name.empty() && behind_subscripts(text, name.size(), name) == text.size()) {
    const PythonValue* value = known(name);
    if (value != nullptr) return *value;
    return {std::string(text.substr(0, kLongest)), name + " is not set in this file"};
  }
  Arithmetic arithmetic(text.substr(0, kLongest), known);
  const bool plain = text.find_first_of("'\"") == std::string_view::npos || text.find('[') != std::string_view::npos;
  if (text.size() <= kLongest && plain) {
    if (const auto number = arithmetic.run()) return {printed(*number)};
  }
  const std::string source(text.substr(0, kLongest));
  return {source, arithmetic.why().empty() ? source + " would have to be run" : arithmetic.why()};
}

}  // namespace assay
