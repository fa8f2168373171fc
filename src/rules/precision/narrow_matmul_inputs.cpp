// Training is asked for in fp32, and matrix units read their inputs in fewer bits.
//
// TF32 keeps 11 of the 24 significant bits of an fp32 number, HF32 (Ascend) 12, and torch's "medium" matmul precision
// 8, those of bf16. Products and sums stay fp32, so nothing overflows and the sums do not stagnate; but every input is
// rounded first. One product of two rounded factors is then off by c·√2·u of itself, rms, with u the unit roundoff of
// the narrow format and c = 0.42 (the mean over significands), and so is a sum of products relative to the root of the
// sum of their squares: with terms of both signs neither better nor worse for a longer sum.
//
// This is a good bargain for most training, and nobody should be warned of it. It explains, though, why two machines
// with the same fp32 program differ in the fourth digit, so it is a note, and told only where fp32 is what is asked:
// under bf16 or fp16 the inputs have fewer bits than these formats, and the switches change little.

#include <cmath>
#include <string>

#include "assay/setting.h"
#include "measure/model_shape.h"
#include "num/format.h"
#include "rules/places.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

struct Narrow {
  std::string_view format;
  const Setting* from = nullptr;
};

std::optional<Narrow> narrow_inputs(const Plan& plan) {
  const Run& run = plan.run();
  const auto on = [&](std::string_view key) { return said_flag(run, key) == true ? run.config.find(key) : nullptr; };
  // 0 switches TF32 off in every library, whatever a program asks for.
  const bool never = said_flag(run, "NVIDIA_TF32_OVERRIDE") == false;
  const std::string word = plan.word(setting::kMatmulPrecision);
  if (word == "medium") return Narrow{"bf16", plan.setting(setting::kMatmulPrecision)};
  if (word == "high" && !never) return Narrow{"tf32", plan.setting(setting::kMatmulPrecision)};
  for (const std::string_view key :
       {setting::kTf32, std::string_view("NVIDIA_TF32_OVERRIDE"), std::string_view("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"),
        std::string_view("HIPBLASLT_ALLOW_TF32")}) {
    if (const Setting* said = on(key); said != nullptr && !never) return Narrow{"tf32", said};
  }
  if (const Setting* said = on(setting::kHf32)) return Narrow{"hf32", said};
  return std::nullopt;
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  const auto narrow = narrow_inputs(plan);
  if (!narrow) return out.not_applicable("not-said");
  if (!multiplies_fp32(plan)) return out.not_applicable("not-fp32");
  const NumberFormat& format = format_named(narrow->format);
  const double u = unit_roundoff(format);
  const double error = product_error(format);
  Finding finding = hazard(Severity::kNote, plan.precision().empty() ? 0.65 : 0.85, *narrow->from,
                           {"narrow",
                            {{"format", format.title},
                             {"bits", format.precision},
                             {"error", error},
                             {"times", count_value(u / unit_roundoff(format_named("fp32")))},
                             {"apart", 1 + 2 * u}}});
  if (const auto terms = count_said(run.config, setting::kHiddenSize)) {
    // With terms of both signs a sum of n of them has the size of √n terms.
    finding.evidence.push_back(
        {{"terms", {{"terms", *terms}, {"error", error * std::sqrt(static_cast<double>(*terms))}}}, {}, {}});
  }
  finding.actions.push_back({{"off", {}}, "", ActionRole::kPrecision});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kNarrowMatmulInputs;
const Rule kNarrowMatmulInputs{
    .name = "narrow-matmul-inputs",
    .family = "precision",
    .title_en = "fp32 is asked for, and matrix units read their inputs in fewer bits",
    .title_zh = "要求 fp32，但矩阵单元以更少的位数读取输入",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kNote,
    .parameters = {},
    .sentences =
        {{"narrow",
          "{name} = {value}: matrix products of this fp32 training read their inputs in {format}, {bits} significant "
          "bits; each product is off by {error} of itself (rms), {times} times the error of fp32",
          "{name} = {value}：这次 fp32 训练的矩阵乘以 {format} 读取输入，有效位为 {bits} 位；"
          "每个乘积的相对误差（均方根）为 {error}，是 fp32 的 {times} 倍"},
         {"terms", "a sum of {terms} products of both signs is off by {error} of one product",
          "{terms} 个正负相间的乘积之和的误差为单个乘积的 {error} 倍"},
         {"off",
          "nothing, if training goes well; to compare with another machine in fp32, switch it off on both "
          "(NVIDIA_TF32_OVERRIDE=0, allow_hf32 false, matmul precision highest)",
          "训练正常则无需处理；若要与其他机器按 fp32 对比，请在两边都关闭（NVIDIA_TF32_OVERRIDE=0，allow_hf32 "
          "false，matmul precision highest）"},
         {"not-said", "needs a setting that lets matrix units read fp32 in fewer bits",
          "需要允许矩阵单元以更少位数读取 fp32 的设置"},
         {"not-fp32", "holds for training in fp32: other inputs have fewer bits already",
          "仅适用于 fp32 训练：其他格式的输入位数本来就更少"}},
    .docs =
        {.finds = "Training in fp32 in which TF32, HF32 or torch's \"high\" or \"medium\" matmul precision is on.",
         .matters = "Results agree with a machine that multiplies in fp32 to three or four digits, not to seven. Who "
                    "compares two machines looks for a bug that is a switch.",
         .decides =
             "The settings say fp32 (or say no precision, where the framework's default is fp32), and switch a narrow "
             "format on: tf32, allow_tf32, TORCH_ALLOW_TF32_CUBLAS_OVERRIDE, HIPBLASLT_ALLOW_TF32, "
             "float32_matmul_precision, allow_hf32. NVIDIA_TF32_OVERRIDE=0 rules TF32 out. The error is "
             "0.42 · sqrt(2) · u with u the unit roundoff: 2^-11 for TF32, 2^-12 for HF32, 2^-8 for bf16.",
         .example = "`--tf32 = true: matrix products of this fp32 training read their inputs in TF32, 11 significant "
                    "bits; each product is off by 2.932e-4 of itself (rms), 8,192 times the error of fp32`",
         .to_do = "Usually nothing. For comparisons, the same switch on both sides.",
         .false_alarms = "A chip without such units: the switch then does nothing.",
         .references = "PyTorch, Numerical accuracy; CANN, SetHF32."},
    .judge = judge};

}  // namespace assay
