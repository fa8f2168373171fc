// How many samples or tokens a step took.
//
// Why: a global batch is a product of four settings, any of which a launcher, a wrapper or a second configuration may
// change. A counter of consumed samples is counted by the loader, and its growth over the steps between two records is
// the batch that acted, whatever was asked for.
//
// How: (counter now - counter before) / (step now - step before) for all neighbouring records. The batch at the end is
// the median of the last sixteen, that at the beginning of the first sixteen; it grows (a ramp-up) where these differ
// by more than a tenth and the quotients hardly ever fall. It is steady if nine tenths of the quotients are within a
// hundredth of the last one, or it grows and does so at the end. Tokens of unpadded batches are not steady, and then
// nothing is said.
//
// Limits: counters that are printed with few digits ("1.2M") are quotients of rounding; the spread shows it.

#include "measure/seen_batch.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/axis.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr std::size_t kFewest = 3;
constexpr std::size_t kLevel = 16;  // records
constexpr double kSame = 0.01;      // of the batch
constexpr double kMostAgree = 0.9;  // of the records
constexpr double kGrowth = 1.1;

bool near(double a, double b) { return std::fabs(a - b) <= kSame * std::max(std::fabs(a), std::fabs(b)); }

std::optional<SeenBatch> of_series(const Series& counter, std::size_t segment) {
  std::vector<double> each;
  SeenBatch out;
  out.segment = segment;
  for (std::size_t i = 1; i < counter.size(); ++i) {
    const auto steps = static_cast<double>(counter.step(i) - counter.step(i - 1));
    const double samples = counter.value(i) - counter.value(i - 1);
    if (!(steps > 0) || !(samples > 0) || !std::isfinite(samples)) continue;
    each.push_back(samples / steps);
    out.line = counter.line(i);
    out.steps.last = counter.step(i);
  }
  if (each.size() + 1 < kFewest) return std::nullopt;
  out.steps.first = counter.first_step();
  const std::span<const double> all = each;
  const std::size_t few = std::min(kLevel, each.size());
  out.first = median(all.first(few));
  out.last = median(all.last(few));
  const auto falls = std::count_if(
      all.begin() + 1, all.end(), [&, i = std::size_t{0}](double now) mutable { return now < all[i++] * (1 - kSame); });
  out.grows = out.last > kGrowth * out.first && falls * 20 <= static_cast<std::ptrdiff_t>(all.size());
  const std::span<const double> judged = out.grows ? all.last(few) : all;
  const auto agree = std::count_if(judged.begin(), judged.end(), [&](double x) { return near(x, out.last); });
  out.steady = static_cast<double>(agree) >= kMostAgree * static_cast<double>(judged.size());
  return out;
}

}  // namespace

std::optional<SeenBatch> seen_batch(const Run& run, std::string_view metric) {
  for (std::size_t i = run.segments.size(); i-- > 0;) {
    const Segment& segment = run.segments[i];
    const Series* counter = segment.find(metric);
    if (counter == nullptr || counter->size() < kFewest) continue;
    if (axis_of(segment.axis, segment.last_step()) != Axis::kStep) continue;
    if (auto out = of_series(*counter, i)) return out;
  }
  return std::nullopt;
}

}  // namespace assay
