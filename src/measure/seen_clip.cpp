// How the logged grad norms lie to the clip threshold.
//
// Why: whether a threshold acts is not told by any log line of most frameworks, but the norms before clipping tell it:
// each that lies above the threshold was cut to it. Its share has to come with what so many records can support
// (stat/share.h), and without the first tenth of the records, whose norms are high in every run (a short log keeps
// them: it has nothing else).
//
// Some programs log the norm after clipping. Then no value is above the threshold, and those of clipped steps are
// exactly the threshold: they pile up at the greatest value. A pile is a tenth of the records, at least ten of them,
// within half a thousandth (or one unit of the last printed digit) of the greatest, while the rest is spread:
// continuous norms do that never by chance. A norm that is one value throughout is a pile too (every step is clipped),
// if it is finite and comes ten times.
//
// Limits: norms that are coarse (one decimal) pile up anywhere; a pile then needs its value to be ten units or more.

#include "measure/seen_clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "assay/metric.h"
#include "stat/quantile.h"
#include "stat/quantum.h"

namespace assay {

namespace {

constexpr std::size_t kFewest = 5;
constexpr std::size_t kLong = 50;       // records from which the beginning is left out
constexpr double kBeginning = 0.1;      // of the records
constexpr double kPile = 0.1;           // of the records
constexpr std::size_t kLeastPile = 10;  // records
constexpr double kSameValue = 5e-4;     // of it
constexpr double kFine = 10;            // units of the last digit that a pile has to be worth

void find_pile(SeenNorms& out) {
  const double unit = out.quantum;
  const bool one_value = out.values.size() >= kLeastPile && out.greatest == *std::ranges::min_element(out.values);
  if (one_value) {
    out.at_pile = {out.values.size(), out.values.size()};
    out.piled_at = out.greatest;
    return;
  }
  if (out.greatest < kFine * unit) return;
  const double edge = out.greatest - std::max(unit, kSameValue * out.greatest);
  out.at_pile = share_of(out.values, [edge](double x) { return x >= edge; });
  if (out.at_pile.hits < kLeastPile || out.at_pile.value() < kPile) return;
  // A pile is an edge: as wide a stretch below it holds far fewer.
  const double below = edge - (out.greatest - edge);
  const Share beside = share_of(out.values, [&](double x) { return x >= below && x < edge; });
  if (beside.hits * 5 > out.at_pile.hits) return;
  out.piled_at = out.greatest;
}

}  // namespace

Share SeenNorms::above(double threshold) const {
  const double edge = threshold + std::max(quantum / 2, kSameValue * threshold);
  return share_above(values, edge);
}

Share SeenNorms::clipped(double threshold) const {
  const bool is_pile = piled_at && std::fabs(*piled_at - threshold) <= std::max(quantum, 0.01 * threshold);
  return is_pile ? at_pile : above(threshold);
}

std::optional<SeenNorms> seen_norms(const Run& run, std::size_t segment) {
  const Series* norm = run.segments[segment].find(metric::kGradNorm);
  if (norm == nullptr || norm->size() < kFewest) return std::nullopt;
  SeenNorms out;
  out.segment = segment;
  const std::size_t all = norm->size();
  const std::size_t from = all >= kLong ? static_cast<std::size_t>(kBeginning * static_cast<double>(all)) : 0;
  for (std::size_t i = from; i < all; ++i) {
    const double value = norm->value(i);
    if (!(value > 0) || !std::isfinite(value)) continue;
    if (out.values.empty()) {
      out.steps.first = norm->step(i);
      out.line = norm->line(i);
    }
    out.steps.last = norm->step(i);
    out.values.push_back(value);
  }
  if (out.values.size() < kFewest) return std::nullopt;
  const std::vector<double> q = quantiles(out.values, std::array{0.25, 0.5, 0.9, 0.99, 1.0});
  out.p25 = q[0];
  out.median = q[1];
  out.p90 = q[2];
  out.p99 = q[3];
  out.greatest = q[4];
  if (const auto quantum = decimal_quantum(out.values)) out.quantum = quantum->step_at(out.median);
  find_pile(out);
  return out;
}

}  // namespace assay
