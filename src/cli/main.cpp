#include <csignal>
#include <cstdio>
#include <exception>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/output.h"

namespace assay::cli {

std::vector<Command> all_commands() {
  return {check_command(),  show_command(), explain_command(), rules_command(),
          report_command(), help_command(), version_command()};
}

static int run(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "-h" || words[0] == "--help") return print(overview());
  const std::vector<Command> commands = all_commands();
  const std::string& name = words[0] == "--version" ? "version" : words[0];
  const Command* command = find_command(commands, name);
  if (command == nullptr) return unknown_command(name);
  return dispatch(*command, {words.begin() + 1, words.end()});
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
