// How many tokens a model reads for each of its parameters, and how often the same ones.
//
// With a given amount of computation the lowest loss is reached at about 20 tokens for each parameter (Chinchilla, and
// its refit). Far fewer leave a model that a smaller one, cheaper to run, would match: GPT-3 and BLOOM had 2. Far more
// are a choice that pays when the model is used: LLaMA 3 8B had 1,900. So neither is a fault; few are worth a note, and
// the loss that the refit predicts for both ways of spending the same computation says how much it is about:
//   L(N, D) = 1.8172 + 482.01 / N^0.3478 + 2085.43 / D^0.3658
// Repeated data: up to 4 epochs are worth almost as much as fresh data; the worth of R repetitions beyond the first
// pass is that of R* (1 - e^(-R / R*)) passes, R* = 15.4 (Muennighoff et al. 2023). A run of more than 4 epochs is told
// with the number of tokens that they are worth.

#include <cmath>

#include "assay/setting.h"
#include "rules/hyper/batch_advice.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/places.h"
#include "rules/plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr double kRepeats = 15.4;  // R*

// The loss of the refit of Chinchilla (Besiroglu et al. 2024), in nats a token.
double loss_of(double parameters, double tokens) {
  return 1.8172 + 482.01 / std::pow(parameters, 0.3478) + 2085.43 / std::pow(tokens, 0.3658);
}

void judge_few(const Plan& plan, double parameters, double tokens, const Parameters& set, Findings& out) {
  const double each = tokens / parameters;
  if (each >= set["few"] || tokens < set["least-tokens"]) return;
  // The same computation with 20 tokens for each parameter.
  const double smaller = std::sqrt(parameters * tokens / 20);
  const double gain = loss_of(parameters, tokens) - loss_of(smaller, 20 * smaller);
  if (gain < set["gain"]) return;
  Finding finding;
  finding.severity = Severity::kNote;
  finding.confidence = 0.8;
  finding.impact = 0.4;
  finding.message = {"few",
                     {{"each", two_digits(each)},
                      {"gain", two_digits(gain)},
                      {"tokens", tokens},
                      {"parameters", parameters},
                      {"smaller", two_digits(smaller)},
                      {"more", two_digits(20 * smaller)}}};
  const auto from = plan.told(setting::kTrainTokens);
  if (from) finding.where = from->where;
  out.add(std::move(finding));
}

void judge_epochs(const Plan& plan, const Parameters& set, Findings& out) {
  const auto epochs = plan.told(setting::kTrainEpochs);
  const auto tokens = plan.told(setting::kTrainTokens);
  if (!epochs || epochs->value <= set["epochs"] || epochs->value > 1e6) return;
  const double worth = 1 + kRepeats * (1 - std::exp(-(epochs->value - 1) / kRepeats));
  Finding finding;
  finding.severity = epochs->value > set["epochs-warning"] ? Severity::kWarning : Severity::kNote;
  finding.confidence = 0.75;
  finding.impact = 0.4;
  finding.message = {"epochs", {{"epochs", epochs->value}, {"worth", two_digits(worth)}}};
  finding.where = epochs->where;
  if (tokens) {
    const double unique = tokens->value / epochs->value;
    finding.evidence.push_back(
        {{"unique", {{"tokens", tokens->value}, {"unique", unique}, {"worth", two_digits(unique * worth)}}}, {}, {}});
  }
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  if (!trains_from_scratch(plan) || beginning_of(plan).start == Start::kTrained) {
    return out.not_applicable("not-from-scratch");
  }
  auto parameters = plan.told(setting::kActiveParameters);
  if (!parameters) parameters = plan.told(setting::kParameters);
  const auto tokens = plan.told(setting::kTrainTokens);
  const auto epochs = plan.told(setting::kTrainEpochs);
  if (!epochs && !(parameters && tokens)) return out.not_applicable("not-told");
  // Of a log that says no more than its epochs, the losses tell better (rules overfit, memorization).
  if (epochs && (!run.has_begun() || (parameters && tokens))) judge_epochs(plan, set, out);
  if (!parameters || !tokens || !(parameters->value >= 1) || !(tokens->value >= 1)) return;
  judge_few(plan, parameters->value, tokens->value, set, out);
}

}  // namespace

extern const Rule kTokensPerParameter;
const Rule kTokensPerParameter{
    .name = "tokens-per-parameter",
    .family = "data",
    .title_en = "few tokens for the size of the model, or the same ones too often",
    .title_zh = "相对模型规模 token 过少，或重复过多",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters =
        {{"few", "tokens", 10, 0.1, 1000,
          "half of the 20 that are best for a given amount of computation; GPT-3, OPT and BLOOM had 1 to 2, so "
          "it is a note"},
         {"least-tokens", "tokens", 1e9, 0, 1e15, "a shorter run is a test of something else"},
         {"gain", "nats", 0.01, 0, 10, "less is within the spread of seeds, and within the error of the fit"},
         {"epochs", "epochs", 4, 1, 1000, "up to four passes are worth almost as much as fresh data"},
         {"epochs-warning", "epochs", 16, 1, 10000,
          "from sixteen passes on further ones add little, from forty nothing"}},
    .sentences =
        {{"few",
          "{tokens} tokens for {parameters} parameters: {each} per parameter; the same computation on {smaller} "
          "parameters and {more} tokens would reach a loss about {gain} lower",
          "{parameters} 个参数训练 {tokens} 个 token，每参数 {each} 个；同样的计算量用于 {smaller} 个参数、{more} 个 "
          "token，loss 约可再低 {gain}"},
         {"epochs", "the same data is read {epochs} times: worth about {worth} passes of fresh data",
          "同一数据读取 {epochs} 遍：约相当于 {worth} 遍新数据"},
         {"unique", "{unique} tokens, read until they are {tokens} tokens, are worth about {worth} tokens",
          "{unique} 个 token 反复读到 {tokens} 个 token，约相当于 {worth} 个 token"},
         {"not-from-scratch", "holds for pre-training from a random start", "仅适用于从随机初始化开始的预训练"},
         {"not-told", "needs parameters and tokens of the run, or its epochs", "需要参数量与 token 数，或 epoch 数"}},
    .docs =
        {.finds = "A pre-training that reads few tokens for each parameter, or the same data many times.",
         .matters =
             "With the same computation a smaller model on more tokens would be better, and cheaper to run. Data that "
             "is read again is worth less each time, and in the end is learnt by heart.",
         .decides =
             "Tokens over active parameters, below `few`, from `least-tokens` on: a note, with the loss that the "
             "refit of Chinchilla predicts for 20 tokens a parameter at the same computation, where that "
             "is `gain` lower. Many tokens are a choice and no finding. Epochs above `epochs` are a note, above "
             "`epochs-warning` a warning, with their "
             "worth: 1 + R* (1 - exp(-(epochs - 1) / R*)) passes, R* = 15.4. Not judged: fine-tuning, runs that "
             "start from a checkpoint or name weights to begin with.",
         .example =
             "`366 B tokens for 176 B parameters: 2.1 per parameter; the same computation on 57 B parameters and 1.1 T "
             "tokens would reach a loss about 0.013 lower`",
         .to_do =
             "Train a smaller model for longer, or get more data. Of repeated data check the loss on a held-out set.",
         .false_alarms = "A first part of a longer training; a model whose size is given.",
         .references =
             "Hoffmann et al., Training Compute-Optimal Large Language Models, 2022. Besiroglu et al., Chinchilla "
             "Scaling: A replication attempt, 2024 (arXiv 2404.10102). Muennighoff et al., Scaling "
             "Data-Constrained Language Models, 2023."},
    .judge = judge};

}  // namespace assay
