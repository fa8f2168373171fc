#pragma once
// What the rows of a recording tell, and whether one says again what another said.

#include <cstddef>
#include <span>
#include <vector>

#include "core/recording.h"

namespace assay {

/// Values of one row: read through one cursor for each series, rows in rising order. The recording has to outlive it.
class RowValues {
 public:
  explicit RowValues(const Recording& recording) : series_(recording.series), cursor_(series_.size(), 0) {}

  struct Cell {
    std::size_t series;
    double value;
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  std::vector<Cell> of(std::size_t row);

 private:
  std::span<const Series> series_;
  std::vector<std::size_t> cursor_;
};

/// The cell of a series, or null.
const RowValues::Cell* cell_of(const std::vector<RowValues::Cell>& cells, std::size_t series);

/// What both rows measured is equal (throughput and time may differ from rank to rank). A NaN or a zero that comes
/// again is no sign: a dead run prints it at every step. A constant learning rate is one only where nothing was
/// measured.
bool repeats(const Recording& recording, const std::vector<RowValues::Cell>& row,
             const std::vector<RowValues::Cell>& former);

}  // namespace assay
