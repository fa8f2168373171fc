// Words to values. An unknown part keeps what is written there and why it is unknown; what is known around it stays
// known, so that an argument list with one unknown value loses that value alone.

#include <algorithm>
#include <charconv>
#include <utility>

#include "format/config/shell_interpreter.h"
#include "format/config/shell_lexer.h"
#include "format/config/shell_parser.h"

namespace assay::shell {

namespace {

constexpr std::size_t kLongestValue = std::size_t{1} << 20;
constexpr std::size_t kLongestShown = 120;
constexpr std::size_t kMostPieces = 65536;
constexpr std::size_t kMostWork = 100'000'000;
constexpr std::size_t kArithmeticWork = 128;  // one look at a variable

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

std::size_t size_of(const Value& value) {
  std::size_t size = value.size() * 16;
  for (const Piece& piece : value) size += piece.text.size();
  return size;
}

}  // namespace

bool Interpreter::spend(std::size_t work) {
  work_ = std::min(work_ + work, kMostWork + 1);
  out_.exhausted = out_.exhausted || work_ > kMostWork;
  return !out_.exhausted;
}

Value Interpreter::unknown(std::string_view written, std::int64_t line, std::string why) {
  constexpr std::size_t kLongest = 200;
  return {{std::string(written.substr(0, kLongest)), line, std::make_shared<const std::string>(std::move(why))}};
}

// A variable that doubles with each line grows beyond all bounds: from here on it is unknown.
Value Interpreter::limited(Value value) {
  if (!spend(size_of(value))) {
    return unknown("", value.empty() ? 0 : value[0].line, "the script is too much work to follow");
  }
  std::size_t size = 0;
  for (const Piece& piece : value) size += piece.text.size();
  const auto grown = std::find_if(value.begin(), value.end(), [&](const Piece& piece) { return piece.why == grown_; });
  if (grown != value.end() && value.size() > 1) return {*grown};
  if (size <= kLongestValue && value.size() <= kMostPieces) return value;
  return {{"…", value[0].line, grown_}};
}

const Variable* Interpreter::find(std::string_view name) const {
  const auto found = variables_.find(target_of(name));
  return found == variables_.end() ? nullptr : found->second.get();
}

std::vector<Interpreter::Field> Interpreter::expand_words(const std::vector<Word>& words) {
  std::vector<Field> out;
  for (const Word& word : words) expand(word, out);
  return out;
}

void Interpreter::expand(const Word& word, std::vector<Field>& out) {
  bool open = false;  // the last field goes on
  for (const Part& part : word) put_part(part, out, open);
}

void Interpreter::put_part(const Part& part, std::vector<Field>& out, bool& open) {
  const bool list = part.kind == Part::Kind::kParameter && part.op != "length" &&
                    (part.name == "@" || part.name == "*" ||
                     (part.indexed && (text_of(expand_text(part.index)) == "@" || part.index.empty() ||
                                       text_of(expand_text(part.index)) == "*")));
  if (list) return put_fields(part, out, open);
  Value value = part_value(part);
  if (part.kind != Part::Kind::kText && !part.quoted) return put_split(value, out, open);
  if (!open) {
    out.emplace_back();
    open = true;
  }
  Field& field = out.back();
  field.quoted = field.quoted || part.quoted;
  for (Piece& piece : value) field.value.push_back(std::move(piece));
}

// "$@" and "${A[@]}": a field each.
void Interpreter::put_fields(const Part& part, std::vector<Field>& out, bool& open) {
  std::vector<Value> all = elements(part);
  if (all.empty() && !part.op.empty() && part.op.find('-') != std::string::npos)
    all.push_back(expand_text(part.argument));
  for (std::size_t i = 0; i < all.size() && spend(size_of(all[i])); ++i) {
    if (!part.quoted) {
      put_split(all[i], out, open);
      if (i + 1 < all.size()) open = false;
      continue;
    }
    if (!open || i > 0) out.emplace_back();
    open = true;
    out.back().quoted = true;
    for (Piece& piece : all[i]) out.back().value.push_back(std::move(piece));
  }
}

// An unknown command's output is one field: how many words it has cannot be known.
void Interpreter::put_split(const Value& value, std::vector<Field>& out, bool& open) {
  for (const Piece& piece : value) {
    const bool whole = is_one_word(piece);
    std::size_t at = 0;
    while (at < piece.text.size()) {
      if (!whole && is_space(piece.text[at])) {
        open = false;
        ++at;
        continue;
      }
      std::size_t end = piece.text.size();
      for (std::size_t i = at; !whole && i < piece.text.size(); ++i) {
        if (!is_space(piece.text[i])) continue;
        end = i;
        break;
      }
      if (!open) out.emplace_back();
      open = true;
      out.back().value.push_back({piece.text.substr(at, end - at), piece.line, piece.why});
      at = end;
    }
  }
}

// Without splitting.
Value Interpreter::expand_text(const Word& word) {
  Value out;
  for (const Part& part : word) {
    const bool many = part.kind == Part::Kind::kParameter && (part.op.empty() || (part.op == ":" && part.indexed)) &&
                      (part.name == "@" || part.name == "*" || part.indexed);
    if (many) {
      bool first = true;
      for (Value& value : elements(part)) {
        if (!std::exchange(first, false)) out.push_back({" ", part.line});
        for (Piece& piece : value) out.push_back(std::move(piece));
      }
      continue;
    }
    for (Piece& piece : part_value(part)) {
      if (!piece.text.empty() || piece.why) out.push_back(std::move(piece));
    }
  }
  return limited(std::move(out));
}

Value Interpreter::part_value(const Part& part) {
  switch (part.kind) {
    case Part::Kind::kText: return {{part.text, part.line}};
    case Part::Kind::kArithmetic: return arithmetic(part.argument, part.text, part.line);
    case Part::Kind::kCommand: {
      if (const auto result = expr(part)) return {{*result, part.line}};
      const bool placeholder = part.text.starts_with('<') && !part.text.starts_with("<(");
      std::string shown = part.text.substr(0, kLongestShown);
      std::replace(shown.begin(), shown.end(), '\n', ' ');
      return unknown(part.text, part.line, shown + (placeholder ? " is a placeholder" : " would have to be run"));
    }
    case Part::Kind::kParameter: break;
  }
  return parameter(part);
}

// $(expr 16 / $N): the one command whose output is arithmetic and nothing else. Nothing where a word is no number.
std::optional<std::string> Interpreter::expr(const Part& part) {
  std::string_view text = part.text;
  const bool dollar = text.starts_with("$(") && text.ends_with(')');
  if (!dollar && !(text.size() > 2 && text.starts_with('`') && text.ends_with('`'))) return std::nullopt;
  text.remove_prefix(dollar ? 2 : 1);
  text.remove_suffix(1);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (!text.starts_with("expr ") || !spend(text.size())) return std::nullopt;
  const Script script = parse_script(text);
  if (script.commands.size() != 1 || script.commands[0].kind != Command::Kind::kSimple) return std::nullopt;
  std::string sum;
  const std::vector<Field> words = expand_words(script.commands[0].words);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = text_of(words[i].value);
    const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    const bool sign = word.size() == 1 && std::string_view("+-*/%()").find(word[0]) != std::string_view::npos;
    if (why_of(words[i].value) || (!number && !sign)) return std::nullopt;
    sum += word + ' ';
  }
  const auto result = evaluate(sum, arithmetic_host());
  return result ? std::optional(std::to_string(*result)) : std::nullopt;
}

// All values that the part stands for.
std::vector<Value> Interpreter::elements(const Part& part) {
  if (part.name == "@" || part.name == "*") {
    if (!in_function_) return {special(part)};
    std::vector<Value> out;
    for (const Field& field : arguments_) out.push_back(field.value);
    return out;
  }
  const Variable* variable = find(part.name);
  if (variable == nullptr) {
    if (part.op.find('-') != std::string::npos || part.op.find('+') != std::string::npos) return {};
    return {unset_value(part)};
  }
  if (part.op.find('+') != std::string::npos) return {expand_text(part.argument)};
  const std::string index = text_of(expand_text(part.index));
  std::vector<Value> out;
  if (index == "@" || index == "*") {
    if (!spend(variable->values.size())) return {};
    out = variable->values;
    for (const auto& [key, value] : variable->by_name) out.push_back(value);
    if (part.op == ":") return slice(part, std::move(out));
    for (Value& value : out) value = altered(part, std::move(value));
    return out;
  }
  return {parameter(part)};
}

// ${A[@]:1:2}
std::vector<Value> Interpreter::slice(const Part& part, std::vector<Value> all) {
  const auto from = index_of(part.argument);
  const auto size = static_cast<std::int64_t>(all.size());
  const auto count = part.replacement.empty() ? std::optional(size) : index_of(part.replacement);
  if (!from || !count) return {unknown(part.text, part.line, part.text + " is not followed")};
  const std::int64_t begin = std::clamp<std::int64_t>(*from < 0 ? size + *from : *from, 0, size);
  const std::int64_t end = begin + std::clamp<std::int64_t>(*count, 0, size - begin);
  return {all.begin() + begin, all.begin() + end};
}

std::optional<std::int64_t> Interpreter::index_of(const Word& index) {
  const Value value = expand_text(index);
  if (why_of(value)) return std::nullopt;
  const auto number = evaluate(text_of(value), arithmetic_host());
  return number ? std::optional(*number) : std::nullopt;
}

Value Interpreter::unset_value(const Part& part) {
  std::string why = "$" + part.name + " is not set in this script";
  if (!sourced_.empty()) why = "$" + part.name + " may be set in " + sourced_ + ", which is not read";
  return unknown(part.text, part.line, std::move(why));
}

Value Interpreter::special(const Part& part) {
  const bool digit = part.name.size() < 3 && part.name[0] >= '0' && part.name[0] <= '9';
  if (digit && part.name != "0" && in_function_) {
    const std::size_t which = static_cast<std::size_t>(std::stoi(part.name)) - 1;
    return which < arguments_.size() ? arguments_[which].value : Value{};
  }
  if (part.name == "#" && in_function_) return {{std::to_string(arguments_.size()), part.line}};
  const bool many = part.name == "@" || part.name == "*";
  if (many && in_function_) return {};
  std::string why = "$" + part.name;
  why += digit && part.name != "0" ? " is an argument of the script"
         : many                    ? " stands for the arguments of the script"
                                   : " is known only when the script runs";
  return unknown(part.text, part.line, std::move(why));
}

Value Interpreter::parameter(const Part& part) {
  const bool is_special = part.name.empty() || !is_name_start(part.name[0]);
  if (part.op == "!") return unknown(part.text, part.line, part.text + " names a variable by another one");
  if (is_special) {
    Value value = special(part);
    const bool is_set = in_function_ ? !text_of(value).empty() : false;
    // A script that is run without arguments takes its defaults; so does a variable that nobody set.
    return operated(part, std::move(value), is_set);
  }
  const Variable* variable = find(part.name);
  if (variable == nullptr) return operated(part, unset_value(part), false);
  if (part.indexed && variable->why_size) return unknown(part.text, part.line, *variable->why_size);
  const std::string index = part.op == "length" && part.indexed ? text_of(expand_text(part.index)) : "";
  if (index == "@" || index == "*") {
    const std::size_t size = variable->values.size() + variable->by_name.size();
    return {{std::to_string(size), part.line}};
  }
  Value value = variable->values.empty() ? Value{} : variable->values[0];
  if (part.indexed && !variable->by_name.empty()) {
    const Value key = expand_text(part.index);
    if (why_of(key)) return unknown(part.text, part.line, *why_of(key));
    const auto found = variable->by_name.find(text_of(key));
    value = found == variable->by_name.end() ? Value{} : found->second;
  } else if (part.indexed) {
    const auto at = index_of(part.index);
    if (!at) return unknown(part.text, part.line, "the index of " + part.text + " is not known");
    const auto size = static_cast<std::int64_t>(variable->values.size());
    const std::int64_t from_start = *at < 0 ? size + *at : *at;
    value = from_start >= 0 && from_start < size ? variable->values[static_cast<std::size_t>(from_start)] : Value{};
  }
  return operated(part, std::move(value), true);
}

// ${V:-d} and its like; is_set: the script set it.
Value Interpreter::operated(const Part& part, Value value, bool is_set) {
  if (part.op.empty()) return limited(std::move(value));
  const bool colon = part.op.size() == 2 && part.op[0] == ':';
  const char kind = part.op.back();
  const bool alternative = part.op != "length" && (colon || part.op.size() == 1) &&
                           (kind == '-' || kind == '=' || kind == '+' || kind == '?');
  if (!alternative) return is_set ? altered(part, std::move(value)) : std::move(value);
  if (is_set && colon && !why_of(value) && text_of(value).empty()) is_set = false;
  if (kind == '+') return is_set ? expand_text(part.argument) : Value{};
  if (is_set || kind == '?') return limited(std::move(value));
  Value otherwise = expand_text(part.argument);
  if (kind == '=') set(part.name, otherwise, part.line);
  return otherwise;
}

// ${V%…}, ${V//a/b}, ${V:1:2}, ${#V}, ${V^^}
Value Interpreter::altered(const Part& part, Value value) {
  if (part.op.empty() || part.op.find('-') != std::string::npos) return limited(std::move(value));
  if (const Why why = why_of(value)) return unknown(part.text, part.line, *why);
  if (part.op == ":") return substring(part, std::move(value));
  const std::string text = text_of(value);
  if (part.op == "length") return {{std::to_string(text.size()), part.line}};
  const Value argument = expand_text(part.argument);
  if (const Why why = why_of(argument)) return unknown(part.text, part.line, *why);
  const std::string pattern = text_of(argument);
  const std::string_view whole = text;
  if (!spend(text.size() * (1 + std::min<std::size_t>(text.size(), 4096)) / 16)) {
    return unknown(part.text, part.line, "the script is too much work to follow");
  }
  if (part.op == "#" || part.op == "##") {
    std::size_t cut = 0;
    for (std::size_t size = 0; size <= text.size(); ++size) {
      if (!matches(whole.substr(0, size), pattern)) continue;
      cut = size;
      if (part.op == "#") break;
    }
    return {{text.substr(cut), part.line}};
  }
  if (part.op == "%" || part.op == "%%") {
    std::size_t keep = text.size();
    for (std::size_t at = text.size() + 1; at-- > 0;) {
      if (!matches(whole.substr(at), pattern)) continue;
      keep = at;
      if (part.op == "%") break;
    }
    return {{text.substr(0, keep), part.line}};
  }
  if (part.op[0] == '^' || part.op[0] == ',') {
    std::string out = text;
    const std::size_t end = part.op.size() == 2 ? out.size() : std::min<std::size_t>(1, out.size());
    for (std::size_t i = 0; i < end; ++i) {
      const char from = part.op[0] == '^' ? 'a' : 'A';
      if (out[i] >= from && out[i] <= from + 25) out[i] = static_cast<char>(out[i] ^ 0x20);
    }
    return {{std::move(out), part.line}};
  }
  const bool plain = pattern.find_first_of("*?[\\") == std::string::npos && !pattern.empty();
  if ((part.op == "/" || part.op == "//") && plain) {
    const std::string with = text_of(expand_text(part.replacement));
    std::string out = text;
    for (std::size_t at = out.find(pattern); at != std::string::npos; at = out.find(pattern, at + with.size())) {
      if (!spend(out.size())) break;
      out.replace(at, pattern.size(), with);
      if (part.op == "/") break;
    }
    return limited({{std::move(out), part.line}});
  }
  return unknown(part.text, part.line, part.text + " is not followed");
}

Value Interpreter::substring(const Part& part, Value value) {
  const std::string text = text_of(value);
  const auto size = static_cast<std::int64_t>(text.size());
  const auto from = index_of(part.argument);
  const auto count = part.replacement.empty() ? std::optional(size) : index_of(part.replacement);
  if (!from || !count) return unknown(part.text, part.line, part.text + " is not followed");
  const std::int64_t begin = *from < 0 ? size + *from : *from;
  if (begin < 0 || begin > size) return {};
  const std::int64_t left = size - begin;
  const std::int64_t taken = *count < 0 ? left + *count : std::min(*count, left);
  if (taken <= 0) return {};
  return {{text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(taken)), part.line}};
}

std::expected<std::string, std::string> Interpreter::readable(std::string_view name) {
  if (!spend(kArithmeticWork)) return std::unexpected("the script is too much work to follow");
  const Variable* variable = find(name);
  if (variable == nullptr) {
    const Part part{.name = std::string(name)};
    return std::unexpected(*unset_value(part)[0].why);
  }
  if (variable->values.empty()) return std::string();
  const Value& value = variable->values[0];
  if (const Why why = why_of(value)) return std::unexpected(*why);
  return text_of(value);
}

ArithmeticHost Interpreter::arithmetic_host() {
  return {.read = [this](std::string_view name) { return readable(name); },
          .write = [this](std::string_view name, std::int64_t value) { set(name, {{std::to_string(value), 0}}, 0); }};
}

Value Interpreter::arithmetic(const Word& expression, const std::string& written, std::int64_t line) {
  const Value text = expand_text(expression);
  if (const Why why = why_of(text)) return unknown(written, line, *why);
  const std::string source = text_of(text);
  if (source.find_first_not_of(" \t\n") == std::string::npos) return {{"0", line}};
  const auto value = evaluate(source, arithmetic_host());
  if (!value) return unknown(written, line, value.error());
  return {{std::to_string(*value), line}};
}

}  // namespace assay::shell
