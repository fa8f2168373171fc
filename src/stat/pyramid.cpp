// The min–max pyramid.
//
// What: a curve of a million records on a page of a thousand pixels, or a sparkline of forty characters.
// Why this way: dropping records drops spikes, and spikes are why one looks. Each bucket keeps the smallest and the
// largest value of its records and where they are, so whatever is zoomed out still shows as high and as low as it was.
// Levels halve the number of buckets; a level is made from the finer one alone, hence only the finest that fits a
// budget must be stored and a viewer builds the rest. Widths are powers of two and buckets start at multiples of the
// width: the buckets of any two levels nest. Around findings the records themselves are kept (full_windows), snapped
// to bucket borders so that the viewer swaps whole buckets for records.
// NaN and infinities are no values that an axis can show, but a curve that hides them lies: they get flags of their own
// and leave min and max alone.
// Limits: inside a bucket only the extremes have a place; order and density of the rest are gone.

#include "stat/pyramid.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::size_t add_capped(std::size_t a, std::size_t b) {
  return b > std::numeric_limits<std::size_t>::max() - a ? std::numeric_limits<std::size_t>::max() : a + b;
}

/// Sorts and joins ranges that touch or overlap.
std::vector<IndexRange> joined(std::vector<IndexRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const IndexRange& a, const IndexRange& b) { return a.first < b.first; });
  std::vector<IndexRange> out;
  for (const IndexRange& range : ranges) {
    if (!out.empty() && range.first <= out.back().end) {
      out.back().end = std::max(out.back().end, range.end);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

std::size_t total_size(const std::vector<IndexRange>& ranges) {
  std::size_t out = 0;
  for (const IndexRange& range : ranges) out += range.size();
  return out;
}

/// `range` with the margin around it, whole buckets, inside the series. `range` is inside the series and not empty.
IndexRange widened(const IndexRange& range, std::size_t n, std::size_t width, std::size_t margin) {
  const std::size_t first = range.first > margin ? range.first - margin : 0;
  const std::size_t end = std::min(n, add_capped(range.end, margin));
  const std::size_t rest = end % width;
  return {.first = first - first % width, .end = rest == 0 ? end : std::min(n, add_capped(end, width - rest))};
}

}  // namespace

bool Bucket::operator==(const Bucket& other) const {
  return first == other.first && last == other.last && same(min, other.min) && same(max, other.max) &&
         min_at == other.min_at && max_at == other.max_at && finite == other.finite && non_finite == other.non_finite;
}

Bucket bucket_of(std::span<const double> values, std::size_t first) {
  Bucket out{.first = first, .last = first + values.size() - 1, .min_at = first, .max_at = first};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (!std::isfinite(value)) {
      out.non_finite |=
          std::isnan(value) ? Bucket::kNan : (value > 0 ? Bucket::kPositiveInfinity : Bucket::kNegativeInfinity);
      continue;
    }
    // Written so that the first finite value, compared with NaN, is taken.
    if (!(value >= out.min)) {
      out.min = value;
      out.min_at = first + i;
    }
    if (!(value <= out.max)) {
      out.max = value;
      out.max_at = first + i;
    }
    ++out.finite;
  }
  return out;
}

Bucket merged(const Bucket& left, const Bucket& right) {
  Bucket out = left;
  out.last = right.last;
  out.finite += right.finite;
  out.non_finite |= right.non_finite;
  if (right.finite == 0) return out;
  if (!(right.min >= left.min)) {
    out.min = right.min;
    out.min_at = right.min_at;
  }
  if (!(right.max <= left.max)) {
    out.max = right.max;
    out.max_at = right.max_at;
  }
  return out;
}

PyramidLevel finest_level(std::span<const double> values, std::size_t max_buckets) {
  PyramidLevel out;
  const std::size_t most = std::max<std::size_t>(max_buckets, 1);
  while ((values.size() + out.width - 1) / out.width > most) out.width *= 2;
  for (std::size_t first = 0; first < values.size(); first += out.width) {
    out.buckets.push_back(bucket_of(values.subspan(first, std::min(out.width, values.size() - first)), first));
  }
  return out;
}

PyramidLevel coarser_level(const PyramidLevel& level) {
  PyramidLevel out{.width = 2 * level.width, .buckets = {}};
  for (std::size_t i = 0; i < level.buckets.size(); i += 2) {
    const bool pair = i + 1 < level.buckets.size();
    out.buckets.push_back(pair ? merged(level.buckets[i], level.buckets[i + 1]) : level.buckets[i]);
  }
  return out;
}

std::vector<Bucket> even_buckets(std::span<const double> values, std::size_t columns) {
  const std::size_t n = values.size();
  const std::size_t count = std::min(columns, n);
  std::vector<Bucket> out;
  std::size_t first = 0;
  for (std::size_t column = 0; column < count; ++column) {
    const std::size_t size = n / count + (column < n % count ? 1 : 0);
    out.push_back(bucket_of(values.subspan(first, size), first));
    first += size;
  }
  return out;
}

std::vector<IndexRange> full_windows(std::span<const IndexRange> ranges, std::size_t n, std::size_t width,
                                     const WindowLimits& limits) {
  const std::size_t snap = std::max<std::size_t>(width, 1);
  std::vector<IndexRange> out;
  const auto serve = [&](const IndexRange& range) {
    std::vector<IndexRange> more = out;
    more.push_back(widened(range, n, snap, limits.margin));
    more = joined(std::move(more));
    if (total_size(more) <= limits.max_total) out = std::move(more);
  };
  for (const IndexRange& wanted : ranges) {
    const IndexRange range{.first = wanted.first, .end = std::min(wanted.end, n)};
    if (range.size() == 0) continue;
    if (range.size() / 4 <= limits.margin) {
      serve(range);
    } else {
      serve({.first = range.first, .end = range.first + 1});
      serve({.first = range.end - 1, .end = range.end});
    }
  }
  return out;
}

}  // namespace assay
