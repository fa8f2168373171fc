// Following a script without running it.
//
// What: launch scripts are mostly assignments, and the values of a command line can be read out of them: of 1,254
// public ones that set a learning rate or a batch size, 54 % hold no control flow, `source` or `eval` at all.
// How: every variable has a value of known and unknown pieces. Assignments, expansions, integer arithmetic and calls of
// functions are done; commands are never run, so what they print is unknown, and so is every word that uses it. Of a
// condition that cannot be decided every way is followed, and what the ways do not agree on is unknown. A loop's body
// is followed once, with what it changes unknown before and after.
//
// Assumed, as a template has to be: the script is given no arguments that replace a default (${1:-8} is 8), the
// environment sets nothing that the script has a default for (${NNODES:-1} is 1), ordinary commands succeed (so that of
// `cd there && run` the second runs, and of `cd there || exit` it does not), and a file that is sourced leaves alone
// what the script itself sets.
//
// Limits: a value of 1 MB, calls 16 deep and none of a function within itself, and a budget of work over all, so that
// no script takes longer than a second or two; what is beyond is unknown, and told.

#include "format/config/shell_interpreter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "format/config/shell_lexer.h"

namespace assay::shell {

namespace {

constexpr std::size_t kDeepestCall = 16;
constexpr std::size_t kMostElements = 65536;
constexpr std::size_t kCommandWork = 32;
constexpr std::size_t kVariableWork = 80;  // its copy for one way through a branch

void collect(const List& list, std::set<std::string, std::less<>>& names) {
  for (const Command& command : list) {
    for (const Assignment& one : command.assignments) names.insert(one.name);
    if (command.kind == Command::Kind::kFor && !command.name.empty()) names.insert(command.name);
    const auto is_plain = [&](std::size_t i, std::string_view text) {
      return i < command.words.size() && command.words[i].size() == 1 && command.words[i][0].text == text;
    };
    const bool reads = command.kind == Command::Kind::kSimple &&
                       (is_plain(0, "read") || is_plain(0, "mapfile") || is_plain(0, "readarray") ||
                        is_plain(0, "getopts") || (is_plain(0, "printf") && is_plain(1, "-v")));
    for (std::size_t i = 1; reads && i < command.words.size(); ++i) {
      if (command.words[i].size() == 1 && is_name(command.words[i][0].text)) names.insert(command.words[i][0].text);
    }
    for (const Branch& branch : command.branches) {
      collect(branch.condition, names);
      collect(branch.body, names);
    }
  }
}

// {1..3}, *.json: several words, which only a run would tell.
bool may_be_several(const Word& word) {
  return std::any_of(word.begin(), word.end(), [](const Part& part) {
    if (part.kind != Part::Kind::kText || part.quoted) return part.kind == Part::Kind::kCommand;
    const bool braces = part.text.find('{') != std::string::npos &&
                        (part.text.find(',') != std::string::npos || part.text.find("..") != std::string::npos);
    return braces || part.text.find_first_of("*?[") != std::string::npos;
  });
}

bool same(const Piece& a, const Piece& b) {
  return a.text == b.text && (a.why == b.why || (a.why && b.why && *a.why == *b.why));
}

bool same(const Value& a, const Value& b) {
  if (!why_of(a) && !why_of(b)) return text_of(a) == text_of(b);
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](auto& x, auto& y) { return same(x, y); });
}

}  // namespace

Outcome Interpreter::run(const Script& script, Variables given, bool functions) {
  variables_ = std::move(given);
  run_list(script.commands);
  if (functions) run_uncalled();
  out_.variables = std::move(variables_);
  return std::move(out_);
}

// Callers stand behind what they call, so from the last; what its caller gives it is not known.
void Interpreter::run_uncalled() {
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [name, body] : functions_) order.emplace_back(body->line, name);
  std::sort(order.rbegin(), order.rend());
  for (const auto& [line, name] : order) {
    const Command* body = functions_.find(name)->second;
    if (!called_.insert(body).second) continue;
    left_ = returned_ = in_function_ = false;
    uncertain_ = "is in the function " + name + ", which the script does not call";
    const Variables before = variables_;
    calls_.push_back(body);
    run_list(body->branches[0].body);
    calls_.pop_back();
    variables_ = before;
  }
}

// What is done because a variable is not set. If it leaves the script it is a guard: whoever runs the script sets the
// variable, and nothing of this is done.
template <class Run>
bool Interpreter::stays(Run&& run) {
  const Variables before = variables_;
  const std::size_t commands = out_.invocations.size();
  spend(kVariableWork * before.size());
  run();
  if (!left_) return true;
  left_ = false;
  returned_ = false;
  variables_ = before;
  out_.invocations.erase(out_.invocations.begin() + static_cast<std::ptrdiff_t>(commands), out_.invocations.end());
  return false;
}

Interpreter::Truth Interpreter::run_list(const List& list) {
  Truth last = Truth::kYes;
  for (const Command& command : list) {
    if (left_ || out_.exhausted) return last;
    if (command.join == Command::Join::kAnd || command.join == Command::Join::kOr) {
      const Truth needed = command.join == Command::Join::kAnd ? Truth::kYes : Truth::kNo;
      if (last == Truth::kUnknown) {
        run_maybe(command);
        continue;
      }
      if (last != needed) continue;
      if (by_unset_) {
        const Truth guarded = last;
        if (!stays([&] { last = run_command(command); })) last = guarded == Truth::kYes ? Truth::kNo : Truth::kYes;
        by_unset_ = false;
        continue;
      }
    }
    by_unset_ = false;
    last = run_command(command);
  }
  return last;
}

Interpreter::Truth Interpreter::run_command(const Command& command) {
  if (!spend(kCommandWork)) return Truth::kUnknown;
  const Truth truth = run_kind(command);
  if (!command.negated || truth == Truth::kUnknown) return truth;
  return truth == Truth::kYes ? Truth::kNo : Truth::kYes;
}

Interpreter::Truth Interpreter::run_kind(const Command& command) {
  switch (command.kind) {
    case Command::Kind::kSimple: return run_simple(command);
    case Command::Kind::kIf: return run_if(command);
    case Command::Kind::kCase: return run_case(command);
    case Command::Kind::kFor:
    case Command::Kind::kWhile: run_loop(command); return Truth::kYes;
    case Command::Kind::kFunction: functions_[command.name] = &command; return Truth::kYes;
    case Command::Kind::kGroup: {
      const Truth truth = run_list(command.branches[0].body);
      write_out(command, {});
      return truth;
    }
    case Command::Kind::kSubshell: {
      const Variables before = variables_;
      const Truth truth = run_list(command.branches[0].body);
      variables_ = before;
      left_ = false;
      return truth;
    }
    case Command::Kind::kArithmetic: return arithmetic_truth(command.expression);
    case Command::Kind::kTest: break;
  }
  const std::vector<Field> words = [&] {
    std::vector<Field> out;
    for (const Word& word : command.words) {  // nothing is split within [[ ]]
      Field& field = out.emplace_back();
      field.value = expand_text(word);
      field.quoted = std::any_of(word.begin(), word.end(), [](const Part& part) { return part.quoted; });
    }
    return out;
  }();
  return test(words, 0, words.size(), true, 0);
}

// Runs one way from `before`; it counts unless it leaves the script.
template <class Run>
void Interpreter::run_way(std::vector<Variables>& ways, const Variables& before, Run&& run) {
  spend(kVariableWork * before.size());
  variables_ = before;
  run();
  if (left_) {
    left_ = false;
    returned_ = false;
    return;
  }
  ways.push_back(std::move(variables_));
}

void Interpreter::run_maybe(const Command& command) {
  const std::string outer = std::exchange(uncertain_, "depends on a condition, line " + std::to_string(command.line));
  const Variables before = variables_;
  std::vector<Variables> ways;
  run_way(ways, before, [&] { run_command(command); });
  ways.push_back(before);
  merge(std::move(ways), command.line);
  uncertain_ = outer;
}

Interpreter::Truth Interpreter::run_if(const Command& command) {
  const std::string outer = uncertain_;
  std::vector<Variables> ways;
  bool decided = false;
  for (std::size_t i = 0; i < command.branches.size() && !decided; ++i) {
    const Branch& branch = command.branches[i];
    const bool is_else = command.has_else && i + 1 == command.branches.size();
    by_unset_ = false;
    const Truth truth = is_else ? Truth::kYes : run_list(branch.condition);
    if (truth == Truth::kNo) continue;
    decided = truth == Truth::kYes;
    if (decided && ways.empty() && uncertain_ == outer) {
      if (!std::exchange(by_unset_, false)) return run_list(branch.body);
      if (stays([&] { run_list(branch.body); })) return Truth::kYes;
      decided = false;
      continue;
    }
    uncertain_ = "set in a branch, line " + std::to_string(command.line);
    const Variables before = variables_;
    run_way(ways, before, [&] { run_list(branch.body); });
    variables_ = before;
  }
  if (!decided) {
    if (uncertain_ == outer) return Truth::kYes;  // no branch runs
    ways.push_back(variables_);
  }
  merge(std::move(ways), command.line);
  uncertain_ = outer;
  return Truth::kYes;
}

Interpreter::Truth Interpreter::run_case(const Command& command) {
  const std::string outer = uncertain_;
  const Value subject = command.words.empty() ? Value{} : expand_text(command.words[0]);
  const bool known = !why_of(subject);
  const Variables before = variables_;
  std::vector<Variables> ways;
  bool total = false;
  for (const Branch& branch : command.branches) {
    bool fits = false;
    for (const Word& word : branch.patterns) {
      const Value pattern = expand_text(word);
      total = total || text_of(pattern) == "*";
      if (known && spend(text_of(subject).size())) fits = fits || matches(text_of(subject), text_of(pattern));
    }
    if (known && fits) return run_list(branch.body);
    if (known) continue;
    uncertain_ = "set in a branch, line " + std::to_string(command.line);
    run_way(ways, before, [&] { run_list(branch.body); });
  }
  if (known) return Truth::kYes;
  if (!total || ways.empty()) ways.push_back(before);
  merge(std::move(ways), command.line);
  uncertain_ = outer;
  return Truth::kYes;
}

void Interpreter::run_loop(const Command& command) {
  const std::string line = std::to_string(command.line);
  std::set<std::string, std::less<>> changed;
  collect(command.branches[0].body, changed);
  collect(command.branches[0].condition, changed);
  const std::vector<Field> words = expand_words(command.words);
  const bool once = command.kind == Command::Kind::kFor && command.expression.empty() && words.size() == 1 &&
                    !why_of(words[0].value) && std::none_of(command.words.begin(), command.words.end(), may_be_several);
  if (!once) {
    for (const std::string& name : changed) forget(name, "changes in a loop, line " + line, command.line);
  }
  if (command.kind == Command::Kind::kFor && !command.name.empty()) {
    if (once) {
      set(command.name, words[0].value, command.line);
    } else {
      std::string all;
      for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 8); ++i) {
        all += (i == 0 ? ": " : ", ") + text_of(words[i].value);
      }
      forget(command.name, "takes several values in a loop, line " + line + all.substr(0, 120), command.line);
    }
  } else {
    run_list(command.branches[0].condition);
  }
  if (!left_) run_list(command.branches[0].body);
  left_ = false;
  returned_ = false;
  if (once) return;
  for (const std::string& name : changed) forget(name, "changes in a loop, line " + line, command.line);
}

void Interpreter::run_function(const Command& body, std::vector<Field> arguments) {
  // One that calls itself would end by a condition that is not decided here.
  if (calls_.size() >= kDeepestCall || std::find(calls_.begin(), calls_.end(), &body) != calls_.end()) return;
  calls_.push_back(&body);
  called_.insert(&body);
  std::swap(arguments_, arguments);
  const bool outer = std::exchange(in_function_, true);
  const auto references = references_;  // those that the function declares are its own
  run_list(body.branches[0].body);
  references_ = references;
  if (std::exchange(returned_, false)) left_ = false;
  in_function_ = outer;
  std::swap(arguments_, arguments);
  calls_.pop_back();
}

// What the ways do not agree on is unknown from here on; what they share stays.
void Interpreter::merge(std::vector<Variables> ways, std::int64_t line) {
  if (ways.empty()) {
    left_ = true;
    return;
  }
  variables_ = ways[0];
  if (ways.size() == 1) return;
  std::set<std::string_view> names;
  for (const Variables& way : ways) {
    if (!spend(way.size())) return;
    for (const auto& [name, value] : way) names.insert(name);
  }
  for (const std::string_view name : names) {
    if (std::shared_ptr<const Variable> one = merged(name, ways, line)) {
      variables_.insert_or_assign(std::string(name), std::move(one));
    }
  }
}

std::shared_ptr<const Variable> Interpreter::merged(std::string_view name, const std::vector<Variables>& ways,
                                                    std::int64_t line) {
  std::vector<const Variable*> found;
  bool all_same = true;
  for (const Variables& way : ways) {
    const auto at = way.find(name);
    found.push_back(at == way.end() ? nullptr : at->second.get());
    all_same = all_same && found.back() == found.front();
  }
  if (all_same) return nullptr;
  const auto why = std::make_shared<const std::string>("set in a branch, line " + std::to_string(line));
  const Variable* longest = nullptr;
  for (const Variable* one : found) {
    if (one != nullptr && (longest == nullptr || one->values.size() > longest->values.size())) longest = one;
  }
  auto out = std::make_shared<Variable>(*longest);
  const auto value_of = [](const Variable* one, std::size_t i) {
    return one != nullptr && i < one->values.size() ? one->values[i] : Value{};
  };
  for (const Variable* one : found) {
    const bool same_size = one != nullptr && one->values.size() == out->values.size() && !one->why_size;
    if (!same_size && !out->why_size && (one != nullptr || out->array)) out->why_size = why;
  }
  for (std::size_t i = 0; i < out->values.size(); ++i) {
    const Value first = value_of(found[0], i);
    spend(first.size() + 8);
    if (std::all_of(found.begin(), found.end(), [&](const Variable* one) {
          return one != nullptr && i < one->values.size() && same(first, one->values[i]);
        })) {
      out->values[i] = first;
      continue;
    }
    std::size_t shared = first.size();
    for (const Variable* one : found) {
      const Value value = value_of(one, i);
      std::size_t size = 0;
      while (size < std::min(shared, value.size()) && same(first[size], value[size])) ++size;
      shared = size;
    }
    Value both(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(shared));
    bool words = shared > 0 || out->array;
    for (const Variable* one : found) {
      const Value value = value_of(one, i);
      for (std::size_t k = shared; k < value.size(); ++k) {
        both.push_back({value[k].text, value[k].line, value[k].why ? value[k].why : why});
        // An option alone is a word of a list that the ways make longer or shorter, too.
        words = words || value[k].text.find_first_of(" \n") != std::string::npos || value[k].text.starts_with("--");
      }
      if (value.size() > shared) both.push_back({" ", line});
    }
    if (!words) both = {{"$" + std::string(name), line, why}};
    out->values[i] = limited(std::move(both));
  }
  return out;
}

void Interpreter::set(std::string_view name, Value value, std::int64_t line) {
  auto next = std::make_shared<Variable>();
  const Variable* before = find(name);
  next->exported = before != nullptr && before->exported;
  next->line = line == 0 && before != nullptr ? before->line : line;
  next->values.push_back(limited(std::move(value)));
  variables_.insert_or_assign(std::string(target_of(name)), std::move(next));
}

void Interpreter::forget(std::string_view name, std::string why, std::int64_t line) {
  set(name, unknown("$" + std::string(name), line, std::move(why)), line);
  auto next = std::make_shared<Variable>(*find(name));
  next->why_size = next->values[0].empty() ? nullptr : next->values[0][0].why;
  variables_.insert_or_assign(std::string(target_of(name)), std::move(next));
}

void Interpreter::assign(const Assignment& one, bool exported) {
  const Variable* before = find(one.name);
  auto next = before != nullptr ? std::make_shared<Variable>(*before) : std::make_shared<Variable>();
  if (before != nullptr) spend(before->values.size());
  next->line = one.line;
  next->exported = next->exported || exported;
  if (one.array) {
    assign_array(one, *next);
  } else if (one.indexed) {
    assign_element(one, *next);
  } else {
    Value value = expand_text(one.values[0]);
    if (one.append && !next->values.empty()) {
      Value& first = next->values[0];
      for (Piece& piece : value) first.push_back(std::move(piece));
      first = limited(std::move(first));
    } else {
      if (one.append && before == nullptr) {
        const Part part{.line = one.line, .text = "$" + one.name, .name = one.name};
        if (!sourced_.empty()) value.insert(value.begin(), unset_value(part)[0]);
      }
      if (!next->array) next->why_size = nullptr;
      if (!next->array || next->values.empty()) next->values = {Value{}};
      if (value.empty()) value.push_back({"", one.line});
      next->values[0] = std::move(value);
    }
  }
  variables_.insert_or_assign(std::string(target_of(one.name)), std::move(next));
}

void Interpreter::assign_array(const Assignment& one, Variable& variable) {
  if (!one.append) {
    variable.values.clear();
    variable.by_name.clear();
    variable.why_size = nullptr;
  }
  variable.array = true;
  for (std::size_t i = 0; i < one.values.size() && variable.values.size() < kMostElements; ++i) {
    if (!one.keys[i].empty()) {
      const std::string key = text_of(expand_text(one.keys[i]));
      if (key.find_first_not_of("0123456789") != std::string::npos) {
        variable.by_name[key] = expand_text(one.values[i]);
        continue;
      }
    }
    std::vector<Field> fields;
    expand(one.values[i], fields);
    if (Why why = several(one.values[i], fields)) {
      for (Field& field : fields) {
        for (Piece& piece : field.value) piece.why = piece.why ? piece.why : why;
      }
      variable.why_size = std::move(why);
    }
    for (Field& field : fields) variable.values.push_back(std::move(field.value));
  }
}

// Why it is not known how many elements of an array a word gives; null: those that are there.
Interpreter::Why Interpreter::several(const Word& word, const std::vector<Field>& fields) const {
  for (const Part& part : word) {
    if (part.kind == Part::Kind::kText && !part.quoted) {
      const bool braces = part.text.find('{') != std::string::npos &&
                          (part.text.find(',') != std::string::npos || part.text.find("..") != std::string::npos);
      if (!braces && part.text.find('*') == std::string::npos) continue;
      return std::make_shared<const std::string>(part.text.substr(0, 80) + " stands for several words");
    }
    if (part.kind != Part::Kind::kParameter && (part.quoted || part.kind != Part::Kind::kCommand)) continue;
    if (part.kind == Part::Kind::kParameter && part.quoted) {  // "${A[@]}", "$@"
      const Variable* list = part.indexed ? find(part.name) : nullptr;
      if (list != nullptr && list->why_size) return list->why_size;
      if (part.name != "@" || in_function_) continue;
    }
    for (const Field& field : fields) {
      if (Why why = why_of(field.value)) return why;
    }
  }
  return nullptr;
}

void Interpreter::assign_element(const Assignment& one, Variable& variable) {
  Value value = expand_text(one.values[0]);
  const std::string key = text_of(expand_text(one.index));
  const auto at = key.empty() || is_name(key) ? std::nullopt : index_of(one.index);
  if (at && *at >= 0 && static_cast<std::size_t>(*at) < kMostElements) {
    variable.array = true;
    const auto which = static_cast<std::size_t>(*at);
    spend(which);
    if (variable.values.size() <= which) variable.values.resize(which + 1);
    variable.values[which] = std::move(value);
  } else {
    variable.by_name[key] = std::move(value);
  }
}

}  // namespace assay::shell
