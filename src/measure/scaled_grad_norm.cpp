// Grad norms that still carry the loss scale. FP16 training multiplies the loss by a scale S so that small gradients
// survive; DeepSpeed under Megatron prints the norm before the scale is taken out: 79,683.8 at S = 262,144 is a norm
// of 0.304.
//
// Two signs, either is enough:
//   * the norm follows the scale: over records with at least three different scales, log norm and log S correlate
//     above 0.9 and norm / S lies between 0.001 and 100 (what norms of real runs are);
//   * S is constant or nearly so (an excerpt): the dialect is known to print scaled norms, S >= 1,024, the median
//     norm is above 1,000 and norm / S lies in the same range. A norm that a real run keeps above 1,000 at such an S
//     is not known.
// Limit: a short excerpt of an unknown dialect keeps its printed norms; detectors work on ratios and are not misled
// by a constant factor.

#include <algorithm>
#include <cmath>
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

struct Joined {
  std::vector<double> log_norm, log_scale, ratio, norm, scale;
  std::vector<std::size_t> index;  // into the grad norm series
};

Joined join(const Series& norm, const Series& scale) {
  Joined out;
  std::size_t s = 0;
  for (std::size_t i = 0; i < norm.size(); ++i) {
    while (s < scale.size() && scale.row_of(s) < norm.row_of(i)) ++s;
    if (s == scale.size()) break;
    const double n = norm.value(i);
    const double c = scale.value(s);
    if (scale.row_of(s) != norm.row_of(i) || !(n > 0) || !(c > 0) || !std::isfinite(n) || !std::isfinite(c)) continue;
    out.index.push_back(i);
    out.norm.push_back(n);
    out.scale.push_back(c);
    out.ratio.push_back(n / c);
    out.log_norm.push_back(std::log(n));
    out.log_scale.push_back(std::log(c));
  }
  return out;
}

std::size_t distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

bool carries_scale(const Joined& joined, bool dialect_may) {
  const double ratio = median(joined.ratio);
  if (!(ratio >= kLeastNorm && ratio <= kGreatestNorm)) return false;
  if (distinct(joined.scale) >= kFewestScales && median(joined.scale) >= kLeastScale &&
      pearson(joined.log_norm, joined.log_scale) > kCorrelation) {
    return true;
  }
  return dialect_may && median(joined.scale) >= kLeastScale && median(joined.norm) >= kSuspiciousNorm;
}

}  // namespace

void unscale_grad_norm(Segment& segment, std::vector<Interpretation>& told) {
  const Series* norm = segment.find(metric::kGradNorm);
  const Series* scale = segment.find(metric::kLossScale);
  if (norm == nullptr || scale == nullptr) return;
  const Joined joined = join(*norm, *scale);
  if (joined.index.empty() || !carries_scale(joined, has(norm->quirks, Quirk::kMaySitOnLossScale))) return;
  Series& one = segment.series[static_cast<std::size_t>(norm - segment.series.data())];
  std::vector<bool> alone(one.size(),
                          true);  // a norm without a scale beside it cannot be brought to the others' measure
  for (std::size_t k = 0; k < joined.index.size(); ++k) {
    one.values[joined.index[k]] = joined.ratio[k];
    alone[joined.index[k]] = false;
  }
  for (std::size_t i = 0; i < one.size(); ++i) alone[i] = alone[i] && std::isfinite(one.value(i));
  one = without(std::move(one), alone);
  told.push_back({"grad-norm-unscaled",
                  std::string(metric::kGradNorm),
                  median(joined.scale),
                  static_cast<std::int64_t>(joined.index.size()),
                  {}});
}

}  // namespace assay
