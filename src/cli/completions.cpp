// Completion scripts for shells, from the tables of commands. What completes to a rule is asked of assay itself at the
// time of completion, so that the scripts stay right when rules come.

#include <string>

#include "cli/help.h"

namespace assay::cli {

namespace {

bool takes_rules(const Command& command) { return command.arguments.starts_with("RULE"); }

std::string name() { return std::string(program().name); }

// Of the function that completes.
std::string function_name() {
  std::string out = "_" + name();
  for (char& c : out) c = c == '-' ? '_' : c;
  return out;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view one : words) out += (out.empty() ? "" : " ") + std::string(one);
  return out;
}

// The words that can stand first: commands and groups; and those that can stand second, after a group.
struct FirstWord {
  std::string name;
  std::string_view summary;
  std::vector<const Command*> second;
};

std::vector<FirstWord> first_words(const std::vector<Command>& commands) {
  const std::vector<CommandGroup> groups = all_groups();
  std::vector<FirstWord> out;
  for (const Command& command : commands) {
    const CommandGroup* group = group_of(groups, command);
    if (group == nullptr) {
      out.push_back({std::string(command.name), command.summary, {}});
      continue;
    }
    if (out.empty() || out.back().name != group->name) out.push_back({std::string(group->name), group->summary, {}});
    out.back().second.push_back(&command);
  }
  return out;
}

std::string_view last_word(const Command& command) { return command.name.substr(command.name.find(' ') + 1); }

constexpr std::string_view kRuleNames = "assay rules 2>/dev/null | awk '/^  [a-z]/ {print $1}'";

std::string bash() {
  const std::vector<Command> commands = all_commands();
  std::string names;
  std::string groups;
  for (const FirstWord& first : first_words(commands)) {
    names += (names.empty() ? "" : " ") + first.name;
    if (first.second.empty()) continue;
    std::vector<std::string_view> second;
    for (const Command* command : first.second) second.push_back(last_word(*command));
    groups += "    " + first.name + ")\n      if ((COMP_CWORD == 2)); then\n        COMPREPLY=($(compgen -W '" +
              joined(second) + "' -- \"$now\"))\n        return\n      fi\n      name+=\" ${COMP_WORDS[2]}\";;\n";
  }
  std::string cases;
  for (const Command& command : commands) {
    std::string options = "--help";
    std::string values;
    for (const Option& option : command.options) {
      options += " --" + std::string(option.name);
      if (!option.choices.empty()) {
        values += "        --" + std::string(option.name) + ") words='" + joined(option.choices) + "';;\n";
      }
    }
    cases += "    '" + std::string(command.name) + "')\n      case $before in\n" + values;
    cases += "        *) [[ $now == -* ]] && words='" + options + "'";
    cases += takes_rules(command) ? " || words=$(" + std::string(kRuleNames) + ");;\n" : ";;\n";
    cases += "      esac;;\n";
  }
  return function_name() +
         "() {\n"
         "  local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} name=${COMP_WORDS[1]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '" +
         names +
         "' -- \"$now\"))\n    return\n  fi\n"
         "  case $name in\n" +
         groups + "  esac\n  case $name in\n" + cases +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n"
         "}\ncomplete -o default -F " +
         function_name() + " " + name() + "\n";
}

std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':') out += '\\';
      out += c;
    }
  }
  return out;
}

// An entry of _describe.
std::string described(std::string_view name, std::string_view summary) {
  return "'" + std::string(name) + ":" + zsh_text(summary) + "'\n";
}

std::string zsh() {
  const std::vector<Command> commands = all_commands();
  std::string names;
  std::string groups;
  for (const FirstWord& first : first_words(commands)) {
    names += "    " + described(first.name, first.summary);
    if (first.second.empty()) continue;
    groups += "    " + first.name + ")\n      commands=(\n";
    for (const Command* command : first.second) {
      groups += "        " + described(last_word(*command), command->summary);
    }
    groups +=
        "      )\n      if ((CURRENT == 2)); then\n        _describe command commands\n        return\n      fi\n"
        "      name+=\" $words[2]\"\n      shift words\n      ((CURRENT--));;\n";
  }
  std::string cases;
  for (const Command& command : commands) {
    cases += "    '" + std::string(command.name) + "')\n      _arguments \\\n";
    for (const Option& option : command.options) {
      std::string value;
      if (!option.argument.empty()) {
        value = ":" + zsh_text(option.argument) + ":" +
                (option.choices.empty() ? "_files" : "(" + joined(option.choices) + ")");
      }
      const std::string text = "[" + zsh_text(option.help) + "]" + value + "'";
      if (option.letter != 0) cases += std::string("        '*-") + option.letter + text + " \\\n";
      cases += "        '*--" + std::string(option.name) + text + " \\\n";
    }
    cases +=
        takes_rules(command) ? "        \"*:rule:($(" + std::string(kRuleNames) + "))\"" : "        '*:file:_files'";
    cases += ";;\n";
  }
  return "#compdef " + name() + "\n" + function_name() + "() {\n  local -a commands=(\n" + names +
         "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
         "  local name=$words[2]\n  shift words\n  ((CURRENT--))\n"
         "  case $name in\n" +
         groups + "  esac\n  case $name in\n" + cases + "  esac\n}\n" + function_name() + " \"$@\"\n";
}

std::string fish_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// A condition: the command line so far has exactly these words before the one under way (or, with more, any after).
std::string fish_within(std::string_view words, bool more) {
  return "complete -c " + name() + " -n 'string match -rq \"" + name() + " " + std::string(words) +
         (more ? " " : " [^ ]*\\$") + "\" -- (commandline -pc)'";
}

std::string fish_options(const Command& command) {
  std::string out;
  const std::string within = fish_within(command.name, true);
  for (const Option& option : command.options) {
    out += within + " -l " + std::string(option.name);
    if (option.letter != 0) out += std::string(" -s ") + option.letter;
    if (!option.choices.empty()) out += " -x -a '" + joined(option.choices) + "'";
    if (option.choices.empty() && !option.argument.empty()) out += " -r";
    out += " -d '" + fish_text(option.help) + "'\n";
  }
  if (takes_rules(command)) out += within + " -f -a '(" + fish_text(kRuleNames) + ")'\n";
  return out;
}

std::string fish() {
  const std::vector<Command> commands = all_commands();
  std::string out;
  for (const FirstWord& first : first_words(commands)) {
    out += "complete -c " + name() + " -n __fish_use_subcommand -f -a " + first.name + " -d '" +
           fish_text(first.summary) + "'\n";
    for (const Command* command : first.second) {
      out += fish_within(first.name, false) + " -f -a " + std::string(last_word(*command)) + " -d '" +
             fish_text(command->summary) + "'\n";
    }
  }
  for (const Command& command : commands) out += fish_options(command);
  return out;
}

}  // namespace

std::string completions(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  return shell == "fish" ? fish() : std::string();
}

}  // namespace assay::cli
