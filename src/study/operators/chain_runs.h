#pragma once
// The runs of study/operators/chain.h over an operator's inputs.

#include <algorithm>

#include "study/operators/sum_theory.h"

namespace assay {

// As many numbers as stay in the nearest cache with the handful of arrays that a formula has under way.
inline constexpr std::size_t kChainPiece = 1024;

template <class Formula>
void emulate_chain(const OperatorCall& call, Formula formula, Lanes& out) {
  RoundedChain chain(call.model);
  const std::span<const double> in = call.inputs[0].values;
  for (std::size_t first = 0; first < in.size(); first += kChainPiece) {
    const std::span<const double> piece = in.subspan(first, std::min(kChainPiece, in.size() - first));
    const RoundedChain::Number result = formula(chain, chain.take(piece), call.variant);
    std::copy(result.begin(), result.end(), out.values.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

template <class Formula>
void expect_chain(const OperatorCall& call, Formula formula, const ExactLanes& exact, ExpectedErrors& out) {
  ExpectedChain chain(call.model);
  const Lanes numbers = rounded_inputs(call.model, call.inputs[0]);
  out.grid.resize(numbers.values.size());
  for (std::size_t i = 0; i < numbers.values.size(); ++i) {
    const ExpectedNumber result = formula(chain, chain.take(numbers.values[i]), call.variant);
    out.inner[i] = result.error;
    // The result may be in the binade below that of the exact one.
    out.grid[i] = std::max(result.grid, spacing_at(call.model.compute, exact.hi.values[i]));
  }
  out.peak = std::max(out.peak, chain.peak());
}

}  // namespace assay
