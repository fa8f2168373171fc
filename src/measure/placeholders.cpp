// Placeholders: a program that did not measure a metric often prints a constant in its place, Megatron-DeepSpeed
// "grad norm: 0.000" and "loss scale: -1.0". Taken at their word they mean a dead model and a broken scaler.
//
// A loss scale is positive by definition, so a negative one is never a measurement. A grad norm that is 0 in every
// record while the loss moves was not measured: with gradients of exactly zero no weight moves, and the loss of fixed
// weights moves only by the noise of the batches. It is believed (and left to grad-norm-vanished) where the loss is
// flat as well. Limit: norms below half the last printed digit of a healthy run look the same; then too, nothing can
// be said of them.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
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

void erase(Segment& segment, const Series* series) {
  segment.series.erase(segment.series.begin() + (series - segment.series.data()));
}

}  // namespace

void drop_placeholders(Segment& segment, std::vector<Interpretation>& told) {
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
  if (norm == nullptr ||
      !std::all_of(norm->values.span().begin(), norm->values.span().end(), [](double v) { return v == 0; })) {
    return;
  }
  const Series* loss = segment.find(metric::kLoss);
  if (loss != nullptr && !moves(*loss)) return;
  told.push_back(
      {"metric-not-reported", std::string(metric::kGradNorm), 0, static_cast<std::int64_t>(norm->size()), {}});
  erase(segment, norm);
}

}  // namespace assay
