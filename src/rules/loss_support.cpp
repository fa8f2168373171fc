#include "rules/loss_support.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/metric.h"
#include "assay/setting.h"
#include "core/curve.h"
#include "measure/training_kind.h"
#include "rules/actions.h"
#include "rules/places.h"
#include "stat/quantile.h"

namespace assay {
namespace {

constexpr std::size_t kLeadRecords = 50;
constexpr std::size_t kGradBaseline = 64;
constexpr double kGradRise = 3;      // healthy maxima of a stretch are within 2.3 times the median (p99)
constexpr double kEvalMoves = 0.02;  // an evaluation on a fixed set repeats to within a per cent
constexpr std::int64_t kMargin =
    100;  // steps before the onset: what made the event was in the weights before it showed
constexpr std::size_t kMostEvidence = 5;

constexpr std::array kShared = {
    SentenceRecord{"few-before", "only {count} records before it: judged in absolute terms, not against the noise",
                   "此前只有 {count} 条记录：按绝对幅度判断，而非相对噪声"},
    SentenceRecord{
        "grad-led",
        "grad norm rose to about {ratio} times its level ({before} to {peak}) from step {step}, {lead} records before "
        "the loss",
        "梯度范数从第 {step} 步起升至原来的约 {ratio} 倍（{before} -> {peak}），比 loss 早 {lead} 条记录"},
    SentenceRecord{"grad-with", "grad norm rose with it, to about {ratio} times its level ({before} to {peak})",
                   "梯度范数同时升至原来的约 {ratio} 倍（{before} -> {peak}）"},
    SentenceRecord{"grad-calm", "grad norm did not react up to the loss's peak: {peak} at most, usually {before}",
                   "到 loss 峰值为止梯度范数没有变化：最高 {peak}，平时 {before}"},
    SentenceRecord{"eval-moved",
                   "evaluation loss moved with it: {before} (step {before_step}) to {after} (step {after_step})",
                   "评估 loss 随之变化：{before}（第 {before_step} 步）变为 {after}（第 {after_step} 步）"},
    SentenceRecord{"eval-calm",
                   "evaluation loss did not move: {before} (step {before_step}), {after} (step {after_step})",
                   "评估 loss 未受影响：{before}（第 {before_step} 步），{after}（第 {after_step} 步）"},
    SentenceRecord{"samples", "steps {steps} read samples {samples}, counted from 0",
                   "第 {steps} 步读取的样本为 {samples}（从 0 计）"},
    SentenceRecord{"tokens", "steps {steps} read tokens {tokens}", "第 {steps} 步读取的 token 为 {tokens}"},
    SentenceRecord{"other-axis", "counted in optimizer steps it began at {optimizer} (the log's own axis: {axis})",
                   "按优化器步数计，始于第 {optimizer} 步（日志自身的步数轴为 {axis}）"},
    SentenceRecord{"running-mean", "the log prints a running mean: the true peak was higher and earlier",
                   "日志打印的是滑动平均：真实峰值更高，出现得也更早"},
    SentenceRecord{
        "resume-at",
        "resume from the checkpoint of step {checkpoint}, the last one that the log names before step {begin}",
        "从第 {checkpoint} 步的检查点续训：它是日志中第 {begin} 步之前最后一个可用的检查点"},
    SentenceRecord{"resume-at-path",
                   "resume from the checkpoint of step {checkpoint}, the last one on disk before step {begin}: {path}",
                   "从第 {checkpoint} 步的检查点续训：它是磁盘上第 {begin} 步之前最后一个可用的检查点：{path}"},
    SentenceRecord{"resume-at-margin",
                   "resume from the checkpoint of step {checkpoint}, the last one that the log names at least {margin} "
                   "steps before step {begin}",
                   "从第 {checkpoint} 步的检查点续训：它是日志中比第 {begin} 步至少早 {margin} 步的最后一个检查点"},
    SentenceRecord{
        "resume-at-path-margin",
        "resume from the checkpoint of step {checkpoint}, the last one on disk at least {margin} steps before "
        "step {begin}: {path}",
        "从第 {checkpoint} 步的检查点续训：它是磁盘上比第 {begin} 步至少早 {margin} 步的最后一个检查点：{path}"},
    SentenceRecord{"resume-before",
                   "resume from a checkpoint of step {limit} or earlier (the trouble begins at step {begin}; {margin} "
                   "steps of margin)",
                   "从第 {limit} 步或更早的检查点续训（问题始于第 {begin} 步，留出 {margin} 步余量）"},
    SentenceRecord{"resume-before-onset",
                   "resume from a checkpoint saved before step {begin}, where the trouble begins",
                   "从第 {begin} 步（问题开始处）之前的检查点续训"},
    SentenceRecord{"skip-steps", "skip the data of steps {steps} after resuming", "续训后跳过第 {steps} 步的数据"},
    SentenceRecord{"skip-samples", "skip the data of steps {steps} after resuming: samples {samples}",
                   "续训后跳过第 {steps} 步的数据：样本 {samples}"},
    SentenceRecord{"halve-rate", "if it happens again with other data, halve the peak learning rate ({rate} -> {half})",
                   "若换了数据仍再次发生，将峰值学习率减半（{rate} -> {half}）"},
    SentenceRecord{"halve-rate-unknown", "if it happens again with other data, halve the learning rate",
                   "若换了数据仍再次发生，将学习率减半"},
};

std::size_t index_at_row(const Series& series, std::size_t row) { return series.at_or_after_row(row); }

// The value of the metric in the record of that step or the last one before it.
std::optional<double> value_at(const Segment& segment, std::string_view name, std::int64_t step) {
  const Series* series = segment.find(name);
  if (series == nullptr || series->empty()) return std::nullopt;
  std::size_t i = series->at_or_after_step(step + 1);
  if (i == 0) return std::nullopt;
  const double value = series->value(--i);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// What a counter of consumed samples or tokens counted within the steps: from the first one read (the first of all is
// 0) to the last.
// A counter at the end of a step. Between two records a batch is taken to be as large as the others; outside of the
// records nobody knows.
std::optional<double> counter_at(const Segment& segment, std::string_view name, std::int64_t step) {
  const Series* counter = segment.find(name);
  if (counter == nullptr || counter->empty()) return std::nullopt;
  const std::size_t i = counter->at_or_after_step(step);
  if (i == counter->size()) return std::nullopt;
  const double after = counter->value(i);
  if (counter->step(i) == step) return after;
  if (i == 0) return std::nullopt;
  const auto whole = static_cast<double>(counter->step(i) - counter->step(i - 1));
  const double part = static_cast<double>(step - counter->step(i - 1)) / whole;
  return std::round(counter->value(i - 1) + part * (after - counter->value(i - 1)));
}

std::optional<StepRange> consumed_within(const Segment& segment, std::string_view name, StepRange steps) {
  const auto before = counter_at(segment, name, steps.first - 1);
  const auto after = counter_at(segment, name, steps.last);
  if (!before || !after || !(*before >= 0) || !(*after > *before) || *after > 9e15) return std::nullopt;
  return StepRange{static_cast<std::int64_t>(*before), static_cast<std::int64_t>(*after) - 1};
}

void add_grad_evidence(const Segment& segment, const LossEvent& event, std::vector<Evidence>& texts) {
  const auto grad = grad_reaction(segment, *event.loss, event.shape);
  if (!grad) return;
  if (!grad->rose) {
    texts.push_back({{"grad-calm", {{"peak", grad->peak}, {"before", grad->before}}}, {}, {}});
  } else if (grad->lead > 0) {
    texts.push_back({{"grad-led",
                      {{"ratio", Value(grad->ratio(), Unit::kTimes)},
                       {"before", grad->before},
                       {"peak", grad->peak},
                       {"step", grad->step},
                       {"lead", grad->lead}}},
                     {},
                     {}});
  } else {
    texts.push_back(
        {{"grad-with", {{"ratio", Value(grad->ratio(), Unit::kTimes)}, {"before", grad->before}, {"peak", grad->peak}}},
         {},
         {}});
  }
}

void add_data_evidence(const Segment& segment, const LossEvent& event, std::vector<Evidence>& texts) {
  const StepRange read = data_steps(*event.loss, event.shape, event.acute());
  if (const auto samples = samples_of(segment, read)) {
    texts.push_back({{"samples", {{"steps", read}, {"samples", *samples}}}, {}, {}});
  } else if (const auto tokens = consumed_within(segment, metric::kConsumedTokens, read)) {
    texts.push_back({{"tokens", {{"steps", read}, {"tokens", *tokens}}}, {}, {}});
  }
}

}  // namespace

std::vector<SentenceRecord> with_loss_sentences(std::initializer_list<SentenceRecord> own) {
  std::vector<SentenceRecord> all(own);
  all.insert(all.end(), kShared.begin(), kShared.end());
  return all;
}

std::optional<GradReaction> grad_reaction(const Segment& segment, const Series& loss, const Departure& shape) {
  const Series* norm = segment.find(metric::kGradNorm);
  if (norm == nullptr || norm->empty()) return std::nullopt;
  const std::size_t onset = index_at_row(*norm, loss.row_of(shape.onset));
  const std::size_t end = std::min(norm->size(), index_at_row(*norm, loss.row_of(shape.peak)) + 1);
  // Up to 50 records before the onset may belong to the event; what is normal is told by those before them, if there
  // are any, else by the smallest half of those before the onset.
  const std::size_t window = onset > kLeadRecords ? onset - kLeadRecords : 0;
  const std::size_t from = window > kGradBaseline ? window - kGradBaseline : 0;
  const auto values = norm->values.span();
  GradReaction out;
  out.before = window - from >= 16 ? median(values.subspan(from, window - from))
                                   : quantile(values.first(onset), onset < 8 ? 0.0 : 0.25);
  if (!(out.before > 0)) return std::nullopt;
  std::size_t first = end;
  std::size_t peak = end;
  for (std::size_t i = end; i-- > window;) {
    const double x = values[i];
    if (!(x > 0) || std::isinf(x)) continue;
    if (peak == end || x > values[peak]) peak = i;
    const bool high = x >= kGradRise * out.before;
    if (high) first = i;
    // The rise that leads to the event is connected to it: a spike long before is another one.
    if (!high && i + 2 < onset && first != i + 1) break;
  }
  if (peak == end) return std::nullopt;
  out.peak = values[peak];
  out.rose = first < end;
  out.step = out.rose ? norm->step(first) : loss.step(shape.onset);
  out.lead = out.rose && first < onset ? onset - first : 0;
  return out;
}

bool level_moved(const Run& run, const LossEvent& event) {
  if (!event.step_up) return false;
  const auto grad = grad_reaction(run.segments[event.segment], *event.loss, event.shape);
  return !grad || !grad->rose;
}

std::optional<EvalReaction> eval_reaction(const Segment& segment, StepRange acute) {
  const Series* eval = segment.find(metric::kEvalLoss);
  if (eval == nullptr || eval->empty()) return std::nullopt;
  const std::size_t before = eval->at_or_after_step(acute.first);
  const std::size_t after = eval->at_or_after_step(acute.last);
  if (before == 0 || after >= eval->size()) return std::nullopt;
  EvalReaction out{eval->step(before - 1), eval->step(after), eval->value(before - 1), eval->value(after), false};
  if (!std::isfinite(out.before)) return std::nullopt;
  out.moved = !(out.after <= out.before + kEvalMoves * std::fabs(out.before));
  return out;
}

StepRange data_steps(const Series& loss, const Departure& shape, StepRange acute) {
  const std::int64_t first = shape.onset > 0 ? loss.step(shape.onset - 1) + 1 : acute.first;
  // Excerpts leave records out: the hole before the onset is not a part of the event.
  const std::int64_t spacing = spacing_before(loss, shape.onset);
  return {std::max(std::min(first, acute.first), acute.first - spacing + 1), acute.last};
}

StepRange steps_to_skip(const LossEvent& event) {
  const std::int64_t margin = spacing_before(*event.loss, event.shape.onset);
  const StepRange read = data_steps(*event.loss, event.shape, event.acute());
  return {std::max(read.first - margin, std::min<std::int64_t>(read.first, 1)), read.last + margin};
}

std::optional<StepRange> samples_of(const Segment& segment, StepRange steps) {
  return consumed_within(segment, metric::kConsumedSamples, steps);
}

void add_loss_evidence(const Run& run, const LossEvent& event, Finding& finding) {
  const Segment& segment = run.segments[event.segment];
  const StepRange range =
      event.kind == LossEventKind::kDivergence ? StepRange{event.onset_step(), event.last_step()} : event.acute();
  std::vector<Evidence> texts;
  if (event.shape.absolute) texts.push_back({{"few-before", {{"count", event.shape.before_count}}}, {}, {}});
  add_grad_evidence(segment, event, texts);
  if (const auto eval = event.loss->metric == metric::kLoss ? eval_reaction(segment, event.acute()) : std::nullopt) {
    texts.push_back({{eval->moved ? "eval-moved" : "eval-calm",
                      {{"before", eval->before},
                       {"before_step", eval->before_step},
                       {"after", eval->after},
                       {"after_step", eval->after_step}}},
                     {},
                     {}});
  }
  if (has(event.loss->quirks, Quirk::kRunningMean)) texts.push_back({{"running-mean", {}}, {}, {}});
  // What was read since a divergence began is the rest of the run: the action tells what of it to skip.
  if (event.kind != LossEventKind::kDivergence) add_data_evidence(segment, event, texts);
  if (const auto optimizer = value_at(segment, metric::kOptimizerStep, event.onset_step())) {
    texts.push_back({{"other-axis", {{"optimizer", count_value(*optimizer)}, {"axis", segment.axis}}}, {}, {}});
  }
  if (event.loss->size() > 2) finding.evidence.push_back({{}, curve_around(*event.loss, range), {}});
  const Series* norm = segment.find(metric::kGradNorm);
  if (norm != nullptr && norm->size() > 2) finding.evidence.push_back({{}, curve_around(*norm, range), {}});
  for (Evidence& text : texts) {
    if (finding.evidence.size() >= kMostEvidence) break;
    finding.evidence.push_back(std::move(text));
  }
}

std::int64_t beginning_of(const Run& run, const LossEvent& event) {
  const auto grad = grad_reaction(run.segments[event.segment], *event.loss, event.shape);
  const std::int64_t onset = event.onset_step();
  return grad && grad->rose ? std::min(grad->step, onset) : onset;
}

Action resume_before(const Run& run, std::size_t segment, std::int64_t begin) {
  const std::int64_t limit = counts_steps(run, segment) && begin > 2 * kMargin ? begin - kMargin : begin;
  auto checkpoint = checkpoint_before(run, segment, limit + 1);
  const auto last = checkpoint_before(run, segment, begin);
  if (!checkpoint) checkpoint = last;
  if (checkpoint) {
    // One that lies nearer is passed over, and whoever sees it on disk should know why.
    const bool passed_over = last->step != checkpoint->step;
    Phrase text{checkpoint->path.empty() ? "resume-at" : "resume-at-path",
                {{"checkpoint", checkpoint->step}, {"begin", begin}}};
    if (!checkpoint->path.empty()) text.values.emplace_back("path", checkpoint->path);
    if (passed_over) {
      text.key += "-margin";
      text.values.emplace_back("margin", begin - limit);
    }
    return {std::move(text), checkpoint->path.empty() ? "" : option_to_resume(run, checkpoint->path),
            ActionRole::kResume};
  }
  if (limit == begin) return {{"resume-before-onset", {{"begin", begin}}}, "", ActionRole::kResume};
  return {{"resume-before", {{"limit", limit}, {"begin", begin}, {"margin", begin - limit}}}, "", ActionRole::kResume};
}

Action skip_data(const Run& run, std::size_t segment, StepRange steps) {
  // Steps go on behind the end of the log, records do not.
  if (!counts_steps(run, segment))
    steps.last = std::max(steps.first, std::min(steps.last, run.segments[segment].last_step()));
  Action action;
  const auto samples = samples_of(run.segments[segment], steps);
  action.text = samples ? Phrase{"skip-samples", {{"steps", steps}, {"samples", *samples}}}
                        : Phrase{"skip-steps", {{"steps", steps}}};
  action.command = option_to_skip(run, segment, steps);
  action.role = ActionRole::kSkipData;
  return action;
}

Action halve_learning_rate(const Run& run, std::size_t segment) {
  // What is set is the peak of the schedule: the value at the event is set nowhere.
  const Setting* setting = run.config.find(setting::kLearningRate);
  double rate = setting != nullptr ? setting->number().value_or(0) : 0;
  if (!(rate > 0) || !std::isfinite(rate)) {
    rate = 0;
    const Series* series = run.segments[segment].find(metric::kLearningRate);
    for (std::size_t i = 0; series != nullptr && i < series->size(); ++i) {
      if (std::isfinite(series->value(i))) rate = std::max(rate, series->value(i));
    }
  }
  if (!(rate > 0)) return {{"halve-rate-unknown", {}}, "", ActionRole::kLearningRate};
  return {{"halve-rate", {{"rate", two_digits(rate)}, {"half", two_digits(rate / 2)}}},
          option_for_rate_on_resume(run, two_digits(rate / 2)),
          ActionRole::kLearningRate};
}

double confidence_of(const Departure& shape) {
  if (shape.absolute) return std::clamp(0.4 + 0.1 * shape.rise, 0.45, 0.6);
  return std::clamp(0.6 + 0.02 * (shape.z - 8) + 0.5 * (shape.rise - 0.05), 0.6, 0.97);
}

Value percent(double share) { return Value(std::round(1000 * share) / 10, Unit::kPercent); }

std::string_view spoken(const Series& loss) { return loss.metric == metric::kEvalLoss ? "eval loss" : "loss"; }

}  // namespace assay
