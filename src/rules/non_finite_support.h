#pragma once
// What the rules about NaN and Inf say alike: what announced it, and what to do.

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "measure/non_finite.h"
#include "rules/rule.h"

namespace assay {

/// The rule's own sentences and those that the functions below use (they include those of loss_support.h).
std::vector<SentenceRecord> with_non_finite_sentences(std::initializer_list<SentenceRecord> own);

/// What announced it, the curves of loss and grad norm up to it; at most five pieces.
void add_non_finite_evidence(const Run& run, std::size_t segment, std::size_t row, const Precursors& announced,
                             Finding& finding);

/// Resume before it began, then what the precursor calls for. `row`: of the first value that is not finite.
void add_non_finite_actions(const Run& run, std::size_t segment, std::size_t row, const Precursors& announced,
                            Finding& finding);

/// Skips of each segment, in their order.
std::vector<SkipHistory> skips_of(const Run& run);

/// A message of the framework about a value that is not finite, of a gradient or of anything else.
bool tells_non_finite(const Event& event, bool gradient);
/// The first of them, or null.
const Event* told_non_finite(const Run& run, bool gradient);

}  // namespace assay
