// Grad norms that still carry the loss scale. FP16 training multiplies the loss by a scale S so that small gradients
// survive; DeepSpeed under Megatron prints the norm before the scale is taken out: 79,683.8 at S = 262,144 is a norm
// of 0.304.
//
// Two signs, either is enough:
//   * the norm follows the scale: over records with at least three different scales, log norm and log S correlate
//     above 0.9, most S are at least 1,024, and most norm / S lie between 0.001 and 100 (what norms of real runs are);
//   * S is constant or nearly so (an excerpt): the dialect is known to print scaled norms, S and norm / S are as
//     above, and most norms are above 1,000. A norm that a real run keeps above 1,000 at such an S
//     is not known.
// Limit: a short excerpt of an unknown dialect keeps its printed norms; detectors work on ratios and are not misled
// by a constant factor.

#include <cmath>
#include <set>
#include <vector>

#include "assay/metric.h"
#include "measure/interpret.h"
#include "stat/correlation.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr double kCorrelation = 0.9;
constexpr double kLeastNorm = 1e-3;
constexpr double kGreatestNorm = 100;
constexpr double kLeastScale = 1024;
constexpr double kSuspiciousNorm = 1000;
constexpr std::size_t kFewestScales = 3;

// Calls visit(index into norm, norm, scale) for each record with both, positive and finite.
template <class Visit>
void for_each_pair(const Series& norm, const Series& scale, Visit visit) {
  std::size_t s = 0;
  for (std::size_t i = 0; i < norm.size(); ++i) {
    while (s < scale.size() && scale.row_of(s) < norm.row_of(i)) ++s;
    if (s == scale.size()) break;
    const double n = norm.value(i);
    const double c = scale.value(s);
    if (scale.row_of(s) == norm.row_of(i) && n > 0 && c > 0 && std::isfinite(n) && std::isfinite(c)) visit(i, n, c);
  }
}

// What the two signs need, but the correlation. Medians are only compared with bounds, so counts do: a run that keeps
// no such scale, the usual case, costs no memory.
struct Counts {
  std::size_t pairs = 0, large_scale = 0, large_norm = 0, ratio_in_range = 0;
  std::set<double> scales;  // at most kFewestScales
  bool most(std::size_t count) const { return 2 * count > pairs; }
};

Counts count_pairs(const Series& norm, const Series& scale) {
  Counts out;
  for_each_pair(norm, scale, [&](std::size_t, double n, double c) {
    ++out.pairs;
    out.large_scale += c >= kLeastScale ? 1 : 0;
    out.large_norm += n >= kSuspiciousNorm ? 1 : 0;
    out.ratio_in_range += n / c >= kLeastNorm && n / c <= kGreatestNorm ? 1 : 0;
    if (out.scales.size() < kFewestScales) out.scales.insert(c);
  });
  return out;
}

double log_correlation(const Series& norm, const Series& scale, std::size_t pairs) {
  std::vector<double> log_norm, log_scale;
  log_norm.reserve(pairs);
  log_scale.reserve(pairs);
  for_each_pair(norm, scale, [&](std::size_t, double n, double c) {
    log_norm.push_back(std::log(n));
    log_scale.push_back(std::log(c));
  });
  return pearson(log_norm, log_scale);
}

bool carries_scale(const Series& norm, const Series& scale) {
  const Counts counts = count_pairs(norm, scale);
  if (!counts.most(counts.large_scale) || !counts.most(counts.ratio_in_range)) return false;
  if (has(norm.quirks, Quirk::kMaySitOnLossScale) && counts.most(counts.large_norm)) return true;
  return counts.scales.size() >= kFewestScales && log_correlation(norm, scale, counts.pairs) > kCorrelation;
}

}  // namespace

void unscale_grad_norm(Segment& segment, std::vector<Interpretation>& told) {
  const Series* norm = segment.find(metric::kGradNorm);
  const Series* scale = segment.find(metric::kLossScale);
  if (norm == nullptr || scale == nullptr) return;
  if (!carries_scale(*norm, *scale)) return;
  Series& one = segment.series[static_cast<std::size_t>(norm - segment.series.data())];
  std::vector<bool> alone(one.size(), true);  // without a scale beside it: cannot be brought to the others' measure
  std::vector<double> divided_by;
  for_each_pair(one, *scale, [&](std::size_t i, double n, double c) {
    one.values[i] = n / c;
    alone[i] = false;
    divided_by.push_back(c);
  });
  for (std::size_t i = 0; i < one.size(); ++i) alone[i] = alone[i] && std::isfinite(one.value(i));
  one = without(std::move(one), alone);
  told.push_back({"grad-norm-unscaled",
                  std::string(metric::kGradNorm),
                  median(divided_by),
                  static_cast<std::int64_t>(divided_by.size()),
                  {}});
}

}  // namespace assay
