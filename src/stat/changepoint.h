#pragma once
// When did a series leave its level? Streaming charts, the best single split, the lasting departure. Essay in
// changepoint.cpp.
//
// Records are counted from 0 in the order in which they are pushed. A non-finite value takes an index and changes
// nothing else. Detectors keep O(1) state, look upwards (push -x to look downwards) and are not safe for several
// threads at once.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace assay {

struct Alarm {
  std::size_t index = 0;   ///< record at which the statistic passed its limit
  std::size_t onset = 0;   ///< first record of the rise: the one after the statistic was last at zero
  double statistic = 0.0;  ///< its value at `index`, in the unit of the limit
};

/// A sum of increments that never goes below zero and remembers when it left zero. The core of CUSUM and Page–Hinkley.
class ReflectedSum {
 public:
  /// s = max(0, fade * s + increment), for record `index`.
  double add(double increment, double fade, std::size_t index);
  void reset();
  double value() const { return value_; }
  std::size_t onset() const { return onset_; }  ///< meaningful while value() > 0

 private:
  double value_ = 0.0;
  std::size_t onset_ = 0;
};

struct CusumOptions {
  double target = 0.0;  ///< level in control, unit of the values
  double sigma = 1.0;   ///< noise, unit of the values; with one that is not positive and finite nothing alarms
  double k = 0.5;       ///< allowance in sigma: half of the shift that is to be found
  double h = 8.0;       ///< limit in sigma
};

/// Upper CUSUM; starts again at zero after each alarm.
class Cusum {
 public:
  explicit Cusum(const CusumOptions& options) : options_(options) {}
  std::optional<Alarm> push(double value);
  double statistic() const { return sum_.value(); }  ///< in sigma
  void reset() { sum_.reset(); }                     ///< the record count goes on

 private:
  CusumOptions options_;
  ReflectedSum sum_;
  std::size_t next_ = 0;
};

struct PageHinkleyOptions {
  double delta = 0.0;         ///< rise above the mean that is tolerated, unit of the values
  double lambda = 1.0;        ///< limit, unit of the values times records
  double alpha = 1.0;         ///< fading of the sum per record; 1 forgets nothing
  std::size_t min_count = 1;  ///< no alarm before so many values, while the mean is still unsure
};

/// Page–Hinkley test of a rise above the running mean; mean and sum start again after each alarm.
class PageHinkley {
 public:
  explicit PageHinkley(const PageHinkleyOptions& options) : options_(options) {}
  std::optional<Alarm> push(double value);
  double statistic() const { return sum_.value(); }
  double mean() const { return mean_; }
  void reset();  ///< the record count goes on

 private:
  PageHinkleyOptions options_;
  ReflectedSum sum_;
  double mean_ = 0.0;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
};

struct EwmaOptions {
  double target = 0.0;  ///< start and centre, unit of the values
  double sigma = 1.0;   ///< noise, unit of the values
  double weight = 0.2;  ///< of the newest value, in (0, 1]
  double limit = 3.0;   ///< half width of the chart in sigma of the statistic
};

/// Exponentially weighted moving average with its control limits, for slow drifts.
class EwmaChart {
 public:
  explicit EwmaChart(const EwmaOptions& options) : options_(options), value_(options.target) {}
  /// +1 above the upper limit, -1 below the lower one, 0 inside. Does not reset itself.
  int push(double value);
  double value() const { return value_; }
  /// Half width of the chart after the values so far; grows to limit * sigma * sqrt(weight / (2 - weight)).
  double half_width() const;
  void reset();

 private:
  EwmaOptions options_;
  double value_;
  double decay_ = 1.0;  // (1 - weight)^(2 t)
};

/// Every alarm of a detector with push(double) -> std::optional<Alarm> over a series.
template <class Detector>
std::vector<Alarm> alarms(Detector detector, std::span<const double> values) {
  std::vector<Alarm> out;
  for (const double value : values) {
    if (const auto alarm = detector.push(value)) out.push_back(*alarm);
  }
  return out;
}

struct MeanShift {
  std::size_t index = 0;  ///< first record after the change, index in the span
  double before = 0.0;    ///< means of the two sides, unit of the values
  double after = 0.0;
  double gain = 0.0;      ///< share of the sum of squares that the split removes, 0 to 1
  std::size_t count = 0;  ///< finite values

  /// (count - 2) gain / (1 - gain). For independent Gaussian noise without a change its maximum over all splits passes
  /// about 9 once in 20 and 13 once in 100 series (Andrews 1993); infinite for a perfect split.
  double f_statistic() const;
};

/// The split into two constant levels with the least squared error; each side has at least `min_side` (>= 1) finite
/// values. Non-finite values are skipped. nullopt when there are too few, or all are equal. O(n).
std::optional<MeanShift> best_mean_shift(std::span<const double> values, std::size_t min_side = 1);

struct RankShift {
  std::size_t index = 0;     ///< first record after the change, index in the span
  double superiority = 0.5;  ///< probability that a value after the change is larger than one before it
  double p = 1.0;            ///< approximate, 2 exp(-6 K^2 / (n^3 + n^2)), at most 1
};

/// Pettitt's test: the split that the ranks speak most for; spikes weigh no more than any other value. NaN is skipped,
/// infinities take part. nullopt with fewer than two values. O(n log n).
std::optional<RankShift> best_rank_shift(std::span<const double> values);

enum class Direction { kUp, kDown };

/// Where a series left a level for good: 1 + the last record whose running median (over 2 half_width + 1 records, cut
/// at the ends) is still at or inside `level` (<= for kUp, >= for kDown); 0 if none ever was. nullopt if the end of the
/// series is back at the level, or there is no finite value. Records without a finite value nearby are outside.
std::optional<std::size_t> last_departure(std::span<const double> values, double level,
                                          Direction direction = Direction::kUp, std::size_t half_width = 2);

}  // namespace assay
