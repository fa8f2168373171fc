#include "format/lines/keys.h"

#include <algorithm>
#include <array>
#include <span>

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
// "620.12 samples/s lr: 1e-5": a rate's unit, with a blank before and behind it. Its size; 0: none.
std::size_t rate_unit_size(std::string_view core) {
  constexpr std::array<std::string_view, 14> kRates{"s/iter",    "s/it",     "s/step",   "sec/step", "sec/iter",
                                                    "ms/step",   "ms/iter",  "it/s",     "iter/s",   "step/s",
                                                    "samples/s", "tokens/s", "images/s", "img/s"};
  const std::string_view word = core.substr(0, core.find(' '));
  return word.size() < core.size() && std::find(kRates.begin(), kRates.end(), word) != kRates.end() ? word.size() : 0;
}

std::string_view take_unit(const Literal& literal, std::string_view& core) {
  std::size_t size = 0;
  if (literal.blank_before) size = rate_unit_size(core);
  if (!core.empty() && core[0] == '%') size = 1;
  if (!literal.blank_before && core.size() > 1 && core[0] == '/' && is_letter(core[1])) {  // "154.3/s/gpu"
    while (size < core.size() && (is_letter(core[size]) || core[size] == '/')) ++size;
  }
  if (size == 0) {
    while (size < core.size() && is_letter(core[size])) ++size;
  }
  std::string_view unit = core.substr(0, size);
  if (size == 0) return {};
  // "9.51it/s v_num: 0": what it is counted by goes with the unit.
  if (!literal.blank_before && size + 1 < core.size() && core[size] == '/' && is_letter(core[size + 1])) {
    ++size;
    while (size < core.size() && is_letter(core[size])) ++size;
    const bool blank = size < core.size() && is_blank(core[size]);
    size = blank ? size : unit.size();
  }
  if (literal.blank_before && unit.find('/') != std::string_view::npos) {
    core = trimmed(core.substr(size));
    return unit;
  }
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

// "• Loss", "📉 Loss": marks of lists and pictures (U+2000 to U+2FFF, U+1F000 to U+1FFFF) before a key.
std::string_view behind_bullet(std::string_view key) {
  for (;;) {
    const std::size_t size = key.starts_with('\xe2')           ? 3
                             : key.starts_with("\xf0\x9f")     ? 4
                             : key.starts_with("\xef\xb8\x8f") ? 3  // how the picture before it is to be drawn
                                                               : 0;
    if (size == 0 || key.size() <= size) return key;
    key = trimmed(key.substr(size));
  }
}

// "[31mstep: 1  [32mloss: 12.2": colours of a terminal whose escape character was lost in copying.
std::string_view behind_colour(std::string_view key) {
  const std::size_t end = std::min(key.find_first_not_of("0123456789"), key.size());
  const bool colour = end > 0 && end <= 3 && end + 1 < key.size() && key[end] == 'm' && is_letter(key[end + 1]);
  return colour ? key.substr(end + 1) : key;
}

// "training's l2"
bool is_apostrophe(std::string_view text, std::size_t at) {
  return at > 0 && is_word(text[at - 1]) && text.substr(at).starts_with("'s ");
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
          c == '>' || c == '"' || (c == '\'' && !is_apostrophe(text, at - 1))) {
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
  if (at > 0 && (text[at - 1] == '[' || text[at - 1] == ';')) key = behind_colour(key);
  key = behind_bullet(key);
  if (key.starts_with(". ")) key = trimmed(key.substr(2));                  // "Loss is 1.26. Current learning rate is"
  if (at > 0 && is_quote(text[at - 1]) && key.starts_with('/')) return {};  // a path: '/run/epoch=3.ckpt'
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

// "Epoch 3, global step 1200: 'val_loss' reached 1.2345" of Lightning's checkpoints.
std::string_view word_that_reached(std::string_view text) {
  const std::size_t close = text.rfind('\'');
  const std::size_t open = close == std::string_view::npos || close == 0 ? close : text.rfind('\'', close - 1);
  return open == std::string_view::npos ? std::string_view{} : text.substr(open + 1, close - open - 1);
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
    if (key == "reached") key = word_that_reached(text);
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

// The cores with plain punctuation, where one has other; `plain` holds what was written anew.
std::vector<std::string_view> cores_of(const Tokenised& line, std::vector<std::string>& plain) {
  const bool wide = std::any_of(line.literals.begin(), line.literals.end(), [](const Literal& literal) {
    return literal.core.find_first_of("\xef\xe3") != std::string_view::npos ||
           literal.core.find("│") != std::string_view::npos || literal.core.find("┃") != std::string_view::npos ||
           literal.core.find("\xe2\x80") != std::string_view::npos;
  });
  std::vector<std::string_view> out;
  plain.reserve(line.literals.size());  // nothing moves: the views stay valid
  for (const Literal& literal : line.literals) {
    out.push_back(wide ? trimmed(plain.emplace_back(with_plain_marks(literal.core))) : literal.core);
  }
  return out;
}

// Whether the number at i is where a progress bar stands. core: what stands before it without a unit.
bool is_position_of_bar(const Tokenised& line, std::span<const std::string_view> cores, std::size_t i,
                        std::string_view unit, std::string_view core) {
  const std::size_t n = line.slots.size();
  if (i + 1 >= n || cores[i + 1] != "/") return false;
  // "100% 2774/2774 [14:15<00:00": a bar drawn without a bar.
  if (i > 0 && unit == "%" && core.empty() && cores[i + 2] == "[") return true;
  // "train: 37/500 [00:10<02:00, loss=2.31]": the same with a name and without percents.
  if (i + 2 < n && cores[i + 2] == "[" && cores[i + 3].starts_with('<') && !line.slots[i + 2].is_value() &&
      (core.empty() || core.ends_with(':'))) {
    return true;
  }
  // "━━━━━━╸━━━ 37/500 0:00:10 • 0:02:00": a bar of rich.
  return i > 0 && cores[i + 2].empty() && (core.ends_with("━") || core.ends_with("╸") || core.ends_with("╺"));
}

}  // namespace

std::vector<Field> derive_fields(const Tokenised& line) {
  std::vector<Field> out(line.slots.size());
  std::vector<std::string> plain;
  const std::vector<std::string_view> cores = cores_of(line, plain);
  std::string carried;  // the key of "KEY at N" waits for its value
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::string_view core = cores[i];
    const std::string_view whole = core;
    if (i > 0) out[i - 1].unit = take_unit(line.literals[i], core);
    const std::string_view unit = i > 0 ? std::string_view(out[i - 1].unit) : std::string_view{};
    out[i] = field_of(core, whole, i == 0);
    Field& field = out[i];
    if (is_position_of_bar(line, cores, i, unit, core)) {
      field = {.relation = Relation::kProgress};
      continue;
    }
    // "37it [00:10, 3.70it/s, loss=2.31]": a bar without a total.
    if (i > 0 && unit == "it" && core == "[" && !line.slots[i].is_value()) {
      out[i - 1] = {.relation = Relation::kProgress, .unit = "it"};
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
    const std::string_view behind = cores[i + 1];
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
    std::string_view core = cores.back();
    out.back().unit = take_unit(line.literals.back(), core);
  }
  return out;
}

}  // namespace assay::lines
