// The schedule that the logged learning rate draws.
//
// Why: a schedule stands in a configuration in one unit, is counted by the program in another, and is computed with the
// steps that the program believes in. What acted is what was logged. Read from there, it can be compared with what was
// asked for, and with the length of the run.
//
// How. The points of the run are put into one line (rates_of): of steps that were run again after a restart the last
// time counts; where a segment goes on with another rate (by more than kAnew of the peak beyond the interval's own
// change), the schedule was set anew and what stands before belongs to the old one. Rates of 0 between others are
// skipped steps. Then, from left to right:
//  1. Warm-up: values that rise, without a fall by more than a tenth, from the first record to the first one at the
//     peak (within how it was printed, or a thousandth). The records before it give the slope, by least squares; where
//     they lie on a line, that line meets the peak between two records, and tells the end of the warm-up to a step
//     although only every hundredth may be logged. It also tells the length from 0: a warm-up that begins late, after
//     the skipped steps of a loss scale's search, is as long as it was asked to be.
//  2. Plateau: until the last record at the peak. A cosine is flat at its top; so the decay is fitted from the end of
//     the warm-up first, and from the end of the plateau only if no form fits.
//  3. Floor: the longest stretch at the end that stays at one value (at least kFlat records), well below the peak.
//  4. Decay: what lies between, by schedule_fit.h. Where a form fits, its end is where the curve meets the floor: a
//     cosine printed with five decimals looks flat long before it is over. Where none does, the first record there,
//     unless the values before fall through the last quanta of the print: such a zero is only known to be below half a
//     quantum, such a minimum to half of one, and then no floor was seen.
//     Falls by a few clear steps (kSteps) and curves that climb back (kRestarts) are found before anything is fitted.
//
// Limits: one learning rate; of groups of parameters with several, the reader's canonical one. An excerpt from the
// middle tells no warm-up. A run that was killed in its first tenth tells no form.

#include "measure/seen_schedule.h"

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "core/axis.h"
#include "measure/resumes.h"
#include "measure/scaler.h"
#include "stat/quantum.h"

namespace assay {

namespace {

constexpr std::size_t kFewest = 3;
constexpr double kAtPeak = 1e-3;           // of the peak: rounding in single precision, and more
constexpr double kAnew = 0.05;             // of the peak
constexpr double kDip = 0.1;               // of the peak: a fall that ends a rise
constexpr double kClimb = 0.2;             // of the peak: a rise after a fall that is a restart
constexpr std::size_t kFlat = 3;           // records
constexpr double kHigh = 0.5;              // of the peak: values that tell the quantum there
constexpr double kSinglePrecision = 1e-6;  // of a value, and more
constexpr std::size_t kTelling = 3;        // distinct values that tell decimals
constexpr double kSlow = 5;                // times what printing hides
constexpr double kWellBelow = 0.05;        // of the peak
constexpr double kOnLine = 0.02;           // of the peak: a warm-up that is linear
constexpr double kHalf = 0.51;       // of the quantum: what printing hides on one side, and the rounding of decimals
constexpr double kLastQuanta = 2.5;  // of a print with fixed decimals
constexpr std::size_t kHeld = 3;     // records for which a level of kSteps is held
constexpr std::size_t kFitted = 512;

// The segment goes on with another rate than the one before it ended with.
bool set_anew(const std::vector<RatePoint>& before, const std::vector<RatePoint>& now) {
  if (before.size() < 2 || now.size() < 2) return false;
  const RatePoint& end = before.back();
  const double own =
      std::max(std::fabs(end.rate - before[before.size() - 2].rate), std::fabs(now[1].rate - now[0].rate));
  const double gap = static_cast<double>(std::max<std::int64_t>(now[0].step - end.step, 1));
  const double width = static_cast<double>(std::max<std::int64_t>(end.step - before[before.size() - 2].step, 1));
  const double expected = 2 * own * std::max(1.0, gap / width);
  return std::fabs(now[0].rate - end.rate) > kAnew * std::max(end.rate, now[0].rate) + expected;
}

std::vector<RatePoint> points_of(const Run& run, std::size_t index) {
  std::vector<RatePoint> out;
  const Series* rate = run.segments[index].find(metric::kLearningRate);
  if (rate == nullptr) return out;
  out.reserve(rate->size());
  for (std::size_t i = 0; i < rate->size(); ++i) {
    if (std::isfinite(rate->value(i)) && rate->value(i) >= 0) {
      out.push_back({rate->step(i), rate->value(i), rate->line(i), index});
    }
  }
  return out;
}

// A 0 between two rates that are like each other is of a step that was skipped.
void drop_skipped(std::vector<RatePoint>& points) {
  std::vector<RatePoint> out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].rate == 0 && !out.empty() && out.back().rate > 0) {
      std::size_t next = i;
      while (next < points.size() && points[next].rate == 0) ++next;
      if (next < points.size() && points[next].rate > out.back().rate / 2 && points[next].rate < 2 * out.back().rate) {
        i = next - 1;
        continue;
      }
    }
    out.push_back(points[i]);
  }
  points = std::move(out);
}

std::vector<double> values_of(const std::vector<RatePoint>& points) {
  std::vector<double> out;
  out.reserve(points.size());
  for (const RatePoint& p : points) out.push_back(p.rate);
  return out;
}

// Rates an order of magnitude apart with as many decimals were printed with fixed ones: then the last is the quantum.
std::optional<double> fixed_decimals(const std::vector<double>& values, double at) {
  std::vector<double> high, low;
  for (const double one : values) {
    if (one > 0) (one > at / 10 ? high : low).push_back(one);
  }
  const auto above = decimal_quantum(high);
  const auto below = decimal_quantum(low);
  if (!above || !below || above->distinct < kTelling || below->distinct < kTelling) return std::nullopt;
  return above->decimals == below->decimals ? std::optional(above->step()) : std::nullopt;
}

// A ramp of few records has few digits, however many were printed (0.2, 0.4, … 1.0 of 1e-4): what was told apart near
// the peak bounds the quantum.
double quantum_of(const std::vector<RatePoint>& points, double at) {
  std::vector<double> values = values_of(points);
  if (const auto fixed = fixed_decimals(values, at)) return *fixed;
  const auto quantum = decimal_quantum(values);
  double out = quantum ? quantum->step_at(at) : 0;
  std::sort(values.begin(), values.end());
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i - 1] < kHigh * at) continue;
    // Closer than single precision can tell are one value.
    const double apart = values[i] - values[i - 1];
    if (apart > kSinglePrecision * at) out = std::min(out, apart);
  }
  return out;
}

// To what a rate near the end was printed; 0 has the last decimal that any value has.
double quantum_at_end(const std::vector<RatePoint>& points, double at) {
  const auto quantum = decimal_quantum(values_of(points));
  return quantum ? quantum->step_at(at) : 0;
}

// Places at which the rate climbs back after it has fallen.
std::vector<std::size_t> climbs_of(const std::vector<RatePoint>& points, double peak) {
  std::vector<std::size_t> out;
  double high = points.front().rate;  // since the last climb
  double low = high;                  // since that
  std::size_t lowest = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double rate = points[i].rate;
    if (high - low < kClimb * peak) {
      // Nothing has fallen yet.
      if (rate >= high) {
        high = low = rate;
        continue;
      }
    } else if (rate - low >= kClimb * peak) {
      out.push_back(lowest + 1);
      high = low = rate;
      continue;
    }
    if (rate < low) {
      low = rate;
      lowest = i;
    }
  }
  return out;
}

class Shape {
 public:
  explicit Shape(SeenSchedule& out) : out_(out), points_(out.points) {}

  void find() {
    for (const RatePoint& p : points_) out_.peak = std::max(out_.peak, p.rate);
    out_.quantum = quantum_of(points_, out_.peak);
    out_.climbs = climbs_of(points_, out_.peak);
    const std::size_t end = out_.climbs.empty() ? points_.size() : out_.climbs.front();
    rise(end);
    if (!out_.climbs.empty()) {
      out_.form = DecayForm::kRestarts;
      return;
    }
    plateau();
    if (out_.still_rising || out_.peak_to + 1 >= points_.size()) return;
    flat_end();
    if (levels()) return;
    decay();
  }

 private:
  double near(double rate) const { return std::max(out_.quantum, kAtPeak * rate); }
  // At the top: printed as the top is. A ramp of few records differs from it by a whole quantum.
  double at_top(double rate) const { return std::max(kHalf * out_.quantum, kAtPeak * rate); }
  double step(std::size_t i) const { return static_cast<double>(points_[i].step); }

  // Up to the first record at the top of the stretch [0, end).
  void rise(std::size_t end) {
    double top = 0;
    for (std::size_t i = 0; i < end; ++i) top = std::max(top, points_[i].rate);
    std::size_t at = 0;
    while (points_[at].rate < top - at_top(top)) ++at;
    out_.peak_from = at;
    if (at == 0) return;
    double high = 0;
    for (std::size_t i = 0; i < at; ++i) {
      if (points_[i].rate < high - kDip * top) return;  // no warm-up: it wanders
      high = std::max(high, points_[i].rate);
    }
    out_.still_rising = at + 1 == points_.size();
    WarmUp warm;
    warm.from = points_.front().rate;
    warm.not_before = points_[at - 1].step;
    warm.not_after = points_[at].step;
    warm.end = step(at);
    line(at, top, warm);
    out_.warm_up = warm;
  }

  void line(std::size_t at, double top, WarmUp& warm) const {
    // Equal records at the beginning are steps that were skipped.
    std::size_t begin = 0;
    while (begin + 1 < at && points_[begin + 1].rate <= points_[begin].rate) ++begin;
    const std::size_t end = out_.still_rising ? at + 1 : at;
    if (end < begin + 2) return;
    double mean_x = 0;
    double mean_y = 0;
    const auto n = static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      mean_x += step(i) / n;
      mean_y += points_[i].rate / n;
    }
    double xx = 0;
    double xy = 0;
    for (std::size_t i = begin; i < end; ++i) {
      xx += (step(i) - mean_x) * (step(i) - mean_x);
      xy += (step(i) - mean_x) * (points_[i].rate - mean_y);
    }
    if (!(xx > 0) || !(xy > 0)) return;
    const double slope = xy / xx;
    for (std::size_t i = begin; i < end; ++i) {
      const double off = points_[i].rate - mean_y - slope * (step(i) - mean_x);
      if (std::fabs(off) > std::max(kOnLine * top, 2 * out_.quantum)) return;
    }
    warm.linear = true;
    warm.length = top / slope;
    if (out_.still_rising) return;
    warm.end = std::clamp(mean_x + (top - mean_y) / slope, static_cast<double>(warm.not_before),
                          static_cast<double>(warm.not_after));
  }

  void plateau() {
    out_.peak_to = out_.peak_from;
    for (std::size_t i = out_.peak_from; i < points_.size(); ++i) {
      if (points_[i].rate >= out_.peak - at_top(out_.peak)) out_.peak_to = i;
    }
  }

  void flat_end() {
    const double last = points_.back().rate;
    if (out_.peak - last < std::max(kWellBelow * out_.peak, 10 * out_.quantum)) return;
    std::size_t from = points_.size() - 1;
    const double same = std::max(out_.quantum, kAtPeak * (out_.peak - last));
    while (from > out_.peak_to + 1 && std::fabs(points_[from - 1].rate - last) <= same) --from;
    const std::size_t length = points_.size() - from;
    if (length < kFlat) return;
    // A curve that falls slowly looks flat when it is printed with few digits: as long a stretch before has to differ.
    const std::size_t before = std::max(out_.peak_to, from - std::min(length, from));
    if (points_[before].rate - last < kSlow * same) return;
    out_.floor = last;
    out_.floor_from = from;
  }

  // A few levels, each held: then the end of the last one is no end of a decay.
  bool levels() {
    std::size_t drops = 0;
    std::size_t held = 1;
    std::size_t shortest = points_.size();
    for (std::size_t i = out_.peak_from + 1; i < points_.size(); ++i) {
      const double fall = points_[i - 1].rate - points_[i].rate;
      if (fall <= near(points_[i - 1].rate)) {
        if (fall < -near(points_[i - 1].rate)) return false;
        ++held;
        continue;
      }
      // What printing alone makes of a line has steps too, of one unit each.
      if (fall <= 3 * out_.quantum) return false;
      shortest = std::min(shortest, held);
      held = 1;
      ++drops;
    }
    if (drops == 0 || shortest < kHeld || drops * kHeld * 2 > points_.size()) return false;
    out_.form = DecayForm::kSteps;
    out_.decay_from = step(out_.peak_to);
    out_.floor.reset();
    return true;
  }

  std::vector<DecayPoint> piece(std::size_t from, double begin, std::size_t to) const {
    std::vector<DecayPoint> out;
    const std::size_t stride = (to - from) / kFitted + 1;
    for (std::size_t i = from; i < to; ++i) {
      if ((i - from) % stride == 0 || i + 1 == to) out.push_back({step(i) - begin, points_[i].rate / out_.peak});
    }
    return out;
  }

  // The last values fall through the last quanta of the print: the curve may have gone on below what was printed, and
  // where it ends only its form can tell.
  bool hidden_end() const {
    if (!out_.floor || out_.floor_from == 0) return false;
    const double above = points_[out_.floor_from - 1].rate - *out_.floor;
    return above <= kLastQuanta * quantum_at_end(points_, *out_.floor);
  }

  void decay() {
    const std::size_t to = out_.floor ? out_.floor_from : points_.size();
    const double tolerance = out_.quantum / out_.peak;
    const std::optional<double> floor = out_.floor ? std::optional(*out_.floor / out_.peak) : std::nullopt;
    const double top = out_.warm_up ? out_.warm_up->end : step(out_.peak_from);
    out_.decay_from = top;
    out_.decay = piece(out_.peak_from, top, to);
    DecayFit fit = fit_decay(out_.decay, floor, tolerance);
    if (fit.form == DecayForm::kUnclear && out_.peak_to > out_.peak_from) {
      out_.decay_from = step(out_.peak_to);
      out_.decay = piece(out_.peak_to, out_.decay_from, to);
      fit = fit_decay(out_.decay, floor, tolerance);
    }
    out_.form = fit.form;
    out_.fit_error = fit.form == DecayForm::kUnclear ? 0 : fit.error;
    if (!fit.end && hidden_end()) out_.floor.reset();
    if (!out_.floor) {
      if (fit.form == DecayForm::kCosine && fit.end) out_.decay_end = out_.decay_from + *fit.end;
      return;
    }
    out_.decay_end = step(out_.floor_from);
    if (fit.end) out_.decay_end = std::max(step(out_.floor_from - 1), out_.decay_from + *fit.end);
  }

  SeenSchedule& out_;
  const std::vector<RatePoint>& points_;
};

}  // namespace

std::vector<RatePoint> rates_of(const Run& run) {
  std::vector<RatePoint> out;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    std::vector<RatePoint> now = points_of(run, i);
    if (now.empty()) continue;
    if (i > 0 && continues(run, i)) {
      while (!out.empty() && out.back().step >= now.front().step) out.pop_back();
      if (set_anew(out, now)) out.clear();
    } else {
      out.clear();
    }
    out.insert(out.end(), now.begin(), now.end());
  }
  drop_skipped(out);
  return out;
}

std::optional<double> SeenSchedule::end_at(double rate) const {
  if (floor) return decay_end;
  const auto end = assay::decay_end(form, decay, rate / peak);
  return end ? std::optional(decay_from + *end) : std::nullopt;
}

std::optional<SeenSchedule> seen_schedule(const Run& run) {
  SeenSchedule out;
  out.points = rates_of(run);
  if (out.points.size() < kFewest) return std::nullopt;
  Shape(out).find();
  if (!(out.peak > 0)) return std::nullopt;
  out.first = out.points.front().rate;
  out.last = out.points.back().rate;
  const std::size_t segment = out.points.front().segment;
  const Segment& part = run.segments[segment];
  out.counts_steps = axis_of(part.axis, part.last_step()) == Axis::kStep;
  // A job that resumed begins with its banner too, but not with the first steps.
  const std::int64_t spacing = record_spacing(part);
  const bool first_steps = !out.counts_steps || out.first_step() <= std::max(kStartUpSteps, 2 * spacing);
  out.from_start = begins_at_start(run, segment) && first_steps && out.first_step() <= part.first_step() + 2 * spacing;
  return out;
}

}  // namespace assay
