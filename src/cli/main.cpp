#include <csignal>
#include <cstdio>
#include <exception>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/output.h"

namespace assay::cli {

std::vector<Command> all_commands() {
  return {check_command(),        show_command(),          explain_command(),       rules_command(),
          corpus_check_command(), corpus_check_command(),  float_table_command(),   float_show_command(),
          float_add_command(),    float_cast_command(),    float_between_command(), float_divide_command(),
          float_sqrt_command(),   error_command(),         allreduce_command(),     unit_list_command(),
          unit_check_command(),   unit_identify_command(), report_command(),        help_command(),
          version_command()};
}

std::vector<CommandGroup> all_groups() { return {corpus_group(), float_group(), unit_group()}; }

static int run(const std::vector<std::string>& words) {
  const auto asks_for_help = [](const std::string& word) { return word == "-h" || word == "--help"; };
  if (words.empty() || asks_for_help(words[0])) return print(overview());
  if (words[0] == "--version") return dispatch(version_command(), {words.begin() + 1, words.end()});
  const Named named = find_command(words);
  if (named.command) {
    return dispatch(*named.command, {words.begin() + static_cast<std::ptrdiff_t>(named.words), words.end()});
  }
  if (named.group && (words.size() == 1 || asks_for_help(words[1]))) return print_help(*named.group);
  return unknown_command(words);
}

}  // namespace assay::cli

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away shows as EPIPE, which is no error
  try {
    return assay::cli::run({words + (count > 0 ? 1 : 0), words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: internal fault: %s\n", error.what());
    return assay::cli::kExitFailed;
  }
}
