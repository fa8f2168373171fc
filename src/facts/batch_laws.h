#pragma once
// Published laws of the batch size of pre-training.

#include <optional>
#include <string_view>

namespace assay {

/// Tokens of the batch that the law takes for best.
struct BatchLaw {
  double tokens = 0;
  std::string_view name;
};

/// StepLaw: 0.58 D^0.571 tokens for D tokens of training. Nothing below 1e9 tokens, where nobody tried.
std::optional<BatchLaw> steplaw_batch(double train_tokens);

/// DeepSeek LLM: 0.292 C^0.3271 tokens for C operations. Nothing outside of what it was fitted and used for.
std::optional<BatchLaw> deepseek_batch(double operations);

}  // namespace assay
