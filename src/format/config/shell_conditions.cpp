// Conditions that can be decided from what the script itself says. All else is unknown: a file may be there or not.

#include <charconv>
#include <string>

#include "format/config/shell_interpreter.h"

namespace assay::shell {

namespace {

// `[…]` at the start of the pattern: whether c is in it, and how long it is; 0: no set.
std::size_t set_size(std::string_view pattern, char c, bool& inside) {
  const std::size_t end = pattern.find(']', 2);
  if (end == std::string_view::npos) return 0;
  std::string_view body = pattern.substr(1, end - 1);
  const bool negated = body.starts_with('!') || body.starts_with('^');
  if (negated) body.remove_prefix(1);
  inside = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (i + 2 < body.size() && body[i + 1] == '-') {
      inside = inside || (c >= body[i] && c <= body[i + 2]);
      i += 2;
    } else {
      inside = inside || c == body[i];
    }
  }
  inside = inside != negated;
  return end + 1;
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

// A variable that nobody set is empty, as it is for ${V:-default}.
bool is_unset(const Value& value) {
  bool unset = false;
  for (const Piece& piece : value) {
    if (!piece.why && piece.text.empty()) continue;
    if (unset || !piece.why || !piece.why->ends_with("is not set in this script")) return false;
    unset = true;
  }
  return unset;
}

}  // namespace

// Greedy with one point to go back to: linear in practice, text × pattern at worst.
bool matches(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    bool inside = false;
    std::size_t size = 0;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '[' && (size = set_size(pattern.substr(p), text[t], inside)) > 0) {
      if (inside) {
        p += size;
        ++t;
        continue;
      }
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
      continue;
    }
    if (star == std::string_view::npos) return false;
    p = star + 1;
    t = ++resume;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Interpreter::Truth Interpreter::arithmetic_truth(const Word& expression) {
  const Value text = expand_text(expression);
  if (why_of(text)) return Truth::kUnknown;
  const auto value = evaluate(text_of(text), arithmetic_host());
  if (!value) return Truth::kUnknown;
  return *value != 0 ? Truth::kYes : Truth::kNo;
}

// `[ … ]` and `[[ … ]]` without their brackets: || and && from the left, then one comparison.
Interpreter::Truth Interpreter::test(const std::vector<Field>& words, std::size_t begin, std::size_t end, bool patterns,
                                     int depth) {
  constexpr int kDeepest = 32;
  if (begin >= end) return Truth::kNo;
  if (depth > kDeepest) return Truth::kUnknown;
  for (const bool either : {true, false}) {
    for (std::size_t at = begin + 1; at < end; ++at) {
      const std::string word = text_of(words[at].value);
      const bool found = either ? word == "||" || word == "-o" : word == "&&" || word == "-a";
      if (!found || words[at].quoted) continue;
      const Truth left = test(words, begin, at, patterns, depth + 1);
      const Truth right = test(words, at + 1, end, patterns, depth + 1);
      const Truth deciding = either ? Truth::kYes : Truth::kNo;
      if (left == deciding || right == deciding) return deciding;
      return left == Truth::kUnknown || right == Truth::kUnknown ? Truth::kUnknown : left;
    }
  }
  if (text_of(words[begin].value) == "!" && !words[begin].quoted) {
    const Truth inner = test(words, begin + 1, end, patterns, depth + 1);
    return inner == Truth::kUnknown ? inner : inner == Truth::kYes ? Truth::kNo : Truth::kYes;
  }
  return test_one(words, begin, end, patterns);
}

Interpreter::Truth Interpreter::test_one(const std::vector<Field>& words, std::size_t begin, std::size_t end,
                                         bool patterns) {
  const std::size_t count = end - begin;
  if (count == 1) {
    const Value& value = words[begin].value;
    if (why_of(value)) return Truth::kUnknown;
    return text_of(value).empty() ? Truth::kNo : Truth::kYes;
  }
  if (count == 3 &&
      (text_of(words[begin].value).empty() || text_of(words[begin + 2].value).empty())) {  // [ "$V" == "" ]
    const std::string op = text_of(words[begin + 1].value);
    const Value& value = words[text_of(words[begin].value).empty() ? begin + 2 : begin].value;
    const bool asks = op == "=" || op == "==" || op == "!=";
    if (asks && is_unset(value)) {
      by_unset_ = true;
      return op == "!=" ? Truth::kNo : Truth::kYes;
    }
  }
  if (count == 2) {
    const std::string op = text_of(words[begin].value);
    const Value& value = words[begin + 1].value;
    if (op != "-z" && op != "-n") return Truth::kUnknown;
    if (why_of(value)) {
      if (!is_unset(value)) return Truth::kUnknown;
      by_unset_ = true;
      return op == "-z" ? Truth::kYes : Truth::kNo;
    }
    return text_of(value).empty() == (op == "-z") ? Truth::kYes : Truth::kNo;
  }
  if (count == 3) return compare(words[begin], text_of(words[begin + 1].value), words[begin + 2], patterns);
  return Truth::kUnknown;
}

Interpreter::Truth Interpreter::compare(const Field& left, std::string_view op, const Field& right, bool patterns) {
  if (why_of(left.value) || why_of(right.value)) return Truth::kUnknown;
  const std::string a = text_of(left.value);
  const std::string b = text_of(right.value);
  const auto told = [](bool truth) { return truth ? Truth::kYes : Truth::kNo; };
  if (op == "=" || op == "==" || op == "!=") {
    const bool same = patterns && !right.quoted ? matches(a, b) : a == b;
    return told(same == (op != "!="));
  }
  const auto x = integer(a);
  const auto y = integer(b);
  if (!x || !y) return Truth::kUnknown;
  if (op == "-eq") return told(*x == *y);
  if (op == "-ne") return told(*x != *y);
  if (op == "-lt") return told(*x < *y);
  if (op == "-le") return told(*x <= *y);
  if (op == "-gt") return told(*x > *y);
  if (op == "-ge") return told(*x >= *y);
  return Truth::kUnknown;
}

}  // namespace assay::shell
