// Placeholders: a program that did not measure a metric often prints a constant in its place, Megatron-DeepSpeed
// "grad norm: 0.000" and "loss scale: -1.0". Taken at their word they mean a dead model and a broken scaler.
//
// A loss scale is positive by definition, so a negative one is never a measurement. A grad norm that is 0 in every
// record while the loss moves was not measured: with gradients of exactly zero no weight moves, and the loss of fixed
// weights moves only by the noise of the batches. It is believed (and left to grad-norm-vanished) where the loss is
// flat as well. Limit: norms below half the last printed digit of a healthy run look the same; then too, nothing can
// be said of them. Nor is it a placeholder beside a learning rate that is 0 just as well: then no weight moves; nor
// where rewards are logged: a policy whose samples all earn the same has no gradient, and its objective moves by noise.
//
// A loss that is NaN in every record, beside another key for the whole training loss that is finite there, is no loss
// either: PyTorch Lightning's bar shows "loss=nan" where the training step returns none. Parts of a loss do not count
// as such a key, since a NaN in one of them makes the sum NaN and leaves the others as they are.
//
// A loss of one language or source ("loss/cn") is 0 / 0 in a record that had no token of it ("tokens/cn" is 0 there).

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "core/metric_names.h"
#include "measure/interpret.h"
#include "stat/quantile.h"
#include "stat/trend.h"

namespace assay {

namespace {

constexpr std::size_t kFewest = 3;  // losses from which a movement can be told

// The loss falls or rises by more than its own noise: weights are moving.
bool moves(const Series& loss) {
  if (loss.size() < kFewest) return true;
  std::vector<double> finite;
  for (const double value : loss.values.span()) {
    if (std::isfinite(value)) finite.push_back(value);
  }
  if (finite.size() < kFewest) return true;
  const std::size_t part = std::max<std::size_t>(1, finite.size() / 4);
  const std::span<const double> all(finite);
  const double change = std::fabs(median(all.first(part)) - median(all.last(part)));
  return change > 2 * neighbor_noise(all) || change > 0.05 * std::fabs(median(all));
}

bool all_zero(const Series& series) {
  return std::all_of(series.values.span().begin(), series.values.span().end(), [](double v) { return v == 0; });
}

// Another key for the same loss, finite wherever it stands.
Series* finite_twin(Segment& segment, const Series& loss) {
  for (Series& series : segment.series) {
    if (&series == &loss || series.empty()) continue;
    const auto meaning = meaning_of(series.printed_as);
    if (!meaning || meaning->role != KeyRole::kMetric || meaning->metric != metric::kLoss) continue;
    const auto values = series.values.span();
    if (std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) return &series;
  }
  return nullptr;
}

void drop_losses_of_no_tokens(Segment& segment) {
  for (Series& series : segment.series) {
    if (!series.printed_as.starts_with("loss/")) continue;
    const std::string name = "tokens/" + series.printed_as.substr(5);
    const auto tokens = std::find_if(segment.series.begin(), segment.series.end(),
                                     [&](const Series& one) { return one.printed_as == name; });
    if (tokens == segment.series.end()) continue;
    std::vector<bool> drop(series.size());
    for (std::size_t i = 0; i < series.size(); ++i) {
      const std::size_t k = tokens->at_or_after_row(series.row_of(i));
      const bool beside = k < tokens->size() && tokens->row_of(k) == series.row_of(i);
      drop[i] = std::isnan(series.value(i)) && beside && tokens->value(k) == 0;
    }
    if (std::find(drop.begin(), drop.end(), true) != drop.end()) series = without(std::move(series), drop);
  }
  std::erase_if(segment.series, [](const Series& one) { return one.empty() && one.printed_as.starts_with("loss/"); });
}

void erase(Segment& segment, const Series* series) {
  segment.series.erase(segment.series.begin() + (series - segment.series.data()));
}

}  // namespace

void replace_dead_loss(Segment& segment, std::vector<Interpretation>& told) {
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr || loss->empty()) return;
  const auto values = loss->values.span();
  if (std::any_of(values.begin(), values.end(), [](double v) { return !std::isnan(v); })) return;
  Series* twin = finite_twin(segment, *loss);
  if (twin == nullptr) return;
  told.push_back(
      {"metric-not-reported", std::string(metric::kLoss), std::nan(""), static_cast<std::int64_t>(loss->size()), {}});
  twin->metric = metric::kLoss;
  twin->unit = loss->unit;
  erase(segment, loss);
}

void drop_placeholders(Segment& segment, std::vector<Interpretation>& told) {
  replace_dead_loss(segment, told);
  drop_losses_of_no_tokens(segment);
  if (const Series* scale = segment.find(metric::kLossScale)) {
    std::vector<bool> negative(scale->size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < scale->size(); ++i) {
      negative[i] = scale->value(i) < 0;
      count += negative[i] ? 1 : 0;
    }
    if (count > 0) {
      told.push_back(
          {"metric-not-reported", std::string(metric::kLossScale), -1, static_cast<std::int64_t>(count), {}});
      if (count == scale->size()) {
        erase(segment, scale);
      } else {
        Series& one = segment.series[static_cast<std::size_t>(scale - segment.series.data())];
        one = without(std::move(one), negative);
      }
    }
  }
  const Series* norm = segment.find(metric::kGradNorm);
  if (norm == nullptr || !all_zero(*norm)) return;
  if (segment.find(metric::kReward) != nullptr) return;
  const Series* rate = segment.find(metric::kLearningRate);
  if (rate != nullptr && rate->size() >= norm->size() && all_zero(*rate)) return;
  const Series* loss = segment.find(metric::kLoss);
  if (loss != nullptr && !moves(*loss)) return;
  told.push_back(
      {"metric-not-reported", std::string(metric::kGradNorm), 0, static_cast<std::int64_t>(norm->size()), {}});
  erase(segment, norm);
}

}  // namespace assay
