#pragma once
// What each rank has, from .npy files.

#include <memory>
#include <optional>
#include <string>

#include "num/lanes.h"
#include "study/npy_numbers.h"

namespace assay {

class RankData {
 public:
  /// `path`: an array of ranks × elements; a folder, whose .npy files are ranks by the numbers in their names; or a
  /// name with %d for the rank, from 0. `ranks`: how many are wanted; else as many as there are. `dtype`: what patterns
  /// of bits mean. Errors: those of the files; fewer ranks than wanted; ranks of different lengths.
  static Result<RankData> open(const std::string& path, std::optional<std::size_t> ranks, const NumberFormat& dtype);

  std::size_t ranks() const { return ranks_; }
  std::size_t elements() const { return elements_; }
  /// Elements [first, first + out.rows) of ranks 0 … out.length − 1: number k of a row is that of rank k.
  Result<void> read(std::size_t first, Lanes& out) const;

 private:
  std::vector<NpyNumbers> files_;  // one for all ranks, or one a rank
  std::size_t ranks_ = 0, elements_ = 0;
};

}  // namespace assay
