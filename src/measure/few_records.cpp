// A level told by few records: an excerpt, or the first records of a log.
//
// Sixteen records make a median and a MAD; three do not. What they do tell is how low the series has been (the floor)
// and how it moves upwards when nothing happens.
//
// Why only upwards: most logs begin with a fall. 15.5, 13, 3.8, 2.4, 1.4 and then 5.8 is no noisy series that swings by
// nine, it is one that fell smoothly and then rose. So noise is what rises: the largest rise so far, with eight records
// or more the median one (then one odd record does not count). The last fall counts as well: it leads straight to the
// point from which the event rises, and in a zig-zag it is as large as the next rise; unless four records or more did
// nothing but fall.
//
// Why what follows counts too: with one or two records before, the zig-zag of small batches shows only afterwards.
// Rises that begin at the level again (later_rises) are of the same kind as the one that is being judged; a loss that
// really left does not come back to begin anew.
//
// Limits: a trend that bends upwards slowly is its own noise here. Eight records of a heavy-tailed loss may all be
// calm.

#include "measure/few_records.h"

#include <algorithm>
#include <limits>

#include "stat/quantile.h"

namespace assay {
namespace {

constexpr std::size_t kMonotone = 4;
constexpr std::size_t kMedianOf = 5;

}  // namespace

double FewRecords::floor() const {
  if (very_few()) return *std::min_element(values_.begin(), values_.end());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + kMedianOf <= values_.size(); ++i)
    least = std::min(least, median({values_.data() + i, kMedianOf}));
  return least;
}

double FewRecords::noise(std::size_t without) const {
  const auto all = std::span(values_).first(values_.size() - std::min(without, values_.size()));
  std::vector<double> rises;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] > all[i - 1]) rises.push_back(all[i] - all[i - 1]);
  }
  if (all.size() > kVeryFew) return rises.empty() ? 0 : median_in_place(rises);
  const double rise = rises.empty() ? 0 : *std::max_element(rises.begin(), rises.end());
  const bool steady_fall = rises.empty() && all.size() >= kMonotone;
  return all.size() < 2 || steady_fall ? rise : std::max(rise, all[all.size() - 2] - all.back());
}

bool FewRecords::rises_step_by_step(double x, double least, double least_fall) const {
  if (values_.size() < kMonotone - 1) return false;
  double later = x;
  for (std::size_t k = 1; k < kMonotone; ++k) {
    const double before = values_[values_.size() - k];
    if (!(before < later)) return false;
    later = before;
  }
  double largest_fall = least_fall;  // rises may be the event itself
  for (std::size_t i = 1; i < values_.size(); ++i) largest_fall = std::max(largest_fall, values_[i - 1] - values_[i]);
  return x - later >= least && x - later >= 3 * largest_fall;
}

double later_rises(std::span<const double> heights, double edge) {
  std::vector<double> rises;
  for (std::size_t i = 1; i < heights.size(); ++i) {
    if (heights[i - 1] <= edge && heights[i] > heights[i - 1]) rises.push_back(heights[i] - heights[i - 1]);
  }
  return rises.size() < 2 ? 0 : median_in_place(rises);
}

}  // namespace assay
