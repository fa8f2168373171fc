// Stale grad norms: when a step is skipped no norm is computed, and DeepSpeed under Megatron prints that of the step
// before once more, to the last digit. Read as measurements such repeats hide the overflow and, once the loss scale
// is divided out, invent a rise.
//
// A repeat is taken for stale when the step shows a skip (an overflow event since the record before, a loss scale
// that fell, a printed skip count, a missing loss) or when the repeated number has so many digits that chance is out
// of the question: two measured norms agree in six significant digits about once in 10^5 neighbours.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "measure/interpret.h"

namespace assay {

namespace {

constexpr double kDigits =
    1e5;  // a norm of at least this many units of its last printed place (.001) has six digits or more

// The value of a series at a row; NaN when it has none there.
double at_row(const Series* series, std::size_t row) {
  if (series == nullptr) return std::nan("");
  const std::size_t i = series->at_or_after_row(row);
  return i < series->size() && series->row_of(i) == row ? series->value(i) : std::nan("");
}

bool long_number(double value) { return std::fabs(value) >= kDigits * 1e-3; }

// Behind the row `after` and not behind the row `to`. Events are in order.
bool overflow_between(const std::vector<Event>& events, std::size_t after, std::size_t to) {
  const auto behind = [](std::size_t row, const Event& event) {
    return static_cast<std::int64_t>(row) < event.rows_before;
  };
  for (auto it = std::upper_bound(events.begin(), events.end(), after, behind); it != events.end(); ++it) {
    if (it->rows_before > static_cast<std::int64_t>(to)) return false;
    if (it->kind == EventKind::kOverflow) return true;
  }
  return false;
}

}  // namespace

void drop_stale_grad_norms(Segment& segment, const std::vector<Event>& events, std::vector<Interpretation>& told) {
  const Series* norm = segment.find(metric::kGradNorm);
  if (norm == nullptr) return;
  const Series* loss = segment.find(metric::kLoss);
  const Series* scale = segment.find(metric::kLossScale);
  const Series* skipped = segment.find(metric::kSkippedSteps);
  std::vector<bool> stale(norm->size());
  std::int64_t count = 0;
  for (std::size_t i = 1; i < norm->size(); ++i) {
    const double value = norm->value(i);
    if (value != norm->value(i - 1) || value == 0 || !std::isfinite(value)) continue;
    const std::size_t row = norm->row_of(i);
    const std::size_t former = norm->row_of(i - 1);
    const bool shows_skip = at_row(scale, row) < at_row(scale, former) || at_row(skipped, row) > 0 ||
                            (loss != nullptr && std::isnan(at_row(loss, row)) && !std::isnan(at_row(loss, former))) ||
                            overflow_between(events, former, row);
    stale[i] = shows_skip || long_number(value);
    count += stale[i] ? 1 : 0;
  }
  if (count == 0) return;
  told.push_back({"grad-norm-stale", std::string(metric::kGradNorm), 0, count, {}});
  Series& one = segment.series[static_cast<std::size_t>(norm - segment.series.data())];
  one = without(std::move(one), stale);
}

}  // namespace assay
