#pragma once
// What the first few records of a series tell about its level and noise. Essay in few_records.cpp.

#include <cstddef>
#include <span>
#include <vector>

namespace assay {

/// The records before an event while there are too few of them for median and MAD. Heights are those of the walk
/// (values, or their logarithms); all finite.
class FewRecords {
 public:
  explicit FewRecords(std::size_t most) : most_(most) {}

  void add(double x) {
    if (values_.size() < most_) values_.push_back(x);
  }
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  bool very_few() const { return values_.size() < kVeryFew; }

  /// The level that they reached: the smallest; from eight on the smallest median of five.
  double floor() const;
  /// By how much the series moves upwards without an event, told by all but the last `without` records.
  double noise(std::size_t without = 0) const;
  /// How many times the noise stands for an event when `times` do so against a bound of it.
  double wanted(double times) const { return values_.size() <= kVeryFew ? times : 2 * times; }
  /// Four records, the last of them x, rise one after the other by `least` in all and by three times the largest fall
  /// among the records (or `least_fall`).
  bool rises_step_by_step(double x, double least, double least_fall) const;

 private:
  static constexpr std::size_t kVeryFew = 8;
  std::size_t most_;
  std::vector<double> values_;
};

/// The usual size of the rises that begin at or below `edge` in what follows an event: two of them at least, else 0.
double later_rises(std::span<const double> heights, double edge);

}  // namespace assay
