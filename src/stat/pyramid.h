#pragma once
// A long series as a bounded number of buckets in which no spike is lost. Essay in pyramid.cpp.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace assay {

/// A run of consecutive records, seen from afar. All places are indices into the series.
struct Bucket {
  static constexpr std::uint8_t kNan = 1;
  static constexpr std::uint8_t kPositiveInfinity = 2;
  static constexpr std::uint8_t kNegativeInfinity = 4;

  std::size_t first = 0;  ///< first and last record, both inside
  std::size_t last = 0;
  double min = std::numeric_limits<double>::quiet_NaN();  ///< of the finite values; NaN if there are none
  double max = std::numeric_limits<double>::quiet_NaN();
  std::size_t min_at = 0;  ///< the earliest record with that value; `first` if there are none
  std::size_t max_at = 0;
  std::size_t finite = 0;       ///< finite values; the others are last - first + 1 - finite
  std::uint8_t non_finite = 0;  ///< which kinds of non-finite values it holds, or of the flags above

  bool operator==(const Bucket& other) const;
};

/// One bucket over all of `values`, which begin at record `first` of the series. `values` must not be empty.
Bucket bucket_of(std::span<const double> values, std::size_t first);

/// What bucket_of() gives for two neighbouring runs together, from their buckets alone.
Bucket merged(const Bucket& left, const Bucket& right);

/// A level of the pyramid: bucket i holds records [i width, (i + 1) width), the last one may be shorter.
struct PyramidLevel {
  std::size_t width = 1;  ///< records a bucket, a power of two
  std::vector<Bucket> buckets;
};

/// The finest level with at most `max_buckets` (0 is taken as 1) buckets. O(n).
PyramidLevel finest_level(std::span<const double> values, std::size_t max_buckets);

/// The next level up: neighbouring buckets joined, the same as finest_level() would have found from the series.
PyramidLevel coarser_level(const PyramidLevel& level);

/// Exactly min(columns, n) buckets of nearly equal length, for a sparkline that is so many characters wide. O(n).
std::vector<Bucket> even_buckets(std::span<const double> values, std::size_t columns);

/// Records [first, end) of a series.
struct IndexRange {
  std::size_t first = 0;
  std::size_t end = 0;

  std::size_t size() const { return end > first ? end - first : 0; }
  bool operator==(const IndexRange&) const = default;
};

struct WindowLimits {
  std::size_t margin = 512;       ///< records shown on both sides of a range, or of an end of a long one
  std::size_t max_total = 65536;  ///< records in all windows together
};

/// Which records to show in full: each range with `margin` on both sides, snapped outwards to multiples of `width`, so
/// that a window replaces whole buckets, cut to the series of `n` records, overlaps merged, ascending. Of a range
/// longer than 4 margins only its two ends are shown. Ranges are served in the order given, the most important first;
/// a window that would pass max_total is left out. Empty ranges are skipped.
std::vector<IndexRange> full_windows(std::span<const IndexRange> ranges, std::size_t n, std::size_t width,
                                     const WindowLimits& limits = {});

}  // namespace assay
