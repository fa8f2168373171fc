// Sizes of updates, for the rule that warns of swallowed ones and for the advice that sets recipes side by side. Why
// they are what they are: update_swallowed.cpp.

#include "rules/precision/planned_updates.h"

#include <cmath>

#include "assay/setting.h"
#include "base/ascii.h"
#include "rules/hyper/acting_settings.h"
#include "rules/hyper/optimizer_plan.h"
#include "sim/swallowed_updates.h"

namespace assay {

std::optional<PlannedUpdates> planned_updates(const Plan& plan) {
  const OptimizerKind kind = optimizer_of(plan);
  PlannedUpdates out;
  out.lion = kind == OptimizerKind::kLion;
  if (!out.lion && kind != OptimizerKind::kAdam) return std::nullopt;
  if (const auto acting = acting_rate(plan)) {
    out.rate = acting->rate;
  } else {
    out.by_default = told_or_default(plan, setting::kLearningRate);
    if (!out.by_default) return std::nullopt;
    out.rate = out.by_default->value;
  }
  if (!(out.rate > 0)) return std::nullopt;
  const auto said = plan.told(setting::kInitStd);
  if (said && said->value > 0 && said->value < 1) out.deviation = said->value;
  const auto beta1 = told_or_default(plan, setting::kAdamBeta1);
  if (beta1 && beta1->value >= 0 && beta1->value < 1) out.beta1 = beta1->value;
  return out;
}

double swallowed_at(const PlannedUpdates& updates, const NumberFormat& weight, double rate, Rounding rounding) {
  const double rho = std::sqrt((1 - updates.beta1) / (1 + updates.beta1));
  return swallowed_share(weight, updates.deviation, updates.lion ? fixed_size(rate) : normal_sizes(rate * rho),
                         rounding);
}

const Setting* keeps_the_rest(const Plan& plan) {
  for (const Setting& one : plan.run().config.settings) {
    const std::string text = lower(one.written.empty() ? one.key : one.written) + " " + lower(one.value);
    if (contains_any(text, {"kahan", "stochastic_round", "stochastic-round", "anyprecision", "optimi_", "_sr_"}) &&
        !contains_any(" " + lower(one.value), {" false", " 0"})) {
      return &one;
    }
  }
  return nullptr;
}

}  // namespace assay
