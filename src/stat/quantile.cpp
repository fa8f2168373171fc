// Order statistics by selection.
//
// What: median, quantiles and median absolute deviation (MAD) of an unsorted sample.
// Why this way: a training curve has spikes of any size and they must not move the level that they are compared
// with. The median and the MAD stay bounded until half of the values are bad; mean and standard deviation are moved
// by one. Selection (nth_element) costs O(n), sorting O(n log n); for several quantiles each selection works only on
// the part above the one before.
// Formula: type 7 of Hyndman & Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996):
// h = (n - 1) p, result x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h]). For p = 1/2 it is the usual median.
// Limits: the MAD is zero as soon as more than half of the values are equal, which logs that print two decimals do
// reach; whoever divides by it needs a floor (see quantum.h for a principled one).

#include "stat/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace assay {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

void copy_finite(std::span<const double> values, std::vector<double>& out) {
  out.resize(values.size());
  std::size_t count = 0;
  for (const double value : values) {
    out[count] = value;
    count += std::isfinite(value) ? 1U : 0U;
  }
  out.resize(count);
}

/// Both ends may be near the largest double: neither their sum nor their difference may overflow.
double between(double low, double high, double t) {
  if (t == 0.5) return std::midpoint(low, high);
  return std::lerp(low, high, t);
}

/// Type 7 on values[first..n), given that the values before `first` are not larger and belong to lower ranks.
/// Leaves the value of rank floor(h) in its place, so that the next higher p may start from there.
double select(std::span<double> values, std::size_t first, double p, std::size_t& rank) {
  const double h = static_cast<double>(values.size() - 1) * std::clamp(p, 0.0, 1.0);
  rank = std::min(static_cast<std::size_t>(h), values.size() - 1);
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(begin, at, values.end());
  const double fraction = h - static_cast<double>(rank);
  if (fraction == 0.0 || rank + 1 == values.size()) return *at;
  return between(*at, *std::min_element(at + 1, values.end()), fraction);
}

}  // namespace

double median_in_place(std::span<double> values) {
  if (values.empty()) return kNothing;
  std::size_t rank = 0;
  return select(values, 0, 0.5, rank);
}

double median(std::span<const double> values, std::vector<double>& scratch) {
  copy_finite(values, scratch);
  return median_in_place(scratch);
}

double median(std::span<const double> values) {
  std::vector<double> scratch;
  return median(values, scratch);
}

double quantile(std::span<const double> values, double p, std::vector<double>& scratch) {
  double out = kNothing;
  quantiles(values, {&p, 1}, {&out, 1}, scratch);
  return out;
}

double quantile(std::span<const double> values, double p) {
  std::vector<double> scratch;
  return quantile(values, p, scratch);
}

void quantiles(std::span<const double> values, std::span<const double> ps, std::span<double> out,
               std::vector<double>& scratch) {
  std::fill(out.begin(), out.end(), kNothing);
  copy_finite(values, scratch);
  if (scratch.empty()) return;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ps.size(); ++i) {
    if (!std::isnan(ps[i])) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ps[a] < ps[b]; });
  std::size_t done = 0;
  for (const std::size_t i : order) out[i] = select(scratch, done, ps[i], done);
}

std::vector<double> quantiles(std::span<const double> values, std::span<const double> ps) {
  std::vector<double> out(ps.size());
  std::vector<double> scratch;
  quantiles(values, ps, out, scratch);
  return out;
}

double quantile_sorted(std::span<const double> sorted, double p) {
  if (sorted.empty() || std::isnan(p)) return kNothing;
  const double h = static_cast<double>(sorted.size() - 1) * std::clamp(p, 0.0, 1.0);
  const auto rank = std::min(static_cast<std::size_t>(h), sorted.size() - 1);
  const double fraction = h - static_cast<double>(rank);
  if (fraction == 0.0 || rank + 1 == sorted.size()) return sorted[rank];
  return between(sorted[rank], sorted[rank + 1], fraction);
}

double mad_about(std::span<const double> values, double center, std::vector<double>& scratch) {
  if (!std::isfinite(center)) return kNothing;
  copy_finite(values, scratch);
  for (double& value : scratch) value = std::abs(value - center);
  return median_in_place(scratch);
}

double mad_about(std::span<const double> values, double center) {
  std::vector<double> scratch;
  return mad_about(values, center, scratch);
}

double mad(std::span<const double> values, std::vector<double>& scratch) {
  copy_finite(values, scratch);
  const double center = median_in_place(scratch);
  for (double& value : scratch) value = std::abs(value - center);
  return median_in_place(scratch);
}

double mad(std::span<const double> values) {
  std::vector<double> scratch;
  return mad(values, scratch);
}

double robust_sigma(std::span<const double> values) { return kMadToSigma * mad(values); }

double interquartile_range(std::span<const double> values) {
  constexpr double kQuartiles[] = {0.25, 0.75};
  double out[2];
  std::vector<double> scratch;
  quantiles(values, kQuartiles, out, scratch);
  return out[1] - out[0];
}

}  // namespace assay
