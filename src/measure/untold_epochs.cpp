// Is a counter that goes back to its beginning a new epoch, or a new run?
//
// Many training loops count batches within the epoch and log nothing else: 0 … 99, ten times. Taken for ten runs, each
// but the first begins at the level at which training ends, which looks like training that does not learn.
//
// Epochs read the same data, so all of them begin at the same step and, but for the last, which the log may cut, end at
// the same step. Runs of one configuration do that too; what tells them apart is the loss. A run starts where random
// weights are; an epoch starts where the former one ended, or below it, where data is seen again. So at each boundary
// the median of the first records may lie above the median of the last ones before it by no more than a quarter of all
// that had been learned until then, and below it by no more than all of that. Where nothing had been learned, neither
// can be told from the other, and the parts stay runs.
//
// Limits: a job that is started again and again for the same number of steps, with its weights but not its step count,
// looks the same; to count its steps through is what its author would want. A banner or a loaded checkpoint between the
// parts says that they are no epochs.

#include "measure/untold_epochs.h"

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr std::size_t kCompared = 8;  // records of the loss on each side of a boundary
constexpr std::size_t kFewest = 6;    // in a part
constexpr double kLearned = 0.05;     // of the first level: less may be noise
constexpr double kNear = 0.25;        // of what had been learned

struct Part {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t stride = 1;
  double head = 0;  // median of the first losses
  double tail = 0;  // of the last ones
};

const Series* loss_of(const Recording& recording) {
  for (const Series& series : recording.series) {
    if (series.metric == metric::kLoss && !series.empty()) return &series;
  }
  return nullptr;
}

// A program began or took up a run, or ended, between the records.
bool told_otherwise(const Recording& recording) {
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const std::int64_t row = recording.event_row[i];
    if (row <= 0 || row >= static_cast<std::int64_t>(recording.rows())) continue;
    switch (recording.events[i].kind) {
      case EventKind::kRunStart:
      case EventKind::kRunEnd:
      case EventKind::kAborted:
      case EventKind::kCheckpointLoaded: return true;
      default: break;
    }
  }
  return false;
}

// The part of the rows [from, to); nothing where it is too short to compare.
std::optional<Part> part_of(const Recording& recording, const std::vector<bool>& key, const Series& loss,
                            std::size_t from, std::size_t to) {
  std::optional<Part> out;
  for (std::size_t i = from; i < to; ++i) {
    if (!key[i]) continue;
    const std::int64_t step = recording.step[i];
    if (!out) out = Part{step, step};
    if (step > out->last) out->stride = step - out->last;
    out->last = step;
  }
  const std::size_t begin = loss.at_or_after_row(from);
  const std::size_t end = loss.at_or_after_row(to);
  if (!out || end < begin + kFewest) return std::nullopt;
  const auto values = loss.values.span().subspan(begin, end - begin);
  const std::size_t compared = std::min(kCompared, values.size() / 2);
  out->head = median(values.first(compared));
  out->tail = median(values.last(compared));
  return out;
}

}  // namespace

std::optional<std::int64_t> untold_epoch(const Recording& recording, const std::vector<bool>& key,
                                         std::span<const std::size_t> starts) {
  const Series* loss = loss_of(recording);
  if (starts.empty() || loss == nullptr || told_otherwise(recording)) return std::nullopt;
  const auto begins = [&](std::size_t k) { return k == 0 ? 0 : starts[k - 1]; };
  const auto first = part_of(recording, key, *loss, 0, starts[0]);
  if (!first || !(first->head - first->tail > kLearned * std::fabs(first->head))) return std::nullopt;
  Part before = *first;
  for (std::size_t k = 1; k <= starts.size(); ++k) {
    const bool at_end = k == starts.size();
    const auto part = part_of(recording, key, *loss, begins(k), at_end ? recording.rows() : starts[k]);
    if (!part || part->first != first->first || part->last > first->last) return std::nullopt;
    const bool cut = at_end && k > 1;  // two parts have to be whole
    if (part->last != first->last && !cut) return std::nullopt;
    const double learned = first->head - before.tail;
    const double rise = part->head - before.tail;
    if (!(rise <= kNear * learned && rise >= -learned)) return std::nullopt;
    before = *part;
  }
  if (first->last - first->first > kGreatestStep) return std::nullopt;
  const std::int64_t length = first->last - first->first + first->stride;
  const auto parts = static_cast<std::int64_t>(starts.size()) + 1;
  return length <= kGreatestStep / parts ? std::optional(length) : std::nullopt;
}

}  // namespace assay
