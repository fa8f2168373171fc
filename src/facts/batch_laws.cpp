// Two laws, fitted by different people on different grids, that agree within a factor of two where both hold.
//
// StepLaw (Li et al. 2025, public grid of 1,911 runs): the best batch depends on the tokens of the run alone, B = 0.58
// D^0.571. On its own grid (N 0.21-1.07 B, D 4-100 B, batches of 0.03-4.2 M tokens) the nearest point is within 0.31 %
// of the best loss. Twice or half the batch costs at most 0.8 %, a factor of four 0.8-2.5 %, of eight 1.8-5.4 %.
// Published recipes up to 15 T tokens lie at 0.24-1.8 of it, so it is asked up to there and a little beyond.
//
// DeepSeek LLM (2024): B = 0.292 C^0.3271 with C = M D, M the operations of one token without embeddings; fitted at
// 1e17-2e19 operations, used by its authors at 3e23 (B 9.2 M tokens as predicted, 9.4 M used).

#include "facts/batch_laws.h"

#include <cmath>

namespace assay {

namespace {

constexpr double kFewestTokens = 1e9;
constexpr double kMostTokens = 5e13;
constexpr double kFewestOperations = 1e17;
constexpr double kMostOperations = 1e25;

}  // namespace

std::optional<BatchLaw> steplaw_batch(double train_tokens) {
  if (!(train_tokens >= kFewestTokens) || train_tokens > kMostTokens) return std::nullopt;
  return BatchLaw{0.58 * std::pow(train_tokens, 0.571), "StepLaw"};
}

std::optional<BatchLaw> deepseek_batch(double operations) {
  if (!(operations >= kFewestOperations) || operations > kMostOperations) return std::nullopt;
  return BatchLaw{0.292 * std::pow(operations, 0.3271), "DeepSeek LLM"};
}

}  // namespace assay
