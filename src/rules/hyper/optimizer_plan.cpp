// Questions to settings that several rules about the optimizer ask.
//
// A setting is written in thirty ways and mostly left out, so each answer here has three values: yes, no, not known.
// What is not known makes a rule not applicable, never silent agreement.
//
// From random weights or not: the first loss tells it surely, where the log shows the beginning of a language model's
// training: a model that is not random is below 7 nats, the unigram level of the usual vocabularies. Before a run a
// word tells it ("scratch", a checkpoint to begin with), and in frameworks that only begin from a checkpoint when one
// is named, its absence does (Megatron without --load). That is likely, not certain: scripts are templates. With --load
// of the very folder that it saves to the first start is from random weights and every other one is not: possible.
// A kind of training that is itself no more than possible (a first loss of 0.6: a classifier from random weights, or a
// model that has learned) tells nothing.
//
// The size of a model is the one that a token meets (active parameters), or the one in the name of the model that is
// loaded. Where the vocabulary is not told, as in most Megatron scripts, the matrices of the layers stand for it.

#include "rules/hyper/optimizer_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>

#include "assay/metric.h"
#include "assay/setting.h"
#include "base/ascii.h"
#include "core/axis.h"
#include "facts/framework_defaults.h"
#include "facts/scaling_laws.h"
#include "measure/adapters.h"
#include "measure/model_shape.h"
#include "measure/scaler.h"
#include "measure/training_kind.h"
#include "rules/places.h"

namespace assay {

namespace {

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The loss of a model that knows no more than how frequent each token is; trained ones are far below on any text.
constexpr double kRandomNats = 7;

// AdamW is what these take where nothing else is said.
bool takes_adam(std::string_view framework) {
  return one_of(framework, {"megatron", "gpt-neox", "nemo", "megatron-bridge", "hf-trainer", "axolotl", "paddle",
                            "verl", "openrlhf", "nanogpt", "llm.c", "torchtitan", "olmo", "litgpt", "maxtext"});
}

// These begin from trained weights only where a checkpoint is named.
bool begins_from_scratch(std::string_view framework) {
  return one_of(framework, {"megatron", "gpt-neox", "nanogpt", "olmo", "torchtitan", "maxtext", "nanotron"});
}

}  // namespace

std::string optimizer_word(const Plan& plan) {
  const Setting* said = plan.setting(setting::kOptimizer);
  return said == nullptr ? std::string() : said->value;
}

OptimizerKind optimizer_of(const Plan& plan) {
  if (said_unknown(plan.run().config, setting::kOptimizer)) return OptimizerKind::kUnsaid;
  const std::string word = plan.word(setting::kOptimizer);
  if (word.empty()) return takes_adam(plan.framework()) ? OptimizerKind::kAdam : OptimizerKind::kUnsaid;
  if (contains_any(word, {"galore", "sophia", "soap", "shampoo", "prodigy", "dadapt", "d-adapt", "schedule", "rmsprop",
                          "adagrad", "apollo"}))
    return OptimizerKind::kOther;
  if (word.find("adafactor") != std::string::npos) return OptimizerKind::kAdafactor;
  if (word.find("muon") != std::string::npos) return OptimizerKind::kMuon;
  if (word.find("lion") != std::string::npos) return OptimizerKind::kLion;
  if (contains_any(word, {"lamb", "lars"})) return OptimizerKind::kLayerwise;
  if (word.find("adam") != std::string::npos) return OptimizerKind::kAdam;
  if (word == "nag" || contains_any(word, {"sgd", "momentum"})) return OptimizerKind::kSgd;
  return OptimizerKind::kOther;
}

namespace {

// The first loss of a log that shows the beginning of a training run in nats per token.
std::optional<double> first_loss(const Run& run) {
  if (!run.has_begun() || run.segments.front().empty() || !begins_at_start(run, 0)) return std::nullopt;
  const Series* loss = run.segments.front().find(metric::kLoss);
  if (loss == nullptr || loss->empty() || !std::isfinite(loss->value(0))) return std::nullopt;
  return loss->value(0);
}

bool same_folder(const Config& config, const Setting& load) {
  return std::any_of(config.settings.begin(), config.settings.end(), [&](const Setting& one) {
    const std::string written = lower(one.written.empty() ? one.key : one.written);
    return (written == "--save" || written == "save") && one.value == load.value;
  });
}

// The last saying of a checkpoint to begin with, known or not.
const Setting* loaded(const Config& config) {
  for (auto it = config.settings.rbegin(); it != config.settings.rend(); ++it) {
    const std::string written = lower(it->written.empty() ? it->key : it->written);
    const bool names_one =
        it->key == setting::kResumeFrom || it->key == setting::kFineTuning ||
        contains_any(written, {"pretrained", "init_checkpoint", "init-checkpoint", "restore_from", "initial_load",
                               "load_path", "load_parameters_path", "model_name_or_path", "model-name-or-path"});
    if (names_one && !says_no(*it)) return &*it;
  }
  return nullptr;
}

// A template is filled in by its reader: what it does not say may be said elsewhere.
constexpr double kTemplate = 0.65;
constexpr double kOwnFolder = 0.5;

// What training it is, where that is at least likely.
TrainingKind likely_kind(const Run& run) {
  const KindOfTraining told = run.kind.kind != TrainingKind::kUnknown ? run.kind : kind_of_training(run);
  const bool doubtful = told.confidence > 0 && told.confidence < kLikely;
  return doubtful ? TrainingKind::kUnknown : told.kind;
}

// The Trainers of transformers and PaddleNLP train anything.
bool settings_of_language_model(const Plan& plan) {
  const bool any = one_of(plan.framework(), {"hf-trainer", "paddle"});
  return (takes_adam(plan.framework()) && !any) || model_size(plan).has_value();
}

Beginning by_settings(const Plan& plan) {
  const Config& config = plan.run().config;
  for (const Setting& one : config.settings) {
    if (!one.unknown.empty()) continue;
    const std::string key = lower(one.key);
    if (key.ends_with("init_from")) {
      return {one.value == "scratch" ? Start::kScratch : Start::kTrained, 0.95};
    }
    if (contains_any(key, {"from_scratch"}) && !says_no(one)) return {Start::kScratch, 0.95};
  }
  if (adapters_said(config) != nullptr) return {Start::kTrained, 0.95};
  const TrainingKind kind = likely_kind(plan.run());
  if (tunes_policy(plan, kind)) return {Start::kTrained, 0.9};
  const Setting* load = loaded(config);
  const bool own = load != nullptr && load->key == setting::kResumeFrom && same_folder(config, *load);
  if (load != nullptr && !own) return {Start::kTrained, 0.8};
  if (kind == TrainingKind::kFineTuning) return {Start::kTrained, 0.8};
  if (!begins_from_scratch(plan.framework()) || !model_size(plan)) return {};
  Beginning out{Start::kScratch, kTemplate};
  if (own) {
    out.sure = kOwnFolder;
    out.own_folder = load;
  }
  return out;
}

}  // namespace

bool tunes_policy(const Plan& plan, TrainingKind kind) {
  return kind == TrainingKind::kPreference ||
         (kind == TrainingKind::kReinforcement && settings_of_language_model(plan));
}

Beginning beginning_of(const Plan& plan) {
  const Run& run = plan.run();
  if (const auto loss = first_loss(run); loss && *loss > 0) {
    const TrainingKind kind = likely_kind(run);
    const bool scratch = kind == TrainingKind::kPretraining && *loss >= kRandomNats;
    if (scratch) return {Start::kScratch, 0.9, true, *loss};
    if (kind == TrainingKind::kFineTuning || tunes_policy(plan, kind)) {
      return {Start::kTrained, 0.8, true, *loss};
    }
  }
  if (run.has_begun() && !begins_at_start(run, 0)) return {};  // an excerpt: its start is another matter
  return by_settings(plan);
}

bool trains_language_model(const Plan& plan) {
  if (settings_of_language_model(plan)) return true;
  const Beginning beginning = beginning_of(plan);
  return beginning.by_log && beginning.start == Start::kScratch;
}

bool scales_rates_by_width(const Config& config) {
  return std::any_of(config.settings.begin(), config.settings.end(), [](const Setting& one) {
    const std::string key = lower(one.key);
    const bool mup = key == "mup" || key.starts_with("mup_") || contains_any(key, {"use_mup", "use-mup", "/mup"});
    return mup && !says_no(one);
  });
}

bool rate_is_a_factor(const Plan& plan) {
  return contains_any(plan.word(setting::kSchedule), {"noam", "rsqrt", "inverse", "sqrt"});
}

namespace {

// The matrices of the layers, from sizes alone: what most scripts say.
double matrices_of(const Config& config, std::string_view framework) {
  const auto count = [&](std::string_view key) { return count_said(config, key).value_or(0); };
  LayerSizes sizes;
  const auto model = described_model(config, framework);
  if (model && model->shape.ffn > 0 && model->unknown.empty()) {
    if (model->shape.experts > 0 || model->shape.key_value_rank > 0) return 0;
    const ModelShape& shape = model->shape;
    sizes = {shape.layers, shape.hidden, shape.ffn, shape.heads, shape.kv_heads, shape.head_dim, shape.gated};
  } else {
    if (count(setting::kNumExperts) > 1) return 0;
    sizes.layers = count(setting::kNumLayers);
    sizes.hidden = count(setting::kHiddenSize);
    sizes.gated = flag_said(config, setting::kGatedMlp).value_or(false);
    sizes.ffn = count_said(config, setting::kFfnHiddenSize).value_or(4 * sizes.hidden);
    sizes.heads = sizes.kv_heads = 1;
    sizes.head_dim = sizes.hidden;
  }
  const double all = layer_matrices(sizes);
  return std::isfinite(all) ? all : 0;
}

// "Llama-2-7b-hf" has 7e9 parameters, "Qwen3-30B-A3B" 3e9 that a token meets; "8x7B" tells neither. 0: no size.
double parameters_in_name(std::string_view name) {
  const std::size_t slash = name.find_last_of('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  double found = 0;
  for (std::size_t end = 1; end < name.size(); ++end) {
    const double unit = name[end] == 'b' || name[end] == 'B' ? 1e9 : name[end] == 'm' || name[end] == 'M' ? 1e6 : 0;
    if (unit == 0 || (end + 1 < name.size() && is_letter(name[end + 1]))) continue;
    const std::size_t before = name.substr(0, end).find_last_not_of("0123456789.");
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    double number = 0;
    const auto parsed = std::from_chars(name.data() + begin, name.data() + end, number);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + end || !(number > 0) || number > 1e4) continue;
    const char sign = begin > 0 ? name[begin - 1] : '-';
    if (sign == 'x' || sign == 'X') return 0;
    if (sign == 'A' || sign == 'a') return number * unit;
    if (!is_letter(sign)) found = number * unit;
  }
  return found;
}

}  // namespace

std::optional<ModelSize> model_size(const Plan& plan) {
  ModelSize out;
  out.matrices = matrices_of(plan.run().config, plan.framework());
  auto count = plan.told(setting::kActiveParameters);
  if (!count) count = plan.told(setting::kParameters);
  if (count && count->value > 0) {
    out.parameters = count->value;
    return out;
  }
  if (const double named = parameters_in_name(plan.word(setting::kModel)); named > 0) {
    out.parameters = named;
    return out;
  }
  if (!(out.matrices > 0)) return std::nullopt;
  out.parameters = out.matrices;
  out.whole = false;
  return out;
}

WarmupSaid warmup_of(const Plan& plan) {
  constexpr std::array kKeys{setting::kWarmupSteps,           setting::kWarmupSamples,
                             setting::kWarmupTokens,          setting::kWarmupFraction,
                             setting::kWarmupFractionOfDecay, setting::kWarmupFractionOfEpoch};
  WarmupSaid out;
  for (const std::string_view key : kKeys) {
    if (said_unknown(plan.run().config, key)) return {};
  }
  // Several may be said, and those that are 0 say nothing against the others.
  for (const std::string_view key : kKeys) {
    const auto number = plan.setting(key) != nullptr ? plan.told(key) : std::nullopt;
    if (!number) continue;
    out.known = out.said = true;
    const bool more = number->value > 0 || out.written.empty();
    if (more) {
      out.written = number->written;
      out.where = number->where;
    }
    if (key == setting::kWarmupSteps && number->value > 0) out.steps = number->value;
    if (key != setting::kWarmupSteps) out.share = std::max(out.share, number->value);
  }
  if (out.known) {
    if (!out.steps && out.share > 0) {
      if (const auto derived = plan.told(setting::kWarmupSteps); derived && derived->value > 0) {
        out.steps = derived->value;
      }
    }
    return out;
  }
  if (const auto standard = framework_default(plan.framework(), setting::kWarmupSteps)) {
    out.known = true;
    out.steps = standard->value;
    out.written = setting::kWarmupSteps;
  } else if (const auto share = framework_default(plan.framework(), setting::kWarmupFraction)) {
    out.known = true;
    out.share = share->value;
    out.written = setting::kWarmupFraction;
  }
  return out;
}

bool ran_well(const Run& run) {
  constexpr std::size_t kEnough = 100;
  if (!run.has_begun()) return false;
  const Series* first = nullptr;
  const Series* last = nullptr;
  std::size_t records = 0;
  for (const Segment& segment : run.segments) {
    const Series* loss = segment.find(metric::kLoss);
    if (loss == nullptr || loss->empty()) continue;
    if (first == nullptr) first = loss;
    last = loss;
    records += loss->size();
  }
  if (records < kEnough) return false;
  const double end = last->value(last->size() - 1);
  return std::isfinite(end) && end <= first->value(0);
}

bool perhaps_adam(const Plan& plan, Findings& out) {
  const OptimizerKind optimizer = optimizer_of(plan);
  if (optimizer == OptimizerKind::kAdam || optimizer == OptimizerKind::kUnsaid) return true;
  out.not_applicable("not-adam", {{"optimizer", optimizer_word(plan)}});
  return false;
}

bool surely_adam(const Plan& plan, Findings& out) {
  if (optimizer_of(plan) != OptimizerKind::kUnsaid) return perhaps_adam(plan, out);
  out.not_applicable("optimizer-unsaid");
  return false;
}

Finding about_number(const Plan& plan, const Planned& number, std::string_view name, Phrase message) {
  Finding out;
  out.where = where_said(number);
  out.message = std::move(message);
  out.message.values.insert(out.message.values.begin(), {{std::string(name), number.value}, {"option", named(number)}});
  add_default(plan, number, out);
  return out;
}

void add_recipe(Values& values, const std::string& name, const Recipe& recipe) {
  values.emplace_back(name, recipe.peak_rate);
  values.emplace_back(name + "_model", recipe.model);
}

std::vector<SentenceRecord> with_optimizer_sentences(std::initializer_list<SentenceRecord> own) {
  static constexpr SentenceRecord kShared[] = {
      {"adapters", "adapters are trained, whose settings follow rules of their own",
       "训练的是适配器（LoRA 等），其设置另有规律"},
      {"not-adam", "the optimizer is {optimizer}: what is known of Adam does not hold for it",
       "优化器是 {optimizer}，Adam 的经验不适用"},
      {"optimizer-unsaid", "nothing tells the optimizer", "未说明优化器"},
      {"begins-unknown", "nothing tells whether training starts from random weights", "无法判断训练是否从随机权重开始"},
      {"began-trained", "training starts from trained weights", "训练从已训练的权重开始"},
      {"default", "{key} is not set: {value} is the default of {framework}",
       "未设置 {key}：{value} 是 {framework} 的默认值"},
  };
  std::vector<SentenceRecord> all(own);
  all.insert(all.end(), std::begin(kShared), std::end(kShared));
  return all;
}

}  // namespace assay
