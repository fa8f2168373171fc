// The expected error of a chain of roundings.
//
// Each operation adds the error of its own rounding (num/expected_error.cpp: of a multiple of a grid, to the spacing of
// the format at the number's place) to those of its operands, which it passes on by its derivative:
//
//     a + b: δa + δb      a·b: a δb + b δa      a/b: (δa − (a/b) δb) / b      f(a): f'(a) δa
//
// Means add up, and so do variances, as errors of different roundings are taken as independent. A constant is known, so
// its rounding is: 0.044715 in BF16 is 0.0446777, and that is a mean, not a variance. The grid decides what rounds at
// all: 0.5·x and 1 + erf(x) near −1 are exact, and theory says so.
//
// A function that approaches a limit (erf, tanh) is the limit where it is nearer to it than half a spacing: there the
// error is known, too, and is no rounding of a number of which nothing is known.
//
// Source: first-order error analysis (Higham, Accuracy and Stability of Numerical Algorithms, 2002, §3.1), with moments
// in the place of bounds.
// Where it fails: errors that are not small against the number where a function bends (below about 3 bits); results in
// the range of subnormal numbers that are flushed; overflow inside, which `peak` tells.

#include "study/operators/chain.h"

#include <algorithm>
#include <cmath>

#include "num/real.h"
#include "study/operators/sum_theory.h"

namespace assay {

namespace {

double rounded_constant(const OperatorModel& model, double value) {
  RoundingRules rules = model.rules;
  if (rules.rounding == Rounding::kStochastic) rules.rounding = Rounding::kNearestEven;  // constants are made once
  return round_to(model.compute, real(value), rules).value;
}

}  // namespace

RoundedChain::Number RoundedChain::take(std::span<const double> numbers) {
  Number out(numbers.size());
  arithmetic_.round(numbers, out);
  return out;
}

RoundedChain::Number RoundedChain::add(const Number& a, const Number& b) {
  Number out(a.size());
  arithmetic_.add(a, b, out);
  return out;
}

RoundedChain::Number RoundedChain::multiply(const Number& a, const Number& b) {
  Number out(a.size());
  arithmetic_.multiply(a, b, out);
  return out;
}

RoundedChain::Number RoundedChain::divide(const Number& a, const Number& b) {
  Number out(a.size());
  arithmetic_.divide(a, b, out);
  return out;
}

RoundedChain::Number RoundedChain::reciprocal(const Number& a) { return divide(Number(a.size(), 1), a); }

RoundedChain::Number RoundedChain::plus(const Number& a, double constant) {
  return add(a, Number(a.size(), rounded_constant(model_, constant)));
}

RoundedChain::Number RoundedChain::times(const Number& a, double constant) {
  return multiply(a, Number(a.size(), rounded_constant(model_, constant)));
}

RoundedChain::Number RoundedChain::apply(const ChainFunction& function, const Number& a) {
  Number out(a.size());
  arithmetic_.apply(function.value, a, out);
  return out;
}

Moments through(const Moments& error, double slope) { return {error.mean * slope, error.variance * slope * slope}; }

ExpectedNumber ExpectedChain::rounded(double value, double grid, Moments error) {
  const double there = value + error.mean;
  const double spacing = spacing_at(model_.compute, there);
  error += rounding_moments(model_.rules.rounding, spacing, grid, there);
  peak_ = std::max(peak_, std::abs(value));
  return {value, std::max(grid, spacing), error};
}

ExpectedNumber ExpectedChain::constant(double value) const {
  const double used = rounded_constant(model_, value);
  return {value, lowest_bit(used), {used - value, 0}};
}

ExpectedNumber ExpectedChain::take(double number) { return rounded(number, spacing_at(model_.input, number), {}); }

ExpectedNumber ExpectedChain::add(const Number& a, const Number& b) {
  Moments error = a.error;
  error += b.error;
  return rounded(a.value + b.value, std::min(a.grid, b.grid), error);
}

ExpectedNumber ExpectedChain::multiply(const Number& a, const Number& b) {
  Moments error = through(a.error, b.value);
  error += through(b.error, a.value);
  return rounded(a.value * b.value, a.grid * b.grid, error);
}

ExpectedNumber ExpectedChain::divide(const Number& a, const Number& b) {
  const double value = a.value / b.value;
  Moments error = through(a.error, 1 / b.value);
  error += through(b.error, -value / b.value);
  return rounded(value, 0, error);
}

ExpectedNumber ExpectedChain::reciprocal(const Number& a) { return divide({1, 1, {}}, a); }

ExpectedNumber ExpectedChain::plus(const Number& a, double value) { return add(a, constant(value)); }

ExpectedNumber ExpectedChain::times(const Number& a, double value) { return multiply(a, constant(value)); }

ExpectedNumber ExpectedChain::apply(const ChainFunction& function, const Number& a) {
  const double value = function.value(a.value);
  const Moments error = through(a.error, function.slope(a.value));
  const double limit = a.value < 0 ? function.below : function.above;
  // Between the limit and the next number toward 0, which is where functions come from.
  const double spacing = spacing_at(model_.compute, std::nextafter(limit, 0.0));
  const bool nearest =
      model_.rules.rounding == Rounding::kNearestEven || model_.rules.rounding == Rounding::kNearestAway;
  if (nearest && limit != 0 && std::isfinite(limit) && std::abs(value - limit) < spacing / 2)
    return {value, lowest_bit(limit), {limit - value, 0}};
  return rounded(value, 0, error);
}

}  // namespace assay
