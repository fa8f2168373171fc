// The loss is NaN or infinite.
//
// What matters is whether it stays. Weights that hold a NaN give NaN for ever, so a run whose loss is never finite
// again is dead from the first such step, and all checkpoints saved since are too. A loss that is finite again, at its
// former level, shows that the step did not reach the weights: skipped by a scaler, or by a guard of the framework.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "base/ascii.h"
#include "measure/order.h"
#include "measure/scaler.h"
#include "rules/loss_support.h"
#include "rules/non_finite_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"

namespace assay {

namespace {

struct Found {
  std::size_t segment = 0;
  const Series* loss = nullptr;
  NonFinite values;
  Severity severity = Severity::kNote;
  bool evaluation_only = false;  // the training loss goes on being finite
  bool part = false;             // a loss beside the training loss, which goes on being finite
  bool beside = false;           // another network's, or perhaps never measured: NaN from first to last, others finite
  bool last = false;             // one value, in the last record: nothing tells whether it stays
};

// The training loss has finite values at or after this row.
bool training_goes_on(const Segment& segment, std::size_t row) {
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr) return false;
  for (std::size_t i = loss->size(); i-- > 0 && loss->row_of(i) >= row;) {
    if (std::isfinite(loss->value(i))) return true;
  }
  return false;
}

// Back at the level before, as far as the values after it tell.
bool level_kept(const Series& loss, const NonFinite& values) {
  const auto all = loss.values.span();
  const std::size_t from = values.first > 16 ? values.first - 16 : 0;
  const double before = median(all.subspan(from, values.first - from));
  const double after = median(all.subspan(values.last + 1, std::min<std::size_t>(16, all.size() - values.last - 1)));
  return std::isfinite(after) && (!std::isfinite(before) || after <= before + 0.1 * std::fabs(before));
}

Severity severity_of(const Found& found, const Parameters& set) {
  if (found.values.count == 0) return Severity::kNote;
  // A part is NaN in batches that have nothing for it, or for ever where it is not measured.
  const bool lost = found.values.to_the_end && !found.values.from_the_start &&
                    static_cast<double>(found.values.count) >= set["spared"];
  if (found.part) return lost ? Severity::kWarning : Severity::kNote;
  // A bar shows NaN until there was a first evaluation.
  if (found.evaluation_only && found.values.from_the_start && !found.values.to_the_end) return Severity::kNote;
  if (found.evaluation_only || found.beside || found.last) return Severity::kWarning;
  if (found.values.to_the_end) return Severity::kError;
  // One NaN stays in a running mean until it is started anew, whatever the weights are.
  if (has(found.loss->quirks, Quirk::kRunningMean)) return Severity::kWarning;
  const bool single = static_cast<double>(found.values.count) <= set["spared"] && found.values.longest <= 1;
  return single && level_kept(*found.loss, found.values) ? Severity::kWarning : Severity::kError;
}

// A name that says that it is a loss: "critic/vf_loss", "Mean value_function loss", "loss_box_reg"; not "loss_scale".
bool says_loss(std::string_view name) {
  const std::string text = lower(name);
  const std::size_t at = text.rfind("loss");
  if (at == std::string::npos) return false;
  for (const char* other : {"scal", "weight", "coef"}) {
    if (text.find(other) != std::string::npos) return false;
  }
  return at + 4 == text.size() || at == 0 || text.compare(at, 5, "loss_") == 0 || text.compare(at, 5, "loss/") == 0;
}

bool of_evaluation(std::string_view name) {
  return name.find("val") == 0 || name.find("eval") != std::string_view::npos ||
         name.find("test") != std::string_view::npos || name.find("valid") != std::string_view::npos ||
         name.find("/val") != std::string_view::npos || name.find("dev") == 0;
}

// The critic of a policy is a network of its own: its NaN does not show in the training loss.
bool of_another_network(std::string_view name) {
  return name.find("critic") != std::string_view::npos || name.find("value") != std::string_view::npos ||
         name.find("vf_loss") != std::string_view::npos;
}

std::optional<Found> judge_series(const Run& run, std::size_t index, const Series& loss, const SkipHistory& skips,
                                  const Parameters& set) {
  const auto values = non_finite_values(loss, skips);
  if (!values) return std::nullopt;
  const Segment& segment = run.segments[index];
  Found found{index, &loss, *values, Severity::kNote, false, false, false, false};
  const bool main = loss.metric == metric::kLoss;
  const bool evaluation = loss.metric == metric::kEvalLoss || (!main && of_evaluation(loss.printed_as));
  if (!main && values->count > 0 && training_goes_on(segment, loss.row_of(values->first))) {
    (evaluation ? found.evaluation_only : of_another_network(loss.printed_as) ? found.beside : found.part) = true;
  }
  // Without a training loss by name one of several that say so may be a part that was never measured.
  const bool never = values->from_the_start && values->to_the_end && values->is_nan;
  if (!main && !evaluation && segment.find(metric::kLoss) == nullptr && never) {
    found.beside = std::any_of(segment.series.begin(), segment.series.end(), [&](const Series& other) {
      return says_loss(other.printed_as) && !of_evaluation(other.printed_as) && !other.empty() &&
             std::isfinite(other.values.back());
    });
  }
  // Weights that hold a NaN give it for ever; an infinite loss may be that of one batch.
  found.last = values->count == 1 && values->to_the_end && !values->from_the_start &&
               index + 1 == run.segments.size() && (run.truncated || !values->is_nan) &&
               told_non_finite(run, false) == nullptr;
  found.severity = severity_of(found, set);
  return found;
}

// The plain word beside a more specific key that the training loss was taken from: a bar that shows "loss=nan".
bool is_replaced(const Segment& segment, const Series& series) {
  return series.printed_as == metric::kLoss && segment.find(metric::kLoss) != nullptr;
}

std::vector<Found> find_all(const Run& run, const std::vector<SkipHistory>& skips, const Parameters& set) {
  std::vector<Found> out;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Segment& segment = run.segments[i];
    for (const Series& series : segment.series) {
      const bool canonical = series.metric == metric::kLoss || series.metric == metric::kEvalLoss;
      if (!canonical && (!says_loss(series.printed_as) || is_replaced(segment, series))) continue;
      if (auto found = judge_series(run, i, series, skips[i], set)) out.push_back(*found);
    }
  }
  return out;
}

std::string name_of(const Series& loss) {
  const bool canonical = loss.metric == metric::kLoss || loss.metric == metric::kEvalLoss;
  return canonical ? std::string(spoken(loss)) : loss.printed_as;
}

Location where(const Run& run, const Found& found) {
  const bool explained = found.values.count == 0;
  const std::size_t first = explained ? found.values.first_skipped : found.values.first;
  const std::size_t last = explained ? first : found.values.last;
  return place(run, found.segment, {found.loss->step(first), found.loss->step(last)}, found.loss->line(first));
}

// The Hugging Face Trainer leaves a loss that is NaN out of the mean that it prints (logging_nan_inf_filter).
bool hides_nan(const Run& run) { return run.dialect.starts_with("hf-"); }

const char* key_of(const Run& run, const Found& found) {
  const NonFinite& values = found.values;
  if (found.last) return "last";
  if (found.evaluation_only) {
    return found.severity == Severity::kNote ? "not-yet" : hides_nan(run) ? "evaluation-or-hidden" : "evaluation";
  }
  if (found.part || (found.beside && training_goes_on(run.segments[found.segment], found.loss->row_of(values.first)))) {
    return values.to_the_end ? "part" : "part-sometimes";
  }
  if (values.from_the_start && values.to_the_end) return found.segment > 0 ? "always-after-restart" : "always";
  if (values.to_the_end) return "stays";
  return found.severity == Severity::kError ? "several" : "single";
}

Finding tell(const Run& run, const Found& found) {
  const NonFinite& values = found.values;
  Finding finding;
  finding.severity = found.severity;
  finding.where = where(run, found);
  finding.impact = values.to_the_end
                       ? share_of_run(run, {finding.where->steps->first, run.segments[found.segment].last_step()})
                       : share_of_run(run, *finding.where->steps);
  const std::size_t first = values.count > 0 ? values.first : values.first_skipped;
  finding.message.values = {{"metric", name_of(*found.loss)},
                            {"what", values.count > 0 && !values.is_nan ? "Inf" : "NaN"},
                            {"step", found.loss->step(first)},
                            {"count", values.count > 0 ? values.count : values.skipped},
                            {"last", found.loss->last_step()}};
  if (values.count == 0) {
    finding.message.key = "skipped";
    finding.confidence = 0.9;
    finding.actions.push_back({{"leave", {}}, ""});
    return finding;
  }
  finding.confidence = has(found.loss->quirks, Quirk::kRunningMean) ? 0.6 : 0.99;
  finding.message.key = key_of(run, found);
  if (found.severity == Severity::kNote) {
    finding.actions.push_back({{"leave", {}}, ""});
    return finding;
  }
  const std::size_t row = found.loss->row_of(first);
  const Precursors announced = precursors_of(run, found.segment, row);
  add_non_finite_evidence(run, found.segment, row, announced, finding);
  if (found.last) finding.confidence = 0.7;
  if (found.evaluation_only) {
    const bool hidden = hides_nan(run);
    finding.actions.push_back({{hidden ? "look-whether-hidden" : "look-evaluation-set", {}}, ""});
    if (hidden) finding.confidence = 0.8;
  } else if (finding.message.key == std::string_view("always") && !begins_at_start(run, found.segment)) {
    finding.actions.push_back({{"look-before", {}}, ""});  // what began it is not in this log
  } else {
    add_non_finite_actions(run, found.segment, row, announced, finding);
  }
  return finding;
}

// What a program met is past where its loss was finite again, or where its words say that it left the value out.
Severity severity_of(const Run& run, const Event& event) {
  const auto segment = static_cast<std::size_t>(std::max(event.segment, 0));
  const Series* loss = run.segments[segment].find(metric::kLoss);
  if (loss != nullptr && !loss->empty()) {
    const std::size_t last = loss->size() - 1;
    if (stands_before(event, segment, loss->row_of(last), run.segments[segment]) && std::isfinite(loss->value(last)))
      return Severity::kWarning;
  }
  return event.text.find("is not correct") != std::string::npos ? Severity::kWarning : Severity::kError;
}

const Event* gravest(const Run& run) {
  const Event* worst = nullptr;
  for (const Event& event : run.events) {
    if (!tells_non_finite(event, false)) continue;
    if (worst == nullptr || severity_of(run, event) > severity_of(run, *worst)) worst = &event;
  }
  return worst;
}

// Where nothing else tells a step: that of the checkpoint saved last.
std::optional<StepRange> last_saved(const Run& run, const Event& event) {
  std::optional<StepRange> out;
  for (const Event& one : run.events) {
    if (&one == &event) break;
    if (one.kind == EventKind::kCheckpointSaved && one.step) out = StepRange{*one.step, *one.step};
  }
  return out;
}

Finding tell_message(const Run& run, const Event& event) {
  Finding finding;
  finding.severity = severity_of(run, event);
  finding.confidence = 0.8;
  finding.impact = 0.5;
  finding.where = place(run, event.line);
  if (event.step) finding.where->steps = StepRange{*event.step, *event.step};
  finding.where->segment = event.segment;
  if (!event.step) finding.where->steps = last_saved(run, event);
  finding.message = event.step ? Phrase{"told", {{"text", event.text}, {"step", *event.step}}}
                               : Phrase{"told-somewhere", {{"text", event.text}}};
  const auto segment = static_cast<std::size_t>(std::max(event.segment, 0));
  if (event.step) finding.actions.push_back(resume_before(run, segment, *event.step));
  finding.actions.push_back({{"look-forward", {}}, ""});
  return finding;
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const std::vector<SkipHistory> skips = skips_of(run);
  std::vector<Found> all = find_all(run, skips, set);
  const Event* told = gravest(run);
  if (all.empty()) {
    if (told != nullptr) return out.add(tell_message(run, *told));
    const bool any = std::any_of(run.segments.begin(), run.segments.end(), [](const Segment& one) {
      return one.find(metric::kLoss) != nullptr || one.find(metric::kEvalLoss) != nullptr;
    });
    if (!any) out.not_applicable("no-loss");
    return;
  }
  // One finding: the gravest, and of these the first; the others are further places.
  const auto worst =
      std::max_element(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.severity < b.severity; });
  // What the program says of its end weighs more than values that it got over.
  const bool worse = told != nullptr && severity_of(run, *told) > worst->severity;
  Finding finding = worse ? tell_message(run, *told) : tell(run, *worst);
  for (const Found& one : all) {
    if (worse || &one != &*worst) finding.also.push_back(where(run, one));
  }
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kNonFiniteLoss;
const Rule kNonFiniteLoss{
    .name = "non-finite-loss",
    .family = "phenomenon",
    .title_en = "the loss became NaN or Inf",
    .title_zh = "loss 变为 NaN 或 Inf",
    .severity = Severity::kError,
    .parameters = {{"spared", "records", 3, 0, 1000,
                    "a few single records with a finite loss right after each show that the weights were spared; more "
                    "of them, or several in a row, are no accident"}},
    .sentences = with_non_finite_sentences({
        {"stays", "{metric} is {what} from step {step} on and never finite again (the log ends at step {last})",
         "{metric} 从第 {step} 步起为 {what}，此后再未恢复（日志止于第 {last} 步）"},
        {"always", "{metric} is {what} from its first value (step {step}) on",
         "{metric} 从第一个值（第 {step} 步）起就是 {what}"},
        {"always-after-restart",
         "{metric} is {what} from the first value after the restart (step {step}) on: the checkpoint that was loaded "
         "may hold it already",
         "重启后 {metric} 从第一个值（第 {step} 步）起就是 {what}：加载的检查点可能已经损坏"},
        {"several",
         "{metric} is {what} at {count} records from step {step} on, without a skipped step that explains it",
         "{metric} 从第 {step} 步起共有 {count} 条记录为 {what}，且没有跳步可以解释"},
        {"single",
         "{metric} is {what} at step {step} ({count} records in all); it went on finite, so the weights were spared",
         "{metric} 在第 {step} 步为 {what}（共 {count} 条记录）；此后恢复有限值，说明权重未受影响"},
        {"evaluation",
         "{metric} is {what} from step {step} on while the training loss stays finite: the evaluation is at fault",
         "{metric} 从第 {step} 步起为 {what}，而训练 loss 一直有限：问题出在评估本身"},
        {"evaluation-or-hidden",
         "{metric} is {what} from step {step} on; the training loss that is printed stays finite, but this trainer "
         "leaves NaN out of it (logging_nan_inf_filter), so the weights may be lost as well",
         "{metric} 从第 {step} 步起为 {what}；打印的训练 loss 仍为有限值，但该训练器会把 NaN 排除在外"
         "（logging_nan_inf_filter），因此权重也可能已经损坏"},
        {"look-whether-hidden",
         "set logging_nan_inf_filter to false and look at the next training loss; if it is finite, look at the "
         "evaluation "
         "set: an empty or fully masked sample, a narrower precision",
         "将 logging_nan_inf_filter 设为 false 并查看随后的训练 loss；若为有限值，再检查评估集：空样本或标签被全部屏蔽"
         "的样本、更低的精度"},
        {"part", "{metric} is {what} from step {step} on while the training loss stays finite",
         "{metric} 从第 {step} 步起为 {what}，而训练 loss 一直有限"},
        {"part-sometimes",
         "{metric} is {what} at {count} records, first at step {step}, and finite at others, as the training loss is",
         "{metric} 有 {count} 条记录为 {what}（首次在第 {step} 步），其余记录有限，训练 loss 也一直有限"},
        {"not-yet", "{metric} is {what} at the first {count} records and finite ever after: nothing was measured yet",
         "{metric} 在最初 {count} 条记录为 {what}，此后一直有限：当时尚未评估"},
        {"last", "{metric} is {what} at step {step}, in the last record: whether it stays the log does not tell",
         "{metric} 在最后一条记录（第 {step} 步）为 {what}，日志看不出此后是否恢复"},
        {"skipped",
         "{metric} is {what} at {count} records, first at step {step}; these steps were skipped and training went on",
         "{metric} 有 {count} 条记录为 {what}（首次在第 {step} 步）；这些步已被跳过，训练继续进行"},
        {"told", "the framework reports at step {step}: {text}", "框架在第 {step} 步报告：{text}"},
        {"told-somewhere", "the framework reports: {text}", "框架报告：{text}"},
        {"look-evaluation-set",
         "look at the evaluation: an empty or fully masked sample, a precision that is narrower than in training",
         "请检查评估：是否有空样本或标签被全部屏蔽的样本，评估所用精度是否低于训练"},
        {"look-before", "the log begins when the loss is already NaN: look at the part before it",
         "日志开始时 loss 已经是 NaN：请查看此前的日志"},
        {"title-evaluation", "the evaluation loss became NaN or Inf", "评估 loss 变为 NaN 或 Inf"},
        {"title-part", "a part of the loss became NaN or Inf", "loss 的一个分项变为 NaN 或 Inf"},
        {"title-part-sometimes", "a part of the loss is NaN or Inf at times", "loss 的一个分项时而为 NaN 或 Inf"},
        {"leave", "nothing: no weight was touched", "无需处理：权重未受影响"},
        {"no-loss", "the log has no loss", "日志中没有 loss"},
    }),
    .docs = {.finds = "Values of the training or evaluation loss that are NaN or infinite, or a framework's own "
                      "message that it met one.",
             .matters =
                 "Once a NaN is in the weights every later step is lost, and so is every checkpoint saved since.",
             .decides =
                 "The first value that is not finite and that no skipped step explains (overflow messages, the skip "
                 "counter, a halved loss scale). *error*: it stays, or there are several. *warning*: up to three "
                 "single records, each with a finite loss at the level before after it; or one infinite value in the "
                 "last record; or only the evaluation loss, a part of the loss that stays so, "
                 "or the critic's, "
                 ""
                 "while the training loss is finite. *note*: all of them were skipped.\n\nWhat announced it decides "
                 "the advice: a loss that grew threefold within two records or a grad norm that grew 10,000-fold is an "
                 "optimizer that exploded; a clean record before it is a matter of the forward pass.",
             .example = "`loss is NaN from step 76,980 on and never finite again (the log ends at step 77,010)`",
             .to_do = "Resume before it began, skip the data of that step. Announced: lower the learning rate, clip "
                      "tighter. Not announced: look for overflow in half precision, attention kernels and masks, "
                      "batches without labels. With the first steps: Adam's epsilon in pure fp16, uninitialised "
                      "embedding rows. If a checkpoint gives NaN when it is loaded, take an older one.",
             .false_alarms = "A running mean stays NaN after a single skipped step (told with less confidence).",
             .references =
                 "IEEE 754-2019, 6.2 (NaN propagates). Causes seen in public threads: karpathy/nanoGPT#136, #215; "
                 "pytorch/pytorch#70348 (labels all masked), #147437 (epsilon in fp16); prajdabre/yanmtt#7."},
    .judge = judge};

}  // namespace assay
