// Average ranks.
//
// Ties get the mean of the ranks that they would take, so that the sum of all ranks does not depend on ties and every
// test built on it stays unbiased; what ties take away from the variance each test corrects from the group sizes.
// Logs print few decimals: ties are the normal case here, not the exception.

#include "stat/ranks.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace assay {

Ranks average_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Ranks out;
  out.rank.resize(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double shared = 0.5 * static_cast<double>(first + 1 + end);
    for (std::size_t i = first; i < end; ++i) out.rank[order[i]] = shared;
    if (end - first > 1) out.groups.push_back(static_cast<std::int64_t>(end - first));
    first = end;
  }
  return out;
}

}  // namespace assay
