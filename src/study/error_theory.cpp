// From expected errors to what is measured.
//
// An output's error is taken as normal with the expected mean and variance. Then the mean square is their mean over the
// outputs, and a relative error |e| / |y| has, for a known y, the distribution of |N(0, σ/|y|)|: its quantiles over all
// outputs are those of the mixture, found by bisection. With zero-mean data y itself is normal, σ/|y| has the tail of
// a Cauchy distribution, and the relative error has no mean: the one that is told is that of these outputs.

#include "study/error_theory.h"

#include <algorithm>
#include <cmath>

#include "num/format.h"

namespace assay {

namespace {

constexpr std::size_t kMostTerms = 8'000'000;

Lanes first_rows(const Lanes& all, std::size_t rows) {
  Lanes out(rows, all.length);
  for (std::size_t k = 0; k < all.length; ++k) std::copy_n(all.at(k).begin(), rows, out.at(k).begin());
  return out;
}

bool all_finite(std::span<const Lanes> inputs) {
  for (const Lanes& one : inputs) {
    for (const double value : one.values) {
      if (!std::isfinite(value)) return false;
    }
  }
  return true;
}

// P(|N(0, deviation)| < t) over all deviations.
double share_below(const std::vector<double>& deviations, double t) {
  double sum = 0;
  for (const double deviation : deviations) sum += deviation > 0 ? std::erf(t / (deviation * std::sqrt(2.0))) : 1;
  return sum / static_cast<double>(deviations.size());
}

double quantile_of_mixture(const std::vector<double>& deviations, double share) {
  if (deviations.empty()) return NAN;
  const double most = *std::max_element(deviations.begin(), deviations.end());
  if (!(most > 0)) return 0;
  double low = most * 1e-12, high = most * 10;
  for (int step = 0; step < 50; ++step) {
    const double middle = std::sqrt(low * high);
    (share_below(deviations, middle) < share ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::size_t rows_of_theory(const ErrorQuestion& question) {
  if (question.op->expect == nullptr) return 0;
  return std::clamp<std::size_t>(kMostTerms / std::max<std::size_t>(question.length, 1), 1, question.rows);
}

TheorySums expect_group(const ErrorQuestion& question, const OperatorCall& call, const ExactLanes& exact,
                        const Lanes& magnitude, std::size_t most) {
  const std::size_t rows = std::min(most, call.rows());
  std::vector<Lanes> inputs;
  for (const Lanes& one : call.inputs) inputs.push_back(first_rows(one, rows));
  TheorySums out;
  if (!all_finite(inputs)) return out;
  ExactLanes known;
  known.hi = first_rows(exact.hi, rows);
  known.lo = first_rows(exact.lo, rows);
  const Lanes scale = first_rows(magnitude, rows);
  ExpectedErrors expected(known.hi.values.size());
  question.op->expect({call.model, call.variant, call.parameters, inputs}, known, expected);
  out.peak = expected.peak;
  const OperatorModel& model = question.model;
  for (std::size_t i = 0; i < scale.values.size(); ++i) {
    const double unit = scale.values[i];
    const double value = known.hi.values[i];
    if (!(unit > 0) || !std::isfinite(unit) || !std::isfinite(value)) continue;
    const double grid = expected.grid.empty() ? 0 : expected.grid[i];
    const std::array<Moments, kErrorParts> parts = {expected.input[i], expected.inner[i],
                                                    rounding_moments(model.output, model.rules.rounding, value, grid)};
    Moments total{0, expected.covariance.empty() ? 0 : 2 * expected.covariance[i]};
    for (std::size_t part = 0; part < kErrorParts; ++part) {
      total += parts[part];
      out.part_squares[part] += (parts[part].mean * parts[part].mean + parts[part].variance) / (unit * unit);
    }
    const double square = total.mean * total.mean + std::max(0.0, total.variance);
    ++out.outputs;
    out.sum += total.mean / unit;
    out.squares += square / (unit * unit);
    if (value != 0) out.deviations.push_back(std::sqrt(square) / std::abs(value));
  }
  return out;
}

Predicted predicted_of(const std::vector<TheorySums>& groups) {
  Predicted out;
  std::vector<double> deviations;
  for (const TheorySums& group : groups) {
    out.outputs += group.outputs;
    out.sum += group.sum;
    out.squares += group.squares;
    out.peak = std::max(out.peak, group.peak);
    for (std::size_t part = 0; part < kErrorParts; ++part) out.part_squares[part] += group.part_squares[part];
    deviations.insert(deviations.end(), group.deviations.begin(), group.deviations.end());
  }
  if (out.outputs == 0) return out;
  out.known = true;
  const auto count = static_cast<double>(out.outputs);
  out.sum /= count;
  out.squares /= count;
  for (double& square : out.part_squares) square /= count;
  double mean = 0;
  for (const double deviation : deviations) mean += deviation * std::sqrt(2 / 3.14159265358979323846);
  out.relative_mean = mean / static_cast<double>(std::max<std::size_t>(deviations.size(), 1));
  constexpr std::size_t kMostForQuantiles = 65536;
  if (deviations.size() > kMostForQuantiles) {
    const std::size_t step = deviations.size() / kMostForQuantiles + 1;
    std::vector<double> few;
    for (std::size_t i = 0; i < deviations.size(); i += step) few.push_back(deviations[i]);
    deviations = std::move(few);
  }
  out.relative_median = quantile_of_mixture(deviations, 0.5);
  out.relative_p99 = quantile_of_mixture(deviations, 0.99);
  return out;
}

}  // namespace assay
