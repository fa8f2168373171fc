// From expected errors to what is measured.
//
// An output's error is taken as normal with the expected mean m and variance σ². Then the mean square is the mean of m²
// + σ² over the outputs, and a relative error |e| / |y| has, for a known y, the distribution of |N(m/y, σ²/y²)|: its
// quantiles over all outputs are those of the mixture, found by bisection. With zero-mean data y itself is normal,
// σ/|y| has the tail of a Cauchy distribution, and the relative error has no mean: the one that is told is that of
// these outputs.

#include "study/error_theory.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "num/format.h"
#include "study/operators/rounding_theory.h"

namespace assay {

namespace {

constexpr std::size_t kMostTerms = 8'000'000;
constexpr std::size_t kMostForQuantiles = 65536;

bool all_finite(std::span<const Lanes> inputs) {
  for (const Lanes& one : inputs) {
    for (const double value : one.values) {
      if (!std::isfinite(value)) return false;
    }
  }
  return true;
}

double normal_share(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

// P(|N(mean, variance)| < t), over all errors.
double share_below(const std::vector<Moments>& errors, double t) {
  double sum = 0;
  for (const Moments& one : errors) {
    const double deviation = std::sqrt(one.variance);
    if (deviation > 0) {
      sum += normal_share((t - one.mean) / deviation) - normal_share((-t - one.mean) / deviation);
    } else {
      sum += std::abs(one.mean) <= t ? 1 : 0;
    }
  }
  return sum / static_cast<double>(errors.size());
}

double mean_size(const Moments& one) {
  const double deviation = std::sqrt(one.variance);
  if (!(deviation > 0)) return std::abs(one.mean);
  const double z = one.mean / deviation;
  return deviation * std::sqrt(2 / std::numbers::pi) * std::exp(-z * z / 2) + one.mean * std::erf(z / std::sqrt(2.0));
}

double quantile_of_mixture(const std::vector<Moments>& errors, double share) {
  if (errors.empty()) return NAN;
  double high = 0;
  for (const Moments& one : errors) high = std::max(high, std::abs(one.mean) + 10 * std::sqrt(one.variance));
  if (!(high > 0) || !std::isfinite(high)) return high;
  double low = high * 1e-14;
  constexpr double kNear = 1 + 1e-5;  // theory is not that good
  while (high > low * kNear) {
    const double middle = std::sqrt(low * high);
    (share_below(errors, middle) < share ? low : high) = middle;
  }
  return high;
}

// A row's only output may be near the same number in every row, and its rounding is then no chance; many outputs are
// spread over many spacings.
Moments output_rounding(const Operator& op, const OperatorModel& model, double value, const Moments& before,
                        double grid) {
  if (!op.one_output) return rounding_of(model, model.output, value, grid);
  return rounding_about(model, model.output, value + before.mean, std::sqrt(before.variance), grid);
}

}  // namespace

Lanes first_rows(const Lanes& all, std::size_t rows) {
  Lanes out(rows, all.length);
  for (std::size_t k = 0; k < all.length; ++k) std::copy_n(all.at(k).begin(), rows, out.at(k).begin());
  return out;
}

std::size_t rows_of_theory(const ErrorQuestion& question) {
  // After a rounding to odd a sum is odd, so the next error is not independent of it.
  if (question.op->expect == nullptr || question.model.rules.rounding == Rounding::kToOdd) return 0;
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
  question.op->expect({call.model, call.variant, call.parameters, inputs, call.first_row}, known, expected);
  out.peak = expected.peak;
  out.updates = expected.updates;
  out.swallowed = expected.swallowed;
  const OperatorModel& model = question.model;
  for (std::size_t i = 0; i < scale.values.size(); ++i) {
    const double unit = scale.values[i];
    const double value = known.hi.values[i];
    if (!(unit > 0) || !std::isfinite(unit) || !std::isfinite(value)) continue;
    const double grid = expected.grid.empty() ? 0 : expected.grid[i];
    Moments before = expected.input[i];
    before += expected.inner[i];
    const std::array<Moments, kErrorParts> parts = {expected.input[i], expected.inner[i],
                                                    output_rounding(*question.op, model, value, before, grid)};
    Moments total{0, expected.covariance.empty() ? 0 : 2 * expected.covariance[i]};
    for (std::size_t part = 0; part < kErrorParts; ++part) {
      total += parts[part];
      out.part_squares[part] += (parts[part].mean * parts[part].mean + parts[part].variance) / (unit * unit);
    }
    // What is stored as 0 is off by itself, whatever else happened to it.
    const Moments& stored = parts[kErrorParts - 1];
    if (value != 0 && stored.mean == -value && stored.variance == 0) total = {-value, 0};
    const double square = total.mean * total.mean + std::max(0.0, total.variance);
    ++out.outputs;
    out.sum += total.mean / unit;
    out.squares += square / (unit * unit);
    if (value != 0) out.relative.push_back({total.mean / value, total.variance / (value * value)});
  }
  return out;
}

static std::vector<Moments> thinned(const std::vector<Moments>& all) {
  const std::size_t step = all.size() / kMostForQuantiles + 1;
  std::vector<Moments> out;
  for (std::size_t i = 0; i < all.size(); i += step) out.push_back(all[i]);
  return out;
}

Predicted predicted_of(const std::vector<TheorySums>& groups) {
  Predicted out;
  std::vector<Moments> relative;
  double updates = 0;
  for (const TheorySums& group : groups) {
    out.outputs += group.outputs;
    out.sum += group.sum;
    out.squares += group.squares;
    out.peak = std::max(out.peak, group.peak);
    updates += group.updates;
    out.swallowed += group.swallowed;
    for (std::size_t part = 0; part < kErrorParts; ++part) out.part_squares[part] += group.part_squares[part];
    relative.insert(relative.end(), group.relative.begin(), group.relative.end());
  }
  if (out.outputs == 0) return out;
  if (!std::isfinite(out.squares)) return {.peak = out.peak};  // the operator's theory does not say
  out.known = true;
  out.swallowed = updates > 0 ? out.swallowed / updates : NAN;
  const auto count = static_cast<double>(out.outputs);
  out.sum /= count;
  out.squares /= count;
  for (double& square : out.part_squares) square /= count;
  for (const Moments& one : relative) {
    out.relative_mean += mean_size(one) / static_cast<double>(relative.size());
  }
  const std::vector<Moments> some = thinned(relative);
  out.relative_median = quantile_of_mixture(some, 0.5);
  out.relative_p99 = quantile_of_mixture(some, 0.99);
  return out;
}

}  // namespace assay
