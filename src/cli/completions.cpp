// Completion scripts for shells, from the tables of commands. What completes to a rule is asked of assay itself at the
// time of completion, so that the scripts stay right when rules come.

#include <string>

#include "cli/help.h"

namespace assay::cli {

namespace {

bool takes_rules(const Command& command) { return command.arguments.starts_with("RULE"); }

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view one : words) out += (out.empty() ? "" : " ") + std::string(one);
  return out;
}

constexpr std::string_view kRuleNames = "assay rules 2>/dev/null | awk '/^  [a-z]/ {print $1}'";

std::string bash() {
  std::string names;
  std::string cases;
  for (const Command& command : all_commands()) {
    names += (names.empty() ? "" : " ") + std::string(command.name);
    std::string options = "--help";
    std::string values;
    for (const Option& option : command.options) {
      options += " --" + std::string(option.name);
      if (!option.choices.empty()) {
        values += "        --" + std::string(option.name) + ") words='" + joined(option.choices) + "';;\n";
      }
    }
    cases += "    " + std::string(command.name) + ")\n      case $before in\n" + values;
    cases += "        *) [[ $now == -* ]] && words='" + options + "'";
    cases += takes_rules(command) ? " || words=$(" + std::string(kRuleNames) + ");;\n" : ";;\n";
    cases += "      esac;;\n";
  }
  return "_assay() {\n"
         "  local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '" +
         names +
         "' -- \"$now\"))\n    return\n  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n"
         "}\ncomplete -o default -F _assay assay\n";
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

std::string zsh() {
  std::string names;
  std::string cases;
  for (const Command& command : all_commands()) {
    names += "    '" + std::string(command.name) + ":" + zsh_text(command.summary) + "'\n";
    cases += "    " + std::string(command.name) + ")\n      _arguments \\\n";
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
  return "#compdef assay\n_assay() {\n  local -a commands=(\n" + names +
         "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
         "  local name=$words[2]\n  shift words\n  ((CURRENT--))\n"
         "  case $name in\n" +
         cases + "  esac\n}\n_assay \"$@\"\n";
}

std::string fish_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string fish() {
  std::string out;
  for (const Command& command : all_commands()) {
    const std::string name(command.name);
    out += "complete -c assay -n __fish_use_subcommand -f -a " + name + " -d '" + fish_text(command.summary) + "'\n";
    const std::string within = "complete -c assay -n '__fish_seen_subcommand_from " + name + "'";
    for (const Option& option : command.options) {
      out += within + " -l " + std::string(option.name);
      if (option.letter != 0) out += std::string(" -s ") + option.letter;
      if (!option.choices.empty()) out += " -x -a '" + joined(option.choices) + "'";
      if (option.choices.empty() && !option.argument.empty()) out += " -r";
      out += " -d '" + fish_text(option.help) + "'\n";
    }
    if (takes_rules(command)) {
      std::string ask(kRuleNames);
      std::string quoted;
      for (const char c : ask) quoted += c == '\'' ? std::string("\\'") : std::string(1, c);
      out += within + " -f -a '(" + quoted + ")'\n";
    }
  }
  return out;
}

}  // namespace

std::string completions(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  return shell == "fish" ? fish() : std::string();
}

}  // namespace assay::cli
