// The loss of detectors: Ultralytics and its forerunners log the parts of their loss, weighted as they are summed
// ("train/box_loss", "train/cls_loss", "train/dfl_loss"), and no total. No part stands for the whole: the loss of boxes
// falls while that of classes rises. Each part stays a series, and where the file tells no loss of its own their sum
// is taken for it, likewise for the evaluation's ("val/box_loss", …).
//
// Only parts by these names, at least two of them, and at every record where any of them stands all of them: a sum over
// what is there would jump where one is missing. NaN in a part is NaN in the sum, as in the program.

#include <algorithm>
#include <string>

#include "assay/metric.h"
#include "core/metric_names.h"
#include "measure/interpret.h"

namespace assay {

namespace {

// The name of the part without the word for the evaluation; empty: not one of an evaluation.
std::string_view behind_evaluation(std::string_view name) {
  for (const std::string_view space : {"val/", "valid/", "validation/", "val_", "eval_"}) {
    if (name.starts_with(space)) return name.substr(space.size());
  }
  return {};
}

void add_sum(Segment& segment, std::string_view metric, bool evaluation, std::vector<Interpretation>& told) {
  constexpr std::size_t kFewest = 2;
  if (segment.find(metric) != nullptr) return;
  std::vector<const Series*> parts;
  for (const Series& series : segment.series) {
    const std::string_view name = evaluation ? behind_evaluation(series.printed_as) : series.printed_as;
    if (!series.empty() && is_part_of_detection_loss(name)) parts.push_back(&series);
  }
  const auto same_rows = [&](const Series* part) {
    if (part->size() != parts[0]->size()) return false;
    for (std::size_t i = 0; i < part->size(); ++i) {
      if (part->row_of(i) != parts[0]->row_of(i)) return false;
    }
    return true;
  };
  if (parts.size() < kFewest || !std::all_of(parts.begin(), parts.end(), same_rows)) return;
  Series sum;
  sum.metric = metric;
  sum.rows = parts[0]->rows;
  for (std::size_t i = 0; i < parts[0]->size(); ++i) {
    double total = 0;
    for (const Series* part : parts) total += part->value(i);
    sum.row.push_back(parts[0]->row[i]);
    sum.values.push_back(total);
    if (!parts[0]->own_line.empty()) sum.own_line.push_back(parts[0]->own_line[i]);
  }
  for (const Series* part : parts) sum.printed_as += (sum.printed_as.empty() ? "" : " + ") + part->printed_as;
  told.push_back({"loss-sum-of-parts",
                  std::string(metric),
                  static_cast<double>(parts.size()),
                  static_cast<std::int64_t>(sum.size()),
                  {}});
  segment.series.push_back(std::move(sum));
}

}  // namespace

void sum_parts_of_loss(Segment& segment, std::vector<Interpretation>& told) {
  add_sum(segment, metric::kLoss, false, told);
  add_sum(segment, metric::kEvalLoss, true, told);
}

}  // namespace assay
