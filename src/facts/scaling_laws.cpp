// Scaling laws and rules of thumb, each with where it holds.
//
// Why they stand together: a number that a rule recommends is only as good as the range in which it was measured, and
// nobody remembers these ranges. So each formula has a row that says where it was fitted, and the report quotes it.
//
// StepLaw (Li et al. 2025, arXiv 2503.04715): rate 1.79 N^-0.713 D^0.307, batch 0.58 D^0.571 tokens, from 3,700 models.
// N counts the matrices of the layers alone: L (4 h^2 + 3 h f) reproduces the column N of the published grid exactly.
// Its grid holds N from 0.21 to 1.07 B and D from 4 to 100 B tokens, sequences of 2,048, a final learning rate of 1e-5.
// tests/unit/scaling_laws_test.cpp measures on that grid what following the law costs. As a judge of other people's
// settings it is one-sided: recipes that trained well lie between 0.05 and 1.3 times its rate, so "too low" says
// nothing, and what is four times too high cost 1.8 to 6.4 % of the loss there, or the run.
//
// DeepSeek LLM (2024, arXiv 2401.02954): rate 0.3118 C^-0.125, batch 0.292 C^0.3271 tokens, C = M D with
// M = 72 L h^2 + 12 L h S; it gives the two models that were trained with it rates within 3 % of those used.
//
// Chinchilla: L = E + A/N^a + B/D^b gives N = G (C/6)^(b/(a+b)), D = (C/6)^(a/(a+b)) / G with G = (aA/bB)^(1/(a+b)).
// The rounded constants of the paper give a ratio that grows from 40 to 122; the refit (arXiv 2404.10102) 23 to 17.
//
// mu-P (arXiv 2203.03466) has no number here: a hidden matrix's rate falls with its fan-in, the output's multiplier and
// the attention's scale with the width, so one rate "of the model" does not exist, and no range of rates applies to it.

#include "facts/scaling_laws.h"

#include <array>
#include <cmath>
#include <limits>

namespace assay {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr double kLeastParameters = 0.21e9;
constexpr double kMostParameters = 1.08e9;
constexpr double kLeastTokens = 4e9;
constexpr double kMostTokens = 100e9;

constexpr auto kLaws = std::to_array<Law>({
    {"StepLaw", "rate = 1.79 N^-0.713 D^0.307; batch = 0.58 D^0.571 tokens; N = layers (4 h^2 + 3 h f)",
     "dense decoders, N 0.21-1.07 B, D 4-100 B tokens, 16-2,048 sequences of 2,048, AdamW, final rate 1e-5",
     "Li et al. 2025, arXiv 2503.04715, and its published grid"},
    {"DeepSeek LLM", "rate = 0.3118 C^-0.125; batch = 0.292 C^0.3271 tokens; C = (72 L h^2 + 12 L h S) D",
     "fitted on budgets far below the two models that used it, 7 B and 67 B with 2 T tokens; multi-step schedule",
     "DeepSeek-AI 2024, arXiv 2401.02954"},
    {"mu-P", "hidden rate ~ 1 / fan-in, output multiplier ~ 1 / width, attention ~ 1 / head size",
     "carries a rate over width only; weight decay has to grow with width", "Yang et al. 2022, arXiv 2203.03466"},
    {"Chinchilla refit", "N = G (C/6)^(b/(a+b)), D = (C/6) / N, a = 0.3478, b = 0.3658, A = 482.01, B = 2085.43",
     "dense decoders, 6e18 to 3e21 operations; data seen once", "Besiroglu et al. 2024, arXiv 2404.10102"},
    {"critical batch", "batch = 2e8 loss^(-1/0.21) tokens",
     "a second opinion; it grows with D and hardly with N "
     "(85 M-1.2 B)",
     "Kaplan et al. 2020, arXiv 2001.08361; Zhang et al. 2024, arXiv 2410.21676"},
    {"rate and batch", "Adam: rate ~ sqrt(batch); SGD: rate ~ batch", "up to the critical batch",
     "Malladi et al. 2022, arXiv 2205.10287; mlcommons/training_policies"},
    {"weight decay", "tau = 1 / (rate x decay) steps",
     "decoupled decay that the learning rate multiplies; published "
     "recipes have tau 0.017-1.9 times the run",
     "Wang and Aitchison 2024, arXiv 2405.13698; arXiv 2505.13738"},
    {"warm-up", "steps >= 2 / (1 - beta2)", "Adam from random weights; shorter ones have worked (MPT 100 steps)",
     "Ma and Yarats 2019, arXiv 1910.04209"},
    {"beta2 and batch", "beta2' = beta2^(batch' / batch)", "same half-life in tokens; from 1 to thousands of sequences",
     "Marek et al. 2025, arXiv 2507.07101"},
    {"epsilon", "an update keeps r / (r + epsilon), r = RMS(gradient) = norm / sqrt(N)",
     "parameters whose gradients are alike; embeddings are not", "follows from Adam's update"},
});

bool usable(double number) { return number > 0 && std::isfinite(number); }

}  // namespace

std::span<const Law> laws() { return kLaws; }

double layer_matrices(const LayerSizes& sizes) {
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  const double attention =
      2 * number(sizes.hidden) * number(sizes.head_dim) * (number(sizes.heads) + number(sizes.kv_heads));
  const double mlp = (sizes.gated ? 3 : 2) * number(sizes.hidden) * number(sizes.ffn);
  const double all = number(sizes.layers) * (attention + mlp);
  return usable(all) ? all : kNan;
}

StepLaw step_law(double layer_parameters, double tokens) {
  if (!usable(layer_parameters) || !usable(tokens)) return {kNan, kNan, false};
  StepLaw out;
  out.rate = 1.79 * std::pow(layer_parameters, -0.713) * std::pow(tokens, 0.307);
  out.batch_tokens = 0.58 * std::pow(tokens, 0.571);
  out.valid = layer_parameters >= kLeastParameters && layer_parameters <= kMostParameters && tokens >= kLeastTokens &&
              tokens <= kMostTokens;
  return out;
}

double deepseek_rate(double compute) { return usable(compute) ? 0.3118 * std::pow(compute, -0.125) : kNan; }

double deepseek_batch_tokens(double compute) { return usable(compute) ? 0.292 * std::pow(compute, 0.3271) : kNan; }

double deepseek_operations(double layers, double hidden, double sequence) {
  const double all = 72 * layers * hidden * hidden + 12 * layers * hidden * sequence;
  return usable(all) ? all : kNan;
}

double chinchilla_tokens_per_parameter(double compute) {
  constexpr double kAlpha = 0.3478, kBeta = 0.3658, kA = 482.01, kB = 2085.43;
  if (!usable(compute)) return kNan;
  const double g = std::pow(kAlpha * kA / (kBeta * kB), 1 / (kAlpha + kBeta));
  const double parameters = g * std::pow(compute / 6, kBeta / (kAlpha + kBeta));
  return compute / 6 / parameters / parameters;
}

double critical_batch_tokens(double loss) { return usable(loss) ? 2e8 * std::pow(loss, -1 / 0.21) : kNan; }

double adam_rate_for_batch(double rate, double from, double to) {
  return usable(rate) && usable(from) && usable(to) ? rate * std::sqrt(to / from) : kNan;
}

double sgd_rate_for_batch(double rate, double from, double to) {
  return usable(rate) && usable(from) && usable(to) ? rate * (to / from) : kNan;
}

double decay_timescale(double rate, double weight_decay) {
  return usable(rate) && usable(weight_decay) ? 1 / (rate * weight_decay) : kNan;
}

double least_warmup_steps(double beta2) { return beta2 >= 0 && beta2 < 1 ? 2 / (1 - beta2) : kNan; }

double half_life_steps(double beta2) { return beta2 > 0 && beta2 < 1 ? std::log(0.5) / std::log(beta2) : kNan; }

double beta2_for_batch(double beta2, double from, double to) {
  return beta2 > 0 && beta2 < 1 && usable(from) && usable(to) ? std::pow(beta2, to / from) : kNan;
}

double kept_by_epsilon(double rms, double epsilon) {
  return usable(rms) && epsilon >= 0 ? rms / (rms + epsilon) : kNan;
}

}  // namespace assay
