// A launch of thirty options over thirty lines loses a backslash sooner or later. The shell then starts the training
// with the options above that line, and reports that there is no command called --lr, after the training has ended. No
// program is called "--something", so the options below are those that were meant, and whoever reads the script is told
// that they do not act.

#include "format/config/lost_backslash.h"

#include <iterator>
#include <utility>

namespace assay::shell {

namespace {

bool begins_with_option(const Invocation& command) {
  if (command.words.empty() || !command.environment.empty()) return false;
  const std::string& word = command.words.front().text;
  return word.size() > 3 && word.starts_with("--") && word[2] != '-';
}

}  // namespace

std::vector<std::int64_t> join_lost_backslashes(std::vector<Invocation>& commands) {
  std::vector<std::int64_t> lines;
  std::vector<Invocation> joined;
  for (Invocation& one : commands) {
    if (joined.empty() || !begins_with_option(one) || one.branch != joined.back().branch) {
      joined.push_back(std::move(one));
      continue;
    }
    lines.push_back(one.line);
    std::move(one.words.begin(), one.words.end(), std::back_inserter(joined.back().words));
  }
  commands = std::move(joined);
  return lines;
}

}  // namespace assay::shell
