// Which files are of one run.
//
// A training job leaves a console log, an event file, a table, a configuration, checkpoints with a history each, logs
// of other ranks, and all of that again after each restart. A folder of experiments has many jobs. Joined, the files
// of a job say more than each alone, and one event is one finding; but a false join makes a run that never was, and
// whatever is said of it is wrong. So evidence is asked for, the strongest first:
//
// 1. The same numbers at the same steps (fingerprint.cpp, copies.cpp). Holds for files of any name in any folder.
//    The name that a service gave the run (Recording::run_id) is as good.
// 2. A layout that holds one run by the trainer's own rule (layout.cpp): `checkpoint-500` beside `checkpoint-1000`, a
//    folder of Weights & Biases, the event files of one folder, those of evaluation in a folder beside (`train`,
//    `validation`), the processes of one job. Two files of one kind that
//    show different numbers at the same steps stay apart even there.
// 3. One file goes on where another was (continuations.cpp).
// 4. One folder, or one stem, with one file of a kind: a console and a table of one run beside it, whose losses
//    differ because one is a mean over the interval. The steps have to overlap, one has to be the mean of the other
//    (averages.cpp), and nothing else that both tell may differ. Two names that say something (not "train" or
//    "metrics") are names of two runs.
// 5. Settings, which have no steps: settings_of_runs.cpp.
//
// Clocks are no evidence (they only order parts that are one run), and neither is the order in which files were found:
// sets are built from sorted keys, and the fingerprints alone decide.

#include "engine/group.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "assay/metric.h"
#include "base/ascii.h"

namespace assay {

namespace {

constexpr double kRateTolerance = 0.01;  // learning rates are printed with few digits

constexpr std::size_t kMostRunsOfEvents = 256;  // in one folder; what is beyond them is a run of its own
constexpr std::size_t kFilesComparedOfEvents = 8;

bool rates_differ(const Fingerprint& a, const Fingerprint& b) {
  if (!a.rate || !b.rate || a.stepless || b.stepless) return false;
  std::size_t common = 0;
  std::size_t agree = 0;
  std::size_t j = 0;
  for (const auto& point : a.rate->points) {
    while (j < b.rate->points.size() && b.rate->points[j].step < point.step) ++j;
    if (j == b.rate->points.size()) break;
    if (b.rate->points[j].step != point.step) continue;
    ++common;
    const double most = std::max(std::fabs(point.value), std::fabs(b.rate->points[j].value));
    agree += std::fabs(point.value - b.rate->points[j].value) <= kRateTolerance * most ? 1 : 0;
  }
  return common >= 3 && 10 * agree < 9 * common;
}

bool steps_overlap(const Fingerprint& a, const Fingerprint& b) {
  if (a.stepless || b.stepless || a.series.empty() || b.series.empty()) return false;
  const std::int64_t first = std::max(a.steps.first, b.steps.first);
  const std::int64_t last = std::min(a.steps.last, b.steps.last);
  const std::int64_t shorter = std::min(a.steps.last - a.steps.first, b.steps.last - b.steps.first);
  return last >= first && 2 * (last - first) >= shorter;
}

// The same numbers, as far as they were printed. Too few digits prove nothing, and differ in nothing.
bool agree_throughout(const SampledSeries& a, const SampledSeries& b) {
  const Agreement found = compare(a, b);
  return found.common > 0 && found.agree == found.common;
}

// What both tell is the same in both, or the mean of the other. A grad norm may differ: before and after clipping.
bool tell_the_same(const Fingerprint& a, const Fingerprint& b) {
  for (const SampledSeries& one : a.series) {
    const SampledSeries* other = one.metric == metric::kGradNorm ? nullptr : find(b, one.metric);
    if (other == nullptr) continue;
    if (!compare(one, *other).same() && !agree_throughout(one, *other) && !averages(one, *other)) return false;
  }
  return true;
}

// Names that programs give to the log or the table of whatever run they are in.
bool says_nothing(std::string_view name) {
  static constexpr std::string_view kCommon[] = {
      "",       "train", "training", "trainer", "log",   "logs",         "output",    "out",          "console",
      "nohup",  "std",   "stdout",   "history", "loss",  "losses",       "metrics",   "measurements", "progress",
      "events", "run",   "main",     "scalars", "stats", "training_log", "train_log", "trainer_log",  "trainer_state"};
  return std::find(std::begin(kCommon), std::end(kCommon), name) != std::end(kCommon);
}

std::string last_name_lower(std::string_view path) { return lower(path.substr(path.rfind('/') + 1)); }

class Grouper {
 public:
  explicit Grouper(std::span<const Fingerprint> files) : sets_(files.size()) {
    known_.files = files;
    for (const Fingerprint& one : files) layouts_.push_back(layout_of(one.path));
    known_.layouts = layouts_;
  }

  Grouping group() {
    find_copies(known_.files, known_.same);
    for (const auto& [a, b] : known_.same.all()) sets_.unite(a, b);
    by_layout();
    by_run_id();
    by_folder_of_events();
    by_split();
    by_job();
    find_continuations(known_.files, known_.layouts, known_.parts);
    for (const auto& [a, b] : known_.parts.all()) sets_.unite(a, b);
    by_stem();
    by_folder();
    Grouping out = collect();
    attach_settings(known_, out);
    join_plans(known_, out);
    return out;
  }

 private:
  using Keyed = std::map<std::string, std::vector<std::size_t>>;
  const Fingerprint& file(std::size_t i) const { return known_.files[i]; }
  bool joinable(std::size_t i) const { return file(i).has_records() && !layouts_[i].aside; }

  // The file that the others of a layout are held against: most values of its main series, then the first by name.
  std::size_t anchor(const std::vector<std::size_t>& files) const {
    return *std::min_element(files.begin(), files.end(), [this](std::size_t a, std::size_t b) {
      const auto size = [this](std::size_t i) { return file(i).series.empty() ? 0 : file(i).series.front().size; };
      return std::make_tuple(size(b), std::cref(file(a).path)) < std::make_tuple(size(a), std::cref(file(b).path));
    });
  }

  // Of one kind, and with other numbers at the same steps.
  bool plainly_another(std::size_t a, std::size_t b) const {
    if (file(a).kind != file(b).kind || file(a).series.empty()) return false;
    const SampledSeries* other = find(file(b), file(a).series.front().metric);
    return other != nullptr && compare(file(a).series.front(), *other).differs();
  }

  void by_layout() {
    Keyed roots;
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      if (joinable(i) && layouts_[i].whole) roots[layouts_[i].root].push_back(i);
    }
    for (const auto& [root, files] : roots) {
      const std::size_t first = anchor(files);
      for (const std::size_t i : files) {
        if (!plainly_another(first, i)) sets_.unite(first, i);
      }
    }
  }

  void by_folder_of_events() {
    Keyed folders;
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      if (joinable(i) && is_event_file(layouts_[i], file(i))) folders[layouts_[i].stem].push_back(i);
    }
    for (auto& [stem, files] : folders) unite_event_files(files);
  }

  // A restart begins where a checkpoint was. One that begins where the other began, with other numbers, is another run.
  bool started_anew(std::size_t a, std::size_t b) const {
    const std::int64_t spacing = std::max(file(a).spacing, file(b).spacing);
    return plainly_another(a, b) && std::abs(file(a).steps.first - file(b).steps.first) <= 2 * spacing;
  }

  // Each goes to the run whose numbers it has, else to the only one in which nothing speaks against it; of several
  // nothing tells which. A run is known by its first files.
  void unite_event_files(std::vector<std::size_t>& files) {
    std::sort(files.begin(), files.end(), [this](std::size_t a, std::size_t b) {
      const auto key = [this](std::size_t i) {
        return std::make_tuple(file(i).series.empty(), file(i).steps.first, std::cref(file(i).path));
      };
      return key(a) < key(b);
    });
    std::vector<std::vector<std::size_t>> runs;
    for (const std::size_t i : files) {
      const auto run_of = [&](const auto& wanted) { return std::find_if(runs.begin(), runs.end(), wanted); };
      const auto fits = [&](const std::vector<std::size_t>& run) {
        return std::none_of(run.begin(), run.end(), [&](std::size_t known) { return started_anew(known, i); });
      };
      auto run = run_of([&](const auto& one) { return sets_.set_of(one.front()) == sets_.set_of(i); });
      if (run == runs.end()) {
        run = run_of(fits);
        if (run == runs.end()) {
          if (runs.size() < kMostRunsOfEvents) runs.push_back({i});
          continue;
        }
        if (std::find_if(std::next(run), runs.end(), fits) != runs.end()) continue;
      }
      sets_.unite(run->front(), i);
      if (run->size() < kFilesComparedOfEvents) run->push_back(i);
    }
  }

  // What a service calls a run is one run, however often it was taken up again. Where the name is that of a folder, its
  // place counts as well: people call folders "run1" again and again.
  std::string run_of(std::size_t i) const {
    const std::string& path = file(i).path;
    const std::string folder = "/" + file(i).run_id + "/";
    const std::size_t at = ("/" + path).rfind(folder);
    return file(i).kind + "\n" + (at == std::string::npos ? "" : path.substr(0, at)) + "\n" + file(i).run_id;
  }

  void by_run_id() {
    Keyed runs;
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      if (joinable(i) && !file(i).run_id.empty()) runs[run_of(i)].push_back(i);
    }
    for (const auto& [run, files] : runs) {
      const std::size_t first = anchor(files);
      for (const std::size_t i : files) {
        // What is gone over again after a resume may differ; most of a run may not.
        if (!plainly_another(first, i) || !steps_overlap(file(first), file(i))) sets_.unite(first, i);
      }
    }
  }

  // Event files of evaluation, in a folder of their own, beside those of training: in one beside it, or in the one
  // above. A file that tells a training loss is of a run of its own.
  void by_split() {
    Keyed training;
    Keyed evaluation;
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      if (!joinable(i) || !is_event_file(layouts_[i], file(i))) continue;
      const Layout& own = layouts_[i];
      if (!own.evaluation) {
        training[own.split_base.empty() ? own.folder : own.split_base].push_back(i);
      } else if (find(file(i), metric::kLoss) == nullptr) {
        evaluation[own.split_base].push_back(i);
      }
    }
    for (const auto& [base, files] : evaluation) {
      const auto of_training = training.find(base);
      if (of_training == training.end()) continue;
      const std::size_t first = anchor(of_training->second);
      for (const std::size_t i : files) {
        if (may_be_one_run(file(first), file(i))) sets_.unite(first, i);
      }
    }
  }

  // Processes are numbered from 0 without great gaps; ranks of low-rank adapters are not ("rank8", "rank64").
  void by_job() {
    Keyed jobs;
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      if (joinable(i) && layouts_[i].rank >= 0) jobs[layouts_[i].job].push_back(i);
    }
    for (const auto& [job, files] : jobs) {
      std::set<std::int64_t> ranks;
      for (const std::size_t i : files) ranks.insert(layouts_[i].rank);
      if (ranks.size() < 2 || *ranks.begin() != 0) continue;
      if (*ranks.rbegin() >= 2 * static_cast<std::int64_t>(ranks.size())) continue;
      const std::size_t first = anchor(files);
      for (const std::size_t i : files) {
        const bool both = !file(i).series.empty() && !file(first).series.empty();
        if (both && !steps_overlap(file(first), file(i)) && !file(i).stepless) continue;
        if (may_be_one_run(file(first), file(i))) sets_.unite(first, i);
      }
    }
  }

  // Files that agree in their steps, in what they say, and where they tell one metric in its means.
  bool fit(std::size_t a, std::size_t b) const {
    if (!may_be_one_run(file(a), file(b))) return false;
    if (file(a).rows == 0 || file(b).rows == 0) return true;
    return steps_overlap(file(a), file(b)) && tell_the_same(file(a), file(b));
  }

  // One set for each kind, all of which fit the first file: united. Two of one kind: nothing is.
  void unite_kinds(const std::vector<std::size_t>& files) {
    std::map<std::string, std::size_t> kinds;  // kind -> its set
    for (const std::size_t i : files) {
      const std::string kind = file(i).kind + (is_errors(layouts_[i].name) ? " of errors" : "");
      const auto [at, added] = kinds.emplace(kind, sets_.set_of(i));
      if (!added && at->second != sets_.set_of(i)) return;
    }
    const std::size_t first = anchor(files);
    std::vector<std::size_t> fitting;
    for (const std::size_t i : files) {
      if (sets_.set_of(i) == sets_.set_of(first)) continue;
      if (fit(first, i)) fitting.push_back(i);
    }
    for (const std::size_t i : fitting) sets_.unite(first, i);
  }

  void by_stem() {
    Keyed stems;
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      if (joinable(i) && layouts_[i].rank < 0) stems[layouts_[i].stem].push_back(i);
    }
    for (const auto& [stem, files] : stems) {
      if (files.size() > 1) unite_kinds(files);
    }
  }

  void by_folder() {
    Keyed roots;
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      // Messages without records could be of any run there.
      if (joinable(i) && file(i).rows > 0) roots[layouts_[i].root].push_back(i);
    }
    for (const auto& [root, files] : roots) {
      if (files.size() < 2) continue;
      std::map<std::size_t, std::string> said;  // by each set, where its name says something
      for (const std::size_t i : files) {
        if (layouts_[i].rank >= 0 || says_nothing(last_name_lower(layouts_[i].family))) continue;
        const std::string name = last_name_lower(layouts_[i].stem);
        std::string& known = said[sets_.set_of(i)];
        if (known.empty() || name < known) known = name;
      }
      std::set<std::string> names;  // two of them are of two runs
      for (const auto& [set, name] : said) names.insert(name);
      if (names.size() < 2) unite_kinds(files);
    }
  }

  Grouping collect() const {
    std::map<std::size_t, std::vector<std::size_t>> sets;
    Grouping out;
    for (std::size_t i = 0; i < known_.files.size(); ++i) {
      if (file(i).has_records()) sets[sets_.set_of(i)].push_back(i);
    }
    for (const auto& [set, files] : sets) out.groups.push_back({give_roles(known_, files)});
    return out;
  }

  Known known_;
  std::vector<Layout> layouts_;
  FileSets sets_;
};

}  // namespace

FileSets::FileSets(std::size_t files) : above_(files) {
  for (std::size_t i = 0; i < files; ++i) above_[i] = i;
}

std::size_t FileSets::set_of(std::size_t file) const {
  while (above_[file] != file) file = above_[file] = above_[above_[file]];
  return file;
}

void FileSets::unite(std::size_t a, std::size_t b) {
  a = set_of(a);
  b = set_of(b);
  above_[std::max(a, b)] = std::min(a, b);
}

void FilePairs::sort() {
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
}

bool FilePairs::has(std::size_t a, std::size_t b) const {
  return std::binary_search(pairs_.begin(), pairs_.end(), std::make_pair(a, b)) ||
         std::binary_search(pairs_.begin(), pairs_.end(), std::make_pair(b, a));
}

bool says_other(const Fingerprint& a, const Fingerprint& b) {
  const auto values = [](const Fingerprint& one, const std::string& key) {
    std::set<double> out;
    for (const auto& [name, value] : one.said) {
      if (name == key) out.insert(value);
    }
    return out;
  };
  for (const auto& [key, value] : a.said) {
    const std::set<double> mine = values(a, key);
    const std::set<double> theirs = values(b, key);
    const bool agree =
        theirs.empty() || std::any_of(mine.begin(), mine.end(), [&](double v) { return theirs.contains(v); });
    if (!agree) return true;
  }
  return false;
}

bool is_event_file(const Layout& layout, const Fingerprint& file) {
  return layout.name.find("tfevents") != std::string::npos || file.kind.find("event file") != std::string::npos;
}

bool may_be_one_run(const Fingerprint& a, const Fingerprint& b) {
  if (a.planned && b.planned && *a.planned != *b.planned) return false;
  if (a.kind == b.kind && !a.run_id.empty() && !b.run_id.empty() && a.run_id != b.run_id) return false;
  return !says_other(a, b) && !rates_differ(a, b);
}

Grouping group_files(std::span<const Fingerprint> files) { return Grouper(files).group(); }

}  // namespace assay
