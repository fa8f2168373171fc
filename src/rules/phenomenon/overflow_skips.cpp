// Optimizer steps were skipped because gradients overflowed.
//
// Skipping is how dynamic loss scaling works, so the question is never whether but how often and when. At the start the
// scaler comes down from an initial value that is too high, one skipped step for each halving: normal. Afterwards it
// tries a doubling once in a window and pays with about one skip: normal too, also with a short window, where this
// makes two skips in a hundred steps for ever. What is not normal is a rate well above one in a window, or many in a
// row: then updates are lost, the learning rate schedule runs on without them, and the gradients do not fit fp16.

#include <algorithm>

#include "assay/metric.h"
#include "measure/skips.h"
#include "rules/actions.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

enum class Kind : std::uint8_t { kNothing, kStartUp, kUpdated, kFew, kUndated, kMany, kInARow };

struct Part {
  std::size_t segment = 0;
  ScalerHistory scaler;
  SkipHistory skips;
  SkipStretch where;
  double rate = 0;  // skips a step that are still healthy
  Kind kind = Kind::kNothing;
  Severity severity = Severity::kNote;
};

SkipStretch start_up_of(const SkipHistory& skips) {
  SkipStretch out;
  for (const SkipStretch& one : skips.stretches) {
    if (!one.start_up) continue;
    if (out.skipped == 0) out = one;
    out.steps.last = std::max(out.steps.last, one.steps.last);
    out.skipped = skips.start_up;
  }
  return out;
}

// Steps that were taken between the end of a run of skips and the end of the segment.
std::int64_t taken_after(const SkipHistory& skips, const Segment& segment, std::int64_t last) {
  if (segment.empty()) return 0;
  std::int64_t skipped = 0;
  for (const SkipStretch& one : skips.stretches) skipped += one.steps.first > last ? one.skipped : 0;
  return segment.last_step() - last - skipped;
}

Part judge_part(const Run& run, std::size_t index, const Parameters& set) {
  Part part;
  part.segment = index;
  part.scaler = scaler_history(run, index);
  part.skips = skip_history(run, index, part.scaler);
  const double rate = std::max(set["rate"], part.scaler.window_seen ? set["per-window"] / part.scaler.window : 0);
  part.rate = rate;
  const SkipStretch in_a_row = longest_run(part.skips.stretches);
  const SkipStretch worst = worst_stretch(part.skips.stretches, rate);
  const auto width = static_cast<double>(worst.steps.last - worst.steps.first + 1);
  if (static_cast<double>(in_a_row.skipped) >= set["in-a-row"]) {
    const bool goes_on = taken_after(part.skips, run.segments[index], in_a_row.steps.last) >= in_a_row.skipped;
    part.kind = Kind::kInARow;
    part.severity = goes_on ? Severity::kWarning : Severity::kError;
    part.where = in_a_row;
  } else if (!worst.undated && static_cast<double>(worst.skipped) >= set["fewest"] &&
             static_cast<double>(worst.skipped) > rate * width) {
    part.kind = Kind::kMany;
    part.severity = Severity::kWarning;
    part.where = worst;
  } else if (part.skips.later > 0 && (worst.undated || run.segments[index].empty())) {
    // With a scale its fall is the better measure (loss-scale-drop): a saw-tooth of many skips may be healthy.
    const bool many = !part.scaler.logged && static_cast<double>(worst.skipped) >= set["fewest"];
    part.kind = Kind::kUndated;
    part.severity = many ? Severity::kWarning : Severity::kNote;
    part.where = worst;
  } else if (part.skips.later > 0) {
    part.kind = Kind::kFew;
    part.where = worst;
  } else if (part.skips.updated > 0) {
    part.kind = Kind::kUpdated;
    part.severity = static_cast<double>(part.skips.updated) >= set["fewest"] ? Severity::kWarning : Severity::kNote;
    part.where.line = part.skips.updated_line;
    part.where.skipped = part.skips.updated;
    part.where.undated = true;
  } else if (part.skips.start_up > 0) {
    part.kind = Kind::kStartUp;
    part.where = start_up_of(part.skips);
  }
  return part;
}

// Too few for a rate, but close together and most of all there are.
bool clustered(const Part& part) {
  const auto width = static_cast<double>(part.where.steps.last - part.where.steps.first + 1);
  return part.where.skipped > 1 && static_cast<double>(part.where.skipped) > part.rate * width &&
         2 * part.where.skipped > part.skips.later;
}

Phrase message_of(const Part& part) {
  const std::int64_t width = part.where.steps.last - part.where.steps.first + 1;
  const Value steps(part.where.steps);
  switch (part.kind) {
    case Kind::kInARow:
      return {part.severity == Severity::kError ? "in-a-row-at-end" : "in-a-row",
              {{"skipped", part.where.skipped}, {"steps", steps}}};
    case Kind::kMany:
      return {"many",
              {{"skipped", part.where.skipped},
               {"width", width},
               {"rate",
                Value(100.0 * static_cast<double>(part.where.skipped) / static_cast<double>(width), Unit::kPercent)},
               {"steps", steps}}};
    case Kind::kUndated: return {"undated", {{"skipped", part.where.skipped}}};
    case Kind::kUpdated: return {"updated", {{"count", part.where.skipped}}};
    case Kind::kFew:
      return {clustered(part)      ? "few-but-dense"
              : part.scaler.logged ? "few"
                                   : "few-without-scaler",
              {{"skipped", part.skips.later},
               {"covered", part.skips.later_steps},
               {"steps", steps},
               {"window", part.scaler.window}}};
    default: break;
  }
  if (part.scaler.logged && part.scaler.first != part.scaler.lowest) {
    return {"start-up-scale",
            {{"skipped", part.where.skipped},
             {"from", scale_value(part.scaler.first)},
             {"to", scale_value(part.scaler.falls.empty() ? part.scaler.last : part.scaler.falls.front().to)}}};
  }
  return {"start-up", {{"skipped", part.where.skipped}}};
}

void add_evidence(const Run& run, const Part& part, Finding& finding) {
  if (part.kind != Kind::kStartUp && part.skips.start_up > 0) {
    finding.evidence.push_back({{"and-start-up", {{"skipped", part.skips.start_up}}}, {}, {}});
  }
  if (part.kind > Kind::kFew && part.skips.later > part.where.skipped) {
    finding.evidence.push_back(
        {{"in-all", {{"skipped", part.skips.later}, {"covered", part.skips.later_steps}}}, {}, {}});
  }
  if (part.where.undated) return;
  if (part.skips.counter_silent) finding.evidence.push_back({{"counter-silent", {}}, {}, {}});
  const Series* batch = run.segments[part.segment].find(metric::kGlobalBatchSize);
  if (finding.severity != Severity::kNote && batch != nullptr && !batch->empty()) {
    const std::size_t i = std::min(batch->at_or_after_step(part.where.steps.first), batch->size() - 1);
    finding.evidence.push_back(
        {{"untaught", {{"samples", Value(static_cast<double>(part.where.skipped) * batch->value(i))}}}, {}, {}});
  }
  if (finding.severity == Severity::kNote) return;
  if (const auto loss = loss_reaction(run.segments[part.segment], part.where.steps); loss && loss->reacts) {
    finding.evidence.push_back({{"loss", {{"before", loss->before}, {"peak", loss->peak}}}, {}, {}});
  }
}

void add_actions(const Run& run, const Part& part, Finding& finding) {
  if (finding.severity == Severity::kNote) return;
  // Skipped steps by themselves leave the weights as they were.
  const auto loss = loss_reaction(run.segments[part.segment], part.where.steps);
  if (finding.severity == Severity::kError || (loss && loss->reacts)) {
    finding.actions.push_back(resume_before(run, part.segment, part.where.steps.first));
  }
  finding.actions.push_back({{"use-bf16", {}}, bf16_option(run), ActionRole::kPrecision});
}

Location place_of(const Run& run, const Part& part) {
  if (part.where.undated && run.segments[part.segment].empty()) return place(run, part.where.line);
  if (part.kind == Kind::kUpdated) return place(run, part.where.line);
  return place(run, part.segment, part.where.steps, part.where.line);
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  bool told = false;  // the log has what tells of skips
  std::vector<Part> parts;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    Part part = judge_part(run, i, set);
    const Segment& segment = run.segments[i];
    told = told || part.scaler.logged || segment.find(metric::kSkippedSteps) || segment.find(metric::kOverflow);
    if (part.kind != Kind::kNothing) parts.push_back(std::move(part));
  }
  if (parts.empty()) {
    if (!told) out.not_applicable("no-scaler");
    return;
  }
  const auto worst = std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    if (a.severity != b.severity) return a.severity < b.severity;
    return a.kind != b.kind ? a.kind < b.kind : a.where.skipped < b.where.skipped;
  });
  Finding finding;
  finding.severity = worst->severity;
  finding.confidence = 0.9;
  finding.impact = worst->where.undated ? 0.1 : share_of_run(run, worst->where.steps);
  finding.message = message_of(*worst);
  finding.where = place_of(run, *worst);
  for (const Part& part : parts) {
    if (&part != &*worst) finding.also.push_back(place_of(run, part));
  }
  add_evidence(run, *worst, finding);
  add_actions(run, *worst, finding);
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kOverflowSkips;
const Rule kOverflowSkips{
    .name = "overflow-skips",
    .family = "phenomenon",
    .title_en = "optimizer steps were skipped because gradients overflowed",
    .title_zh = "梯度溢出导致参数更新被跳过",
    .scope = Scope::kRun,
    .severity = Severity::kWarning,
    .parameters =
        {{"rate", "skips a step", 0.05, 0.0001, 1,
          "a scaler with the usual window of 1,000 steps skips 0.1 %; one step in twenty is fifty times as many, and a "
          "visible part of the updates"},
         {"per-window", "skips", 2.5, 1, 20,
          "where the log shows its own, shorter window: one skip for each doubling, two with hysteresis, and room for "
          "chance; the larger of the two rates holds"},
         {"fewest", "skips", 5, 2, 1000, "a rate from fewer skips is no rate; five halvings are a factor of 32"},
         {"in-a-row", "skips", 10, 3, 1000,
          "ten skipped steps in a row take the scale down by a factor of 1,000 without finding a value that works"}},
    .sentences = with_loss_sentences(
        {{"start-up",
          "optimizer steps skipped at the start of the run: {skipped}, the search for a loss scale (normal)",
          "训练启动阶段跳过参数更新 {skipped} 次：loss scale 在寻找合适的值，属正常现象"},
         {"start-up-scale",
          "optimizer steps skipped while the loss scale came down from {from} to {to} at the start of the run: "
          "{skipped} (normal)",
          "训练启动阶段 loss scale 从 {from} 降到 {to}，其间跳过参数更新 {skipped} 次，属正常现象"},
         {"few", "optimizer steps skipped after the start-up: {skipped} in {covered} steps, what a loss scaler needs",
          "启动阶段之后的 {covered} 步中跳过参数更新 {skipped} 次，属于 loss scaler 的正常开销"},
         {"few-without-scaler",
          "optimizer steps skipped after the start-up: {skipped} in {covered} steps, because the gradient was not "
          "finite",
          "启动阶段之后的 {covered} 步中有 {skipped} 次参数更新因梯度不是有限值而被跳过"},
         {"undated",
          "optimizer steps that were skipped by the words of the log: {skipped}; how many steps lie between them it "
          "does "
          "not tell",
          "日志中有 {skipped} 次跳过参数更新的信息，但看不出它们之间相隔多少步"},
         {"updated", "overflows after which the parameters were updated all the same, by the words of the log: {count}",
          "日志称梯度溢出 {count} 次，但参数仍用溢出的梯度更新"},
         {"few-but-dense", "optimizer steps skipped after the start-up: {skipped}, most of them at steps {steps}",
          "启动阶段之后跳过参数更新 {skipped} 次，集中在第 {steps} 步"},
         {"many", "{skipped} of {width} steps skipped ({rate}) at steps {steps}, after the start-up",
          "启动阶段之后，第 {steps} 步的 {width} 步中有 {skipped} 次更新被跳过（{rate}）"},
         {"in-a-row", "{skipped} optimizer steps in a row skipped at steps {steps}",
          "第 {steps} 步连续跳过 {skipped} 次参数更新"},
         {"in-a-row-at-end",
          "{skipped} optimizer steps in a row skipped at steps {steps}; the run did not get going again",
          "第 {steps} 步连续跳过 {skipped} 次参数更新，此后训练没有恢复正常"},
         {"no-scaler", "needs something that tells of skipped steps (loss scale, counter or message)",
          "需要日志中有 loss scale、跳步计数或溢出信息"},
         {"and-start-up", "{skipped} more during the start-up search (normal)",
          "另有 {skipped} 次发生在启动阶段（正常）"},
         {"in-all", "{skipped} skipped in all, of {covered} steps after the start-up",
          "启动阶段之后共跳过 {skipped} 次（共 {covered} 步）"},
         {"counter-silent", "the log's own counter of skipped iterations stays at 0", "日志自带的跳步计数一直为 0"},
         {"untaught", "{samples} samples were read and taught nothing",
          "这些步读入的 {samples} 个样本没有参与参数更新"},
         {"loss", "the loss rose with it: {before} before, up to {peak}", "loss 随之上升：之前 {before}，最高 {peak}"},
         {"use-bf16", "train in bf16, or lower the learning rate and the clip threshold if fp16 has to stay",
          "改用 bf16 训练；必须使用 fp16 时，降低学习率和梯度裁剪阈值"}}),
    .docs = {.finds =
                 "Optimizer steps that were thrown away because a gradient was not finite: told by messages, counters "
                 "or flags of the framework, or betrayed by a loss scale that fell or a loss that is missing.",
             .matters = "A skipped step reads its samples and learns nothing from them, while the schedule goes on. A "
                        "few are the price of dynamic loss scaling. Many say that the gradients do not fit into fp16, "
                        "and are often the first sign of a divergence.",
             .decides = "All sources are put together, because some are silent: Megatron-DeepSpeed prints 0 skipped "
                        "iterations while DeepSpeed skips. Skips in the start-up search are a note whatever their "
                        "number. Afterwards the stretch in which skips exceed `rate` the most is judged: at least "
                        "`fewest` of them are a warning. At least `in-a-row` in succession are a warning if the run "
                        "took as many steps again afterwards, else an error. Fewer are a note. Messages that no "
                        "step or record dates are counted, not called a row: at least `fewest` are a warning where "
                        "the log tells no loss scale, a note where it does.",
             .example = "`6 of 7 steps skipped (85.71 %) at steps 17,062-17,068, after the start-up`",
             .to_do = "Nothing for a start-up search (a lower initial scale makes it shorter) or for a few. Otherwise "
                      "look at the loss at the same steps, go back to a checkpoint from before the first overflow, and "
                      "lower the learning rate, clip harder or train in bf16.",
             .false_alarms = "An excerpt that begins in the middle of a start-up search. Logs with very wide intervals "
                             "show the net of several moves, so the count is a lower bound.",
             .references = "DeepSpeed: `OVERFLOW! Rank 0 Skipping step`; deepspeedai/DeepSpeed#931 (are early "
                           "overflows harmless?). NVIDIA/nccl#743 (a normal search from 2^32). Defaults of the scale "
                           "window: Megatron-LM and DeepSpeed, 1,000 steps."},
    .judge = judge};

}  // namespace assay
