// Whether a loss is in nats per token. Readers write the unit beside whatever is called a loss; here it is taken off
// where the log tells that the loss is something else:
//   * its first value is above 15: uniform guessing among V words costs ln V nats, and ln V = 15 is a vocabulary of
//     three millions (sums over a sentence, distances, boxes; CTC and transducer losses of whole utterances). Programs
//     that train nothing but language models are believed all the same: weights that start too large guess worse than
//     uniformly (22.6 in a run whose logits start at 20);
//   * a value is negative: no cross-entropy is (advantages, log-likelihoods of densities, rewards);
//   * what is logged beside it belongs to other objectives: rewards, boxes and overlaps, errors of a regression, a
//     generator and a discriminator, parts of a transducer's loss.
// Without such a sign the unit stays: a plain "loss" between 0 and 15 is a cross-entropy nearly always. The value is
// the same either way; no rule reads the unit.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "assay/metric.h"
#include "core/metric_names.h"
#include "measure/interpret.h"
#include "measure/training_kind.h"

namespace assay {

namespace {

constexpr double kMostNats = 15;

bool of_another_objective(const Series& series) {
  if (series.metric == metric::kReward) return true;
  constexpr std::array<std::string_view, 17> kWords{
      "bbox",       "lossbox",    "boxloss",    "giou",        "miou",         "map50", "iouloss", "lossrpn", "ctcloss",
      "losssimple", "simpleloss", "prunedloss", "meansquared", "meanabsolute", "rmse",  "mseloss", "psnr"};
  const std::string name = normalise_key(series.printed_as.empty() ? series.metric : series.printed_as);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

bool of_language_models(std::string_view dialect) {
  constexpr std::array<std::string_view, 17> kNames{
      "megatron",       "gpt-neox",   "nanogpt",   "llm.c",       "nanochat", "build-nanogpt",
      "modded-nanogpt", "torchtitan", "minimind",  "litgpt",      "mlx-lm",   "nanotron",
      "olmo",           "maxtext",    "internevo", "mindformers", "mllog"};
  return std::find(kNames.begin(), kNames.end(), dialect) != kNames.end();
}

bool beyond_nats(const Series& loss, std::string_view dialect) {
  const auto values = loss.values.span();
  const auto first = std::find_if(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  if (first != values.end() && *first > kMostNats && !of_language_models(dialect)) return true;
  return std::any_of(values.begin(), values.end(), [](double v) { return v < 0; });
}

}  // namespace

void take_nats_off_other_losses(Segment& segment, std::string_view dialect) {
  const bool other =
      adversarial(segment) || std::any_of(segment.series.begin(), segment.series.end(), of_another_objective);
  const Series* train = segment.find(metric::kLoss);
  const bool beyond = train != nullptr && beyond_nats(*train, dialect);
  for (Series& series : segment.series) {
    if (series.unit == Unit::kNats && (other || beyond || beyond_nats(series, dialect))) series.unit = Unit::kNone;
  }
}

}  // namespace assay
