// The expected errors of softmax, log-sum-exp and cross-entropy.
//
// The inputs. If the logits change by δ_j, then to first order
//     δp_i / p_i = δ_i − Σ p_j δ_j,      δ logsumexp = Σ p_j δ_j,      δ loss = Σ p_j δ_j − δ_target.
// The δ_j are independent with variances v_j, so the first has the variance (1 − 2 p_i) v_i + Σ p_j² v_j, and so on.
// The spacing of BF16 at a logit of 20 is 1/8: this part is exp's and no arithmetic can make it smaller.
//
// The arithmetic. An error a_j of x_j − max and a relative error r_j of exp's rounding act like δ_j = a_j + r_j; the
// sum adds its own relative error s, the division its rounding. The sum's error is that of its terms in its order
// (num/expected_error.cpp), and where it stagnates its mean is no longer small: with the mean μ of s,
//     p̂_i = p_i / (1 + μ) · (1 + …),      log Ŝ = log S + log(1 + μ),
// so that a denominator that stops growing is foretold: in BF16 at n = 4096 the probabilities add up to 2.5, not 1.
//
// Where it fails: logits whose spacing in the input's format is more than about 1 (the first order is no longer
// enough); few distinct logits (their errors are not independent); overflow of exp without the shift: the peak tells of
// it.

#include <algorithm>
#include <cmath>
#include <limits>

#include "num/format.h"
#include "study/operators/rounding_theory.h"
#include "study/operators/softmax.h"
#include "study/operators/sum_theory.h"

namespace assay {

namespace {

using softmax_variant::kByLogsumexp;
using softmax_variant::kReciprocal;
using softmax_variant::kUnshifted;

struct RowErrors {
  double shift = 0;               // max, or 0
  std::vector<double> arguments;  // of exp
  std::vector<double> weights;    // p
  std::vector<Moments> input;     // of each logit
  std::vector<Moments> logit;     // of bringing it into the arithmetic's format
  std::vector<Moments> argument;  // of the subtraction
  std::vector<Moments> term;      // of exp's rounding, relative
  double sum = 0;
  Moments sum_error;  // relative, of the sum as it is used

  // Of log S, to first order.
  Moments log_sum_error() const {
    const double slope = 1 / (1 + sum_error.mean);
    return {std::log1p(sum_error.mean), sum_error.variance * slope * slope};
  }
};

double with(const OperatorModel& model, double number) {
  return round_to(model.compute, real(round_to(model.input, real(number), model.rules).value), model.rules).value;
}

// The errors of one logit on its way into the sum.
void add_term(const OperatorModel& model, double x, double grid, double shift_grid, RowErrors& row) {
  const NumberFormat& compute = model.compute;
  row.logit.push_back(rounding_of(model, compute, x, grid));
  const double own_grid = std::max(grid, spacing_at(compute, x));
  const double argument = x - row.shift;
  const bool shifted = shift_grid > 0;
  row.argument.push_back(shifted ? rounding_of(model, compute, argument, std::min(own_grid, shift_grid)) : Moments());
  const double e = std::exp(argument);
  const bool exact = argument == 0 || e == 0;
  row.term.push_back(exact ? Moments() : scaled(rounding_of(model, compute, e), 1 / e));
  row.arguments.push_back(argument);
  row.weights.push_back(e);
  row.sum += e;
}

// What theory says of a row where it knows nothing.
constexpr Moments kUnknown = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

// False where something overflows: then nothing is known but how large it gets.
bool follow(const OperatorCall& call, std::size_t index, RowErrors& row, double& peak) {
  const OperatorModel& model = call.model;
  std::vector<double> x = row_of(call.inputs[0], index);
  for (const double number : x) row.input.push_back(input_rounding(model, number));
  std::vector<double> of_input = x;
  for (double& number : of_input) number = round_to(model.input, real(number), model.rules).value;
  const RowGrids grids(model.input, of_input);
  for (double& number : x) number = with(model, number);
  double shift_grid = 0;
  if (call.variant != kUnshifted) {
    const auto most = std::max_element(x.begin(), x.end());
    row.shift = *most;
    const double given = of_input[static_cast<std::size_t>(most - x.begin())];
    shift_grid = std::max(grids.of(given), spacing_at(model.compute, *most));
  }
  for (std::size_t k = 0; k < x.size(); ++k) add_term(model, x[k], grids.of(of_input[k]), shift_grid, row);
  peak = std::max(peak, row.sum);
  const double most = *std::max_element(row.weights.begin(), row.weights.end());
  if (most > largest(model.compute) || row.sum > largest(sum_format(model))) return false;
  row.sum_error = expected_row_sum(model, model.compute, row.weights, false, peak);
  const double used = row.sum + row.sum_error.mean;
  row.sum_error += rounding_about(model, model.compute, used, std::sqrt(row.sum_error.variance),
                                  spacing_at(sum_format(model), used));
  row.sum_error = scaled(row.sum_error, 1 / row.sum);
  for (double& weight : row.weights) weight /= row.sum;
  return row.sum_error.mean > -1;
}

// Σ p_j · error_j
Moments weighted(const std::vector<double>& weights, const std::vector<Moments>& errors) {
  Moments out;
  for (std::size_t k = 0; k < weights.size(); ++k) out += scaled(errors[k], weights[k]);
  return out;
}

// error_i − Σ p_j error_j, where `all` is that sum.
Moments against_all(const Moments& own, double weight, const Moments& all) {
  return {own.mean - all.mean, std::max(0.0, (1 - 2 * weight) * own.variance + all.variance)};
}

// What the terms' errors make of the sum's logarithm.
Moments terms_in_sum(const RowErrors& row) {
  Moments out = weighted(row.weights, row.logit);
  out += weighted(row.weights, row.argument);
  out += weighted(row.weights, row.term);
  return out;
}

// `exact` has the errors until here, and is rounded into the format of the arithmetic.
void round_about(const OperatorModel& model, double exact, double grid, Moments& errors) {
  errors += rounding_about(model, model.compute, exact + errors.mean, std::sqrt(errors.variance), grid);
}

void softmax_row(const OperatorCall& call, std::size_t index, const RowErrors& row, ExpectedErrors& out) {
  const OperatorModel& model = call.model;
  const Moments input = weighted(row.weights, row.input);
  const Moments terms = terms_in_sum(row);
  const double factor = 1 / (1 + row.sum_error.mean);
  Moments divisor = {0, row.sum_error.variance * factor * factor};
  if (call.variant == kReciprocal) {
    const double inverse = factor / row.sum;
    divisor +=
        scaled(rounding_about(model, model.compute, inverse, inverse * std::sqrt(divisor.variance)), 1 / inverse);
  }
  for (std::size_t k = 0; k < row.weights.size(); ++k) {
    const double weight = row.weights[k];
    const std::size_t place = k * call.rows() + index;
    out.input[place] += scaled(against_all(row.input[k], weight, input), weight);
    Moments own = row.logit[k];
    own += row.argument[k];
    own += row.term[k];
    Moments relative = against_all(own, weight, terms);
    relative += divisor;
    out.inner[place] += scaled(relative, weight * factor);
    out.inner[place].mean += weight * (factor - 1);
    if (row.term[k].mean > -1) out.inner[place] += rounding_of(model, model.compute, weight * factor);
  }
}

}  // namespace

void softmax_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  results_are_of(call.model.compute, exact, out);
  for (std::size_t index = 0; index < call.rows(); ++index) {
    RowErrors row;
    if (follow(call, index, row, out.peak)) {
      softmax_row(call, index, row, out);
    } else {
      for (std::size_t k = 0; k < call.length(); ++k) out.inner[k * call.rows() + index] = kUnknown;
    }
  }
}

void logsumexp_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  results_are_of(call.model.compute, exact, out);
  const OperatorModel& model = call.model;
  for (std::size_t index = 0; index < call.rows(); ++index) {
    RowErrors row;
    if (!follow(call, index, row, out.peak)) {
      out.inner[index] = kUnknown;
      continue;
    }
    out.input[index] += weighted(row.weights, row.input);
    Moments inner = terms_in_sum(row);
    inner += row.log_sum_error();
    const double log_sum = std::log(row.sum);
    round_about(model, log_sum, 0, inner);
    if (call.variant != kUnshifted) {
      const double grid = std::min(spacing_at(model.compute, row.shift), spacing_at(model.compute, log_sum));
      round_about(model, row.shift + log_sum, grid, inner);
    }
    out.inner[index] += inner;
  }
}

void cross_entropy_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  results_are_of(call.model.compute, exact, out);
  const OperatorModel& model = call.model;
  const auto spacing = [&](double value) { return spacing_at(model.compute, value); };
  for (std::size_t index = 0; index < call.rows(); ++index) {
    RowErrors row;
    if (!follow(call, index, row, out.peak)) {
      out.inner[index] = kUnknown;
      continue;
    }
    const double weight = row.weights[kTarget];
    out.input[index] += scaled(against_all(row.input[kTarget], weight, weighted(row.weights, row.input)), -1);
    Moments inner = weighted(row.weights, row.term);
    inner += scaled(against_all(row.logit[kTarget], weight, weighted(row.weights, row.logit)), -1);
    inner += row.log_sum_error();
    const Moments arguments = weighted(row.weights, row.argument);
    const double argument = row.arguments[kTarget];
    const double log_sum = std::log(row.sum);
    if (call.variant == kByLogsumexp) {
      inner += arguments;
      round_about(model, log_sum, 0, inner);
      const double all = row.shift + log_sum;
      const double target = row.shift + argument;
      round_about(model, all, std::min(spacing(log_sum), spacing(row.shift)), inner);
      round_about(model, all - target, std::min(spacing(all), spacing(target)), inner);
    } else {
      Moments log_only = inner;
      log_only += arguments;
      const Moments of_log =
          rounding_about(model, model.compute, log_sum + log_only.mean, std::sqrt(log_only.variance));
      inner += of_log;
      inner += scaled(against_all(row.argument[kTarget], weight, arguments), -1);
      round_about(model, log_sum - argument, std::min(spacing(log_sum), spacing(argument)), inner);
    }
    out.inner[index] += inner;
  }
}

}  // namespace assay
