// Which files of settings describe one plan: a run that has not begun.
//
// A training is started from several files: a launch script, the trainer's own configuration, one for DeepSpeed or
// accelerate, the shape of the model. Read one by one none of them tells the batch or the length, and each is judged by
// defaults that another one has replaced. Read together they are what will run.
//
// Two things make them one plan:
//   * one names the other (references.cpp), as text. A file that several scripts name is a part of each of their plans;
//   * the user named them side by side: then parts (DeepSpeed's, accelerate's, the model's) and one configuration go to
//     the one script that is there, unless they contradict each other in what tells runs apart (learning rate, batch,
//     steps, layers, …).
// In a folder nothing but a name joins: a library of configurations is full of files that fit each other by chance.
// Two launch scripts are two plans, and so are two complete configurations of a trainer; configurations that set
// different things (GPT-NeoX is started with several) are one when they were named together.
//
// Order: Config::find takes what was said last, and the command line overrides files. So the script counts before what
// it sources and before the trainer's configuration, these before DeepSpeed's and accelerate's, and the model's last.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/group.h"
#include "engine/references.h"

namespace assay {

namespace {

constexpr std::size_t kMostFilesOfPlan = 32;
constexpr std::size_t kMostNamed = 256;  // files that are compared because they were named together

// In the order in which they are believed.
enum class Part : std::uint8_t { kScript, kTrainer, kDeepspeed, kAccelerate, kModel };

Part part_of(const Fingerprint& file) {
  if (file.kind == "launch script") return Part::kScript;
  if (file.framework == "deepspeed") return Part::kDeepspeed;
  if (file.framework == "accelerate") return Part::kAccelerate;
  return file.framework == "hf-model" ? Part::kModel : Part::kTrainer;
}
bool leads(Part part) { return part == Part::kScript || part == Part::kTrainer; }

class Planner {
 public:
  Planner(const Known& known, Grouping& grouping) : known_(known), grouping_(grouping) {}

  void join() {
    collect();
    if (plans_.size() < 2) return;
    follow_references();
    join_named();
    replace_groups();
  }

 private:
  const Fingerprint& file(std::size_t i) const { return known_.files[i]; }
  Part part(std::size_t i) const { return part_of(file(i)); }

  // Files that no run took.
  void collect() {
    for (const RunGroup& group : grouping_.groups) {
      if (group.members.size() != 1 || group.members.front().role != SourceRole::kSettings) continue;
      const std::size_t i = group.members.front().file;
      if (file(i).has_records() || known_.layouts[i].aside) continue;
      plans_[i] = {i};
      by_path_[plain_path(file(i).path)] = i;
    }
  }

  // The files that a file names, and those that these name.
  void follow_references() {
    std::map<std::size_t, std::set<std::size_t>> names;
    std::set<std::size_t> named;
    for (const auto& [i, files] : plans_) {
      for (const std::string& reference : file(i).refers) {
        const std::size_t other = best_fit(i, reference);
        if (other == i || names[other].contains(i)) continue;  // two that name each other: the first leads
        names[i].insert(other);
        named.insert(other);
      }
    }
    for (auto& [i, files] : plans_) {
      for (std::size_t at = 0; at < files.size(); ++at) {
        for (const std::size_t other : names[files[at]]) {
          const bool known = std::find(files.begin(), files.end(), other) != files.end();
          if (!known && files.size() < kMostFilesOfPlan) files.push_back(other);
        }
      }
    }
    for (const std::size_t i : named) plans_.erase(i);  // a part of another plan
  }

  // The file that the reference means; the file itself where it means none that was read.
  std::size_t best_fit(std::size_t i, const std::string& reference) const {
    const std::string& folder = known_.layouts[i].folder;
    std::size_t best = i;
    std::tuple<std::size_t, std::size_t> closest{0, 0};
    for (const std::string& path : paths_of_reference(folder, reference)) {
      const auto other = by_path_.find(path);
      if (other == by_path_.end() || other->second == i) continue;
      const std::tuple<std::size_t, std::size_t> close{fits_reference(path, folder, reference), path.size()};
      if (std::get<0>(close) == 0 || close <= closest) continue;
      closest = close;
      best = other->second;
    }
    return best;
  }

  bool contradict(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) const {
    return std::any_of(a.begin(), a.end(), [&](std::size_t one) {
      return std::any_of(b.begin(), b.end(), [&](std::size_t two) { return says_other(file(one), file(two)); });
    });
  }

  // Neither says anything of what tells runs apart that the other says too.
  bool complement(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) const {
    const auto keys = [this](const std::vector<std::size_t>& files) {
      std::set<std::string> out;
      for (const std::size_t i : files) {
        for (const auto& [key, value] : file(i).said) out.insert(key);
      }
      return out;
    };
    const std::set<std::string> of_a = keys(a);
    const std::set<std::string> of_b = keys(b);
    return std::none_of(of_a.begin(), of_a.end(), [&](const std::string& key) { return of_b.contains(key); });
  }

  void join_named() {
    std::map<Part, std::vector<std::size_t>> named;
    std::size_t count = 0;
    for (const auto& [i, files] : plans_) {
      if (file(i).named) named[part(i)].push_back(i);
      count += file(i).named ? 1 : 0;
    }
    if (count < 2 || count > kMostNamed) return;
    const std::vector<std::size_t>& scripts = named[Part::kScript];
    if (scripts.size() > 1) return;  // which of them the others belong to, only their texts tell
    std::vector<std::size_t>& trainers = named[Part::kTrainer];
    for (std::size_t k = 1; k < trainers.size(); ++k) {
      if (!complement(plans_[trainers.front()], plans_[trainers[k]])) return;
    }
    std::vector<std::size_t> rest;
    for (const auto& [kind, files] : named) rest.insert(rest.end(), files.begin(), files.end());
    const std::size_t first = rest.front();
    for (const std::size_t other : rest) {
      const bool only = leads(part(other)) || named[part(other)].size() == 1;  // of two alike nothing tells which
      if (other == first || !only) continue;
      if (contradict(plans_[first], plans_[other])) {
        grouping_.unused.push_back({other, "it contradicts " + file(first).path});
        continue;
      }
      std::vector<std::size_t> files = plans_[other];
      plans_.erase(other);
      plans_[first].insert(plans_[first].end(), files.begin(), files.end());
    }
  }

  void replace_groups() {
    std::set<std::size_t> taken;
    for (auto& [i, files] : plans_) {
      std::sort(files.begin() + 1, files.end(), [this](std::size_t a, std::size_t b) {
        return std::make_tuple(part(a), std::cref(file(a).path)) < std::make_tuple(part(b), std::cref(file(b).path));
      });
      files.erase(std::unique(files.begin(), files.end()), files.end());
      taken.insert(files.begin(), files.end());
    }
    std::erase_if(grouping_.groups, [&](RunGroup& group) {
      const std::size_t i = group.members.front().file;
      if (group.members.size() != 1 || !taken.contains(i)) return false;
      const auto plan = plans_.find(i);
      if (plan == plans_.end()) return true;
      group.members.clear();
      for (const std::size_t one : plan->second) group.members.push_back({one, SourceRole::kSettings});
      return false;
    });
  }

  const Known& known_;
  Grouping& grouping_;
  std::map<std::size_t, std::vector<std::size_t>> plans_;  // the file that leads -> all files of the plan, itself first
  std::map<std::string, std::size_t> by_path_;
};

}  // namespace

void join_plans(const Known& known, Grouping& grouping) { Planner(known, grouping).join(); }

}  // namespace assay
