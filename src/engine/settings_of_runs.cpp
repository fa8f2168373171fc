// To which run do settings in a file of their own belong?
//
// By place, the nearest first: the stem of a run (`x.csv` and `x.hparams.json`); a layout that has its settings at a
// known place (`.hydra/config.yaml`, Weights & Biases); the folder of the run; a folder for configurations below it;
// the folders above, up to the one that the user named, since nothing outside was read. A file goes to the run of the
// first of these places at which there is one.
//
// What was seen refutes settings: another learning rate than the peak that was logged, where warm-up is over; other
// planned steps than the log tells, or fewer than it has. Where a place holds several runs, the settings are of the
// one that they do not contradict, in these or in what it printed itself. If that leaves one, it is that; if more are
// left, or none, the settings go to none of them, and the report says so. A single run takes what is not refuted, and
// by stem or layout what is: there the two are known to belong together, and to say that they contradict each other
// is what rules are for (config-drift). So does a log that was named together with its settings, one whose name is that
// of the settings but for its end (`train.sh` and `train.log`, although "train" names no run among several), and a log
// that prints no learning rate of its own beside the only file that tells one: in the folder of the run or right above
// it. There config-drift says that the file may be another run's. Of several files at one place that differ in what
// tells runs apart (a library of configurations, a script for each run) none is taken. A guess would put another run's
// numbers into the advice.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "assay/text.h"
#include "engine/group.h"

namespace assay {

namespace {

constexpr double kRateTolerance = 0.02;  // the peak may lie between two records

constexpr std::size_t kMostRuns = 256;
constexpr std::size_t kMostRivals = 256;  // files compared with each other

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
      if (!file.has_records() && !known_.layouts[i].aside && tells_rate(file)) ++rates_[known_.layouts[i].folder];
    }
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      const Fingerprint& file = known_.files[i];
      if (!file.has_records() && file.settings > 0) place(i);
    }
    hand_out();
    for (std::size_t g = 0; g < runs_; ++g) sort_settings(grouping_.groups[g]);
  }

 private:
  struct Candidates {
    const std::vector<std::size_t>* groups = nullptr;
    bool bound = false;  // by a name or a layout that the run has too
  };
  struct Placed {
    std::size_t file = 0;
    std::size_t group = 0;
    std::size_t place = 0;  // which of the places, the nearest first
    bool bound = false;
  };

  void alone(std::size_t i) { grouping_.groups.push_back({{{i, SourceRole::kSettings}}}); }

  void place(std::size_t i) {
    const Layout& layout = known_.layouts[i];
    if (layout.aside) return alone(i);
    const std::vector<Candidates> places = candidates(layout);
    for (std::size_t p = 0; p < places.size(); ++p) {
      if (places[p].groups == nullptr || places[p].groups->empty()) continue;
      const std::vector<std::size_t>& groups = *places[p].groups;
      const bool one = groups.size() == 1;
      const bool same = one && same_name(i, grouping_.groups[groups[0]]);
      const bool bound =
          places[p].bound || same ||
          (one && (named_with(i, grouping_.groups[groups[0]]) || only_one(i, grouping_.groups[groups[0]])));
      std::string why = one && !bound ? refuted(known_.files[i], grouping_.groups[groups[0]]) : std::string();
      const auto group = chosen(i, groups);
      if (!why.empty()) {
        grouping_.unused.push_back({i, std::move(why)});
      } else if (group) {
        placed_.push_back({i, *group, p, places[p].bound || same});
        return;
      } else {
        grouping_.loose.push_back({i, static_cast<std::int64_t>(groups.size())});
      }
      return alone(i);
    }
    if (runs_ > 0 && !known_.files[i].said.empty()) {
      grouping_.unused.push_back({i, "no run lies in its folder or below it"});
    }
    alone(i);
  }

  // The user named the file and the records of the run: who does that says that they belong together.
  bool named_with(std::size_t i, const RunGroup& run) const {
    return known_.files[i].named && std::any_of(run.members.begin(), run.members.end(), [&](const GroupMember& one) {
             return known_.files[one.file].named && known_.files[one.file].has_records();
           });
  }

  // "train" of "train.sh": in one folder, the name but for its end.
  static std::string_view bare_name(const Layout& layout) {
    return std::string_view(layout.name).substr(0, layout.name.find('.'));
  }

  bool same_name(std::size_t i, const RunGroup& run) const {
    const Layout& own = known_.layouts[i];
    return std::any_of(run.members.begin(), run.members.end(), [&](const GroupMember& one) {
      const Layout& other = known_.layouts[one.file];
      return known_.files[one.file].has_records() && other.folder == own.folder && bare_name(other) == bare_name(own);
    });
  }

  static bool tells_rate(const Fingerprint& file) {
    return std::any_of(file.said.begin(), file.said.end(), [](const auto& one) { return one.first == kRateSetting; });
  }

  // The only file of its folder that tells a learning rate, in the folder of the run or right above, of a run that
  // prints none itself.
  bool only_one(std::size_t i, const RunGroup& run) const {
    const Layout& own = known_.layouts[i];
    if (!tells_rate(known_.files[i]) || rates_in(own.folder) != 1) return false;
    return std::all_of(run.members.begin(), run.members.end(), [&](const GroupMember& one) {
      const Layout& other = known_.layouts[one.file];
      const bool near =
          other.root == own.folder || other.folder == own.folder || folder_above(other.root) == own.folder;
      return near && !tells_rate(known_.files[one.file]);
    });
  }

  // Files of settings there that tell a learning rate.
  std::size_t rates_in(const std::string& folder) const {
    const auto found = rates_.find(folder);
    return found == rates_.end() ? 0 : found->second;
  }

  // Files at one place that differ in what tells runs apart: nothing tells which of them the run was started with.
  bool has_rival(const Placed& one) const {
    return !one.bound && std::any_of(placed_.begin(), placed_.end(), [&](const Placed& other) {
      return !other.bound && other.group == one.group && other.place == one.place &&
             known_.layouts[other.file].folder == known_.layouts[one.file].folder &&
             says_other(known_.files[one.file], known_.files[other.file]);
    });
  }

  void hand_out() {
    std::map<std::size_t, std::size_t> files;  // of each group
    for (const Placed& one : placed_) ++files[one.group];
    for (const Placed& one : placed_) {
      if (files[one.group] <= kMostRivals && has_rival(one)) {
        grouping_.unused.push_back(
            {one.file, "another configuration beside it says otherwise, and nothing tells which"});
        alone(one.file);
        continue;
      }
      const SourceRole role = known_.layouts[one.file].role.value_or(SourceRole::kSettings);
      grouping_.groups[one.group].members.push_back({one.file, role});
    }
  }

  // The groups at each place, the nearest place first.
  std::vector<Candidates> candidates(const Layout& layout) const {
    const auto at = [](const auto& places, const std::string& key) {
      const auto found = places.find(key);
      return found == places.end() ? nullptr : &found->second;
    };
    std::vector<Candidates> out;
    // A stem that is the folder itself ("config.json") names no run.
    if (!layout.stem.ends_with('/')) out.push_back({at(places_.stems, layout.stem), true});
    const bool known_layout = layout.role.has_value();
    out.push_back({at(places_.roots, layout.root), known_layout});
    const std::string name = layout.folder.substr(layout.folder.rfind('/') + 1);
    for (const std::string_view one : kFoldersOfSettings) {
      if (name == one) out.push_back({at(places_.roots, folder_above(layout.folder)), known_layout});
    }
    out.push_back({at(places_.folders, layout.folder), known_layout});
    return out;
  }

  std::optional<std::size_t> chosen(std::size_t i, const std::vector<std::size_t>& groups) const {
    if (groups.size() == 1) return groups.front();
    if (groups.size() > kMostRuns) return std::nullopt;  // one of so many would be a guess
    std::optional<std::size_t> out;
    for (const std::size_t group : groups) {
      if (contradicts(known_.files[i], grouping_.groups[group])) continue;
      if (out) return std::nullopt;
      out = group;
    }
    return out;
  }

  static double greatest(const Fingerprint& settings, std::string_view key) {
    double out = 0;
    for (const auto& [name, value] : settings.said) {
      if (name == key) out = std::max(out, value);
    }
    return out;
  }

  // Empty: by nothing that was seen.
  static std::string rate_refuted(const Fingerprint& settings, const Fingerprint& file) {
    const double said = greatest(settings, kRateSetting);
    if (!file.highest_rate || said <= 0) return {};
    if (says(settings, kRateSetting, *file.highest_rate, kRateTolerance) != false) return {};
    // Still on its way up: only too much is known.
    if (!file.rate_peaked && said >= *file.highest_rate) return {};
    return "its learning rate " + format(Value(said)) + " is not that of the log, " + format(Value(*file.highest_rate));
  }

  std::string refuted(const Fingerprint& settings, const RunGroup& run) const {
    for (const GroupMember& member : run.members) {
      const Fingerprint& file = known_.files[member.file];
      if (!file.has_records()) continue;
      if (std::string why = rate_refuted(settings, file); !why.empty()) return why;
      const double steps = greatest(settings, kStepsSetting);
      if (steps <= 0) continue;
      const std::string its = "its " + format(Value(static_cast<std::int64_t>(steps))) + " steps are ";
      if (file.planned && says(settings, kStepsSetting, static_cast<double>(*file.planned), 0) == false) {
        return its + "not those of the log, " + format(Value(*file.planned));
      }
      const auto beyond = static_cast<double>(file.steps.last - std::max<std::int64_t>(file.spacing, 1));
      if (file.rows > 0 && !file.stepless && beyond > steps) {
        return its + "fewer than the log has, " + format(Value(file.steps.last));
      }
    }
    return {};
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
    if (!refuted(settings, run).empty()) return true;
    for (const GroupMember& member : run.members) {
      const Fingerprint& file = known_.files[member.file];
      if (!file.has_records()) continue;
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
      const bool by_stem = std::any_of(run.members.begin(), begin, [&](const GroupMember& member) {
        const Layout& other = known_.layouts[member.file];
        const bool bare = other.folder == own.folder && bare_name(other) == bare_name(own);
        return bare || (!own.stem.ends_with('/') && other.stem == own.stem);
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
  std::map<std::string, std::size_t> rates_;  // files of settings that tell a learning rate, by folder
  std::vector<Placed> placed_;
};

}  // namespace

void attach_settings(const Known& known, Grouping& grouping) { Attacher(known, grouping).attach(); }

}  // namespace assay
