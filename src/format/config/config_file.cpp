// From the bytes of a file of settings to a recording.
//
// Which files are configurations: a folder of a run is full of YAML and JSON that configure something else (containers,
// workflows, tokenizers, packages). A file is taken only when it holds words of training (holds_training_settings());
// others give no settings at all, so that in a folder they are passed over without a word.

#include "format/config/config_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "format/config/config_tree.h"
#include "format/config/references.h"
#include "format/config/shell_script.h"
#include "format/config/vocabulary.h"
#include "format/tables/ledger.h"
#include "format/tables/number.h"

namespace assay {

namespace {

constexpr std::size_t kLargest = std::size_t{8} << 20;  // the largest known configurations have a tenth of a megabyte

std::string_view without_codec(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  }
  return path;
}

std::string_view base_name(std::string_view path) {
  path = without_codec(path);
  return path.substr(path.find_last_of('/') + 1);
}

// "train.hparams.json", "config.yaml", "args.json".
bool promises_settings(std::string_view path) {
  constexpr std::string_view kWords[] = {"hparams", "config", "args", "params", "settings", "flags", "hyperparameters"};
  const std::string_view name = base_name(path);
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [name](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// What trainers write at the end of a run: its last numbers, under whatever names.
bool holds_results(std::string_view path) {
  const std::string_view name = base_name(path);
  return name == "wandb-summary.json" || name == "all_results.json" || name == "train_results.json" ||
         name == "eval_results.json";
}

void tell(ConfigFault fault, Recorder& recorder) {
  if (fault.code == ErrorCode::kTruncated) return recorder.truncated(fault.line, fault.message);
  tell_problem(recorder, fault.code, std::move(fault.message), fault.line, std::move(fault.hint));
}

// As one word of a shell.
std::string quoted(std::string_view text) {
  if (text.find_first_of(" \t\n\"'$`\\;|&<>()*?") == std::string_view::npos) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Jobs that hold their command: `command: |-` of MosaicML and Beaker, `command: [torchrun, …]` of Kubernetes.
bool record_commands(const ConfigTree& tree, Recorder& recorder) {
  constexpr std::string_view kNames[] = {"command", "commands", "cmd", "script", "run", "entrypoint"};
  constexpr std::size_t kMostCommands = 64;
  constexpr std::size_t kLongestCommand = std::size_t{256} << 10;
  bool any = false;
  std::size_t looked_at = 0;
  for (const ConfigNode& node : tree.nodes) {
    for (const ConfigNode::Member& member : node.members) {
      if (std::find(std::begin(kNames), std::end(kNames), member.key) == std::end(kNames)) continue;
      const ConfigNode& value = tree.nodes[member.value];
      std::string text = value.text;
      for (const ConfigNode::Member& item : value.members) text += quoted(tree.nodes[item.value].text) + " ";
      if (text.size() > kLongestCommand || text.find(' ') == std::string::npos) continue;
      if (++looked_at > kMostCommands) return any;
      const bool block = value.members.empty() && text.find('\n') != std::string::npos;  // it begins on the next line
      any = record_command(text, block ? member.line : member.line - 1, recorder) || any;
    }
  }
  return any;
}

void record(ReadConfig read, std::string_view kind, bool references, bool tell_faults, Recorder& recorder) {
  std::vector<ConfigFault> faults;
  std::vector<FlatSetting> settings = flatten(read.tree, faults);
  // Faults of a file that is none of ours are none of ours either; of one that gave nothing they are the reason.
  const std::string& path = recorder.file().path;
  const bool training = holds_results(path) || holds_training_settings(settings, promises_settings(path));
  const bool commands = record_commands(read.tree, recorder);
  if (tell_faults) std::move(read.faults.begin(), read.faults.end(), std::inserter(faults, faults.begin()));
  if (!training && !commands) {
    if (!faults.empty()) {
      const ConfigFault& first = faults.front();
      const std::string place = first.line > 0 ? fmt::format(" (line {})", first.line) : "";
      return tell_no_log(recorder, first.message + place, first.hint);
    }
    return tell_no_log(recorder, "holds no settings of a training run",
                       "looked for: a learning rate, a batch size, a number of steps, a model's layers and their like");
  }
  for (ConfigFault& fault : faults) tell(std::move(fault), recorder);
  recorder.file().kind = kind;
  if (!training) return;
  if (references) resolve_references(settings);
  const Vocabulary* vocabulary = vocabulary_of(settings);
  recorder.dialect(vocabulary == nullptr ? std::string_view{} : vocabulary->name);
  record_settings(settings, recorder, vocabulary);
}

// Collects the text; `Read` makes a tree of it.
template <class Read>
class ConfigFile final : public StreamReader {
 public:
  ConfigFile(Recorder& recorder, std::string_view kind, Read read) : recorder_(recorder), kind_(kind), read_(read) {}

  void feed(std::span<const char> bytes) override {
    const std::size_t room = kLargest - std::min(kLargest, text_.size());
    too_large_ = too_large_ || bytes.size() > room;
    text_.append(bytes.data(), std::min(bytes.size(), room));
    lines_ += std::count(bytes.begin(), bytes.end(), '\n');
    if (!bytes.empty()) last_ = bytes.back();
  }

  void finish(bool) override {
    recorder_.file().lines = lines_ + (last_ == '\n' ? 0 : 1);
    ReadConfig read = read_(text_);
    if (too_large_) {
      read.faults.push_back({ErrorCode::kLimit, "is larger than 8 MB: only so much is read", 0, ""});
    }
    record(std::move(read), kind_, true, true, recorder_);
  }

 private:
  Recorder& recorder_;
  std::string_view kind_;
  Read read_;
  std::string text_;
  bool too_large_ = false;
  std::int64_t lines_ = 0;
  char last_ = '\n';
};

template <class Read>
std::unique_ptr<StreamReader> opened(Recorder& recorder, std::string_view kind, Read read) {
  return std::make_unique<ConfigFile<Read>>(recorder, kind, read);
}

}  // namespace

bool is_yaml(std::string_view path, std::string_view prefix, bool) {
  path = without_codec(path);
  if (path.ends_with(".yaml") || path.ends_with(".yml")) return true;
  return trimmed(prefix.substr(0, 64)).starts_with("%YAML");
}

std::unique_ptr<StreamReader> open_yaml(Recorder& recorder) { return opened(recorder, "yaml settings", &read_yaml); }

bool is_toml(std::string_view path, std::string_view, bool) { return without_codec(path).ends_with(".toml"); }

std::unique_ptr<StreamReader> open_toml(Recorder& recorder) {
  return opened(recorder, "toml settings", [](const std::string& text) { return read_toml(text); });
}

void record_json_settings(std::string_view text, bool tell_faults, Recorder& recorder) {
  record(read_json(text.substr(0, kLargest)), "json settings", false, tell_faults, recorder);
}

}  // namespace assay
