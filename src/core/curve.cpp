// Buckets hold equally many records rather than equally many steps: a log that prints every tenth step in one part and
// every hundredth in another would else leave holes, and a hole looks like an event.

#include "core/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {

Curve curve_of(const Series& series, std::size_t first, std::size_t last, std::size_t buckets,
               std::optional<StepRange> marked) {
  Curve curve;
  curve.metric = series.metric;
  curve.marked = marked;
  last = std::min(last, series.size());
  if (first >= last || buckets == 0) return curve;
  const std::size_t count = last - first;
  buckets = std::min(buckets, count);
  curve.buckets.reserve(buckets);
  for (std::size_t b = 0; b < buckets; ++b) {
    // count * b / buckets without overflow: a whole part and a rest that is smaller than buckets squared.
    const auto edge = [&](std::size_t k) { return first + count / buckets * k + count % buckets * k / buckets; };
    Curve::Bucket bucket;
    bucket.first_step = series.step(edge(b));
    bucket.low = std::numeric_limits<double>::quiet_NaN();
    bucket.high = bucket.low;
    for (std::size_t i = edge(b); i < edge(b + 1); ++i) {
      const double value = series.value(i);
      if (!std::isfinite(value)) {
        bucket.non_finite = true;
      } else {
        bucket.low = std::isnan(bucket.low) ? value : std::min(bucket.low, value);
        bucket.high = std::isnan(bucket.high) ? value : std::max(bucket.high, value);
      }
    }
    curve.buckets.push_back(bucket);
  }
  curve.last_step = series.step(last - 1);
  return curve;
}

Curve curve_around(const Series& series, StepRange event, double around, std::size_t buckets) {
  constexpr double kLeastMargin = 20;
  const std::size_t begin = series.at_or_after_step(event.first);
  std::size_t end = series.at_or_after_step(event.last);
  while (end < series.size() && series.step(end) <= event.last) ++end;
  const auto length = static_cast<double>(end - std::min(begin, end));
  const auto margin = static_cast<std::size_t>(std::min(std::max(length * around, kLeastMargin), 1e15));
  return curve_of(series, begin > margin ? begin - margin : 0, end + margin, buckets, event);
}

}  // namespace assay
