// Losses in other measures than nats per step.
//   * bits: fairseq and metaseq print base-2 logarithms: times ln 2. Their console lines are known by their dialect; in
//     event files and tables the perplexity beside the loss tells, where it is 2 to the power of the loss in nine rows
//     of ten, and not e. fairseq's is that of the loss without label smoothing ("nll_loss"), where it logs one.
//   * divided by the accumulation steps k: programs that divide the loss before backward() and print what they have.
//     The evaluation loss, which is not divided, tells: it stands k times above the training loss (within 15 %) at
//     every comparison.
//   * summed over k accumulation steps (a known fault of one release of a widespread trainer): the first loss is k
//     times ln V. No model starts at twice the loss of uniform guessing, so with k >= 2 known from the settings and V
//     known or taken as ln V <= 12.5 (V <= 268,000) a first loss within 10 % of k ln V, and above 1.5 times 12.5, is
//     such a sum.
// k is believed only where the settings say it. Otherwise the numbers stay as printed: 2.6 with k = 4 is as likely a
// fine-tuning loss as a divided 10.4.

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "core/metric_names.h"
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

// Evaluation loss / training loss, each evaluation against the median of up to 8 training losses before it.
std::vector<double> evaluation_ratios(const Series& loss, const Series& eval) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < eval.size(); ++i) {
    const std::size_t end = loss.at_or_after_row(eval.row_of(i));
    std::vector<double> near;
    for (std::size_t k = end > 8 ? end - 8 : 0; k < end; ++k) {
      if (std::isfinite(loss.value(k)) && loss.value(k) > 0) near.push_back(loss.value(k));
    }
    if (!near.empty() && std::isfinite(eval.value(i))) ratios.push_back(eval.value(i) / median(near));
  }
  return ratios;
}

// The factor between them is k at the first evaluation and at four of five of all. A model that overfits passes k on
// its way.
bool stands_above(const Series& loss, const Series& eval, double k) {
  const std::vector<double> ratios = evaluation_ratios(loss, eval);
  const auto near = [k](double ratio) { return std::fabs(ratio - k) <= kAgreement * k; };
  const auto agreeing = std::count_if(ratios.begin(), ratios.end(), near);
  return !ratios.empty() && near(ratios.front()) && 5 * static_cast<std::size_t>(agreeing) >= 4 * ratios.size();
}

// In how many of the rows that both have the perplexity is `base` to the power of the loss, as far as it was printed
// (two decimals, or single precision); rows near 1, where all bases meet, tell nothing.
struct PowerRows {
  std::int64_t of_two = 0;
  std::int64_t of_e = 0;
  std::int64_t all = 0;
};

PowerRows compare_powers(const Series& loss, const Series& perplexity) {
  constexpr double kTells = 0.3;  // 2^0.3 and e^0.3 are a tenth apart
  constexpr double kPrinted = 0.01;
  PowerRows out;
  for (std::size_t i = 0, k = 0; i < loss.size(); ++i) {
    while (k < perplexity.size() && perplexity.row_of(k) < loss.row_of(i)) ++k;
    if (k == perplexity.size()) break;
    const double x = loss.value(i);
    const double told = perplexity.value(k);
    if (perplexity.row_of(k) != loss.row_of(i) || !(x > kTells) || !std::isfinite(x) || !std::isfinite(told)) continue;
    ++out.all;
    out.of_two += std::fabs(told - std::exp2(x)) <= kPrinted * std::exp2(x) ? 1 : 0;
    out.of_e += std::fabs(told - std::exp(x)) <= kPrinted * std::exp(x) ? 1 : 0;
  }
  return out;
}

bool told_in_bits(const Segment& segment, std::string_view loss, std::string_view perplexity) {
  constexpr std::int64_t kEnough = 3;
  const Series* powers = segment.find(perplexity);
  if (powers == nullptr) return false;
  const bool evaluation = loss == metric::kEvalLoss;
  for (const Series& series : segment.series) {
    const bool without_smoothing =
        !evaluation && normalise_key(series.printed_as.substr(series.printed_as.rfind('/') + 1)) == "nllloss";
    if (series.metric != loss && !without_smoothing) continue;
    const PowerRows rows = compare_powers(series, *powers);
    if (rows.all >= kEnough && 10 * rows.of_two >= 9 * rows.all && 10 * rows.of_e < rows.all) return true;
  }
  return false;
}

// Losses that no dialect knows to be in bits.
void mark_losses_in_bits(Segment& segment, std::vector<Interpretation>& told) {
  for (const auto& [loss, perplexity] :
       {std::pair(metric::kLoss, metric::kPerplexity), std::pair(metric::kEvalLoss, metric::kEvalPerplexity)}) {
    const Series* found = segment.find(loss);
    if (found == nullptr || has(found->quirks, Quirk::kInBits) || !told_in_bits(segment, loss, perplexity)) continue;
    Series& series = segment.series[static_cast<std::size_t>(found - segment.series.data())];
    scale(series, std::log(2.0));
    series.unit = Unit::kNats;
    told.push_back(
        {"loss-from-bits-of-perplexity", series.metric, std::log(2.0), static_cast<std::int64_t>(series.size()), {}});
  }
}

}  // namespace

void bring_loss_to_nats_per_step(Segment& segment, const Config& config, std::vector<Interpretation>& told) {
  mark_losses_in_bits(segment, told);
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
    if (stands_above(loss, *eval, k)) {
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
