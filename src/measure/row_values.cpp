#include "measure/row_values.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "assay/metric.h"

namespace assay {

namespace {

// The same number up to how it was printed: "12.7902" and "1.279022E+01".
bool same_number(double a, double b, double digits = 2e-5) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= digits * std::max(std::fabs(a), std::fabs(b));
}

bool is_measured(std::string_view metric) {
  return metric == metric::kLoss || metric == metric::kEvalLoss || metric == metric::kGradNorm;
}

}  // namespace

std::vector<RowValues::Cell> RowValues::of(std::size_t row) {
  std::vector<Cell> cells;
  for (std::size_t s = 0; s < series_.size(); ++s) {
    std::size_t& at = cursor_[s];
    while (at < series_[s].size() && series_[s].row_of(at) < row) ++at;
    if (at < series_[s].size() && series_[s].row_of(at) == row) cells.push_back({s, series_[s].value(at)});
  }
  return cells;
}

const RowValues::Cell* cell_of(const std::vector<RowValues::Cell>& cells, std::size_t series) {
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const auto& cell) { return cell.series == series; });
  return found == cells.end() ? nullptr : &*found;
}

bool repeats(const Recording& recording, const std::vector<RowValues::Cell>& row,
             const std::vector<RowValues::Cell>& former) {
  const bool measured = std::any_of(row.begin(), row.end(), [&](const RowValues::Cell& cell) {
    return is_measured(recording.series[cell.series].metric);
  });
  bool agree = false;
  for (const auto& cell : row) {
    const std::string_view metric = recording.series[cell.series].metric;
    const RowValues::Cell* other = cell_of(former, cell.series);
    if (other == nullptr) continue;
    // Batches between two steps of the optimizer: "iter 1 step 0", "iter 2 step 0", often with the loss of the last
    // step.
    if (recording.series[cell.series].unit == Unit::kSteps && cell.value != other->value) return false;
    if (!(is_measured(metric) || metric == metric::kLearningRate)) continue;
    // Beside an equal loss a rate that was printed with three digits is enough.
    if (!same_number(cell.value, other->value, measured && !is_measured(metric) ? 1e-3 : 2e-5)) return false;
    agree = agree || (is_measured(metric) && std::isfinite(cell.value) && cell.value != 0);
    agree = agree || (metric == metric::kLearningRate && !measured);
  }
  return agree;
}

}  // namespace assay
