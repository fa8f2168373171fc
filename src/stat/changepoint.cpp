// Change points.
//
// CUSUM (E. S. Page, Biometrika 41, 1954): S = max(0, S + (x - target) / sigma - k); alarm at S > h. It is the
// sequential likelihood test for a shift of 2k sigma, so it finds small lasting shifts much sooner than any test of
// single values. The onset is the record after S was last zero: the maximum likelihood estimate of the change.
// For Gaussian noise, k = 0.5, h = 5 alarms falsely about once in 930 records, h = 8 about once in 10^4 to 10^5.
//
// Page–Hinkley: the same with the level unknown: m_t = sum(x_i - mean_i - delta), alarm at m_t - min m > lambda. The
// difference to the running minimum obeys the reflected recursion above, so no minimum is stored and its place, the
// onset, comes free; with fading (alpha < 1) the recursion is the definition, as in the stream-mining libraries.
//
// EWMA (S. W. Roberts 1959): z = w x + (1 - w) z, limits target +- L sigma sqrt(w / (2 - w) (1 - (1 - w)^{2t})).
//
// Least-squares split: with deviations from the mean and S_t their prefix sum, splitting after t values removes
// S_t^2 n / (t (n - t)) from the sum of squares. One pass. Deviations are divided by the largest before squaring, so
// nothing overflows. It is drawn to single huge spikes; Pettitt's split by ranks (A. N. Pettitt, Applied Statistics 28,
// 1979: U_t = 2 sum_{i<=t} r_i - t (n + 1)) is not, and knows no amplitudes. Use the one to measure, the other to
// trust.
//
// Lasting departure: an alarm comes late by design, the peak later still. What a person wants is where to resume from:
// the last record that was still at the old level. Median smoothing keeps one lucky low value inside the bad stretch
// from moving that place, and keeps the edge of a step where it is.

#include "stat/changepoint.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stat/ranks.h"
#include "stat/rolling.h"

namespace assay {

double ReflectedSum::add(double increment, double fade, std::size_t index) {
  if (value_ == 0.0) onset_ = index;
  value_ = std::max(0.0, fade * value_ + increment);
  return value_;
}

void ReflectedSum::reset() { value_ = 0.0; }

std::optional<Alarm> Cusum::push(double value) {
  const std::size_t index = next_++;
  if (!std::isfinite(value) || !(options_.sigma > 0.0) || !std::isfinite(options_.sigma)) return std::nullopt;
  const double statistic = sum_.add((value - options_.target) / options_.sigma - options_.k, 1.0, index);
  if (!(statistic > options_.h)) return std::nullopt;
  const Alarm alarm{.index = index, .onset = sum_.onset(), .statistic = statistic};
  sum_.reset();
  return alarm;
}

std::optional<Alarm> PageHinkley::push(double value) {
  const std::size_t index = next_++;
  if (!std::isfinite(value)) return std::nullopt;
  ++count_;
  mean_ += (value - mean_) / static_cast<double>(count_);
  const double statistic = sum_.add(value - mean_ - options_.delta, options_.alpha, index);
  if (count_ < options_.min_count || !(statistic > options_.lambda)) return std::nullopt;
  const Alarm alarm{.index = index, .onset = sum_.onset(), .statistic = statistic};
  reset();
  return alarm;
}

void PageHinkley::reset() {
  sum_.reset();
  mean_ = 0.0;
  count_ = 0;
}

int EwmaChart::push(double value) {
  if (!std::isfinite(value)) return 0;
  value_ += options_.weight * (value - value_);
  decay_ *= (1.0 - options_.weight) * (1.0 - options_.weight);
  const double distance = value_ - options_.target;
  if (distance > half_width()) return 1;
  return distance < -half_width() ? -1 : 0;
}

double EwmaChart::half_width() const {
  const double w = options_.weight;
  return options_.limit * options_.sigma * std::sqrt(w / (2.0 - w) * (1.0 - decay_));
}

void EwmaChart::reset() {
  value_ = options_.target;
  decay_ = 1.0;
}

double MeanShift::f_statistic() const {
  if (count <= 2) return 0.0;
  return static_cast<double>(count - 2) * gain / (1.0 - gain);
}

std::optional<MeanShift> best_mean_shift(std::span<const double> values, std::size_t min_side) {
  std::vector<double> kept;
  std::vector<std::size_t> place;
  double largest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    kept.push_back(values[i]);
    place.push_back(i);
    largest = std::max(largest, std::abs(values[i]));
  }
  const std::size_t side = std::max<std::size_t>(min_side, 1);
  if (kept.size() / 2 < side || largest == 0.0) return std::nullopt;
  const auto [low, high] = std::minmax_element(kept.begin(), kept.end());
  if (*low == *high) return std::nullopt;

  const double n = static_cast<double>(kept.size());
  double mean = 0.0;
  for (double& value : kept) mean += value /= largest;
  mean /= n;
  double farthest = 0.0;
  for (const double value : kept) farthest = std::max(farthest, std::abs(value - mean));
  if (!(farthest > 0.0)) return std::nullopt;  // differences below the last digit
  double total = 0.0;
  for (double& value : kept) {
    value = (value - mean) / farthest;
    total += value * value;
  }
  MeanShift out{.count = kept.size()};
  double sum = 0.0, best = -1.0, best_sum = 0.0;
  std::size_t best_t = side;
  for (std::size_t t = 1; t + side <= kept.size(); ++t) {
    sum += kept[t - 1];
    if (t < side) continue;
    const double left = static_cast<double>(t);
    const double removed = sum * sum * n / (left * (n - left));
    if (removed <= best) continue;
    best = removed;
    best_sum = sum;
    best_t = t;
  }
  const double left = static_cast<double>(best_t);
  out.index = place[best_t];
  out.before = (mean + farthest * (best_sum / left)) * largest;
  out.after = (mean - farthest * (best_sum / (n - left))) * largest;
  out.gain = std::min(1.0, best / total);
  return out;
}

std::optional<RankShift> best_rank_shift(std::span<const double> values) {
  std::vector<double> kept;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    kept.push_back(values[i]);
    place.push_back(i);
  }
  if (kept.size() < 2) return std::nullopt;
  const Ranks ranks = average_ranks(kept);
  const double n = static_cast<double>(kept.size());
  double twice_sum = 0.0, best = 0.0;
  std::size_t best_t = 1;
  for (std::size_t t = 1; t < kept.size(); ++t) {
    twice_sum += 2.0 * ranks.rank[t - 1];
    const double u = twice_sum - static_cast<double>(t) * (n + 1.0);
    if (std::abs(u) <= std::abs(best)) continue;
    best = u;
    best_t = t;
  }
  // u = (pairs with the earlier value larger) - (pairs with the later value larger).
  const double pairs = static_cast<double>(best_t) * (n - static_cast<double>(best_t));
  return RankShift{.index = place[best_t],
                   .superiority = 0.5 * (1.0 - best / pairs),
                   .p = std::min(1.0, 2.0 * std::exp(-6.0 * best * best / (n * n * n + n * n)))};
}

std::optional<std::size_t> last_departure(std::span<const double> values, double level, Direction direction,
                                          std::size_t half_width) {
  const std::vector<double> smooth = running_median(values, half_width);
  bool any = false;
  for (std::size_t i = smooth.size(); i-- > 0;) {
    if (std::isnan(smooth[i])) continue;
    any = true;
    const bool inside = direction == Direction::kUp ? smooth[i] <= level : smooth[i] >= level;
    if (!inside) continue;
    if (i + 1 == smooth.size()) return std::nullopt;
    return i + 1;
  }
  if (!any) return std::nullopt;
  return 0;
}

}  // namespace assay
