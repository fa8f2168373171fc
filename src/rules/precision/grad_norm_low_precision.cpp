// The norm of the gradients is calculated in 16 bits: the log shows it.
//
// torch.nn.utils.clip_grad_norm_ takes the norm of each gradient in that gradient's format and then the norm of those.
// Where gradients are bf16 (pure bf16 weights) the result is a number of bf16: all logged norms then have 8 significant
// bits and no more (2.421875, 0.7890625), which chance does not do. The factor clip/norm is off by up to half the
// spacing, a quarter of a percent: little. In fp16 it matters more: a norm beyond 65,504 is Inf, clip/Inf is 0, and the
// step does nothing. Mixed precision, DeepSpeed and Megatron take the norm of fp32 gradients, and their logs do not
// show this; so the log is the evidence, and no setting is asked.
//
// How sure it is that values are on a grid: stat/quantum.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/metric.h"
#include "num/expected_error.h"
#include "num/format.h"
#include "rules/places.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"
#include "stat/quantum.h"

namespace assay {

namespace {

void judge(const Run& run, const Parameters& set, Findings& out) {
  std::vector<double> values;
  const Series* first = nullptr;
  std::size_t segment = 0;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Series* norm = run.segments[i].find(metric::kGradNorm);
    if (norm == nullptr || norm->empty()) continue;
    if (first == nullptr) {
      first = norm;
      segment = i;
    }
    for (std::size_t k = 0; k < norm->size(); ++k) {
      if (std::isfinite(norm->value(k)) && norm->value(k) > 0) values.push_back(norm->value(k));
    }
  }
  if (static_cast<double>(values.size()) < set["records"]) return out.not_applicable("few");
  const auto quantum = find_quantum(values);
  if (!quantum || !quantum->binary) return out.not_applicable("not-low");
  const bool brain = quantum->binary->bits == format_named("bf16").precision;
  if (!brain && quantum->binary->bits != format_named("fp16").precision) return out.not_applicable("not-low");
  const NumberFormat& format = format_named(brain ? "bf16" : "fp16");
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2];
  const double clip = clip_threshold(run);
  const double at = clip > 0 ? clip : median;
  Finding finding;
  finding.severity = Severity::kNote;
  finding.confidence = 0.85;
  finding.impact = 0.2;
  finding.message = {"grid",
                     {{"count", values.size()},
                      {"format", format.name},
                      {"at", at},
                      {"spacing", spacing_at(format, at)},
                      {"share", Value(100 * spacing_at(format, at) / at, Unit::kPercent)}}};
  finding.where = place(run, segment, {first->step(0), first->step(0)}, first->line(0));
  if (!brain) {
    finding.evidence.push_back({{"range",
                                 {{"largest", static_cast<std::int64_t>(largest(format))},
                                  {"greatest", sorted.back()},
                                  {"times", largest(format) / sorted.back()}}},
                                {},
                                {}});
  }
  finding.actions.push_back({{"fp32", {}}, "", ActionRole::kPrecision});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kGradNormLowPrecision;
const Rule kGradNormLowPrecision{
    .name = "grad-norm-low-precision",
    .family = "precision",
    .title_en = "the grad norm is calculated in 16 bits",
    .title_zh = "梯度范数以 16 位计算",
    .scope = Scope::kRun,
    .needs = Needs::kARun,
    .severity = Severity::kNote,
    .parameters = {{"records", "", 30, 10, 1e6,
                    "fewer values are too few to be sure of a grid that they were not printed on"}},
    .sentences = {{"grid",
                   "all {count} grad norms are numbers of {format}: around {at} they come in steps of {spacing}, "
                   "{share} of them, "
                   "so gradients and weights are kept in {format}, too",
                   "全部 {count} 个梯度范数都是 {format} 的数：在 {at} 附近步长为 {spacing}（{share}），"
                   "说明梯度与权重也以 {format} 保存"},
                  {"range",
                   "the greatest norm is {greatest}; from {largest} on, {times} times that, it is Inf and a step does "
                   "nothing",
                   "最大范数为 {greatest}；达到 {largest}（其 {times} 倍）即为 Inf，该步不起作用"},
                  {"fp32", "take the norm of gradients in fp32", "以 fp32 计算梯度范数"},
                  {"few", "needs more grad norms", "需要更多梯度范数记录"},
                  {"not-low", "the grad norms have more digits than a 16-bit number", "梯度范数的位数多于 16 位数"}},
    .docs = {.finds = "Logged grad norms that are all numbers of bf16 or fp16.",
             .matters =
                 "The clip factor is off by up to half of their spacing; in fp16 a norm beyond 65,504 is Inf, and the "
                 "clipped gradient zero. Mostly it matters for what it shows: that gradients, and so weights, are "
                 "kept in 16 bits, where small updates are lost.",
             .decides =
                 "At least `records` norms, printed with more digits than the format has, and all of them on its "
                 "grid; the last bit is used as often as it should be.",
             .example =
                 "`all 200 grad norms are numbers of bf16: around 1 they come in steps of 0.007812, 0.8 % of them, so "
                 "gradients and weights are kept in bf16, too`",
             .to_do = "Mixed precision with weights in fp32 (see update-swallowed).",
             .false_alarms = "A program that rounds what it logs.",
             .references = "PyTorch, clip_grad_norm_. fairscale#263, burn#5699 (squares beyond the range of fp16)."},
    .judge = judge};

}  // namespace assay
