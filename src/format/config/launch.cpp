#include "format/config/launch.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "assay/setting.h"
#include "format/config/vocabulary_tables.h"
#include "format/config/world.h"

namespace assay {

using shell::Argument;

namespace {

// Settings that only who trains tells.
constexpr auto kTraining = std::to_array<std::string_view>(
    {setting::kLearningRate, setting::kTrainSteps, setting::kTrainSamples, setting::kTrainTokens, setting::kTrainEpochs,
     setting::kMicroBatchSize, setting::kGlobalBatchSize, setting::kGlobalBatchTokens, setting::kGradientAccumulation,
     setting::kWarmupSteps, setting::kWeightDecay, setting::kOptimizer});

bool is_truth(std::string_view text) {
  constexpr auto kTruths = std::to_array<std::string_view>({"true", "false", "True", "False", "0", "1", "yes", "no"});
  return std::find(kTruths.begin(), kTruths.end(), text) != kTruths.end();
}

// Options that stand alone, so that what follows is no value of theirs.
bool is_switch(std::string_view name) {
  constexpr auto kBeginnings =
      std::to_array<std::string_view>({"no_", "use_", "do_", "overlap_", "enable_", "disable_", "untie_", "finetune",
                                       "swiglu", "group_query_attention", "sequence_parallel", "overwrite_", "bf16",
                                       "fp16", "tf32", "pure_bf16", "gradient_checkpointing", "recompute_act"});
  return std::any_of(kBeginnings.begin(), kBeginnings.end(), [&](auto beginning) {
    return beginning.ends_with('_') ? name.starts_with(beginning) : name == beginning;
  });
}

bool is_option(std::string_view text) {
  if (text.starts_with("--")) return text.size() > 2;
  return text.size() > 1 && text[0] == '-' &&
         ((text[1] >= 'a' && text[1] <= 'z') || (text[1] >= 'A' && text[1] <= 'Z'));
}

std::string option_name(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of("-+~"), option.size()));
  std::string out(option);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

bool is_module(const Argument& word) { return word.text == "-m" || word.text == "--module"; }

// 183_105 is a number for Python and for nothing else.
std::string value_text(std::string_view text) {
  const bool grouped = text.find('_') != std::string_view::npos &&
                       text.find_first_not_of("0123456789_") == std::string_view::npos && text.front() != '_' &&
                       text.back() != '_';
  std::string out(text);
  if (grouped) std::erase(out, '_');
  return out;
}

// a.b=v, +a.b=v, ++a.b=v, ~a.b: what Hydra and OmegaConf take. Size of the key; 0: none.
std::size_t override_key(std::string_view text) {
  std::size_t at = std::min(text.find_first_not_of("+~"), text.size());
  const std::size_t begin = at;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '/' || c == '@' || c == '-';
  };
  while (at < text.size() && fits(text[at])) ++at;
  if (at == begin || (text[begin] >= '0' && text[begin] <= '9') || text[begin] == '-' || text[begin] == '/') return 0;
  return at < text.size() && text[at] == '=' ? at : 0;
}

class Options {
 public:
  Options(const std::vector<Argument>& words, std::size_t from, bool short_options)
      : words_(words), at_(from), short_(short_options) {}

  std::vector<CommandSetting> read() {
    while (at_ < words_.size()) {
      const Argument& word = words_[at_++];
      if (is_option(word.text)) {
        option(word);
      } else if (const std::size_t size = override_key(word.text); size > 0) {
        override_setting(word, size);
      }
    }
    return std::move(out_);
  }

 private:
  void option(const Argument& word) {
    const std::size_t equals = word.text.find('=');
    if (equals != std::string::npos) {
      return tell(word.text.substr(0, equals), {word.text.substr(equals + 1), word.line, word.why});
    }
    const std::string name = option_name(word.text);
    Argument value{"", word.line, word.why};
    const bool takes_none =
        at_ >= words_.size() || is_option(words_[at_].text) || (is_switch(name) && !is_truth(words_[at_].text));
    if (takes_none) {
      value.text = "true";
      return tell(word.text, value);
    }
    for (bool first = true; at_ < words_.size(); first = false) {
      const Argument& next = words_[at_];
      const bool is_other =
          is_option(next.text) || (override_key(next.text) > 0 && next.text.find('.') != std::string::npos);
      if (is_other || (!first && !next.why.empty())) break;
      value.text += (first ? "" : " ") + value_text(next.text);
      if (value.why.empty()) value.why = next.why;
      if (first) value.line = next.line;
      ++at_;
      if (short_ || value.text.size() > kLongest) break;
    }
    tell(word.text, value);
  }

  void tell(std::string_view option, const Argument& value) {
    if (option_name(option) == "config_overrides") tell_overrides(value);
    CommandSetting one;
    one.flat = {std::string(option), value_text(value.text).substr(0, kLongest), value.line, value.why};
    const bool placeholder = value.text.starts_with('<') && value.text.find('>') != std::string::npos;
    if (placeholder && value.why.empty()) one.flat.unknown = one.flat.text + " is a placeholder";
    if (option.find('.') != std::string_view::npos) {  // --training.lr
      one.flat.path = option.substr(std::min(option.find_first_not_of('-'), option.size()));
      std::replace(one.flat.path.begin(), one.flat.path.end(), '.', '/');
    }
    out_.push_back(std::move(one));
  }

  // --config_overrides n_embd=1024,n_head=16 of transformers: sizes of the model.
  void tell_overrides(const Argument& value) {
    for (std::size_t at = 0; at < value.text.size();) {
      const std::size_t end = std::min(value.text.find(',', at), value.text.size());
      const std::string one = value.text.substr(at, end - at);
      at = end + 1;
      const std::size_t equals = one.find('=');
      if (equals == std::string::npos || equals == 0) continue;
      out_.push_back(
          {"", {"config_overrides/" + one.substr(0, equals), one.substr(equals + 1), value.line, value.why}});
    }
  }

  void override_setting(const Argument& word, std::size_t size) {
    std::string path = word.text.substr(0, size);
    path.erase(0, path.find_first_not_of("+~"));
    std::replace(path.begin(), path.end(), '.', '/');
    out_.push_back(
        {"", {std::move(path), value_text(word.text.substr(size + 1)).substr(0, kLongest), word.line, word.why}});
  }

  static constexpr std::size_t kLongest = 400;
  const std::vector<Argument>& words_;
  std::size_t at_;
  bool short_;
  std::vector<CommandSetting> out_;
};

bool tells_training(const std::vector<CommandSetting>& settings, const Vocabulary* words) {
  std::vector<FlatSetting> flat;
  for (const CommandSetting& one : settings) flat.push_back(one.flat);
  for (const auto& said : meanings(flat, words == nullptr ? vocabulary_of(flat) : words)) {
    for (const Meaning& one : said) {
      if (std::find(kTraining.begin(), kTraining.end(), one.key) != kTraining.end()) return true;
    }
  }
  return false;
}

// Commands whose options of the same names mean something else.
bool is_tool(std::string_view base) {
  constexpr auto kTools = std::to_array<std::string_view>(
      {"sbatch", "pip",         "pip3",  "conda",      "apt-get", "apt",    "git",
       "wget",   "curl",        "rsync", "scp",        "make",    "cmake",  "ls",
       "rm",     "cp",          "mkdir", "cd",         "tee",     "tail",   "head",
       "grep",   "sed",         "awk",   "find",       "ln",      "chmod",  "ulimit",
       "module", "kill",        "sleep", "nvidia-smi", "npu-smi", "export", "huggingface-cli",
       "ssh",    "tensorboard", "trap",  "scontrol"});
  return std::find(kTools.begin(), kTools.end(), base) != kTools.end();
}

// accelerate launch --mixed_precision bf16 train.py: what the launcher tells the program. An option of the same name
// behind the program comes later and so counts more.
void tell_program(const shell::Invocation& command, std::size_t program, std::vector<CommandSetting>& out) {
  constexpr auto kPassedOn = std::to_array<std::string_view>(
      {"mixed_precision", "precision", "gradient_accumulation_steps", "gradient_clipping", "zero_stage",
       "deepspeed_config_file", "fsdp_sharding_strategy", "fsdp_reshard_after_forward", "downcast_bf16"});
  const std::vector<Argument> words = launcher_options(command.words, program);
  for (CommandSetting& one : Options(words, 0, false).read()) {
    if (std::find(kPassedOn.begin(), kPassedOn.end(), option_name(one.flat.path)) != kPassedOn.end()) {
      out.push_back(std::move(one));
    }
  }
}

std::vector<Argument> split(const Argument& text) {
  std::vector<Argument> out;
  for (std::size_t at = text.text.find_first_not_of(" \t\n"); at != std::string::npos;) {
    const std::size_t end = std::min(text.text.find_first_of(" \t\n", at), text.text.size());
    out.push_back({text.text.substr(at, end - at), text.line, text.why});
    at = text.text.find_first_not_of(" \t\n", end);
  }
  return out;
}

// MindFormers: bash scripts/msrun_launcher.sh "run_mindformer.py --config x.yaml --run_mode train" 16 8 …: a command in
// one word, processes in all (8 if not said), processes per node.
bool read_msrun_script(const shell::Invocation& command, std::size_t program, Launch& out) {
  if (!command.words[program].text.ends_with("msrun_launcher.sh") || program + 1 >= command.words.size()) return false;
  const std::vector<Argument> inner = split(command.words[program + 1]);
  const auto count = [&](std::size_t which, std::string_view key, const char* written) {
    if (which >= command.words.size()) return;
    const Argument& value = command.words[which];
    const bool number = value.why.empty() && value.text.find_first_not_of("0123456789") == std::string::npos;
    const std::string why = !value.why.empty() ? value.why : number ? "" : "is no number of processes";
    out.settings.push_back({std::string(key), {written, value.text, value.line, why}});
  };
  count(program + 2, setting::kWorldSize, "msrun_launcher.sh WORKER_NUM");
  count(program + 3, setting::kDevicesPerNode, "msrun_launcher.sh LOCAL_WORKER");
  for (CommandSetting& one : Options(inner, 0, false).read()) out.settings.push_back(std::move(one));
  out.trains = true;
  return true;
}

// `env VAR=x command` says the same as `VAR=x command`.
shell::Invocation with_environment(const shell::Invocation& command, std::size_t program) {
  shell::Invocation out = command;
  for (std::size_t i = 0; i < program; ++i) {
    const Argument& word = command.words[i];
    const std::size_t equals = word.text.find('=');
    const std::string name = word.text.substr(0, equals);
    const bool variable =
        equals != std::string::npos && !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
          return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
    if (variable) out.environment.emplace_back(name, Argument{word.text.substr(equals + 1), word.line, word.why});
  }
  return out;
}

// `docker run --gpus all -it image torchrun …`: the options before the program within are the container's. Where no
// program is seen, the image starts its own.
shell::Invocation without_container(const shell::Invocation& command) {
  constexpr auto kContainers =
      std::to_array<std::string_view>({"docker", "podman", "nerdctl", "singularity", "apptainer", "enroot", "kubectl"});
  const auto base = [](const Argument& word) {
    return std::string_view(word.text).substr(word.text.find_last_of('/') + 1);
  };
  const auto container = std::find_if(command.words.begin(), command.words.end(), [&](const Argument& word) {
    return std::find(kContainers.begin(), kContainers.end(), base(word)) != kContainers.end();
  });
  const auto inner =
      std::find_if(container, command.words.end(), [](const Argument& word) { return starts_processes(word.text); });
  if (inner == command.words.end()) return command;
  shell::Invocation out = command;
  out.words.erase(out.words.begin() + (container - command.words.begin()),
                  out.words.begin() + (inner - command.words.begin()));
  return out;
}

// `accelerate launch --config_file two_nodes.yaml train.py`: the launcher has settings in a file of its own.
void name_file_of_launcher(const shell::Invocation& command, std::size_t program, Launch& out) {
  for (std::size_t i = 0; i < program; ++i) {
    const Argument& word = command.words[i];
    const std::string_view name = std::string_view(word.text).substr(0, word.text.find('='));
    if (name != "--config_file" && name != "--config-file") continue;
    const bool behind = name.size() == word.text.size();
    if (behind && i + 1 >= program) continue;
    const Argument& value = behind ? command.words[i + 1] : word;
    const std::string text = behind ? value.text : value.text.substr(name.size() + 1);
    out.settings.push_back({"launcher/config_file", {std::string(name), text, value.line, value.why}});
  }
}

// Programs whose name tells whose words their options are, whatever the options are.
const Vocabulary* words_of_program(std::string_view path) {
  constexpr std::pair<std::string_view, const Vocabulary*> kPrograms[] = {
      {"megatron", &kMegatronSwiftWords}, {"swift", &kHfTrainerWords},
      {"trl", &kHfTrainerWords},          {"llamafactory-cli", &kHfTrainerWords},
      {"fairseq-train", &kFairseqWords},  {"fairseq-hydra-train", &kFairseqWords},
  };
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const auto* const found =
      std::find_if(std::begin(kPrograms), std::end(kPrograms), [&](const auto& one) { return one.first == name; });
  return found == std::end(kPrograms) ? nullptr : found->second;
}

}  // namespace

Launch read_options(const std::vector<Argument>& words) {
  Launch out;
  out.settings = Options(words, 0, false).read();
  // -u and -m are the interpreter's.
  std::erase_if(out.settings, [](const CommandSetting& one) {
    return !one.flat.path.starts_with("--") && one.flat.path.starts_with('-') && common_setting(one.flat.path).empty();
  });
  out.trains = tells_training(out.settings, nullptr);
  return out;
}

std::vector<CommandSetting> read_launcher(const shell::Invocation& command, const Allocation& allocation) {
  std::vector<CommandSetting> out;
  const std::size_t program = program_of(command.words);
  const bool starts_python = program < command.words.size() && (command.words[program].text.ends_with(".py") ||
                                                                (program > 0 && is_module(command.words[program - 1])));
  const bool tells = std::any_of(command.environment.begin(), command.environment.end(), [](const auto& one) {
    return one.first == "NNODES" || one.first == "NPROC_PER_NODE";
  });
  if (starts_python || tells) {
    tell_world(command, program, allocation, out);
    tell_program(command, program, out);
  }
  return out;
}

Launch read_launch(const shell::Invocation& whole_command, const Allocation& allocation) {
  Launch out;
  const shell::Invocation command = without_container(whole_command);
  out.branch = command.branch;
  const std::string& first = command.words[0].text;
  if (is_tool(std::string_view(first).substr(first.find_last_of('/') + 1))) return out;
  const std::size_t program = program_of(command.words);
  if (program >= command.words.size()) return out;
  if (read_msrun_script(command, program, out)) return out;
  const std::string& name = command.words[program].text;
  // llm.c's train_gpt2cu has options of one letter only.
  const bool short_options = name.find("train_gpt2") != std::string::npos && !name.ends_with(".py");
  out.words = short_options ? &kLlmcWords : words_of_program(name);
  std::vector<CommandSetting> settings = Options(command.words, program + 1, short_options).read();
  out.trains = tells_training(settings, out.words);
  // A tool that is told a batch size is none of ours unless a launcher or a program of Python stands before it.
  if (!out.trains) return out;
  const shell::Invocation whole = with_environment(command, program);
  tell_world(whole, program, allocation, out.settings);
  tell_program(whole, program, out.settings);
  name_file_of_launcher(whole, program, out);
  for (const auto& [variable, value] : whole.environment) {
    out.settings.push_back({variable, {variable, value.text, value.line, value.why}});
  }
  for (CommandSetting& one : settings) out.settings.push_back(std::move(one));
  return out;
}

}  // namespace assay
