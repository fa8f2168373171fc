#pragma once
// What the rules about the loss say alike: evidence around an event, and what to do about it, with numbers of its own.
//
// Evidence and actions refer to sentences by key; with_loss_sentences() puts these into a rule's record.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/loss_events.h"
#include "rules/rule.h"

namespace assay {

/// The rule's own sentences and those that the functions below use.
std::vector<SentenceRecord> with_loss_sentences(std::initializer_list<SentenceRecord> own);

/// The grad norm around an event of the loss.
struct GradReaction {
  bool rose = false;
  double before = 0;      // median of the records before
  double peak = 0;        // until the loss peaks
  std::int64_t step = 0;  // at which its rise began (rose), else of the event's onset
  std::size_t lead = 0;   // records by which it rose before the loss
  double ratio() const { return peak / before; }
};
/// Nothing without a grad norm around the event.
std::optional<GradReaction> grad_reaction(const Segment& segment, const Series& loss, const Departure& shape);

/// The level moved and training goes on from there: a step up (LossEvent::step_up) that the grad norm, where the log
/// has one, did not answer. What other data or another objective does.
bool level_moved(const Run& run, const LossEvent& event);

/// Evaluation losses around an event: the last before its onset, the first after its acute part.
struct EvalReaction {
  std::int64_t before_step = 0, after_step = 0;
  double before = 0, after = 0;
  bool moved = false;  // upwards by more than 2 %
};
std::optional<EvalReaction> eval_reaction(const Segment& segment, StepRange acute);

/// Steps whose data an event has read: from the record before its onset (exclusive) to the last of `acute`.
StepRange data_steps(const Series& loss, const Departure& shape, StepRange acute);
/// Steps to leave out after going back: those of the acute part, with one record more on each side, because the batch
/// that pushed the weights is the one before the loss that shows it.
StepRange steps_to_skip(const LossEvent& event);
/// Samples read in these steps, where consumed_samples is logged.
std::optional<StepRange> samples_of(const Segment& segment, StepRange steps);

/// At most five pieces of evidence: curves of loss and grad norm, then what is known of the event's surroundings.
void add_loss_evidence(const Run& run, const LossEvent& event, Finding& finding);

/// Where it began: the rise of the grad norm where that came first, else the onset of the loss.
std::int64_t beginning_of(const Run& run, const LossEvent& event);

/// "Resume from the checkpoint of step 1,500 …": at least 100 steps before `begin`, where the log names one.
Action resume_before(const Run& run, std::size_t segment, std::int64_t begin);
/// "Skip the data of steps …": with samples and the launcher's own option where they are known.
Action skip_data(const Run& run, std::size_t segment, StepRange steps);
/// "Halve the peak learning rate …": that of the settings, else the greatest that the segment logs.
Action halve_learning_rate(const Run& run, std::size_t segment);

/// How sure a departure makes: 0.6 at the threshold, towards 0.97 with distance; 0.45 to 0.6 with too few records
/// before.
double confidence_of(const Departure& shape);

/// A share as per cent with one decimal: more of them would pretend.
Value percent(double share);

/// "loss", or "eval_loss": for sentences.
std::string_view spoken(const Series& loss);

}  // namespace assay
