#pragma once
// What the optimizer operators and their theory share.

#include <string_view>

#include "sim/optimizer_step.h"
#include "study/operators/operator.h"

namespace assay {

namespace optimizer_operator {

// Places of the inputs.
inline constexpr std::size_t kGradient = 0, kWeight = 1;

inline constexpr std::string_view kPlain = "plain";            // the weights alone, in the result's format
inline constexpr std::string_view kMaster = "master";          // an FP32 copy takes the updates
inline constexpr std::string_view kStochastic = "stochastic";  // the weights are rounded stochastically

/// What takes the updates: the weights, or the master weights.
Stored updated(const OperatorCall& call);

/// Expected errors of the weight after all steps. Essay: optimizer_theory.cpp.
void expect(const OperatorCall& call, const OptimizerSettings& settings, const ExactLanes& exact, ExpectedErrors& out);

}  // namespace optimizer_operator

}  // namespace assay
