// Is one series the mean of another over the steps since its last record?
//
// A console prints every tenth step the mean of ten losses, the table beside it has them all. No value of one is in the
// other, and that both lie near each other says nothing: so do the losses of two seeds. But the means of the dense
// series over the intervals of the sparse one are its values, far more exactly than another run would have them.
//
// Samples do not hold all values; their points carry the sum of all values before them. Between two steps that both
// samples have lie k values of the sparse and n of the dense series, and if one averages the other, both means are the
// same, for any k. Two seeds differ there by some sigma / sqrt(n), sigma being the noise of the dense series between
// neighbouring records; with one order of the data by less, some half a per cent of the level. A quarter of the lesser
// of the two is allowed, in four fifths of the intervals, four at least: by chance once in some thousand times.
// Loggers that count from 0 or from 1 are shifted by a step.
//
// Limits: a mean that is printed more coarsely than that proves nothing, and neither does a moving average. Behind a
// NaN there are no sums. What cannot be proven is not joined: a miss is better than a run that never was.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/group.h"

namespace assay {

namespace {

constexpr std::size_t kFewestIntervals = 4;
constexpr double kShareOfNoise = 0.25;
constexpr double kMadToSigma = 1.4826;

using Point = SampledSeries::Point;

// sigma between neighbours, from second differences, so that a slope is none.
double noise_between_neighbours(const SampledSeries& series) {
  std::vector<double> bends;
  for (std::size_t i = 1; i + 1 < series.points.size(); ++i) {
    const Point& a = series.points[i - 1];
    const Point& b = series.points[i];
    const Point& c = series.points[i + 1];
    if (b.ordinal != a.ordinal + 1 || c.ordinal != b.ordinal + 1) continue;
    const double bend = a.value - 2 * b.value + c.value;
    if (std::isfinite(bend)) bends.push_back(std::fabs(bend));
  }
  if (bends.empty()) return 0;
  const auto middle = bends.begin() + static_cast<std::ptrdiff_t>(bends.size() / 2);
  std::nth_element(bends.begin(), middle, bends.end());
  return *middle * kMadToSigma / std::sqrt(6.0);
}

const Point* at_step(const SampledSeries& series, std::int64_t step) {
  const auto found = std::lower_bound(series.points.begin(), series.points.end(), step,
                                      [](const Point& point, std::int64_t wanted) { return point.step < wanted; });
  return found == series.points.end() || found->step != step ? nullptr : &*found;
}

bool averages_shifted(const SampledSeries& sparse, const SampledSeries& dense, double sigma, std::int64_t shift) {
  std::size_t intervals = 0;
  std::size_t equal = 0;
  const Point* sparse_before = nullptr;
  const Point* dense_before = nullptr;
  for (const Point& point : sparse.points) {
    const Point* other = at_step(dense, point.step + shift);
    if (other == nullptr) continue;
    if (sparse_before != nullptr) {
      const std::int64_t few = point.ordinal - sparse_before->ordinal;
      const std::int64_t many = other->ordinal - dense_before->ordinal;
      // Steps that were gone over again are in the sums, too.
      const bool straight = few > 0 && many >= few && many <= other->step - dense_before->step;
      const double mean = (point.sum - sparse_before->sum) / static_cast<double>(few);
      const double own = (other->sum - dense_before->sum) / static_cast<double>(many);
      if (straight && std::isfinite(mean) && std::isfinite(own)) {
        const double apart = std::min(sigma / std::sqrt(static_cast<double>(many)), kSeedsApart * std::fabs(own));
        ++intervals;
        equal += std::fabs(mean - own) <= kShareOfNoise * apart ? 1 : 0;
      }
    }
    sparse_before = &point;
    dense_before = other;
  }
  return intervals >= kFewestIntervals && 5 * equal >= 4 * intervals;
}

}  // namespace

bool averages(const SampledSeries& a, const SampledSeries& b) {
  const SampledSeries& sparse = a.size < b.size ? a : b;
  const SampledSeries& dense = a.size < b.size ? b : a;
  const double sigma = noise_between_neighbours(dense);
  for (const std::int64_t shift : {0, -1, 1}) {
    if (averages_shifted(sparse, dense, sigma, shift)) return true;
  }
  return false;
}

}  // namespace assay
