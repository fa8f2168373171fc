// Simple commands: builtins that change what the script knows, texts that are written into files, and everything else,
// which is kept with its words for whoever knows what it launches.

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <utility>

#include "format/config/shell_interpreter.h"
#include "format/config/shell_lexer.h"

namespace assay::shell {

namespace {

constexpr std::size_t kMostInvocations = 10'000;
constexpr std::size_t kMostWritten = 1000;
constexpr std::size_t kMostWords = 20'000;
constexpr std::size_t kMostSourced = 16;

// Commands that ask a question: whether they succeed is not known.
constexpr std::array<std::string_view, 15> kQuestions{"grep", "egrep", "command",    "which",      "type",
                                                      "hash", "pgrep", "diff",       "cmp",        "ping",
                                                      "nc",   "kill",  "mountpoint", "nvidia-smi", "npu-smi"};
// What takes a here-document as commands.
constexpr std::array<std::string_view, 5> kShells{"bash", "sh", "sbatch", "ssh", "zsh"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Interpreter::Truth Interpreter::run_simple(const Command& command) {
  if (command.words.empty()) {
    for (const Assignment& one : command.assignments) assign(one, false);
    if (!command.heredocs.empty()) write_out(command, {});
    return Truth::kYes;
  }
  if (command.declares) {
    const std::vector<Field> names = expand_words(command.words);
    const bool refers = !command.exports && std::any_of(names.begin(), names.end(), [](const Field& field) {
      const std::string word = text_of(field.value);
      return word.starts_with('-') && !word.starts_with("--") && word.find('n') != std::string::npos;
    });
    for (const Assignment& one : command.assignments) {
      if (refers) {
        refer(one);
      } else {
        assign(one, command.exports);
      }
    }
    for (const Field& field : names) {
      const auto found = variables_.find(text_of(field.value));
      if (!command.exports || found == variables_.end() || found->second->exported) continue;
      auto next = std::make_shared<Variable>(*found->second);
      next->exported = true;
      found->second = std::move(next);
    }
    return Truth::kYes;
  }
  std::vector<Field> words = expand_words(command.words);
  if (words.empty()) return Truth::kYes;
  const std::string name = text_of(words[0].value);
  if (const auto function = functions_.find(name); function != functions_.end()) {
    for (const Assignment& one : command.assignments) assign(one, true);
    words.erase(words.begin());
    run_function(*function->second, std::move(words));
    return Truth::kYes;
  }
  return run_builtin(command, words);
}

Interpreter::Truth Interpreter::run_builtin(const Command& command, const std::vector<Field>& words) {
  const std::string name = text_of(words[0].value);
  const std::string second = words.size() > 1 ? text_of(words[1].value) : "";
  if (name == ":" || name == "true") return Truth::kYes;
  if (name == "false") return Truth::kNo;
  if (name == "[" || name == "test") {
    const bool closed = name == "[" && text_of(words.back().value) == "]";
    return test(words, 1, words.size() - (closed ? 1 : 0), false, 0);
  }
  if (name == "exit" || name == "return") {
    left_ = true;
    returned_ = name == "return" && in_function_;
  } else if (name == "let") {
    run_let(words);
  } else if (name == "source" || name == ".") {
    sourced_ = second.substr(0, 200);
    if (!second.empty() && out_.sourced.size() < kMostSourced) out_.sourced.push_back({sourced_, command.line});
  } else if (name == "read" || name == "mapfile" || name == "readarray" || name == "getopts") {
    take_input(command, words);
  } else if (name == "printf" && second == "-v" && words.size() > 2) {
    print_into(words);
  } else if (name == "unset") {
    for (const Field& field : words) {
      variables_.erase(std::string(target_of(text_of(field.value))));
      if (second == "-n") references_.erase(text_of(field.value));
    }
  } else if (name == "shift" && in_function_) {
    std::size_t count = 1;
    std::from_chars(second.data(), second.data() + second.size(), count);
    count = std::min(count, arguments_.size());
    arguments_.erase(arguments_.begin(), arguments_.begin() + static_cast<std::ptrdiff_t>(count));
  } else if (name == "set" && second == "--") {
    arguments_.assign(words.begin() + 2, words.end());
    in_function_ = true;
  } else if (name == "eval") {
    Value text;
    for (std::size_t i = 1; i < words.size(); ++i) {
      for (const Piece& piece : words[i].value) text.push_back(piece);
      text.push_back({" ", command.line});
    }
    run_text(text);
  } else {
    invoke(command, words);
  }
  return is_one_of(name, kQuestions) ? Truth::kUnknown : Truth::kYes;
}

// `read -r -d '' ARGS <<EOF` takes a text that is there; all other input comes from elsewhere.
void Interpreter::take_input(const Command& command, const std::vector<Field>& words) {
  const std::string name = text_of(words[0].value);
  const std::string last = text_of(words.back().value);
  if (name == "read" && !command.heredocs.empty() && is_name(last)) {
    return set(last, expand_text(command.heredocs[0].body), command.heredocs[0].line);
  }
  if (name == "read" && take_array(command, last)) return;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string variable = text_of(words[i].value);
    if (is_name(variable)) forget(variable, "is input of `" + name + "`", 0);
  }
}

// IFS=, read -ra NAME <<< "0,1,2,3"
bool Interpreter::take_array(const Command& command, std::string_view name) {
  if (command.strings.size() != 1 || !is_name(name) || command.words.size() != 3) return false;
  const std::string flags = text_of(expand_text(command.words[1]));
  const Value text = expand_text(command.strings[0]);
  if (!flags.starts_with('-') || !flags.ends_with('a') || flags.find_first_not_of("-ra") != std::string::npos) {
    return false;
  }
  std::string apart = " \t\n";
  for (const Assignment& one : command.assignments) {
    if (one.name != "IFS" || one.values.size() != 1) return false;
    const Value value = expand_text(one.values[0]);
    if (why_of(value)) return false;
    apart = text_of(value);
  }
  if (why_of(text) || (command.assignments.empty() && find("IFS") != nullptr)) return false;
  auto next = std::make_shared<Variable>();
  next->array = true;
  next->line = command.line;
  const std::string line = text_of(text).substr(0, text_of(text).find('\n'));
  const bool spaces = apart.find_first_not_of(" \t\n") == std::string::npos;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(apart, at), line.size());
    if (end > at || !spaces) next->values.push_back({{line.substr(at, end - at), command.line}});
    at = end + 1;
  }
  spend(16 * line.size());
  variables_.insert_or_assign(std::string(name), std::move(next));
  return true;
}

// declare -n NAME=OTHER: what is done to NAME from here on is done to OTHER.
void Interpreter::refer(const Assignment& one) {
  const Value value = one.values.empty() ? Value{} : expand_text(one.values[0]);
  const std::string other = text_of(value);
  const bool known = !why_of(value) && is_name(other) && target_of(other) != one.name;
  references_.erase(one.name);
  if (known) {
    references_[one.name] = other;
  } else {
    forget(one.name, "refers to a variable that is not known", one.line);
  }
}

std::string_view Interpreter::target_of(std::string_view name) const {
  constexpr int kDeepest = 8;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const auto found = references_.find(name);
    if (found == references_.end()) break;
    name = found->second;
  }
  return name;
}

// printf -v NAME FORMAT …: with %s and %d of what is known; else NAME is not known.
void Interpreter::print_into(const std::vector<Field>& words) {
  const std::string whole = text_of(words[2].value);
  const std::string name = whole.substr(0, whole.find('['));
  if (!is_name(name)) return;
  std::string out;
  const std::string format = words.size() > 3 ? text_of(words[3].value) : "";
  bool followed = name == whole && words.size() > 3 && !why_of(words[3].value);
  std::size_t next = 4;
  for (std::size_t i = 0; followed && i < format.size(); ++i) {
    const char kind = i + 1 < format.size() ? format[i + 1] : '\0';
    if (format[i] == '%' && (kind == 's' || kind == 'd') && next < words.size()) {
      const std::string text = text_of(words[next].value);
      const bool whole_number = text.find_first_not_of("0123456789") == std::string::npos && !text.empty() &&
                                (text[0] != '0' || text.size() == 1);
      followed = !why_of(words[next++].value) && (kind == 's' || whole_number);
      out += text;
      ++i;
    } else if (format[i] == '%' || format[i] == '\\') {
      followed = false;
    } else {
      out += format[i];
    }
  }
  const std::int64_t line = words[2].value.empty() ? 0 : words[2].value[0].line;
  if (followed && next >= words.size()) return set(name, {{out, line}}, line);
  forget(name, "is what `printf -v` prints", line);
}

void Interpreter::run_let(const std::vector<Field>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string text = text_of(words[i].value);
    if (!why_of(words[i].value) && evaluate(text, arithmetic_host())) continue;
    std::size_t size = 0;
    while (size < text.size() && is_name(text[size])) ++size;
    const Why why = why_of(words[i].value);
    if (size > 0) forget(std::string_view(text).substr(0, size), why ? *why : "`let " + text + "` is not followed", 0);
  }
}

// Words of a text that a shell would read as commands: eval, bash -c. Quotes are taken away, nothing is expanded again.
void Interpreter::run_text(const Value& text) {
  std::vector<Field> words;
  bool open = false;
  char quote = '\0';
  for (const Piece& piece : text) {
    if (!spend(piece.text.size())) return;
    const bool whole = is_one_word(piece);
    for (std::size_t i = 0; i < piece.text.size(); ++i) {
      const char c = piece.text[i];
      const bool apart = !piece.why && quote == '\0';
      if (apart && (c == ';' || c == '\n' || c == '|' || c == '&')) {
        run_words(std::exchange(words, {}));
        open = false;
        continue;
      }
      if (quote == '\0' && !whole && (c == ' ' || c == '\t' || c == '\n')) {
        open = false;
        continue;
      }
      if (!open) words.emplace_back();
      open = true;
      if (!piece.why && (c == quote || (quote == '\0' && (c == '"' || c == '\'')))) {
        quote = quote == '\0' ? c : '\0';
        continue;
      }
      Value& value = words.back().value;
      if (value.empty() || value.back().why != piece.why) value.push_back({"", piece.line, piece.why});
      value.back().text += c;
      const bool expands = c == '$' && !piece.why && quote != '\'';
      if (expands) {
        static const Why kLater = std::make_shared<const std::string>("is known only when the script runs");
        value.back().why = kLater;
      }
    }
  }
  run_words(std::move(words));
}

void Interpreter::run_words(std::vector<Field> words) {
  while (!words.empty()) {
    const std::string first = text_of(words[0].value);
    const std::size_t equals = first.find('=');
    if (first == "export") {
      words.erase(words.begin());
    } else if (equals != std::string::npos && is_name(std::string_view(first).substr(0, equals))) {
      const Why why = why_of(words[0].value);
      const std::int64_t line = words[0].value[0].line;
      Value value = why ? unknown(first.substr(equals + 1), line, *why) : Value{{first.substr(equals + 1), line}};
      set(std::string_view(first).substr(0, equals), std::move(value), line);
      words.erase(words.begin());
    } else {
      break;
    }
  }
  if (words.empty()) return;
  Command command;
  command.line = words[0].value.empty() ? 0 : words[0].value[0].line;
  invoke(command, words);
}

// ssh -p 22 host "cd there && torchrun …": what stands behind the host is a text for a shell.
void Interpreter::run_elsewhere(const std::vector<Field>& words) {
  constexpr std::string_view kTakingValue = "bcDEeFIiJLlmOopQRSWwx";
  std::size_t at = 1;
  while (at < words.size() && text_of(words[at].value).starts_with('-')) {
    const std::string flag = text_of(words[at].value);
    at += flag.size() == 2 && kTakingValue.find(flag[1]) != std::string_view::npos ? 2 : 1;
  }
  if (text_of(words[0].value) == "ssh") ++at;
  Value text;
  for (; at < words.size(); ++at) {
    for (const Piece& piece : words[at].value) text.push_back(piece);
    text.push_back({" ", text.empty() ? 0 : text.back().line});
  }
  run_text(text);
}

// What the script has exported and what tells how many processes there are.
void Interpreter::add_exported(Invocation& one) const {
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "NNODES", "NPROC_PER_NODE"}) {
    const Variable* variable = find(name);
    if (variable == nullptr || !variable->exported || variable->values.empty()) continue;
    const Value& value = variable->values[0];
    const Why why = why_of(value);
    one.environment.emplace_back(name, Argument{text_of(value), variable->line, why ? *why : ""});
  }
}

void Interpreter::invoke(const Command& command, const std::vector<Field>& words) {
  const std::string name = text_of(words[0].value);
  if (!command.heredocs.empty() && is_one_of(name, kShells)) {
    for (const Heredoc& document : command.heredocs) run_text(expand_text(document.body));
  }
  write_out(command, words);
  if (name == "echo" || name == "printf" || name == "cat") return;
  for (std::size_t i = 1; i < words.size(); ++i) {  // sbatch --wrap "…"
    const std::string word = text_of(words[i].value);
    constexpr std::string_view kWrap = "--wrap";
    if (word == kWrap && i + 1 < words.size()) return run_text(words[i + 1].value);
    if (word.starts_with("--wrap=")) {
      Value text = words[i].value;
      std::size_t cut = kWrap.size() + 1;
      for (Piece& piece : text) {
        const std::size_t here = std::min(cut, piece.text.size());
        piece.text.erase(0, here);
        cut -= here;
      }
      return run_text(text);
    }
  }
  if (name == "ssh" || name == "pdsh") return run_elsewhere(words);
  // bash -c "…", wherever it stands: srun bash -c "…".
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    const std::string shell = text_of(words[i].value);
    const std::string flag = text_of(words[i + 1].value);
    const bool is_shell = shell == "bash" || shell == "sh" || shell.ends_with("/bash") || shell.ends_with("/sh");
    if (!is_shell || !flag.starts_with("-") || !flag.ends_with("c")) continue;
    const std::size_t before = out_.invocations.size();
    run_text(words[i + 2].value);
    // The launcher before the shell launches what the shell runs.
    for (std::size_t k = before; i > 0 && k < out_.invocations.size(); ++k) {
      Invocation& inner = out_.invocations[k];
      std::vector<Argument> outer;
      for (std::size_t w = 0; w < i; ++w) {
        const Why why = why_of(words[w].value);
        outer.push_back({text_of(words[w].value), command.line, why ? *why : ""});
      }
      inner.words.insert(inner.words.begin(), outer.begin(), outer.end());
    }
    return;
  }
  if (words.size() > kMostWords && out_.long_command == 0) out_.long_command = command.line;
  if (out_.invocations.size() >= kMostInvocations || words.size() > kMostWords) return;
  Invocation& one = out_.invocations.emplace_back();
  one.line = command.line;
  one.branch = uncertain_;
  for (const Field& field : words) {
    const Why why = why_of(field.value);
    one.words.push_back(
        {text_of(field.value), field.value.empty() ? command.line : field.value[0].line, why ? *why : ""});
  }
  add_exported(one);
  for (const Assignment& assignment : command.assignments) {
    if (assignment.array || assignment.indexed) continue;
    const Value value = expand_text(assignment.values[0]);
    const Why why = why_of(value);
    one.environment.emplace_back(assignment.name, Argument{text_of(value), assignment.line, why ? *why : ""});
  }
}

// cat > file <<EOF, echo '{…}' > file
void Interpreter::write_out(const Command& command, const std::vector<Field>& words) {
  if (out_.written.size() >= kMostWritten) return;
  const std::string name = words.empty() ? "cat" : text_of(words[0].value);
  std::string file = command.targets.empty() ? "" : text_of(expand_text(command.targets[0]));
  if (name == "tee" && words.size() > 1) file = text_of(words.back().value);
  if (!is_one_of(name, kShells) && !name.starts_with("python")) {
    for (const Heredoc& document : command.heredocs) out_.written.push_back({file, expand_text(document.body)});
  }
  if ((name != "echo" && name != "printf") || file.empty() || words.size() < 2) return;
  const Value& text = words.back().value;
  if (text_of(text).find('{') != std::string::npos) out_.written.push_back({file, text});
}

}  // namespace assay::shell
