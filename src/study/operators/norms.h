#pragma once
// What the arithmetic of layer norm and RMS norm (norms.cpp) and their theory (norms_theory.cpp) share.

#include <string_view>
#include <vector>

#include "study/operators/operator.h"

namespace assay {

namespace norm_variant {
inline constexpr std::string_view kOnePass = "one-pass";  // E[x²] − μ²
inline constexpr std::string_view kTwoPass = "two-pass";  // E[(x − μ)²]
inline constexpr std::string_view kWelford = "welford";   // a running mean and sum of squares, merged in the order
}  // namespace norm_variant

/// Mean and variance of rows, in the format of the sums.
struct RowStatistics {
  std::vector<double> mean, variance;
};

/// welford.cpp: in the order of the model; a sum of lanes, blocks or splits is merged by Chan's formula.
/// `events` may be null; counted are the additions to the sum of squares.
RowStatistics welford(const OperatorModel& model, const Lanes& x, SumEvents* events);

/// The expected errors of one row's mean and variance.
struct ExpectedStatistics {
  Moments mean, variance;
};

/// welford.cpp. `x`: one row, rounded into the model's input.
ExpectedStatistics expect_welford(const OperatorModel& model, const std::vector<double>& x);

void layer_norm_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out);
void rms_norm_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out);
SumBounds layer_norm_bounds(const OperatorCall& call, double outputs);
SumBounds rms_norm_bounds(const OperatorCall& call, double outputs);

}  // namespace assay
