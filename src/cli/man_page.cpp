// The man page, in troff, from the tables of commands. It has no date: the same assay prints the same page.

#include <string>

#include "base/version.h"
#include "cli/help.h"

namespace assay::cli {

namespace {

// A line must not begin with a dot or an apostrophe; a dash is a minus unless it is escaped.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string name() { return troff(program().name); }

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string option_entry(const Option& option) {
  std::string out = ".TP\n";
  if (option.letter != 0) out += std::string("\\fB\\-") + option.letter + "\\fR, ";
  out += "\\fB\\-\\-" + troff(option.name) + "\\fR";
  if (!option.argument.empty()) out += " \\fI" + troff(option.argument) + "\\fR";
  std::string help(option.help);
  for (std::size_t i = 0; i < option.choices.size(); ++i)
    help += (i == 0 ? ": " : ", ") + std::string(option.choices[i]);
  return out + "\n" + troff(help) + "\n";
}

std::string glossary_entry(const Glossary& glossary) {
  std::string out = glossary.words.empty() ? "" : ".PP\n" + troff(glossary.title) + ":\n";
  for (const auto& [word, meaning] : glossary.words)
    out += ".TP\n\\fB" + troff(word) + "\\fR\n" + troff(meaning) + "\n";
  return out;
}

std::string examples_entry(const std::vector<Example>& examples) {
  std::string out = examples.empty() ? "" : ".PP\nExamples:\n";
  for (const Example& example : examples) {
    out += ".TP\n\\fB" + troff(example.command) + "\\fR\n" + troff(example.meaning) + "\n";
  }
  return out;
}

std::string group_entry(const CommandGroup& group) {
  std::string out = ".SS \"" + name() + " " + troff(group.name) + " COMMAND\"\n" + troff(group.summary) + ".\n";
  if (!group.notes.empty()) out += ".PP\n" + troff(group.notes) + "\n";
  return out + examples_entry(group.examples);
}

}  // namespace

std::string man_page() {
  std::string out = ".TH " + upper(program().name) + " 1 \"\" \"" + std::string(program().name) + " " +
                    std::string(version()) + "\" \"User Commands\"\n" + ".SH NAME\n" + name() + " \\- " +
                    troff(program().summary) + "\n" + ".SH SYNOPSIS\n\\fB" + name() +
                    "\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] ...\n" + ".SH DESCRIPTION\n" + troff(program().about) +
                    "\n.SH COMMANDS\n";
  const std::vector<CommandGroup> groups = all_groups();
  const CommandGroup* told = nullptr;
  for (const Command& command : all_commands()) {
    const CommandGroup* group = group_of(groups, command);
    if (group != nullptr && group != told) out += group_entry(*group);
    told = group;
    out += ".SS \"" + name() + " " + troff(command.name) +
           (command.arguments.empty() ? "" : " " + troff(command.arguments)) + "\"\n" + troff(command.summary) + ".\n";
    for (const Option& option : command.options) out += option_entry(option);
    out += glossary_entry(command.glossary);
    if (!command.notes.empty()) out += ".PP\n" + troff(command.notes) + "\n";
    out += examples_entry(command.examples);
  }
  return out +
         ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR, \\fBCLICOLOR_FORCE\\fR, \\fBTERM\\fR\nwhether to print colours\n"
         ".TP\n\\fBCOLUMNS\\fR\nwidth of the text\n"
         ".TP\n\\fBLC_ALL\\fR, \\fBLC_CTYPE\\fR, \\fBLANG\\fR\nwhether the terminal shows more than ASCII\n";
}

}  // namespace assay::cli
