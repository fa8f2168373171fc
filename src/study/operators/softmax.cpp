// Softmax, log-sum-exp, cross-entropy: what they compute, exactly and in a format. Theory: softmax_theory.cpp.
//
// All three begin alike: m = max x (exact), d = x − m, e = exp(d), S = Σe. Then p = e / S; m + log S; log S − d_target.
// d and e are rounded into the format of the arithmetic; S is a sum in the accumulator's format and order, and is
// rounded into the format of the arithmetic before it is used. exp and log are rightly rounded here; a device's are off
// by an ulp or two more in FP32, which nobody sees behind an output of 16 bits.
//
// What errors are set against. Of a softmax the row's largest probability: relative errors of all outputs would be
// ruled by those that nobody looks at (in FP16 all below 6e-8 vanish, an error of 100 %), and errors against Σp = 1
// would hide a denominator that is 2.5 times too small among n small numbers. Log-sum-exp and cross-entropy are sums of
// two terms that can cancel, and are set against Σ|terms| like every sum here.
//
// The exact results keep the largest term apart: S = 1 + rest, and log S = log1p(rest). So the loss of a target that is
// nearly certain has all its digits.

#include "study/operators/softmax.h"

#include <algorithm>
#include <cmath>

#include "num/arithmetic.h"
#include "num/double_double.h"
#include "study/operators/operators.h"

namespace assay {

namespace {

using softmax_variant::kByLogsumexp;
using softmax_variant::kReciprocal;
using softmax_variant::kShifted;
using softmax_variant::kUnshifted;

// The largest number of each row; NaN where its last numbers are NaN, else what is not.
std::vector<double> row_maxima(const Lanes& x) {
  std::vector<double> most(x.at(0).begin(), x.at(0).end());
  for (std::size_t k = 1; k < x.length; ++k) {
    const std::span<const double> next = x.at(k);
    for (std::size_t row = 0; row < x.rows; ++row) most[row] = next[row] <= most[row] ? most[row] : next[row];
  }
  return most;
}

// --- exact -----------------------------------------------------------------------------------------------------------

struct ExactRow {
  double most = 0;                  // m
  std::vector<DoubleDouble> terms;  // exp(x − m)
  DoubleDouble rest;                // Σ of them but the largest

  DoubleDouble sum() const { return 1.0 + rest; }
  DoubleDouble log_sum() const { return log1p(rest); }
};

ExactRow exact_row(const Lanes& x, std::size_t row) {
  ExactRow out;
  std::size_t greatest = 0;
  const auto number = [&](std::size_t k) { return x.values[k * x.rows + row]; };
  for (std::size_t k = 1; k < x.length; ++k) greatest = number(k) <= number(greatest) ? greatest : k;
  out.most = number(greatest);
  out.terms.resize(x.length);
  for (std::size_t k = 0; k < x.length; ++k) {
    out.terms[k] = exp(two_sum(number(k), -out.most));
    if (k != greatest) out.rest = out.rest + out.terms[k];
  }
  if (!std::isfinite(out.most)) out.rest = DoubleDouble(out.most - out.most);  // NaN, as in the arithmetic
  return out;
}

void put(const DoubleDouble& value, std::size_t place, ExactLanes& out) {
  out.hi.values[place] = value.hi;
  out.lo.values[place] = value.lo;
}

void softmax_exact(const OperatorCall& call, ExactLanes& out) {
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const ExactRow one = exact_row(call.inputs[0], row);
    const DoubleDouble sum = one.sum();
    for (std::size_t k = 0; k < one.terms.size(); ++k) put(one.terms[k] / sum, k * call.rows() + row, out);
  }
}

void logsumexp_exact(const OperatorCall& call, ExactLanes& out) {
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const ExactRow one = exact_row(call.inputs[0], row);
    put(std::isfinite(one.most) ? one.most + one.log_sum() : DoubleDouble(one.most), row, out);
  }
}

void cross_entropy_exact(const OperatorCall& call, ExactLanes& out) {
  const Lanes& x = call.inputs[0];
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const ExactRow one = exact_row(x, row);
    put(one.log_sum() + two_sum(one.most, -x.values[kTarget * x.rows + row]), row, out);
  }
}

// --- in a format -----------------------------------------------------------------------------------------------------

// What the three begin with. Without a shift `most` is 0 and `shifted` are the logits.
struct Exponentials {
  std::vector<double> most;
  Lanes shifted;             // x − m
  Lanes terms;               // exp of it
  std::vector<double> sums;  // in the format of the arithmetic
};

Exponentials emulate_terms(const OperatorCall& call, bool infinite_most_is_zero, SumEvents* events) {
  Arithmetic compute(call.model.compute, call.model.rules);
  Exponentials out;
  out.shifted = call.inputs[0];
  compute.round(out.shifted.values, out.shifted.values);
  out.most.assign(call.rows(), 0);
  if (call.variant != kUnshifted) {
    out.most = row_maxima(out.shifted);
    for (double& most : out.most) most = infinite_most_is_zero && std::isinf(most) ? 0 : most;
    for (std::size_t k = 0; k < out.shifted.length; ++k) {
      compute.subtract(out.shifted.at(k), out.most, out.shifted.at(k));
    }
  }
  out.terms = out.shifted;
  compute.apply([](double x) { return std::exp(x); }, out.terms.values, out.terms.values);
  Terms terms(out.terms);
  out.sums = rounded_sums(call.model.sums(), terms, events);
  compute.round(out.sums, out.sums);
  return out;
}

void softmax_emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  Exponentials terms = emulate_terms(call, false, events);
  Arithmetic compute(call.model.compute, call.model.rules);
  const bool divides = call.variant != kReciprocal;
  if (!divides) compute.divide(std::vector<double>(call.rows(), 1.0), terms.sums, terms.sums);
  for (std::size_t k = 0; k < out.length; ++k) {
    if (divides) {
      compute.divide(terms.terms.at(k), terms.sums, out.at(k));
    } else {
      compute.multiply(terms.terms.at(k), terms.sums, out.at(k));
    }
  }
}

std::vector<double> log_sums(Exponentials& terms, Arithmetic& compute) {
  std::vector<double> logs(terms.sums.size());
  compute.apply([](double x) { return std::log(x); }, terms.sums, logs);
  return logs;
}

void logsumexp_emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  // An infinite maximum counts as 0, as in torch.logsumexp: the result is then infinite and not NaN.
  Exponentials terms = emulate_terms(call, true, events);
  Arithmetic compute(call.model.compute, call.model.rules);
  const std::vector<double> logs = log_sums(terms, compute);
  compute.add(terms.most, logs, out.values);
}

void cross_entropy_emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  Exponentials terms = emulate_terms(call, false, events);
  Arithmetic compute(call.model.compute, call.model.rules);
  const std::vector<double> logs = log_sums(terms, compute);
  if (call.variant != kByLogsumexp) return compute.subtract(logs, terms.shifted.at(kTarget), out.values);
  std::vector<double> target(call.rows());
  compute.round(call.inputs[0].at(kTarget), target);
  compute.add(terms.most, logs, out.values);
  compute.subtract(out.values, target, out.values);
}

// --- what errors are set against -------------------------------------------------------------------------------------

void softmax_magnitude(const OperatorCall& /*call*/, const ExactLanes& exact, Lanes& out) {
  const std::vector<double> most = row_maxima(exact.hi);
  for (std::size_t k = 0; k < out.length; ++k) std::copy(most.begin(), most.end(), out.at(k).begin());
}

void logsumexp_magnitude(const OperatorCall& call, const ExactLanes& exact, Lanes& out) {
  const std::vector<double> most = row_maxima(call.inputs[0]);
  for (std::size_t row = 0; row < out.rows; ++row) {
    out.values[row] = std::abs(most[row]) + (exact.hi.values[row] - most[row]);
  }
}

void cross_entropy_magnitude(const OperatorCall& call, const ExactLanes& exact, Lanes& out) {
  const std::span<const double> target = call.inputs[0].at(kTarget);
  for (std::size_t row = 0; row < out.rows; ++row) {
    out.values[row] = std::abs(exact.hi.values[row] + target[row]) + std::abs(target[row]);
  }
}

}  // namespace

const Operator kSoftmax{.name = "softmax",
                        .title = {"softmax", "softmax"},
                        .formula = {"exp(x − max) / Σ exp(x − max)", "exp(x − max) / Σ exp(x − max)"},
                        .inputs = {{.name = "logits"}},
                        .variants = {kShifted, kReciprocal, kUnshifted},
                        .scale = {"the row's largest probability", "该行的最大概率"},
                        .one_output = false,
                        .exact = softmax_exact,
                        .emulate = softmax_emulate,
                        .magnitude = softmax_magnitude,
                        .expect = softmax_expect,
                        .bounds = softmax_bounds};

const Operator kLogsumexp{.name = "logsumexp",
                          .also = {"log-sum-exp", "lse"},
                          .title = {"log-sum-exp", "log-sum-exp"},
                          .formula = {"max + log Σ exp(x − max)", "max + log Σ exp(x − max)"},
                          .inputs = {{.name = "logits"}},
                          .variants = {kShifted, kUnshifted},
                          .scale = {"|max| + log Σ exp(x − max)", "|max| + log Σ exp(x − max)"},
                          .exact = logsumexp_exact,
                          .emulate = logsumexp_emulate,
                          .magnitude = logsumexp_magnitude,
                          .expect = logsumexp_expect,
                          .bounds = logsumexp_bounds};

const Operator kCrossEntropy{.name = "cross-entropy",
                             .also = {"ce", "cross_entropy"},
                             .title = {"cross-entropy of one token", "单个 token 的交叉熵"},
                             .formula = {"log Σ exp(x − max) − (x_target − max); the target is the row's first logit",
                                         "log Σ exp(x − max) − (x_target − max)；目标为该行第一个 logit"},
                             .inputs = {{.name = "logits"}},
                             .variants = {kShifted, kByLogsumexp, kUnshifted},
                             .scale = {"|logsumexp| + |x_target|", "|logsumexp| + |x_target|"},
                             .exact = cross_entropy_exact,
                             .emulate = cross_entropy_emulate,
                             .magnitude = cross_entropy_magnitude,
                             .expect = cross_entropy_expect,
                             .bounds = cross_entropy_bounds};

}  // namespace assay
