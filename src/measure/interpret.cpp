#include "measure/interpret.h"

#include <algorithm>
#include <utility>

namespace assay {

Series without(Series series, const std::vector<bool>& drop) {
  Series kept;
  kept.metric = std::move(series.metric);
  kept.printed_as = std::move(series.printed_as);
  kept.unit = series.unit;
  kept.quirks = series.quirks;
  kept.rows = std::move(series.rows);
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    if (drop[i]) continue;
    kept.row.push_back(series.row[i]);
    kept.values.push_back(series.values[i]);
    if (!series.own_line.empty()) kept.own_line.push_back(series.own_line[i]);
  }
  return kept;
}

void interpret(Segment& segment, const std::vector<Event>& events, const Config& config,
               std::vector<Interpretation>& told) {
  keep_own_name_of_foreign_epochs(segment, told);
  rename_loss_called_accuracy(segment, config, told);
  sum_parts_of_loss(segment, told);
  drop_placeholders(segment, told);
  drop_stale_grad_norms(segment, events, told);
  unscale_grad_norm(segment, told);
  bring_loss_to_nats_per_step(segment, config, told);
}

void merge(std::vector<Interpretation>& told) {
  std::vector<Interpretation> merged;
  for (Interpretation& one : told) {
    const auto same = std::find_if(merged.begin(), merged.end(),
                                   [&](const Interpretation& m) { return m.key == one.key && m.metric == one.metric; });
    if (same == merged.end()) {
      merged.push_back(std::move(one));
    } else {
      same->count += one.count;
    }
  }
  told = std::move(merged);
}

}  // namespace assay
