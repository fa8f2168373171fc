#include "report/short_names.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "report/words.h"

namespace assay {

namespace {

// The end of a long path, from a folder on: the heading of a finding and the commands have it whole.
std::string shortened(const std::string& path, std::size_t length) {
  if (path.size() <= length) return path;
  const std::size_t folder = path.find('/', path.size() - length);
  return "…" + path.substr(folder == std::string::npos ? path.rfind('/') + 1 : folder);
}

}  // namespace

std::vector<std::string> short_names(const std::vector<RunSummary>& runs) {
  constexpr std::size_t kLong = 40;
  constexpr std::size_t kMore = 20;
  std::vector<std::string> out(runs.size());
  std::vector<std::size_t> open(runs.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  std::size_t longest = 0;
  for (const RunSummary& run : runs) longest = std::max(longest, run.id.size());
  for (std::size_t length = kLong; !open.empty(); length += kMore) {
    std::map<std::string, std::vector<std::size_t>> same;
    for (const std::size_t i : open) same[shortened(path_word(runs[i].id), length)].push_back(i);
    open.clear();
    for (const auto& [name, those] : same) {
      for (const std::size_t i : those) out[i] = name;
      if (those.size() > 1 && length < longest) open.insert(open.end(), those.begin(), those.end());
    }
  }
  return out;
}

}  // namespace assay
