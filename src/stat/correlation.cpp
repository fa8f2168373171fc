// Pearson and Spearman correlation.
//
// Pearson in two passes: the textbook form with sums of squares loses all digits when the spread is small against the
// level, which is what a converged loss looks like. Deviations are divided by their largest before they are squared,
// so that values near the largest double do not overflow. Spearman is the same formula on average ranks, which is
// exact with ties (the shortcut 1 - 6 sum d^2 / (n^3 - n) is not).
// Limits: neighbouring records are not independent, so the usual significance tables do not apply to series.

#include "stat/correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "stat/ranks.h"

namespace assay {
namespace {

struct Pairs {
  std::vector<double> x, y;
};

Pairs finite_pairs(std::span<const double> x, std::span<const double> y) {
  Pairs out;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    out.x.push_back(x[i]);
    out.y.push_back(y[i]);
  }
  return out;
}

/// Replaces values by their deviations from the mean, divided by the largest. False if all values are equal.
bool standardize(std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  if (largest == 0.0) return false;
  double sum = 0.0;
  for (double& value : values) sum += value /= largest;
  const double mean = sum / static_cast<double>(values.size());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low == *high) return false;
  const double farthest = std::max(*high - mean, mean - *low);
  for (double& value : values) value = (value - mean) / farthest;
  return true;
}

double pearson_of(Pairs& pairs) {
  if (pairs.x.size() < 2 || !standardize(pairs.x) || !standardize(pairs.y)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  double xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < pairs.x.size(); ++i) {
    xx += pairs.x[i] * pairs.x[i];
    yy += pairs.y[i] * pairs.y[i];
    xy += pairs.x[i] * pairs.y[i];
  }
  return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

}  // namespace

double pearson(std::span<const double> x, std::span<const double> y) {
  Pairs pairs = finite_pairs(x, y);
  return pearson_of(pairs);
}

double spearman(std::span<const double> x, std::span<const double> y) {
  Pairs pairs = finite_pairs(x, y);
  pairs.x = average_ranks(pairs.x).rank;
  pairs.y = average_ranks(pairs.y).rank;
  return pearson_of(pairs);
}

}  // namespace assay
