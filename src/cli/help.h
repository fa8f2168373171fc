#pragma once
// Help, made from the tables of commands.

#include <optional>
#include <span>
#include <string>

#include "assay/text.h"
#include "cli/command.h"

namespace assay::cli {

/// Prints the help of a command; returns its exit status. It is English, which is said to who asked for another
/// language.
int print_help(const Command& command, Language language = Language::kEnglish);
/// What is said before a help in Chinese; empty in English.
std::string note_of(Language language);
/// The same of a group: its commands.
int print_help(const CommandGroup& group, Language language = Language::kEnglish);
/// What `assay` alone prints.
std::string overview();

/// What the first words of a command line name: a command, or a group alone.
struct Named {
  std::optional<Command> command;
  std::optional<CommandGroup> group;
  std::size_t words = 0;  // that its name took
};
Named find_command(std::span<const std::string> words);
/// Tells that there is no such command, with a guess at what was meant.
int unknown_command(std::span<const std::string> words);

/// The man page (troff), and completion scripts; an empty text for a shell that is not known.
std::string man_page();
std::string completions(std::string_view shell);

}  // namespace assay::cli
