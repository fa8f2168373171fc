// Weights or the states of the optimizer are kept in bf16 or fp16 alone.
//
// A weight in bf16 has 8 significant bits: an update smaller than 1/512 of it is rounded away, and late in training
// most are. A second moment with beta2 = 0.999 changes by a thousandth a step: in bf16 it does not change at all. Mixed
// precision keeps a copy in fp32 for this reason. Fine-tuning in pure bf16 is common and mostly works, with large
// updates and few steps; pre-training from scratch is where it costs. How many updates are lost is a question of
// numbers (rule update-swallowed); here it is told what the settings ask for.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "assay/setting.h"
#include "rules/hyper/acting_settings.h"
#include "rules/hyper/batch_advice.h"
#include "rules/plan.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

Finding finding_of(const Setting& from, const char* key, Severity severity, Values values) {
  Finding finding;
  finding.severity = severity;
  finding.confidence = 0.75;
  finding.impact = 0.5;
  values.emplace_back("name", from.written.empty() ? from.key : from.written);
  values.emplace_back("value", from.value);
  finding.message = {key, std::move(values)};
  finding.where = from.where;
  finding.actions.push_back({{"fp32", {}}, "", ActionRole::kPrecision});
  return finding;
}

// From here on a step changes the second moment by less than half the spacing of bf16. fp16 has three bits more, fp8 is
// used with a scale.
bool is_bf16(const Setting& setting) {
  return setting.value.find("bf16") != std::string::npos || setting.value.find("bfloat16") != std::string::npos ||
         setting.key.ends_with("bf16_optimizer_states");
}

void judge_second_moment(const Plan& plan, const Setting& second, double least, Findings& out) {
  const auto beta2 = told_or_default(plan, setting::kAdamBeta2);
  if (!beta2 || beta2->value < least || !is_bf16(second)) {
    return out.add(finding_of(second, "moment", Severity::kNote, {}));
  }
  Finding finding = finding_of(second, "moment-stands", Severity::kWarning, {{"beta2", beta2->value}});
  add_default(plan, *beta2, finding);
  out.add(std::move(finding));
}

// A Trainer of transformers that loads its weights in fp16 and scales gradients for fp16 as well: the scaler refuses
// gradients in fp16. DeepSpeed keeps copies of its own; adapters are in fp32.
const Setting* weights_of_scaler(const Plan& plan) {
  if (plan.framework() != "hf-trainer" || plan.precision() != "fp16") return nullptr;
  const Setting* said = plan.setting(setting::kParamsDtype);
  if (said == nullptr || said->where.path.ends_with("config.json") || !is_low(plan.word(setting::kParamsDtype))) {
    return nullptr;
  }
  const auto& all = plan.run().config.settings;
  const bool another = std::any_of(all.begin(), all.end(), [](const Setting& one) {
    const std::string_view key = one.key;
    return key.find("lora") != std::string_view::npos || key.find("peft") != std::string_view::npos ||
           key.find("deepspeed") != std::string_view::npos || key == setting::kZeroStage || key == setting::kFineTuning;
  });
  return another ? nullptr : said;
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  if (const Setting* scaled = weights_of_scaler(plan)) {
    return out.add(finding_of(*scaled, "scaled", Severity::kWarning, {}));
  }
  const Setting* weights = pure_weights(plan);
  const Setting* second = said_low(plan, "exp_avg_sq_dtype");
  if (second == nullptr) second = said_true(plan, "bf16_optimizer_states");
  if (weights == nullptr && second == nullptr) return out.not_applicable("not-low");
  if (weights != nullptr) {
    const bool scratch = trains_from_scratch(plan);
    out.add(finding_of(*weights, "weights", scratch ? Severity::kWarning : Severity::kNote, {}));
  }
  if (second != nullptr) judge_second_moment(plan, *second, set["beta2"], out);
}

}  // namespace

extern const Rule kOptimizerStateLowPrecision;
const Rule kOptimizerStateLowPrecision{
    .name = "optimizer-state-low-precision",
    .family = "precision",
    .title_en = "weights or optimizer states are kept in too few digits",
    .title_zh = "权重或优化器状态以过低精度保存",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {{"beta2", "", 0.998, 0.5, 1,
                    "from here on one step changes the second moment by less than half the spacing of bf16 (1/512)"}},
    .sentences =
        {{"weights",
          "{name} = {value} keeps the weights without a copy in fp32: an update below 1/512 of a weight is "
          "lost in bf16",
          "{name} = {value}：权重没有 fp32 副本，bf16 中小于权重 1/512 的更新会丢失"},
         {"scaled",
          "{name} = {value} loads the weights in 16 bits and training is to scale gradients for fp16: torch's "
          "GradScaler "
          "stops with \"Attempting to unscale FP16 gradients\"",
          "{name} = {value} 以 16 位加载权重，同时训练使用 fp16 梯度缩放：torch 的 GradScaler 会报错 "
          "\"Attempting to unscale "
          "FP16 gradients\""},
         {"moment", "{name} = {value} keeps the second moment of Adam in few digits",
          "{name} = {value}：Adam 的二阶矩以较低精度保存"},
         {"moment-stands",
          "{name} = {value}: bf16 has 8 significant bits, and with beta2 {beta2} a step of the second moment is "
          "lost in rounding",
          "{name} = {value}：bf16 只有 8 位有效位，beta2 为 {beta2} 时二阶矩每步的变化在舍入中丢失"},
         {"default", "{key} is not set: {value} is the default of {framework}",
          "未设置 {key}：{value} 是 {framework} 的默认值"},
         {"fp32", "keep weights and states of the optimizer in fp32, or round them stochastically",
          "以 fp32 保存权重与优化器状态，或使用随机舍入"},
         {"not-low", "needs settings that keep weights or states in fp16 or bf16 alone",
          "需要仅以 fp16 或 bf16 保存权重或状态的设置"}},
    .docs =
        {.finds = "Settings that keep weights without a copy in fp32, or the moments of Adam in bf16, fp16 or fp8.",
         .matters = "Small updates round to nothing. Training goes on, and learns more slowly than it should, or stops "
                    "learning late in the run.",
         .decides =
             "`bf16-true`, `bf16: full`, bf16_master_weights_and_grads, main_params_dtype: a warning when training "
             "from scratch, a note in fine-tuning, where it is common. A second moment in bf16 with beta2 from "
             "`beta2` on is a warning; fp16, whose spacing is an eighth of that, and fp8 are a note.",
         .example =
             "`precision = bf16-true keeps the weights without a copy in fp32: an update below 1/512 of a weight is "
             "lost in bf16`",
         .to_do = "Mixed precision (bf16-mixed), or an optimizer that keeps a compensation or rounds stochastically.",
         .false_alarms =
             "Optimizers that round stochastically or keep the lost part (Kahan summation), which settings do "
             "not always tell. Megatron's precision-aware optimizer keeps the rest of a 16-bit main parameter.",
         .references =
             "Micikevicius et al., Mixed Precision Training, 2017. Zamirai et al., Revisiting BFloat16 Training, "
             "2020."},
    .judge = judge};

}  // namespace assay
