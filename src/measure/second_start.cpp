// A run that is stopped after its first record and started again leaves the same step twice: "Epoch 1 | loss: 15.3",
// "Epoch 1 | loss: 19.8". The counter does not go back, so nothing else tells the restart, and read as one run the loss
// jumps.
//
// Two records of one step are as a rule something else: micro-batches, ranks without a mark, training and evaluation in
// the same words. These come at every step. So it is a new start only where the records count epochs, of which nobody
// prints two by one statement; where the step is the first of the file and no later one comes twice; where the values
// differ; and where the counting goes on.

#include "measure/second_start.h"

#include <algorithm>

#include "assay/metric.h"
#include "core/axis.h"
#include "measure/row_values.h"

namespace assay {

std::vector<std::size_t> second_starts(const Recording& recording, const std::vector<bool>& key) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < recording.rows(); ++i) {
    if (key[i]) rows.push_back(i);
  }
  if (rows.size() < 3) return {};
  const std::int64_t first = recording.step[rows.front()];
  if (axis_of(recording.axis, recording.step[rows.back()]) != Axis::kEpoch) return {};
  std::vector<std::size_t> out;
  RowValues values(recording);
  auto former = values.of(rows.front());
  for (std::size_t k = 1; k < rows.size(); ++k) {
    if (recording.step[rows[k]] != recording.step[rows[k - 1]]) continue;
    if (recording.step[rows[k]] != first || out.size() + 1 != k) return {};
    auto own = values.of(rows[k]);
    const bool same = recording.shape[rows[k]] != recording.shape[rows.front()] || repeats(recording, own, former);
    if (same) return {};
    former = std::move(own);
    out.push_back(rows[k]);
  }
  return out.size() + 2 <= rows.size() ? out : std::vector<std::size_t>{};
}

}  // namespace assay
