#pragma once
// A command is data: its name, its options, its examples and what it does. Parsing, help, the man page and the shell
// completions are all made from these records, so none of them can forget an option.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/result.h"

namespace assay::cli {

// Exit statuses, in one place; docs/design/report.md tells when.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFound = 1;
inline constexpr int kExitFailed = 2;
inline constexpr int kExitInterrupted = 130;

struct Option {
  std::string_view name;      // without its dashes
  char letter = 0;            // short form, or 0
  std::string_view argument;  // "FILE"; empty: a flag
  std::string_view help;
  std::vector<std::string_view> choices;                 // the values that there are; empty: any
  std::function<Result<void>(const std::string&)> take;  // called for each time that the option is given
};

struct Example {
  std::string_view command;
  std::string_view meaning;
};

/// Words that a command takes, with what they mean: under a heading of their own in its help.
struct Glossary {
  std::string_view title;  // "operators"
  std::vector<std::pair<std::string, std::string>> words = {};
};

struct Command {
  std::string_view name;       // "check"; of a group: "float show"
  std::string_view summary;    // one line, no full stop
  std::string_view arguments;  // "PATH..."; empty: none
  std::size_t least_arguments = 0;
  std::size_t most_arguments = 0;
  std::vector<Option> options;
  Glossary glossary;
  std::vector<Example> examples;
  std::string_view notes;  // more for its help: exit status and the like
  /// Whether a word that begins with '-' is an argument all the same: "-1.5" is no option.
  std::function<bool(std::string_view)> takes_dashed;
  std::function<int(const std::vector<std::string>& arguments)> run;
};

/// Commands of two words that share the first one. Which they are is told by their names.
struct CommandGroup {
  std::string_view name;
  std::string_view summary;
  std::vector<Example> examples;
  std::string_view notes;
};

/// An executable that commands are linked into. Each has its own, in the file of its main().
struct Program {
  std::string_view name;     // "assay"
  std::string_view summary;  // one line, no full stop
  std::string_view about;    // for its man page
  std::vector<Example> examples;
  std::string_view notes;  // the last words of its overview
};
const Program& program();

/// What the program does with the words of its command line; its exit status.
int run_words(const std::vector<std::string>& words);

/// "usage: assay check [OPTION...] PATH...".
std::string usage_line(const Command& command);

/// All commands of the program in the order of the help; those of a group stand together. Made anew at each call: an
/// option's value lives in its command.
std::vector<Command> all_commands();
/// Its groups, one file each.
std::vector<CommandGroup> all_groups();
CommandGroup float_group();
CommandGroup unit_group();
CommandGroup corpus_group();

/// The group of a command of two words; null for one of a single word.
const CommandGroup* group_of(std::span<const CommandGroup> groups, const Command& command);

// One file each.
Command check_command();
Command show_command();
Command explain_command();
Command rules_command();
Command float_table_command();
Command float_show_command();
Command float_add_command();
Command float_cast_command();
Command float_between_command();
Command float_divide_command();
Command float_sqrt_command();
Command error_command();
Command allreduce_command();
Command corpus_check_command();
Command unit_list_command();
Command unit_check_command();
Command unit_identify_command();
Command report_command();
Command help_command();
Command version_command();

/// Parses the words after the command's name, fills its options and runs it. Wrong usage is told on standard error.
int dispatch(const Command& command, const std::vector<std::string>& words);

/// Wrong usage, as an error.
Error usage_error(std::string message, std::string hint = {});

/// "assay: message" (the program's name), and the hint on a line of its own; returns kExitFailed.
int complain(const Error& error);

}  // namespace assay::cli
