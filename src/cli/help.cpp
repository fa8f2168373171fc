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

std::string help_text(const Command& command) {
  std::string out =
      "assay " + std::string(command.name) + ": " + std::string(command.summary) + "\n\n" + usage_line(command) + "\n";
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
  if (!command.examples.empty()) {
    out += "\nexamples:\n";
    for (const Example& example : command.examples) {
      out += "  " + std::string(example.command) + "\n";
      out += "      " + std::string(example.meaning) + "\n";
    }
  }
  if (!command.notes.empty()) {
    out += "\n";
    for (const std::string& line : wrap(command.notes, terminal_width())) out += line + "\n";
  }
  return out;
}

bool is_path(const std::string& word) {
  struct stat status = {};
  return word == "-" || stat(word.c_str(), &status) == 0;
}

}  // namespace

int print_help(const Command& command, Language language) { return print(note_of(language) + help_text(command)); }

std::string note_of(Language language) {
  return language == Language::kChinese ? "命令行帮助目前只有英文；报告可用 --lang zh 输出中文。\n\n" : "";
}

std::string overview() {
  std::string out =
      "assay " + std::string(version()) +
      ": finds out why the training of a large model goes wrong\n\nusage: assay COMMAND [OPTION...] ...\n\n";
  for (const Command& command : all_commands()) add_row(out, std::string(command.name), 8, command.summary);
  out +=
      "\nexamples:\n"
      "  assay check train.log        what went wrong in this run\n"
      "  assay show train.log         what assay reads in it\n"
      "  assay explain loss-spike     what a finding means and how it is decided\n\n"
      "'assay help COMMAND' tells more.\n";
  for (const std::string& line :
       wrap("assay opens no connection, and writes no file but the one named with -o.", terminal_width())) {
    out += line + "\n";
  }
  return out;
}

const Command* find_command(std::span<const Command> commands, std::string_view name) {
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const Command& command) { return command.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

int unknown_command(const std::string& word) {
  const std::vector<Command> commands = all_commands();
  std::vector<std::string_view> names;
  for (const Command& command : commands) names.push_back(command.name);
  std::string hint = "'assay help' lists the commands";
  if (const std::string guess = nearest(word, names); !guess.empty()) hint = "did you mean 'assay " + guess + "'?";
  if (is_path(word)) hint = "did you mean 'assay check " + word + "'?";
  return complain(usage_error("unknown command '" + word + "'", hint));
}

}  // namespace assay::cli
