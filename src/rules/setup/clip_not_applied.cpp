// A clip threshold is asked for, and yet it does not act.
//
// Three kinds of evidence, and no conclusion beyond them:
//  - the log's own share of clipped steps is 0 while norms lie above the threshold: the counter and the norm come from
//    the same step, so one of the two is not what it says;
//  - norms that the log calls clipped lie above the threshold;
//  - the settings themselves: under DeepSpeed the engine clips, by gradient_clipping in its own configuration, and what
//    the trainer or Megatron was told is not asked. "auto" takes the trainer's value; a key that is missing is 0 in
//    all releases before mid-2026. In MindFormers, use_clip_grad switches max_grad_norm off.
// A norm above the threshold alone proves nothing: it is logged before clipping nearly everywhere.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "base/ascii.h"
#include "measure/seen_clip.h"
#include "rules/actions.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/plan.h"
#include "rules/rule.h"
#include "rules/said_places.h"
#include "stat/quantile.h"
#include "stat/share.h"

namespace assay {

namespace {

constexpr double kSurely = 0.1;  // share of the norms above the threshold, at the lower end of its interval

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What makes it act, where the cause is known.
Action action_for(const Run& run, std::string_view key, const Planned* asked) {
  if (key == "switched-off") return {{"switch-on", {}}, "use_clip_grad: True", ActionRole::kClip};
  if (key == "in-backward") return {{"step-after", {}}, "early_step_in_backward = false", ActionRole::kClip};
  if (asked == nullptr || (key != "deepspeed" && key != "deepspeed-off")) return {{"check", {}}, ""};
  // Only the Trainer (and what is built on it) fills "auto" from its own arguments.
  const std::string trainer = trainer_of(run);
  if (trainer == "hf-trainer" || trainer == "axolotl") {
    return {{"set-auto", {}}, R"("gradient_clipping": "auto")", ActionRole::kClip};
  }
  std::string number = plain_number(asked->value);
  if (number.find_first_of(".e") == std::string::npos) number += ".0";
  return {{"set-number", {}}, "\"gradient_clipping\": " + number, ActionRole::kClip};
}

void add(const Run& run, std::string_view key, Values values, Location where, const Planned* asked, double confidence,
         Findings& out) {
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.confidence = confidence;
  finding.impact = 0.4;
  finding.message = {std::string(key), std::move(values)};
  finding.where = std::move(where);
  finding.where->run = run.id;
  if (asked != nullptr && !asked->where.path.empty()) {
    finding.evidence.push_back({{"asked", {{"written", asked->written}, {"clip", asked->value}}}, {}, asked->where});
    finding.also.push_back(asked->where);
  }
  finding.actions.push_back(action_for(run, key, asked));
  out.add(std::move(finding));
}

// The counter says that nothing is clipped, the norms say otherwise.
bool counter_is_zero(const Run& run, const Planned& asked, const Parameters& set, Findings& out) {
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Series* fraction = run.segments[i].find(metric::kClipFraction);
    const auto norms = seen_norms(run, i);
    if (fraction == nullptr || !norms || static_cast<double>(fraction->size()) < set["records"]) continue;
    const auto values = fraction->values.span();
    if (std::any_of(values.begin(), values.end(), [](double x) { return x != 0; })) continue;
    const Share above = norms->above(asked.value);
    if (above.lower_bound() < set["share"]) continue;
    add(run, "counter", {{"records", norms->values.size()}, {"share", percent(above.value())}, {"clip", asked.value}},
        place(run, i, norms->steps, norms->line), &asked, 0.8, out);
    return true;
  }
  return false;
}

// A series that says that it was clipped.
bool clipped_ones_are_above(const Run& run, const Planned& asked, const Parameters& set, Findings& out) {
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    for (const Series& series : run.segments[i].series) {
      const std::string name = lower(series.metric);
      const bool norm = has(name, "norm") && has(name, "grad");
      const bool behind = has(name, "clipped") || has(name, "after_clip") || has(name, "post_clip");
      if (!norm || !behind || has(name, "unclipped") || has(name, "fraction") || has(name, "ratio")) continue;
      if (static_cast<double>(series.size()) < set["records"]) continue;
      const Share above = share_above(series.values.span(), asked.value * 1.01);
      if (above.lower_bound() < kSurely) continue;
      add(run, "above",
          {{"metric", series.metric},
           {"share", percent(above.value())},
           {"clip", asked.value},
           {"greatest", quantile(series.values.span(), 1)}},
          place(run, i, {series.first_step(), series.last_step()}, series.line(0)), &asked, 0.75, out);
      return true;
    }
  }
  return false;
}

// What DeepSpeed itself was told: the last gradient_clipping, and a configuration file that has none.
struct OfDeepspeed {
  const Setting* clipping = nullptr;  // the last saying, "auto" too
  const Setting* stage = nullptr;     // a setting of a configuration without the key
};

OfDeepspeed of_deepspeed(const Run& run) {
  OfDeepspeed out;
  for (const Setting& one : run.config.settings) {
    if (has(one.written, "gradient_clipping")) out.clipping = &one;
    if (one.written == "zero_optimization/stage" || one.written == "zero_optimization.stage") out.stage = &one;
  }
  return out;
}

bool is_deepspeed_word(const Planned& one) { return has(one.written, "gradient_clipping"); }

// The trainer's own threshold: the last one that is not DeepSpeed's.
const Setting* of_trainer(const Run& run) {
  const Setting* out = nullptr;
  for (const Setting& one : run.config.settings) {
    if (one.key == setting::kClipNorm && !has(one.written, "gradient_clipping") && one.number().value_or(0) > 0)
      out = &one;
  }
  return out;
}

void deepspeed_clips_nothing(const Run& run, Findings& out) {
  const Setting* trainer = of_trainer(run);
  if (trainer == nullptr) return;
  const OfDeepspeed engine = of_deepspeed(run);
  Planned asked;
  asked.value = trainer->number().value_or(0);
  asked.written = trainer->written;
  asked.where = trainer->where;
  const Values values{{"written", trainer->written}, {"clip", asked.value}};
  if (engine.clipping != nullptr) {
    if (engine.clipping->number() == 0.0 && engine.clipping->value != "None") {
      add(run, "deepspeed-off", values, engine.clipping->where, &asked, 0.85, out);
    }
  } else if (engine.stage != nullptr) {
    add(run, "deepspeed", values, engine.stage->where, &asked, 0.65, out);
  }
}

void switched_off(const Run& run, Findings& out) {
  const Setting* switched = last_written(run.config, "use_clip_grad");
  const Setting* clip = run.config.find(setting::kClipNorm);
  if (switched == nullptr || clip == nullptr || lower(switched->value) != "false" || clip->number().value_or(0) <= 0) {
    return;
  }
  Planned asked;
  asked.value = clip->number().value_or(0);
  asked.written = clip->written;
  asked.where = clip->where;
  add(run, "switched-off", {{"written", clip->written}, {"clip", asked.value}}, switched->where, &asked, 0.85, out);
}

// torchtitan: the optimizer steps within the backward pass, and no gradient is left to take a norm of.
void stepped_in_backward(const Run& run, Findings& out) {
  const Setting* early = last_written(run.config, "early_step_in_backward");
  const Setting* clip = run.config.find(setting::kClipNorm);
  if (early == nullptr || clip == nullptr || lower(early->value) != "true" || clip->number().value_or(0) <= 0) return;
  Planned asked;
  asked.value = clip->number().value_or(0);
  asked.written = clip->written;
  asked.where = clip->where;
  add(run, "in-backward", {{"written", clip->written}, {"clip", asked.value}}, early->where, &asked, 0.75, out);
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  const auto asked = plan.told(setting::kClipNorm);
  if (!asked) return out.not_applicable("no-clip");
  if (!is_deepspeed_word(*asked) || asked->value == 0) deepspeed_clips_nothing(run, out);
  switched_off(run, out);
  stepped_in_backward(run, out);
  if (!(asked->value > 0) || !out.found().empty()) return;
  if (counter_is_zero(run, *asked, set, out)) return;
  clipped_ones_are_above(run, *asked, set, out);
}

}  // namespace

extern const Rule kClipNotApplied;
const Rule kClipNotApplied{
    .name = "clip-not-applied",
    .family = "setup",
    .title_en = "gradients are not clipped although a threshold was asked for",
    .title_zh = "设置了裁剪阈值，但梯度并未被裁剪",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters =
        {{"records", "records", 20, 5, 1e6, "a counter that is 0 for a few records may be of a calm stretch"},
         {"share", "of the norms", 0.25, 0.01, 1,
          "the counter and the norm may be of different steps of an interval; a quarter of the norms above the "
          "threshold cannot all be"}},
    .sentences =
        {{"counter",
          "the log says that no step is clipped, yet {share} of the {records} grad norms lie above the threshold of "
          "{clip}",
          "日志称没有一步被裁剪，但 {records} 个梯度范数中有 {share} 超过阈值 {clip}"},
         {"above",
          "{metric} should be at most {clip}, yet {share} of its values are above (up to {greatest}): clipping does "
          "not act",
          "{metric} 应不超过 {clip}，但有 {share} 的值更大（最大 {greatest}）：裁剪没有生效"},
         {"deepspeed",
          "{written} = {clip} does not act: under DeepSpeed the engine clips, and its configuration has no "
          "gradient_clipping (which is 0, off, in releases before mid-2026)",
          "{written} = {clip} 不起作用：使用 DeepSpeed 时由其引擎裁剪，而其配置没有 gradient_clipping（2026 "
          "年中以前的版本默认为 0，即"
          "不裁剪）"},
         {"deepspeed-off",
          "{written} = {clip} does not act: under DeepSpeed the engine clips, and its gradient_clipping is 0, off",
          "{written} = {clip} 不起作用：使用 DeepSpeed 时由其引擎裁剪，而其 gradient_clipping 为 0（不裁剪）"},
         {"switched-off", "{written} = {clip} does not act: use_clip_grad is False",
          "{written} = {clip} 不起作用：use_clip_grad 为 False"},
         {"in-backward",
          "{written} = {clip} does not act: with early_step_in_backward each gradient is used and freed before a norm "
          "of "
          "all can be taken",
          "{written} = {clip} 不起作用：early_step_in_backward 使每个梯度在求整体范数之前就已使用并释放"},
         {"asked", "{written} = {clip}", "{written} = {clip}"},
         {"set-auto", "put it into the configuration of DeepSpeed: the Trainer fills in its own threshold",
          "写入 DeepSpeed 配置，由 Trainer 填入其自身的阈值"},
         {"set-number", "put the threshold into the configuration of DeepSpeed", "把阈值写入 DeepSpeed 配置"},
         {"switch-on", "switch clipping on", "启用裁剪"},
         {"step-after", "let the optimizer step after the whole backward pass", "让优化器在整个反向传播之后再更新"},
         {"check", "check whether the step that clips is reached before the optimizer's, on all ranks",
          "检查裁剪是否在优化器更新之前、且在所有 rank 上执行"},
         {"no-clip", "needs a clip threshold in the settings", "需要设置中的裁剪阈值"}},
    .docs =
        {.finds = "A clip threshold that was asked for and does not act, by the log's own numbers or by the settings.",
         .matters =
             "One believes to be protected against a bad batch and is not. In public post-mortems this was found "
             "after weeks (clipping on rank 0 only, DeepSpeed#1801).",
         .decides =
             "A share of clipped steps that is printed as 0 for `records` records while `share` of the norms (lower "
             "end of the Wilson interval) lie above the threshold; values of a series that calls itself clipped "
             "above the threshold; a configuration of DeepSpeed that has gradient_clipping 0, or none at all, "
             "beside the trainer's own threshold; MindFormers' use_clip_grad: False; torchtitan's "
             "early_step_in_backward.",
         .example = "`max_grad_norm = 1 does not act: under DeepSpeed the engine clips, and its configuration has no "
                    "gradient_clipping (which is 0, off, in releases before mid-2026)`",
         .to_do = "Set the threshold where it acts: the finding names the setting. Only the Hugging Face Trainer fills "
                  "\"auto\" from its arguments; elsewhere DeepSpeed's configuration needs the number.",
         .false_alarms = "A configuration of DeepSpeed in the folder that the run was not started with. DeepSpeed from "
                         "mid-2026 on clips at 1.0 where the key is missing.",
         .references = "DeepSpeed, docs/config-json: gradient_clipping. transformers, integrations/deepspeed: only "
                       "\"auto\" is filled from the arguments. DeepSpeed#1801. fairseq: clip_norm."},
    .judge = judge};

}  // namespace assay
