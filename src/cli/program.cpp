// From the words of a command line to a command.

#include "cli/command.h"
#include "cli/help.h"
#include "cli/output.h"

namespace assay::cli {

int run_words(const std::vector<std::string>& words) {
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
