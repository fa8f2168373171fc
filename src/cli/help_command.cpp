// assay help, and what is made from the same tables: the man page and the completions of shells.

#include <memory>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/shared_options.h"

namespace assay::cli {

namespace {

struct Choice {
  bool man = false;
  std::string shell;
  Language language = Language::kEnglish;
};

int run(const Choice& choice, const std::vector<std::string>& names) {
  if (choice.man) return print(man_page());
  if (!choice.shell.empty()) return print(completions(choice.shell));
  if (names.empty()) return print(note_of(choice.language) + overview());
  const Named named = find_command(names);
  if (named.command && named.words == names.size()) return print_help(*named.command, choice.language);
  if (named.group && names.size() == 1) return print_help(*named.group, choice.language);
  return unknown_command(names);
}

}  // namespace

Command help_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "help";
  command.summary = "tell about a command; print the man page or shell completions";
  command.arguments = "[COMMAND]";
  command.most_arguments = 2;
  command.options = {flag("man", 0, "print the man page", &choice->man),
                     {"completions",
                      0,
                      "SHELL",
                      "print the completions",
                      {"bash", "zsh", "fish"},
                      [choice](const std::string& shell) -> Result<void> {
                        choice->shell = shell;
                        return {};
                      }},
                     {"lang",
                      0,
                      "LANGUAGE",
                      "language of the sentences",
                      {"en", "zh"},
                      [choice](const std::string& value) -> Result<void> {
                        choice->language = value == "zh" ? Language::kChinese : Language::kEnglish;
                        return {};
                      }}};
  command.examples = {
      {"assay help check", "the options of check"},
      {"assay help float show", "those of a command of two words; of the whole group: assay help float"},
      {"assay help --man | man -l -", "the man page"},
      {"assay help --completions bash > /etc/bash_completion.d/assay", "completions for bash"}};
  command.run = [choice](const std::vector<std::string>& names) { return run(*choice, names); };
  return command;
}

}  // namespace assay::cli
