// Two laws of the best batch are asked where they hold (facts/batch_laws.cpp). They differ by up to a factor of five
// far from where they were fitted, so what lies between them, and a good way beyond, is not judged: published recipes
// are within 0.24-1.8 of StepLaw, and the loss changes little over a factor of four.

#include "rules/hyper/batch_advice.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/setting.h"
#include "facts/batch_laws.h"
#include "measure/training_kind.h"

namespace assay {

namespace {

constexpr std::array<std::string_view, 13> kPretrainers{
    "megatron", "gpt-neox", "nemo",        "megatron-bridge", "olmo",  "olmo-core", "torchtitan",
    "nanogpt",  "nanotron", "llm-foundry", "maxtext",         "llm.c", "levanter"};

// Where it saves to is where it would go on after a restart.
bool loads_its_own(const Plan& plan) {
  const Setting* load = plan.setting(setting::kResumeFrom);
  const Setting* save = plan.setting("save");
  const auto& all = plan.run().config.settings;
  for (auto one = all.rbegin(); load == nullptr && one != all.rend(); ++one) {
    if (one->key == setting::kResumeFrom && one->value != "None") load = &*one;
  }
  for (auto one = all.rbegin(); save == nullptr && one != all.rend(); ++one) {
    if (one->key == "save") save = &*one;
  }
  return load == nullptr || (save != nullptr && save->value == load->value);
}

}  // namespace

bool trains_from_scratch(const Plan& plan) {
  const TrainingKind kind = training_kind(plan.run());
  if (kind != TrainingKind::kUnknown && kind != TrainingKind::kPretraining) return false;
  if (plan.setting(setting::kFineTuning) != nullptr || !loads_its_own(plan)) return false;
  if (kind == TrainingKind::kPretraining) return true;
  return std::find(kPretrainers.begin(), kPretrainers.end(), plan.framework()) != kPretrainers.end();
}

std::optional<BatchAdvice> batch_advice(const Plan& plan) {
  const auto step = plan.told("tokens_per_step");
  const auto tokens = plan.told(setting::kTrainTokens);
  if (!step || !tokens || !(step->value > 0) || !(tokens->value > step->value)) return std::nullopt;
  BatchAdvice out;
  out.batch = step->value;
  out.tokens = tokens->value;
  const Setting* said = plan.setting(setting::kGlobalBatchSize);
  out.where = said != nullptr ? said->where : step->where;
  const auto add = [&](const std::optional<BatchLaw>& law) {
    if (!law) return;
    out.least = out.laws.empty() ? law->tokens : std::min(out.least, law->tokens);
    out.most = std::max(out.most, law->tokens);
    out.laws += (out.laws.empty() ? "" : ", ") + std::string(law->name);
  };
  add(steplaw_batch(tokens->value));
  const auto of_token = plan.told("flops_per_token");
  if (of_token && !out.laws.empty()) add(deepseek_batch(of_token->value * tokens->value));
  if (out.laws.empty()) return std::nullopt;
  return out;
}

std::optional<std::int64_t> sequences_of(const Plan& plan, double tokens) {
  const auto sequence = plan.told(setting::kSequenceLength);
  if (!sequence || !(sequence->value >= 1)) return std::nullopt;
  const double count = tokens / sequence->value;
  if (!(count >= 1) || count > 1e9) return std::nullopt;
  return static_cast<std::int64_t>(std::exp2(std::round(std::log2(count))));
}

}  // namespace assay
