// Losses in other measures than nats per step.
//   * bits: fairseq and metaseq print base-2 logarithms (the dialect says so): times ln 2.
//   * divided by the accumulation steps k: programs that divide the loss before backward() and print what they have.
//     The evaluation loss, which is not divided, tells: it stands k times above the training loss (within 15 %) at
//     every comparison.
//   * summed over k accumulation steps (a known fault of one release of a widespread trainer): the first loss is k
//     times ln V. No model starts at twice the loss of uniform guessing, so with k >= 2 known from the settings and V
//     known or taken as ln V <= 12.5 (V <= 268,000) a first loss within 10 % of k ln V, and above 1.5 times 12.5, is
//     such a sum.
// k is believed only where the settings say it. Otherwise the numbers stay as printed: 2.6 with k = 4 is as likely a
// fine-tuning loss as a divided 10.4.

#include <cmath>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "measure/interpret.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr double kLargestLogVocabulary = 12.5;
constexpr double kSmallestLogVocabulary = 9.0;  // V = 8,100: smaller tokenizers are not seen in large models
constexpr double kAgreement = 0.15;

void scale(Series& series, double factor) {
  for (double& value : series.values.span()) value *= factor;
}

double accumulation(const Config& config) {
  const Setting* setting = config.find(setting::kGradientAccumulation);
  const auto number = setting == nullptr ? std::nullopt : setting->number();
  return number && *number >= 2 && *number <= 65536 ? *number : 1;
}

// Median of evaluation loss / training loss, each evaluation against the median of up to 8 training losses before it.
double evaluation_ratio(const Series& loss, const Series& eval) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < eval.size(); ++i) {
    const std::size_t end = loss.at_or_after_row(eval.row_of(i));
    std::vector<double> near;
    for (std::size_t k = end > 8 ? end - 8 : 0; k < end; ++k) {
      if (std::isfinite(loss.value(k)) && loss.value(k) > 0) near.push_back(loss.value(k));
    }
    if (!near.empty() && std::isfinite(eval.value(i))) ratios.push_back(eval.value(i) / median(near));
  }
  return ratios.empty() ? std::nan("") : median(ratios);
}

}  // namespace

void bring_loss_to_nats_per_step(Segment& segment, const Config& config, std::vector<Interpretation>& told) {
  for (Series& series : segment.series) {
    if (!has(series.quirks, Quirk::kInBits)) continue;
    scale(series, std::log(2.0));
    series.unit = Unit::kNats;
    told.push_back({"loss-from-bits", series.metric, std::log(2.0), static_cast<std::int64_t>(series.size()), {}});
  }
  const Series* found = segment.find(metric::kLoss);
  const double k = accumulation(config);
  if (found == nullptr || found->empty() || k < 2) return;
  Series& loss = segment.series[static_cast<std::size_t>(found - segment.series.data())];
  if (const Series* eval = segment.find(metric::kEvalLoss)) {
    const double ratio = evaluation_ratio(loss, *eval);
    if (std::fabs(ratio - k) <= kAgreement * k) {
      scale(loss, k);
      told.push_back({"loss-times-accumulation", loss.metric, k, static_cast<std::int64_t>(loss.size()), {}});
      return;
    }
  }
  const double first = loss.value(0) / k;
  if (loss.value(0) > 1.5 * kLargestLogVocabulary && first >= 0.9 * kSmallestLogVocabulary &&
      first <= 1.1 * kLargestLogVocabulary) {
    scale(loss, 1 / k);
    told.push_back({"loss-over-accumulation", loss.metric, k, static_cast<std::int64_t>(loss.size()), {}});
  }
}

}  // namespace assay
