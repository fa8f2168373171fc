// A layer norm or RMS norm that is told to calculate in 16 bits.
//
// It takes the mean of squares. In fp16 a square is beyond the largest number from sqrt(65,520) = 255.97 on: an
// activation of 256 makes the sum Inf and the whole row zero, and a few coordinates of a trained model's residual
// stream are known to be that large. Its epsilon has to be a number of the format: what is at most 2^-25 = 2.98e-8
// becomes 0 in fp16, and a row of zeros is then 0/0. In bf16 the range is no trouble; a sum of h terms that is done
// term by term stops at 256 of them, as in softmax.
//
// The norms of PyTorch, of Transformer Engine and of the frameworks upon them calculate in fp32 whatever their input
// is, and the fused kernels of Ascend do too, so that only a configuration that names the format is judged.

#include <cmath>
#include <string>

#include "assay/setting.h"
#include "measure/model_shape.h"
#include "num/format.h"
#include "num/real.h"
#include "num/round.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  const std::string_view name = half_format(plan.word(setting::kNormDtype));
  if (name.empty()) return out.not_applicable("not-low");
  const NumberFormat& format = format_named(name);
  const Setting& from = *plan.setting(setting::kNormDtype);
  const auto epsilon = plan.told(setting::kNormEpsilon);
  const bool lost = epsilon && epsilon->value > 0 && round_to(format, real(epsilon->value)).value == 0;
  const auto act = [&](Finding finding) {
    finding.actions.push_back({{"fp32", {}}, "", ActionRole::kPrecision});
    out.add(std::move(finding));
  };
  if (lost) {
    return act(hazard(Severity::kWarning, 0.7, from,
                      {"epsilon",
                       {{"format", std::string(name)},
                        {"epsilon", epsilon->value},
                        {"option", epsilon->written},
                        {"half", smallest_positive(format) / 2}}}));
  }
  if (name == "fp16") {
    return act(hazard(Severity::kNote, 0.6, from,
                      {"overflows",
                       {{"format", std::string(name)},
                        {"most", std::sqrt(overflow_threshold(format).value)},
                        {"largest", static_cast<std::int64_t>(largest(format))}}}));
  }
  const auto terms = count_said(run.config, setting::kHiddenSize);
  if (!terms) return out.not_applicable("no-width");
  const double stops = std::ldexp(1, format.precision);
  if (static_cast<double>(*terms) <= stops) return;
  act(hazard(Severity::kNote, 0.6, from,
             {"stops",
              {{"format", std::string(name)},
               {"terms", *terms},
               {"stops", static_cast<std::int64_t>(stops)},
               {"times", std::sqrt(static_cast<double>(*terms) / stops)}}}));
}

}  // namespace

extern const Rule kNormLowPrecision;
const Rule kNormLowPrecision{
    .name = "norm-low-precision",
    .family = "precision",
    .title_en = "a layer's norm is calculated in 16 bits",
    .title_zh = "层归一化以 16 位计算",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kNote,
    .parameters = {},
    .sentences =
        {{"epsilon",
          "{name} = {value}: epsilon {epsilon} ({option}) is 0 in {format}, which rounds what is at most {half} to 0; "
          "a "
          "row of zeros becomes 0/0 = NaN",
          "{name} = {value}：epsilon {epsilon}（{option}）在 {format} 中为 0（不大于 {half} 的数都舍入为 "
          "0），全零的行变为 0/0 = NaN"},
         {"overflows",
          "{name} = {value}: the square of an activation from {most} on is beyond {largest}, the largest {format}, and "
          "makes its row zero",
          "{name} = {value}：绝对值达到 {most} 的激活值，其平方超过 {format} 的最大数 {largest}，整行变为零"},
         {"stops",
          "{name} = {value}: a sum of {terms} squares that is done term by term in {format} stops at {stops} of equal "
          "size, and what is normalised by it comes out {times} times too large",
          "{name} = {value}：{terms} 个平方若以 {format} 逐项求和，等大时停在 {stops} 个，归一化结果偏大 {times} 倍"},
         {"fp32", "let norms calculate in fp32", "让归一化以 fp32 计算"},
         {"not-low", "needs a setting that lets norms calculate in fp16 or bf16; most frameworks do it in fp32",
          "需要让归一化以 fp16 或 bf16 计算的设置；多数框架以 fp32 计算"},
         {"no-width", "needs the width of the model", "需要模型宽度"}},
    .docs = {.finds = "A layer norm or RMS norm whose format of calculation is set to fp16 or bf16.",
             .matters =
                 "One large activation makes a whole row zero in fp16; an epsilon that rounds to zero makes NaN of a "
                 "row of zeros; a sum of squares in bf16 stops growing.",
             .decides =
                 "layernorm_compute_dtype (layernorm_compute_type) of MindFormers says 16 bits. A norm's epsilon that "
                 "rounds "
                 "to 0 there is a warning; the range of squares in fp16 and the sum over the width in bf16 are notes, "
                 "because kernels may calculate in fp32 inside.",
             .example =
                 "`layernorm_compute_type = float16: the square of an activation from 256 on is beyond 65,504, the "
                 "largest fp16, and makes its row zero`",
             .to_do = "layernorm_compute_dtype: float32.",
             .false_alarms = "Kernels that take their input in 16 bits and calculate in fp32.",
             .references = "pytorch#133085, onnxruntime#29034 (squares beyond the range of fp16)."},
    .judge = judge};

}  // namespace assay
