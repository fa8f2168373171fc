#pragma once
// Median and median absolute deviation of a window that moves along a series. Essay in rolling.cpp.
//
// Non-finite values never enter a window: push() refuses them and the functions over whole series skip them, so a
// window of w holds the last w finite values, however many records they span. Results are in the unit of the values;
// an empty window gives NaN.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace assay {

/// Level and spread of the values before a record: what the record is compared with.
struct RobustBaseline {
  double median = std::numeric_limits<double>::quiet_NaN();
  double mad = std::numeric_limits<double>::quiet_NaN();  ///< raw; kMadToSigma * mad estimates sigma
  std::size_t count = 0;                                  ///< finite values that both stand on

  /// (value - median) / (kMadToSigma * max(mad, mad_floor)): how many sigma the value stands above the level.
  /// With a scale of zero: 0 at the median, otherwise plus or minus infinity. NaN without a baseline.
  double z(double value, double mad_floor = 0.0) const;
};

/// The last `capacity` pushed values, in arrival order and sorted, so that median and MAD are exact at any time.
/// Nothing moves unless it is told to: a streaming detector freezes its baseline during an event by not pushing.
/// Cost: push O(log w) comparisons and one memmove of at most w doubles; median O(1); MAD O(log w).
/// Memory: 16 bytes a slot, allocated at construction. Not safe for use by several threads at once.
class RollingMedian {
 public:
  /// `capacity` 0 is taken as 1.
  explicit RollingMedian(std::size_t capacity);

  /// Adds a value; when full, the oldest makes room. False, and nothing changes, if the value is not finite.
  bool push(double value);
  /// Removes the value that was pushed first. Nothing happens when empty.
  void pop_oldest();
  void clear();

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return arrival_.size(); }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == arrival_.size(); }

  double median() const;
  double mad() const;  ///< about median(), raw
  RobustBaseline baseline() const;
  /// The window's values in ascending order; valid until the next change.
  std::span<const double> sorted() const { return {sorted_.data(), size_}; }

 private:
  void insert_sorted(double value);
  void replace_sorted(double old_value, double new_value);

  std::vector<double> arrival_;  // ring: the oldest at head_
  std::vector<double> sorted_;   // the first size_ are in use
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

/// Smoothing: median over the records i - half_width .. i + half_width, cut at both ends of the series. Steps stay
/// sharp and runs of up to half_width outliers vanish. NaN where the window holds no finite value.
std::vector<double> running_median(std::span<const double> values, std::size_t half_width);

}  // namespace assay
