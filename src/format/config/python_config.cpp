// The file is cut into logical lines (brackets join lines, comments and docstrings fall away), each of which has to be
// an assignment, an import or one of the few lines around the assignments of a get_config(); otherwise it is a program
// and no configuration. Of a branch that a plain name decides the lines are taken or not; of another its values are
// unknown. The right side is read as a literal (literal.h); its plain parts may be arithmetic over numbers
// and names set before. What would need a run (calls, f-strings, comprehensions) is unknown, with the reason.

#include "format/config/python_config.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "format/config/flat_settings.h"
#include "format/config/literal.h"
#include "format/config/python_lines.h"
#include "format/config/python_value.h"
#include "format/config/vocabulary.h"
#include "format/config/whole_text.h"
#include "format/tables/ledger.h"

namespace assay {

namespace {

constexpr std::size_t kMostMegabytes = 4;
constexpr std::size_t kMostSettings = 5000;

struct Assignment {
  std::string target;  // "a", "a.b"
  std::string_view value;
  std::size_t value_at = 0;
  char operation = '\0';  // of +=
};

std::optional<Assignment> assignment_of(std::string_view text) {
  const std::string_view body = trimmed_code(text);
  std::size_t at = 0;
  const auto is_target = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  while (at < body.size() && is_target(body[at])) ++at;
  if (at == 0 || (body[0] >= '0' && body[0] <= '9')) return std::nullopt;
  Assignment out;
  out.target = body.substr(0, at);
  while (at < body.size() && body[at] == '[') {  // a['b']
    const std::size_t close = body.find(']', at);
    if (close == std::string_view::npos || close < at + 4) return std::nullopt;
    out.target += '.';
    out.target += body.substr(at + 2, close - at - 3);
    at = close + 1;
  }
  while (at < body.size() && is_blank_code(body[at])) ++at;
  if (at < body.size() && body[at] == ':') {  // an annotation
    at = body.find('=', at);
    if (at == std::string_view::npos) return std::nullopt;
  }
  if (at + 1 < body.size() && body[at + 1] == '=' &&
      std::string_view("+-*/").find(body[at]) != std::string_view::npos) {
    out.operation = body[at++];
  }
  if (at >= body.size() || body[at] != '=' || body.substr(at).starts_with("==")) return std::nullopt;
  out.value = trimmed_code(body.substr(at + 1));
  out.value_at = static_cast<std::size_t>(out.value.data() - text.data());
  if (out.value.empty()) return std::nullopt;
  return out;
}

// What may stand between assignments.
bool is_frame(std::string_view text) {
  const std::string_view body = trimmed_code(text);
  constexpr std::array<std::string_view, 6> kOpenings{"import ",  "from ", "return ",
                                                      "def get_", "del ",  "with read_base"};
  return body == "pass" || body == "return" ||
         std::any_of(kOpenings.begin(), kOpenings.end(), [&](auto opening) { return body.starts_with(opening); });
}

std::size_t indent_of(std::string_view text) { return std::min(text.find_first_not_of(" \t"), text.size()); }

// "if", "elif" or "else" of a line that only opens a branch, and the condition. A program asks for its own name.
struct Fork {
  std::string_view word;
  std::string_view condition;
};
std::optional<Fork> fork_of(std::string_view text) {
  const std::string_view body = trimmed_code(text);
  if (!body.ends_with(':')) return std::nullopt;
  for (const std::string_view word : {"if", "elif", "else"}) {
    if (!body.starts_with(word)) continue;
    const std::string_view rest = body.substr(word.size(), body.size() - word.size() - 1);
    const bool apart = word == "else" ? trimmed_code(rest).empty() : rest.starts_with(' ') || rest.starts_with('(');
    if (apart && rest.find("__name__") == std::string_view::npos) return Fork{word, trimmed_code(rest)};
  }
  return std::nullopt;
}

// A statement that is one call: os.makedirs(out_dir)
bool is_call(std::string_view text) {
  const std::string_view body = trimmed_code(text);
  const std::size_t open = body.find('(');
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  return open != std::string_view::npos && open > 0 &&
         std::all_of(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(open), is_word) &&
         closing_bracket(body, open) == body.size() - 1;
}

class PythonConfig final : public StreamReader {
 public:
  explicit PythonConfig(Recorder& recorder) : recorder_(recorder) {}

  void feed(std::span<const char> bytes) override { text_.feed(bytes); }

  void finish(bool) override {
    const std::string& text = text_.end(recorder_);
    for (const LogicalLine& line : logical_lines(text, false)) take(line);
    constexpr std::size_t kShort = 8;  // of a longer file of constants one may be called like a setting
    if (!holds_training_settings(settings_, settings_.size() <= kShort)) {
      return tell_no_log(recorder_, "holds assignments, but hardly one that is known as a setting of a training");
    }
    const Vocabulary* words = vocabulary_of(settings_);
    recorder_.dialect(words == nullptr ? std::string_view{} : words->name);
    record_settings(settings_, recorder_, words);
  }

 private:
  // One way of a fork: lines further in than `indent` run where its condition holds. Nothing: it cannot be told.
  struct Way {
    std::size_t indent = 0;
    std::int64_t line = 0;
    std::optional<bool> runs;
    std::optional<bool> taken;  // whether this way of the fork or one before it runs
  };

  void take(const LogicalLine& line) {
    std::optional<bool> taken = false;  // a way before, of the same fork
    const std::size_t indent = indent_of(line.text);
    while (!ways_.empty() && indent <= ways_.back().indent) {
      taken = ways_.back().taken;
      ways_.pop_back();
    }
    if (const auto fork = fork_of(line.text)) {
      if (fork->word == "if") taken = false;
      const auto holds = fork->word == "else" ? std::optional(true) : truth_of(fork->condition);
      Way way{.indent = indent, .line = line.line, .runs = std::nullopt, .taken = taken};
      if (taken == false) way.runs = way.taken = holds;
      if (taken == true || holds == false) way.runs = false;
      ways_.push_back(way);
      return;
    }
    if (std::any_of(ways_.begin(), ways_.end(), [](const Way& one) { return one.runs == false; })) return;
    assign(line);
  }

  // Classes that come from elsewhere stand for their names: `from torch.optim import AdamW`.
  void note_imports(std::string_view text) {
    constexpr std::string_view kImport = " import ";
    const std::size_t from = text.find(kImport);
    if (!trimmed_code(text).starts_with("from ") || from == std::string_view::npos) return;
    std::string name;
    for (const char c : std::string(text.substr(from + kImport.size())) + ",") {
      if (c != ',' && c != '(' && c != ')' && !is_blank_code(c) && c != '\n') {
        name += c;
        continue;
      }
      const bool capital = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
      const bool is_class =
          capital && std::any_of(name.begin(), name.end(), [](char l) { return l >= 'a' && l <= 'z'; });
      if (is_class) names_.insert_or_assign(name, PythonValue{name, {}});
      name.clear();
    }
  }

  // "name", "not name"
  std::optional<bool> truth_of(std::string_view condition) const {
    const bool negated = condition.starts_with("not ");
    if (negated) condition = trimmed_code(condition.substr(4));
    const auto known = names_.find(condition);
    if (known == names_.end() || !known->second.unknown.empty()) return std::nullopt;
    const std::string& text = known->second.text;
    if (text == "True" || text == "1") return !negated;
    if (text == "False" || text == "None" || text == "0") return negated;
    return std::nullopt;
  }

  void assign(const LogicalLine& line) {
    auto found = assignment_of(line.text);
    if (!found) {
      if (!is_frame(line.text)) recorder_.unused(trimmed_code(line.text), line.line, "no assignment");
      note_imports(line.text);
      return;
    }
    std::string path = found->target;
    // config.lr = …: the name of the object is nobody's.
    for (const std::string_view object : {"config.", "cfg.", "c.", "args.", "self."}) {
      if (path.starts_with(object)) path.erase(0, object.size());
    }
    std::replace(path.begin(), path.end(), '.', '/');
    const auto before = line.text.begin() + static_cast<std::ptrdiff_t>(found->value_at);
    const std::int64_t first = line.line + std::count(line.text.begin(), before, '\n');
    std::vector<Leaf> leaves;
    if (found->operation != '\0') {
      const std::string whole = found->target + ' ' + found->operation + " (" + std::string(found->value) + ")";
      leaves.push_back({path, whole, first});
    } else {
      flatten_literal(found->value, path, first, leaves);
    }
    if (leaves.size() == 1 && leaves[0].path == path) leaves[0].line = line.line;
    const std::size_t first_new = settings_.size();
    for (const Leaf& leaf : leaves) add(leaf);
    remember(found->target, path, first_new);
  }

  // What later lines may name: the target, or what is in it.
  void remember(const std::string& target, const std::string& path, std::size_t first_new) {
    const std::string within = target + '.';
    std::erase_if(names_, [&](const auto& one) { return one.first == target || one.first.starts_with(within); });
    for (std::size_t i = first_new; i < settings_.size(); ++i) {
      const FlatSetting& one = settings_[i];
      if (!one.path.starts_with(path)) continue;
      std::string name = target + one.path.substr(path.size());
      std::replace(name.begin(), name.end(), '/', '.');
      names_[name] = {one.text, one.unknown};
    }
  }

  void add(const Leaf& leaf) {
    if (settings_.size() >= kMostSettings) return;
    FlatSetting out{leaf.path, leaf.text, leaf.line};
    const bool list =
        !leaf.quoted && (leaf.text.starts_with('[') || leaf.text.starts_with('(') || leaf.text.starts_with('{'));
    if (leaf.call) {
      out.unknown = shortened(leaf.text) + " would have to be run";
    } else if (!leaf.quoted && !is_plain_list(leaf.text, list) && !is_dtype(leaf.text)) {
      const PythonValue value = evaluate_python(leaf.text, [this](std::string_view name) -> const PythonValue* {
        const auto at = names_.find(name);
        return at == names_.end() ? nullptr : &at->second;
      });
      out.text = value.text;
      out.unknown = value.unknown;
    }
    out.text = shortened(out.text);
    const auto open = std::find_if(ways_.begin(), ways_.end(), [](const Way& one) { return !one.runs; });
    if (open != ways_.end()) out.unknown = "set in a branch, line " + std::to_string(open->line);
    settings_.push_back(std::move(out));
  }

  // torch.bfloat16, jnp.float32
  static bool is_dtype(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || text.find_first_of(" ()[]") != std::string_view::npos) return false;
    const std::string_view module = text.substr(0, dot);
    const std::string_view name = text.substr(dot + 1);
    const bool known = module == "torch" || module == "jnp" || module == "np" || module == "ms" || module == "paddle";
    return known && (name.starts_with("float") || name.starts_with("bfloat"));
  }

  // A list of plain values stays as written; (1 + 2) * 3 and [x for x in y] are none.
  static bool is_plain_list(std::string_view text, bool list) {
    return list && closing_bracket(text, 0) == text.size() - 1 && text.find(" for ") == std::string_view::npos &&
           (text[0] != '(' || text.find(',') != std::string_view::npos || text == "()");
  }

  static std::string shortened(std::string_view text) {
    constexpr std::size_t kLongest = 400;
    std::string out(text.substr(0, kLongest));
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
  }

  Recorder& recorder_;
  WholeText text_{kMostMegabytes};
  std::vector<FlatSetting> settings_;
  std::vector<Way> ways_;  // those that the line stands in
  std::map<std::string, PythonValue, std::less<>> names_;
};

}  // namespace

bool is_python_config(std::string_view path, std::string_view prefix, bool whole) {
  if (!path.ends_with(".py")) return false;
  constexpr int kAssignmentsPerCall = 8;  // "os.makedirs(out_dir)" among assignments makes no program
  int assignments = 0;
  int calls = 0;
  for (const LogicalLine& line : logical_lines(prefix, !whole)) {
    if (assignment_of(line.text)) {
      ++assignments;
    } else if (is_call(line.text)) {
      ++calls;
    } else if (!is_frame(line.text) && !fork_of(line.text)) {
      return false;
    }
  }
  return assignments > kAssignmentsPerCall * calls;
}

std::unique_ptr<StreamReader> open_python_config(Recorder& recorder) {
  return std::make_unique<PythonConfig>(recorder);
}

}  // namespace assay
