// Was it the learning rate?
//
// A loss that rose for good, or never left its start, has many causes. What points at the learning rate, each a sign:
//  1. when: the rate was still rising, or had come to its peak within three warm-ups. BLOOM's 104 B models were
//     unstable in just that time, and a run that explodes half-way up would not have survived the top;
//  2. grad norms that are wild before the trouble: their 90th percentile 5 times the median. Healthy runs have 1.15 to
//     1.8, a run with too high a rate 7.9;
//  3. a median norm ten times the clip threshold: clipping has taken over the learning rate's work;
//  4. an explosion: the loss ten times its level, or the grad norm a hundred times, in one event. Unusual data do not
//     do that to a model;
//  5. a rate beyond anything published for its size and optimizer.
// One sign alone is coincidence: every divergence happens at some rate. Where the rate had decayed to less than half of
// its peak nothing is ascribed to it. Spikes that came back are not looked at: healthy runs have them.

#include "rules/hyper/rate_trouble.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/metric.h"
#include "measure/loss_events.h"
#include "measure/plateau.h"
#include "measure/training_kind.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr double kWildSpread = 5;
constexpr double kFarOverClip = 10;
constexpr double kLossJump = 10;
constexpr double kNormJump = 100;
constexpr std::size_t kFewestNorms = 10;  // from which a 90th percentile means anything
constexpr std::int64_t kWarmups = 3;
constexpr double kAtPeak = 0.9;
constexpr double kHigh = 0.5;
constexpr double kBeyondPublished = 3;
constexpr double kStuckShare = 0.5;  // of the first loss

// The rate when the record `row` was written, and how it had come there. False: too low to be the cause, or not logged.
bool place_in_schedule(const Segment& segment, std::size_t row, RateTrouble& out) {
  const Series* rate = segment.find(metric::kLearningRate);
  if (rate == nullptr || rate->empty()) return false;
  const std::size_t at = std::min(rate->at_or_after_row(row), rate->size() - 1);
  const auto until = rate->values.span().first(at + 1);
  out.rate = rate->value(at);
  out.peak_rate = *std::max_element(until.begin(), until.end());
  if (!(out.rate > 0) || !std::isfinite(out.rate) || out.rate < kHigh * out.peak_rate) return false;
  const auto warm = warmup_end_row(segment);
  if (warm && row <= *warm) {
    out.phase = RateTrouble::Phase::kRising;
  } else {
    const std::int64_t start = segment.first_step();
    const std::int64_t warmup = warm ? segment.rows->step[*warm] - start : 0;
    const bool soon = segment.rows->step[row] - start <= kWarmups * warmup;
    if (soon && out.rate >= kAtPeak * out.peak_rate) out.phase = RateTrouble::Phase::kAtPeak;
  }
  if (out.phase != RateTrouble::Phase::kHigh) ++out.signs;
  return true;
}

void look_at_norms(const Run& run, const Segment& segment, std::size_t rows, RateTrouble& out) {
  const Series* norm = segment.find(metric::kGradNorm);
  if (norm == nullptr) return;
  std::vector<double> before;
  for (std::size_t i = 0; i < norm->size() && norm->row_of(i) < rows; ++i) {
    if (norm->value(i) > 0 && std::isfinite(norm->value(i))) before.push_back(norm->value(i));
  }
  if (before.size() < kFewestNorms) return;
  const double middle = median(before);
  const double spread = quantile(before, 0.9) / middle;
  if (spread >= kWildSpread) {
    out.spread = spread;
    ++out.signs;
  }
  const double clip = clip_threshold(run);
  if (clip > 0 && middle >= kFarOverClip * clip) {
    out.over_clip = middle / clip;
    ++out.signs;
  }
}

void look_at_size(const LossEvent& event, const Segment& segment, RateTrouble& out) {
  const double jump = event.positive && event.shape.level > 0 ? event.shape.peak_value / event.shape.level : 0;
  const auto grad = grad_reaction(segment, *event.loss, event.shape);
  const double norm = grad && grad->rose ? grad->ratio() : 0;
  if (jump < kLossJump && norm < kNormJump) return;
  out.jump = std::max(jump, norm);
  out.jump_of_norm = norm > jump;
  ++out.signs;
}

void look_at_rate(double greatest, RateTrouble& out) {
  if (!(greatest > 0) || out.rate < kBeyondPublished * greatest) return;
  out.published = out.rate / greatest;
  ++out.signs;
}

bool harmed(const Run& run, const LossEvent& event) {
  if (event.at_restart || event.repaired || level_moved(run, event)) return false;
  return event.kind == LossEventKind::kDivergence ||
         (event.kind == LossEventKind::kSpike && event.to_the_end && !event.came_back() && !event.coming_back);
}

std::optional<RateTrouble> from_event(const Run& run, const LossEvent& event, double greatest) {
  const Segment& segment = run.segments[event.segment];
  RateTrouble out;
  const std::size_t row = event.loss->row_of(event.shape.onset);
  if (!place_in_schedule(segment, row, out)) return std::nullopt;
  out.segment = event.segment;
  out.steps = {event.onset_step(), event.loss->step(event.shape.peak)};
  out.line = event.loss->line(event.shape.onset);
  out.loss = event.loss;
  out.before = event.shape.level;
  out.after = event.shape.peak_value;
  look_at_norms(run, segment, row, out);
  look_at_size(event, segment, out);
  look_at_rate(greatest, out);
  return out;
}

// A loss that stays where training began although the rate is high.
std::optional<RateTrouble> from_plateau(const Run& run, std::size_t index, double greatest) {
  const Segment& segment = run.segments[index];
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr || loss->size() < PlateauOptions{}.least || training_kind(run) != TrainingKind::kPretraining) {
    return std::nullopt;
  }
  const auto warm = warmup_end_row(segment);
  const std::size_t from = warm ? std::min(loss->at_or_after_row(*warm), loss->size()) : 0;
  const auto flat = longest_plateau(loss->values.span(), from, {});
  const bool stuck = flat && flat->level >= kStuckShare * loss->value(0) &&
                     static_cast<double>(flat->records) >= 0.2 * static_cast<double>(loss->size());
  RateTrouble out;
  if (!stuck || !place_in_schedule(segment, loss->row_of(flat->first), out)) return std::nullopt;
  out.what = RateTrouble::What::kStuck;
  out.segment = index;
  out.steps = {loss->step(flat->first), loss->step(flat->last)};
  out.line = loss->line(flat->first);
  out.loss = loss;
  out.before = loss->value(0);
  out.after = flat->level;
  look_at_norms(run, segment, segment.rows->size(), out);
  look_at_rate(greatest, out);
  return out;
}

}  // namespace

std::optional<RateTrouble> rate_trouble(const Run& run, int signs, double greatest) {
  std::optional<RateTrouble> best;
  const auto take = [&](const std::optional<RateTrouble>& one) {
    if (!one || one->signs < signs) return;
    if (!best || std::pair(one->segment, one->steps.first) < std::pair(best->segment, best->steps.first)) best = one;
  };
  for (const LossEvent& event : loss_events(run, {})) {
    if (harmed(run, event)) take(from_event(run, event, greatest));
  }
  for (std::size_t i = 0; !best && i < run.segments.size(); ++i) take(from_plateau(run, i, greatest));
  return best;
}

}  // namespace assay
