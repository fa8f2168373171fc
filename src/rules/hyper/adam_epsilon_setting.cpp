// Adam's epsilon is not small beside the gradients.
//
// An update keeps r / (r + epsilon) of its size, r the root mean square of a weight's gradient. Over all weights
// r = norm / sqrt(N): 3.6e-6 for a norm of 0.3 and 7 billion parameters. As models grow, r falls, and an epsilon that
// was nothing becomes a brake: 1e-5 leaves 26 % there. Llama 2 and OLMo trained well with it all the same, because the
// learning rate was chosen with it; so this is a note, and a warning only where hardly anything is left.
// Clipping comes before the optimizer: a norm above its threshold counts as the threshold.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "assay/setting.h"
#include "core/curve.h"
#include "facts/scaling_laws.h"
#include "measure/adapters.h"
#include "rules/actions.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr std::size_t kFewest = 20;  // norms
constexpr double kBrakes = 1e-4;     // an epsilon that slows any language model down
constexpr double kFarAbove = 5;      // times the gradients; below, the two are of one size

struct Brake {
  double rms = 0;
  double kept = 1;
  const Series* norm = nullptr;
  double middle = 0;
  std::size_t segment = 0;
};

// From the longest series of norms.
std::optional<Brake> brake_of(const Run& run, double epsilon, double parameters) {
  Brake out;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Series* norm = run.segments[i].find(metric::kGradNorm);
    if (norm == nullptr || norm->size() < kFewest || (out.norm != nullptr && norm->size() <= out.norm->size()))
      continue;
    out.norm = norm;
    out.segment = i;
  }
  if (out.norm == nullptr) return std::nullopt;
  out.middle = median(out.norm->values.span());
  const double clip = clip_threshold(run);
  const double acting = clip > 0 ? std::min(out.middle, clip) : out.middle;
  out.rms = acting / std::sqrt(parameters);
  out.kept = kept_by_epsilon(out.rms, epsilon);
  return std::isfinite(out.kept) ? std::optional(out) : std::nullopt;
}

Finding finding_of(const Plan& plan, const Planned& epsilon, Severity severity, double confidence, Phrase message) {
  Finding out = about_number(plan, epsilon, "epsilon", std::move(message));
  out.severity = severity;
  out.confidence = confidence;
  out.impact = 0.3;
  return out;
}

void judge_seen(const Plan& plan, const Planned& epsilon, const Brake& brake, const Parameters& set, Findings& out) {
  if (brake.kept >= set["kept"]) return;
  const bool stands = brake.kept < set["stands"];
  const bool warn = stands && !ran_well(plan.run()) && epsilon.origin != Origin::kDefault;
  Finding finding = finding_of(plan, epsilon, warn ? Severity::kWarning : Severity::kNote, stands ? 0.7 : 0.6,
                               {"brakes", {{"kept", percent(brake.kept)}, {"rms", brake.rms}}});
  finding.evidence.push_back(
      {{"from-norm", {{"norm", brake.middle}}},
       curve_of(*brake.norm, 0, brake.norm->size(), 60),
       place(plan.run(), brake.segment, {brake.norm->first_step(), brake.norm->last_step()}, brake.norm->line(0))});
  const double advised = two_digits(brake.rms / 100);
  finding.actions.push_back(
      {{"lower", {{"advised", advised}}}, option_to_set(plan.run(), setting::kAdamEpsilon, advised)});
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  if (!surely_adam(plan, out)) return;
  const auto epsilon = told_or_default(plan, setting::kAdamEpsilon);
  if (!epsilon) return out.not_applicable("no-epsilon");
  if (epsilon->value < 0) {
    Finding finding = finding_of(plan, *epsilon, Severity::kError, 0.9, {"negative", {}});
    finding.actions.push_back({{"usual", {}}, option_to_set(plan.run(), setting::kAdamEpsilon, 1e-8)});
    return out.add(std::move(finding));
  }
  const auto size = model_size(plan);
  if (!size) return out.not_applicable("no-size");
  if (adapters_said(run.config) != nullptr) return out.not_applicable("adapters");
  const auto brake = brake_of(run, epsilon->value, size->parameters);
  if (brake) return judge_seen(plan, *epsilon, *brake, set, out);
  if (epsilon->value < kBrakes) return out.not_applicable("no-norms");
  if (epsilon->origin == Origin::kDefault) return;
  const double rms = 1 / std::sqrt(size->parameters);
  Finding finding = finding_of(plan, *epsilon, Severity::kWarning, 0.65,
                               {epsilon->value < kFarAbove * rms ? "comparable" : "large",
                                {{"rms", two_digits(rms)}, {"kept", percent(kept_by_epsilon(rms, epsilon->value))}}});
  finding.actions.push_back({{"usual", {}}, option_to_set(plan.run(), setting::kAdamEpsilon, 1e-8)});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kAdamEpsilonSetting;
const Rule kAdamEpsilonSetting{
    .name = "adam-epsilon-setting",
    .family = "hyper",
    .title_en = "Adam's epsilon brakes the updates",
    .title_zh = "Adam 的 epsilon 抑制了更新",
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {{"kept", "of the update", 0.5, 0.01, 1,
                    "epsilon as large as the gradients: the learning rate that one believes in is twice the one that "
                    "acts"},
                   {"stands", "of the update", 0.02, 0.0001, 1,
                    "Llama 2 and OLMo train well with 1e-5, which leaves 10 to 30 %; a fiftieth is beyond what any "
                    "recipe has"}},
    .sentences = with_optimizer_sentences({
        {"brakes",
         "epsilon {epsilon} ({option}) leaves {kept} of Adam's updates: the gradients' root mean square is {rms}",
         "epsilon {epsilon}（{option}）只保留 Adam 更新的 {kept}：梯度的均方根为 {rms}"},
        {"comparable",
         "epsilon {epsilon} ({option}) is as large as the gradients (about {rms} at a grad norm of 1): updates keep "
         "about {kept} of their length",
         "epsilon {epsilon}（{option}）与梯度相当（梯度范数为 1 时约 {rms}）：更新长度约为原来的 {kept}"},
        {"large",
         "epsilon {epsilon} ({option}) is far above the gradients (about {rms} at a grad norm of 1): updates keep "
         "about {kept} of their length",
         "epsilon {epsilon}（{option}）远大于梯度（梯度范数为 1 时约 {rms}）：更新长度约为原来的 {kept}"},
        {"negative", "epsilon is {epsilon} ({option}): a negative one lets the denominator pass through zero",
         "epsilon 为 {epsilon}（{option}）：负值会使分母过零"},
        {"from-norm", "median grad norm {norm}, divided by the square root of the number of parameters",
         "梯度范数中位数 {norm}，除以参数个数的平方根"},
        {"lower", "set epsilon to {advised} or less, a hundredth of the gradients, and lower the learning rate with it",
         "将 epsilon 设为 {advised} 或更小（梯度的百分之一），并相应降低学习率"},
        {"usual", "1e-8 is what most recipes have", "多数方案使用 1e-8"},
        {"no-epsilon", "nothing tells epsilon", "没有给出 epsilon"},
        {"no-size", "the settings do not tell the size of the model", "设置没有给出模型规模"},
        {"no-norms", "needs a grad norm series", "需要梯度范数序列"},
    }),
    .docs =
        {.finds = "An epsilon of Adam that is not small beside the gradients.",
         .matters =
             "Updates shrink by r / (r + epsilon), more for weights with small gradients: training slows down and "
             "the learning rate does not mean what it says.",
         .decides =
             "r = norm / sqrt(N), with the median grad norm (no more than the clip threshold) and the model's "
             "parameters. Less than half left is a note, less than 2 % a warning where the run does not show that it "
             "trains. Without a log: 1e-4 or more, for a language model with Adam. 1e-5 is healthy (Llama 2, OLMo).",
         .example = "`epsilon 1.0e-5 (--adam-eps) leaves 26.4 % of Adam's updates: the gradients' root mean square is "
                    "3.6e-6`",
         .to_do = "Lower epsilon; the learning rate that was found with it is then too high by the same factor.",
         .false_alarms =
             "r is a mean over all weights: embeddings have smaller gradients, norms larger ones. Norms that "
             "are logged in another unit (summed, scaled) mislead.",
         .references =
             "Wortsman et al. 2023, Small-scale proxies (arXiv 2309.14322); OLMo 2 (arXiv 2501.00656): epsilon "
             "from 1e-5 to 1e-8."},
    .judge = judge};

}  // namespace assay
