#pragma once
// The departures of a run's loss, told apart by what became of them. Essay in loss_events.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/run.h"
#include "measure/departures.h"

namespace assay {

enum class LossEventKind : std::uint8_t {
  kTransient,   // the bump with which many runs begin
  kSpike,       // came back; or the log ends too soon to tell
  kDivergence,  // did not come back
};

struct LossEventOptions {
  double sigmas = 8;
  double rise = 0.05;
  double drift_rise = 0.10;
  std::size_t transient_records = 50;
  double untrained = 0.7;  ///< of the first loss: above it training has not got anywhere yet
  std::size_t tell = 16;   ///< records (or record spacings of steps) after the onset that show a rise to be lasting
};

struct LossEvent {
  LossEventKind kind = LossEventKind::kSpike;
  std::size_t segment = 0;
  const Series* loss = nullptr;  // of the run; the indices of `shape` are its
  Departure shape;
  bool slow = false;           // found as a slow rise: shape.last is the end of the series, z is of the smoothed series
  bool coming_back = false;    // not regained, but a third of the height has been lost again
  bool at_restart = false;     // it began with a restart, after which the loss was higher
  bool repaired = false;       // not regained in its segment, but in a later one: after a restart
  bool to_the_end = false;     // not regained within its segment
  double end_rise = 0;         // what is left of it at the end of the segment, in units of the scale
  bool unlearned = false;      // slow: the loss had never fallen before it rose
  bool back_to_start = false;  // not regained: at the end the loss lies where training began
  bool positive = true;        // all losses so far were positive: ratios to the level mean something

  std::int64_t onset_step() const { return loss->step(shape.onset); }
  std::int64_t last_step() const { return loss->step(shape.last); }
  /// Steps of the acute part: until it has lost half of its height for good.
  StepRange acute() const { return {loss->step(shape.onset), loss->step(shape.half_last)}; }
};

/// In the order of the file. The run has to outlive the result.
std::vector<LossEvent> loss_events(const Run& run, const LossEventOptions& options);

/// The series that stand for the loss of a segment: the training loss, and the evaluation loss where the training loss
/// is absent or covers less than half of the segment.
std::vector<const Series*> judged_losses(const Segment& segment);

}  // namespace assay
