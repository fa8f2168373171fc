#pragma once
// A share, k of n, with the interval that its n supports.
//
// What: "almost every step is clipped" must not be said after three steps. The Wilson score interval gives the shares
// that k of n are compatible with: those p for which |k/n - p| <= z sqrt(p (1 - p) / n). Unlike k/n +- z sqrt(...) it
// never leaves [0, 1], does not shrink to a point at k = 0 or k = n, and keeps its coverage for small n.
// Formula: (k/n + z^2/2n +- z sqrt(k/n (1 - k/n)/n + z^2/4n^2)) / (1 + z^2/n).
// Source: E. B. Wilson, JASA 22 (1927); compared with ten others in R. G. Newcombe, Statistics in Medicine 17 (1998).
// Limits: it takes the n trials for independent. Neighbouring training steps are not quite, so the true interval is
// somewhat wider; a rule that asks lower_bound() for 0.9 is on the safe side of what it claims in the usual cases.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace assay {

/// Normal quantile for a two-sided 95 % interval.
inline constexpr double kZ95 = 1.959963984540054;

struct Share {
  std::size_t hits = 0;
  std::size_t total = 0;

  /// hits / total; NaN when nothing was counted. More hits than total count as all.
  double value() const {
    if (total == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(std::min(hits, total)) / static_cast<double>(total);
  }
  /// Ends of the Wilson interval; 0 and 1 when nothing was counted. `z` in sigma: kZ95 leaves 2.5 % outside each end.
  double lower_bound(double z = kZ95) const { return hits == 0 || total == 0 ? 0.0 : std::max(0.0, wilson(-z)); }
  double upper_bound(double z = kZ95) const { return hits >= total ? 1.0 : std::min(1.0, wilson(z)); }

 private:
  double wilson(double z) const {
    const double n = static_cast<double>(total);
    const double p = value();
    const double z2n = z * z / n;
    return (p + 0.5 * z2n + z * std::sqrt(p * (1.0 - p) / n + 0.25 * z2n / n)) / (1.0 + z2n);
  }
};

/// How many values satisfy a predicate. NaN values are not counted at all; infinities are.
template <class Predicate>
Share share_of(std::span<const double> values, Predicate predicate) {
  Share out;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    ++out.total;
    if (predicate(value)) ++out.hits;
  }
  return out;
}

/// Share of the values strictly above (below) a limit, which is in the unit of the values.
inline Share share_above(std::span<const double> values, double limit) {
  return share_of(values, [limit](double value) { return value > limit; });
}
inline Share share_below(std::span<const double> values, double limit) {
  return share_of(values, [limit](double value) { return value < limit; });
}

}  // namespace assay
