// The grad norm is NaN or infinite.
//
// Under dynamic loss scaling that is how the scale is found, and no step is made with such a gradient; those records
// are a note. Without a skip it is an update of NaN, or, after clipping by an infinite norm, an update of zero: steps
// that train nothing at best.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "measure/order.h"
#include "measure/scaler.h"
#include "rules/loss_support.h"
#include "rules/non_finite_support.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

struct Found {
  std::size_t segment = 0;
  const Series* norm = nullptr;
  NonFinite values;
  Severity severity = Severity::kNote;
  bool scaler = false;    // a dynamic loss scale is logged
  bool start_up = false;  // all of it within the first steps, finite ever after
};

Severity severity_of(const Found& found, const Parameters& set) {
  const NonFinite& values = found.values;
  if (values.count == 0 || found.start_up) return Severity::kNote;
  if (values.to_the_end) return Severity::kError;
  const double share = static_cast<double>(values.count) / static_cast<double>(found.norm->size());
  // A norm that is finite again tells that the step did not reach the weights, however few records there are.
  const bool few = share <= set["share"] || static_cast<double>(values.count) <= set["few"];
  const bool scattered = few && static_cast<double>(values.longest) <= set["in-a-row"];
  if (scattered) return found.scaler ? Severity::kNote : Severity::kWarning;
  return Severity::kError;
}

std::vector<Found> find_all(const Run& run, const std::vector<SkipHistory>& skips, const Parameters& set) {
  std::vector<Found> out;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Series* norm = run.segments[i].find(metric::kGradNorm);
    if (norm == nullptr) continue;
    const auto values = non_finite_values(*norm, skips[i]);
    if (!values) continue;
    Found found{i, norm, *values, Severity::kNote, scaler_history(run, i).logged, false};
    if (values->count > 0 && !values->to_the_end) {
      // The search of the scaler ends within the first steps, and its trace (a mean over the interval) in the record
      // that covers them.
      const std::int64_t spacing = record_spacing(run.segments[i]);
      const bool early = norm->step(values->last) <= run.segments[i].first_step() - spacing + kStartUpSteps;
      found.start_up = begins_at_start(run, i) && (early || norm->row_of(values->last) == 0);
    }
    found.severity = severity_of(found, set);
    out.push_back(found);
  }
  return out;
}

Location where(const Run& run, const Found& found) {
  const bool explained = found.values.count == 0;
  const std::size_t first = explained ? found.values.first_skipped : found.values.first;
  const std::size_t last = explained ? first : found.values.last;
  return place(run, found.segment, {found.norm->step(first), found.norm->step(last)}, found.norm->line(first));
}

Finding tell(const Run& run, const Found& found) {
  const NonFinite& values = found.values;
  Finding finding;
  finding.severity = found.severity;
  finding.where = where(run, found);
  finding.impact = share_of_run(run, *finding.where->steps);
  const std::size_t first = values.count > 0 ? values.first : values.first_skipped;
  finding.message.values = {{"what", values.count > 0 && values.is_nan ? "NaN" : "Inf"},
                            {"step", found.norm->step(first)},
                            {"last", finding.where->steps->last},
                            {"count", values.count > 0 ? values.count : values.skipped},
                            {"records", found.norm->size()}};
  finding.confidence = 0.95;
  if (values.count == 0) {
    finding.message.key = "skipped";
  } else if (found.start_up) {
    finding.message.key = "start-up";
  } else if (values.to_the_end) {
    finding.message.key = "stays";
  } else {
    finding.message.key = "several";
  }
  if (found.severity == Severity::kNote) {
    finding.confidence = 0.8;
    finding.actions.push_back({{"leave", {}}, ""});
    return finding;
  }
  const std::size_t row = found.norm->row_of(first);
  const Precursors announced = precursors_of(run, found.segment, row);
  add_non_finite_evidence(run, found.segment, row, announced, finding);
  if (!found.scaler) finding.evidence.push_back({{"no-scaler", {}}, {}, {}});
  add_non_finite_actions(run, found.segment, row, announced, finding);
  return finding;
}

// The record that covers the step of the message counts a skipped step.
bool was_skipped(const Run& run, const Event& event) {
  const auto index = static_cast<std::size_t>(std::max(event.segment, 0));
  if (!event.step || run.segments[index].empty()) return false;
  const StepRange steps = steps_of_event(run, index, event);
  for (const SkipStretch& one : skip_history(run, index, scaler_history(run, index)).stretches) {
    if (one.steps.first <= steps.last && steps.first <= one.steps.last) return true;
  }
  return false;
}

Finding tell_message(const Run& run, const Event& event) {
  Finding finding;
  finding.severity = was_skipped(run, event) ? Severity::kWarning : Severity::kError;
  finding.confidence = 0.8;
  finding.impact = 0.5;
  finding.where = place(run, event.line);
  if (event.step) finding.where->steps = StepRange{*event.step, *event.step};
  finding.where->segment = event.segment;
  finding.message = event.step ? Phrase{"told", {{"text", event.text}, {"step", *event.step}}}
                               : Phrase{"told-somewhere", {{"text", event.text}}};
  if (event.step)
    finding.actions.push_back(resume_before(run, static_cast<std::size_t>(std::max(event.segment, 0)), *event.step));
  finding.actions.push_back({{"rerun", {}}, ""});
  return finding;
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const std::vector<SkipHistory> skips = skips_of(run);
  const std::vector<Found> all = find_all(run, skips, set);
  if (all.empty()) {
    if (const Event* told = told_non_finite(run, true)) return out.add(tell_message(run, *told));
    const bool any = std::any_of(run.segments.begin(), run.segments.end(),
                                 [](const Segment& one) { return one.find(metric::kGradNorm) != nullptr; });
    if (!any) out.not_applicable("no-norm");
    return;
  }
  const auto worst =
      std::max_element(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.severity < b.severity; });
  // A message that stands behind everything else told of the end: worse than values that were got over.
  const Event* told = told_non_finite(run, true);
  const bool ended = told != nullptr && worst->severity < Severity::kError && stands_at_end(run, *told);
  Finding finding = ended ? tell_message(run, *told) : tell(run, *worst);
  for (const Found& one : all) {
    if ((ended || &one != &*worst) && finding.also.size() < 200) finding.also.push_back(where(run, one));
  }
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kNonFiniteGrad;
const Rule kNonFiniteGrad{
    .name = "non-finite-grad",
    .family = "phenomenon",
    .title_en = "the gradient became NaN or Inf",
    .title_zh = "梯度变为 NaN 或 Inf",
    .severity = Severity::kError,
    .parameters =
        {{"share", "of the records", 0.05, 0, 1,
          "with the shortest windows in use a loss scaler skips two of a hundred steps for ever and trains well"},
         {"few", "records", 2, 0, 1000,
          "an excerpt is too short for a share; one or two that were got over did no harm"},
         {"in-a-row", "records", 2, 1, 1000,
          "a scaler that halves needs one or two steps to find its new place; more in a row are not its search"}},
    .sentences = with_non_finite_sentences({
        {"stays", "grad norm is {what} from step {step} on and never finite again",
         "梯度范数从第 {step} 步起为 {what}，此后再未恢复"},
        {"several", "grad norm is {what} at {count} of {records} records, from step {step} to {last}",
         "{records} 条记录中有 {count} 条的梯度范数为 {what}（第 {step} 至 {last} 步）"},
        {"start-up",
         "grad norm is {what} at {count} records until step {last}, at the start of training, and finite ever after",
         "训练初期（到第 {last} 步）有 {count} 条记录的梯度范数为 {what}，此后一直有限"},
        {"skipped",
         "grad norm is {what} at {count} records, first at step {step}; these steps were skipped by the loss scaler",
         "有 {count} 条记录的梯度范数为 {what}（首次在第 {step} 步）；这些步已被 loss scaler 跳过"},
        {"told", "the framework reports at step {step}: {text}", "框架在第 {step} 步报告：{text}"},
        {"told-somewhere", "the framework reports: {text}", "框架报告：{text}"},
        {"rerun",
         "run the step again from the checkpoint with the same data: if it does not happen again, suspect the device, "
         "else the data or the kernels",
         "用相同数据从检查点重跑该步：若不再出现，怀疑硬件；否则检查数据或算子"},
        {"leave", "nothing: no weight was touched", "无需处理：权重未受影响"},
        {"no-norm", "the log has no grad norm", "日志中没有梯度范数"},
    }),
    .docs =
        {.finds =
             "Records whose grad norm is NaN or infinite, or a framework's own message that it met such a gradient.",
         .matters = "Without a skip the update is NaN, or zero after clipping by an infinite norm: the step trains "
                    "nothing at best.",
         .decides =
             "Values that no skipped step explains. *note*: all were skipped, or all lie within the first 50 steps or "
             "the first record, or "
             "they are scattered (at most 5 % of the records, no more than two in a row) under a logged loss scale. "
             "*warning*: scattered without a loss scale in the log. *error*: more, or to the end.",
         .example = "`grad norm is Inf at 28 of 480 records, from step 19,500 to 23,800`",
         .to_do = "Resume before it began. Under fp16: bfloat16, or find the layer that overflows. Otherwise as for "
                  "`non-finite-loss`.",
         .false_alarms = "Automatic mixed precision that does not log its scale: scattered values are a warning then.",
         .references = "Measured on a public run with 28 such records; loss scaling: NVIDIA, Mixed Precision Training "
                       "User's Guide. Reruns: Megatron-LM rerun state machine."},
    .judge = judge};

}  // namespace assay
