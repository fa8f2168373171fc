// Recipes of precision side by side.
//
// Bytes of a parameter, with Adam (Rajbhandari et al., ZeRO, 2020; Megatron Core, Distributed Optimizer, has the same
// table: 20, 18 and 16):
//                                  weights  gradients  for the optimizer              in all
//   FP32                              4         4      moments 8                        16
//   16 bits mixed, FP32 sums          2         4      copy 4, moments 8                18
//   16 bits mixed, 16-bit sums        2         2      copy 4, moments 8 (Megatron      16 (20)
//                                                      also a copy of the gradient, 4)
//   autocast (weights in FP32)        4         4      moments 8                        16
//   16 bits alone                     2         2      moments 4                         8
// Stage 1 (and Megatron's distributed optimizer) divides what is for the optimizer by the ranks that share it out,
// stage 2 the gradients, too, stage 3 the weights, too. Activations, buffers and fragments are not in it.
//
// Bytes that a device sends in a step, S ranks sharing out, f = (S − 1)/S, g and w the bytes of a gradient on the wire
// and of a weight, A micro-batches: not shared out 2 f g (ring all-reduce); stage 1 f g + f w (reduce-scatter, then
// all-gather); stage 2 A f g + f w, since gradients that are shared out are reduced micro-batch by micro-batch; stage 3
// A (f g + 2 f w). Among R/S copies of a shared-out model an all-reduce of the share follows. What tensor and pipeline
// parallelism send is not in it.
//
// Losses, each the share of what it acts on that rounding takes away:
//   products      c·√2·u of the inputs (of FP8: E4M3 with a scale, the forward pass)
//   gradients     of the sums over micro-batches and ranks (sim/reduce_error), around a ring: noise, no mean
//   updates       that leave a weight as it is, at the peak rate (planned_updates)
//                 (8 micro-batches and more in BF16, 64 in FP16, are "some" whatever the noise: the rule
//                 accumulate-low-precision tells them, too)
//   second moment one rounding, c·u, over 1 − β2, which is what a step changes of it
// A rounding that acts on average (stochastic, Kahan) loses no update.
//
// Ranking. Below 1 % nothing is known to suffer: rounding of BF16 inputs is 0.23 % of each product, and published
// models were trained so; gradients of 384 ranks reduced in BF16, 2.3 %, were reported to be unstable (pytorch#106395).
// So 1 % is where "some" begins; from 10 % on "much"; from a half on most of it is lost. fp16 is "some" by its range:
// it needs a loss scale, and skips steps to find it. Eight-bit moments are "some" because nothing here predicts them.
// Among recipes that lose the same: fewer bytes of a matrix input first (activations take that, and no unit multiplies
// FP32 faster than 16 bits), then fewer bytes of states, then fewer sent.

#include "advice/recipes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "assay/setting.h"
#include "core/sections.h"
#include "num/format.h"
#include "rules/hyper/acting_settings.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/precision/planned_updates.h"
#include "rules/precision/precision_plan.h"
#include "sim/reduce_error.h"

namespace assay {

namespace {

constexpr double kSome = 0.01, kMuch = 0.1, kMost = 0.5;

double width(std::string_view format) {
  if (format == "fp32") return 4;
  return format == "bf16" || format == "fp16" ? 2 : 1;
}

// Of a weight as it is multiplied: FP8 is made of 16 bits on the device.
double gathered_width(const PrecisionRecipe& recipe) { return recipe.products == "fp32" ? 4 : 2; }

bool is_megatron(const Situation& situation) {
  const std::string& framework = situation.plan.framework();
  return framework == "megatron" || framework == "megatron-bridge" || framework == "nemo";
}

bool is_any_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Moments that the optimizer keeps; nothing: not known of it.
std::optional<double> moments_kept(const Situation& situation) {
  switch (optimizer_of(situation.plan)) {
    case OptimizerKind::kUnsaid:
    case OptimizerKind::kAdam:
    case OptimizerKind::kLayerwise: return 2;
    case OptimizerKind::kLion: return 1;
    case OptimizerKind::kSgd:
    case OptimizerKind::kAdafactor:
    case OptimizerKind::kMuon:
    case OptimizerKind::kOther: return std::nullopt;
  }
  return std::nullopt;
}

bool multiplies(const Situation& situation, std::string_view format) {
  return !situation.device.told() || situation.device.unit(format) != nullptr;
}

// Of a framework that is not known anything may be.
bool can_fp8(const std::string& framework) {
  return is_any_of(framework, {"", "megatron", "megatron-bridge", "nemo", "torchtitan", "hf-trainer", "axolotl",
                               "lightning", "maxtext", "accelerate", "nanotron"});
}

PrecisionRecipe mixed(const char* key, Text title, const char* products, const char* gradients, const char* wire) {
  return {key, std::move(title), products, "fp32", gradients, wire, "fp32"};
}

PrecisionRecipe alone(const char* key, Text title, bool stochastic) {
  return {key, std::move(title), "bf16", "bf16", "bf16", "bf16", "bf16", stochastic};
}

// What the framework and the device can run.
std::vector<PrecisionRecipe> recipes_for(const Situation& situation) {
  const bool autocast = situation.keeping == Keeping::kAutocast;
  const std::string& framework = situation.plan.framework();
  const bool sums = situation.ranks.value_or(2) > 1;
  std::vector<PrecisionRecipe> out = {mixed("fp32", both("FP32"), "fp32", "fp32", "fp32")};
  if (multiplies(situation, "bf16")) {
    const PrecisionRecipe bf16 = mixed("bf16-fp32", {"BF16 + FP32 sums", "BF16 + FP32 求和"}, "bf16", "fp32", "fp32");
    out.push_back(bf16);
    if (sums && framework != "nanogpt") {
      out.push_back(
          mixed("bf16-bf16", {"BF16 + BF16 sums", "BF16 + BF16 求和"}, "bf16", autocast ? "fp32" : "bf16", "bf16"));
    }
    const auto with_moments = [&](const char* key, Text title, const char* moments) {
      out.push_back(bf16);
      out.back().key = key;
      out.back().title = std::move(title);
      out.back().moments = moments;
    };
    if (is_megatron(situation) || framework == "deepspeed" || framework == "maxtext") {
      with_moments("bf16-moments", {"BF16 + BF16 moments", "BF16 + BF16 动量"}, "bf16");
    }
    if (is_any_of(framework, {"hf-trainer", "axolotl", "torchtune"})) {
      with_moments("bf16-8-bit", {"BF16 + 8-bit moments", "BF16 + 8 位动量"}, "8-bit");
    }
    out.push_back(alone("bf16-alone", {"BF16 alone", "纯 BF16"}, false));
    if (is_any_of(framework, {"hf-trainer", "axolotl", "torchtune", "llm.c"})) {
      out.push_back(alone("bf16-stochastic", {"BF16 stochastic", "纯 BF16 随机舍入"}, true));
    }
    if (multiplies(situation, "e4m3") && can_fp8(framework)) {
      out.push_back(mixed("fp8", {"FP8 + FP32 sums", "FP8 + FP32 求和"}, "fp8", "fp32", "fp32"));
    }
  }
  if (multiplies(situation, "fp16")) {
    const char* half = autocast ? "fp32" : "fp16";
    out.push_back(mixed("fp16", {"FP16 + loss scale", "FP16 + 损失缩放"}, "fp16", half, half));
  }
  return out;
}

// A format that is not told, or that nothing is done in, may be any.
bool may_be(const std::string& asked, const std::string& format, bool matters) { return !matters || asked == format; }

bool is_asked(const Asked& asked, const PrecisionRecipe& recipe, const Situation& situation) {
  const bool ranks = situation.ranks.value_or(2) > 1, steps = situation.micro_batches.value_or(2) > 1;
  return asked.products == recipe.products && asked.weights == recipe.weights && asked.moments == recipe.moments &&
         asked.keeps_the_rest == recipe.stochastic && may_be(asked.accumulation, recipe.gradients, steps || ranks) &&
         may_be(asked.reduction, recipe.wire, ranks);
}

Text in_words(const Asked& asked) {
  const auto upper = [](std::string word) {
    for (char& one : word) one = one >= 'a' && one <= 'z' ? static_cast<char>(one - 'a' + 'A') : one;
    return word;
  };
  const std::string products = upper(asked.products), sums = upper(asked.reduction);
  const bool low = asked.weights != "fp32";
  if (low) return {products + " alone + " + sums + " sums", "纯 " + products + " + " + sums + " 求和"};
  return {products + " + " + sums + " sums", products + " + " + sums + " 求和"};
}

// Marks what the settings ask for; adds it where it is none of the usual ones.
void mark_asked(const Situation& situation, std::vector<Costs>& all) {
  const Asked& asked = situation.asked;
  if (asked.products.empty()) return;
  const auto same =
      std::find_if(all.begin(), all.end(), [&](const Costs& one) { return is_asked(asked, one.recipe, situation); });
  if (same != all.end()) {
    same->now = true;
    return;
  }
  if (asked.accumulation.empty() || asked.reduction.empty()) return;
  Costs own;
  own.now = true;
  own.recipe = {"as-set",           in_words(asked), asked.products, asked.weights,
                asked.accumulation, asked.reduction, asked.moments,  asked.keeps_the_rest};
  all.push_back(std::move(own));
}

Harm level(double share) {
  return share < kSome ? Harm::kNone : share < kMuch ? Harm::kSome : share < kMost ? Harm::kMuch : Harm::kMost;
}

Harm harm_of(const Costs& costs, const Situation& situation) {
  Harm worst = std::max(level(costs.product_error), level(costs.moment_error));
  if (costs.lost_updates) worst = std::max(worst, level(*costs.lost_updates));
  if (const auto error = costs.gradient_error()) worst = std::max(worst, level(*error));
  const bool unsure = !situation.ranks && costs.recipe.wire != "fp32";
  // The rule of such sums tells them from here on.
  const bool many = static_cast<double>(situation.micro_batches.value_or(1)) >=
                    kFewTerms * std::exp2(format_named(costs.recipe.gradients).precision);
  const bool range = costs.recipe.products == "fp16" || costs.recipe.weights == "fp16";
  return unsure || many || range || costs.recipe.moments == "8-bit" ? std::max(worst, Harm::kSome) : worst;
}

void predict(const Situation& situation, const std::optional<PlannedUpdates>& updates, double beta2, Costs& out) {
  const PrecisionRecipe& recipe = out.recipe;
  out.product_error = product_error(format_named(recipe.products == "fp8" ? "e4m3" : recipe.products));
  if (situation.micro_batches) {
    out.accumulation_error = *situation.micro_batches > 1
                                 ? expected_running_error(format_named(recipe.gradients), *situation.micro_batches)
                                 : 0;
  }
  if (situation.ranks && *situation.ranks <= kMostRanks) {
    out.reduction_error =
        *situation.ranks > 1
            ? expected_reduce_error({.collective = {.ranks = *situation.ranks}, .wire = format_named(recipe.wire)})
            : 0;
  }
  if (recipe.stochastic) {
    out.lost_updates = 0;
  } else if (updates) {
    out.lost_updates = swallowed_at(*updates, format_named(recipe.weights), updates->rate);
  }
  if (recipe.moments != "8-bit") {
    out.moment_error = kRmsOfRounding * unit_roundoff(format_named(recipe.moments)) / (1 - beta2);
  }
  out.harm = harm_of(out, situation);
}

double second_beta(const Plan& plan) {
  constexpr double kUsual = 0.999;  // of PyTorch's Adam
  const auto told = told_or_default(plan, setting::kAdamBeta2);
  return told && told->value >= 0 && told->value < 1 ? told->value : kUsual;
}

// Of one group, for each parameter.
double sent(const ParameterGroup& group, double gradient, double weight, int stage, double steps) {
  const auto ranks = static_cast<double>(group.ranks);
  if (stage == 0) return 2 * (ranks - 1) / ranks * gradient;
  const auto shards = static_cast<double>(group.shards);
  const double others = (shards - 1) / shards, copies = ranks / shards;
  const double reduced = others * gradient + 2 * (copies - 1) / copies * gradient / shards;
  if (stage == 1) return reduced + others * weight;
  if (stage == 2) return steps * reduced + others * weight;
  return steps * (reduced + 2 * others * weight);
}

}  // namespace

std::optional<double> Costs::gradient_error() const {
  if (!accumulation_error && !reduction_error) return std::nullopt;
  return std::hypot(accumulation_error.value_or(0), reduction_error.value_or(0));
}

Bytes bytes_of(const PrecisionRecipe& recipe, const Situation& situation) {
  const double moments = moments_kept(situation).value_or(2) * width(recipe.moments);
  const double gradients = width(recipe.gradients);
  if (recipe.weights != "fp32" || recipe.products == "fp32") return {width(recipe.weights), gradients, moments};
  if (situation.keeping == Keeping::kAutocast) return {4, gradients, moments};
  const bool copied = is_megatron(situation) && gradients < 4;
  return {2, gradients, 4 + moments + (copied ? 4 : 0)};
}

std::optional<double> states_of(const Bytes& bytes, const PrecisionRecipe& recipe, const Situation& situation) {
  if (situation.groups.empty() || !moments_kept(situation)) return std::nullopt;
  const int stage = situation.zero_stage;
  double out = 0;
  for (const ParameterGroup& group : situation.groups) {
    if (stage > 0 && group.ranks == 0) return std::nullopt;
    const auto shards = static_cast<double>(stage > 0 ? group.shards : 1);
    const bool gathered = stage == 2 && situation.keeping == Keeping::kAutocast && recipe.weights == "fp32";
    const double weights = gathered     ? bytes.weights / shards + gathered_width(recipe)
                           : stage >= 3 ? bytes.weights / shards
                                        : bytes.weights;
    out += group.parameters * (weights + bytes.gradients / (stage >= 2 ? shards : 1) + bytes.optimizer / shards);
  }
  return out;
}

std::optional<double> moved_of(const PrecisionRecipe& recipe, const Situation& situation) {
  if (situation.groups.empty()) return std::nullopt;
  const int stage = situation.zero_stage;
  const bool whole = situation.keeping == Keeping::kAutocast && recipe.weights == "fp32" && stage < 2;
  double out = 0;
  for (const ParameterGroup& group : situation.groups) {
    if (group.ranks == 0 || (stage >= 2 && !situation.micro_batches)) return std::nullopt;
    const auto steps = static_cast<double>(situation.micro_batches.value_or(1));
    out += group.parameters * sent(group, width(recipe.wire), whole ? 4 : gathered_width(recipe), stage, steps);
  }
  return out;
}

std::vector<Costs> compare_recipes(const Situation& situation) {
  std::vector<Costs> all;
  for (PrecisionRecipe& one : recipes_for(situation)) {
    all.emplace_back();
    all.back().recipe = std::move(one);
  }
  mark_asked(situation, all);
  const auto updates = planned_updates(situation.plan);
  const double beta2 = second_beta(situation.plan);
  for (Costs& one : all) {
    one.bytes = bytes_of(one.recipe, situation);
    one.states = states_of(one.bytes, one.recipe, situation);
    one.moved = moved_of(one.recipe, situation);
    predict(situation, updates, beta2, one);
  }
  const auto cost = [](const Costs& one) {
    return std::tuple(one.harm, width(one.recipe.products), one.states.value_or(one.bytes.total()),
                      one.moved.value_or(0), std::string_view(one.recipe.key));
  };
  std::sort(all.begin(), all.end(), [&](const Costs& a, const Costs& b) { return cost(a) < cost(b); });
  return all;
}

}  // namespace assay
