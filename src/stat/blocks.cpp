// Medians of blocks.
//
// A drift, a plateau or a slow swing is seen in some hundred points as well as in a million records, and in medians it
// is seen without the outliers. Blocks hold equal numbers of finite values, so that each is as good as the others.
//
// Limits: what happens within a block is gone; a place is good to a block.

#include "stat/blocks.h"

#include <algorithm>
#include <cmath>

#include "stat/quantile.h"

namespace assay {

std::size_t count_finite(std::span<const double> values) {
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [](double x) { return std::isfinite(x); }));
}

std::size_t block_size(std::size_t finite, std::size_t most) {
  return std::max<std::size_t>((finite + most - 1) / most, 1);
}

BlockMedians::BlockMedians(std::span<const double> values, std::size_t size) : size_(size), end_(values.size()) {
  const std::size_t finite = count_finite(values);
  const bool dense = finite == values.size();
  medians_.reserve(finite / size + 1);
  std::vector<double> open;
  open.reserve(size);
  std::size_t begin = 0;
  const auto close = [&] {
    medians_.push_back(median_in_place(open));
    if (!dense) first_.push_back(begin);
    open.clear();
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    if (open.empty()) begin = i;
    open.push_back(values[i]);
    if (open.size() == size) close();
  }
  if (2 * open.size() > size) close();
}

std::size_t BlockMedians::first(std::size_t block) const {
  if (block >= medians_.size()) return end_;
  return first_.empty() ? block * size_ : first_[block];
}

}  // namespace assay
