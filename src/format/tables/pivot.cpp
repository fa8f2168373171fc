#include "format/tables/pivot.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace assay {

void Pivot::add(Recorder::Column metric, std::int64_t step, double value, std::int64_t line) {
  if (measurements_.size() == kMost) {
    ++dropped_;
    return;
  }
  if (progress_.size() <= metric) progress_.resize(metric + 1);
  Progress& progress = progress_[metric];
  if (step < progress.step) ++progress.part;
  progress.step = step;
  measurements_.push_back({step, value, line, metric, progress.part});
}

void Pivot::finish() {
  std::vector<std::uint32_t> order(measurements_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    const Measurement& first = measurements_[a];
    const Measurement& second = measurements_[b];
    return std::tie(first.part, first.step, a) < std::tie(second.part, second.step, b);
  });
  std::vector<std::uint64_t> filled(progress_.size(), 0);  // number of the row that holds a value of the metric
  std::uint64_t row = 0;
  const Measurement* former = nullptr;
  for (const std::uint32_t index : order) {
    const Measurement& now = measurements_[index];
    const bool same = former != nullptr && now.step != kNoStep && now.step == former->step &&
                      now.part == former->part && filled[now.metric] != row;
    if (!same) {
      ++row;
      recorder_.begin_row(now.step, now.line);
    }
    filled[now.metric] = row;
    recorder_.put(now.metric, now.value);
    former = &now;
  }
  if (dropped_ > 0) {
    Error error;
    error.code = ErrorCode::kLimit;
    error.message = fmt::format("more than {} measurements: {} were not read", kMost, dropped_);
    error.hint = "give the export of one run";
    recorder_.problem(std::move(error));
  }
  measurements_ = {};
}

}  // namespace assay
