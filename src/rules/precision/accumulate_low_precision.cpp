// Gradients of many micro-batches are summed in a format that has too few digits for it.
//
// A sum of k equal terms is k times as large as the next term; a format with p significant bits rounds it to 2^(1-p) of
// its own size. In bf16 (p = 8) the 33rd term is rounded to a quarter of itself, and from 256 terms on it is lost
// altogether. fp16 (p = 11) is there eight times later. So it is the number of micro-batches that decides, and the
// format that is told for the sums.

#include <cmath>
#include <string>

#include "assay/setting.h"
#include "rules/plan.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

struct Sums {
  std::string format;  // "bf16", "fp16"
  const Setting* from = nullptr;
};

std::string format_in(std::string_view word) {
  if (word.find("bf16") != std::string_view::npos || word.find("bfloat16") != std::string_view::npos) return "bf16";
  if (word == "fp16" || word == "float16" || word == "half" || word.ends_with(".float16")) return "fp16";
  return {};
}

Sums sums_of(const Plan& plan) {
  Sums out{format_in(plan.word(setting::kGradAccumulationDtype)), plan.setting(setting::kGradAccumulationDtype)};
  if (!out.format.empty()) return out;
  for (const Setting& one : plan.run().config.settings) {
    const bool off = one.value == "false" || one.value == "False";
    const bool nanotron = one.key.ends_with("accumulate_grad_in_fp32") && off;
    if (nanotron && (plan.precision() == "bf16" || plan.precision() == "fp16")) return {plan.precision(), &one};
  }
  return {};
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  const Sums sums = sums_of(plan);
  if (sums.format.empty()) return out.not_applicable("not-low");
  const auto terms = plan.told(setting::kGradientAccumulation);
  if (!terms) return out.not_applicable("not-told");
  const double lost = sums.format == "bf16" ? 256 : 2048;  // 2^p
  if (terms->value < lost * set["share"]) return;
  const double step = terms->value * 2 / lost;  // the last term is rounded to so much of itself
  Finding finding;
  finding.severity = terms->value >= lost * set["share-warning"] ? Severity::kWarning : Severity::kNote;
  finding.confidence = 0.8;
  finding.impact = 0.6;
  finding.message = {step >= 2 ? "lost" : "rounded",
                     {{"terms", terms->value},
                      {"format", sums.format},
                      {"lost", lost},
                      {"share", Value(std::round(100 * step), Unit::kPercent)}}};
  finding.where = sums.from->where;
  finding.actions.push_back({{"fp32", {}}, "", ActionRole::kPrecision});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kAccumulateLowPrecision;
const Rule kAccumulateLowPrecision{
    .name = "accumulate-low-precision",
    .family = "precision",
    .title_en = "gradients of many micro-batches are summed in too few digits",
    .title_zh = "大量 micro-batch 的梯度以过低精度累加",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {{"share", "of the terms that can be told apart", kFewTerms, 0.001, 1,
                    "8 terms in bf16: the last is rounded to a sixteenth of itself, about the noise of a gradient"},
                   {"share-warning", "of the terms that can be told apart", 0.125, 0.001, 10,
                    "32 terms in bf16: the last is rounded to a quarter of itself"}},
    .sentences = {{"rounded",
                   "{terms} micro-batches are summed in {format}: the last one is rounded to {share} of itself",
                   "{terms} 个 micro-batch 以 {format} 累加：最后一个被舍入到其自身的 {share}"},
                  {"lost", "{terms} micro-batches are summed in {format}: from {lost} on they change the sum no more",
                   "{terms} 个 micro-batch 以 {format} 累加：自第 {lost} 个起不再改变和"},
                  {"fp32", "sum gradients in fp32", "以 fp32 累加梯度"},
                  {"not-low", "needs a setting that sums gradients in fp16 or bf16",
                   "需要以 fp16 或 bf16 累加梯度的设置"},
                  {"not-told", "needs the number of micro-batches of a step", "需要每步的 micro-batch 数"}},
    .docs =
        {.finds = "Gradient accumulation over many micro-batches in bf16 or fp16.",
         .matters =
             "The later a micro-batch comes, the less of its gradient is left in the sum: a step learns from its first "
             "micro-batches, and the batch is smaller than it says.",
         .decides =
             "The format that the settings name for gradient sums (data_types.grad_accum_dtype, main_grads_dtype, "
             "accumulate_grad_in_fp32 false), and the number of micro-batches of a step. 2^p terms can be told apart "
             "in a sum of p bits: 256 in bf16, 2,048 in fp16. From `share` of them on it is a note, from "
             "`share-warning` a warning.",
         .example = "`64 micro-batches are summed in bf16: the last one is rounded to 50 % of itself`",
         .to_do = "Sum in fp32 (Megatron: --accumulate-allreduce-grads-in-fp32; DeepSpeed: data_types.grad_accum_dtype "
                  "fp32; nanotron: accumulate_grad_in_fp32 true), or take fewer and larger micro-batches.",
         .false_alarms = "A framework that names the format of the result and sums in another.",
         .references = "Higham, Accuracy and Stability of Numerical Algorithms, ch. 4."},
    .judge = judge};

}  // namespace assay
