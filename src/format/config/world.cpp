// The number of processes is a product that each launcher spells differently:
//
//   torchrun     nproc_per_node × nnodes (1 where not said; `1:4` is elastic and known only later)
//   deepspeed    num_gpus × num_nodes, --include host:0,1,2; a host file is not read
//   accelerate   num_processes in all, num_machines
//   paddle       gpus or devices, a list of them, per node
//   lightning    devices × num_nodes
//   mpirun       -np in all
//   msrun        worker_num in all, local_worker_num per node
//   srun         nodes × ntasks-per-node of the job; if it starts one of the above, each task starts a node's
//
// A launcher within another one is what counts, but for nodes that only the outer one knows.

#include "format/config/world.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "assay/setting.h"
#include "base/bytes.h"

namespace assay {

using shell::Argument;

namespace {

enum class Launcher : std::uint8_t {
  kNone,
  kTorch,
  kDeepSpeed,
  kAccelerate,
  kMpi,
  kMindSpore,
  kSlurm,
  kPaddle,
  kFabric
};

struct LauncherName {
  std::string_view name;
  Launcher launcher;
};
constexpr auto kLaunchers = std::to_array<LauncherName>({
    {"torchrun", Launcher::kTorch},
    {"torch.distributed.run", Launcher::kTorch},
    {"torch.distributed.launch", Launcher::kTorch},
    {"tune", Launcher::kTorch},
    {"paddle.distributed.launch", Launcher::kPaddle},
    {"paddle.distributed.fleet.launch", Launcher::kPaddle},
    {"fabric", Launcher::kFabric},
    {"lightning", Launcher::kFabric},
    {"colossalai", Launcher::kTorch},
    {"deepspeed", Launcher::kDeepSpeed},
    {"accelerate", Launcher::kAccelerate},
    {"accelerate.commands.launch", Launcher::kAccelerate},
    {"mpirun", Launcher::kMpi},
    {"mpiexec", Launcher::kMpi},
    {"horovodrun", Launcher::kMpi},
    {"msrun", Launcher::kMindSpore},
    {"srun", Launcher::kSlurm},
});

enum class Count : std::uint8_t { kNodes, kPerNode, kWorld };
struct Option {
  Launcher launcher;
  std::string_view name;  // '_' for '-'
  Count count;
};
constexpr auto kOptions = std::to_array<Option>({
    {Launcher::kTorch, "nnodes", Count::kNodes},
    {Launcher::kTorch, "nproc_per_node", Count::kPerNode},
    {Launcher::kDeepSpeed, "num_nodes", Count::kNodes},
    {Launcher::kDeepSpeed, "num_gpus", Count::kPerNode},
    {Launcher::kAccelerate, "num_machines", Count::kNodes},
    {Launcher::kAccelerate, "num_processes", Count::kWorld},
    {Launcher::kMpi, "np", Count::kWorld},
    {Launcher::kMpi, "n", Count::kWorld},
    {Launcher::kMpi, "npernode", Count::kPerNode},
    {Launcher::kMindSpore, "worker_num", Count::kWorld},
    {Launcher::kMindSpore, "local_worker_num", Count::kPerNode},
    {Launcher::kPaddle, "nnodes", Count::kNodes},
    {Launcher::kPaddle, "nproc_per_node", Count::kPerNode},
    {Launcher::kFabric, "num_nodes", Count::kNodes},
    {Launcher::kFabric, "devices", Count::kPerNode},
    {Launcher::kSlurm, "nodes", Count::kNodes},
    {Launcher::kSlurm, "N", Count::kNodes},
    {Launcher::kSlurm, "ntasks", Count::kWorld},
    {Launcher::kSlurm, "n", Count::kWorld},
    {Launcher::kSlurm, "ntasks_per_node", Count::kPerNode},
});

// Options of launchers that take no value.
constexpr auto kFlags = std::to_array<std::string_view>(
    {"u", "m", "standalone", "no_python", "force_multi", "allow_run_as_root", "oversubscribe", "tag_output",
     "exclusive", "label", "l", "multi_gpu", "use_deepspeed", "use_fsdp", "overlap", "unbuffered", "use_env", "no_ssh",
     "join"});

struct Found {
  std::string written;
  Argument value;
};

struct Counts {
  Launcher launcher = Launcher::kNone;
  std::optional<Found> nodes;
  std::optional<Found> per_node;
  std::optional<Found> world;
};

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

std::string option_name(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string out(word.substr(0, word.find('=')));
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

Launcher launcher_named(std::string_view word) {
  const auto* const found =
      std::find_if(kLaunchers.begin(), kLaunchers.end(), [&](auto& one) { return one.name == base_name(word); });
  return found == kLaunchers.end() ? Launcher::kNone : found->launcher;
}

bool is_flag(std::string_view word) {
  return std::find(kFlags.begin(), kFlags.end(), option_name(word)) != kFlags.end();
}

// "nccl", "1:4", "auto": no number that is known before the run.
std::optional<std::int64_t> count_of(const Argument& value) {
  if (!value.why.empty()) return std::nullopt;
  std::int64_t out = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [rest, error] = std::from_chars(value.text.data(), end, out);
  return error == std::errc() && rest == end && out > 0 ? std::optional(out) : std::nullopt;
}

std::string why_not(const Argument& value) {
  if (!value.why.empty()) return value.why;
  if (value.text.find(':') != std::string::npos) return value.text + " is elastic: known only when the run begins";
  return "\"" + value.text + "\" is no number of processes";
}

// "0,1,2,3"
Found list_of_devices(std::string_view word, const Argument& value) {
  const auto devices = std::count(value.text.begin(), value.text.end(), ',') + 1;
  return {std::string(word.substr(0, word.find('='))), {std::to_string(devices), value.line}};
}

void note(Counts& counts, Launcher launcher, std::string_view word, const Argument& value) {
  const std::string name = option_name(word);
  for (const Option& option : kOptions) {
    if (option.launcher != launcher || option.name != name) continue;
    Found found{std::string(word.substr(0, word.find('='))), value};
    auto& slot = option.count == Count::kNodes     ? counts.nodes
                 : option.count == Count::kPerNode ? counts.per_node
                                                   : counts.world;
    slot = std::move(found);
  }
  if (launcher == Launcher::kDeepSpeed && (name == "include" || name == "i") && value.why.empty()) {
    const std::size_t colon = value.text.find(':');
    if (colon == std::string::npos || value.text.find('@') != std::string::npos) return;
    counts.per_node = list_of_devices(word, value);
  }
  constexpr auto kLists = std::to_array<std::string_view>({"gpus", "devices", "npus", "xpus"});
  const bool list = std::find(kLists.begin(), kLists.end(), name) != kLists.end();
  if (launcher == Launcher::kPaddle && list && value.why.empty()) counts.per_node = list_of_devices(word, value);
}

// The counts of one launcher: its words are those up to the next launcher or the program.
std::vector<Counts> counts_of(const shell::Invocation& command, std::size_t program) {
  std::vector<Counts> out;
  for (std::size_t i = 0; i < program; ++i) {
    const Argument& word = command.words[i];
    if (const Launcher launcher = launcher_named(word.text); launcher != Launcher::kNone) {
      out.emplace_back().launcher = launcher;
      continue;
    }
    if (out.empty() || !word.text.starts_with('-')) continue;
    const std::size_t equals = word.text.find('=');
    if (equals != std::string::npos) {
      note(out.back(), out.back().launcher, word.text, {word.text.substr(equals + 1), word.line, word.why});
    } else if (i + 1 < program && !is_flag(word.text)) {
      note(out.back(), out.back().launcher, word.text, command.words[i + 1]);
    }
  }
  return out;
}

void tell(std::string_view key, const Found& found, std::vector<CommandSetting>& out) {
  const std::string why = count_of(found.value) ? "" : why_not(found.value);
  out.push_back({std::string(key), {found.written, found.value.text, found.value.line, why}});
}

void fill(Counts& counts, const Allocation& allocation, bool inner) {
  const auto take = [](std::optional<Found>& slot, const Argument& value, const char* written) {
    if (!slot && !value.text.empty()) slot = Found{written, value};
  };
  if (counts.launcher == Launcher::kSlurm && !inner) {
    take(counts.nodes, allocation.nodes, "#SBATCH --nodes");
    take(counts.per_node, allocation.tasks_per_node, "#SBATCH --ntasks-per-node");
    if (!counts.per_node) take(counts.world, allocation.tasks, "#SBATCH --ntasks");
  }
}

// NPROC_PER_NODE=8 NNODES=2 swift sft …: programs that start torchrun themselves.
void from_environment(const shell::Invocation& command, std::vector<CommandSetting>& out) {
  std::optional<Found> nodes;
  std::optional<Found> per_node;
  for (const auto& [name, value] : command.environment) {
    if (name == "NNODES") nodes = Found{name, value};
    if (name == "NPROC_PER_NODE") per_node = Found{name, value};
  }
  if (nodes) tell(setting::kNodes, *nodes, out);
  if (!per_node) return;
  tell(setting::kDevicesPerNode, *per_node, out);
  const auto flat_of = [](const Found& found) {
    return FlatSetting{found.written, found.value.text, found.value.line, found.value.why};
  };
  const FlatSetting one{"default of NNODES", "1", per_node->value.line};
  out.push_back({std::string(setting::kWorldSize), product(nodes ? flat_of(*nodes) : one, flat_of(*per_node))});
}

}  // namespace

bool starts_processes(std::string_view word) {
  const std::string_view base = base_name(word);
  return launcher_named(word) != Launcher::kNone || base.starts_with("python") || base == "bash" || base == "sh" ||
         base.ends_with(".py") || base.ends_with(".sh");
}

std::vector<Argument> launcher_options(const std::vector<Argument>& words, std::size_t program) {
  std::size_t from = program;
  for (std::size_t i = 0; i < program; ++i) {
    const Launcher launcher = launcher_named(words[i].text);
    if (launcher == Launcher::kAccelerate || launcher == Launcher::kFabric) from = i + 1;
  }
  return {words.begin() + static_cast<std::ptrdiff_t>(from), words.begin() + static_cast<std::ptrdiff_t>(program)};
}

std::size_t program_of(const std::vector<Argument>& words) {
  bool module = false;
  bool any_launcher = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    const std::string_view base = base_name(text);
    if (launcher_named(text) != Launcher::kNone) {
      any_launcher = true;
      module = false;
      continue;
    }
    if (module || base.ends_with(".py") || base.ends_with(".sh")) return i;
    if (text == "-m" || text == "--module") {
      module = true;
      continue;
    }
    if (text.starts_with('-')) {
      const bool takes_value = text.find('=') == std::string::npos && !is_flag(text) && i + 1 < words.size() &&
                               !words[i + 1].text.starts_with('-') &&
                               launcher_named(words[i + 1].text) == Launcher::kNone;
      if (takes_value && !base_name(words[i + 1].text).ends_with(".py")) ++i;
      continue;
    }
    constexpr auto kPassed =
        std::to_array<std::string_view>({"env", "run", "nohup", "time", "sudo", "exec", "numactl", "launch", "python",
                                         "python3", "timeout", "nice", "bash", "sh", "stdbuf", "model"});
    const bool passed = std::find(kPassed.begin(), kPassed.end(), base) != kPassed.end() ||
                        base.starts_with("python3.") || text.find('=') != std::string::npos;
    if (!passed && (any_launcher || i == 0)) return i;
  }
  return words.size();
}

void tell_world(const shell::Invocation& command, std::size_t program, const Allocation& allocation,
                std::vector<CommandSetting>& out) {
  std::vector<Counts> all = counts_of(command, program);
  if (all.empty()) {
    from_environment(command, out);
    for (const auto& [name, value] : command.environment) {
      const bool visible = name == "CUDA_VISIBLE_DEVICES" || name == "ASCEND_RT_VISIBLE_DEVICES";
      const bool one = visible && value.why.empty() && !value.text.empty() && value.text.size() < 4 &&
                       value.text.find(',') == std::string::npos;
      if (one) out.push_back({std::string(setting::kWorldSize), {name, "1", value.line}});
    }
    return;
  }
  Counts counts = all.back();
  fill(counts, allocation, false);
  for (std::size_t i = all.size() - 1; i-- > 0;) {  // nodes that only an outer launcher knows
    fill(all[i], allocation, false);
    if (!counts.nodes && counts.launcher != Launcher::kTorch) counts.nodes = all[i].nodes;
  }
  const std::int64_t line = command.line;
  if (counts.launcher == Launcher::kTorch) {
    if (!counts.nodes && counts.per_node) counts.nodes = Found{"default of --nnodes", {"1", line}};
    if (!counts.per_node && counts.nodes) counts.per_node = Found{"default of --nproc_per_node", {"1", line}};
  }
  const bool counts_nodes = counts.launcher == Launcher::kDeepSpeed || counts.launcher == Launcher::kFabric;
  if (counts_nodes && counts.per_node && !counts.nodes) {
    counts.nodes = Found{"default of --num_nodes", {"1", line}};
  }
  if (counts.launcher == Launcher::kPaddle && counts.per_node && !counts.nodes) {
    counts.nodes = Found{"default of --nnodes", {"1", line}};
  }
  if (counts.nodes) tell(setting::kNodes, *counts.nodes, out);
  if (counts.per_node) tell(setting::kDevicesPerNode, *counts.per_node, out);
  if (counts.world) return tell(setting::kWorldSize, *counts.world, out);
  if (!counts.nodes || !counts.per_node) return;
  const auto flat_of = [](const Found& found) {
    return FlatSetting{found.written, found.value.text, found.value.line, found.value.why};
  };
  FlatSetting flat = product(flat_of(*counts.nodes), flat_of(*counts.per_node));
  out.push_back({std::string(setting::kWorldSize), std::move(flat)});
}

FlatSetting product(const FlatSetting& nodes, const FlatSetting& per_node) {
  const Argument a{nodes.text, nodes.line, nodes.unknown};
  const Argument b{per_node.text, per_node.line, per_node.unknown};
  const auto x = count_of(a);
  const auto y = count_of(b);
  const auto world = x && y ? checked_multiply(*x, *y) : std::nullopt;
  FlatSetting out{nodes.path + " × " + per_node.path, "", per_node.line};
  out.text = world ? std::to_string(*world) : nodes.text + " × " + per_node.text;
  if (!world) out.unknown = x && y ? "is larger than 64 bits" : why_not(x ? b : a);
  return out;
}

namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  std::vector<std::string_view> out;
  for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    out.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlank, end);
  }
  return out;
}

void take_option(std::string_view name, std::string_view value, std::int64_t number, Allocation& out) {
  const bool devices = name == "--gpus-per-node" || (name == "--gres" && value.starts_with("gpu")) ||
                       (name == "--gres" && value.starts_with("npu"));
  if (devices) value = value.substr(value.find_last_of(':') + 1);
  if (value.empty()) return;
  const Argument found{std::string(value), number};
  if (name == "--nodes" || name == "-N") out.nodes = found;
  if (name == "--ntasks" || name == "-n") out.tasks = found;
  if (name == "--ntasks-per-node" || name == "--tasks-per-node") out.tasks_per_node = found;
  if (devices && value.find_first_not_of("0123456789") == std::string_view::npos) out.devices_per_node = found;
}

}  // namespace

// Several options may stand on one line.
void read_allocation(std::string_view line, std::int64_t number, Allocation& out) {
  constexpr std::string_view kMark = "#SBATCH";
  if (!line.starts_with(kMark)) return;
  line.remove_prefix(kMark.size());
  const std::vector<std::string_view> words = words_of(line.substr(0, line.find(" #")));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word.size() < 2 || word[0] != '-') continue;
    std::size_t end = word.find('=');
    if (word[1] != '-' && word.size() > 2) end = 2;  // -N4
    std::string_view value = end == std::string_view::npos ? std::string_view{} : word.substr(end);
    if (value.starts_with('=')) value.remove_prefix(1);
    if (end == std::string_view::npos && i + 1 < words.size() && !words[i + 1].starts_with('-')) value = words[++i];
    take_option(word.substr(0, end), value, number, out);
  }
}

}  // namespace assay
