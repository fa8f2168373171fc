// Spike, divergence, or just the beginning?
//
// One walk (departures.h) finds where the loss leaves its level. What it is called depends on what became of it:
// - It began within the first 50 records and the first quarter of the run, or within the warm-up, at a level that
//   training had hardly left (70 % of the first loss) or with a peak above the first loss, and it came back (or is more
//   than half way back where the log ends in that same early part): an initial transient. Adam's first steps, a
//   learning rate that starts high, fp16 scale search: 6.9 -> 24.7 at step 2 and healthy ever after.
// - It came back: a spike. One that has lost half of its height and ends within a tenth of its level came back as well:
//   that far the level itself may move while a spike heals, and no less than a tenth is called a divergence.
// - It did not come back within its segment: a divergence, once 16 records (or their length in steps: excerpts leave
//   records out) follow its onset, or when it ends in NaN. Sooner nobody can tell: a spike that is not yet over.
// - Either may be a step up: within 16 records at a new level, less than 30 % higher, without overshoot, which then
//   falls on or holds. So does a harder stage of the data look; an optimizer that lost its way overshoots or climbs.
// - No departure lasts, but the end lies above what had been reached: a slow rise (drift.h), a divergence too.
// A restart does not begin anew: the level is that of the records before the step at which the run goes on. An event
// that begins there belongs to the restart. One that was open when the run stopped and is still open when it goes on is
// one event; a later segment that is back at the level repairs what went before.

#include "measure/loss_events.h"

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "measure/drift.h"
#include "measure/non_finite.h"
#include "measure/resumes.h"
#include "measure/scaler.h"
#include "measure/training_kind.h"
#include "stat/quantile.h"

namespace assay {
namespace {

constexpr double kBackShare = 1.0 / 3;  // of the height lost again: on its way back
constexpr double kHalfWay = 0.5;
constexpr double kTwice = 2;
constexpr std::size_t kFewest = 3;
constexpr double kSteady = 0.3;
constexpr double kLearned = 0.9;     // of the first loss: above it nothing had been learned
constexpr double kSameLevel = 0.05;  // of the first loss: the level at which training began
constexpr double kWellTrained = 0.5;
constexpr std::size_t kTailRecords = 16;
constexpr double kLargestStep = 0.3;  // of the scale; a harder stage of data costs less
constexpr double kOvershoot = 1.5;    // of the height of a step: the highest tenth of its first records
constexpr double kRisesOn = 0.25;
// The beginning is the first quarter of a run whose length is told or long past; of a short log nobody knows of what
// run it is the beginning, so ten records are always one.
constexpr double kBeginningShare = 0.25;
constexpr std::size_t kSurelyBeginning = 10;
constexpr std::size_t kFirstRecords = 3;  // of a segment: what begins there came with the restart

double first_finite(std::span<const double> values) {
  const auto found = std::find_if(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  return found == values.end() ? std::nan("") : *found;
}

double median_of_last(std::span<const double> values) {
  return median(values.last(std::min(values.size(), kTailRecords)));
}

class Classifier {
 public:
  Classifier(const Run& run, std::size_t index, const Series& loss, const LossEventOptions& set, bool higher)
      : run_(run), segment_(run.segments[index]), index_(index), loss_(loss), set_(set), values_(loss.values.span()) {
    first_ = first_finite(values_);
    const auto not_positive = std::find_if(values_.begin(), values_.end(), [](double x) { return x <= 0; });
    first_not_positive_ = static_cast<std::size_t>(not_positive - values_.begin());
    starts_ = begins_at_start(run, index);
    warmup_end_ = warmup_end_row(segment_);
    higher_after_restart_ = higher;
  }

  std::vector<LossEvent> run() {
    DepartureOptions options;
    options.sigmas = set_.sigmas;
    options.rise = set_.rise;
    options.back = std::min(options.back, set_.rise);
    options.mad_floor = mad_floor_of(values_);
    if (set_.beginnings) options.onsets = end_of_beginning();
    std::vector<LossEvent> out;
    bool lasting = set_.beginnings;  // slow rises do not matter there
    const std::vector<double> before = values_before(run_, index_, loss_.metric);
    for (const Departure& shape : find_departures(values_, options, before)) {
      if (begins_low(shape)) continue;
      out.push_back(classify(shape));
      lasting = lasting || out.back().to_the_end;
    }
    if (!lasting) add_drift(out);
    return out;
  }

 private:
  LossEvent event_of(const Departure& shape) const {
    LossEvent event;
    event.segment = index_;
    event.loss = &loss_;
    event.shape = shape;
    event.positive = shape.last < first_not_positive_;
    event.at_restart = higher_after_restart_ && shape.onset < kFirstRecords;
    return event;
  }

  LossEvent classify(Departure shape) const {
    if (!shape.regained && shape.after_count == 0 && vanishes()) shape.ends_non_finite = true;
    LossEvent event = event_of(shape);
    event.to_the_end = !shape.regained;
    if (event.to_the_end) {
      event.end_rise = (shape.after - shape.level) / shape.scale;
      event.unlearned = early(shape.onset) && event.positive && shape.level > kLearned * first_;
      // From the very start on there is no level to come back to: then the peak is what it falls from.
      event.coming_back = event.unlearned
                              ? shape.peak_value - shape.after > kBackShare * (shape.peak_value - shape.level)
                              : comes_back(shape);
      event.repaired = repaired_later(shape.edge);
      event.back_to_start = starts_ && event.positive && shape.level < kWellTrained * first_ &&
                            std::fabs(shape.after - first_) <= kSameLevel * first_;
    }
    look_for_step(event);
    const double left = event.to_the_end ? shape.peak_value - shape.after : 0;
    event.nearly = event.to_the_end && !shape.ends_non_finite && can_tell(shape) && event.end_rise < set_.drift_rise &&
                   left >= kHalfWay * (shape.peak_value - shape.level);
    if (is_transient(event)) {
      event.kind = LossEventKind::kTransient;
    } else if (event.to_the_end && !event.nearly && can_tell(shape)) {
      event.kind = LossEventKind::kDivergence;
    }
    return event;
  }

  void look_for_step(LossEvent& event) const {
    const Departure& shape = event.shape;
    const std::size_t records = shape.records();
    if (records < 2 * kTailRecords || shape.ends_non_finite || !event.positive) return;
    event.stepped_to = median(values_.subspan(shape.onset, kTailRecords));
    const double height = event.stepped_to - shape.level;
    const double top = quantile(values_.subspan(shape.onset, 2 * kTailRecords), 0.9) - shape.level;
    const double end = median(values_.subspan(shape.last + 1 - kTailRecords, kTailRecords)) - shape.level;
    event.step_up = height < kLargestStep * shape.scale && top <= kOvershoot * height && end <= (1 + kRisesOn) * height;
  }

  // After a resume some trainers divide the first mean by steps that they did not run: one or two records far below a
  // loss that is steady ever after. The beginning is wrong, not the rest.
  bool begins_low(const Departure& shape) const {
    if (starts_ || shape.regained || shape.before_count > 2 || values_.size() < shape.onset + 2 * kTailRecords)
      return false;
    const double begin = median(values_.subspan(shape.onset, kTailRecords));
    return std::fabs(median_of_last(values_) - begin) <= kSteady * std::fabs(begin);
  }

  bool early(std::size_t i) const {
    if (!starts_) return false;
    if (warmup_end_ && loss_.row_of(i) <= *warmup_end_) return true;
    return i < kSurelyBeginning || (i < set_.transient_records && in_first_quarter(i));
  }

  bool in_first_quarter(std::size_t i) const {
    const auto last = static_cast<double>(std::max(loss_.last_step(), run_.planned_steps.value_or(0)));
    const auto first = static_cast<double>(loss_.first_step());
    return static_cast<double>(loss_.step(i)) - first <= kBeginningShare * (last - first);
  }

  // An alarm may come some records after the onset.
  std::size_t end_of_beginning() const {
    if (!starts_) return kFirstRecords + kTailRecords;  // what goes on from the part before
    const std::size_t warm = warmup_end_ ? loss_.at_or_after_row(*warmup_end_) : 0;
    return std::max(set_.transient_records, warm) + DepartureOptions{}.window;
  }

  bool is_transient(const LossEvent& event) const {
    const Departure& shape = event.shape;
    if (!early(shape.onset) || shape.ends_non_finite) return false;
    const bool untrained = event.positive && shape.level >= set_.untrained * first_;
    if (!untrained && shape.peak_value < first_) return false;
    if (!event.to_the_end) return true;
    return early(values_.size() - 1) && half_way_back(shape);
  }

  // Three records after the peak show where it goes; fewer do not.
  bool half_way_back(const Departure& shape) const {
    const auto rest = values_.subspan(shape.peak + 1);
    if (rest.size() < kFewest) return false;
    return median(rest.last(kFewest)) <= shape.level + kHalfWay * (shape.peak_value - shape.level);
  }

  bool comes_back(const Departure& shape) const {
    const auto rest = values_.subspan(shape.half_last);
    if (rest.size() < 4) return false;
    const double begin = median(rest.first(std::min(rest.size() / 2, kTailRecords)));
    return begin - shape.after > kBackShare * (begin - shape.level);
  }

  bool can_tell(const Departure& shape) const {
    if (shape.ends_non_finite) return true;
    if (values_.size() - shape.onset >= set_.tell) return true;
    const std::int64_t covered = loss_.last_step() - loss_.step(shape.onset);
    return covered >= static_cast<std::int64_t>(set_.tell) * spacing_before(loss_, shape.onset);
  }

  bool repaired_later(double edge) const {
    for (std::size_t i = index_ + 1; i < run_.segments.size(); ++i) {
      if (begins_at_start(run_, i)) continue;  // another run, or this one from the start: it repairs nothing
      const Series* later = run_.segments[i].find(loss_.metric);
      if (later != nullptr && !later->empty() && median_of_last(later->values.span()) <= edge) return true;
    }
    return false;
  }

  // The loss is not printed any more although training goes on: the next value was NaN.
  bool vanishes() const {
    const std::size_t last_row = loss_.row_of(loss_.size() - 1);
    const auto hidden = hidden_losses(run_, index_, skip_history(run_, index_, scaler_history(run_, index_)));
    return std::any_of(hidden.begin(), hidden.end(), [&](const HiddenLoss& one) {
      return one.metric == loss_.metric && one.to_the_end && one.first_row > last_row;
    });
  }

  void add_drift(std::vector<LossEvent>& out) const {
    DriftOptions options;
    options.rise = set_.drift_rise;
    const auto drift = find_drift(values_, options);
    if (!drift) return;
    Departure shape;
    shape.onset = shape.alarm = drift->onset;
    shape.last = shape.half_last = values_.size() - 1;
    shape.peak = drift->onset;
    for (std::size_t i = drift->onset; i < values_.size(); ++i) {
      if (values_[i] > values_[shape.peak]) shape.peak = i;
    }
    shape.level = drift->level;
    shape.peak_value = drift->highest;
    shape.after = drift->end;
    shape.rise = drift->rise;
    shape.scale = (drift->end - drift->level) / drift->rise;
    shape.edge = drift->level + 0.05 * shape.scale;
    shape.z = (drift->end - drift->level) / drift->sigma;
    shape.before_count = drift->onset;
    LossEvent event = event_of(shape);
    event.kind = LossEventKind::kDivergence;
    event.slow = true;
    look_for_step(event);
    event.to_the_end = true;
    event.end_rise = drift->rise;
    event.coming_back = drift->coming_back;
    event.unlearned = drift->level > kLearned * first_;
    event.repaired = repaired_later(shape.edge);
    // A spike inside the slow rise is a part of it.
    std::erase_if(out, [&](const LossEvent& one) {
      return one.shape.onset >= shape.onset && one.kind == LossEventKind::kSpike && one.shape.records() > kTailRecords;
    });
    out.push_back(event);
  }

  const Run& run_;
  const Segment& segment_;
  std::size_t index_;
  const Series& loss_;
  const LossEventOptions& set_;
  std::span<const double> values_;
  double first_ = 0;
  std::size_t first_not_positive_ = 0;
  bool starts_ = false;
  bool higher_after_restart_ = false;
  std::optional<std::size_t> warmup_end_;
};

// An event that was open when its segment ended, and what the next one begins with.
void join_across_restarts(const Run& run, std::vector<LossEvent>& events) {
  for (std::size_t i = 1; i < events.size();) {
    LossEvent& open = events[i - 1];
    const LossEvent& next = events[i];
    const bool one = open.to_the_end && next.segment == open.segment + 1 && next.shape.onset < kFirstRecords &&
                     continues(run, next.segment) && next.loss->metric == open.loss->metric;
    if (!one) {
      ++i;
      continue;
    }
    open.repaired = open.repaired || !next.to_the_end;
    if (next.to_the_end) {
      open.kind = LossEventKind::kDivergence;
      open.shape.after = next.shape.after;
      open.end_rise = next.end_rise;
      open.coming_back = next.coming_back;
    }
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

std::vector<const Series*> judged_losses(const Segment& segment) {
  std::vector<const Series*> out;
  const Series* train = segment.find(metric::kLoss);
  const Series* evaluation = segment.find(metric::kEvalLoss);
  const bool trained = train != nullptr && !train->empty();
  if (trained) out.push_back(train);
  if (evaluation == nullptr || evaluation->empty()) return out;
  const bool half = trained && 2 * train->last_step() >= segment.first_step() + segment.last_step();
  if (!half) out.push_back(evaluation);
  return out;
}

std::vector<LossEvent> loss_events(const Run& run, const LossEventOptions& options) {
  std::vector<LossEvent> out;
  std::vector<bool> higher(run.segments.size());  // after the restart with which the segment begins
  for (const Resume& one : find_resumes(run)) {
    if (one.row == 0 && one.loss) higher[one.segment] = one.loss->goes == LossAcross::Goes::kHigher;
  }
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    for (const Series* loss : judged_losses(run.segments[i])) {
      const auto found = Classifier(run, i, *loss, options, higher[i]).run();
      out.insert(out.end(), found.begin(), found.end());
    }
  }
  join_across_restarts(run, out);
  return out;
}

std::vector<LossEvent> evaluation_jumps(const Run& run, const LossEventOptions& options,
                                        std::span<const LossEvent> told) {
  std::vector<LossEvent> out;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Series* evaluation = run.segments[i].find(metric::kEvalLoss);
    const auto judged = judged_losses(run.segments[i]);
    if (evaluation == nullptr || evaluation->empty() || std::ranges::find(judged, evaluation) != judged.end()) continue;
    for (const LossEvent& event : Classifier(run, i, *evaluation, options, false).run()) {
      const Departure& shape = event.shape;
      if (!event.to_the_end || event.slow || !event.positive || shape.onset == 0 || shape.records() < 2) continue;
      const double height = shape.peak_value - shape.level;
      const bool jumps = evaluation->value(shape.onset) >= shape.level + kHalfWay * height;
      const bool doubled = std::min(shape.after, evaluation->values.back()) >= kTwice * shape.level;
      const std::int64_t since = evaluation->step(shape.onset - 1);
      const bool known = std::ranges::any_of(told, [&](const LossEvent& one) {
        return one.segment == i && one.last_step() >= since && one.onset_step() <= event.last_step();
      });
      if (jumps && doubled && !known) out.push_back(event);
    }
  }
  return out;
}

}  // namespace assay
