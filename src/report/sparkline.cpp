// One character a column can show one height, and a column stands for many records. Which one of them? The mean hides
// what one looks for, the greatest value hides a dip. Each column shows the extreme that is farther from the median of
// the whole picture: a spike stays a spike, a dip a dip, and a calm stretch stays calm. A curve of positive values that
// spans more than a factor of 30 is drawn by its logarithm, since a grad norm that falls from 300 to 0.3 would else be
// a point and a flat line.

#include "report/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include "stat/quantile.h"

namespace assay {

namespace {

constexpr double kLogarithmicFrom = 30;
constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> kAscii = {"_", ".", ":", "-", "=", "+", "*", "#"};

// Neighbouring buckets joined until there are no more than `columns`.
std::vector<Curve::Bucket> joined(const std::vector<Curve::Bucket>& buckets, std::size_t columns) {
  if (buckets.size() <= columns) return buckets;
  std::vector<Curve::Bucket> out;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t begin = c * buckets.size() / columns;
    const std::size_t end = (c + 1) * buckets.size() / columns;
    Curve::Bucket one = buckets[begin];
    for (std::size_t i = begin + 1; i < end; ++i) {
      one.low = std::fmin(one.low, buckets[i].low);  // fmin and fmax pass over NaN
      one.high = std::fmax(one.high, buckets[i].high);
      one.non_finite = one.non_finite || buckets[i].non_finite;
    }
    out.push_back(one);
  }
  return out;
}

double middle_of(const std::vector<Curve::Bucket>& buckets) {
  std::vector<double> values;
  for (const Curve::Bucket& bucket : buckets) {
    values.push_back(bucket.low);
    values.push_back(bucket.high);
  }
  return median(values);
}

}  // namespace

Sparkline sparkline(const Curve& curve, int columns, bool unicode) {
  Sparkline out;
  const std::vector<Curve::Bucket> buckets = joined(curve.buckets, static_cast<std::size_t>(std::max(1, columns)));
  out.low = out.high = std::numeric_limits<double>::quiet_NaN();
  for (const Curve::Bucket& bucket : buckets) {
    if (std::isfinite(bucket.low)) out.low = std::fmin(out.low, bucket.low);
    if (std::isfinite(bucket.high)) out.high = std::fmax(out.high, bucket.high);
  }
  out.logarithmic = out.low > 0 && out.high / out.low > kLogarithmicFrom;
  const auto scaled = [&](double value) { return out.logarithmic ? std::log(value) : value; };
  const double bottom = scaled(out.low);
  const double span = scaled(out.high) - bottom;
  const double middle = middle_of(buckets);

  const auto& heights = unicode ? kBlocks : kAscii;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const Curve::Bucket& bucket = buckets[i];
    if (bucket.non_finite) {
      out.cells.emplace_back(unicode ? "×" : "x");
    } else if (!std::isfinite(bucket.low) || !std::isfinite(bucket.high)) {
      out.cells.emplace_back(" ");
    } else {
      const double value = bucket.high - middle >= middle - bucket.low ? bucket.high : bucket.low;
      const double height = span > 0 ? (scaled(value) - bottom) / span : 0;
      out.cells.emplace_back(heights[static_cast<std::size_t>(std::clamp(height, 0.0, 1.0) * 7.0 + 0.5)]);
    }
    const std::int64_t next = i + 1 < buckets.size() ? buckets[i + 1].first_step : curve.last_step + 1;
    const std::int64_t last = std::max(bucket.first_step, next - 1);
    out.marked.push_back(curve.marked && bucket.first_step <= curve.marked->last && last >= curve.marked->first);
    out.any_marked = out.any_marked || out.marked.back();
  }
  return out;
}

std::string Sparkline::text() const {
  std::string out;
  for (const std::string& cell : cells) out += cell;
  return out;
}

}  // namespace assay
