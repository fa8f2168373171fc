// "Resume from a checkpoint before step 1,480" is advice; "resume from out/iter_0001400" is a command. Which
// checkpoints there are the folder tells: trainers name them by the step. A log may name others, long since deleted to
// save room.
//
// Only names are looked at, as the walk comes across them: a checkpoint is a folder of many gigabytes. The names are
// those of Megatron-LM (iter_0001000), DeepSpeed (global_step1000), transformers (checkpoint-1000), torchtitan and
// litgpt (step-00001000), OLMo (step1000, step1000-unsharded), Lightning (epoch=3-step=1200.ckpt), fairseq
// (checkpoint_2_1000.pt: epoch and updates), MindFormers (name_rank_0-1_1000.ckpt: epoch and its step) and Composer
// (ep0-ba1000). `latest_checkpointed_iteration.txt` and `latest` hold one word and are read: 64 bytes.
//
// A checkpoint is of the run whose folder is the nearest above it or beside it. Of a single run it is, wherever it lies
// in what was named.

#include "engine/checkpoints.h"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "engine/engine.h"
#include "engine/layout.h"

namespace assay {

namespace {

constexpr std::size_t kMostCheckpoints = 10'000;
constexpr std::size_t kMostEntries = 1000;
constexpr std::size_t kMarkerBytes = 64;

constexpr auto kEndings = std::to_array<std::string_view>(
    {"", ".pt", ".pth", ".ckpt", ".bin", ".safetensors", ".distcp", "-unsharded", "-hf", "_hf"});
constexpr auto kBeginnings = std::to_array<std::string_view>(
    {"iter_", "global_step", "checkpoint-", "checkpoint_", "step-", "step_", "step", "ckpt-", "ckpt_", "ckpt_step_"});
constexpr auto kFoldersOfCheckpoints = std::to_array<std::string_view>(
    {"checkpoints", "checkpoint", "ckpt", "ckpts", "save", "saved", "output", "out", "models", "weights"});

// A number at the beginning of the text, which it shortens.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest == text.data() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return value;
}

bool is_ending(std::string_view text) {
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view one) { return text == one; });
}

// "epoch=3-step=1200.ckpt", "ep0-ba1000-rank0.pt".
std::optional<std::int64_t> inner_step(std::string_view name) {
  const std::size_t lightning = name.find("step=");
  if (lightning != std::string_view::npos && name.ends_with(".ckpt")) {
    name.remove_prefix(lightning + 5);
    return take_number(name);
  }
  // MindSpore counts the steps within an epoch; in the first one these are the steps of the run.
  const std::size_t first_epoch = name.find("-1_");
  if (name.ends_with(".ckpt") && name.find("rank_") < first_epoch && first_epoch != std::string_view::npos) {
    name.remove_prefix(first_epoch + 3);
    return take_number(name);
  }
  const std::size_t batches = name.find("-ba");
  if (!name.starts_with("ep") || batches == std::string_view::npos) return std::nullopt;
  std::string_view epoch = name.substr(2, batches - 2);
  name.remove_prefix(batches + 3);
  return take_number(epoch) && epoch.empty() ? take_number(name) : std::nullopt;
}

std::string first_word(const std::string& path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file) return {};
  std::vector<char> bytes(kMarkerBytes);
  const Result<std::size_t> got = file->read(bytes, nullptr);
  if (!got) return {};
  std::string text(bytes.data(), *got);
  text.erase(std::min(text.find_first_of(" \t\r\n"), text.size()));
  return text;
}

// How many names two folders have in common from the beginning.
std::size_t common_names(std::string_view a, std::string_view b) {
  std::size_t count = 0;
  std::size_t at = 0;
  for (; at < a.size() && at < b.size() && a[at] == b[at]; ++at) count += a[at] == '/' ? 1 : 0;
  const bool a_ends = at == a.size() && (at == b.size() || b[at] == '/');
  const bool b_ends = at == b.size() && at < a.size() && a[at] == '/';
  return count + (a_ends || b_ends ? 1 : 0);
}

// Those on disk, and those in archives, as far as their members were looked at.
std::vector<Checkpoint> with_packed(std::vector<Checkpoint> found, std::span<const Input> inputs) {
  CheckpointFinder packed;
  for (const Input& input : inputs) {
    if (input.archive.empty() || !input.path.starts_with(input.archive)) continue;
    for (std::size_t at = input.archive.size() + 1; at < input.path.size();) {
      const std::size_t end = std::min(input.path.find('/', at), input.path.size());
      packed.see(input.path.substr(0, end), input.path.substr(at, end - at));
      at = end + 1;
    }
  }
  std::vector<Checkpoint> out = packed.take();
  out.insert(out.end(), found.begin(), found.end());
  return out;
}

// A path within an archive is one of the machine that it was packed on.
void leave_archives(std::span<const Input> inputs, std::vector<std::vector<Checkpoint>>& checkpoints) {
  std::set<std::string> archives;
  for (const Input& input : inputs) {
    if (!input.archive.empty()) archives.insert(input.archive + "/");
  }
  for (std::vector<Checkpoint>& own : checkpoints) {
    for (Checkpoint& one : own) {
      for (const std::string& archive : archives) {
        if (one.path.starts_with(archive)) one.path.erase(0, archive.size());
      }
    }
  }
}

}  // namespace

std::optional<std::int64_t> checkpoint_step(std::string_view name) {
  if (const auto step = inner_step(name)) return step;
  for (const std::string_view begin : kBeginnings) {
    if (!name.starts_with(begin)) continue;
    std::string_view rest = name.substr(begin.size());
    auto step = take_number(rest);
    if (!step) continue;
    if (begin == "checkpoint_" && rest.starts_with('_')) {  // fairseq: the epoch came first
      rest.remove_prefix(1);
      step = take_number(rest);
    }
    if (step && is_ending(rest)) return step;
  }
  return std::nullopt;
}

void CheckpointFinder::see(const std::string& path, std::string_view name) {
  if (found_.size() >= kMostCheckpoints) return;
  if (const auto step = checkpoint_step(name)) {
    found_.push_back({*step, path});
    return;
  }
  if (name != "latest_checkpointed_iteration.txt" && name != "latest") return;
  const std::string word = first_word(path);
  std::string_view text = word;
  auto step = checkpoint_step(text);
  if (!step) step = take_number(text);
  if (step && (text.empty() || checkpoint_step(word))) found_.push_back({*step, layout_of(path).folder});
}

void find_checkpoints_beside(const std::string& file, CheckpointFinder& finder) {
  const std::string folder = layout_of(file).folder;
  std::size_t room = kMostEntries;
  const auto look = [&](const std::string& inside, bool deeper, auto&& self) -> void {
    const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(inside.c_str()), closedir);
    std::vector<std::string> names;
    while (open && room > 0) {
      const dirent* entry = readdir(open.get());
      if (entry == nullptr) break;
      if (entry->d_name[0] == '.') continue;
      names.emplace_back(entry->d_name);
      --room;
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      std::string path = inside == "." ? name : inside == "/" ? "/" + name : inside + "/" + name;
      finder.see(path, name);
      const bool saves =
          std::find(kFoldersOfCheckpoints.begin(), kFoldersOfCheckpoints.end(), name) != kFoldersOfCheckpoints.end();
      if (deeper && saves) self(path, false, self);
    }
  };
  look(folder, true, look);
}

std::vector<std::vector<Checkpoint>> checkpoints_of(std::span<const RunGroup> groups,
                                                    std::span<const Fingerprint> files, std::span<const Input> inputs,
                                                    const std::vector<Checkpoint>& on_disk) {
  std::vector<Checkpoint> found = with_packed(on_disk, inputs);
  std::vector<std::vector<Checkpoint>> out(groups.size());
  std::vector<std::pair<std::size_t, std::string>> roots;  // of the runs that have begun
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Fingerprint& main = files[groups[g].members.front().file];
    if (groups[g].members.front().role == SourceRole::kMain) roots.emplace_back(g, layout_of(main.path).root);
  }
  for (Checkpoint& one : found) {
    const std::string folder = layout_of(one.path).folder;
    std::size_t best = 0;
    std::size_t nearest = 0;
    std::size_t rivals = 0;
    for (const auto& [g, root] : roots) {
      const std::size_t near = 1 + common_names(folder, root);
      if (near < nearest) continue;
      rivals = near == nearest ? rivals + 1 : 0;
      nearest = near;
      best = g;
    }
    if (nearest > 0 && rivals == 0) out[best].push_back(std::move(one));
  }
  // Of the marker and the folder that it names the folder stays.
  for (std::vector<Checkpoint>& own : out) {
    const auto key = [](const Checkpoint& one) {
      return std::make_tuple(one.step, !checkpoint_step(layout_of(one.path).name).has_value(), std::cref(one.path));
    };
    std::sort(own.begin(), own.end(), [&](const Checkpoint& a, const Checkpoint& b) { return key(a) < key(b); });
    const auto same = [](const Checkpoint& a, const Checkpoint& b) { return a.step == b.step; };
    own.erase(std::unique(own.begin(), own.end(), same), own.end());
  }
  leave_archives(inputs, out);
  return out;
}

}  // namespace assay
