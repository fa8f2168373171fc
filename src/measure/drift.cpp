// Slow rise.
//
// What: the training loss falls, reaches a minimum, and from there climbs until the end of the run, too slowly for any
// record to stand out from the 64 before it.
//
// Why this way: charts for drifts (CUSUM, Page-Hinkley, EWMA) need a target that holds before the change; a training
// loss has none, it falls all the time. What such a run shows instead is that its end lies above a level that it had
// already reached. So the level is the running minimum of the smoothed series, and what has to be shown is that the end
// is above it by more than chance: a minimum over many noisy points is biased downwards by itself.
//
// How: up to 200 blocks of equal numbers of records, each its median; running median of five blocks. M: the minimum.
// E: the median of the last five per cent of the blocks, at least five. A rise is told when
//   E - M >= rise * scale,
//   E - M >= 6 sigma of the smoothed series, sigma from the differences of neighbouring blocks (so slow wandering
//   counts as noise as well), and
//   a record of the end is above a record around the minimum with a probability of at least 0.95 (Mann-Whitney), with
//   p < 1e-4; where blocks hold one or two records, five against nine never reach that p, and 0.99 of the pairs do.
// A series that has climbed as high twice before and come back both times has to stay up for twice as long as then.
// Onset: the last block whose smoothed value is at the minimum's level (M + 2 sigma).
//
// Limits: a rise that ends before the end of the series is none of its business; a rise during the last five per cent
// is too short for it. A step up that stays is found too, and dated well: the onset is where the level was last held.

#include "measure/drift.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stat/blocks.h"
#include "stat/quantile.h"
#include "stat/rolling.h"
#include "stat/trend.h"

namespace assay {
namespace {

constexpr std::size_t kMostBlocks = 200;
constexpr std::size_t kHalfWidth = 2;
constexpr double kMedianOfFive = 0.536;  // standard deviation of the median of five values, in sigma
constexpr double kSurely = 1e-4;
constexpr double kCleanlyApart = 0.99;  // of the pairs: all of them where there are fewer than 100
constexpr double kComparable = 0.6;     // of the rise: an earlier one that came back is its like

// Blocks of the longest earlier climb of at least `height` above what had been reached, if there were two or more: such
// a series climbs and comes back by habit (batches sorted by length, a running mean that starts anew).
std::size_t longest_habit(std::span<const double> smooth, std::size_t until, double height) {
  double least = smooth[0];
  std::size_t climbs = 0;
  std::size_t longest = 0;
  std::size_t begin = 0;
  bool up = false;
  for (std::size_t i = 0; i <= until; ++i) {
    if (smooth[i] <= least || (up && smooth[i] <= least + height / 3)) {
      if (up) longest = std::max(longest, i - begin);
      up = false;
      begin = i;
    } else if (!up && smooth[i] >= least + height) {
      up = true;
      ++climbs;
    }
    least = std::min(least, smooth[i]);
  }
  return climbs >= 2 ? longest : 0;
}

double scale_of(std::span<const double> smooth, double level) {
  const auto [low, high] = std::minmax_element(smooth.begin(), smooth.end());
  return *low > 0 ? std::max(level, (*high - *low) / 3) : *high - *low;
}

}  // namespace

std::optional<Drift> find_drift(std::span<const double> values, const DriftOptions& options) {
  const std::size_t finite = count_finite(values);
  if (finite < options.least) return std::nullopt;
  const BlockMedians blocks(values, block_size(finite, kMostBlocks));
  const std::vector<double> smooth = running_median(blocks.medians(), kHalfWidth);
  const std::size_t n = smooth.size();
  const std::size_t tail = std::max<std::size_t>(5, n / 20);

  Drift drift;
  const auto low = static_cast<std::size_t>(std::min_element(smooth.begin(), smooth.end()) - smooth.begin());
  if (low + tail >= n) return std::nullopt;
  drift.lowest = blocks.first(low);
  drift.level = smooth[low];
  drift.end = median(blocks.medians().last(tail));
  drift.sigma = kMedianOfFive * neighbor_noise(blocks.medians());
  const double scale = scale_of(smooth, drift.level);
  const double climbed = drift.end - drift.level;
  if (!(scale > 0) || climbed < options.rise * scale || climbed < options.sigmas * drift.sigma) return std::nullopt;
  drift.rise = climbed / scale;

  std::size_t onset = low;
  for (std::size_t i = low; i < n; ++i) {
    if (smooth[i] <= drift.level + 2 * drift.sigma) onset = i;
  }
  drift.onset = blocks.first(onset);
  if (n - onset <= 2 * longest_habit(smooth, onset, kComparable * climbed)) return std::nullopt;
  const std::size_t around = low > kHalfWidth ? low - kHalfWidth : 0;
  const auto records = [&](std::size_t from, std::size_t to) {
    return values.subspan(blocks.first(from), blocks.first(to) - blocks.first(from));
  };
  const auto test = mann_whitney(records(around, std::min(n, low + kHalfWidth + 1)), records(n - tail, n));
  if (!test || test->superiority < options.superiority || test->p > kSurely) {
    // So few records cannot reach the p asked for, however clean they stand apart; then that has to do.
    const bool apart = finite <= 2 * kMostBlocks && test && test->superiority >= kCleanlyApart;
    if (!apart) return std::nullopt;
  }
  drift.superiority = test->superiority;
  drift.highest = *std::max_element(smooth.begin() + static_cast<std::ptrdiff_t>(low), smooth.end());
  drift.coming_back = drift.highest - drift.end > climbed / 3;
  return drift;
}

}  // namespace assay
