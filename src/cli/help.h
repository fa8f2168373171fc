#pragma once
// Help, made from the tables of commands.

#include <string>

#include "assay/text.h"
#include "cli/command.h"

namespace assay::cli {

/// Prints the help of a command; returns its exit status. It is English, which is said to who asked for another
/// language.
int print_help(const Command& command, Language language = Language::kEnglish);
/// What is said before a help in Chinese; empty in English.
std::string note_of(Language language);
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
