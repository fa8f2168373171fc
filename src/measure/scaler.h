#pragma once
// The life of a loss scale: start-up search, steady state, falls, the floor. Essay in scaler.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "assay/run.h"

namespace assay {

/// Steps after the start of a run within which a falling scale is the search for its working point.
inline constexpr std::int64_t kStartUpSteps = 50;
/// Steps without overflow after which a scaler doubles, unless the log shows another number: the default of Megatron-LM
/// and DeepSpeed.
inline constexpr double kUsualScaleWindow = 1000;

/// One move of the scale, dated as narrowly as the log allows: it happened within these steps.
struct ScaleMove {
  StepRange steps;
  std::int64_t line = 0;
  double before = 0;
  double after = 0;
  bool down() const { return after < before; }
  /// Halvings (or doublings) that the move amounts to; at least 1.
  int doublings() const;
};

/// Moves down without a rise or a long pause between them.
struct ScaleFall {
  StepRange steps;
  std::int64_t line = 0;
  double from = 0;
  double to = 0;
  int halvings = 0;
  bool start_up = false;
};

/// A stretch in which the scale lay below 1, or at a floor of 1 that it had fallen to.
struct LowScale {
  StepRange steps;
  std::int64_t line = 0;
  double lowest = 0;
  double fell_from = 0;  // highest scale before it; 0: none was seen
  bool to_the_end = false;
  bool stuck = false;  // the scaler told of an overflow and could not lower the scale
};

struct ScalerHistory {
  bool logged = false;  // a scale that scales something: not all 1 (bf16) and not "-1, not reported"
  double first = 0, last = 0, lowest = 0, highest = 0;
  std::vector<ScaleMove> moves;
  std::vector<ScaleFall> falls;
  std::vector<LowScale> low;
  double window = kUsualScaleWindow;        // steps between two doublings, as seen
  bool window_seen = false;                 // false: too few doublings in the log, the usual value is assumed
  std::optional<std::int64_t> start_up_to;  // last step of the start-up; absent when the log does not show the start
  const Event* at_minimum = nullptr;        // the framework gave up: its message (of the run that was passed in)
};

/// History of one segment. Reads the loss scale series and the scaler's messages; `run` has to outlive the result.
ScalerHistory scaler_history(const Run& run, std::size_t segment);

/// The steps within which an event of this segment happened. From its own step where it tells one, else between the
/// records around it in the file.
StepRange steps_of_event(const Run& run, std::size_t segment, const Event& event);

/// Does the segment begin where its training begins (and not in the middle, as an excerpt does)?
bool begins_at_start(const Run& run, std::size_t segment);

/// Steps between records at the beginning of the segment; 1 where that cannot be told.
std::int64_t record_spacing(const Segment& segment);

/// A rank's number in a message ("Rank 3"), or -1. Every rank may print the same overflow: only one of them counts.
std::int64_t rank_in_text(std::string_view text);

}  // namespace assay
