#pragma once
// Names that the softmax family's arithmetic (softmax.cpp) and its theory (softmax_theory.cpp) share.

#include <string_view>

#include "study/operators/operator.h"

namespace assay {

namespace softmax_variant {
inline constexpr std::string_view kShifted = "shifted";        // by the row's maximum
inline constexpr std::string_view kReciprocal = "reciprocal";  // shifted; times 1/Σ in place of a division
inline constexpr std::string_view kUnshifted = "unshifted";    // exp of the logits as they are
inline constexpr std::string_view kByLogsumexp = "logsumexp";  // of a cross-entropy: (max + log Σ) − x_target
}  // namespace softmax_variant

/// The target of a cross-entropy: the data have no order, so any class serves.
inline constexpr std::size_t kTarget = 0;

void softmax_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out);
void logsumexp_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out);
void cross_entropy_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out);
SumBounds softmax_bounds(const OperatorCall& call, double outputs);
SumBounds logsumexp_bounds(const OperatorCall& call, double outputs);
SumBounds cross_entropy_bounds(const OperatorCall& call, double outputs);

}  // namespace assay
