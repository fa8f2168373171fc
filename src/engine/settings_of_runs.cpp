// To which run do settings in a file of their own belong?
//
// By place, the nearest first: the stem of a run (`x.csv` and `x.hparams.json`); a layout that has its settings at a
// known place (`.hydra/config.yaml`, Weights & Biases); the folder of the run; a folder for configurations below it;
// the folders above, up to the one that the user named, since nothing outside was read. A file goes to the run of the
// first of these places at which there is one. It stays with that run even if the two contradict each other: both are
// kept and shown, and to say so is what rules are for. Only of several launch scripts of one folder, which may be those
// of many experiments, those that contradict what was seen are left out.
//
// Where a place holds several runs, what was seen of each decides: settings that say another learning rate than the
// peak that was logged, or other planned steps, are of another run. If that leaves one, it is that; if more are left,
// or none, the settings go to none of them, and the report says so. A guess would put another run's numbers into the
// advice.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "engine/group.h"

namespace assay {

namespace {

constexpr double kRateTolerance = 0.02;  // the peak may lie between two records

constexpr std::string_view kLaunchScript = "launch script";
constexpr std::size_t kMostRuns = 256;

constexpr std::string_view kFoldersOfSettings[] = {"config", "configs", "conf", "cfg", ".hydra", "hparams", "args"};

struct Places {
  std::map<std::string, std::vector<std::size_t>> stems;    // -> groups
  std::map<std::string, std::vector<std::size_t>> roots;    // of runs
  std::map<std::string, std::vector<std::size_t>> folders;  // of runs and all folders above, relative to the root
};

void add(std::map<std::string, std::vector<std::size_t>>& places, const std::string& place, std::size_t group) {
  std::vector<std::size_t>& groups = places[place];
  if (groups.empty() || groups.back() != group) groups.push_back(group);
}

class Attacher {
 public:
  Attacher(const Known& known, Grouping& grouping) : known_(known), grouping_(grouping), runs_(grouping.groups.size()) {
    for (std::size_t g = 0; g < runs_; ++g) {
      for (const GroupMember& member : grouping.groups[g].members) {
        const Layout& layout = known.layouts[member.file];
        add(places_.stems, layout.stem, g);
        add(places_.roots, layout.root, g);
        add(places_.roots, layout.folder, g);
        std::string above = layout.root;
        for (int up = 0; up < 64; ++up) {
          add(places_.folders, above, g);
          const std::string next = folder_above(above);
          if (next == above || above == "." || above.ends_with("..")) break;
          above = next;
        }
      }
    }
  }

  void attach() {
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      const Fingerprint& file = known_.files[i];
      if (file.kind == kLaunchScript && file.settings > 0) ++scripts_[known_.layouts[i].folder];
    }
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      const Fingerprint& file = known_.files[i];
      if (!file.has_records() && file.settings > 0) place(i);
    }
    for (std::size_t g = 0; g < runs_; ++g) sort_settings(grouping_.groups[g]);
  }

 private:
  void place(std::size_t i) {
    const Layout& layout = known_.layouts[i];
    if (!layout.aside) {
      for (const std::vector<std::size_t>* groups : candidates(layout)) {
        if (groups == nullptr || groups->empty()) continue;
        if (const auto group = chosen(i, *groups)) {
          const SourceRole role = layout.role.value_or(SourceRole::kSettings);
          grouping_.groups[*group].members.push_back({i, role});
          return;
        }
        grouping_.loose.push_back({i, static_cast<std::int64_t>(groups->size())});
        break;
      }
    }
    grouping_.groups.push_back({{{i, SourceRole::kSettings}}});
  }

  // The groups at each place, the nearest place first.
  std::vector<const std::vector<std::size_t>*> candidates(const Layout& layout) const {
    const auto at = [](const auto& places, const std::string& key) {
      const auto found = places.find(key);
      return found == places.end() ? nullptr : &found->second;
    };
    std::vector<const std::vector<std::size_t>*> out;
    // A stem that is the folder itself ("config.json") names no run.
    if (!layout.stem.ends_with('/')) out.push_back(at(places_.stems, layout.stem));
    out.push_back(at(places_.roots, layout.root));
    const std::string name = layout.folder.substr(layout.folder.rfind('/') + 1);
    for (const std::string_view one : kFoldersOfSettings) {
      if (name == one) out.push_back(at(places_.roots, folder_above(layout.folder)));
    }
    out.push_back(at(places_.folders, layout.folder));
    return out;
  }

  std::optional<std::size_t> chosen(std::size_t i, const std::vector<std::size_t>& groups) const {
    const Fingerprint& file = known_.files[i];
    if (groups.size() == 1) {
      const auto scripts = scripts_.find(known_.layouts[i].folder);
      const bool one_of_many = file.kind == kLaunchScript && scripts != scripts_.end() && scripts->second > 1;
      if (one_of_many && contradicts(file, grouping_.groups[groups.front()])) return std::nullopt;
      return groups.front();
    }
    if (groups.size() > kMostRuns) return std::nullopt;  // one of so many would be a guess
    std::optional<std::size_t> out;
    for (const std::size_t group : groups) {
      if (contradicts(file, grouping_.groups[group])) continue;
      if (out) return std::nullopt;
      out = group;
    }
    return out;
  }

  static std::optional<bool> says(const Fingerprint& settings, std::string_view key, double seen, double tolerance) {
    std::optional<bool> out;
    for (const auto& [name, value] : settings.said) {
      if (name != key) continue;
      out = out.value_or(false) || std::fabs(value - seen) <= tolerance * std::max(std::fabs(value), std::fabs(seen));
    }
    return out;
  }

  bool contradicts(const Fingerprint& settings, const RunGroup& run) const {
    for (const GroupMember& member : run.members) {
      const Fingerprint& file = known_.files[member.file];
      if (!file.has_records()) continue;
      if (file.highest_rate && file.rate_peaked &&
          says(settings, kRateSetting, *file.highest_rate, kRateTolerance) == false) {
        return true;
      }
      // Still on its way up: only too much is known.
      if (file.highest_rate && !file.rate_peaked) {
        const bool above = std::any_of(settings.said.begin(), settings.said.end(), [&](const auto& one) {
          return one.first == kRateSetting && one.second >= *file.highest_rate * (1 - kRateTolerance);
        });
        if (!above && says(settings, kRateSetting, *file.highest_rate, kRateTolerance) == false) return true;
      }
      if (file.planned && says(settings, kStepsSetting, static_cast<double>(*file.planned), 0) == false) return true;
      for (const auto& [key, value] : file.said) {
        if (says(settings, key, value, 1e-9) == false && !said_too(file, key, settings)) return true;
      }
    }
    return false;
  }

  // A key may be said twice: one value in common is enough.
  static bool said_too(const Fingerprint& file, const std::string& key, const Fingerprint& settings) {
    return std::any_of(file.said.begin(), file.said.end(), [&](const auto& one) {
      return one.first == key && says(settings, key, one.second, 1e-9) == true;
    });
  }

  // Behind the files with records: the nearest first, then by path.
  void sort_settings(RunGroup& run) const {
    const auto is_settings = [this](const GroupMember& one) { return !known_.files[one.file].has_records(); };
    const auto begin = std::find_if(run.members.begin(), run.members.end(), is_settings);
    if (begin == run.members.end() || begin == run.members.begin()) return;
    const Layout& main = known_.layouts[run.members.front().file];
    const auto distance = [&](const GroupMember& one) {
      const Layout& own = known_.layouts[one.file];
      const bool by_stem =
          !own.stem.ends_with('/') && std::any_of(run.members.begin(), begin, [&](const GroupMember& member) {
            return known_.layouts[member.file].stem == own.stem;
          });
      const std::size_t common = lies_in(main.folder, own.root) ? own.root.size() : main.folder.size();
      return std::make_tuple(one.role, !by_stem, -static_cast<std::int64_t>(common),
                             std::cref(known_.files[one.file].path));
    };
    std::sort(begin, run.members.end(),
              [&](const GroupMember& a, const GroupMember& b) { return distance(a) < distance(b); });
  }

  const Known& known_;
  Grouping& grouping_;
  std::size_t runs_;
  Places places_;
  std::map<std::string, std::size_t> scripts_;  // launch scripts of a folder
};

}  // namespace

void attach_settings(const Known& known, Grouping& grouping) { Attacher(known, grouping).attach(); }

}  // namespace assay
