// Numbers of the optimizer and the model that lie where nothing is defined.
//
//  - beta1 averages gradients as m = beta1 m + (1 - beta1) g, and the sum is divided by 1 - beta1^t: at 1 that is 0,
//    above it m grows without end. (beta2 is judged by beta2-stale.)
//  - epsilon 0 is allowed, and divides 0 by 0 for a weight that never had a gradient: a note.
//  - a warm-up as a share ends within what it is a share of: 2 was meant as 2 % or as steps.
//  - a negative threshold: torch's clip_grad_norm_ multiplies by threshold / norm, so every gradient turns around, and
//    training climbs. Megatron-LM, DeepSpeed and the Trainer take what is not above 0 for "off".
//  - dropout is a probability; at 1 nothing passes.
// A rate, decay or epsilon below 0 is told by the rules about them.

#include <cmath>
#include <string>

#include "assay/setting.h"
#include "rules/actions.h"
#include "rules/setup/impossible.h"

namespace assay {

namespace {

constexpr double kUsualBeta1 = 0.9;
constexpr double kUsualEpsilon = 1e-8;
constexpr double kUsualWarmUp = 0.03;
constexpr double kUsualClip = 1;

struct Said {
  const Setting* setting = nullptr;
  double value = 0;
};

std::optional<Said> number(const Plan& plan, std::string_view key) {
  const Setting* said = plan.setting(key);
  const auto value = said == nullptr ? std::nullopt : said->number();
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return Said{said, *value};
}

std::string line(const Plan& plan, const Said& one, double value) {
  return option_to_set(plan.run(), one.setting->key, value);
}

// Whose Adam is torch.optim's own, which tests its arguments; Megatron-LM and DeepSpeed have fused ones that do not.
bool takes_adam_of_torch(const Plan& plan) {
  const std::string& name = plan.framework();
  return name == "hf-trainer" || name == "axolotl" || name == "nanogpt" || name == "torchtitan" || name == "litgpt" ||
         name == "lightning";
}

void beta1(const Plan& plan, std::vector<Issue>& out) {
  const auto one = number(plan, setting::kAdamBeta1);
  if (!one || (one->value >= 0 && one->value < 1)) return;
  out.push_back(impossible("beta1", *one->setting, true, takes_adam_of_torch(plan) ? "checked-torch-beta" : ""));
  out.back().actions.push_back({{"usual", {{"usual", kUsualBeta1}}}, line(plan, *one, kUsualBeta1)});
}

void epsilon(const Plan& plan, std::vector<Issue>& out) {
  const auto one = number(plan, setting::kAdamEpsilon);
  if (!one || one->value != 0) return;
  Issue issue = impossible("epsilon-zero", *one->setting, false);
  issue.severity = Severity::kNote;
  issue.impact = 0.1;
  issue.actions.push_back({{"usual", {{"usual", kUsualEpsilon}}}, line(plan, *one, kUsualEpsilon)});
  out.push_back(std::move(issue));
}

void warm_up(const Plan& plan, std::vector<Issue>& out) {
  if (const auto one = number(plan, setting::kWarmupFraction); one && (one->value < 0 || one->value > 1)) {
    const bool trainer = plan.framework() == "hf-trainer" || plan.framework() == "axolotl";
    out.push_back(impossible("warm-up-share", *one->setting, trainer, trainer ? "checked-trainer-warm-up" : ""));
    out.back().actions.push_back({{"share", {{"usual", kUsualWarmUp}}}, line(plan, *one, kUsualWarmUp)});
  }
  // The whole decay is too much already: Megatron-LM asserts that something is left.
  if (const auto one = number(plan, setting::kWarmupFractionOfDecay); one && (one->value < 0 || one->value >= 1)) {
    const bool asserts = plan.framework() == "megatron" && one->value >= 1;
    out.push_back(
        impossible("warm-up-share-of-decay", *one->setting, asserts, asserts ? "checked-megatron-warm-up" : ""));
    out.back().actions.push_back({{"share", {{"usual", kUsualWarmUp}}}, line(plan, *one, kUsualWarmUp)});
  }
}

void clip(const Plan& plan, std::vector<Issue>& out) {
  const auto one = number(plan, setting::kClipNorm);
  if (!one || one->value >= 0) return;
  const std::string& framework = plan.framework();
  const bool off = framework == "megatron" || framework == "deepspeed" || framework == "gpt-neox" ||
                   framework == "hf-trainer" || framework == "axolotl";
  const bool turns = framework == "nanogpt" || framework == "torchtitan";
  Issue issue = impossible(off ? "clip-off" : "clip-turns", *one->setting, turns);
  if (off) {
    issue.severity = Severity::kNote;
    issue.impact = 0.1;
  }
  issue.actions.push_back({{"clip", {{"usual", kUsualClip}}}, line(plan, *one, kUsualClip)});
  out.push_back(std::move(issue));
}

void dropout(const Plan& plan, std::vector<Issue>& out) {
  for (const std::string_view key : {setting::kDropout, setting::kAttentionDropout}) {
    const auto one = number(plan, key);
    if (!one || (one->value >= 0 && one->value < 1)) continue;
    const bool all = one->value == 1;
    out.push_back(impossible(all ? "dropout-all" : "dropout", *one->setting, !all));
    out.back().actions.push_back({{"no-dropout", {}}, line(plan, *one, 0)});
  }
}

}  // namespace

void impossible_numbers(const Plan& plan, std::vector<Issue>& out) {
  beta1(plan, out);
  epsilon(plan, out);
  warm_up(plan, out);
  clip(plan, out);
  dropout(plan, out);
}

}  // namespace assay
