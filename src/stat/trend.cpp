// Trends of noisy series with spikes.
//
// Theil–Sen. The median of all pairwise slopes stands 29 % of arbitrary outliers, least squares none. All pairs of a
// million records are out of reach, so the series is first cut into at most 200 runs of equal length and each run
// gives its median point: a spike dies inside its run, the slope of slowly varying curves is kept, and the cost is
// O(n) + 200^2 / 2. Sources: H. Theil 1950; P. K. Sen, JASA 63 (1968). Limit: what happens inside one run is lost.
//
// Noise from neighbours. If y_i = trend_i + e_i with e ~ N(0, sigma^2) independent and the trend nearly equal at
// neighbours, d = y_{i+1} - y_i ~ N(0, 2 sigma^2), so median |d| = 0.67449 * sqrt(2) * sigma = 0.95387 sigma and
// sigma = median |d| / 0.95387 = 1.04836 median |d|. The median leaves spikes out (two differences each). Noise that
// is correlated from record to record (running means, smoothing) makes it too small.
//
// Mann–Whitney U. Counts, over all pairs of the two windows, how often the later value is the larger: it needs no
// distribution and no spike can weigh more than one rank. u = R - n (n + 1) / 2 with R the rank sum of `after`;
// mean n m / 2, variance n m / 12 * (N + 1 - sum(t^3 - t) / (N (N - 1))) with t the sizes of tied groups; continuity
// 1/2. Sources: H. B. Mann & D. R. Whitney 1947; tie term as in Hollander & Wolfe.
//
// Mann–Kendall. S counts rising minus falling pairs: all pairs, minus tied ones, minus twice the inversions, which a
// merge sort counts in O(n log n). Variance (n(n-1)(2n+5) - sum t(t-1)(2t+5)) / 18, continuity 1. Sources: H. B. Mann,
// Econometrica 13 (1945); M. G. Kendall.
//
// All p values take the records for independent. Training noise is mildly correlated, so treat them as a scale on
// which to set a strict threshold, not as a probability.

#include "stat/trend.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>
#include <vector>

#include "stat/quantile.h"
#include "stat/ranks.h"

namespace assay {
namespace {

struct Points {
  std::vector<double> x, y;
};

/// The finite points `point(0)` … `point(size - 1)`; more than `blocks` of them as runs of equal length in record
/// order, each reduced to its median point. Holds one run at a time: a series of millions is not copied.
template <class Point>
Points block_medians(std::size_t size, std::size_t blocks, Point point) {
  const auto finite = [](const std::pair<double, double>& p) {
    return std::isfinite(p.first) && std::isfinite(p.second);
  };
  std::size_t n = 0;
  for (std::size_t i = 0; i < size; ++i) n += finite(point(i)) ? 1 : 0;
  blocks = std::min(blocks, n);
  Points out, open;
  for (std::size_t i = 0; i < size; ++i) {
    const auto p = point(i);
    if (!finite(p)) continue;
    open.x.push_back(p.first);
    open.y.push_back(p.second);
    if (open.x.size() < n / blocks + (out.x.size() < n % blocks ? 1 : 0)) continue;
    out.x.push_back(median_in_place(open.x));
    out.y.push_back(median_in_place(open.y));
    open.x.clear();
    open.y.clear();
  }
  return out;
}

std::optional<Line> line_through(const Points& points) {
  std::vector<double> slopes;
  slopes.reserve(points.x.size() * (points.x.size() - std::min<std::size_t>(points.x.size(), 1)) / 2);
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    for (std::size_t j = i + 1; j < points.x.size(); ++j) {
      const double slope = (points.y[j] - points.y[i]) / (points.x[j] - points.x[i]);
      if (std::isfinite(slope)) slopes.push_back(slope);
    }
  }
  if (slopes.empty()) return std::nullopt;
  Line line{.slope = median_in_place(slopes)};
  std::vector<double> rests;
  rests.reserve(points.x.size());
  for (std::size_t i = 0; i < points.x.size(); ++i) rests.push_back(points.y[i] - line.slope * points.x[i]);
  line.intercept = median(rests);
  if (!std::isfinite(line.slope) || !std::isfinite(line.intercept)) return std::nullopt;
  return line;
}

std::vector<double> without_nan(std::span<const double> values) {
  std::vector<double> out;
  out.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(out), [](double value) { return !std::isnan(value); });
  return out;
}

/// z of a counting statistic: distance from its mean, `correction` nearer for being an integer.
double z_score(double distance, double correction, double variance) {
  if (!(variance > 0.0)) return 0.0;
  return std::copysign(std::max(0.0, std::abs(distance) - correction), distance) / std::sqrt(variance);
}

/// Pairs (i < j) with values[i] > values[j]; sorts the values. `buffer` is as long.
std::int64_t count_inversions(std::span<double> values, std::span<double> buffer) {
  std::int64_t inversions = 0;
  const std::size_t n = values.size();
  for (std::size_t width = 1; width < n; width *= 2) {
    for (std::size_t first = 0; first < n; first += 2 * width) {
      const std::size_t mid = std::min(first + width, n);
      const std::size_t end = std::min(mid + width, n);
      std::size_t left = first, right = mid;
      for (std::size_t at = first; at < end; ++at) {
        const bool take_left = left < mid && (right == end || values[left] <= values[right]);
        if (!take_left) inversions += static_cast<std::int64_t>(mid - left);
        buffer[at] = take_left ? values[left++] : values[right++];
      }
    }
    std::copy(buffer.begin(), buffer.end(), values.begin());
  }
  return inversions;
}

}  // namespace

std::optional<Line> theil_sen(std::span<const double> x, std::span<const double> y, std::size_t max_blocks) {
  return line_through(block_medians(std::min(x.size(), y.size()), std::max<std::size_t>(max_blocks, 2),
                                    [&](std::size_t i) { return std::pair(x[i], y[i]); }));
}

std::optional<Line> theil_sen(std::span<const double> y, std::size_t max_blocks) {
  return line_through(block_medians(y.size(), std::max<std::size_t>(max_blocks, 2),
                                    [&](std::size_t i) { return std::pair(static_cast<double>(i), y[i]); }));
}

double neighbor_noise(std::span<const double> values) {
  std::vector<double> steps;
  steps.reserve(values.size());
  double last = std::numeric_limits<double>::quiet_NaN();
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (!std::isnan(last)) steps.push_back(std::abs(value - last));
    last = value;
  }
  return median_in_place(steps) * (kMadToSigma / std::numbers::sqrt2);
}

std::optional<MannWhitney> mann_whitney(std::span<const double> before, std::span<const double> after) {
  std::vector<double> all = without_nan(before);
  const std::size_t first = all.size();
  const std::vector<double> later = without_nan(after);
  if (first == 0 || later.empty()) return std::nullopt;
  all.insert(all.end(), later.begin(), later.end());
  const Ranks ranks = average_ranks(all);

  const double m = static_cast<double>(first), n = static_cast<double>(later.size()), total = m + n;
  double rank_sum = 0.0;
  for (std::size_t i = first; i < all.size(); ++i) rank_sum += ranks.rank[i];
  double ties = 0.0;
  for (const std::int64_t group : ranks.groups) {
    const double t = static_cast<double>(group);
    ties += t * (t * t - 1.0);
  }
  MannWhitney out;
  out.u = rank_sum - 0.5 * n * (n + 1.0);
  out.superiority = out.u / (m * n);
  // Groups of ties that leave no variance, all values equal, must give exactly zero.
  const bool all_equal = !ranks.groups.empty() && static_cast<std::size_t>(ranks.groups.front()) == all.size();
  const double variance = all_equal ? 0.0 : m * n / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
  out.z = z_score(out.u - 0.5 * m * n, 0.5, variance);
  out.p = two_sided_p(out.z);
  return out;
}

double MedianShift::units() const {
  const double shift = difference();
  if (mad == 0.0 && shift == 0.0) return 0.0;
  return shift * std::sqrt(n) / mad;
}

std::optional<MedianShift> median_shift(std::span<const double> before, std::span<const double> after) {
  MedianShift out{.before = median(before), .after = median(after)};
  if (std::isnan(out.before) || std::isnan(out.after)) return std::nullopt;
  std::vector<double> deviations;
  std::size_t counts[2] = {0, 0};
  for (const int side : {0, 1}) {
    for (const double value : side == 0 ? before : after) {
      if (!std::isfinite(value)) continue;
      deviations.push_back(std::abs(value - (side == 0 ? out.before : out.after)));
      ++counts[side];
    }
  }
  out.mad = median(deviations);
  out.n = 1.0 / (1.0 / static_cast<double>(counts[0]) + 1.0 / static_cast<double>(counts[1]));
  return out;
}

MannKendall mann_kendall(std::span<const double> values) {
  std::vector<double> kept = without_nan(values);
  MannKendall out;
  if (kept.size() < 2) return out;
  std::vector<double> buffer(kept.size());
  const std::int64_t falling = count_inversions(kept, buffer);
  const auto count = static_cast<std::int64_t>(kept.size());
  const std::int64_t pairs = count * (count - 1) / 2;
  std::int64_t tied = 0;
  double tie_variance = 0.0;
  for (std::size_t first = 0; first < kept.size();) {  // sorted by now
    std::size_t end = first + 1;
    while (end < kept.size() && kept[end] == kept[first]) ++end;
    const auto t = static_cast<std::int64_t>(end - first);
    tied += t * (t - 1) / 2;
    tie_variance += static_cast<double>(t) * static_cast<double>(t - 1) * static_cast<double>(2 * t + 5);
    first = end;
  }
  out.s = pairs - tied - 2 * falling;
  out.tau = static_cast<double>(out.s) / static_cast<double>(pairs);
  const double n = static_cast<double>(count);
  const double variance = tied == pairs ? 0.0 : (n * (n - 1.0) * (2.0 * n + 5.0) - tie_variance) / 18.0;
  out.z = z_score(static_cast<double>(out.s), 1.0, variance);
  out.p = two_sided_p(out.z);
  return out;
}

}  // namespace assay
