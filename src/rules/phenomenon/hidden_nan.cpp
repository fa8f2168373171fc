// The loss is not printed because it is NaN.
//
// A log can be silent about the worst that can happen to it. Three writers hide a NaN: Megatron-LM prints a loss only
// if it is greater than zero; writers of tables leave the cell empty; a logging filter replaces it by the mean of what
// is left, which is 0.0. What gives it away each time is the company that the loss kept: the other metrics go on.

#include <algorithm>

#include "assay/metric.h"
#include "measure/training_kind.h"
#include "rules/non_finite_support.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

struct Found {
  std::size_t segment = 0;
  HiddenLoss hidden;
  Severity severity = Severity::kError;
  double confidence = 0.5;
};

constexpr std::size_t kRecordsToTrust = 5;

bool training_goes_on(const Segment& segment, std::size_t row) {
  const Series* loss = segment.find(metric::kLoss);
  return loss != nullptr && !loss->empty() && loss->row_of(loss->size() - 1) > row;
}

Found weigh(const Run& run, std::size_t index, HiddenLoss hidden) {
  Found out{index, std::move(hidden), Severity::kError, 0.5};
  const HiddenLoss& it = out.hidden;
  if (it.by == HiddenBy::kZero) {
    out.confidence = 0.97;
  } else if (it.by == HiddenBy::kZeroFromThere) {
    out.confidence = it.records >= 10 ? 0.9 : 0.8;
  } else if (it.by == HiddenBy::kZeroAlways) {
    // A loss without a single target is 0 as well.
    out.confidence = 0.6;
    out.severity = it.records >= kRecordsToTrust ? Severity::kWarning : Severity::kNote;
  } else if (it.printed_if_positive) {
    out.confidence = it.records >= 3 ? 0.92 : it.norm_too ? 0.85 : 0.7;
  } else {
    out.confidence = it.norm_too ? 0.9 : it.records >= 10 ? 0.8 : 0.65;
  }
  if (it.by == HiddenBy::kZeroAlways) return out;
  // Weights that hold a NaN do not give a finite loss again.
  if (!it.to_the_end) out.severity = Severity::kWarning;
  if (it.metric == metric::kEvalLoss && training_goes_on(run.segments[index], it.first_row))
    out.severity = Severity::kWarning;
  return out;
}

Location where(const Run& run, const Found& found) {
  const Rows& rows = *run.segments[found.segment].rows;
  const HiddenLoss& it = found.hidden;
  return place(run, found.segment, {rows.step[it.first_row], rows.step[it.last_row]}, rows.line[it.first_row]);
}

constexpr std::size_t kCompanionsTold = 3;

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kCompanionsTold); ++i) out += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kCompanionsTold ? out + ", …" : out;
}

Finding tell(const Run& run, const Found& found) {
  const HiddenLoss& it = found.hidden;
  const Segment& segment = run.segments[found.segment];
  Finding finding;
  finding.severity = found.severity;
  finding.confidence = found.confidence;
  finding.where = where(run, found);
  finding.impact = share_of_run(
      run, {finding.where->steps->first, it.to_the_end ? segment.last_step() : finding.where->steps->last});
  finding.message = {it.by == HiddenBy::kZero            ? "zero"
                     : it.by == HiddenBy::kZeroFromThere ? "zero-from-there"
                     : it.by == HiddenBy::kZeroAlways    ? "zero-always"
                     : it.printed_if_positive            ? "omitted"
                                                         : "empty",
                     {{"metric", it.metric == metric::kLoss ? "loss" : "eval loss"},
                      {"step", finding.where->steps->first},
                      {"last", finding.where->steps->last},
                      {"steps", *finding.where->steps},
                      {"records", it.records},
                      {"companions", joined(it.companions)}}};
  if (!it.to_the_end) finding.evidence.push_back({{"came-back", {}}, {}, {}});
  if (it.norm_too && it.by == HiddenBy::kOmission) finding.evidence.push_back({{"norm-too", {}}, {}, {}});
  const Precursors announced = precursors_of(run, found.segment, it.first_row);
  add_non_finite_evidence(run, found.segment, it.first_row, announced, finding);
  add_non_finite_actions(run, found.segment, it.first_row, announced, finding);
  return finding;
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const std::vector<SkipHistory> skips = skips_of(run);
  std::vector<Found> all;
  bool any = false;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    any = any || run.segments[i].find(metric::kLoss) != nullptr || run.segments[i].find(metric::kEvalLoss) != nullptr;
    if (run.segments[i].empty()) continue;
    for (HiddenLoss& hidden : hidden_losses(run, i, skips[i])) {
      const bool zero = hidden.by == HiddenBy::kZeroFromThere || hidden.by == HiddenBy::kZeroAlways;
      if (zero && is_objective(training_kind(run))) continue;
      const bool inferred = hidden.by == HiddenBy::kOmission && !hidden.printed_if_positive;
      if (inferred && static_cast<double>(hidden.records) < set["records"]) continue;
      all.push_back(weigh(run, i, std::move(hidden)));
    }
  }
  if (!any) return out.not_applicable("no-loss");
  if (all.empty()) return;
  const auto worst =
      std::max_element(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.severity < b.severity; });
  Finding finding = tell(run, *worst);
  for (const Found& one : all) {
    if (&one != &*worst && finding.also.size() < 200) finding.also.push_back(where(run, one));
  }
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kHiddenNan;
const Rule kHiddenNan{
    .name = "hidden-nan",
    .family = "phenomenon",
    .title_en = "the log hides a loss that is NaN",
    .title_zh = "日志隐藏了 NaN 的 loss",
    .severity = Severity::kError,
    .parameters =
        {{"records", "records", 3, 3, 1000,
          "where the framework is not known to omit NaN: many trainers end with a last record that has no loss"}},
    .sentences = with_non_finite_sentences({
        {"omitted",
         "{metric} is missing at steps {steps} ({records} records): this framework leaves it out when it is NaN; still "
         "there: {companions}",
         "第 {step} 步起没有 {metric}（该框架在其为 NaN 时不打印），其余照常打印：{companions}（共 {records} "
         "条记录，到第 {last} 步）"},
        {"empty",
         "{metric} is missing from step {step} to the end ({records} records), a NaN that was not written; still "
         "there: {companions}",
         "从第 {step} 步到结束（{records} 条记录）都没有 {metric}：NaN 未被写出；照常记录的有：{companions}"},
        {"zero",
         "{metric} is 0.0 at step {step} beside a grad norm that is not finite: a NaN replaced by a logging filter "
         "({records} records, to step {last})",
         "第 {step} 步 {metric} 为 0.0，而梯度范数不是有限值：NaN 被日志过滤器替换（共 {records} 条记录，到第 {last} "
         "步）"},
        {"zero-from-there",
         "{metric} is exactly 0.0 from step {step} to the end ({records} records), from one record to the next: a NaN "
         "replaced by a logging filter",
         "从第 {step} 步到结束（{records} 条记录）{metric} 骤降为 0.0 并保持不变：NaN 被日志过滤器替换"},
        {"zero-always",
         "{metric} is exactly 0.0 in all {records} records: a NaN replaced by a logging filter, or not a single target "
         "in the batches (all labels masked)",
         "全部 {records} 条记录的 {metric} 都是 0.0：NaN 被日志过滤器替换，或所有标签都被屏蔽"},
        {"came-back", "it comes back afterwards, so the weights were spared", "之后又恢复，说明权重未受影响"},
        {"norm-too", "the grad norm is gone with it", "梯度范数同时消失"},
        {"no-loss", "the log has no loss", "日志中没有 loss"},
    }),
    .docs =
        {.finds = "A loss that disappears from the log, or turns into 0.0, because it is NaN.",
         .matters = "The run is dead and its log looks calm: no NaN is printed anywhere, and counters of NaN "
                    "iterations can stay at zero.",
         .decides =
             "The loss is missing in records that hold the metrics which always came with it (in 90 % of its "
             "records, and hardly ever without it before), and no skipped step explains that (a skip counter, an "
             "overflow message, a halved loss scale, a grad norm printed again). One record is enough where the "
             "framework is known to omit losses that are not positive (Megatron-LM and its relatives); elsewhere "
             "three at the end of the log. In a record that the end of the file cuts only metrics that are printed "
             "after the loss count. Or the loss is exactly 0.0 beside a grad norm that is NaN or infinite. A loss "
             "of 0.0 with a finite grad norm is normal for policy optimisation. Where the log has no grad norm, the "
             "loss has to be exactly 0.0 in every record to the end right after a value of 0.1 or more; 0.0 in all "
             "records is a warning (a note below five records), because a loss without a target is 0, too.\n\n*error*, "
             "or *warning* when the "
             "loss comes back or only the evaluation loss is concerned.",
         .example =
             "`loss is missing from step 57 to the end (43 records), a NaN that was not written; still there: lr`",
         .to_do = "As for `non-finite-loss`. Switch the filter off (`--logging_nan_inf_filter false`), or on the "
                  "checks (`--check-for-nan-in-loss-and-grad`), so that the next one is seen when it happens.",
         .false_alarms = "A second phase of training that logs its loss under another name is recognised only if "
                         "that name holds `loss`.",
         .references =
             "Megatron-LM training log (losses printed if greater than zero, until 2026-03); NVIDIA/Megatron-LM "
             "issues of the same kind: epfLLM/Megatron-LLM#33, deepspeedai/Megatron-DeepSpeed#396. "
             "huggingface/transformers#35204 (`logging_nan_inf_filter`)."},
    .judge = judge};

}  // namespace assay
