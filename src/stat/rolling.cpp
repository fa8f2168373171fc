// Rolling median and MAD, exact.
//
// What: a window of the last w values that gives its median and its median absolute deviation after every step.
// Why this way: the two-heap and tree methods have O(log w) updates, but for the windows that detectors use (16 to a
// few thousand) a sorted array wins: 64 doubles are eight cache lines, the place of a value is found by binary search
// without branches that mispredict, and replacing the oldest value by the newest is one memmove of the values between
// the two places. Trees cannot give the MAD cheaply; a sorted array can:
// The deviations of the lower half, m - x, grow downwards, those of the upper half, x - m, grow upwards. Both are
// sorted, so the middle of their union is the classic "k-th of two sorted arrays", O(log w) without forming it.
// Rounding is monotone, hence the sequences stay sorted in floating point, and the result has the same bits as
// sorting all |x - m| would give.
// Limits: windows beyond some ten thousand values make the memmove the cost (see bench/stat_bench.cpp).
// Both zeros compare equal; -0 is stored as +0 so that removing one of them cannot leave the other's sign behind.

#include "stat/rolling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stat/quantile.h"

namespace assay {
namespace {

/// Number of values below `value`. The step is a conditional move: the outcome of each comparison is a coin toss.
std::size_t count_below(const double* sorted, std::size_t n, double value) {
  const double* base = sorted;
  while (n > 1) {
    const std::size_t half = n / 2;
    base = base[half - 1] < value ? base + half : base;
    n -= half;
  }
  return static_cast<std::size_t>(base - sorted) + ((n == 1 && *base < value) ? 1U : 0U);
}

double middle(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  return n % 2 == 1 ? sorted[n / 2] : std::midpoint(sorted[n / 2 - 1], sorted[n / 2]);
}

/// Deviations from the centre on either side of it, each ascending, without storing them.
struct Deviations {
  std::span<const double> sorted;
  double center;
  std::size_t split;  // sorted[0..split) <= center <= sorted[split..)

  std::size_t below_size() const { return split; }
  std::size_t above_size() const { return sorted.size() - split; }
  double below(std::size_t i) const {
    return i < below_size() ? center - sorted[split - 1 - i] : std::numeric_limits<double>::infinity();
  }
  double above(std::size_t i) const {
    return i < above_size() ? sorted[split + i] - center : std::numeric_limits<double>::infinity();
  }
};

double middle_deviation(std::span<const double> sorted, double center) {
  const std::size_t n = sorted.size();
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  const Deviations deviations{sorted, center, n / 2};
  const std::size_t rank = (n - 1) / 2;
  // How many of the `rank` smallest deviations come from below: the first i for which taking one more from below
  // would take a larger one than the last taken from above.
  std::size_t low = rank > deviations.above_size() ? rank - deviations.above_size() : 0;
  std::size_t high = std::min(rank, deviations.below_size());
  while (low < high) {
    const std::size_t i = low + (high - low) / 2;
    if (deviations.below(i) < deviations.above(rank - i - 1)) {
      low = i + 1;
    } else {
      high = i;
    }
  }
  std::size_t i = low;
  std::size_t j = rank - low;
  const bool from_below = deviations.below(i) <= deviations.above(j);
  const double first = from_below ? deviations.below(i) : deviations.above(j);
  if (n % 2 == 1) return first;
  (from_below ? i : j) += 1;
  return std::midpoint(first, std::min(deviations.below(i), deviations.above(j)));
}

}  // namespace

double RobustBaseline::z(double value, double mad_floor) const {
  const double scale = kMadToSigma * std::max(mad, mad_floor);
  const double distance = value - median;
  if (scale == 0.0 && distance == 0.0) return 0.0;
  return distance / scale;
}

RollingMedian::RollingMedian(std::size_t capacity)
    : arrival_(std::max<std::size_t>(capacity, 1)), sorted_(arrival_.size()) {}

void RollingMedian::insert_sorted(double value) {
  const std::size_t at = count_below(sorted_.data(), size_, value);
  double* data = sorted_.data();
  std::copy_backward(data + at, data + size_, data + size_ + 1);
  data[at] = value;
}

void RollingMedian::replace_sorted(double old_value, double new_value) {
  double* data = sorted_.data();
  const std::size_t from = count_below(data, size_, old_value);
  const std::size_t to = count_below(data, size_, new_value);
  if (to > from) {
    std::copy(data + from + 1, data + to, data + from);
    data[to - 1] = new_value;
  } else {
    std::copy_backward(data + to, data + from, data + from + 1);
    data[to] = new_value;
  }
}

bool RollingMedian::push(double value) {
  if (!std::isfinite(value)) return false;
  value += 0.0;  // -0 becomes +0
  if (full()) {
    replace_sorted(arrival_[head_], value);
    arrival_[head_] = value;
    head_ = head_ + 1 == arrival_.size() ? 0 : head_ + 1;
    return true;
  }
  insert_sorted(value);
  std::size_t tail = head_ + size_;
  if (tail >= arrival_.size()) tail -= arrival_.size();
  arrival_[tail] = value;
  ++size_;
  return true;
}

void RollingMedian::pop_oldest() {
  if (empty()) return;
  double* data = sorted_.data();
  const std::size_t at = count_below(data, size_, arrival_[head_]);
  std::copy(data + at + 1, data + size_, data + at);
  head_ = head_ + 1 == arrival_.size() ? 0 : head_ + 1;
  --size_;
}

void RollingMedian::clear() {
  head_ = 0;
  size_ = 0;
}

double RollingMedian::median() const { return middle(sorted()); }

double RollingMedian::mad() const { return middle_deviation(sorted(), middle(sorted())); }

RobustBaseline RollingMedian::baseline() const {
  const double center = middle(sorted());
  return {.median = center, .mad = middle_deviation(sorted(), center), .count = size_};
}

std::vector<double> running_median(std::span<const double> values, std::size_t half_width) {
  const std::size_t n = values.size();
  std::vector<double> out;
  out.reserve(n);
  const std::size_t half = std::min(half_width, n);
  RollingMedian window(std::min(n, 2 * half + 1));
  for (std::size_t i = 0; i < half; ++i) window.push(values[i]);
  for (std::size_t i = 0; i < n; ++i) {
    const bool enters = i + half < n && std::isfinite(values[i + half]);
    // A full window lets the oldest go by itself, in one pass instead of two.
    if (i > half && std::isfinite(values[i - half - 1]) && !(enters && window.full())) window.pop_oldest();
    if (enters) window.push(values[i + half]);
    out.push_back(window.median());
  }
  return out;
}

}  // namespace assay
