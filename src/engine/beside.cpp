// What lies beside a file that the user named alone.
//
// A log says more together with its event file and its configuration, but who names one file wants that file read. So
// nothing beside it is read; what by its name belongs to the same run is named, and the user decides. Names alone are
// looked at, of at most 1,000 entries of the folder and of those below it where trainers put event files and
// settings.

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/file.h"
#include "engine/engine.h"
#include "engine/layout.h"
#include "engine/references.h"

namespace assay {

namespace {

constexpr std::size_t kMostEntries = 1000;
constexpr std::size_t kFirstBytes = 1024;

constexpr std::string_view kFoldersOfRuns[] = {".hydra", "config", "configs", "events",
                                               "runs",   "tb",     "tb_logs", "tensorboard"};
constexpr std::string_view kSettings[] = {
    "config.yaml", "config.yml",      "config.json",     "config.toml",   "hparams.yaml", "hparams.json",
    "params.json", "params.yaml",     "args.json",       "args.yaml",     "args.yml",     "training_args.json",
    "*.hparams.*", "ds_config*.json", "deepspeed*.json", "*_config.yaml", "config.py",    "*_config.py",
    "*.gin",       "run.sh",          "run_*.sh",        "train*.sh",     "pretrain*.sh", "finetune*.sh",
    "launch*.sh",  "*.slurm",         "*.sbatch"};
constexpr std::string_view kTables[] = {"metrics.csv",       "metrics.jsonl",    "trainer_state.json",
                                        "trainer_log.jsonl", "measurements.csv", "wandb-history.jsonl"};
constexpr std::string_view kEndingsOfSettings[] = {".yaml", ".yml", ".toml", ".json", ".sh", ".gin"};

template <class Patterns>
bool any_like(std::string_view name, const Patterns& patterns) {
  return std::any_of(std::begin(patterns), std::end(patterns),
                     [&](std::string_view one) { return ends_like(name, one); });
}

std::vector<std::string> names_in(const std::string& folder, std::size_t& room) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  while (open && room > 0) {
    const dirent* entry = readdir(open.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name.starts_with('.') && !hidden_but_told(name)) continue;
    names.emplace_back(name);
    --room;
  }
  std::sort(names.begin(), names.end());
  return names;
}

// What the file is to the run of the other, by its name.
std::optional<SourceRole> role_beside(const Layout& own, const Layout& other) {
  if (other.aside) return std::nullopt;
  if (other.role) return other.role;
  const bool same_stem = other.stem == own.stem && !own.stem.ends_with('/');
  const bool settings = std::any_of(std::begin(kEndingsOfSettings), std::end(kEndingsOfSettings),
                                    [&](std::string_view ending) { return other.name.ends_with(ending); });
  if (any_like(other.name, kTables)) return SourceRole::kMore;
  if (any_like(other.name, kSettings) || (settings && same_stem)) {
    // Those that have a run's name are that run's.
    const bool of_another =
        !other.stem.ends_with('/') && !same_stem && other.folder == own.folder && ends_like(other.name, "*.hparams.*");
    return of_another ? std::nullopt : std::optional(SourceRole::kSettings);
  }
  if (other.name.find("tfevents") != std::string::npos) {
    const bool named = !other.stem.ends_with('/');
    return named && !same_stem ? std::nullopt : std::optional(SourceRole::kMore);
  }
  if (other.rank >= 0 && own.rank >= 0) {
    return other.job == own.job && other.rank != own.rank ? std::optional(SourceRole::kRank) : std::nullopt;
  }
  // Of one job; of another the steps would have to tell.
  if (same_stem && is_errors(other.name) && !is_errors(own.name)) return SourceRole::kMessages;
  if (other.folder == own.folder && other.family == own.family && (own.part || other.part)) return SourceRole::kPart;
  return same_stem ? std::optional(SourceRole::kMore) : std::nullopt;
}

// An empty file, or one that is not there to be read, helps nobody.
bool holds_something(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return false;
  Result<InputFile> file = InputFile::open(path);
  if (!file) return false;
  std::vector<char> first(kFirstBytes);
  const Result<std::size_t> got = file->read(first, nullptr);
  return got && *got > 0;
}

class Look {
 public:
  explicit Look(const Layout& own) : own_(own) {}

  void into(const std::string& folder, int depth) {
    for (const std::string& name : names_in(folder, room_)) {
      const std::string path = folder == "." ? name : folder == "/" ? "/" + name : folder + "/" + name;
      const Layout other = layout_of(path);
      const bool own = other.folder == own_.folder && other.name == own_.name;
      const auto role = own ? std::nullopt : role_beside(own_, other);
      if (role && holds_something(path)) {
        found_.push_back({path, *role});
        continue;
      }
      const bool enter = depth == 0 ? any_like(name, kFoldersOfRuns) : depth == 1 && ends_like(folder, "runs");
      struct stat status = {};
      if (enter && stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) into(path, depth + 1);
    }
  }

  std::vector<Beside> take() {
    std::sort(found_.begin(), found_.end(),
              [](const Beside& a, const Beside& b) { return std::tie(a.role, a.path) < std::tie(b.role, b.path); });
    return std::move(found_);
  }

 private:
  const Layout& own_;
  std::size_t room_ = kMostEntries;
  std::vector<Beside> found_;
};

}  // namespace

std::vector<Beside> lies_beside(const Input& input, bool begun) {
  if (input.stream || input.error) return {};
  const Layout own = layout_of(input.path);
  Look look(own);
  look.into(own.folder, 0);
  std::vector<Beside> out = look.take();
  if (!begun) std::erase_if(out, [](const Beside& one) { return one.role == SourceRole::kSettings; });
  return out;
}

std::vector<std::string> named_beside(const std::string& path, const std::vector<std::string>& references) {
  std::vector<std::string> out;
  if (path.empty() || path == "-") return out;
  const std::string folder = layout_of(path).folder;
  for (const std::string& reference : references) {
    for (std::string& place : places_of_reference(folder, reference)) {
      if (!holds_something(place)) continue;
      out.push_back(std::move(place));
      break;
    }
  }
  return out;
}

}  // namespace assay
