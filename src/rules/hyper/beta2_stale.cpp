// Adam's second moment remembers too long, or too short.
//
// v is a running mean over about 1 / (1 - beta2) steps: 20 at 0.95, 1,000 at 0.999. When gradients grow, v still tells
// of the small ones, and each update is too long by the square root of the ratio until v has caught up. Large models in
// large batches therefore take 0.95: most published recipes with half a million tokens in a step or more do.
// Shown by the log: the grad norm rose before the loss did, again and again, or once for good. That happens for other
// reasons too, so it is possible, not likely.
// The other side: with few tokens in a step each gradient is noise, and a memory of 20 of them is too short. What
// carries over is the half-life in tokens: beta2' = beta2^(batch' / batch).

#include <algorithm>
#include <cmath>

#include "assay/setting.h"
#include "facts/scaling_laws.h"
#include "measure/loss_events.h"
#include "rules/actions.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr double kAdvised = 0.95;
constexpr double kUsualBatch = 0.5e6;  // tokens; the smallest of the recipes that take 0.95
constexpr double kTrial = 500;         // steps: a shorter run is no training from random weights
constexpr double kLargest = 0.9999;    // beyond it bias correction rules whole runs

struct Led {
  std::size_t events = 0;
  bool stays = false;
  StepRange first;
  std::size_t segment = 0;
  std::int64_t line = 0;
  double ratio = 0;  // the greatest rise of a norm
};

// Departures of the loss before which the grad norm rose.
Led led_by_norm(const Run& run) {
  Led out;
  for (const LossEvent& event : loss_events(run, {})) {
    if (event.kind == LossEventKind::kTransient || event.at_restart || level_moved(run, event)) continue;
    const auto grad = grad_reaction(run.segments[event.segment], *event.loss, event.shape);
    if (!grad || !grad->rose || grad->lead == 0) continue;
    if (out.events++ == 0) {
      out.first = event.acute();
      out.segment = event.segment;
      out.line = event.loss->line(event.shape.onset);
    }
    out.stays = out.stays || event.kind == LossEventKind::kDivergence;
    out.ratio = std::max(out.ratio, grad->ratio());
  }
  return out;
}

Finding finding_of(const Plan& plan, const Planned& beta2, Severity severity, double confidence, Phrase message) {
  message.values.insert(message.values.begin(), {"memory", count_value(std::round(1 / (1 - beta2.value)))});
  Finding out = about_number(plan, beta2, "beta2", std::move(message));
  out.severity = severity;
  out.confidence = confidence;
  out.impact = 0.2;
  return out;
}

bool judge_log(const Plan& plan, const Planned& beta2, const Parameters& set, Findings& out) {
  if (beta2.value < set["long"] || !plan.run().has_begun()) return false;
  const Led led = led_by_norm(plan.run());
  const bool enough = led.stays || static_cast<double>(led.events) >= set["events"];
  if (!enough) return false;
  const bool warn = led.stays && beta2.origin != Origin::kDefault;
  Finding finding = finding_of(plan, beta2, warn ? Severity::kWarning : Severity::kNote, 0.5,
                               {"led", {{"events", led.events}, {"ratio", Value(led.ratio, Unit::kTimes)}}});
  finding.evidence.push_back(
      {{"first-event", {{"steps", led.first}}}, {}, place(plan.run(), led.segment, led.first, led.line)});
  finding.actions.push_back(
      {{"shorten", {{"advised", kAdvised}}}, option_to_set(plan.run(), setting::kAdamBeta2, kAdvised)});
  out.add(std::move(finding));
  return true;
}

bool judge_batch(const Plan& plan, const Planned& beta2, const Parameters& set, Findings& out) {
  const auto tokens = plan.told(setting::kTokensPerStep);
  if (!tokens || !(tokens->value > 0)) return false;
  if (beta2.value >= set["long"] && tokens->value >= kUsualBatch) {
    Finding finding =
        finding_of(plan, beta2, Severity::kNote, 0.5, {"long-for-batch", {{"tokens", count_value(tokens->value)}}});
    finding.actions.push_back(
        {{"shorten", {{"advised", kAdvised}}}, option_to_set(plan.run(), setting::kAdamBeta2, kAdvised)});
    out.add(std::move(finding));
    return true;
  }
  if (beta2.value > kAdvised || tokens->value > set["small"] * kUsualBatch) return false;
  const double same = std::min(1 - two_digits(1 - beta2_for_batch(kAdvised, kUsualBatch, tokens->value)), kLargest);
  Finding finding =
      finding_of(plan, beta2, Severity::kNote, 0.5, {"short-for-batch", {{"tokens", count_value(tokens->value)}}});
  finding.actions.push_back({{"lengthen", {{"advised", same}}}, option_to_set(plan.run(), setting::kAdamBeta2, same)});
  out.add(std::move(finding));
  return true;
}

void judge_length(const Plan& plan, const Planned& beta2, const Parameters& set, Findings& out) {
  const auto steps = plan.told(setting::kTrainSteps);
  if (!steps || steps->value < kTrial || beta2.value < set["long"]) return;
  const double share = 1 / (1 - beta2.value) / steps->value;
  if (share < set["share"]) return;
  Finding finding = finding_of(
      plan, beta2, Severity::kNote, 0.5,
      {"long-for-run", {{"share", Value(100 * share, Unit::kPercent)}, {"steps", count_value(steps->value)}}});
  finding.actions.push_back(
      {{"shorten", {{"advised", kAdvised}}}, option_to_set(plan.run(), setting::kAdamBeta2, kAdvised)});
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  if (!surely_adam(plan, out)) return;
  const auto beta2 = told_or_default(plan, setting::kAdamBeta2);
  if (!beta2) return out.not_applicable("no-beta2");
  if (!(beta2->value >= 0) || beta2->value >= 1) {
    Finding finding = finding_of(plan, *beta2, Severity::kError, 0.9, {"outside", {}});
    finding.message.values.pop_back();
    finding.actions.push_back(
        {{"shorten", {{"advised", kAdvised}}}, option_to_set(plan.run(), setting::kAdamBeta2, kAdvised)});
    return out.add(std::move(finding));
  }
  if (judge_log(plan, *beta2, set, out)) return;
  const Beginning beginning = beginning_of(plan);
  if (beginning.start == Start::kTrained) return out.not_applicable("began-trained");
  if (beginning.start == Start::kUnknown) return out.not_applicable("begins-unknown");
  if (!judge_batch(plan, *beta2, set, out)) judge_length(plan, *beta2, set, out);
}

}  // namespace

extern const Rule kBeta2Stale;
const Rule kBeta2Stale{
    .name = "beta2-stale",
    .family = "hyper",
    .title_en = "Adam's second moment has the wrong memory",
    .title_zh = "Adam 二阶矩的记忆长度不当",
    .needs = Needs::kPlan,
    .severity = Severity::kNote,
    .parameters = {{"long", "beta2", 0.99, 0.9, 0.99999,
                    "a memory of a hundred steps; recipes with large batches have 0.95, twenty steps"},
                   {"events", "events", 3, 1, 1000, "a grad norm may lead a loss once or twice by chance"},
                   {"small", "of 0.5 M tokens", 0.02, 0.0001, 1,
                    "10,000 tokens in a step: the same half-life in tokens is then fifty times as many steps"},
                   {"share", "of the run", 0.2, 0.01, 10,
                    "a mean over a fifth of the run is no longer about the present"}},
    .sentences = with_optimizer_sentences({
        {"led",
         "before {events} rises of the loss the grad norm rose first, up to {ratio} times, and beta2 {beta2} "
         "({option}) averages over about {memory} steps: until it has caught up, updates are too large",
         "loss 上升 {events} 次，此前梯度范数都先升高（最多 {ratio} 倍），而 beta2 {beta2}（{option}）约对 {memory} "
         "步取平均：跟上之前更新一直过大"},
        {"long-for-batch",
         "beta2 {beta2} ({option}) averages over about {memory} steps of {tokens} tokens: it reacts late when "
         "gradients "
         "grow; most published models with such batches have 0.95",
         "beta2 {beta2}（{option}）约对 {memory} 步取平均（每步 {tokens} 个 "
         "token），梯度变大时反应过慢；已公布的同类批量"
         "模型多取 0.95"},
        {"short-for-batch",
         "beta2 {beta2} ({option}) averages over only about {memory} steps of {tokens} tokens: too few for a steady "
         "mean",
         "beta2 {beta2}（{option}）只约对 {memory} 步取平均，每步仅 {tokens} 个 token，平均值不够稳定"},
        {"long-for-run",
         "beta2 {beta2} ({option}) averages over about {memory} steps, {share} of this run's {steps}: it reacts late "
         "when gradients grow",
         "beta2 {beta2}（{option}）约对 {memory} 步取平均，占全程 {steps} 步的 {share}，梯度变大时反应过慢"},
        {"outside", "beta2 is {beta2} ({option}), outside of 0 to 1", "beta2 为 {beta2}（{option}），不在 0 到 1 之间"},
        {"first-event", "the first at steps {steps}", "第一次在第 {steps} 步"},
        {"shorten", "set beta2 to {advised}: a mean over about 20 steps", "将 beta2 设为 {advised}：约对 20 步取平均"},
        {"lengthen", "set beta2 to about {advised}: the half-life in tokens that 0.95 has with 0.5 M tokens in a step",
         "将 beta2 设为约 {advised}：与每步 50 万 token 时 0.95 的 token 半衰期相同"},
        {"no-beta2", "nothing tells beta2", "没有给出 beta2"},
    }),
    .docs =
        {.finds = "A beta2 of Adam whose memory does not fit: too long for spikes, batch or run, too short for a tiny "
                  "batch, or outside of 0 to 1.",
         .matters = "While the second moment lags behind growing gradients, updates are too long: a spike becomes a "
                    "divergence.",
         .decides =
             "beta2 of at least 0.99 and a grad norm that rose before the loss in three events, or before one that did "
             "not come back: a note, in the latter case a warning (possible, not likely). From random weights: at "
             "least 0.99 with half a million tokens in a step or more, 0.95 and less with 10,000 tokens or fewer, or a "
             "memory of a fifth of the run: notes, and so of a default, where a script leaves it to the framework. 92 "
             "of 430 published scripts have 0.999 and train.",
         .example =
             "`beta2 0.999 (--adam-beta2) averages over about 1,000 steps, 33.3 % of this run's 3,000: it reacts "
             "late when gradients grow`",
         .to_do = "0.95 for large batches; for small ones the value with the same half-life in tokens.",
         .false_alarms = "Data and hardware make grad norms rise as well. BLOOM's 104 B model was not cured by beta2 "
                         "alone.",
         .references = "PaLM (arXiv 2204.02311), section 5.1; StableAdamW (arXiv 2304.13013); Marek et al. 2025 (arXiv "
                       "2507.07101)."},
    .judge = judge};

}  // namespace assay
