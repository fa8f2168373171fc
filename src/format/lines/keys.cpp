#include "format/lines/keys.h"

#include <algorithm>
#include <array>

namespace assay::lines {

namespace {

constexpr std::size_t kLongestKey = 64;

bool is_quote(char c) { return c == '\'' || c == '"' || c == '`' || c == '*'; }

void trim_right(std::string_view& text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
}

std::string_view trimmed(std::string_view text) {
  trim_right(text);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

// A unit that may stand behind a blank: "507844.205 ms", "8.104 GB".
bool is_spaced_unit(std::string_view word) {
  constexpr std::array<std::string_view, 14> kUnits{"ms", "s",   "us", "sec", "secs",   "seconds", "GiB",
                                                    "GB", "MiB", "MB", "min", "TFLOPs", "TFLOPS",  "%"};
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

// The unit behind the slot before this literal; what is left of the literal in `core`.
std::string_view take_unit(const Literal& literal, std::string_view& core) {
  std::size_t size = 0;
  if (!core.empty() && core[0] == '%') size = 1;
  if (!literal.blank_before && core.size() > 1 && core[0] == '/' && is_letter(core[1])) {  // "154.3/s/gpu"
    while (size < core.size() && (is_letter(core[size]) || core[size] == '/')) ++size;
  }
  if (size == 0) {
    while (size < core.size() && is_letter(core[size])) ++size;
  }
  std::string_view unit = core.substr(0, size);
  if (size == 0) return {};
  const bool key_follows = size < core.size() && (core[size] == ':' || core[size] == '=' || core[size] == '_');
  if (literal.blank_before && (key_follows || !is_spaced_unit(unit))) return {};
  core.remove_prefix(size);
  core = trimmed(core);
  return unit;
}

// Opening brackets and quotes between key and number, and wrappers: "tensor(", "np.float64(".
struct Tail {
  std::string_view text;
  bool bracket = false;
  bool paren = false;
};
Tail without_openers(std::string_view text) {
  Tail tail{text};
  for (;;) {
    trim_right(tail.text);
    if (tail.text.empty()) return tail;
    const char c = tail.text.back();
    if (is_quote(c) || c == '#' || c == '[' || c == '{') {
      tail.bracket = tail.bracket || c == '[' || c == '{';
      tail.text.remove_suffix(1);
      continue;
    }
    if (c != '(') return tail;
    std::string_view before = tail.text.substr(0, tail.text.size() - 1);
    std::size_t at = before.size();
    while (at > 0 && (is_word(before[at - 1]) || before[at - 1] == '.')) --at;
    std::string_view head = before.substr(0, at);
    trim_right(head);
    const std::string_view name = before.substr(at);
    const bool converts = name.find("ensor") != std::string_view::npos ||
                          name.find("float") != std::string_view::npos || name.find("array") != std::string_view::npos;
    const bool wrapper =
        !name.empty() && !head.empty() &&
        (converts || head.back() == ':' || head.back() == '=' || head.back() == '[' || head.back() == '(');
    tail.paren = tail.paren || !wrapper;
    tail.text = wrapper ? head : before;
  }
}

// "step 1040 - loss", "step 1040 -- Loss": a dash between blanks.
bool ends_with_dash(std::string_view text) {
  const std::size_t dash = text.find_last_not_of('-') + 1;  // npos + 1 is 0
  const std::size_t size = text.size() - dash;
  return (size == 1 || size == 2) && (dash == 0 || text[dash - 1] == ' ');
}

// The key that ends where `text` ends: back to the last separator.
std::string_view phrase(std::string_view text) {
  trim_right(text);
  while (!text.empty() && (is_quote(text.back()) || is_blank(text.back()))) text.remove_suffix(1);
  std::size_t at = text.size();
  int depth = 0;
  while (at > 0) {
    const char c = text[at - 1];
    if (c == ')') {
      ++depth;
    } else if (c == '(') {
      if (depth == 0) break;
      --depth;
    } else if (depth == 0) {
      if (c == '|' || c == ',' || c == ';' || c == '{' || c == '}' || c == '[' || c == ']' || c == '\t' || c == '=' ||
          c == '>' || c == '"' || c == '\'') {
        break;
      }
      if (c == ':' && (at == text.size() || is_blank(text[at]))) break;
      if (c == ':' && at > 1 && text[at - 2] == ']') break;  // "[rank0]:iter": a prefix that leaves no blank
      if (c == ' ' && at > 1 && text[at - 2] == ' ') break;
      if (c == ' ' && at < text.size() && ends_with_dash(text.substr(0, at - 1))) break;
    }
    --at;
  }
  if (depth > 0) {  // closes what was opened before the slot: "(100/24681) loss"
    for (std::size_t k = text.size(); k > at; --k) {
      if (text[k - 1] != ')') continue;
      const std::size_t open = text.substr(at, k - 1 - at).rfind('(');
      if (open == std::string_view::npos) {
        at = k;
        break;
      }
    }
  }
  std::string_view key = trimmed(text.substr(at));
  if (key.starts_with(". ")) key = trimmed(key.substr(2));  // "Loss is 1.26. Current learning rate is"
  // "epoch=0/micro_step=20/global_step=10", "[1,0]<stdout>:step"
  while (!key.empty() && (key.front() == '/' || key.front() == ':')) key.remove_prefix(1);
  while (key.starts_with("**")) key.remove_prefix(2);  // in bold type, where a letter quotes it
  while (key.ends_with("..")) key.remove_suffix(1);    // "Step... (10"
  if (key.ends_with('.') && text.ends_with("..")) key.remove_suffix(1);
  return key;
}

std::string_view last_word(std::string_view text) {
  const std::size_t blank = text.find_last_of(" \t");
  return blank == std::string_view::npos ? text : text.substr(blank + 1);
}

// MLLOG: {"key": "train_loss", "value": 1.37: the name is itself a value.
std::string_view named_by_key(std::string_view core, std::string_view key) {
  if (key != "value") return key;
  for (const std::string_view mark : {std::string_view(R"("key": ")"), std::string_view(R"("key":")")}) {
    const std::size_t at = core.rfind(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = core.substr(at + mark.size());
    return rest.substr(0, rest.find('"'));
  }
  return key;
}

// "| loss | 0.5 |": the cell before the number names it.
std::string_view cell_name(std::string_view core) {
  if (!core.ends_with('|')) return {};
  core.remove_suffix(1);
  const std::size_t bar = core.rfind('|');
  if (bar == std::string_view::npos) return {};
  std::string_view cell = trimmed(core.substr(bar + 1));
  if (cell.starts_with(',')) cell = trimmed(cell.substr(1));  // joined from two lines
  const bool named = std::any_of(cell.begin(), cell.end(), [](char c) { return is_letter(c) || (c & 0x80) != 0; });
  return named && cell.find_first_of(":=%") == std::string_view::npos ? cell : std::string_view{};
}

// What the word behind a number says that it counts: "After 100 steps", "第 100 步".
std::string_view counted(std::string_view before, std::string_view after) {
  struct Row {
    std::string_view before;
    std::string_view after;
    std::string_view key;
  };
  constexpr std::array<Row, 13> kRows{{{"After", "steps", "step"},
                                       {"after", "steps", "step"},
                                       {"After", "iterations", "iteration"},
                                       {"after", "iterations", "iteration"},
                                       {"After", "updates", "update"},
                                       {"after", "updates", "update"},
                                       {"After", "epochs", "epoch"},
                                       {"after", "epochs", "epoch"},
                                       {"第", "步", "step"},
                                       {"第", "次迭代", "iteration"},
                                       {"第", "轮", "epoch"},
                                       {"第", "个epoch", "epoch"},
                                       {"第", "个 epoch", "epoch"}}};
  for (const Row& row : kRows) {
    if (!before.ends_with(row.before) || !after.starts_with(row.after)) continue;
    const std::string_view rest = after.substr(row.after.size());
    if (rest.empty() || !is_word(rest.front())) return row.key;
  }
  return {};
}

// Between a number and the next nothing but what closes its bracket and says that a value follows: "LR (group 0)=".
bool closes_index(std::string_view core) {
  std::string bare(core);
  std::erase_if(bare, [](char c) { return is_blank(c) || is_quote(c); });
  return bare == ")=" || bare == "):" || bare == "]=" || bare == "]:";
}

// The name before the bracket: "optim/LR (group", "lr[".
std::string_view indexed_name(std::string_view core) {
  const std::size_t open = core.find_last_of("([");
  if (open == std::string_view::npos || open == 0) return {};
  if (core.find_first_of(":=|,", open) != std::string_view::npos) return {};
  std::string_view name = core.substr(0, open);
  trim_right(name);
  if (name.empty() || (!is_word(name.back()) && !is_quote(name.back()))) return {};
  return phrase(name);
}

// Punctuation of Chinese text in place of the plain one.
std::string with_plain_marks(std::string_view core) {
  struct Row {
    std::string_view wide;
    std::string_view plain;
  };
  constexpr std::array<Row, 15> kRows{{{"│", "|"},
                                       {"‘", "'"},
                                       {"’", "'"},
                                       {"“", "'"},
                                       {"”", "'"},
                                       {"┃", "|"},
                                       {"：", ": "},
                                       {"，", ", "},
                                       {"；", "; "},
                                       {"（", "("},
                                       {"）", ")"},
                                       {"＝", "="},
                                       {"｜", "|"},
                                       {"、", ", "},
                                       {"。", ", "}}};
  std::string out(core);
  for (const Row& row : kRows) {
    for (std::size_t at = out.find(row.wide); at != std::string::npos; at = out.find(row.wide, at + row.plain.size()))
      out.replace(at, row.wide.size(), row.plain);
  }
  return out;
}

// "[Loss] nan | [step] 464"
std::string_view word_in_brackets(std::string_view text) {
  if (!text.ends_with(']')) return {};
  text.remove_suffix(1);
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos) return {};
  const std::string_view word = text.substr(open + 1);
  const bool plain = !word.empty() && is_letter(word[0]) &&
                     std::all_of(word.begin(), word.end(), [](char c) { return is_word(c) || c == ' '; });
  return plain ? word : std::string_view{};
}

Field field_of(std::string_view core, std::string_view whole, bool first) {
  Field field;
  std::string bare(core);
  std::erase_if(bare, is_blank);
  if (!first && (bare == "](" || bare == "][" || bare == ")(" || bare == ")[" || bare == "[")) {
    field.relation = Relation::kWithinEpoch;
    return field;
  }
  if (whole.find("%|") != std::string_view::npos && whole.ends_with('|')) {
    field.relation = Relation::kProgress;
    return field;
  }
  if (const std::string_view name = cell_name(core); !name.empty()) {
    field.relation = Relation::kKeyed;
    field.key = name.size() > kLongestKey ? std::string_view{} : name;
    return field;
  }
  const Tail tail = without_openers(core);
  if (tail.text.empty()) {
    if (!first && tail.paren) field.relation = Relation::kAnnotation;
    return field;
  }
  std::string_view text = tail.text;
  const char c = text.back();
  if (c == ':' || c == '=') {
    text.remove_suffix(1);
    field.relation = Relation::kKeyed;
    field.key = named_by_key(core, phrase(text));
  } else if (c == '/') {
    field.relation = text == "/" ? Relation::kTotal : Relation::kNone;
  } else if (c == ',') {
    field.relation = Relation::kListItem;
  } else if (tail.paren && !first && text.size() <= 2) {
    field.relation = Relation::kAnnotation;
  } else {
    field.relation = Relation::kWord;
    field.paren = tail.paren;
    std::string_view key = phrase(text);
    for (const std::string_view copula : {"is", "of", "was", "to"}) {
      if (last_word(key) == copula && key.size() > copula.size())
        key = trimmed(key.substr(0, key.size() - copula.size()));
    }
    for (const std::string_view copula : {"为", "是"}) {
      if (key.ends_with(copula)) key.remove_suffix(copula.size());
    }
    if (key.empty()) key = word_in_brackets(text);
    const std::string_view word = last_word(key);
    if ((word == "at" || word == "@") && key.size() > word.size()) {
      field.relation = Relation::kAt;
      key = trimmed(key.substr(0, key.size() - word.size()));
    }
    field.key = key;
  }
  if (field.key.size() > kLongestKey) field.key.clear();
  return field;
}

}  // namespace

std::vector<Field> derive_fields(const Tokenised& line) {
  std::vector<Field> out(line.slots.size());
  std::vector<std::string> plain;  // the cores with plain punctuation, where one has other
  const bool wide = std::any_of(line.literals.begin(), line.literals.end(), [](const Literal& literal) {
    return literal.core.find_first_of("\xef\xe3") != std::string_view::npos ||
           literal.core.find("│") != std::string_view::npos || literal.core.find("┃") != std::string_view::npos ||
           literal.core.find("\xe2\x80") != std::string_view::npos;
  });
  for (const Literal& literal : line.literals) {
    if (wide) plain.push_back(with_plain_marks(literal.core));
  }
  const auto core_of = [&](std::size_t i) {
    return wide ? trimmed(std::string_view(plain[i])) : line.literals[i].core;
  };
  std::string carried;  // the key of "KEY at N" waits for its value
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::string_view core = core_of(i);
    const std::string_view whole = core;
    if (i > 0) out[i - 1].unit = take_unit(line.literals[i], core);
    const std::string_view unit = i > 0 ? std::string_view(out[i - 1].unit) : std::string_view{};
    out[i] = field_of(core, whole, i == 0);
    Field& field = out[i];
    // "100% 2774/2774 [14:15<00:00": a bar drawn without a bar.
    if (i > 0 && unit == "%" && core.empty() && i + 2 < line.literals.size() && core_of(i + 1) == "/" &&
        core_of(i + 2) == "[") {
      field = {.relation = Relation::kProgress};
      continue;
    }
    // "Validation loss 6312:  0.149": the number between a loss and its value is the step.
    if (i > 0 && whole == ":" && line.literals[i].blank_after != 0 && line.slots[i].is_value() &&
        out[i - 1].relation == Relation::kWord && out[i - 1].key.ends_with("loss")) {
      field = {.relation = Relation::kKeyed, .key = out[i - 1].key};
      out[i - 1].relation = Relation::kAt;
      continue;
    }
    if (i > 0 && out[i - 1].relation == Relation::kIndex) {
      field = {.relation = Relation::kKeyed, .key = out[i - 1].key};
      continue;
    }
    const std::string_view behind = core_of(i + 1);
    if (i + 1 < out.size() && closes_index(behind)) {
      if (const std::string_view name = indexed_name(core); !name.empty()) {
        field = {.relation = Relation::kIndex, .key = std::string(name)};
        continue;
      }
    }
    if (const std::string_view what = counted(core, behind); !what.empty()) {
      field = {.relation = Relation::kCounted, .key = std::string(what)};
      continue;
    }
    if (!carried.empty() && field.key.empty() && unit.empty() &&
        (field.relation == Relation::kKeyed || (field.relation == Relation::kNone && core.empty()))) {
      field.relation = Relation::kKeyed;
      field.key = carried;
    }
    carried.clear();
    if (field.relation == Relation::kAt) carried = field.key;
    if (field.relation == Relation::kWord) {
      const std::size_t at = field.key.rfind(" at ");
      if (at != std::string::npos) carried = field.key.substr(0, at);
    }
  }
  if (!out.empty()) {
    std::string_view core = core_of(out.size());
    out.back().unit = take_unit(line.literals.back(), core);
  }
  return out;
}

}  // namespace assay::lines
