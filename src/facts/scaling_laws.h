#pragma once
// Published formulas for learning rate, batch size and what hangs on them. Essay in scaling_laws.cpp.
//
// All sizes are plain numbers: parameters, tokens, floating-point operations. A law that is asked outside of positive,
// finite numbers gives NaN.

#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

/// What is known of one formula.
struct Law {
  std::string_view name;
  std::string_view formula;
  std::string_view valid;  // where it was fitted or measured
  std::string_view source;
};
std::span<const Law> laws();

/// The matrices of a decoder's layers, as StepLaw counts parameters: no embeddings, no norms, no biases.
/// layers (2 h n d + 2 h g d + (gated ? 3 : 2) h f); with full attention and a gate layers (4 h^2 + 3 h f).
struct LayerSizes {
  std::int64_t layers = 0, hidden = 0, ffn = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  bool gated = false;
};
double layer_matrices(const LayerSizes& sizes);

/// StepLaw: the learning rate and the batch, in tokens, at which dense models trained best.
struct StepLaw {
  double rate = 0;
  double batch_tokens = 0;
  bool valid = false;  // N and D lie in the grid that it was measured on
};
StepLaw step_law(double layer_parameters, double tokens);

/// DeepSeek LLM: `compute` is M x D, M the operations of a token without embeddings, D the tokens.
double deepseek_rate(double compute);
double deepseek_batch_tokens(double compute);
/// M = 72 L h^2 + 12 L h S.
double deepseek_operations(double layers, double hidden, double sequence);

/// Tokens for each parameter at which a training budget is best spent: Epoch AI's refit of Chinchilla.
double chinchilla_tokens_per_parameter(double compute);

/// The batch, in tokens, above which more data in a step hardly saves steps; by the loss reached (Kaplan).
double critical_batch_tokens(double loss);

/// A learning rate carried to another batch: the square root of their ratio for Adam, the ratio itself for SGD. Up to
/// the critical batch only.
double adam_rate_for_batch(double rate, double from, double to);
double sgd_rate_for_batch(double rate, double from, double to);

/// Steps in which decoupled weight decay forgets: 1 / (rate x decay).
double decay_timescale(double rate, double weight_decay);

/// Steps of warm-up after which Adam's second moment is worth its name: 2 / (1 - beta2).
double least_warmup_steps(double beta2);
/// Steps after which a gradient counts half in the second moment: ln 0.5 / ln beta2.
double half_life_steps(double beta2);
/// The beta2 that has the same half-life in tokens with another batch.
double beta2_for_batch(double beta2, double from, double to);

/// What Adam's update keeps of its size beside epsilon, where the gradients' root mean square is `rms`:
/// rms / (rms + epsilon).
double kept_by_epsilon(double rms, double epsilon);

}  // namespace assay
