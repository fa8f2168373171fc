#pragma once
// Help, made from the tables of commands.

#include <string>

#include "cli/command.h"

namespace assay::cli {

/// Prints the help of a command; returns its exit status.
int print_help(const Command& command);
/// What `assay` alone prints.
std::string overview();
/// The command of that name; null when there is none.
const Command* find_command(std::span<const Command> commands, std::string_view name);
/// Tells that there is no such command, with a guess at what was meant.
int unknown_command(const std::string& word);

/// The man page (troff), and completion scripts; an empty text for a shell that is not known.
std::string man_page();
std::string completions(std::string_view shell);

}  // namespace assay::cli
