// Departures from the level of a series.
//
// What: one walk over a series that finds every stretch in which it lies clearly above where it lay before, with the
// place where the rise began, its peak, and where (and whether) the level was regained.
//
// Why this way
// - Mean and sigma are what a spike moves most. On healthy runs a 6-sigma rule over 128 records raises 10 to 15 alarms
//   in 20,000 steps; median and MAD of 64 records with z >= 8 and 10 % raise one or two.
// - The window holds accepted records only. During an event it is frozen, so that a spike does not raise the threshold
//   for the next one, and a level that stays up is not taken for normal.
// - z alone is not enough where the noise is tiny, a share of the level alone not where it is large: both are asked.
// - A share of the level means nothing for losses near zero or below (SI-SDR, policy objectives, a memorised corpus).
//   The scale is the level where all values so far were positive, but never less than a third of the range that the
//   series has covered; where it has been negative or zero the range alone. A loss of 0.01 that came down from 2 and
//   jumps to 0.03 has not moved.
// - While the loss falls, the median of 64 records is the level of 32 records ago, and what stands out of the present
//   need not stand out of the past: in the first third of a short pre-training log it would hide a spike of 50 %. So
//   each record is also compared with m, the median of the 9 before it. m lags by five records of the trend, and so it
//   did for the records before: the median of the last 16 rests x - m takes the trend out to first order. (A line
//   through the window is drawn off by the curvature of a loss and has to be fitted anew for each record; this is
//   rolling medians again.) A trend that has just bent, as at the border of an epoch, is not drawn on: the near level
//   is never below all of the last 9 records. Noise: the MAD of the rests or what the differences of neighbours
//   among 64 records tell, whichever is more; with fewer than 64 records before, it may be as much too small as the
//   root of 64 / n, and that much more is asked for. The near level is used where it is the lower one: where the loss
//   creeps up it would follow an event that builds up over some tens of records.
// - What came before a restart makes the level as well (`before`), for else each resume would be blind.
//
// Departure: x - level >= max(8 sigma, rise * scale), sigma = 1.4826 max(MAD, floor); the far level or the near one.
// Onset: from the alarm back over the records that lie above level + 3 sigma, or climb towards it from above
// level + back * scale; with the near level each record is measured from its own.
// Regained: at the first record at or below the upper edge, level + max(3 MAD, back * scale), from which on the median
// of 16 records (or of all that are left, at least two after more than one high record) is so too. Single records below
// the edge end nothing.
//
// A level that stays up is not taken for normal. But where it has moved by less than 30 % and settled (64 records later
// with noise as before), spikes that stand on it and come back to it are told as well.
//
// Few records before (less than 16, as in an excerpt or at the start of a run) make no MAD, and up to twice as many
// hold too much of the steep beginning. Then, in absolute terms (alone, or from 16 records on as well; few_records.h):
// x is at least 30 % above the floor and at least six times the noise above it (three times with up to eight records
// before, whose largest rise is a bound of the noise); or four records rise one after the other by 30 % in all, and by
// three times the largest fall before. The noise counts as 5 % at least. Whether that convinces is for others to judge
// (rules/excerpts.cpp): such a departure is only a candidate. Where the loss is negative anywhere, neither the
// floor nor so few records say anything: then only what stands 8 times the range of at least eight of them above the
// least is told.
//
// With Compare::kRatio the same walk runs over the logarithms: a grad norm lives on a log scale, and its decimals make
// the MAD zero unless it has a floor.
//
// Limits: a rise slower than about 8 sigma in 64 records is followed by the median and stays unseen here; drift.cpp
// looks for those.

#include "measure/departures.h"

#include <algorithm>
#include <cmath>

#include "measure/few_records.h"
#include "stat/quantile.h"
#include "stat/quantum.h"
#include "stat/rolling.h"

namespace assay {
namespace {

constexpr std::size_t kRegainRecords = 16;
constexpr std::size_t kAbsoluteUntil = 2;  // times `least`: young windows hold the steep beginning
constexpr std::size_t kNearRecords = 9;
constexpr std::size_t kLeastRests = 8;
constexpr double kChangeToMad = 1.0484 / kMadToSigma;  // median difference of neighbours, see trend.cpp
constexpr double kBeyondRange = 8;
constexpr double kLittle = 0.3;  // of the scale: a level that is further up is not taken for a new one
constexpr double kUsualNoise = 3;
constexpr std::size_t kMostQuantumValues = 4096;
constexpr double kLeastNoise = 0.05;  // of the scale: what few records hide
constexpr double kOnsetSigmas = 3;
constexpr std::size_t kMonotone = 4;

class Walk {
 public:
  Walk(std::span<const double> values, const DepartureOptions& options, std::span<const double> before)
      : values_(values),
        set_(options),
        accepted_(std::max<std::size_t>(options.window, 1)),
        near_(kNearRecords),
        rests_(std::max<std::size_t>(options.window / 4, 1)),
        changes_(std::max<std::size_t>(options.window, 1), 0.0),
        excess_(2 * std::max<std::size_t>(options.window, 1), 0.0),
        few_(kAbsoluteUntil * options.least),
        ratio_(options.compare == Compare::kRatio) {
    set_.absolute_rise = std::max(set_.absolute_rise, set_.rise);
    const auto negative = [](double x) { return x < 0; };
    around_zero_ = !ratio_ && std::any_of(values.begin(), values.end(), negative);
    for (const double x : before) {
      if (std::isfinite(x) && (!ratio_ || x > 0)) accept(ratio_ ? std::log(x) : x);
    }
  }

  std::vector<Departure> run() {
    std::vector<Departure> found;
    const std::size_t end = std::min(values_.size(), set_.onsets);
    for (std::size_t i = first_measured(); i < end; ++i) {
      if (!usable(i)) continue;
      const double x = height(i);
      excess_[i % excess_.size()] = rests_.empty() ? 0 : x - near_level();
      const bool robust = accepted_.size() >= set_.least && leaves_level(x);
      const bool few = accepted_.size() < set_.least || (!ratio_ && count_ < kAbsoluteUntil * set_.least);
      if (robust || (few && leaves_floor(i))) {
        add(found, follow(i, robust));
        if (!found.back().regained) {  // to the end of the series
          look_beyond(found);
          break;
        }
        i = found.back().last;
        free_from_ = i + 1;
      } else {
        accept(x);
      }
    }
    return found;
  }

 private:
  struct Base {
    double level = 0;
    double sigma = 0;
    double scale = 0;
    double edge = 0;
    bool near = false;
  };

  // Zeros before the first other value say that nothing had been measured yet.
  std::size_t first_measured() const {
    std::size_t i = 0;
    while (i < values_.size() && values_[i] == 0) ++i;
    return i;
  }

  bool usable(std::size_t i) const { return std::isfinite(values_[i]) && (!ratio_ || values_[i] > 0); }
  double height(std::size_t i) const { return ratio_ ? std::log(values_[i]) : values_[i]; }
  double unit(double walked) const { return ratio_ ? std::exp(walked) : walked; }

  void accept(double x) {
    if (!ratio_) {  // grad norms do not fall like a loss
      if (near_.full()) rests_.push(x - near_.median());
      if (!near_.empty()) changes_[change_count_++ % changes_.size()] = std::fabs(x - latest_);
      near_.push(x);
      latest_ = x;
    }
    accepted_.push(x);
    low_ = std::min(low_, x);
    high_ = std::max(high_, x);
    few_.add(x);
    ++count_;
  }

  double scale_at(double level) const {
    if (ratio_) return 1;
    const double third = (high_ - low_) / 3;
    const double scale = low_ > 0 ? std::max(level, third) : high_ - low_;
    return scale > 0 ? scale : std::max(std::fabs(level), 1e-12);
  }
  // A share of the scale as a difference of heights.
  double share(double of_scale, double scale) const { return ratio_ ? std::log1p(of_scale) : of_scale * scale; }

  double sigma_of(double mad, double level) const {
    const double floor = std::max(set_.mad_floor, ratio_ ? 0.0 : 1e-3 * std::fabs(level));
    return kMadToSigma * std::max(mad, floor);
  }

  // Never below all of the last records: a trend that has just bent is not to be drawn on.
  double near_level() const { return std::max(near_.median() + rests_.median(), near_.sorted().front()); }

  // Noise that few records tell may be twice as large.
  double unsure() const {
    return std::sqrt(static_cast<double>(accepted_.capacity()) / static_cast<double>(accepted_.size()));
  }
  double near_mad() const {
    const auto recent = std::span(changes_).first(std::min(change_count_, changes_.size()));
    return std::max(rests_.mad(), kChangeToMad * median(recent));
  }

  bool leaves_near(double x) const {
    if (rests_.size() < kLeastRests) return false;
    const double level = near_level();
    if (level >= accepted_.median() || x - level < share(set_.rise, scale_at(level))) return false;
    return x - level >= set_.sigmas * unsure() * sigma_of(near_mad(), level);
  }
  bool leaves_far(double x) const {
    const double level = accepted_.median();
    if (x - level < share(set_.rise, scale_at(level))) return false;  // nearly always: the MAD is not needed
    return x - level >= set_.sigmas * sigma_of(accepted_.mad(), level);
  }
  bool leaves_level(double x) const { return leaves_near(x) || leaves_far(x); }

  // --- few records before ---

  double noise_of_few(double floor, std::size_t without = 0) const {
    const double least = std::max(share(kLeastNoise, scale_at(floor)), sigma_of(0, floor));
    return std::max(few_.noise(without), least);
  }

  bool leaves_floor(std::size_t i) const {
    if (few_.empty()) return false;
    const double floor = few_.floor();
    const double scale = scale_at(floor);
    const double above = height(i) - floor;
    // Around zero no share of the level tells, and so few records tell no noise: only what dwarfs all of them does.
    if (around_zero_) return !few_.very_few() && above >= kBeyondRange * (high_ - low_);
    const double rise = share(set_.absolute_rise, scale);
    if (above < rise) return false;
    double noise = noise_of_few(floor);
    if (few_.very_few()) noise = std::max(noise, later_rises(ahead_of(i), floor + rise));
    if (above >= few_.wanted(set_.absolute_noise) * noise) return true;
    return few_.rises_step_by_step(height(i), rise, sigma_of(0, floor));
  }

  // The next records behind i, as many as stand for a level.
  std::vector<double> ahead_of(std::size_t i) const {
    std::vector<double> next;
    for (++i; i < values_.size() && next.size() < kRegainRecords; ++i) {
      if (usable(i)) next.push_back(height(i));
    }
    return next;
  }

  // --- during an event ---

  Base base_now(double x, bool robust) const {
    Base base;
    base.near = robust && leaves_near(x);
    base.level = base.near ? near_level() : robust ? accepted_.median() : few_.floor();
    base.scale = scale_at(base.level);
    if (robust) {
      const double mad = sigma_of(base.near ? near_mad() : accepted_.mad(), base.level) / kMadToSigma;
      base.sigma = kMadToSigma * mad;
      base.edge = base.level + std::max(3 * mad, share(set_.back, base.scale));
    } else {
      base.sigma = noise_of_few(base.level);
      // The floor of noisy records lies below their level by about as much as the noise.
      const double slack = few_.very_few() ? 0.0 : 3 * base.sigma;
      base.edge = base.level + std::max(share(set_.absolute_rise, base.scale), slack);
    }
    return base;
  }

  // Median of the next records from `from` on, and of how many.
  std::pair<double, std::size_t> ahead(std::size_t from) const {
    double next[kRegainRecords];
    std::size_t n = 0;
    for (std::size_t i = from; i < values_.size() && n < kRegainRecords; ++i) {
      if (usable(i)) next[n++] = height(i);
    }
    if (n == 0) return {std::numeric_limits<double>::quiet_NaN(), 0};
    return {median_in_place({next, n}), n};
  }

  double median_of_last(std::size_t from) const {
    double last[kRegainRecords];
    std::size_t n = 0;
    for (std::size_t i = values_.size(); i-- > from && n < kRegainRecords;) {
      if (usable(i)) last[n++] = height(i);
    }
    return median_in_place({last, n});
  }

  std::size_t walk_back(std::size_t alarm, const Base& base) const {
    std::size_t onset = alarm;
    const double clear = base.level + kOnsetSigmas * base.sigma;
    const double climbing = base.level + share(set_.back, base.scale);
    for (std::size_t k = alarm; k-- > free_from_ && alarm - k <= set_.window;) {
      if (!usable(k)) continue;
      const double x = base.near ? base.level + excess_[k % excess_.size()] : height(k);
      if (x <= clear && (base.near || !(x > climbing && x < height(onset)))) break;
      onset = k;
    }
    return onset;
  }

  Departure follow(std::size_t alarm, bool robust) {
    Base base = base_now(height(alarm), robust);
    Departure d;
    d.alarm = d.peak = d.last = alarm;
    d.absolute = !robust;
    d.before_count = count_;
    d.onset = walk_back(alarm, base);
    if (!robust) base.sigma = noise_of_few(base.level, alarm - d.onset);  // the rise itself is no noise
    for (std::size_t i = alarm + 1; i < values_.size(); ++i) {
      if (!usable(i)) continue;
      const double x = height(i);
      if (x > base.edge) {
        d.last = i;
        if (x > height(d.peak)) d.peak = i;
        continue;
      }
      const auto [after, n] = ahead(i);
      // An excerpt may end with the one record that tells, and so may a log that ends behind a single high record.
      const std::size_t enough = robust && d.records() > 1 ? 2 : 1;
      if (n >= enough && after <= base.edge) {
        d.regained = i;
        d.after = unit(after);
        break;
      }
    }
    describe(d, base);
    return d;
  }

  // A violent event swings below the edge for a while and up again: what follows within fewer records than the event
  // lasted (and within the 16 that tell of a regained level) is its continuation.
  void add(std::vector<Departure>& found, Departure next) const {
    if (!found.empty()) {
      Departure& before = found.back();
      const std::size_t longer = std::max(before.records(), next.records());
      if (longer >= kMonotone && next.onset - before.last <= std::min(longer, kRegainRecords)) {
        const double level = ratio_ ? std::log(before.level) : before.level;
        const bool higher = next.peak_value > before.peak_value;
        const Departure& top = higher ? next : before;
        before.peak = top.peak;
        before.peak_value = top.peak_value;
        before.z = std::max(before.z, next.z);
        before.rise = higher ? rise_of(height(next.peak), level, before.scale) : before.rise;
        before.last = next.last;
        before.regained = next.regained;
        before.after = next.after;
        before.after_count = next.after_count;
        before.ends_non_finite = next.ends_non_finite;
        before.half_last = last_above_half(before, level);
        return;
      }
    }
    found.push_back(next);
  }

  // Where a level that moved up a little has settled: the records from there on make a new one.
  std::optional<std::size_t> settled_from(const Departure& step) const {
    const std::size_t from = step.onset + set_.window;
    if (ratio_ || step.absolute || step.ends_non_finite || from + 2 * set_.window > values_.size()) return std::nullopt;
    const auto block = values_.subspan(from, set_.window);
    const double sigma = (step.peak_value - step.level) / step.z;
    const bool near = median(block) - step.level < kLittle * step.scale;
    return near && robust_sigma(block) <= kUsualNoise * sigma ? std::optional(from + set_.window) : std::nullopt;
  }

  // Spikes that come and go behind a step are told beside it; anything else behind it is a part of it.
  void look_beyond(std::vector<Departure>& found) const {
    Departure& step = found.back();
    const auto from = settled_from(step);
    if (!from || behind_a_step_) return;
    Walk rest(values_.subspan(*from), set_, values_.subspan(*from - set_.window, set_.window));
    rest.behind_a_step_ = true;
    rest.low_ = low_;
    rest.high_ = std::max(high_, rest.high_);
    std::vector<Departure> later = rest.run();
    if (later.empty() || !later.back().regained) return;
    const double sigma = (step.peak_value - step.level) / step.z;
    step.peak = step.onset;
    for (std::size_t i = step.onset; i < *from + later.front().onset; ++i) {
      if (usable(i) && values_[i] > values_[step.peak]) step.peak = i;
    }
    step.peak_value = values_[step.peak];
    step.z = (step.peak_value - step.level) / sigma;
    step.rise = rise_of(step.peak_value, step.level, step.scale);
    for (Departure& one : later) {
      for (std::size_t* index : {&one.onset, &one.alarm, &one.peak, &one.half_last, &one.last}) *index += *from;
      one.regained = *one.regained + *from;
      one.before_count += count_;
    }
    found.insert(found.end(), later.begin(), later.end());
  }

  double rise_of(double peak, double level, double scale) const {
    return ratio_ ? std::expm1(peak - level) : (peak - level) / scale;
  }

  std::size_t last_above_half(const Departure& d, double level) const {
    const double half = level + (height(d.peak) - level) / 2;
    std::size_t last = d.peak;
    for (std::size_t i = d.peak; i <= d.last; ++i) {
      if (usable(i) && height(i) > half) last = i;
    }
    return last;
  }

  void describe(Departure& d, const Base& base) const {
    const double peak = height(d.peak);
    d.half_last = last_above_half(d, base.level);
    const std::size_t most = d.regained ? kRegainRecords : values_.size();  // what the caller can tell apart
    for (std::size_t i = d.last + 1; i < values_.size() && d.after_count < most; ++i)
      d.after_count += usable(i) ? 1U : 0U;
    if (!d.regained) {
      d.after = unit(median_of_last(d.onset));
      d.ends_non_finite = d.after_count == 0 && d.last + 1 < values_.size();
    }
    d.level = unit(base.level);
    d.edge = unit(base.edge);
    d.peak_value = values_[d.peak];
    d.scale = base.scale;
    d.z = (peak - base.level) / base.sigma;
    d.rise = rise_of(peak, base.level, base.scale);
  }

  std::span<const double> values_;
  DepartureOptions set_;
  RollingMedian accepted_;
  RollingMedian near_;   // the last few accepted records
  RollingMedian rests_;  // how far the last accepted records lay from the few before them
  std::vector<double>
      changes_;  // sizes of the last differences of neighbours, a ring: their median is seldom asked for
  std::size_t change_count_ = 0;
  std::vector<double> excess_;  // height of the last records above their own near level, by index
  double latest_ = 0;
  bool behind_a_step_ = false;
  bool around_zero_ = false;  // a negative value somewhere: the first ones may be positive by chance
  FewRecords few_;            // the first accepted records, as many as absolute terms need
  bool ratio_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
  std::size_t count_ = 0;
  std::size_t free_from_ = 0;  // first record after the departure before
};

}  // namespace

double mad_floor_of(std::span<const double> values) {
  const auto recent = values.last(std::min(values.size(), kMostQuantumValues));
  const auto quantum = find_quantum(recent);
  const double typical = std::fabs(median(recent));
  return std::max(quantum ? quantum->step_at(typical) : 0.0, std::isfinite(typical) ? 1e-3 * typical : 0.0);
}

std::vector<Departure> find_departures(std::span<const double> values, const DepartureOptions& options,
                                       std::span<const double> before) {
  return Walk(values, options, before).run();
}

}  // namespace assay
