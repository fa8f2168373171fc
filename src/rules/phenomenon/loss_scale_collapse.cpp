// The loss scale has collapsed: it lies below 1, or at a floor of 1 that it fell to, and stays there.
//
// A scale exists to lift small gradients out of the range where half precision rounds them to zero. At a scale of 1 it
// lifts nothing; below 1 it pushes them down, and yet the largest still overflow, else the scaler would have doubled.
// So there is no scale left at which this model fits into half precision. That is a state, not an event, hence a length
// is asked for; a scaler that has given up by its own words needs no further proof. Nor does a scale far
// below 1 at the end of a log: every halving below 1 is a step whose gradients overflowed although they had been made
// smaller.

#include <algorithm>

#include "measure/scaler.h"
#include "measure/skips.h"
#include "rules/actions.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr double kFarBelow = 0.03125;  // 2^-5
constexpr std::int64_t kFewestLooks = 3;

struct Collapse {
  std::size_t segment = 0;
  StepRange steps;
  std::int64_t line = 0;
  double from = 0;
  double lowest = 0;
  const Event* message = nullptr;
  bool lasting = false;
  bool stuck = false;  // a message tells of an overflow at the floor
  bool far_below() const { return lasting && lowest <= kFarBelow; }
  std::int64_t length() const { return steps.last - steps.first + 1; }
};

// The worst stretch of a segment: one with the scaler's own message before all others, then the longest.
std::optional<Collapse> worst_of(const Run& run, std::size_t index, const ScalerHistory& scaler) {
  std::optional<Collapse> worst;
  for (const LowScale& low : scaler.low) {
    if (worst && low.steps.last - low.steps.first + 1 <= worst->length()) continue;
    worst = Collapse{index, low.steps, low.line, low.fell_from, low.lowest, nullptr, low.to_the_end, low.stuck};
  }
  if (scaler.at_minimum == nullptr) return worst;
  const StepRange end = steps_of_event(run, index, *scaler.at_minimum);
  // The way down that led there is part of it.
  const ScaleFall* fall = scaler.falls.empty() ? nullptr : &scaler.falls.back();
  if (fall != nullptr && fall->steps.first > end.last) fall = nullptr;
  if (!worst || !worst->lasting)
    worst = Collapse{index, end, scaler.at_minimum->line, scaler.highest, scaler.last, nullptr, false, false};
  if (fall != nullptr && fall->steps.last + 1 >= worst->steps.first && fall->steps.first < worst->steps.first) {
    worst->steps.first = fall->steps.first;
    worst->line = fall->line;
  }
  worst->steps.last = std::max(worst->steps.last, end.last);
  worst->message = scaler.at_minimum;
  worst->lasting = true;
  return worst;
}

void add_evidence(const Run& run, const Collapse& worst, const ScalerHistory& scaler, Finding& finding) {
  if (worst.message != nullptr) {
    finding.evidence.push_back({{"told", {{"line", worst.message->text}}}, {}, place(run, worst.message->line)});
  }
  if (!scaler.falls.empty()) {
    const ScaleFall& fall = scaler.falls.back();
    finding.evidence.push_back({{run.segments[worst.segment].empty() ? "fall-undated" : "fall",
                                 {{"from", scale_value(fall.from)},
                                  {"to", scale_value(fall.to)},
                                  {"halvings", fall.halvings},
                                  {"steps", fall.steps}}},
                                {},
                                place(run, worst.segment, fall.steps, fall.line)});
  }
  std::int64_t skipped = 0;
  for (const SkipStretch& one : skip_history(run, worst.segment, scaler).stretches) {
    if (one.steps.first >= worst.steps.first && one.steps.last <= worst.steps.last) skipped += one.skipped;
  }
  if (skipped > 0 && !run.segments[worst.segment].empty()) {
    finding.evidence.push_back({{"skipped", {{"skipped", skipped}, {"steps", worst.length()}}}, {}, {}});
  }
  if (const auto loss = loss_reaction(run.segments[worst.segment], worst.steps)) {
    finding.evidence.push_back({{"loss", {{"before", loss->before}, {"after", loss->last}}}, {}, {}});
  }
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  bool any_scale = false;
  std::optional<Collapse> worst;
  ScalerHistory history;
  std::vector<Location> also;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    ScalerHistory scaler = scaler_history(run, i);
    any_scale = any_scale || scaler.logged || scaler.at_minimum != nullptr;
    const std::optional<Collapse> one = worst_of(run, i, scaler);
    if (!one) continue;
    // One look each at two places is no stretch.
    const bool seen_enough =
        run.segments[i].empty() || one->length() > (kFewestLooks - 1) * record_spacing(run.segments[i]);
    const bool counts =
        one->message != nullptr || (seen_enough && static_cast<double>(one->length()) >= set["steps"]) ||
        one->far_below() || one->stuck ||
        (seen_enough && one->lasting && one->lowest < 1 && static_cast<double>(one->length()) >= set["steps-at-end"]);
    if (!counts) continue;
    const bool worse = !worst || (one->message != nullptr && worst->message == nullptr) ||
                       ((one->message != nullptr) == (worst->message != nullptr) && one->length() > worst->length());
    if (worst)
      also.push_back(worse ? place(run, worst->segment, worst->steps, worst->line)
                           : place(run, i, one->steps, one->line));
    if (!worse) continue;
    worst = one;
    history = std::move(scaler);
  }
  if (!any_scale) return out.not_applicable("no-scale");
  if (!worst) return;

  const bool proven =
      worst->message != nullptr || worst->far_below() || static_cast<double>(worst->length()) >= set["steps"];
  Finding finding;
  finding.severity = proven ? Severity::kError : Severity::kWarning;
  finding.confidence = proven ? 0.95 : 0.7;
  finding.impact = share_of_run(run, worst->steps);
  const std::int64_t length = worst->length();
  if (worst->message != nullptr) {
    const bool counted = worst->message->text.find("in a row") != std::string::npos;
    finding.message = {counted ? "stopped" : "gave-up", {{"step", worst->steps.last}}};
    if (worst->steps.last == 0) finding.message = {counted ? "stopped-undated" : "gave-up-undated", {}};
  } else if (worst->stuck || (worst->far_below() && static_cast<double>(length) < set["steps-at-end"])) {
    finding.message = {worst->stuck && worst->lowest >= 1 ? "stuck" : "far-below",
                       {{"lowest", scale_value(worst->lowest)}}};
  } else {
    finding.message = {worst->lowest < 1 ? "below-one" : "at-floor",
                       {{"lowest", scale_value(worst->lowest)}, {"length", length}}};
    if (worst->from > 0) {
      finding.message.key += "-fallen";
      finding.message.values.emplace_back("from", scale_value(worst->from));
    }
  }
  finding.where = place(run, worst->segment, worst->steps, worst->line);
  finding.also = std::move(also);
  add_evidence(run, *worst, history, finding);
  const std::int64_t onset =
      history.falls.empty() ? worst->steps.first : std::min(worst->steps.first, history.falls.back().steps.first);
  finding.actions.push_back({{"use-bf16", {}}, bf16_option(run), ActionRole::kPrecision});
  if (!run.segments[worst->segment].empty()) finding.actions.push_back(resume_before(run, worst->segment, onset));
  finding.actions.push_back({{"find-layer", {}}, ""});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kLossScaleCollapse;
const Rule kLossScaleCollapse{
    .name = "loss-scale-collapse",
    .family = "phenomenon",
    .title_en = "the loss scale has collapsed: the model no longer fits into fp16",
    .title_zh = "loss scale 已崩溃：fp16 的数值范围容纳不下该模型的梯度",
    .scope = Scope::kRun,
    .severity = Severity::kError,
    .parameters = {{"steps", "steps", 100, 1, 1e9,
                    "a scaler that only passes through the region climbs out after one window without overflow; "
                    "skipping or rounding away a hundred updates is harm already done"},
                   {"steps-at-end", "steps", 10, 1, 1e9,
                    "a log that ends with the scale down there shows no way out; fewer steps may be the last halvings "
                    "of a search"}},
    .sentences = with_loss_sentences(
        {{"below-one", "loss scale below 1 for {length} steps (lowest {lowest})",
          "loss scale 持续 {length} 步低于 1（最低 {lowest}）"},
         {"below-one-fallen", "loss scale fell from {from} and stayed below 1 for {length} steps (lowest {lowest})",
          "loss scale 从 {from} 一路下降，随后持续 {length} 步低于 1（最低 {lowest}）"},
         {"at-floor", "loss scale at {lowest} for {length} steps", "loss scale 停在 {lowest} 达 {length} 步"},
         {"at-floor-fallen", "loss scale fell from {from} to its floor of {lowest} and stayed there for {length} steps",
          "loss scale 从 {from} 降到下限 {lowest}，并停留了 {length} 步"},
         {"gave-up", "the loss scaler gave up at step {step}: the scale is at its minimum and gradients still overflow",
          "loss scaler 在第 {step} 步放弃：scale 已到最小值，梯度仍然溢出"},
         {"stopped", "the run stopped itself at step {step}: too many steps in a row were skipped because of overflow",
          "训练在第 {step} 步自行停止：因溢出连续跳过的步数过多"},
         {"stopped-undated", "the run stopped itself: too many steps in a row were skipped because of overflow",
          "训练自行停止：因溢出连续跳过的步数过多"},
         {"gave-up-undated", "the loss scaler gave up: the scale is at its minimum and gradients still overflow",
          "loss scaler 已放弃：scale 已到最小值，梯度仍然溢出"},
         {"far-below", "loss scale at {lowest} or less when the log ends",
          "日志结束时 loss scale 已降到 {lowest} 或更低"},
         {"stuck", "gradients overflow at a loss scale of {lowest}, which is its floor: no lower one is left",
          "loss scale 已在下限 {lowest}，梯度仍然溢出，无法再降低"},
         {"no-scale", "needs a loss scale in the log (fp16 training)", "需要日志中有 loss scale（fp16 训练）"},
         {"told", "the log says: {line}", "日志原文：{line}"},
         {"fall", "the whole way down, steps {steps}: loss scale {from} -> {to} ({halvings} halvings)",
          "整个下降过程（第 {steps} 步）：loss scale {from} -> {to}（减半 {halvings} 次）"},
         {"fall-undated", "loss scale {from} -> {to} ({halvings} halvings)",
          "loss scale {from} -> {to}（减半 {halvings} 次）"},
         {"skipped", "{skipped} optimizer steps skipped within these {steps} steps",
          "这 {steps} 步中有 {skipped} 次参数更新被跳过"},
         {"loss", "loss {before} before, {after} at the end", "loss 之前为 {before}，最后为 {after}"},
         {"use-bf16",
          "train in bf16: it has the exponent range of fp32 and needs no loss scale; do not raise the minimum scale",
          "改用 bf16 训练：指数范围与 fp32 相同，不需要 loss scale；不要靠调高最小 scale 来掩盖问题"},
         {"find-layer",
          "if fp16 has to stay: find the layer whose activations or gradients overflow, lower the learning rate, add "
          "normalisation to that layer",
          "如果必须使用 fp16：找出激活或梯度溢出的层，降低学习率，并在该层加归一化"}}),
    .docs = {.finds = "A dynamic loss scale that lies below 1, or at a floor of 1 that it fell to, for many steps; or "
                      "a scaler that says that it is at its minimum and stops the run.",
             .matters = "The scale lifts small gradients into the range of fp16. Below 1 it does the opposite: small "
                        "gradients become exactly 0 while the largest still overflow, so that part of the model stops "
                        "learning and many updates are skipped. Such a run does not come back by itself.",
             .decides =
                 "The history of the scale is put together from the records and from the scaler's messages. A "
                 "stretch at or below the floor of at least `steps` steps is an error, and so is the message "
                 "that the scaler gave up, or a scale of 1/32 or less with which the log ends. A shorter stretch below "
                 "1 with which the log ends is a warning, as is a message of an overflow at the floor. A "
                 "scale that is 1 from first to last (bf16) or -1 (not reported) is not a loss scale.",
             .example = "`loss scale fell from 65,536 and stayed below 1 for 2,300 steps (lowest 0.0625)`",
             .to_do = "Use bf16 where the hardware has it. Resume from a checkpoint from before the scale began to "
                      "fall, not from one at the bottom: the weights have moved on with most gradients rounded away. "
                      "If fp16 must stay, find the layer that overflows; a model trained in bf16 often has activations "
                      "beyond 65,504 and cannot be trained on in fp16.",
             .false_alarms = "A framework that is told a constant scale below 1 on purpose.",
             .references =
                 "BigScience, chronicles of the 104B model: choose a checkpoint from before the trend of the loss "
                 "scale bends. DeepSpeed: `Current loss scale already at minimum`. fairseq: `Minimum loss scale "
                 "reached`. ymcui/Chinese-LLaMA-Alpaca#534, fairseq#3750, keras-team/tf-keras#644."},
    .judge = judge};

}  // namespace assay
