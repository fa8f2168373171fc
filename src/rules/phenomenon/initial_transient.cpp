// The bump with which many runs begin.
//
// With random weights, moments at zero and a learning rate that is rising or, worse, starts high, the first updates
// overshoot: 6.9 -> 24.7 at step 2, 12 -> 43 at step 4, 14 -> 77 at step 30, and a healthy run follows. It must not be
// called a divergence, and it is worth a word only because the question "is this normal?" is asked each time.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

// The gradients are no numbers any more: then a loss that seems to be back is one that nobody measured.
bool lost_its_gradients(const Segment& segment, const LossEvent& event) {
  const Series* norm = segment.find(metric::kGradNorm);
  if (norm == nullptr || norm->empty() || std::isfinite(norm->values.back())) return false;
  std::size_t first = norm->size();
  while (first > 0 && !std::isfinite(norm->value(first - 1))) --first;
  return norm->step(first) <= event.last_step();
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  LossEventOptions options;
  options.transient_records = static_cast<std::size_t>(set["records"]);
  options.untrained = set["untrained"];
  options.beginnings = true;
  bool any = false;
  for (const Segment& segment : run.segments) any = any || !judged_losses(segment).empty();
  if (!any) return out.not_applicable("no-loss");
  const std::vector<LossEvent> events = loss_events(run, options);
  for (std::size_t index = 0; index < run.segments.size(); ++index) {
    const LossEvent* worst = nullptr;
    for (const LossEvent& event : events) {
      if (event.segment != index || event.kind != LossEventKind::kTransient) continue;
      if (lost_its_gradients(run.segments[index], event)) continue;
      if (worst == nullptr || event.shape.rise > worst->shape.rise) worst = &event;
    }
    if (worst == nullptr) continue;
    const Departure& shape = worst->shape;
    Finding finding;
    finding.severity = Severity::kNote;
    finding.confidence = worst->to_the_end ? 0.5 : std::max(0.6, confidence_of(shape));
    finding.where = place(run, index, {worst->onset_step(), worst->last_step()}, worst->loss->line(shape.peak));
    finding.impact = share_of_run(run, *finding.where->steps);
    finding.message = {
        worst->to_the_end ? "open" : "back",
        {{"metric", spoken(*worst->loss)},
         {"before", shape.level},
         {"peak", shape.peak_value},
         {"step", worst->loss->step(shape.peak)},
         {"last", worst->shape.regained ? worst->loss->step(*worst->shape.regained) : worst->last_step()},
         {"after", shape.after}}};
    add_loss_evidence(run, *worst, finding);
    finding.actions.push_back({{worst->to_the_end ? "wait" : "none", {}}, ""});
    out.add(std::move(finding));
  }
}

}  // namespace

extern const Rule kInitialTransient;
const Rule kInitialTransient{
    .name = "initial-transient",
    .family = "phenomenon",
    .title_en = "the loss rose once at the start",
    .title_zh = "训练初期 loss 短暂上升",
    .severity = Severity::kNote,
    .parameters =
        {{"records", "records", 50, 1, 10000,
          "the optimizer's moments are new, and so are the weights; the warm-up, where it is longer, counts as well"},
         {"untrained", "of the first loss", 0.7, 0.1, 1,
          "below it training has got somewhere, and a rise costs something: then it is a spike"}},
    .sentences = with_loss_sentences({
        {"back",
         "{metric} rose from {before} to {peak} at step {step}, at the start of training, and was back by step {last}",
         "{metric} 在训练初期（第 {step} 步）从 {before} 升到 {peak}，到第 {last} 步已恢复"},
        {"open",
         "{metric} rose from {before} to {peak} at step {step}, at the start of training; at the end of the log it is "
         "at {after} and falling",
         "{metric} 在训练初期（第 {step} 步）从 {before} 升到 {peak}；日志结束时为 {after}，正在回落"},
        {"none", "nothing to do; a longer warm-up makes the bump smaller", "无需处理；延长 warm-up 可减小该起伏"},
        {"wait", "let it run on: it is judged once the warm-up is over", "继续训练：warm-up 结束后才能判断"},
        {"no-loss", "the log has no loss", "日志中没有 loss"},
    }),
    .docs =
        {.finds = "A rise of the loss within the first records of a run that comes back.",
         .matters = "It looks like a divergence and is none: the first updates of a new optimizer overshoot.",
         .decides =
             "A departure (as `loss-spike` finds it) that begins within the first 50 records and the first quarter "
             "of the run (the first ten records are always its beginning), or within the warm-up, of a log that begins "
             "at the start of its training; at a level that is still 70 % of the first loss, or with a peak above the "
             "first loss; and that has come back, or is more than half way back where the log ends within that same "
             "part.",
         .example = "`loss rose from 6.936 to 24.7 at step 2, at the start of training, and was back by step 3`",
         .to_do = "Nothing. A longer warm-up, or one that starts at zero, makes it smaller.",
         .false_alarms = "None that cost anything: it is a note.",
         .references = "Measured on public logs of parameter-golf, Megatron-LM and fairseq runs, all of which trained "
                       "well afterwards."},
    .judge = judge};

}  // namespace assay
