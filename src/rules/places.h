#pragma once
// Places and numbers that several rules put into their findings.

#include <cstdint>
#include <optional>
#include <string>

#include "assay/run.h"
#include "assay/text.h"

namespace assay {

/// A place in a source of the run: its path and own line, of a line that is numbered through.
Location place(const Run& run, std::size_t segment, StepRange steps, std::int64_t line);

/// The same without steps.
Location place(const Run& run, std::int64_t line);

/// Steps were made: then what no program would have begun with did not stop it.
bool has_records(const Run& run);

/// Whether its steps are the program's, not records, epochs or samples: only then a number of steps can be gone back.
bool counts_steps(const Run& run, std::size_t segment);

/// The last checkpoint before `step`: on disk, where one lies there; else the one that the log says was saved (in any
/// segment up to this one), without a path. Nothing where there is none.
std::optional<Checkpoint> checkpoint_before(const Run& run, std::size_t segment, std::int64_t step);

/// Steps that the run covers in the log, over all segments; at least 1.
std::int64_t covered_steps(const Run& run);

/// Share of the run that a stretch of steps touches, in (0, 1].
double share_of_run(const Run& run, StepRange steps);

/// How the loss answers to an event: its level before and its greatest value from the event's beginning until shortly
/// after its end.
struct LossReaction {
  double before = 0;
  double peak = 0;
  double last = 0;  // of the segment: the median of its last values
  bool reacts = false;
  bool lasting = false;  // and the median of the five records after the event still lies halfway up
};
/// Nothing when the log has no loss before or after. The loss reacts when it rises by a tenth of its level and by more
/// than its noise.
std::optional<LossReaction> loss_reaction(const Segment& segment, StepRange event);

/// A loss scale as a value: whole numbers are shown in full (1,048,576).
Value scale_value(double scale);

/// A number as a count where it is one; absurd ones stay numbers.
Value count_value(double number);

/// Advice needs no more than two significant digits: 0.01982 is 0.02.
double two_digits(double number);

/// The threshold at which grad norms are clipped, as the run's settings tell it; 0 when they do not, or when it is off.
double clip_threshold(const Run& run);

}  // namespace assay
