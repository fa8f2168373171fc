// The grad norm is zero, and nothing learns.
//
// Gradients of exactly zero leave the weights where they are. Causes are dead or frozen layers, labels that are all
// masked, a graph that was cut, a loss scale so small that everything rounds to zero. The trap is that programs print
// 0.000 for "not measured" or for any norm below half of the last printed place. So the loss is the witness: where it
// goes on moving, weights move, gradients exist, and nothing is said. A learning rate of 0 in the same records is
// another witness: then no weight moves, whatever the batches do to the loss.

#include <algorithm>
#include <bit>
#include <cmath>

#include "assay/metric.h"
#include "core/curve.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"
#include "stat/trend.h"

namespace assay {

namespace {

constexpr double kMoves = 0.02;  // of the loss: less is no learning over a stretch
constexpr double kRecordsWithoutLoss = 2;
constexpr double kLossBefore = 0.1;  // a level of learning, and what is nothing beside it
constexpr double kLossGone = 1e-4;
constexpr double kNoiseFactor = 2;  // sigma between neighbours

struct Dead {
  std::size_t segment = 0;
  std::size_t from = 0, to = 0;  // into the norm series; to: the last dead record
  double level = 0;              // median of the live norms before; 0: none
  bool to_the_end = false;
  std::optional<double> loss;  // level of the loss in the stretch
  bool solved = false;         // the loss went with it, at once
  bool no_rate = false;        // the learning rate is 0 as well
  std::size_t records() const { return to - from + 1; }
};

// The level of the loss within the steps, or nothing if it moves; no_loss when there are too few to tell.
struct LossThere {
  bool known = false;
  bool moves = false;
  double level = 0;
};
LossThere loss_there(const Segment& segment, StepRange steps) {
  LossThere out;
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr) return out;
  const std::size_t from = loss->at_or_after_step(steps.first);
  const std::size_t to = loss->at_or_after_step(steps.last + 1);
  std::vector<double> values;
  for (std::size_t i = from; i < to; ++i) {
    if (std::isfinite(loss->value(i))) values.push_back(loss->value(i));
  }
  if (values.size() < 4) return out;
  out.known = true;
  out.level = median(values);
  const std::size_t part = std::max<std::size_t>(values.size() / 4, 2);
  const double change = std::fabs(median(std::span(values).last(part)) - median(std::span(values).first(part)));
  const double noise = kNoiseFactor * neighbor_noise(values) / std::sqrt(static_cast<double>(part));
  out.moves = change > std::max(kMoves * std::fabs(out.level), noise);
  return out;
}

bool rate_is_zero(const Segment& segment, std::size_t from_row, std::size_t to_row) {
  const Series* rate = segment.find(metric::kLearningRate);
  if (rate == nullptr) return false;
  std::size_t seen = 0;
  for (std::size_t i = rate->at_or_after_row(from_row); i < rate->size() && rate->row_of(i) <= to_row; ++i, ++seen) {
    if (rate->value(i) != 0) return false;
  }
  return seen > 0;
}

// From one record to the next the loss is next to nothing: nobody learns that fast.
bool loss_is_gone(const Segment& segment, std::size_t from_row, std::size_t to_row) {
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr) return false;
  const std::size_t from = loss->at_or_after_row(from_row);
  const std::size_t to = loss->at_or_after_row(to_row + 1);
  if (from == 0 || to < from + 2 || !(loss->value(from - 1) >= kLossBefore)) return false;
  const auto values = loss->values.span().subspan(from, to - from);
  return std::all_of(values.begin(), values.end(), [](double v) { return v >= 0 && v <= kLossGone; });
}

// Stretches of norms that are zero, or as good as zero beside the level that the run had before.
std::vector<Dead> stretches(const Segment& segment, std::size_t index, const Parameters& set) {
  std::vector<Dead> out;
  const Series& norm = *segment.find(metric::kGradNorm);
  std::vector<double> live;
  double level = 0;
  std::size_t i = 0;
  const auto dead = [&](double v) { return v >= 0 && v <= std::max(set["tiny"], set["share"] * level); };
  while (i < norm.size()) {
    if (!dead(norm.value(i))) {
      if (std::isfinite(norm.value(i)) && live.size() < 4096) {
        live.push_back(norm.value(i));
        if (std::has_single_bit(live.size())) level = median(live);
      }
      ++i;
      continue;
    }
    level = live.empty() ? 0 : median(live);
    Dead one{index, i, i, level, false, {}, false, false};
    while (i < norm.size() && dead(norm.value(i))) one.to = i++;
    one.to_the_end = i == norm.size();
    one.no_rate = rate_is_zero(segment, norm.row_of(one.from), norm.row_of(one.to));
    one.solved = loss_is_gone(segment, norm.row_of(one.from), norm.row_of(one.to));
    const double wanted = one.solved ? kRecordsWithoutLoss : set[one.no_rate ? "records-without-rate" : "records"];
    if (static_cast<double>(one.records()) >= wanted) out.push_back(one);
  }
  return out;
}

bool rewards_are_logged(const Run& run) {
  return std::any_of(run.segments.begin(), run.segments.end(),
                     [](const Segment& s) { return s.find(metric::kReward) != nullptr; });
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  std::vector<Dead> all;
  bool any = false;
  for (std::size_t s = 0; s < run.segments.size(); ++s) {
    const Segment& segment = run.segments[s];
    const Series* norm = segment.find(metric::kGradNorm);
    if (norm == nullptr || norm->empty()) continue;
    any = true;
    for (Dead& one : stretches(segment, s, set)) {
      const LossThere loss = loss_there(segment, {norm->step(one.from), norm->step(one.to)});
      // An objective of a policy moves by the noise of its samples, weights or not.
      const bool moves = loss.moves && segment.find(metric::kReward) == nullptr;
      if (!one.no_rate && (moves || (!loss.known && one.level == 0))) continue;
      if (loss.known) one.loss = loss.level;
      all.push_back(one);
    }
  }
  if (!any) return out.not_applicable("no-norm");
  if (all.empty()) return;
  const auto worst = std::max_element(all.begin(), all.end(), [](const Dead& a, const Dead& b) {
    return a.to_the_end != b.to_the_end ? b.to_the_end : a.records() < b.records();
  });
  const Series& norm = *run.segments[worst->segment].find(metric::kGradNorm);
  const auto steps_of = [&](const Dead& one) {
    const Series& own = *run.segments[one.segment].find(metric::kGradNorm);
    return StepRange{own.step(one.from), own.step(one.to)};
  };
  Finding finding;
  const bool long_enough = static_cast<double>(worst->records()) >= set["records"];
  finding.severity = worst->to_the_end && long_enough ? Severity::kError : Severity::kWarning;
  // A policy whose samples all earn the same has no gradient: a state of the data, told by a rule of its own.
  if (rewards_are_logged(run)) finding.severity = Severity::kNote;
  finding.confidence = worst->loss ? 0.9 : 0.6;
  finding.impact = static_cast<double>(worst->records()) / static_cast<double>(norm.size());
  finding.message = {worst->solved && worst->level > 0 ? "solved"
                     : worst->level > 0                ? "fell"
                     : worst->no_rate                  ? "zero-without-rate"
                                                       : "zero",
                     {{"level", worst->level},
                      {"records", worst->records()},
                      {"step", norm.step(worst->from)},
                      {"steps", steps_of(*worst)}}};
  finding.where = place(run, worst->segment, steps_of(*worst), norm.line(worst->from));
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (one == worst) continue;
    const Series& own = *run.segments[one->segment].find(metric::kGradNorm);
    finding.also.push_back(place(run, one->segment, steps_of(*one), own.line(one->from)));
  }
  if (worst->no_rate) {
    finding.evidence.push_back({{"no-rate", {}}, {}, {}});
  } else if (worst->loss)
    finding.evidence.push_back({{"loss-flat", {{"loss", *worst->loss}}}, {}, {}});
  if (worst->level > 0) finding.evidence.push_back({{}, curve_around(norm, steps_of(*worst)), {}});
  finding.actions.push_back({{"check-graph", {}}, ""});
  if (worst->level > 0) {
    finding.actions.push_back(resume_before(run, worst->segment, norm.step(worst->from)));
  }
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kGradNormVanished;
const Rule kGradNormVanished{
    .name = "grad-norm-vanished",
    .family = "phenomenon",
    .title_en = "the gradients are zero: nothing learns",
    .title_zh = "梯度为零：模型没有在学习",
    .scope = Scope::kRun,
    .severity = Severity::kError,
    .parameters =
        {{"records", "records", 20, 3, 1e6, "a few batches without any target are possible; twenty in a row are not"},
         {"records-without-rate", "records", 4, 3, 1e6,
          "with a learning rate of 0 beside it: a warm-up prints that once, a scaler that searches some times"},
         {"tiny", "", 1e-7, 0, 1,
          "below the resolution of fp32 at a norm of one: an update of that size changes no weight"},
         {"share", "of the level before", 1e-4, 0, 0.1,
          "gradients that shrink ten-thousandfold within a run are cut off somewhere, not small"}},
    .sentences = with_loss_sentences(
        {{"zero", "grad norm is 0 in {records} records (steps {steps}) and the loss does not move",
          "第 {steps} 步共 {records} 条记录的梯度范数为 0，loss 没有变化"},
         {"solved",
          "loss and grad norm fell to nothing at step {step}, from one record to the next: the targets are constant, "
          "masked, or to be seen in the input",
          "第 {step} 步起 loss 和梯度范数骤降为几乎为零：标签是常数、被屏蔽，或者输入中已能看到答案"},
         {"zero-without-rate", "grad norm and learning rate are 0 in {records} records (steps {steps})",
          "第 {steps} 步共 {records} 条记录的梯度范数和学习率都是 0"},
         {"no-rate", "the learning rate is 0 meanwhile: no weight moves", "其间学习率为 0：权重不会变化"},
         {"fell", "grad norm fell from {level} to nothing at step {step} and stayed there for {records} records",
          "第 {step} 步起梯度范数从 {level} 降到几乎为零，持续 {records} 条记录"},
         {"no-norm", "needs a grad norm in the log", "需要日志中有梯度范数"},
         {"loss-flat", "the loss is flat at {loss} meanwhile", "其间 loss 停在 {loss} 不动"},
         {"check-graph",
          "check, in this order: are all labels masked (-100)? do the parameters require gradients and belong to the "
          "optimizer? is the loss detached, or scaled to zero?",
          "依次检查：标签是否全被屏蔽（-100）；参数是否需要梯度、是否在优化器中；loss 是否被 detach 或被缩放成零"}}),
    .docs = {.finds = "A grad norm that is zero, or has shrunk to a ten-thousandth of its level, for many records "
                      "while the loss stands still.",
             .matters = "No weight changes any more; every further step is wasted.",
             .decides =
                 "A stretch of `records` records at or below `tiny`, or below `share` of the median before. The "
                 "loss within it must not move: a change between its first and last quarter of less than 2 % "
                 "and within the noise. Where it moves, the norm was not measured or printed with too few "
                 "decimals. Where the log has neither a loss nor any other norm before, nothing is said. A learning "
                 "rate of 0 in the same records is as good a witness, from `records-without-rate` on; "
                 "so is a loss that fell to less than 0.0001 from one record to the next, from two records on. An "
                 "error if it lasts to the end for `records` records, else a warning; a note where rewards are logged.",
             .example = "`grad norm fell from 0.412 to nothing at step 3,020 and stayed there for 480 records`",
             .to_do = "See the action: masked labels, frozen or unregistered parameters, a detached loss.",
             .false_alarms = "A plateau whose norm is printed with one decimal.",
             .references = "Megatron-DeepSpeed prints `grad norm: 0.000` for a norm that it did not compute (public "
                           "BigScience logs). huggingface/accelerate#2665 (optimizer holds other parameters). "
                           "pytorch/pytorch#116349 (all labels masked)."},
    .judge = judge};

}  // namespace assay
