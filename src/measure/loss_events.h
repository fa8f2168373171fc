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
  kSpike,       // came back (nearly, where it ends within a tenth of its level); or the log ends too soon to tell
  kDivergence,  // did not come back
};

struct LossEventOptions {
  double sigmas = 8;
  double rise = 0.05;
  double drift_rise = 0.10;  ///< what is left at the end: less is no divergence
  std::size_t transient_records = 50;
  double untrained = 0.7;   ///< of the first loss: above it training has not got anywhere yet
  bool beginnings = false;  ///< only what is alarming within the records in which a transient may begin (saves time)
  std::size_t tell = 16;    ///< records (or record spacings of steps) after the onset that show a rise to be lasting
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
  bool nearly = false;         // kSpike: not regained, but what is left is less than drift_rise and half of the height
  bool step_up = false;        // a new level from one record to the next, less than 30 % up, that does not rise further
  double stepped_to = 0;       // that level: the median of the first 16 records
  bool to_the_end = false;     // not regained within its segment
  double end_rise = 0;         // what is left of it at the end of the segment, in units of the scale
  bool unlearned = false;      // slow: the loss had never fallen before it rose
  bool back_to_start = false;  // not regained: at the end the loss lies where training began
  bool positive = true;        // all losses so far were positive: ratios to the level mean something

  std::int64_t onset_step() const { return loss->step(shape.onset); }
  std::int64_t last_step() const { return loss->step(shape.last); }
  bool came_back() const { return shape.regained.has_value() || nearly; }
  std::size_t records() const { return nearly ? shape.half_last - shape.onset + 1 : shape.records(); }
  /// Steps of the acute part: until it has lost half of its height for good; if the log ends in a spike, its rise.
  StepRange acute() const {
    const bool open = kind == LossEventKind::kSpike && !came_back();
    return {loss->step(shape.onset), loss->step(open ? shape.peak : shape.half_last)};
  }
};

/// In the order of the file. The run has to outlive the result.
std::vector<LossEvent> loss_events(const Run& run, const LossEventOptions& options);

/// Jumps of an evaluation loss beside a training loss that is judged instead: to twice its level or more from one
/// evaluation to the next, not back, with two evaluations up there at least and no event of the training loss since the
/// evaluation before (`told`: what loss_events() gave).
std::vector<LossEvent> evaluation_jumps(const Run& run, const LossEventOptions& options,
                                        std::span<const LossEvent> told);

/// The series that stand for the loss of a segment: the training loss, and the evaluation loss where the training loss
/// is absent or covers less than half of the segment.
std::vector<const Series*> judged_losses(const Segment& segment);

}  // namespace assay
