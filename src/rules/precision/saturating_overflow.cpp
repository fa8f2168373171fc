// Overflow that leaves no Inf: in the saturation mode of Ascend processors a result beyond the format's range becomes
// its largest number, and NaN becomes 0.
//
// Then nothing that looks for Inf and NaN finds anything: not a check of gradients before the step, not a dynamic loss
// scale that asks isfinite, not a log. A scaler has to read the status registers of the chip (those of torch_npu and
// MindSpore do; a hand-written one does not). In fp16 the range ends at 65,504; a gradient is multiplied by the loss
// scale S before it is rounded, so it is clipped from 65,504 / S on, silently, with the wrong direction for the whole
// step. In bf16 the range is that of fp32 and never the trouble; that NaN turns into 0 remains.
//
// When it is on (documentation of torch_npu and of MindSpore): processors of the second and third generation (A2, A3)
// are in Inf/NaN mode unless INF_NAN_MODE_FORCE_DISABLE is 1; earlier releases asked INF_NAN_MODE_ENABLE alone.
// MindSpore has MS_ASCEND_CHECK_OVERFLOW_MODE. A run that has logged an overflow or a NaN can see them, whatever its
// variables say.

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/metric.h"
#include "assay/setting.h"
#include "base/ascii.h"
#include "num/format.h"
#include "rules/places.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

struct Mode {
  const Setting* from = nullptr;
  bool sure = false;  // on every chip that has a choice
};

Mode saturation_of(const Run& run) {
  if (said_flag(run, "INF_NAN_MODE_FORCE_DISABLE") == true) {
    return {run.config.find("INF_NAN_MODE_FORCE_DISABLE"), true};
  }
  const Setting* mode = run.config.find("MS_ASCEND_CHECK_OVERFLOW_MODE");
  if (mode != nullptr && mode->unknown.empty() && lower(mode->value).starts_with("saturation")) return {mode, true};
  if (said_flag(run, "INF_NAN_MODE_ENABLE") == false) return {run.config.find("INF_NAN_MODE_ENABLE"), false};
  return {};
}

// The log itself shows Inf, NaN or a skipped step.
bool sees_overflow(const Run& run) {
  const bool event = std::any_of(run.events.begin(), run.events.end(), [](const Event& one) {
    return one.kind == EventKind::kOverflow || one.kind == EventKind::kNonFinite;
  });
  if (event) return true;
  for (const Segment& segment : run.segments) {
    for (const std::string_view name : {metric::kLoss, metric::kGradNorm}) {
      const Series* series = segment.find(name);
      for (std::size_t i = 0; series != nullptr && i < series->size(); ++i) {
        if (!std::isfinite(series->value(i))) return true;
      }
    }
  }
  return false;
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  const Mode mode = saturation_of(run);
  if (mode.from == nullptr) return out.not_applicable("not-said");
  const std::string_view format = half_format(plan.precision());
  if (format.empty()) return out.not_applicable("no-format");
  if (sees_overflow(run)) return out.not_applicable("seen");
  const double most = largest(format_named(format));
  const bool half = format == "fp16";
  const double scale = half ? loss_scale_told(plan).value_or(0) : 0;
  Values values{{"format", std::string(format)}, {"largest", count_value(most)}};
  const char* key = half ? "saturates" : "hides";
  if (scale > 0) {
    key = "saturates-scaled";
    values.emplace_back("scale", scale_value(scale));
    values.emplace_back("gradient", most / scale);
  }
  const bool warn = half && mode.sure;
  Finding finding =
      hazard(warn ? Severity::kWarning : Severity::kNote, mode.sure ? 0.8 : 0.6, *mode.from, {key, std::move(values)});
  if (!mode.sure) finding.evidence.push_back({{"early", {}}, {}, mode.from->where});
  finding.actions.push_back({{"inf-nan", {}},
                             mode.from->key.starts_with("MS_")
                                 ? "export MS_ASCEND_CHECK_OVERFLOW_MODE=INFNAN_MODE"
                                 : "export INF_NAN_MODE_ENABLE=1 INF_NAN_MODE_FORCE_DISABLE=0",
                             ActionRole::kPrecision});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kSaturatingOverflow;
const Rule kSaturatingOverflow{
    .name = "saturating-overflow",
    .family = "precision",
    .title_en = "overflow is set to leave no Inf: it becomes the largest number, and NaN becomes 0",
    .title_zh = "溢出被设为饱和模式：溢出变为最大数，NaN 变为 0，不产生 Inf",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {},
    .sentences =
        {{"saturates",
          "{name} = {value}: in {format} what is beyond {largest} becomes {largest}, and NaN becomes 0; nothing that "
          "looks for Inf or NaN will find an overflow",
          "{name} = {value}：{format} 中超过 {largest} 的结果变为 {largest}，NaN 变为 0；检查 Inf/NaN "
          "无法发现溢出"},
         {"saturates-scaled",
          "{name} = {value}: in {format} what is beyond {largest} becomes {largest}, and NaN becomes 0; at loss scale "
          "{scale} every gradient above {gradient} is cut to it, and nothing that looks for Inf or NaN will see it",
          "{name} = {value}：{format} 中超过 {largest} 的结果变为 {largest}，NaN 变为 0；loss scale 为 {scale} 时，"
          "大于 {gradient} 的梯度都会被截断，检查 Inf/NaN 无法发现"},
         {"hides",
          "{name} = {value}: NaN becomes 0 and what is beyond {largest}, the largest {format}, becomes that; a NaN in "
          "the loss or in gradients will not be seen",
          "{name} = {value}：NaN 变为 0，超过 {format} 最大数 {largest} 的结果变为该数；loss 或梯度中的 NaN "
          "将不会被看到"},
         {"early",
          "so on Atlas training cards of the first generation and in early releases of CANN; Atlas A2 and A3 "
          "also need INF_NAN_MODE_FORCE_DISABLE=1",
          "适用于第一代 Atlas 训练卡和早期 CANN；Atlas A2、A3 还需要 INF_NAN_MODE_FORCE_DISABLE=1"},
         {"inf-nan", "let overflow be Inf, so that it is seen", "使用 INF/NAN 模式，让溢出可见"},
         {"not-said", "nothing sets the saturation mode of Ascend processors", "没有设置昇腾的饱和模式"},
         {"no-format", "needs training in fp16 or bf16", "需要 fp16 或 bf16 训练"},
         {"seen", "the log shows Inf, NaN or a skipped step: overflow is seen", "日志中有 Inf、NaN 或跳步：溢出可见"}},
    .docs =
        {.finds = "Settings that switch Ascend processors to saturation: no Inf on overflow, no NaN.",
         .matters = "An overflow in fp16 gives 65,504 instead of Inf. A gradient cut there has the wrong length and "
                    "direction, a step is made with it, the loss scale does not fall, and the log shows nothing.",
         .decides =
             "INF_NAN_MODE_FORCE_DISABLE=1 or MS_ASCEND_CHECK_OVERFLOW_MODE=SATURATION_MODE in fp16 is a warning; "
             "INF_NAN_MODE_ENABLE=0 alone, which acts on some chips and releases only, and bf16, whose range is that "
             "of fp32, are notes. The gradient that saturates is 65,504 divided by the loss scale that the settings or "
             "the framework's default begin with. Silent where the log shows an overflow or NaN.",
         .example = "`INF_NAN_MODE_FORCE_DISABLE = 1: in fp16 what is beyond 65,504 becomes 65,504, and NaN becomes 0; "
                    "at loss scale 65,536 every gradient above 0.9995 is cut to it, and nothing that looks for Inf or "
                    "NaN will see it`",
         .to_do = "Inf/NaN mode: INF_NAN_MODE_ENABLE=1 without INF_NAN_MODE_FORCE_DISABLE; MindSpore: INFNAN_MODE. "
                  "Where the chip knows only saturation, a scaler that reads the status registers (torch_npu's, "
                  "MindSpore's).",
         .false_alarms = "Frameworks whose loss scaler reads the status registers skip the step all the same.",
         .references = "Ascend documentation, INF_NAN_MODE_ENABLE. Paddle#35144, DIOPI#644."},
    .judge = judge};

}  // namespace assay
