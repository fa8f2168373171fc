#pragma once
// The batch of a pre-training against the laws of its best size.

#include <optional>
#include <string>

#include "assay/finding.h"
#include "rules/plan.h"

namespace assay {

/// Whether the settings describe a training from a random start: nothing to start from is named, and the framework or a
/// word says that it is pre-training. A checkpoint that it loads from where it saves to is its own.
bool trains_from_scratch(const Plan& plan);

struct BatchAdvice {
  double batch = 0;   // tokens of a step
  double tokens = 0;  // of the run
  double least = 0;   // what the laws take for best: the smaller and the greater
  double most = 0;
  std::string laws;  // their names
  Location where;
};

/// Nothing where the settings do not tell the tokens of a step and of the run, or no law holds there.
std::optional<BatchAdvice> batch_advice(const Plan& plan);

/// The sequences of a step that have so many tokens, to a power of two; nothing where the sequence is not known.
std::optional<std::int64_t> sequences_of(const Plan& plan, double tokens);

}  // namespace assay
