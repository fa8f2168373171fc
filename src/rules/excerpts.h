#pragma once
// Departures of the loss with few records before them: which of them an engineer would believe. Essay in excerpts.cpp.

#include "measure/loss_events.h"

namespace assay {

/// The grad norm or the evaluation loss answered so clearly that no noise of batches explains it.
bool confirmed(const Run& run, const LossEvent& event);
/// An engineer would believe it: always with a level told by enough records before. In an excerpt (Departure::absolute)
/// it takes a height of eight times the noise at least, which doubles the level, or goes up in one clean step, or is
/// a steady climb; or another number that confirms it.
bool convincing(const Run& run, const LossEvent& event);
/// How sure one of few records makes that convinces: likely; only possible where a single record stands before it,
/// which shows no noise, and the loss did not go beyond ten times of it.
double confidence_of_few(const Departure& shape);

}  // namespace assay
