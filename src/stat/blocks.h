#pragma once
// A series as the medians of equal blocks of its records. Essay in blocks.cpp.

#include <cstddef>
#include <span>
#include <vector>

namespace assay {

std::size_t count_finite(std::span<const double> values);

/// Records of a block that make `finite` records into `most` blocks at the most; at least 1.
std::size_t block_size(std::size_t finite, std::size_t most);

/// Medians of consecutive blocks of `size` finite values.
class BlockMedians {
 public:
  /// size at least 1. What is left at the end is a block of its own where it is more than half of one.
  BlockMedians(std::span<const double> values, std::size_t size);

  std::span<const double> medians() const { return medians_; }
  std::size_t size() const { return medians_.size(); }
  /// Index in `values` at which the block begins; of one behind the last: values.size().
  std::size_t first(std::size_t block) const;

 private:
  std::vector<double> medians_;
  std::vector<std::size_t> first_;  // only where values were left out: else a multiple of the size
  std::size_t size_;
  std::size_t end_;
};

}  // namespace assay
