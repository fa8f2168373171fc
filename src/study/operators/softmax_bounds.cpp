// Bounds of the errors of softmax, log-sum-exp and cross-entropy.
//
// With m = max x, d_j = x_j − m, p_j = exp(d_j) / S and the unit u of the arithmetic: the errors of x_j − m and of exp
// are relative errors of exp(d_j) of at most (|d_j| + 1) u to first order. Two facts make that small whatever the
// logits are: |d| e^d <= 1/e, so against the largest probability a small one counts little, and Σ p_j |d_j| = H(p) −
// log S <= log n, so in the sum the far ones do. With the bound B of the sum and two roundings more
//     softmax        |error| / max p <= u/e + u (log n + 2) + B + 2 u
//     log-sum-exp    |error| <= u (Σ p_j |d_j| + 1) + B + u log S + u |result|
//     cross-entropy  the same with u |d_target| and u times its last results
// and for rounded inputs 2 u_i max|x|, u_i Σ p_j |x_j|, and u_i |x_target| more. The code has products in place of
// sums, and what underflows. Σ p_j |d_j| and the like are taken from the data, the worst row's. B is infinite where a
// sum of n terms may lose all of its digits (n u >= 1): then there is no bound. Sums of positive terms do not get that
// bad, but their errors are no longer small: theory is what tells of them.

#include <algorithm>
#include <cmath>

#include "num/format.h"
#include "study/operators/rounding_theory.h"
#include "study/operators/softmax.h"

namespace assay {

namespace {

using softmax_variant::kByLogsumexp;
using softmax_variant::kReciprocal;
using softmax_variant::kUnshifted;

// What a row is, as far as bounds ask for it.
struct RowFacts {
  double most = 0, log_sum = 0, target = 0;
  double size = 0;          // Σ p_j |x_j|
  double depth = 0;         // Σ p_j |d_j|
  double largest_size = 0;  // max |x|
};

RowFacts facts_of_row(const Lanes& x, std::size_t row) {
  RowFacts out;
  const auto number = [&](std::size_t k) { return x.values[k * x.rows + row]; };
  out.most = number(0);
  for (std::size_t k = 1; k < x.length; ++k) out.most = std::max(out.most, number(k));
  double sum = 0;
  for (std::size_t k = 0; k < x.length; ++k) {
    const double e = std::exp(number(k) - out.most);
    sum += e;
    out.size += e * std::abs(number(k));
    out.depth += e * (out.most - number(k));
    out.largest_size = std::max(out.largest_size, std::abs(number(k)));
  }
  out.size /= sum;
  out.depth /= sum;
  out.log_sum = std::log(sum);
  out.target = number(kTarget);
  return out;
}

// Units and what they make of a row.
struct Steps {
  const OperatorModel& model;
  bool shifted;
  double n;
  double unit = unit_of(model, model.compute);
  double least = least_error(model, model.compute);
  // Of a logit, until it is in the arithmetic's format.
  double logit = unit_of(model, model.input) + conversion_unit(model, model.input, model.compute);
  double logit_least = least_error(model, model.input) + least;

  double logit_error(double size) const { return logit * size + logit_least; }
  // e^(Σ p_j |error_j|) − 1 of the terms of the sum.
  double terms(const RowFacts& row) const {
    const double farthest = shifted ? 2 * row.largest_size * unit : 0;
    const double underflow = n * least * (shifted ? 1 : std::exp(row.largest_size));
    return (shifted ? row.depth * unit * std::exp(farthest) : 0) * (1 + unit) + unit + underflow;
  }
  double into_compute() const { return conversion_unit(model, sum_format(model), model.compute); }
};

// Of log S: the terms, the sum with the bound `sum`, its rounding into the format and the logarithm's own.
double log_bound(const Steps& steps, const RowFacts& row, double sum) {
  const double terms = steps.terms(row);
  const double rounding = steps.into_compute();
  if (terms >= 1 || sum >= 1 || rounding >= 1) return INFINITY;
  const double before = -std::log1p(-terms) - std::log1p(-sum) - std::log1p(-rounding);
  const double log_sum = std::abs(steps.shifted ? row.log_sum : row.most + row.log_sum);
  return before + steps.unit * (log_sum + before) + steps.least;
}

double softmax_row_bound(const Steps& steps, const RowFacts& row, double sum, bool reciprocal) {
  const OperatorModel& model = steps.model;
  const double unit = steps.unit;
  const double terms = steps.terms(row);
  const double rounding = steps.into_compute();
  const double inverse = reciprocal ? unit : 0;
  if (terms >= 1 || sum >= 1 || rounding >= 1) return INFINITY;
  const double farthest = 2 * row.largest_size * unit;
  const double numerator = steps.shifted ? unit * std::exp(farthest) / std::exp(1.0) : 0;
  const double input = std::exp(2 * steps.logit_error(row.largest_size));
  const double up = input * (1 + numerator) * (1 + unit) * (1 + unit) * (1 + inverse) *
                    (1 + unit_of(model, model.output)) / ((1 - terms) * (1 - sum) * (1 - rounding));
  // A probability that vanishes, against the largest, which is at least 1/n.
  return up - 1 + steps.n * (steps.least + least_error(model, model.output));
}

double logsumexp_row_bound(const Steps& steps, const RowFacts& row, double sum) {
  const double input = steps.logit_error(row.size) * std::exp(2 * steps.logit_error(row.largest_size));
  const double log_error = log_bound(steps, row, sum);
  const double magnitude = std::abs(row.most) + row.log_sum;
  const double before = input + log_error;
  const double added = steps.shifted ? steps.unit * (magnitude + before) + steps.least : 0;
  const double stored = unit_of(steps.model, steps.model.output) * (magnitude + before + added);
  return (before + added + stored + least_error(steps.model, steps.model.output)) / magnitude;
}

double cross_entropy_row_bound(const Steps& steps, const RowFacts& row, double sum, bool by_logsumexp) {
  const double unit = steps.unit;
  const double growth = std::exp(2 * steps.logit_error(row.largest_size));
  const double input = steps.logit_error(row.size) * growth + steps.logit_error(std::abs(row.target));
  const double all = std::abs(row.most + row.log_sum);
  const double loss = row.most + row.log_sum - row.target;
  double error = input + log_bound(steps, row, sum);
  if (by_logsumexp) {
    error += unit * (all + error) + steps.least;
  } else if (steps.shifted) {
    error += unit * (row.most - row.target + 2 * steps.logit_error(row.largest_size)) + steps.least;
  }
  error += unit * (loss + error) + steps.least;
  error += unit_of(steps.model, steps.model.output) * (loss + error) + least_error(steps.model, steps.model.output);
  return error / (all + std::abs(row.target));
}

// Whether exp or the sum may overflow: then no bound holds.
bool may_overflow(const Steps& steps, const RowFacts& row, double sum) {
  const double most = steps.shifted ? 0 : row.most + steps.logit_error(row.largest_size);
  const double all = std::exp(most + row.log_sum) * (1 + steps.unit) * (1 + sum);
  return !(std::exp(most) * (1 + steps.unit) < largest(steps.model.compute) && all < largest(steps.model.accumulator) &&
           all < largest(sum_format(steps.model)));
}

template <class RowBound>
SumBounds worst_row(const OperatorCall& call, double outputs, RowBound bound) {
  const Lanes& x = call.inputs[0];
  const SumBounds sums = sum_bounds(call.model.sums(), x.length, outputs);
  const Steps steps{.model = call.model, .shifted = call.variant != kUnshifted, .n = static_cast<double>(x.length)};
  SumBounds out;
  for (std::size_t index = 0; index < x.rows; ++index) {
    const RowFacts row = facts_of_row(x, index);
    if (!std::isfinite(row.most) || !std::isfinite(row.size)) continue;  // its results are not finite either
    const auto bound_of = [&](double sum) { return may_overflow(steps, row, sum) ? INFINITY : bound(steps, row, sum); };
    out.certain = std::max(out.certain, bound_of(sums.certain));
    out.probable = std::max(out.probable, bound_of(sums.probable));
  }
  return out;
}

}  // namespace

SumBounds softmax_bounds(const OperatorCall& call, double outputs) {
  const bool reciprocal = call.variant == kReciprocal;
  return worst_row(call, outputs, [&](const Steps& steps, const RowFacts& row, double sum) {
    return softmax_row_bound(steps, row, sum, reciprocal);
  });
}

SumBounds logsumexp_bounds(const OperatorCall& call, double outputs) {
  return worst_row(call, outputs, logsumexp_row_bound);
}

SumBounds cross_entropy_bounds(const OperatorCall& call, double outputs) {
  const bool by_logsumexp = call.variant == kByLogsumexp;
  return worst_row(call, outputs, [&](const Steps& steps, const RowFacts& row, double sum) {
    return cross_entropy_row_bound(steps, row, sum, by_logsumexp);
  });
}

}  // namespace assay
