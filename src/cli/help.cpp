#include "cli/help.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/display.h"
#include "base/nearest.h"
#include "base/version.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace assay::cli {

namespace {

// "assay check"
std::string called(std::string_view words) { return std::string(program().name) + " " + std::string(words); }

std::string spaces(std::size_t count) { return std::string(count, ' '); }

// "  NAME      text, wrapped at the width of the terminal".
void add_row(std::string& out, const std::string& left, int left_width, std::string_view text) {
  const int indent = left_width + 4;
  const std::vector<std::string> lines = wrap(text, terminal_width() - indent);
  out += "  " + pad_right(left, left_width) + "  " + lines[0] + "\n";
  for (std::size_t i = 1; i < lines.size(); ++i) out += spaces(static_cast<std::size_t>(indent)) + lines[i] + "\n";
}

std::string usage_of(const Option& option) {
  std::string out = option.letter != 0 ? std::string("-") + option.letter + ", " : "    ";
  out += "--" + std::string(option.name);
  if (!option.argument.empty()) out += " " + std::string(option.argument);
  return out;
}

std::string help_of(const Option& option) {
  std::string out(option.help);
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    out += (i == 0 ? ": " : ", ") + std::string(option.choices[i]);
  }
  return out;
}

std::string glossary_text(const Glossary& glossary) {
  constexpr int kWidestWord = 16;
  if (glossary.words.empty()) return {};
  std::string out = "\n" + std::string(glossary.title) + ":\n";
  for (const auto& [word, meaning] : glossary.words) add_row(out, word, kWidestWord, meaning);
  return out;
}

std::string examples_text(const std::vector<Example>& examples) {
  std::string out = examples.empty() ? "" : "\nexamples:\n";
  for (const Example& example : examples) {
    out += "  " + std::string(example.command) + "\n";
    out += "      " + std::string(example.meaning) + "\n";
  }
  return out;
}

std::string notes_text(std::string_view notes) {
  std::string out;
  if (notes.empty()) return out;
  for (const std::string& line : wrap(notes, terminal_width())) out += "\n" + line;
  return "\n" + out.substr(1) + "\n";
}

std::string help_text(const Command& command) {
  std::string out = called(command.name) + ": " + std::string(command.summary) + "\n\n" + usage_line(command) + "\n";
  if (!command.options.empty()) {
    constexpr int kWidestUsage = 22;  // longer ones get a line of their own
    out += "\n";
    for (const Option& option : command.options) {
      std::string left = usage_of(option);
      if (display_width(left) > kWidestUsage) {
        out += "  " + left + "\n";
        left.clear();
      }
      add_row(out, left, kWidestUsage, help_of(option));
    }
  }
  return out + glossary_text(command.glossary) + examples_text(command.examples) + notes_text(command.notes);
}

std::string help_text(const CommandGroup& group) {
  const std::string name(group.name);
  std::string out =
      called(name) + ": " + std::string(group.summary) + "\n\nusage: " + called(name) + " COMMAND [OPTION...] ...\n\n";
  for (const Command& command : all_commands()) {
    if (command.name.starts_with(name + " ")) {
      add_row(out, std::string(command.name.substr(name.size() + 1)), 8, command.summary);
    }
  }
  return out + examples_text(group.examples) + notes_text(group.notes) + "\n'" + called("help ") + name +
         " COMMAND' tells more.\n";
}

bool is_path(const std::string& word) {
  struct stat status = {};
  return word == "-" || stat(word.c_str(), &status) == 0;
}

}  // namespace

int print_help(const Command& command, Language language) { return print(note_of(language) + help_text(command)); }
int print_help(const CommandGroup& group, Language language) { return print(note_of(language) + help_text(group)); }

std::string note_of(Language language) {
  return language == Language::kChinese ? "命令行帮助目前只有英文；报告可用 --lang zh 输出中文。\n\n" : "";
}

std::string overview() {
  std::string out =
      called(version()) + ": " + std::string(program().summary) + "\n\nusage: " + called("COMMAND [OPTION...] ...\n\n");
  const std::vector<CommandGroup> groups = all_groups();
  const CommandGroup* told = nullptr;
  for (const Command& command : all_commands()) {
    const CommandGroup* group = group_of(groups, command);
    if (group == nullptr) {
      add_row(out, std::string(command.name), 9, command.summary);
    } else if (group != told) {
      add_row(out, std::string(group->name), 9, group->summary);
    }
    told = group;
  }
  out += "\nexamples:\n";
  for (const Example& example : program().examples) {
    out += "  " + pad_right(example.command, 27) + "  " + std::string(example.meaning) + "\n";
  }
  out += "\n'" + called("help") + " COMMAND' tells more.\n";
  for (const std::string& line : wrap(program().notes, terminal_width())) out += line + "\n";
  return out;
}

const CommandGroup* group_of(std::span<const CommandGroup> groups, const Command& command) {
  const std::size_t space = command.name.find(' ');
  if (space == std::string_view::npos) return nullptr;
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const CommandGroup& group) {
    return group.name == command.name.substr(0, space);
  });
  return found == groups.end() ? nullptr : &*found;
}

Named find_command(std::span<const std::string> words) {
  Named out;
  if (words.empty()) return out;
  const std::string two = words.size() > 1 ? words[0] + " " + words[1] : words[0];
  for (Command& command : all_commands()) {
    if (command.name != words[0] && command.name != two) continue;
    out.words = command.name == words[0] ? 1 : 2;
    out.command = std::move(command);
    return out;
  }
  for (CommandGroup& group : all_groups()) {
    if (group.name != words[0]) continue;
    out.words = 1;
    out.group = std::move(group);
  }
  return out;
}

int unknown_command(std::span<const std::string> words) {
  const std::vector<Command> commands = all_commands();
  const std::vector<CommandGroup> groups = all_groups();
  const bool of_group = words.size() > 1 && std::any_of(groups.begin(), groups.end(), [&](const CommandGroup& group) {
                          return group.name == words[0];
                        });
  const std::string lead = of_group ? words[0] + " " : "";
  const std::string& word = words[of_group ? 1 : 0];
  std::vector<std::string_view> names;  // that could stand in its place
  std::string hint = "'" + called("help") + (of_group ? " " + words[0] : "") + "' lists the commands";
  for (const Command& command : commands) {
    const CommandGroup* group = group_of(groups, command);
    if (of_group ? command.name.starts_with(lead) : group == nullptr) names.push_back(command.name.substr(lead.size()));
    if (group != nullptr && command.name.ends_with(" " + word)) {
      hint = "did you mean '" + called(command.name) + "'?";
    }
  }
  for (const CommandGroup& group : groups) {
    if (!of_group) names.push_back(group.name);
  }
  if (const std::string guess = nearest(word, names); !guess.empty())
    hint = "did you mean '" + called(lead) + guess + "'?";
  const bool checks = std::find(names.begin(), names.end(), "check") != names.end();
  if (!of_group && checks && is_path(word)) hint = "did you mean '" + called("check ") + word + "'?";
  return complain(usage_error("unknown command '" + lead + word + "'", hint));
}

}  // namespace assay::cli
