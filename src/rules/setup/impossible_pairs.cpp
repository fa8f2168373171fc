// Pairs of settings that exclude each other, each with what refuses it.
//
//  - a schedule that falls from lr to a min_lr above it rises: Megatron-LM's scheduler asserts max_lr >= min_lr, others
//    follow it. Where nothing decays, the minimum does not act.
//  - WSD falls at its end only, so Megatron-LM has to know how long that end is.
//  - fp16 and bf16 are one choice. DeepSpeed asserts it, and transformers asserts that DeepSpeed's file says what the
//    command says. (Two options of one command are told by setting-overridden.)
//  - a router cannot choose more experts than there are; each key-value head serves the same number of query heads;
//    experts that do not exist cannot be spread.
//
// Two numbers of a model are compared only where they stand beside each other: a configuration may hold several models.

#include <algorithm>
#include <cmath>

#include "assay/setting.h"
#include "rules/actions.h"
#include "rules/places.h"
#include "rules/said_places.h"
#include "rules/setup/impossible.h"

namespace assay {

namespace {

constexpr double kEnd = 0.1;  // of the peak: where most recipes end

std::optional<double> number(const Setting* said) {
  const auto value = said == nullptr ? std::nullopt : said->number();
  return value && std::isfinite(*value) ? value : std::nullopt;
}

Issue pair(std::string sentence, const Setting& said, const Setting& other, bool refused, std::string refused_by = {}) {
  Issue out = impossible(std::move(sentence), said, refused, std::move(refused_by));
  out.message.values.push_back({"other", name_of(other)});
  out.message.values.push_back({"is", other.value});
  out.evidence.push_back({{"other", {{"other", name_of(other)}, {"is", other.value}}}, {}, other.where});
  return out;
}

// nanoGPT's file keeps its numbers where nothing decays.
bool decays(const Plan& plan) {
  const Setting* switch_of = last_written(plan.run().config, "decay_lr");
  const bool off = switch_of != nullptr && (switch_of->value == "False" || switch_of->value == "false");
  const std::string word = plan.word(setting::kSchedule);
  return !off && word.find("constant") == std::string::npos && word != "none" && word != "fixed";
}

void least_rate(const Plan& plan, std::vector<Issue>& out) {
  const bool megatron = plan.framework() == "megatron";
  if (!megatron && !decays(plan)) return;
  const Setting* share = plan.setting(setting::kMinLearningRateFraction);
  if (const auto value = number(share); value && *value > 1) {
    out.push_back(impossible("least-share", *share, false));
    out.back().actions.push_back({{"a-tenth-share", {}}, option_to_set(plan.run(), share->key, kEnd)});
  }
  const Setting* least = plan.setting(setting::kMinLearningRate);
  const Setting* peak = plan.setting(setting::kLearningRate);
  const auto low = number(least);
  const auto high = number(peak);
  if (!low || !high || !(*high > 0) || *low <= *high || !beside_each_other(*least, *peak)) return;
  out.push_back(pair("least-above-peak", *least, *peak, megatron, megatron ? "checked-megatron-min" : ""));
  const double tenth = two_digits(kEnd * *high);
  out.back().actions.push_back({{"a-tenth", {{"tenth", tenth}}}, option_to_set(plan.run(), least->key, tenth)});
}

void stable_decay(const Plan& plan, std::vector<Issue>& out) {
  const Setting* style = plan.setting(setting::kSchedule);
  if (plan.framework() != "megatron" || style == nullptr || style->value != "WSD") return;
  if (last_name(name_of(*style)) != "lr_decay_style") return;
  for (const std::string_view name : {"lr_wsd_decay_iters", "lr_wsd_decay_samples"}) {
    const Setting* length = last_written(plan.run().config, name);
    if (length != nullptr && length->value != "None") return;
  }
  const bool samples = plan.setting(setting::kTrainSamples) != nullptr;
  const char* option = samples ? "--lr-wsd-decay-samples" : "--lr-wsd-decay-iters";
  Issue issue = impossible("no-end", *style, true, "checked-megatron-wsd");
  issue.message.values.push_back({"option", option});
  const Setting* run = plan.setting(samples ? setting::kTrainSamples : setting::kTrainSteps);
  const auto length = number(run);
  const bool known = length && *length >= 10 && *length < 1e15;
  const std::string line = known ? std::string(option) + " " + std::to_string(std::llround(*length / 10)) : "";
  issue.actions.push_back({{"end-of", {{"option", option}}}, line});
  out.push_back(std::move(issue));
}

bool on(const Setting& one) { return one.unknown.empty() && (one.value == "true" || one.value == "True"); }

void two_precisions_of_engine(const Plan& plan, std::vector<Issue>& out) {
  const Setting* half = nullptr;
  const Setting* brain = nullptr;
  const Setting* asked_half = nullptr;
  const Setting* asked_brain = nullptr;
  for (const Setting& one : plan.run().config.settings) {
    const bool engine = one.written.ends_with("fp16/enabled") || one.written.ends_with("bf16/enabled") ||
                        one.written.ends_with("bfloat16/enabled");
    if (one.key == setting::kFp16) (engine ? half : asked_half) = &one;
    if (one.key == setting::kBf16) (engine ? brain : asked_brain) = &one;
  }
  if (half != nullptr && brain != nullptr && on(*half) && on(*brain) && half->where.path == brain->where.path) {
    out.push_back(pair("both-precisions", *half, *brain, true, "checked-deepspeed-precision"));
    out.back().actions.push_back({{"one-precision", {}}, "\"fp16\": {\"enabled\": false}"});
    return;
  }
  if (plan.framework() != "hf-trainer") return;
  const bool other_half = half != nullptr && on(*half) && asked_brain != nullptr && on(*asked_brain) &&
                          (asked_half == nullptr || !on(*asked_half));
  const bool other_brain = brain != nullptr && on(*brain) && asked_half != nullptr && on(*asked_half) &&
                           (asked_brain == nullptr || !on(*asked_brain));
  if (!other_half && !other_brain) return;
  const Setting& engine = other_half ? *half : *brain;
  out.push_back(
      pair("other-precision", engine, other_half ? *asked_brain : *asked_half, true, "checked-trainer-precision"));
  out.back().actions.push_back({{"say-auto", {}}, "\"enabled\": \"auto\""});
}

bool latent_attention(const Plan& plan) { return plan.setting(setting::kKeyValueLoraRank) != nullptr; }

void shape(const Plan& plan, std::vector<Issue>& out) {
  const Setting* experts = plan.setting(setting::kNumExperts);
  const Setting* chosen = plan.setting(setting::kExpertsPerToken);
  const auto all = number(experts);
  const auto some = number(chosen);
  if (all && some && *all >= 1 && *some > *all && beside_each_other(*experts, *chosen)) {
    out.push_back(pair("more-than-all", *chosen, *experts, true));
    out.back().actions.push_back({{"at-most", {{"most", count_value(*all)}}}, ""});
  }
  const Setting* heads = plan.setting(setting::kNumAttentionHeads);
  const Setting* groups = plan.setting(setting::kNumKeyValueHeads);
  const auto queries = number(heads);
  const auto keys = number(groups);
  const bool counts =
      queries && keys && *queries >= 1 && *keys >= 1 && *queries == std::floor(*queries) && *keys == std::floor(*keys);
  if (counts && std::fmod(*queries, *keys) != 0 && !latent_attention(plan) && beside_each_other(*heads, *groups)) {
    out.push_back(pair("uneven-groups", *groups, *heads, true));
    double below = *keys;
    while (std::fmod(*queries, below) != 0 && below > 1) below = std::min(below - 1, *queries);
    out.back().actions.push_back({{"divisor", {{"most", count_value(below)}}}, ""});
  }
}

// The model may be described elsewhere, so a sign of experts anywhere is enough to keep silent.
void experts_that_are_none(const Plan& plan, std::vector<Issue>& out) {
  const Setting* parts = plan.setting(setting::kExpertParallelSize);
  const auto value = number(parts);
  if (plan.framework() != "megatron" || !value || *value <= 1) return;
  if (last_name(name_of(*parts)) != "expert_model_parallel_size") return;
  const Setting* layers = plan.setting(setting::kNumLayers);
  if (layers == nullptr || layers->where.path != parts->where.path) return;
  const auto& all = plan.run().config.settings;
  const bool signs = std::any_of(all.begin(), all.end(), [](const Setting& one) {
    const std::string name = last_name(name_of(one));
    const bool tells = name.find("num_expert") != std::string::npos || name.starts_with("moe_") ||
                       name == "use_checkpoint_args" || name == "spec";
    return tells && (one.value != "None" || !one.unknown.empty());
  });
  if (signs) return;
  out.push_back(impossible("no-experts", *parts, true, "checked-megatron-experts"));
  out.back().actions.push_back({{"say-experts", {}}, "--expert-model-parallel-size 1"});
}

}  // namespace

void impossible_pairs(const Plan& plan, std::vector<Issue>& out) {
  least_rate(plan, out);
  stable_decay(plan, out);
  two_precisions_of_engine(plan, out);
  shape(plan, out);
  experts_that_are_none(plan, out);
}

}  // namespace assay
