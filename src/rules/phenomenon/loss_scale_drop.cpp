// The loss scale falls fast although the run is under way.
//
// A dynamic scaler at its working point halves about once in a window, and doubles again. Several halvings without a
// rise between mean that the gradients grow faster than the scaler can follow: in fp16 this is often the first sign of
// an instability, one to thirty steps ahead of the loss. The number of halvings within a short time is the measure,
// because it does not depend on where the scale stood.

#include <algorithm>

#include "assay/metric.h"
#include "core/curve.h"
#include "measure/scaler.h"
#include "rules/actions.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

struct Drop {
  std::size_t segment = 0;
  ScaleFall fall;
  std::optional<LossReaction> loss;
  bool loud = false;
};

std::int64_t width(StepRange steps) { return steps.last - steps.first + 1; }

// The part of a fall in which most halvings happened within `span` steps. Moves told between the same two records are
// not resolved any further; where fewer steps lie between these than a scaler waits to double, none was due.
ScaleFall densest_part(const ScalerHistory& scaler, const ScaleFall& fall, std::int64_t span) {
  ScaleFall best;
  for (std::size_t i = 0; i < scaler.moves.size(); ++i) {
    const ScaleMove& first = scaler.moves[i];
    if (!first.down() || first.steps.first < fall.steps.first || first.steps.last > fall.steps.last) continue;
    ScaleFall part{first.steps, first.line, first.before, first.after, 0, fall.start_up};
    for (std::size_t j = i; j < scaler.moves.size() && scaler.moves[j].down(); ++j) {
      const ScaleMove& move = scaler.moves[j];
      const bool unresolved = move.steps == first.steps && static_cast<double>(width(move.steps)) <= scaler.window;
      const bool within = j == i || unresolved || move.steps.last - first.steps.first + 1 <= span;
      if (!within || move.steps.last > fall.steps.last) break;
      part.steps.last = move.steps.last;
      part.to = move.after;
      part.halvings += move.doublings();
    }
    if (part.halvings > best.halvings) best = part;
  }
  return best;
}

std::vector<Drop> find_drops(const Run& run, std::size_t index, const ScalerHistory& scaler, const Parameters& set) {
  std::vector<Drop> out;
  const auto span = static_cast<std::int64_t>(set["within"]);
  for (const ScaleFall& fall : scaler.falls) {
    if (fall.start_up || fall.halvings < set["halvings-with-loss"]) continue;
    Drop drop{index, densest_part(scaler, fall, span), {}, false};
    if (drop.fall.halvings < set["halvings-with-loss"]) continue;
    drop.loss = loss_reaction(run.segments[index], drop.fall.steps);
    const bool reacts = drop.loss && drop.loss->reacts;
    drop.loud = reacts || drop.fall.halvings >= set["halvings"];
    out.push_back(drop);
  }
  return out;
}

void add_evidence(const Run& run, const Drop& worst, Finding& finding) {
  if (worst.loss) {
    finding.evidence.push_back({{worst.loss->reacts ? "loss-reacts" : "loss-quiet",
                                 {{"before", worst.loss->before}, {"peak", worst.loss->peak}}},
                                {},
                                {}});
  }
  const Series* scale = run.segments[worst.segment].find(metric::kLossScale);
  if (scale != nullptr && scale->size() >= 8) {
    finding.evidence.push_back({{}, curve_around(*scale, worst.fall.steps), {}});
  }
}

void add_actions(const Run& run, const Drop& worst, Finding& finding) {
  if (worst.loss && worst.loss->reacts) {
    finding.actions.push_back(resume_before(run, worst.segment, worst.fall.steps.first));
  }
  finding.actions.push_back({{"use-bf16", {}}, bf16_option(run), ActionRole::kPrecision});
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  bool any_scale = false;
  std::vector<Drop> drops;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const ScalerHistory scaler = scaler_history(run, i);
    any_scale = any_scale || scaler.logged;
    const std::vector<Drop> found = find_drops(run, i, scaler, set);
    drops.insert(drops.end(), found.begin(), found.end());
  }
  if (!any_scale) return out.not_applicable("no-scale");
  if (drops.empty()) return;
  const auto worst = std::max_element(drops.begin(), drops.end(), [](const Drop& a, const Drop& b) {
    return a.loud != b.loud ? b.loud : a.fall.halvings < b.fall.halvings;
  });

  Finding finding;
  finding.severity = worst->loud ? Severity::kWarning : Severity::kNote;
  finding.confidence = worst->loud ? 0.9 : 0.7;
  finding.impact = share_of_run(run, worst->fall.steps);
  finding.message = {run.segments[worst->segment].empty() ? "fell-undated"
                     : drops.size() == 1                  ? "fell"
                                                          : "fell-often",
                     {{"from", scale_value(worst->fall.from)},
                      {"to", scale_value(worst->fall.to)},
                      {"halvings", worst->fall.halvings},
                      {"steps", worst->fall.steps},
                      {"count", drops.size()}}};
  finding.where = place(run, worst->segment, worst->fall.steps, worst->fall.line);
  for (auto drop = drops.begin(); drop != drops.end(); ++drop) {
    if (drop != worst) finding.also.push_back(place(run, drop->segment, drop->fall.steps, drop->fall.line));
  }
  add_evidence(run, *worst, finding);
  add_actions(run, *worst, finding);
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kLossScaleDrop;
const Rule kLossScaleDrop{
    .name = "loss-scale-drop",
    .family = "phenomenon",
    .title_en = "the loss scale fell fast in the middle of the run: gradients outgrew fp16",
    .title_zh = "训练途中 loss scale 快速下降：梯度超出了 fp16 的范围",
    .scope = Scope::kRun,
    .severity = Severity::kWarning,
    .parameters = {{"halvings", "halvings", 5, 2, 32,
                    "a healthy scaler halves about once in a window (1,000 steps) and rises in between; five in a row "
                    "within `within` steps, a factor of 32, are no accident"},
                   {"halvings-with-loss", "halvings", 3, 1, 32,
                    "a factor of 8 is still possible after a doubling too many; it counts as a warning only when the "
                    "loss rises with it, else it is a note"},
                   {"within", "steps", 50, 1, 100000,
                    "one skipped step a halving, with hysteresis two, leaves room for pauses and stays far below a "
                    "window; a log with wider intervals is judged interval by interval"}},
    .sentences = with_loss_sentences(
        {{"fell",
          "loss scale fell fastest at steps {steps}, after the start-up: from {from} to {to} ({halvings} halvings)",
          "启动阶段之后，loss scale 在第 {steps} 步下降最快：从 {from} 降到 {to}（减半 {halvings} 次）"},
         {"fell-undated", "loss scale fell from {from} to {to} ({halvings} halvings without a rise)",
          "loss scale 从 {from} 降到 {to}（连续减半 {halvings} 次，其间没有回升）"},
         {"fell-often",
          "loss scale fell fast {count} times after the start-up; worst from {from} to {to} ({halvings} halvings) at "
          "steps {steps}",
          "启动阶段之后 loss scale 快速下降 {count} 次；最严重的一次在第 {steps} 步，从 {from} 降到 {to}（减半 "
          "{halvings} 次）"},
         {"no-scale", "needs a loss scale in the log (fp16 training)", "需要日志中有 loss scale（fp16 训练）"},
         {"loss-reacts", "the loss rose with it: {before} before, up to {peak}",
          "loss 随之上升：之前 {before}，最高 {peak}"},
         {"loss-quiet", "the loss did not move: {before} before, at most {peak}",
          "loss 没有异动：之前 {before}，最高 {peak}"},
         {"use-bf16", "where the hardware has bf16, train in it: it needs no loss scale",
          "硬件支持时改用 bf16 训练，不再需要 loss scale"}}),
    .docs =
        {.finds = "Several halvings of a dynamic loss scale in a row, after the start-up of the run.",
         .matters = "The scaler halves because gradients overflow. A quick way down says that they are growing by "
                    "a power of two every step or two; the loss usually follows within tens of steps. It is the "
                    "earliest sign that an fp16 log gives.",
         .decides = "Moves of the scale come from the records and from the scaler's messages. Halvings with no "
                    "rise and no long pause between them are one fall; the part with most halvings within `within` "
                    "steps counts. At least `halvings` of them, or `halvings-with-loss` when the loss rises by "
                    "more than a tenth of its level at the same place, are a warning; `halvings-with-loss` alone "
                    "are a note. The search for the working point at the start of a run is left out. In a run that "
                    "took no harm it is a note beside the skipped steps that made it (`overflow-skips`).",
         .example =
             "`loss scale fell fastest at steps 29,041-29,060, after the start-up: from 65,536 to 4,096 (4 halvings)`",
         .to_do = "If the loss went with it, go back to a checkpoint from before the first halving, not from "
                  "before the peak of the loss. Then lower the learning rate or clip harder, or train in bf16.",
         .false_alarms = "A scaler that was initialised again in the middle of a run without a restart in the log.",
         .references = "BigScience, chronicles of the 13B and 104B models (public logs). GLM-130B training log: "
                       "the loss scale falls about 30 steps ahead of the loss at steps 33,700 and 35,250."},
    .judge = judge};

}  // namespace assay
