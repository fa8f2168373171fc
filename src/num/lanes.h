#pragma once
// Many rows of numbers that are worked on at once.

#include <cstddef>
#include <span>
#include <vector>

namespace assay {

/// Rows side by side: number k of row r stands at k * rows + r. So one step of an operator (add the k-th number to the
/// sum) is one run over memory for all rows, however much each step depends on the one before.
struct Lanes {
  std::size_t rows = 0;
  std::size_t length = 0;
  std::vector<double> values;

  Lanes() = default;
  Lanes(std::size_t row_count, std::size_t row_length)
      : rows(row_count), length(row_length), values(row_count * row_length) {}
  std::span<double> at(std::size_t k) { return {values.data() + k * rows, rows}; }
  std::span<const double> at(std::size_t k) const { return {values.data() + k * rows, rows}; }
};

}  // namespace assay
