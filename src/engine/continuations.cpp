// Files that go on where others were: a job that was started again into a new log, a log that was cut by size or day.
//
// A sweep writes files of one family too, so the name alone joins nothing. B goes on where A was if B's first step
// lies behind A's first and no further than two records behind A's last, B ends behind A, both log the same main
// metric in the same dialect, and nothing that both tell differs (learning rate at common steps, planned steps,
// seed). Where the name says what part it is (a date, a job, "restart_2"), B may begin before A ends: the steps since
// the last checkpoint are gone over again. Otherwise B has to begin behind the end of A.
//
// Two runs that start from one checkpoint both go on where A ended. Nothing tells which of them is A's, so neither
// is: a run joined to another's past would be judged by steps that it never made.
//
// Limits: a restart that dies before the place where the run had been is a run of its own.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "engine/group.h"

namespace assay {

namespace {

constexpr std::size_t kLookedAt = 64;  // files before B, by their first step

// Names with digits taken out: for files that follow each other exactly.
std::string without_digits(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) out += c;
    if (digit && (out.empty() || out.back() != '#')) out += '#';
  }
  return out;
}

class Chain {
 public:
  Chain(std::span<const Fingerprint> files, std::vector<std::size_t> family, bool by_name)
      : files_(files), family_(std::move(family)), by_name_(by_name) {
    std::sort(family_.begin(), family_.end(), [this](std::size_t a, std::size_t b) {
      const Fingerprint& x = files_[a];
      const Fingerprint& y = files_[b];
      return std::tie(x.steps.first, x.steps.last, x.path) < std::tie(y.steps.first, y.steps.last, y.path);
    });
  }

  void find(FilePairs& parts) const {
    std::map<std::size_t, std::vector<std::size_t>> next;  // of each file those that go on where it was
    for (std::size_t i = 1; i < family_.size(); ++i) {
      const std::size_t end = i - std::min(i, kLookedAt);
      for (std::size_t k = i; k-- > end;) {
        if (!goes_on(files_[family_[k]], files_[family_[i]])) continue;
        next[family_[k]].push_back(family_[i]);
        break;
      }
    }
    for (const auto& [file, those] : next) {
      if (those.size() == 1) parts.add(file, those.front());
    }
  }

 private:
  bool goes_on(const Fingerprint& a, const Fingerprint& b) const {
    const std::int64_t spacing = std::max(a.spacing, b.spacing);
    if (b.steps.first <= a.steps.first + 2 * spacing || b.steps.last <= a.steps.last) return false;
    if (b.steps.first > a.steps.last + 2 * spacing) return false;
    if (!by_name_ && b.steps.first <= a.steps.last) return false;
    return !a.ended && may_be_one_run(a, b);
  }

  std::span<const Fingerprint> files_;
  std::vector<std::size_t> family_;
  bool by_name_;
};

}  // namespace

void find_continuations(std::span<const Fingerprint> files, std::span<const Layout> layouts, FilePairs& parts) {
  std::map<std::string, std::vector<std::size_t>> by_name;
  std::map<std::string, std::vector<std::size_t>> by_place;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Fingerprint& file = files[i];
    if (file.series.empty() || file.stepless || layouts[i].aside || layouts[i].rank > 0) continue;
    const std::string what = "\n" + file.kind + "\n" + file.dialect + "\n" + file.series.front().metric;
    by_name[layouts[i].family + what].push_back(i);
    by_place[without_digits(layouts[i].family) + what].push_back(i);
  }
  for (const auto& [name, family] : by_name) Chain(files, family, true).find(parts);
  parts.sort();
  FilePairs exact;
  for (const auto& [name, family] : by_place) Chain(files, family, false).find(exact);
  // What a name says comes before what steps say.
  std::set<std::size_t> before, behind;
  for (const auto& [a, b] : parts.all()) {
    before.insert(a);
    behind.insert(b);
  }
  for (const auto& [a, b] : exact.all()) {
    if (!before.contains(a) && !behind.contains(b)) parts.add(a, b);
  }
  parts.sort();
}

}  // namespace assay
