// Which framework speaks, and what its words mean.
//
// A word alone decides little: `batch_size` is a micro-batch in nanoGPT, the global batch in MLX and a number of
// prompts in verl. So the framework is found first, by words that hardly any other has, and its table is asked before
// the shared one. A word is taken by the end of its path, because the same block stands at different depths
// ("optimizer/params/lr", "deepspeed/optimizer/params/lr"); of several terms that fit the longest is the most exact.
// Below a level that is about something else than the training (evaluation, a rollout engine, a vision tower, one
// dataset) words are not believed; only a term that names the level itself is.

#include "format/config/vocabulary.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "assay/setting.h"
#include "base/ascii.h"
#include "format/config/setting_values.h"

namespace assay {

namespace {

constexpr std::ptrdiff_t kLeastSignature = 2;

constexpr auto kOtherMatters = std::to_array<std::string_view>({
    "eval",
    "evaluation",
    "evaluator",
    "evaluators",
    "validation",
    "val",
    "valid",
    "test",
    "rollout",
    "inference",
    "generation",
    "generate",
    "gen_kwargs",
    "generate_kwargs",
    "generation_config",
    "generation_kwargs",
    "sampling_params",
    "critic",
    "ref",
    "reward_model",
    "teacher",
    "draft",
    "draft_model",
    "ema",
    "callbacks",
    "loggers",
    "logger",
    "wandb",
    "vision_config",
    "audio_config",
    "vision_tower",
    "vision_model",
    "lora",
    "lora_parameters",
    "lora_config",
    "peft",
    "peft_config",
    "quantization_config",
    "data",
    "train_ds",
    "validation_ds",
    "test_ds",
    "processor",
    "auto_tune_config",
    "profiler",
    "comm_profiler",
    "exp_manager",
    "metric",
    "benchmarks",
    "autotuning",
    "flops_profiler",
    "curriculum_learning",
    "tokenizer",
    "speculator",
    "aio",
    "aio_config",
    "flops_profiler_config",
    "elasticity",
    "tensorboard",
    "csv_monitor",
    "nebula_config",
    "compile_config",
});

bool about_other_matters(std::string_view normal) {
  static const std::unordered_set<std::string_view> others(kOtherMatters.begin(), kOtherMatters.end());
  for (std::size_t at = 0;;) {
    const std::size_t slash = normal.find('/', at);
    if (slash == std::string_view::npos) return false;
    const std::string_view level = normal.substr(at, slash - at);
    const bool data = level.find("dataset") != std::string_view::npos || level.ends_with("loader");
    if (data || others.contains(level)) return true;
    at = slash + 1;
  }
}

// What a duration is called in each unit; empty: it has no name there.
struct Family {
  std::string_view canonical, samples, tokens, epochs, fraction;
};
constexpr auto kFamilies = std::to_array<Family>({
    {setting::kWarmupSteps, setting::kWarmupSamples, setting::kWarmupTokens, "", setting::kWarmupFraction},
    {setting::kTrainSteps, setting::kTrainSamples, setting::kTrainTokens, setting::kTrainEpochs, ""},
    {setting::kDecaySteps, setting::kDecaySamples, setting::kDecayTokens, "", ""},
});

std::string_view in_unit(std::string_view canonical, std::string_view unit) {
  if (unit.empty() || unit == "steps") return canonical;
  const auto* family =
      std::find_if(kFamilies.begin(), kFamilies.end(), [&](const Family& one) { return one.canonical == canonical; });
  if (family == kFamilies.end()) return {};
  return unit == "samples"    ? family->samples
         : unit == "tokens"   ? family->tokens
         : unit == "epochs"   ? family->epochs
         : unit == "fraction" ? family->fraction
                              : std::string_view{};
}

// How sharded data parallelism is called, as the stage of ZeRO that does the same; longer words before their parts.
struct Sharding {
  std::string_view word;
  std::string_view stage;
};
constexpr auto kShardings = std::to_array<Sharding>({
    {"no_shard", "0"},
    {"shard_grad_op", "2"},
    {"hybrid_shard_zero2", "2"},
    {"full_shard", "3"},
    {"hybrid_shard", "3"},
    {"stage1", "1"},
    {"stage2", "2"},
    {"stage3", "3"},
    {"optim_grads_params", "3"},
    {"optim_grads", "2"},
    {"optim", "1"},
});

std::string sharding_stage(std::string_view text) {
  const std::string word = lower(text);
  // The enumeration of torch, as accelerate writes it.
  if (word == "1" || word == "2" || word == "3") return word == "1" ? "3" : word == "2" ? "2" : "0";
  const auto* found = std::find_if(kShardings.begin(), kShardings.end(),
                                   [&](const Sharding& one) { return word.find(one.word) != std::string::npos; });
  return found == kShardings.end() ? "None" : std::string(found->stage);
}

class Reading {
 public:
  Reading(std::span<const FlatSetting> settings, const Vocabulary* vocabulary) : vocabulary_(vocabulary) {
    for (const FlatSetting& one : settings) {
      normal_.push_back(normal_path(one.path));
      text_[normal_.back()] = one.text;
    }
  }

  std::vector<Meaning> of(std::size_t index, const FlatSetting& one) const {
    const std::string& normal = normal_[index];
    const bool other = about_other_matters(normal);
    bool known = false;
    for (const Vocabulary* each : {vocabulary_, &shared_vocabulary()}) {
      const Term* term = each == nullptr ? nullptr : term_of(*each, normal);
      if (term == nullptr) continue;
      known = true;
      // The levels that the term does not name itself.
      const std::size_t named = std::min(term->words.size(), normal.size());
      if (other && about_other_matters(std::string_view(normal).substr(0, normal.size() - named))) continue;
      return said_by(*term, one, normal);
    }
    const std::string_view last = std::string_view(normal).substr(normal.rfind('/') + 1);
    const Term* pair = term_of_pair(normal);
    if (other && (known || pair != nullptr || is_canonical(last))) return nameless(one);
    if (pair != nullptr) return said_by(*pair, one, normal);
    if (const std::string_view denied = denied_by(one, last); !denied.empty()) return {{std::string(denied), "false"}};
    const bool level = one.path.find('/') != std::string::npos;
    return {{is_canonical(last) && level ? one.path : last_word(one.path), one.text}};
  }

 private:
  // An option without its dashes is called as in a dump of arguments.
  static std::string last_word(const std::string& path) {
    std::string word = path.substr(path.rfind('/') + 1);
    if (!word.starts_with('-')) return word;
    word.erase(0, std::min(word.find_first_not_of('-'), word.size()));
    std::replace(word.begin(), word.end(), '-', '_');
    return word;
  }
  static bool is_canonical(std::string_view key) { return setting_row(key) != nullptr; }

  // Its last two levels are one of the words that all share: "fp16/enabled".
  static const Term* term_of_pair(std::string_view normal) {
    const std::size_t slash = normal.rfind('/');
    if (slash == std::string_view::npos || slash == 0) return nullptr;
    std::string pair(normal.substr(normal.rfind('/', slash - 1) + 1));
    std::replace(pair.begin(), pair.end(), '/', '_');
    return common_term(pair);
  }

  // "--no-bf16"
  static std::string_view denied_by(const FlatSetting& one, std::string_view last) {
    const bool denies = one.path.starts_with('-') && last.starts_with("no_") && one.text == "true";
    return denies && one.unknown.empty() ? common_setting(last.substr(3)) : std::string_view{};
  }

  // Nothing that is not known is normalised: its text quotes the source.
  static std::string value_of(const FlatSetting& one, std::string_view canonical) {
    return one.unknown.empty() ? canonical_value(kind_of(canonical), one.text) : one.text;
  }

  // A name that a table gives without its being canonical ("activation") is a word.
  static ValueKind kind_of(std::string_view name) {
    const SettingRow* row = setting_row(name);
    return row == nullptr ? ValueKind::kWord : row->kind;
  }

  std::vector<Meaning> nameless(const FlatSetting& one) const {
    std::string key = one.path;
    if (key.find('/') == std::string::npos) {
      key = last_word(key);
      if (vocabulary_ != nullptr && !vocabulary_->name.empty()) key = std::string(vocabulary_->name) + "/" + key;
    }
    return {{std::move(key), one.text}};
  }

  std::vector<Meaning> said_by(const Term& term, const FlatSetting& one, const std::string& normal) const {
    if (term.form == Form::kNoSetting || !stands_so(term, normal)) return nameless(one);
    if (term.form == Form::kBetas) return betas(one);
    if (term.form == Form::kGroupedQueries && !grouped(one, normal)) return {{last_word(one.path), one.text}};
    if (!one.unknown.empty() || is_unset(one.text))
      return {{std::string(term.canonical), value_of(one, term.canonical)}};
    const auto number = config_number(one.text);
    const auto flag = config_flag(one.text);
    switch (term.form) {
      case Form::kOneMinus:
        if (!number || !(*number >= 0 && *number <= 1)) return nameless(one);
        return {{std::string(term.canonical), fmt::format("{}", 1 - *number)}};
      case Form::kNot:
        if (!flag) break;
        return {{std::string(term.canonical), *flag ? "false" : "true"}};
      case Form::kZeroStageIf:
        if (!flag || !*flag) return {{last_word(one.path), one.text}};
        return {{std::string(term.canonical), "1"}};
      case Form::kSharding: return {{std::string(term.canonical), sharding_stage(one.text)}};
      case Form::kDuration: return duration(term, one, normal);
      case Form::kStepsOrFraction:
        if (!number || *number <= 0 || *number >= 1) break;
        return {{std::string(setting::kWarmupFraction), canonical_value(ValueKind::kReal, one.text)}};
      case Form::kIntervalOrFraction:
        if (!number || *number <= 0 || *number >= 1) break;
        return {{std::string(term.canonical) + "_fraction", one.text}};
      case Form::kEndOfDecay:
        if (beside(level_of(level_of(normal)), "type") != "WarmupDecayLR") return nameless(one);
        break;
      case Form::kTrainedLength:
        if (!beside(level_of(normal), "do_sample").empty()) return nameless(one);
        break;
      case Form::kIfOn:
        if (flag && !*flag) return {{last_word(one.path), one.text}};
        break;
      case Form::kUnlessOne:
        if (number && *number == 1) return {{last_word(one.path), one.text}};
        break;
      case Form::kAs:
      case Form::kUnlessBeside:
      case Form::kOnlyBeside:
      case Form::kBetas:
      case Form::kGroupedQueries:
      case Form::kNoSetting: break;
    }
    return {{std::string(name_of(term, normal)), value_of(one, term.canonical)}};
  }

  // A word that another one on its level turns into something else.
  bool stands_so(const Term& term, const std::string& normal) const {
    if (term.form != Form::kUnlessBeside && term.form != Form::kOnlyBeside) return true;
    bool all = true;
    for (std::size_t at = 0; at < term.beside.size();) {
      const std::size_t end = std::min(term.beside.find(' ', at), term.beside.size());
      all = all && !beside(level_of(normal), term.beside.substr(at, end - at)).empty();
      at = end + 1;
    }
    return all == (term.form == Form::kOnlyBeside);
  }

  // What a schedule counts is its own length: the run may be shorter or longer.
  static std::string_view name_of(const Term& term, std::string_view normal) {
    if (term.canonical != setting::kTrainSteps || term.words.find("sched") != std::string_view::npos)
      return term.canonical;
    return level_of(normal).find("sched") == std::string_view::npos ? setting::kTrainSteps : setting::kDecaySteps;
  }

  bool grouped(const FlatSetting& one, const std::string& normal) const {
    const std::string_view flag = beside(level_of(normal), "group_query_attention");
    if (flag.empty()) return !one.path.starts_with('-');
    return config_flag(flag) != false;
  }

  // Both of Adam, where two are said or neither is known.
  std::vector<Meaning> betas(const FlatSetting& one) const {
    const bool said = one.unknown.empty() && !is_unset(one.text);
    if (said && list_item(one.text, 1).empty()) return nameless(one);
    const auto value = [&](std::size_t index) {
      return said ? canonical_value(ValueKind::kReal, list_item(one.text, index)) : value_of(one, setting::kAdamBeta1);
    };
    return {{std::string(setting::kAdamBeta1), value(0)}, {std::string(setting::kAdamBeta2), value(1)}};
  }

  std::vector<Meaning> duration(const Term& term, const FlatSetting& one, const std::string& normal) const {
    auto length = config_duration(one.text);
    if (!length) return nameless(one);
    if (length->unit.empty()) length->unit = sibling_unit(normal);
    const std::string_view canonical = in_unit(term.canonical, length->unit);
    if (canonical.empty()) return nameless(one);
    return {{std::string(canonical), canonical_value(kind_of(canonical), length->number)}};
  }

  std::string_view sibling_unit(const std::string& normal) const {
    const std::string_view unit = beside(level_of(normal), "units");
    return duration_unit(unit.empty() ? beside(level_of(normal), "unit") : unit);
  }

  // "a/b/c": "a/b"; empty at the top.
  static std::string_view level_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
  }

  // What a setting of that level says; empty: there is none.
  std::string_view beside(std::string_view level, std::string_view name) const {
    const auto found = text_.find(level.empty() ? std::string(name) : std::string(level) + "/" + std::string(name));
    return found == text_.end() ? std::string_view{} : std::string_view(found->second);
  }

  const Vocabulary* vocabulary_;
  std::vector<std::string> normal_;
  std::map<std::string, std::string, std::less<>> text_;
};

// Settings without which nobody trains: one of them at least has to be there.
constexpr auto kTelling = std::to_array<std::string_view>({
    setting::kLearningRate,
    setting::kGlobalBatchSize,
    setting::kGlobalBatchTokens,
    setting::kGradientAccumulation,
    setting::kTrainSteps,
    setting::kTrainTokens,
    setting::kWarmupSteps,
    setting::kWarmupFraction,
    setting::kAdamBeta2,
    setting::kWeightDecay,
    setting::kZeroStage,
    setting::kNumLayers,
    setting::kHiddenSize,
    setting::kNumAttentionHeads,
    setting::kOptimizer,
    setting::kTensorParallelSize,
});

}  // namespace

std::string normal_path(std::string_view path) {
  while (!path.empty() && (path[0] == '-' || path[0] == '+' || path[0] == '~')) path.remove_prefix(1);
  std::string out(path);
  for (char& c : out) {
    if (c == '-' || c == ' ') c = '_';
    if (c == '.') c = '/';
    c = lower(c);
  }
  return out;
}

bool path_ends_with(std::string_view normal, std::string_view words) {
  if (words.starts_with('/')) return normal == words.substr(1);
  if (!normal.ends_with(words)) return false;
  return normal.size() == words.size() || normal[normal.size() - words.size() - 1] == '/';
}

namespace {

std::string_view last_level(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The terms of a table by the last level of their words, which that of a path has to be. Tables are constants: what is
// built once stays right.
using TermIndex = std::unordered_multimap<std::string_view, const Term*>;

const TermIndex& index_of(const Vocabulary& vocabulary) {
  static std::mutex mutex;
  static std::map<const Term*, TermIndex> indices;
  const std::lock_guard lock(mutex);
  const auto [found, fresh] = indices.try_emplace(vocabulary.terms.data());
  if (fresh) {
    for (const Term& term : vocabulary.terms) found->second.emplace(last_level(term.words), &term);
  }
  return found->second;
}

}  // namespace

const Term* term_of(const Vocabulary& vocabulary, std::string_view normal) {
  for (const Vocabulary* each = &vocabulary; each != nullptr; each = each->base) {
    const Term* best = nullptr;
    const auto [begin, end] = index_of(*each).equal_range(last_level(normal));
    for (auto it = begin; it != end; ++it) {
      const Term& term = *it->second;
      // Of equal ones the first of the table, whatever the order of the index.
      const bool better = best == nullptr || term.words.size() > best->words.size() ||
                          (term.words.size() == best->words.size() && &term < best);
      if (better && path_ends_with(normal, term.words)) best = &term;
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

const Vocabulary* vocabulary_named(std::string_view name) {
  for (const Vocabulary* one : vocabularies()) {
    if (one->name == name) return one;
  }
  return nullptr;
}

const Vocabulary* vocabulary_of(std::span<const FlatSetting> settings) {
  std::set<std::string> paths;
  for (const FlatSetting& one : settings) paths.insert(normal_path(one.path));
  std::unordered_multimap<std::string_view, std::string_view> by_last_level;
  for (const std::string& path : paths) by_last_level.emplace(last_level(path), path);
  const auto occurs = [&](std::string_view words) {
    const auto [begin, end] = by_last_level.equal_range(last_level(words));
    return std::any_of(begin, end, [&](const auto& one) { return path_ends_with(one.second, words); });
  };
  const auto count = [&](const Vocabulary& one) -> std::ptrdiff_t {
    if (!one.own.empty() && std::none_of(one.own.begin(), one.own.end(), occurs)) return 0;
    return std::count_if(one.signature.begin(), one.signature.end(), occurs);
  };
  // Of those that refine `refined`, or of all, the one of which most words occur.
  const auto best_of = [&](const Vocabulary* refined) {
    const Vocabulary* best = nullptr;
    std::ptrdiff_t most = kLeastSignature - 1;
    for (const Vocabulary* one : vocabularies()) {
      const auto found = refined == nullptr || one->refines == refined ? count(*one) : 0;
      if (found <= most) continue;
      most = found;
      best = one;
    }
    return best;
  };
  const Vocabulary* best = best_of(nullptr);
  while (best != nullptr) {
    const Vocabulary* finer = best_of(best);
    if (finer == nullptr) break;
    best = finer;
  }
  return best;
}

std::vector<std::vector<Meaning>> meanings(std::span<const FlatSetting> settings, const Vocabulary* vocabulary) {
  const Reading reading(settings, vocabulary);
  std::vector<std::vector<Meaning>> out;
  out.reserve(settings.size());
  for (std::size_t i = 0; i < settings.size(); ++i) out.push_back(reading.of(i, settings[i]));
  return out;
}

bool holds_training_settings(std::span<const FlatSetting> settings, bool promised) {
  const Vocabulary* vocabulary = vocabulary_of(settings);
  std::set<std::string> known;
  for (const auto& said : meanings(settings, vocabulary)) {
    for (const Meaning& one : said) {
      // Names alone, as in a list of defaults, say nothing; a framework's own file may leave all to its trainer.
      const bool says = vocabulary != nullptr || one.value != "None";
      if (says && setting_row(one.key) != nullptr) known.insert(one.key);
    }
  }
  const bool telling = std::any_of(kTelling.begin(), kTelling.end(),
                                   [&](std::string_view key) { return known.contains(std::string(key)); });
  // A framework's own words are proof enough; else it takes two that training alone has.
  return vocabulary != nullptr ? !known.empty() : telling && (promised || known.size() >= 2);
}

}  // namespace assay
