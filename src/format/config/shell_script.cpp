// A launch script as a source of settings, before anything ran.
//
// The script is followed (shell_interpreter.cpp), then its commands are looked at: those that tell a learning rate, a
// batch size or a length launch a training (launch.cpp), and their options are its settings; of several the last one
// counts, and what the others say else is told under names of their own. Beside them are told, in the order in which
// one would trust them less:
//   * JSON and YAML that the script writes into files (`cat > ds_config.json <<EOF`), with variables put in;
//   * environment variables that change numbers (NCCL_ALGO, NVIDIA_TF32_OVERRIDE, …);
//   * what the job asks of Slurm;
//   * variables named like a setting (LR=3e-4), where no option says the same;
//   * options that only stand in variables, where the script launches nothing: it is made to be sourced.
// A setting whose value needs a run is recorded as unknown with the reason, because "not said" and "said, but by
// another program" are different answers to the question what a run was started with.

#include "format/config/shell_script.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "assay/setting.h"
#include "format/config/launch.h"
#include "format/config/lost_backslash.h"
#include "format/config/rank_batch.h"
#include "format/config/shell_interpreter.h"
#include "format/config/shell_parser.h"
#include "format/config/vocabulary.h"
#include "format/config/whole_text.h"
#include "format/config/world.h"
#include "format/config/written_text.h"
#include "format/tables/ledger.h"

namespace assay {

namespace {

constexpr std::size_t kMostMegabytes = 16;
constexpr std::size_t kMostSettings = 5000;

// Environment variables that change numbers, by the beginnings of their names: a misspelt one (HCCL_DETERMINISITIC) has
// no effect and is worth seeing.
// clang-format off
constexpr std::array<std::string_view, 27> kEnvironment{
    "NCCL_", "HCCL_", "LCCL_", "RCCL_", "ROCBLAS_INTERNAL_FP16", "MIOPEN_DEBUG_CONVOLUTION_ATTRIB_FP16",
    "NVTE_", "NVIDIA_TF32", "TORCH_ALLOW_TF32", "HIPBLASLT_", "CUBLAS", "CUDNN_",
    "MAMBA_DET", "CAUSAL_CONV1D_DET", "CLOSE_MATMUL", "ATB_", "INF_NAN_MODE", "MS_ASCEND_", "ACCELERATE_MIXED",
    "FLASH_ATTENTION_DET", "FLAGS_", "XLA_FLAGS", "PYTORCH_", "TF_DETERMINISTIC", "PYTHONHASHSEED",
    "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS"};
// clang-format on

// What scripts call what has no option's name; their case does not matter.
constexpr Term kVariableTerms[] = {
    {"nnodes", setting::kNodes},
    {"num_nodes", setting::kNodes},
    {"gpus_per_node", setting::kDevicesPerNode},
    {"npus_per_node", setting::kDevicesPerNode},
    {"nproc_per_node", setting::kDevicesPerNode},
    {"n_gpus_per_node", setting::kDevicesPerNode},
    {"num_gpus_per_node", setting::kDevicesPerNode},
    {"dgxnnodes", setting::kNodes},  // MLPerf
    {"dgxngpu", setting::kDevicesPerNode},
    {"world_size", setting::kWorldSize},
    {"minibs", kRankBatchSize},
    {"batchsize", kRankBatchSize},
    {"gradient_steps", setting::kGradientAccumulation},
    {"opt_lamb_beta_1", setting::kAdamBeta1},
    {"opt_lamb_beta_2", setting::kAdamBeta2},
    {"weight_decay_rate", setting::kWeightDecay},
    {"warmup_proportion", setting::kWarmupFraction},
    {"init_loss_scale", setting::kInitialLossScale},
    {"max_lr", setting::kLearningRate},
    {"tensor_model_parallel", setting::kTensorParallelSize},
    {"pipeline_model_parallel", setting::kPipelineParallelSize},
    {"context_parallel", setting::kContextParallelSize},
    {"tp", setting::kTensorParallelSize},
    {"tp_size", setting::kTensorParallelSize},
    {"pp", setting::kPipelineParallelSize},
    {"pp_size", setting::kPipelineParallelSize},
    {"cp", setting::kContextParallelSize},
    {"ep", setting::kExpertParallelSize},
    {"expert_parallel", setting::kExpertParallelSize},
    {"mbs", setting::kMicroBatchSize},
    {"gbs", setting::kGlobalBatchSize},
    {"seq_len", setting::kSequenceLength},
    {"seq_length", setting::kSequenceLength},
};
constinit const Vocabulary kVariableWords{"", {}, kVariableTerms};

bool changes_numbers(std::string_view name) {
  // How processes find each other and what is printed changes none.
  constexpr auto kOthers =
      std::to_array<std::string_view>({"DEBUG", "IFNAME", "TIMEOUT", "_IB_", "SOCKET", "_ERROR_", "WAIT", "_PORT",
                                       "_HCA", "_TC", "_NET", "LOG", "WHITELIST"});
  if (std::any_of(kOthers.begin(), kOthers.end(), [&](auto part) { return name.find(part) != std::string_view::npos; }))
    return false;
  return std::any_of(kEnvironment.begin(), kEnvironment.end(),
                     [&](auto beginning) { return name.starts_with(beginning); });
}

std::string_view canonical_variable(std::string_view name) {
  const Term* term = term_of(kVariableWords, normal_path(name));
  return term == nullptr ? common_setting(name) : term->canonical;
}

std::vector<shell::Argument> words_of(const shell::Variable& variable) {
  std::vector<shell::Argument> out;
  for (const shell::Value& value : variable.values) {
    bool open = false;
    for (const shell::Piece& piece : value) {
      for (const char c : piece.text) {
        if (c == ' ' || c == '\t' || c == '\n') {
          open = false;
          continue;
        }
        if (!open) out.push_back({"", piece.line});
        open = true;
        out.back().text += c;
        if (piece.why && out.back().why.empty()) out.back().why = *piece.why;
      }
    }
  }
  return out;
}

class Reading {
 public:
  Reading(std::string_view text, std::int64_t lines_before, Recorder& recorder)
      : recorder_(recorder), text_(text), lines_before_(lines_before) {
    read_slurm();
    script_ = shell::parse_script(text_);
    follow(false);
    if (!launches()) follow(true);
  }

  bool launches() const { return !launches_.empty(); }

  void tell_problems() const {
    for (const shell::Complaint& one : script_.complaints) {
      tell_problem(recorder_, ErrorCode::kCorrupt, one.what + "; the line is passed over", lines_before_ + one.line,
                   "`bash -n` says whether the shell understands it");
    }
    for (const std::int64_t line : lost_backslashes_) {
      tell_problem(
          recorder_, ErrorCode::kCorrupt,
          "the line before lacks a final \\, so the shell ignores this line; assay read it as if it were there",
          lines_before_ + line, "end the line before it with a backslash");
    }
    if (outcome_.long_command > 0) {
      tell_problem(recorder_, ErrorCode::kLimit, "is a command of more than 20,000 words: it is not read",
                   lines_before_ + outcome_.long_command, "give the files of a long list by a pattern or a file");
    }
    if (outcome_.exhausted) {
      tell_problem(recorder_, ErrorCode::kLimit, "is too much work to follow: what comes after is not read",
                   recorder_.file().lines, "give the command that it comes to");
    }
  }

  // In the order in which one would trust them less.
  void record() {
    for (const shell::WrittenText& written : outcome_.written) {
      const std::vector<FlatSetting> settings = flatten_written(written);
      if (!holds_training_settings(settings, true)) continue;  // those of an editor
      Launch file;
      for (const FlatSetting& one : settings) file.settings.push_back({"", one});
      add(std::move(file));
    }
    disagree(launches_);
    apart(launches_);
    for (const Launch& launch : launches_) add(launch);
    if (!launches()) {
      Launch launcher;
      for (const shell::Invocation& one : outcome_.invocations) {
        for (CommandSetting& setting : read_launcher(one, allocation_)) launcher.settings.push_back(std::move(setting));
      }
      add(std::move(launcher));
      options_in_variables();
    }
    variables();
    job();
    world();
    rank_batch();
    sourced();
  }

 private:
  // functions: also those that nobody calls.
  void follow(bool functions) {
    outcome_ = shell::Interpreter().run(script_, given(), functions);
    lost_backslashes_ = shell::join_lost_backslashes(outcome_.invocations);
    for (const shell::Invocation& one : outcome_.invocations) {
      Launch launch = read_launch(one, allocation_);
      if (launch.trains) launches_.push_back(std::move(launch));
    }
  }

  void read_slurm() {
    for (std::size_t at = 0, number = 1; at < text_.size(); ++number) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      read_allocation(text_.substr(at, end - at), static_cast<std::int64_t>(number), allocation_);
      at = end + 1;
    }
  }

  // What Slurm sets for the script from its own lines.
  shell::Variables given() const {
    shell::Variables out;
    const auto set = [&](const char* name, const shell::Argument& value) {
      if (value.text.empty()) return;
      auto variable = std::make_shared<shell::Variable>();
      variable->values.push_back({{value.text, value.line}});
      variable->line = value.line;
      out[name] = std::move(variable);
    };
    set("SLURM_NNODES", allocation_.nodes);
    set("SLURM_JOB_NUM_NODES", allocation_.nodes);
    set("SLURM_NTASKS_PER_NODE", allocation_.tasks_per_node);
    set("SLURM_NTASKS", allocation_.tasks);
    set("SLURM_NPROCS", allocation_.tasks);
    set("SLURM_GPUS_PER_NODE", allocation_.devices_per_node);
    set("SLURM_GPUS_ON_NODE", allocation_.devices_per_node);
    return out;
  }

  // Launches of which only one will run: what they say differently is unknown.
  static void disagree(std::vector<Launch>& launches) {
    const bool maybe = std::any_of(launches.begin(), launches.end(), [](auto& one) { return !one.branch.empty(); });
    if (!maybe || launches.size() < 2) return;
    std::map<std::string, std::string> texts;
    std::map<std::string, bool> differ;
    for (const Launch& launch : launches) {
      std::map<std::string, std::string> last;
      for (const CommandSetting& one : launch.settings) last[one.canonical + "=" + one.flat.path] = one.flat.text;
      for (const auto& [key, text] : last) {
        const auto [at, is_new] = texts.try_emplace(key, text);
        if (!is_new && at->second != text) differ[key] = true;
      }
    }
    for (Launch& launch : launches) {
      if (launch.branch.empty()) continue;
      for (CommandSetting& one : launch.settings) {
        if (differ.contains(one.canonical + "=" + one.flat.path) && one.flat.unknown.empty()) {
          one.flat.unknown = launch.branch;
        }
      }
    }
  }

  // Stages that run one after another are trainings of their own: what one says is not to be mixed with what another
  // says. The last that tells how it is trained counts; what the others say is kept under names of theirs.
  static void apart(std::vector<Launch>& launches) {
    if (std::any_of(launches.begin(), launches.end(), [](const Launch& one) { return !one.branch.empty(); })) return;
    if (launches.size() < 2) return;
    std::vector<std::vector<std::string>> names;
    for (const Launch& one : launches) names.push_back(names_of(one));
    const auto last = std::find_if(names.rbegin(), names.rend(), tells_how_to_train);
    const std::size_t counts =
        last == names.rend() ? names.size() - 1 : static_cast<std::size_t>(names.rend() - last) - 1;
    std::map<std::string, std::string> agreed;
    for (std::size_t k = 0; k < names[counts].size(); ++k) {
      const FlatSetting& one = launches[counts].settings[k].flat;
      agreed[names[counts][k] + "=" + one.path] = one.text;
    }
    for (std::size_t i = 0; i < launches.size(); ++i) {
      for (std::size_t k = 0; k < names[i].size(); ++k) {
        CommandSetting& one = launches[i].settings[k];
        const auto same = agreed.find(names[i][k] + "=" + one.flat.path);
        if (i == counts || (same != agreed.end() && same->second == one.flat.text)) continue;
        one.canonical = "launch " + std::to_string(i + 1) + "/" + names[i][k];
      }
    }
  }

  // What each setting of a launch is called.
  static std::vector<std::string> names_of(const Launch& launch) {
    std::vector<FlatSetting> flat;
    for (const CommandSetting& one : launch.settings) flat.push_back(one.flat);
    const auto said = meanings(flat, launch.words == nullptr ? vocabulary_of(flat) : launch.words);
    std::vector<std::string> out;
    for (std::size_t k = 0; k < flat.size(); ++k) {
      const std::string& own = launch.settings[k].canonical;
      out.push_back(!own.empty() ? own : said[k].empty() ? flat[k].path : said[k].front().key);
    }
    return out;
  }

  static bool tells_how_to_train(const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [](const std::string& key) {
      return key == setting::kLearningRate || key == setting::kTrainSteps || key == setting::kTrainSamples ||
             key == setting::kTrainTokens || key == setting::kTrainEpochs;
    });
  }

  // All of them are one command's.
  void options_in_variables() {
    Launch all;
    for (const auto& [name, variable] : outcome_.variables) {
      const std::vector<shell::Argument> words = words_of(*variable);
      const bool holds = std::any_of(words.begin(), words.end(),
                                     [](const shell::Argument& word) { return word.text.starts_with("--"); });
      if (!holds) continue;
      for (CommandSetting& one : read_options(words).settings) all.settings.push_back(std::move(one));
    }
    std::vector<FlatSetting> flat;
    for (const CommandSetting& one : all.settings) flat.push_back(one.flat);
    if (holds_training_settings(flat, true)) add(std::move(all));
  }

  void variables() {
    Launch all;
    for (const auto& [name, variable] : outcome_.variables) {
      if (variable->values.empty() || variable->line == 0) continue;
      const shell::Value& value = variable->values[0];
      const auto why = shell::why_of(value);
      FlatSetting flat{name, shell::text_of(value).substr(0, 400), variable->line, why ? *why : ""};
      if (changes_numbers(name)) {
        all.settings.push_back({name, std::move(flat)});
        continue;
      }
      const std::string_view canonical = canonical_variable(name);
      if (canonical == kRankBatchSize && name != "MINIBS" && !of_benchmark()) continue;
      const bool plain = flat.text.find_first_of(" \n") == std::string::npos && !flat.text.empty();
      if (canonical.empty() || told_.contains(canonical) || !plain) continue;
      all.settings.push_back({"", std::move(flat)});
    }
    all.words = &kVariableWords;
    add(std::move(all));
  }

  // Scripts of MLPerf say what machine they are for.
  bool of_benchmark() const {
    return outcome_.variables.contains("DGXNGPU") || outcome_.variables.contains("DGXNNODES") ||
           outcome_.variables.contains("DGXSYSTEM");
  }

  void job() {
    Launch all;
    const auto tell = [&](std::string_view key, const shell::Argument& value, const char* written) {
      if (value.text.empty() || told_.contains(key)) return;
      all.settings.push_back({std::string(key), {written, value.text, value.line}});
    };
    tell(setting::kNodes, allocation_.nodes, "#SBATCH --nodes");
    tell(setting::kDevicesPerNode, allocation_.devices_per_node, "#SBATCH --gpus-per-node");
    add(std::move(all));
  }

  // What else runs in it. A script that tells nothing else is no plan of a training.
  void sourced() {
    if (count_ == 0) return;
    Launch all;
    for (const shell::Argument& one : outcome_.sourced)
      all.settings.push_back({"source", {"source", one.text, one.line}});
    add(std::move(all));
  }

  // Nodes × devices, where nobody said the product.
  void world() {
    const auto nodes = told_.find(setting::kNodes);
    const auto devices = told_.find(setting::kDevicesPerNode);
    if (told_.contains(setting::kWorldSize) || nodes == told_.end() || devices == told_.end()) return;
    Launch all;
    all.settings.push_back({std::string(setting::kWorldSize), product(nodes->second, devices->second)});
    add(std::move(all));
  }

  void rank_batch() {
    auto said = said_by_rank_batch(told_);
    if (!said) return;
    said->flat.line -= lines_before_;
    Launch all;
    all.settings.push_back({std::string(said->canonical), std::move(said->flat)});
    add(std::move(all));
  }

  // Records what one command or file says, and remembers the last of each.
  void add(Launch launch) {
    std::vector<FlatSetting> flat;
    for (CommandSetting& one : launch.settings) {
      if (one.flat.line > 0) one.flat.line += lines_before_;
      if (count_++ >= kMostSettings) break;
      if (one.canonical.empty()) {
        flat.push_back(std::move(one.flat));
        continue;
      }
      recorder_.setting(one.canonical, one.flat.text, one.flat.line, one.flat.path, one.flat.unknown);
      told_.insert_or_assign(one.canonical, std::move(one.flat));
    }
    const Vocabulary* words = launch.words == nullptr ? vocabulary_of(flat) : launch.words;
    const auto all = meanings(flat, words);
    for (std::size_t i = 0; i < flat.size(); ++i) {
      for (const Meaning& said : all[i]) told_.insert_or_assign(said.key, flat[i]);
    }
    record_settings(flat, recorder_, words);
    if (words != nullptr && !words->name.empty()) recorder_.dialect(words->name);
  }

  Recorder& recorder_;
  std::string_view text_;
  std::int64_t lines_before_;
  Allocation allocation_;
  shell::Script script_;
  shell::Outcome outcome_;
  std::vector<std::int64_t> lost_backslashes_;  // lines
  std::vector<Launch> launches_;
  std::map<std::string, FlatSetting, std::less<>> told_;
  std::size_t count_ = 0;
};

class ShellScript final : public StreamReader {
 public:
  explicit ShellScript(Recorder& recorder) : recorder_(recorder) {}

  void feed(std::span<const char> bytes) override { text_.feed(bytes); }

  void finish(bool) override {
    std::string& text = text_.end(recorder_, "give the part that launches the training");
    std::erase(text, '\r');
    Reading reading(text, 0, recorder_);
    reading.tell_problems();
    reading.record();
  }

 private:
  Recorder& recorder_;
  WholeText text_{kMostMegabytes};
};

bool ends_like_script(std::string_view path) {
  constexpr auto kEndings =
      std::to_array<std::string_view>({".sh", ".bash", ".slurm", ".sbatch", ".zsh", ".ksh", ".srun"});
  return std::any_of(kEndings.begin(), kEndings.end(), [&](auto ending) { return path.ends_with(ending); });
}

// Jobs print their script at the beginning of their log.
bool is_named_like_a_log(std::string_view path) {
  constexpr auto kEndings =
      std::to_array<std::string_view>({".log", ".out", ".err", ".txt", ".md", ".stdout", ".stderr"});
  return std::any_of(kEndings.begin(), kEndings.end(), [&](auto ending) { return path.ends_with(ending); });
}

bool names_a_shell(std::string_view line) {
  if (!line.starts_with("#!")) return false;
  line = line.substr(0, line.find('\n'));
  const std::size_t slash = line.find_last_of("/ ");
  std::string_view name = line.substr(slash == std::string_view::npos ? 2 : slash + 1);
  while (name.ends_with('\r') || name.ends_with(' ')) name.remove_suffix(1);
  // "#!/bin/bash -l", "#!/usr/bin/env bash"
  return name.ends_with("sh") || line.find("/bash") != std::string_view::npos ||
         line.find("/sh ") != std::string_view::npos || line.find(" bash") != std::string_view::npos;
}

// A launcher whose options go on over joined lines, and hardly anything else.
bool is_all_launching(std::string_view text) {
  constexpr auto kLaunchers =
      std::to_array<std::string_view>({"torchrun ", "deepspeed ", "accelerate launch", "python ", "python3 ", "srun ",
                                       "mpirun ", "msrun ", "export ", "CUDA_VISIBLE_DEVICES="});
  std::size_t lines = 0;
  std::size_t fitting = 0;
  bool launches = false;
  bool joined = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    ++lines;
    const bool launcher =
        std::any_of(kLaunchers.begin(), kLaunchers.end(), [&](auto l) { return line.starts_with(l); });
    const bool option = line.starts_with("--") && joined;
    const std::size_t equals = line.find('=');
    const bool assignment = equals != std::string_view::npos && equals > 0 && line.find_first_of(" :\"'{[(") > equals;
    if (launcher || option || assignment || line.starts_with('#') || joined) ++fitting;
    launches = launches || (launcher && line.ends_with('\\'));
    joined = line.ends_with('\\');
  }
  return launches && fitting * 10 >= lines * 9;
}

}  // namespace

bool is_shell_script(std::string_view path, std::string_view prefix, bool whole) {
  return ends_like_script(path) || (!is_named_like_a_log(path) && names_a_shell(prefix)) ||
         (whole && is_all_launching(prefix));
}

bool record_command(std::string_view command, std::int64_t lines_before, Recorder& recorder) {
  Reading reading(command, lines_before, recorder);
  if (!reading.launches()) return false;
  reading.tell_problems();
  reading.record();
  return true;
}

std::unique_ptr<StreamReader> open_shell_script(Recorder& recorder) { return std::make_unique<ShellScript>(recorder); }

}  // namespace assay
