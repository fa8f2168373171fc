// The loss left its level and did not come back.
//
// Two shapes, one harm: a jump that stays (usually led by the grad norm, one to five records before), and a slow climb
// that no single record betrays. Both are dated at their onset, because that is what decides which checkpoint is still
// good; the peak is of no use for that. A later segment of the same log that is back at the level shows that somebody
// has already gone back: then the rise is worth knowing, but the run is not lost.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "measure/training_kind.h"
#include "rules/excerpts.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr std::int64_t kSkip = 200;  // batches

bool is_preference_objective(TrainingKind kind, const LossEvent& event) {
  return is_objective(kind) && (event.slow || !event.positive);
}

Severity severity_of(const LossEvent& event, TrainingKind kind, bool moved, const Parameters& set) {
  if (moved) return event.end_rise >= set["rise"] && !event.repaired ? Severity::kWarning : Severity::kNote;
  if (event.repaired) return Severity::kWarning;
  if (event.shape.ends_non_finite) return Severity::kError;
  if (is_objective(kind) && !event.positive) return Severity::kWarning;
  // A student that catches up with its teacher climbs back from its first fall.
  if (kind == TrainingKind::kSelfDistillation) return event.slow ? Severity::kNote : Severity::kWarning;
  // Some objectives climb before they fall (a queue of negatives that fills, a teacher that wakes up).
  if (event.unlearned && (event.slow || event.coming_back)) return Severity::kWarning;
  if (event.end_rise >= set["lost"]) return event.slow && event.coming_back ? Severity::kWarning : Severity::kError;
  // In pre-training a tenth of the loss is most of what a run earns; in fine-tuning other data may cost as much.
  const bool earnest = kind == TrainingKind::kPretraining && event.end_rise >= set["rise"] && !event.slow;
  return earnest && !event.coming_back ? Severity::kError : Severity::kWarning;
}

double confidence(const LossEvent& event) {
  const double sure = confidence_of(event.shape);
  if (!event.slow) return sure;
  return std::clamp(0.55 + event.end_rise - (event.coming_back || event.unlearned ? 0.15 : 0.0), 0.5, 0.9);
}

Phrase message_of(const LossEvent& event, bool moved) {
  const Departure& shape = event.shape;
  Phrase out;
  out.values = {{"metric", spoken(*event.loss)},
                {"before", shape.level},
                {"peak", shape.peak_value},
                {"after", shape.after},
                {"onset", event.onset_step()},
                {"last", event.loss->last_step()},
                {"to", event.stepped_to},
                {"rise", percent((event.stepped_to - shape.level) / shape.scale)},
                {"records", event.loss->size() - shape.onset}};
  if (moved) {
    out.key = "moved";
  } else if (shape.ends_non_finite) {
    out.key = "explodes";
  } else if (event.repaired) {
    out.key = "repaired";
  } else if (event.slow) {
    out.key = event.coming_back ? "slow-back" : "slow";
  } else {
    out.key = event.coming_back ? "coming-back" : "lasting";
  }
  return out;
}

void add_actions(const Run& run, const LossEvent& event, Finding& finding) {
  if (level_moved(run, event)) {
    finding.actions.push_back({{"check-data", {{"onset", event.onset_step()}}}, ""});
    return;
  }
  const std::int64_t begin = beginning_of(run, event);
  if (event.repaired) {
    finding.actions.push_back({{"keep-out", {{"steps", data_steps(*event.loss, event.shape, event.acute())}}}, ""});
    return;
  }
  if (event.at_restart) {
    finding.actions.push_back({{"check-restart", {{"onset", event.onset_step()}}}, ""});
    return;
  }
  if (event.back_to_start) {
    finding.actions.push_back({{"check-weights", {{"onset", event.onset_step()}, {"after", event.shape.after}}}, ""});
  }
  finding.actions.push_back(resume_before(run, event.segment, begin));
  if (event.back_to_start) return;
  if (event.slow) {
    finding.actions.push_back(halve_learning_rate(run, event.segment));
    Phrase& text = finding.actions.back().text;
    text.key = text.key == "halve-rate" ? "slow-rate" : "slow-rate-unknown";
    return;
  }
  // A level that stays up has no end to skip to: the practice is 200 to 500 batches.
  const StepRange onset = data_steps(*event.loss, event.shape, {event.onset_step(), event.onset_step()});
  const std::int64_t first = std::min(onset.first, begin);
  const StepRange skip{first, std::max(onset.last, first + kSkip - 1)};
  finding.actions.push_back(skip_data(run, event.segment, skip));
  finding.actions.push_back(halve_learning_rate(run, event.segment));
}

void tell(const Run& run, const LossEvent& event, TrainingKind kind, const Parameters& set, Findings& out) {
  Finding finding;
  const bool moved = level_moved(run, event);
  finding.severity = convincing(run, event) ? severity_of(event, kind, moved, set) : Severity::kNote;
  finding.confidence = confidence(event);
  if (finding.severity == Severity::kError && event.shape.absolute) finding.confidence = confidence_of_few(event.shape);
  // The axis of the evaluation may lag behind: the harm lasts until the segment ends.
  const StepRange steps{event.onset_step(), event.loss->last_step()};
  finding.impact = share_of_run(run, steps);
  finding.where = place(run, event.segment, steps, event.loss->line(event.shape.onset));
  finding.message = message_of(event, moved);
  if (event.at_restart) finding.because_of.push_back("run-restarted@" + finding.where->path);
  add_loss_evidence(run, event, finding);
  add_actions(run, event, finding);
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  LossEventOptions options;
  options.sigmas = set["sigmas"];
  options.drift_rise = set["rise"];
  const TrainingKind kind = training_kind(run);
  bool any = false;
  for (const Segment& segment : run.segments) any = any || !judged_losses(segment).empty();
  if (!any) return out.not_applicable("no-loss");
  for (const LossEvent& event : loss_events(run, options)) {
    if (event.kind != LossEventKind::kDivergence || adversarial(run.segments[event.segment])) continue;
    if (is_preference_objective(kind, event)) continue;
    const bool lasts = event.end_rise >= set["rise"] || event.shape.ends_non_finite;
    if (!lasts && !(event.end_rise > 0 && !event.slow)) continue;
    tell(run, event, kind, set, out);
  }
}

}  // namespace

extern const Rule kLossDivergence;
const Rule kLossDivergence{
    .name = "loss-divergence",
    .family = "phenomenon",
    .title_en = "the loss diverged",
    .title_zh = "loss 发散",
    .severity = Severity::kError,
    .parameters =
        {{"sigmas", "robust sigma", 8, 3, 100,
          "the same as of loss-spike: a divergence begins as a spike does, and only its end tells them apart"},
         {"rise", "of the level", 0.10, 0.02, 10,
          "what is left at the end of the run; less is what a change of the data mixture or of the sequence "
          "length makes"},
         {"lost", "of the level", 0.30, 0.05, 10,
          "1.3 times the loss before is where going back to a checkpoint is the practice; below it "
          "fine-tuning data alone may be the reason, and the finding is a warning (pre-training: an error "
          "from 10 %)"}},
    .sentences = with_loss_sentences({
        {"lasting",
         "{metric} left its level of {before} at step {onset} and has not come back: {peak} at most, {after} at the "
         "end, {records} records later",
         "{metric} 自第 {onset} 步起偏离原水平（{before}），至今未恢复：最高达 {peak}，{records} 条记录后仍为 {after}"},
        {"coming-back",
         "{metric} left its level of {before} at step {onset}: {peak} at most, {after} at the end; it is falling "
         "again, but not back",
         "{metric} 自第 {onset} 步起偏离原水平（{before}），最高达 {peak}，结束时为 {after}；正在回落，但尚未恢复"},
        {"explodes", "{metric} exploded from {before} to {peak} from step {onset} on and then became NaN or Inf",
         "{metric} 从第 {onset} 步起由 {before} 暴涨到 {peak}，随后变为 NaN/Inf"},
        {"repaired",
         "{metric} left its level of {before} at step {onset} and did not come back ({after}) before the run was "
         "restarted; afterwards it was back",
         "{metric} 自第 {onset} 步起偏离原水平（{before}），直到训练重启都未恢复（{after}）；重启之后已恢复"},
        {"slow",
         "{metric} has been rising slowly since step {onset}: from {before} to {after} at the end (step {last})",
         "{metric} 自第 {onset} 步起缓慢上升：由 {before} 升到结束时（第 {last} 步）的 {after}"},
        {"slow-back",
         "{metric} rose slowly from step {onset} on, from {before} to {peak}; at the end (step {last}) it is at "
         "{after}",
         "{metric} 自第 {onset} 步起由 {before} 缓慢升到 {peak}；结束时（第 {last} 步）为 {after}"},
        {"check-weights",
         "{after} is where training began: at step {onset} look for weights that were initialised again, a wrong or "
         "empty checkpoint, a reloaded optimizer",
         "{after} 正是训练开始时的水平：请检查第 {onset} 步处权重是否被重新初始化、检查点是否错误或为空、优化器是否被"
         "重新加载"},
        {"moved",
         "{metric} stepped up from {before} to {to} (+{rise}) at step {onset}, and training goes on from there: "
         "{after} at the end (step {last})",
         "{metric} 在第 {onset} 步由 {before} 上移到 {to}（+{rise}），之后训练在新水平上继续：结束时（第 {last} 步）为 "
         "{after}"},
        {"check-data",
         "check whether data, sequence length, batch or objective changed at step {onset}: if that was meant, nothing "
         "is wrong",
         "检查第 {onset} 步处数据、序列长度、batch 或训练目标是否有变化：若是有意为之，则一切正常"},
        {"check-restart",
         "it came with the restart at step {onset}: check what was restored there (optimizer state, learning rate, "
         "loss scale, data position, weights) before looking at the data",
         "它随第 {onset} 步的重启而来：先检查当时恢复了什么（优化器状态、学习率、loss scale、数据位置、权重），再检查"
         "数据"},
        {"keep-out", "nothing to do for the run now; keep the data of steps {steps} in mind if it happens there again",
         "目前无需处理；若在同一位置再次发生，请检查第 {steps} 步的数据"},
        {"slow-rate",
         "halve the peak learning rate as well ({rate} -> {half}): a rise without a spike is the optimizer's, other "
         "data "
         "does not help",
         "并将峰值学习率减半（{rate} -> {half}）：没有尖峰的上升源于优化器，换数据无济于事"},
        {"slow-rate-unknown",
         "halve the learning rate as well: a rise without a spike is the optimizer's, other data does not help",
         "并将学习率减半：没有尖峰的上升源于优化器，换数据无济于事"},
        {"title-evaluation", "the evaluation loss diverged", "评估 loss 发散"},
        {"no-loss", "the log has no loss", "日志中没有 loss"},
    }),
    .docs =
        {.finds =
             "A loss that leaves its level upwards and is not back when the run ends: after a jump, or in a slow rise.",
         .matters = "Every step after the onset is lost, and checkpoints saved since then carry the damage.",
         .decides = "A jump is found as by `loss-spike` and has not come back by the end of its segment, at least 16 "
                    "records (or that many record spacings of steps) after its onset, or it ends in NaN. A slow rise: "
                    "the series in up to 200 blocks of medians, smoothed over five blocks; the end lies 10 % and six "
                    "sigma above the smallest value reached before, and nearly all its records above those around the "
                    "minimum (Mann-Whitney). The onset is where the rise began, or where the minimum's level was last "
                    "held.\n\n*error*: 30 % or more are left at the end (10 % in pre-training after a jump), or it "
                    "ends in NaN. *warning*: less, or it is falling again, or a later segment of the log is back at "
                    "the level; or a step up (within 16 records at a level less than 30 % higher, without overshoot, "
                    "not rising further) that the grad norm did not answer: then the level moved, and data or "
                    "objective may have changed. *note*: such a step of less than 10 %. The bump at the start of a run "
                    "is `initial-transient`; what came with a restart is explained by `run-restarted`.",
         .example =
             "`loss left its level of 4.875 at step 6,336 and has not come back: 7.25 at most, 6.938 at the end, 2,488 "
             "records later`",
         .to_do = "Go back to a checkpoint before the onset (of the grad norm, if that rose first), at least 100 steps "
                  "before it, and skip 200 to 500 batches. If it happens again with other data: halve the learning "
                  "rate; then look at precision, then at the architecture. A new seed only moves it. A slow rise calls "
                  "for the lower learning rate at once.",
         .false_alarms = "A new data stage that is harder than the one before is told as a level that moved. Policy "
                         "objectives rise by design: slow rises of preference training are not judged, nor are "
                         "adversarial losses.",
         .references = "What was tried on diverging 104B runs, and what helped: BigScience, chronicles of "
                       "tr8-104B-wide and tr8b-104B. Rollbacks with a lower learning rate: IDEFICS-80B chronicles. H. "
                       "B. Mann, D. R. Whitney, Ann. Math. Statist. 18 (1947)."},
    .judge = judge};

}  // namespace assay
