// What the path of a file says of its run.
//
// Trainers write into folders of known shape: a checkpoint beside others, the event files in `runs/<date>`, one log a
// process. The table below has these shapes; a row gives the folder of the run relative to the file, and whether that
// folder holds one run by the trainer's own rule (`whole`). Everything else is read from the name in three steps:
//
// * the stem: the name without what says the kind of file (`.log`, `.hparams.json`, `_metrics.csv`), since programs
//   that write many runs into one folder tell them apart by it;
// * the family: the stem without dates, numbers of jobs and words for a restart. Files of one family may be parts of
//   one run, in the order of their steps. Plain numbers stay: `run1` and `run2`, `seed1` and `seed2` are two runs;
// * the job: the stem without the number of the process (`rank_0`, `worker-3`).
//
// A name only makes candidates. That what is joined also fits is seen to in group.cpp.

#include "engine/layout.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "format/tables/data_split.h"

namespace assay {

namespace {

enum class Holds : std::uint8_t { kOneRun, kPerhaps };

struct Row {
  std::string_view pattern;
  int up;  // folders between the file's and that of the run
  Holds holds = Holds::kPerhaps;
  std::optional<SourceRole> role = {};
  bool aside = false;
};

constexpr std::optional<SourceRole> kAny;
constexpr std::array kRows = std::to_array<Row>({
    // Hugging Face Trainer, LLaMA-Factory: each checkpoint holds the history up to it.
    {"checkpoint-*/trainer_state.json", 1, Holds::kOneRun},
    {"trainer_state.json", 0, Holds::kOneRun},
    {"trainer_log.jsonl", 0, Holds::kOneRun},
    {"all_results.json", 0, Holds::kOneRun, SourceRole::kSummary},
    {"train_results.json", 0, Holds::kOneRun, SourceRole::kSummary},
    {"eval_results.json", 0, Holds::kOneRun, SourceRole::kSummary},
    {"runs/*/*tfevents*", 2},
    {"runs/*/*/*tfevents*", 3},
    // Lightning.
    {"version_*/metrics.csv", 0, Holds::kOneRun},
    {"version_*/*tfevents*", 0, Holds::kOneRun},
    {"version_*/hparams.yaml", 0, Holds::kOneRun, SourceRole::kSettings},
    // Weights & Biases: a folder for each run.
    {"wandb/*run-*/*.wandb", 0, Holds::kOneRun},
    {"wandb/*run-*/files/config.yaml", 1, Holds::kOneRun, SourceRole::kSettings},
    {"wandb/*run-*/files/wandb-metadata.json", 1, Holds::kOneRun, SourceRole::kSettings},
    {"wandb/*run-*/files/wandb-summary.json", 1, Holds::kOneRun, SourceRole::kSummary},
    {"wandb/*run-*/files/*", 1, Holds::kOneRun},
    {"*run-*/run-*.wandb", 0, Holds::kOneRun},  // the same where the folder was copied elsewhere
    {"*run-*/files/output.log", 1, Holds::kOneRun},
    {"*run-*/files/config.yaml", 1, Holds::kOneRun, SourceRole::kSettings},
    {"*run-*/files/wandb-metadata.json", 1, Holds::kOneRun, SourceRole::kSettings},
    {"*run-*/files/wandb-summary.json", 1, Holds::kOneRun, SourceRole::kSummary},
    // Hydra.
    {".hydra/config.yaml", 1, Holds::kPerhaps, SourceRole::kSettings},
    {".hydra/overrides.yaml", 1, Holds::kPerhaps, kAny, true},
    {".hydra/hydra.yaml", 1, Holds::kPerhaps, kAny, true},
    // AlgoPerf: a folder for each trial.
    {"trial_*/measurements.csv", 0, Holds::kOneRun},
    {"trial_*/eval_measurements.csv", 0, Holds::kOneRun},
    {"trial_*/*tfevents*", 0, Holds::kOneRun},
    {"trial_*/hparams.json", 0, Holds::kOneRun, SourceRole::kSettings},
    {"trial_*/flags_*.json", 0, Holds::kOneRun, SourceRole::kSettings},
    {"trial_*/meta_data_*.json", 0, Holds::kPerhaps, kAny, true},
    // Where trainers put event files.
    {"tensorboard/*tfevents*", 1},
    {"tensorboard/*/*tfevents*", 2},
    {"tb/*tfevents*", 1},
    {"tb_logs/*tfevents*", 1},
    {"tensorboard_log*/*tfevents*", 1},
    {"tf_logs/*tfevents*", 1},
    {"events/*tfevents*", 1},
    {"vis_data/*", 1},
    {"summary/*tfevents*", 1},
    {"logs/*tfevents*", 1},
    // Of a model, not of its training.
    {"tokenizer*.json", 0, Holds::kPerhaps, kAny, true},
    {"special_tokens_map.json", 0, Holds::kPerhaps, kAny, true},
    {"added_tokens.json", 0, Holds::kPerhaps, kAny, true},
    {"generation_config.json", 0, Holds::kPerhaps, kAny, true},
    {"vocab.json", 0, Holds::kPerhaps, kAny, true},
    {"*.index.json", 0, Holds::kPerhaps, kAny, true},
});

// Endings that say the kind of file, and the words before them. Taken off from the end, as many as there are.
constexpr std::string_view kKinds[] = {".gz",      ".zst",    ".log",    ".txt",  ".out",   ".err",
                                       ".stdout",  ".stderr", ".csv",    ".tsv",  ".json",  ".jsonl",
                                       ".ndjson",  ".yaml",   ".yml",    ".toml", ".wandb", ".v2",
                                       ".hparams", ".params", ".config", ".cfg",  ".args",  ".metrics"};
constexpr std::string_view kWords[] = {"hparams", "config",   "args",   "metrics",
                                       "params",  "settings", "stdout", "stderr"};
constexpr std::string_view kRestarts[] = {"restart",   "resumed",  "resume", "attempt", "retry",
                                          "continued", "continue", "cont",   "part"};
constexpr std::string_view kProcesses[] = {"local_rank", "global_rank", "rank", "worker", "process", "proc", "node"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return c == '-' || c == '_' || c == '.'; }

// '*' within one name. Only the last star is ever tried again: at most the product of both lengths.
bool like(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view last_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

std::string without_kind(std::string_view name) {
  std::string_view rest = name;
  // events.out.tfevents.<time>.<host>: nothing behind it tells runs apart; what stands before may.
  if (const std::size_t events = rest.find("tfevents"); events != std::string_view::npos) {
    rest = rest.substr(0, events);
    while (!rest.empty() && is_separator(rest.back())) rest.remove_suffix(1);
    return rest == "events.out" ? std::string() : std::string(rest);
  }
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view kind : kKinds) {
      if (rest.size() > kind.size() && rest.ends_with(kind)) {
        rest.remove_suffix(kind.size());
        again = true;
      }
    }
  }
  for (const std::string_view word : kWords) {
    if (rest == word) return {};
    if (rest.size() > word.size() + 1 && rest.ends_with(word) && is_separator(rest[rest.size() - word.size() - 1])) {
      rest.remove_suffix(word.size() + 1);
      break;
    }
  }
  return std::string(rest);
}

bool between(int number, int low, int high) { return number >= low && number <= high; }
int number_at(std::string_view text, std::size_t at, std::size_t count) {
  int out = 0;
  for (std::size_t i = 0; i < count; ++i) out = out * 10 + (text[at + i] - '0');
  return out;
}

// Length of a date, with the time behind it, or of a number that is a time or a job: at least six digits.
std::size_t stamp_at(std::string_view text, std::size_t at) {
  std::size_t count = digits_at(text, at);
  std::size_t end = at;
  if (count >= 6) {
    end = at + count;
  } else if (count == 4 && between(number_at(text, at, 4), 1990, 2100)) {
    // 2024-01-31, 2024_1_31
    std::size_t next = at + 4;
    for (int group = 0; group < 2; ++group) {
      const std::size_t digits = next < text.size() && is_separator(text[next]) ? digits_at(text, next + 1) : 0;
      if (digits == 0 || digits > 2) return 0;
      next += 1 + digits;
    }
    end = next;
  } else {
    return 0;
  }
  // The time: up to three groups of two digits behind one character.
  for (int group = 0; group < 3 && end + 2 < text.size(); ++group) {
    const char c = text[end];
    if (!is_separator(c) && c != ':' && c != 'T') break;
    const std::size_t digits = digits_at(text, end + 1);
    if (digits != 2 && digits != 6) break;
    end += 1 + digits;
  }
  return end - at;
}

// Length of a word for a restart with its number.
std::size_t restart_at(std::string_view text, std::size_t at) {
  if (at > 0 && is_letter(text[at - 1])) return 0;
  for (const std::string_view word : kRestarts) {
    if (!text.substr(at).starts_with(word)) continue;
    std::size_t end = at + word.size();
    if (end < text.size() && is_letter(text[end])) continue;
    if (end < text.size() && is_separator(text[end]) && digits_at(text, end + 1) > 0) ++end;
    return end + digits_at(text, end) - at;
  }
  return 0;
}

void drop_last_separators(std::string& text) {
  while (!text.empty() && is_separator(text.back())) text.pop_back();
}

// The name without what tells parts apart; says whether there was anything.
bool family_of(std::string_view name, std::string& out) {
  bool found = false;
  std::string_view rest = name;
  for (const std::string_view codec : {".gz", ".zst"}) {
    if (rest.ends_with(codec)) rest.remove_suffix(codec.size());
  }
  // train.log.2, name.o123456
  if (const std::size_t dot = rest.rfind('.'); dot != std::string_view::npos && dot > 0 && dot + 1 < rest.size()) {
    std::size_t from = dot + 1;
    if (rest[from] == 'o' || rest[from] == 'e') ++from;
    const std::size_t digits = digits_at(rest, from);
    if (digits > 0 && from + digits == rest.size() && (from == dot + 1 || digits >= 4)) {
      rest = rest.substr(0, dot);
      found = true;
    }
  }
  const std::string stem = without_kind(rest);
  const bool slurm = stem.starts_with("slurm-") || stem.starts_with("slurm_");
  for (std::size_t i = 0; i < stem.size();) {
    std::size_t length = 0;
    const bool begins = i == 0 || (!is_digit(stem[i - 1]) && stem[i - 1] != '.');
    if (is_digit(stem[i]) && begins) {
      length = stamp_at(stem, i);
      if (length == 0 && slurm && i == 6) length = digits_at(stem, i);
    } else if (!is_digit(stem[i])) {
      length = restart_at(stem, i);
    }
    if (length == 0) {
      out += stem[i++];
      continue;
    }
    found = true;
    i += length;
    drop_last_separators(out);
  }
  drop_last_separators(out);
  return found;
}

// "rank_0", "worker-12": the number, and the name with a star in its place.
std::int64_t rank_of(std::string_view name, std::string& out) {
  for (const std::string_view word : kProcesses) {
    const std::size_t at = name.find(word);
    if (at == std::string_view::npos || (at > 0 && is_letter(name[at - 1]))) continue;
    std::size_t from = at + word.size();
    if (from < name.size() && is_separator(name[from])) ++from;
    const std::size_t digits = digits_at(name, from);
    if (digits == 0 || digits > 6) continue;
    out = std::string(name.substr(0, from)) + '*' + std::string(name.substr(from + digits));
    return number_at(name, from, digits);
  }
  return -1;
}

void read_rank(std::string_view path, Layout& out) {
  std::string name;
  // torchrun: <log folder>/attempt_0/3/stdout.log
  if (ends_like(path, "attempt_*/*/std*.log")) {
    const std::string process(last_name(out.folder));
    if (!process.empty() && process.size() <= 6 && digits_at(process, 0) == process.size()) {
      out.rank = number_at(process, 0, process.size());
      out.root = folder_above(out.folder);
      out.job = out.root + "/*";
      return;
    }
  }
  if (const std::int64_t rank = rank_of(without_kind(out.name), name); rank >= 0) {
    out.rank = rank;
    out.job = out.folder + "/" + name;
  } else if (const std::int64_t folder = rank_of(last_name(out.folder), name); folder >= 0) {
    out.rank = folder;
    out.root = folder_above(out.folder);
    out.job = out.root + "/" + name + "/" + without_kind(out.name);
  }
}

// "logs/train" and "logs/validation", "runs/Loss_train" and "runs/Loss_val": where writers keep the parts of the data
// apart.
void read_split(Layout& out) {
  if (out.name.find("tfevents") == std::string::npos) return;
  const auto split = split_of_folder(last_name(out.folder));
  if (!split) return;
  out.split_base = folder_above(out.folder);
  if (!split->base.empty()) out.split_base += "/" + std::string(split->base);
  out.evaluation = split->split == DataSplit::kEvaluation;
}

}  // namespace

bool ends_like(std::string_view path, std::string_view pattern) {
  for (;;) {
    const std::string_view name = last_name(path);
    const std::string_view wanted = last_name(pattern);
    if (!like(name, wanted)) return false;
    if (wanted.size() == pattern.size()) return true;
    if (name.size() == path.size()) return false;
    path.remove_suffix(name.size() + 1);
    pattern.remove_suffix(wanted.size() + 1);
    while (path.ends_with('/')) path.remove_suffix(1);
  }
}

std::string folder_above(std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  const std::size_t slash = folder.rfind('/');
  if (slash == 0) return "/";
  if (slash != std::string_view::npos) return std::string(folder.substr(0, slash));
  return folder == "." || folder == ".." ? std::string(folder) + "/.." : ".";
}

bool lies_in(std::string_view below, std::string_view above) {
  if (above == "." && !below.starts_with('/') && below != ".." && !below.starts_with("../")) return true;
  if (!below.starts_with(above)) return false;
  return below.size() == above.size() || above.ends_with('/') || below[above.size()] == '/';
}

bool is_errors(std::string_view name) {
  return name.ends_with(".err") || name.ends_with(".stderr") || name.starts_with("stderr") ||
         name.find("_stderr") != std::string_view::npos;
}

bool hidden_but_told(std::string_view name) { return name == ".hydra"; }

Layout layout_of(std::string_view path) {
  Layout out;
  const std::size_t slash = path.rfind('/');
  out.name = last_name(path);
  out.folder = slash == std::string_view::npos ? "." : slash == 0 ? "/" : std::string(path.substr(0, slash));
  while (out.folder.size() > 1 && out.folder.ends_with('/')) out.folder.pop_back();
  out.root = out.folder;
  out.stem = out.folder + "/" + without_kind(out.name);
  std::string family;
  out.part = family_of(out.name, family);
  out.family = out.folder + "/" + family;
  read_rank(path, out);
  read_split(out);
  for (const Row& row : kRows) {
    if (!ends_like(path, row.pattern)) continue;
    out.root = out.folder;
    for (int i = 0; i < row.up; ++i) out.root = folder_above(out.root);
    out.whole = row.holds == Holds::kOneRun;
    out.aside = row.aside;
    out.role = row.role;
    break;
  }
  return out;
}

}  // namespace assay
