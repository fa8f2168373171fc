// Each value is first cut out (up to the comma or bracket that ends it), then looked at: a bracket that closes at its
// end holds items, anything else is a leaf. Cutting out scans an item once for each level it lies in; levels are
// limited, so this is linear. A quote opens a string only behind a bracket, a comma, ':', '=', a blank or at the
// beginning, and only if it closes on its line: apostrophes in words are none.

#include "format/config/literal.h"

#include <algorithm>

namespace assay {

namespace {

constexpr int kDeepest = 32;
constexpr std::size_t kMostLeaves = 20'000;
constexpr std::size_t kDeepestBrackets = 4096;
constexpr std::size_t kLongestPath = 400;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}
char opposite(char c) { return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '\0'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_string(std::string_view text) {
  return text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && behind_string(text, 0) == text.size() &&
         text.back() == text[0];
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      const char c = text[++i];
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    } else {
      out += text[i];
    }
  }
  return out;
}

// A list over several lines, as it would stand on one.
std::string on_one_line(std::string_view text) {
  std::string out;
  bool broken = false;
  for (const char c : text) {
    if (broken && is_blank(c)) continue;
    broken = c == '\n';
    out += broken ? ' ' : c;
  }
  return out;
}

// "Name(": its size without the bracket; 0: none.
std::size_t call_name(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_word(text[at])) ++at;
  const bool named = at > 0 && !(text[0] >= '0' && text[0] <= '9') && text[0] != '.';
  return named && at < text.size() && text[at] == '(' ? at : 0;
}

class Flattener {
 public:
  Flattener(std::string_view text, std::int64_t line, std::vector<Leaf>& out)
      : text_(text), line_(line), out_(out), most_(out.size() + kMostLeaves) {}

  void value(std::size_t begin, std::size_t end, const std::string& path, int depth) {
    while (begin < end && is_blank(text_[begin])) ++begin;
    while (end > begin && is_blank(text_[end - 1])) --end;
    if (begin == end || out_.size() >= most_) return;
    const std::string_view text = text_.substr(begin, end - begin);
    const std::size_t name = call_name(text);
    const std::size_t open = begin + name;
    const bool bracket = name > 0 || opposite(text[0]) != '\0';
    if (!bracket || depth >= kDeepest || path.size() > kLongestPath) return leaf(path, begin, end);
    std::size_t close = closing_bracket(text_, open);
    const bool cut = close == std::string_view::npos;
    if (cut) close = end;
    if (!cut && close + 1 != end) return leaf(path, begin, end);  // (1 + 2) * 3
    if (name > 0) return call(begin, open, close, path, depth, cut);
    if (text[0] == '{') {
      if (!items(open + 1, close, path, ':', depth, cut)) leaf(path, begin, end);
      return;
    }
    if (holds_names(open + 1, close)) return list(open + 1, close, path, depth);
    leaf(path, begin, end);
  }

 private:
  std::int64_t line_of(std::size_t at) {
    line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(std::min(seen_, at)),
                        text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    seen_ = std::max(seen_, at);
    return line_;
  }

  void leaf(const std::string& path, std::size_t begin, std::size_t end, bool call = false) {
    if (end == text_.size() && cut_) return;
    std::string_view text = text_.substr(begin, end - begin);
    if (text.starts_with('<') && text.ends_with('>')) {  // <Strategy.STEPS: 'steps'>
      const std::size_t at = text.find(": ");
      if (at != std::string_view::npos) text = trimmed(text.substr(at + 2, text.size() - at - 3));
    }
    const bool quoted = is_string(text);
    out_.push_back(
        {path, quoted ? unescaped(text.substr(1, text.size() - 2)) : on_one_line(text), line_of(begin), quoted, call});
  }

  void call(std::size_t begin, std::size_t open, std::size_t close, const std::string& path, int depth, bool cut) {
    const std::string_view name = text_.substr(begin, open - begin);
    const std::size_t first = item_end(text_, open + 1, '=');
    const bool named = first < close && text_[first] == '=';
    const bool empty = trimmed(text_.substr(open + 1, close - open - 1)).empty();
    const std::size_t inner = text_.find_first_not_of(" \t\r\n", open + 1);
    if (!named && !empty && inner < close && text_[inner] == '{') {  // mappingproxy({…})
      return value(inner, item_end(text_, inner), path, depth + 1);
    }
    const std::string_view last = name.substr(name.find_last_of('.') + 1);
    const bool is_plain = last == "dict" || last == "Namespace" || last == "ConfigDict" || last == "SimpleNamespace";
    if (!named && !(empty && is_plain)) return leaf(path, begin, std::min(close + 1, text_.size()), !empty);
    if (!path.empty() && !is_plain) out_.push_back({path, std::string(name), line_of(begin)});
    items(open + 1, close, path, '=', depth, cut);
  }

  // Items of the form `key relation value`; false: the first has no key.
  bool items(std::size_t at, std::size_t end, const std::string& path, char relation, int depth, bool cut) {
    bool any = false;
    if (trimmed(text_.substr(at, end - at)).empty()) return true;
    while (at < end) {
      const std::size_t mark = item_end(text_, at, relation);
      if (mark >= end || text_[mark] != relation) {
        if (!any) return false;
        at = std::min(mark, end) + 1;  // an item without a key
        continue;
      }
      const std::size_t stop = std::min(item_end(text_, mark + 1), end);
      std::string_view key = trimmed(text_.substr(at, mark - at));
      if (is_string(key)) key = key.substr(1, key.size() - 2);
      constexpr std::size_t kLongestKey = 200;
      if (key.size() <= kLongestKey) {
        cut_ = cut_ || cut;
        value(mark + 1, stop, path.empty() ? std::string(key) : path + "/" + std::string(key), depth + 1);
      }
      any = true;
      at = stop + 1;
    }
    return any;
  }

  bool holds_names(std::size_t at, std::size_t end) const {
    while (at < end && is_blank(text_[at])) ++at;
    const std::string_view first = text_.substr(at, end - at);
    return first.starts_with('{') || call_name(first) > 0;
  }

  void list(std::size_t at, std::size_t end, const std::string& path, int depth) {
    for (std::size_t i = 0; at < end && out_.size() < most_; ++i) {
      const std::size_t stop = std::min(item_end(text_, at), end);
      value(at, stop, (path.empty() ? "" : path + "/") + std::to_string(i), depth + 1);
      at = stop + 1;
    }
  }

  std::string_view text_;
  std::int64_t line_;
  std::size_t seen_ = 0;
  std::vector<Leaf>& out_;
  std::size_t most_;
  bool cut_ = false;
};

bool may_open_string(std::string_view text, std::size_t at) {
  return at == 0 || is_blank(text[at - 1]) ||
         std::string_view("([{,:=+-*/").find(text[at - 1]) != std::string_view::npos || text[at - 1] == 'r' ||
         text[at - 1] == 'f' || text[at - 1] == 'b' || text[at - 1] == 'u';
}

}  // namespace

std::size_t behind_string(std::string_view text, std::size_t at) {
  if (!may_open_string(text, at)) return at + 1;
  for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[at]) {
      return i + 1;
    }
  }
  return at + 1;
}

std::size_t closing_bracket(std::string_view text, std::size_t open) {
  std::string stack;
  for (std::size_t at = open; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = behind_string(text, at);
      continue;
    }
    if (const char close = opposite(c)) {
      stack += close;
    } else if (!stack.empty() && c == stack.back()) {
      stack.pop_back();
      if (stack.empty()) return at;
    }
    ++at;
  }
  return std::string_view::npos;
}

std::size_t item_end(std::string_view text, std::size_t from, char mark) {
  std::string stack;
  for (std::size_t at = from; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = behind_string(text, at);
      continue;
    }
    if (stack.empty() && (c == ',' || c == ')' || c == ']' || c == '}' || (mark != '\0' && c == mark))) return at;
    if (const char close = opposite(c)) {
      stack += close;
    } else if (!stack.empty() && c == stack.back()) {
      stack.pop_back();
    }
    ++at;
  }
  return text.size();
}

bool BracketDepth::line(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = behind_string(text, at);
      continue;
    }
    if (const char close = opposite(c)) {
      if (open_.size() < kDeepestBrackets) open_ += close;
    } else if (c == ')' || c == ']' || c == '}') {
      if (open_.empty() || open_.back() != c) return false;
      open_.pop_back();
    }
    ++at;
  }
  return true;
}

void flatten_literal(std::string_view text, std::string_view path, std::int64_t line, std::vector<Leaf>& out) {
  Flattener(text, line, out).value(0, text.size(), std::string(path), 0);
}

}  // namespace assay
