// Adam's epsilon is zero in the format of the optimizer's states.
//
// The update is m / (sqrt(v) + epsilon). In half precision 1e-8 lies below half of the smallest number, 2^-24, and
// becomes 0. A weight whose gradient was zero so far (an unused row of the embedding, a dead unit, the first step of
// anything that is masked) has m = v = 0, and 0/0 is NaN after the first step, in the weights, with a healthy gradient.
// Mixed precision is not meant: there weights and states are fp32 and only the products are fp16. bfloat16 has fp32's
// exponents and keeps 1e-8. Fused kernels calculate in fp32 and keep it too, whatever they store.

#include <cmath>
#include <string>

#include "assay/setting.h"
#include "measure/model_shape.h"
#include "rules/actions.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr double kSmallest = 0x1p-24;        // of fp16
constexpr double kSmallestNormal = 0x1p-14;  // from here on numbers have all their bits
constexpr double kAdvised = 1e-6;            // sixteen of the smallest: kept, and small beside usual gradients

// To the nearest number of fp16, ties to even; exact where it matters here, below the normal ones.
double in_fp16(double number) {
  if (number >= kSmallestNormal) return number;
  return std::nearbyint(number / kSmallest) * kSmallest;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// The setting that makes weights and states fp16; null: nothing says so.
const Setting* pure_fp16(const Plan& plan) {
  const Config& config = plan.run().config;
  const std::string precision = plan.word(setting::kPrecision);
  const bool by_word = (has(precision, "16-true") || has(precision, "pure_fp16") || has(precision, "pure-fp16")) &&
                       !has(precision, "bf");
  if (by_word) return config.find(setting::kPrecision);
  for (const std::string_view key : {"pure_fp16", "pure-fp16"}) {
    if (flag_said(config, key) == true) return config.find(key);
  }
  // MindFormers keeps its states in the format of the weights. Elsewhere params_dtype is the format of a copy.
  const std::string weights = plan.word(setting::kParamsDtype);
  const bool half = (has(weights, "float16") || has(weights, "fp16")) && !has(weights, "bf");
  return plan.framework() == "mindformers" && half ? config.find(setting::kParamsDtype) : nullptr;
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  const Setting* half = pure_fp16(plan);
  if (half == nullptr) return out.not_applicable("not-pure");
  if (!perhaps_adam(plan, out)) return;
  if (has(plan.word(setting::kOptimizer), "fused")) return out.not_applicable("fused");
  const auto epsilon = told_or_default(plan, setting::kAdamEpsilon);
  if (!epsilon) return out.not_applicable("no-epsilon");
  if (!(epsilon->value >= 0) || in_fp16(epsilon->value) > 0) return;
  Finding finding;
  // Who runs without harm has a kernel that calculates in fp32; of a default no more than a note is known.
  const bool sure = !ran_well(run) && epsilon->origin != Origin::kDefault;
  finding.severity = sure ? Severity::kError : Severity::kNote;
  finding.confidence = optimizer_of(plan) == OptimizerKind::kAdam ? 0.8 : 0.6;
  finding.impact = 0.9;
  const auto where = where_said(*epsilon);
  finding.where = where ? *where : half->where;
  finding.message = {
      "lost",
      {{"epsilon", epsilon->value}, {"option", named(*epsilon)}, {"smallest", kSmallest}, {"format", half->value}}};
  add_default(plan, *epsilon, finding);
  finding.evidence.push_back({{"half-of-it", {{"half", kSmallest / 2}}}, {}, half->where});
  finding.actions.push_back(
      {{"raise", {{"epsilon", kAdvised}}}, option_to_set(plan.run(), setting::kAdamEpsilon, kAdvised)});
  finding.actions.push_back({{"keep-fp32", {}}, ""});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kAdamEpsilonLost;
const Rule kAdamEpsilonLost{
    .name = "adam-epsilon-lost",
    .family = "hyper",
    .title_en = "Adam's epsilon is zero in fp16",
    .title_zh = "Adam 的 epsilon 在 fp16 中为零",
    .needs = Needs::kPlan,
    .severity = Severity::kError,
    .sentences = with_optimizer_sentences({
        {"lost",
         "epsilon {epsilon} ({option}) is 0 in pure fp16 ({format}), whose smallest number is {smallest}: a weight "
         "without gradient becomes 0/0 = NaN in the first step",
         "epsilon {epsilon}（{option}）在纯 fp16（{format}）中为 0，其最小数为 {smallest}：没有梯度的权重在第一步变成 "
         "0/0 = "
         "NaN"},
        {"half-of-it", "fp16 rounds everything up to {half} to 0", "fp16 把不大于 {half} 的数都舍入为 0"},
        {"raise", "set epsilon to {epsilon} or more", "将 epsilon 设为 {epsilon} 或更大"},
        {"keep-fp32", "better: keep weights and optimizer states in fp32 (mixed precision), or train in bf16",
         "更好的做法：权重和优化器状态保留 fp32（混合精度），或使用 bf16"},
        {"not-pure", "nothing says that weights and states are kept in fp16", "没有设置表明权重和状态以 fp16 保存"},
        {"fused", "fused optimizers calculate in fp32", "融合优化器以 fp32 计算"},
        {"no-epsilon", "nothing tells epsilon", "没有给出 epsilon"},
    }),
    .docs = {.finds = "An epsilon of Adam that rounds to zero in the format of the optimizer's states.",
             .matters = "Weights become NaN in the first step while loss and gradients were fine.",
             .decides =
                 "Weights and states are said to be pure fp16 (`16-true`, `pure_fp16`, MindFormers' params_dtype "
                 "float16), the optimizer is Adam and not a fused one, and epsilon is at most 2^-25 = 2.98e-8, which "
                 "fp16 rounds to 0. Where the settings leave it to the framework it is a note.",
             .example = "`epsilon 1.0e-8 (optimizer.init_args.eps) is 0 in pure fp16 (16-true), whose "
                        "smallest number is 6.0e-8: a weight without gradient becomes 0/0 = NaN in the first step`",
             .to_do = "Mixed precision with fp32 states, bf16, or epsilon 1e-6 and more.",
             .false_alarms = "Kernels that calculate in fp32 and only store fp16 keep epsilon.",
             .references = "pytorch#8860, pytorch#147437, optax#1754, apex#240; IEEE 754 binary16."},
    .judge = judge};

}  // namespace assay
