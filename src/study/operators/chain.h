#pragma once
// Formulas of operations on numbers each by itself, written once and worked out twice: as a format computes them, and
// as theory follows their errors. Essay: chain.cpp.

#include <span>
#include <vector>

#include "study/operators/operator.h"

namespace assay {

/// A function as both need it.
struct ChainFunction {
  double (*value)(double);
  double (*slope)(double);
  double below, above;  // what it approaches on either side; 0 and infinities do not matter
};

// An algebra has a Number and these operations, each with one rounding:
//   add(a, b)  multiply(a, b)  divide(a, b)  reciprocal(a)  plus(a, constant)  times(a, constant)  apply(function, a)
// Constants are rounded into the format first.

/// Arrays in a format.
class RoundedChain {
 public:
  using Number = std::vector<double>;

  explicit RoundedChain(const OperatorModel& model) : model_(model), arithmetic_(model.compute, model.rules) {}

  /// Numbers of the input's format, rounded into that of the operations.
  Number take(std::span<const double> numbers);
  Number add(const Number& a, const Number& b);
  Number multiply(const Number& a, const Number& b);
  Number divide(const Number& a, const Number& b);
  Number reciprocal(const Number& a);
  Number plus(const Number& a, double constant);
  Number times(const Number& a, double constant);
  Number apply(const ChainFunction& function, const Number& a);

 private:
  const OperatorModel& model_;
  Arithmetic arithmetic_;
};

/// A number as theory follows it.
struct ExpectedNumber {
  double value = 0;  // in exact arithmetic
  double grid = 0;   // what is computed is a multiple of this (0: not known)
  Moments error;     // of what is computed
};

/// Expected errors, of one number.
class ExpectedChain {
 public:
  using Number = ExpectedNumber;

  explicit ExpectedChain(const OperatorModel& model) : model_(model) {}

  /// A number of the input's format.
  Number take(double number);
  Number add(const Number& a, const Number& b);
  Number multiply(const Number& a, const Number& b);
  Number divide(const Number& a, const Number& b);
  Number reciprocal(const Number& a);
  Number plus(const Number& a, double constant);
  Number times(const Number& a, double constant);
  Number apply(const ChainFunction& function, const Number& a);

  /// Largest magnitude on the way.
  double peak() const { return peak_; }

 private:
  Number constant(double value) const;
  Number rounded(double value, double grid, Moments error);

  const OperatorModel& model_;
  double peak_ = 0;
};

/// The rounding of an input, as it goes through a function with that slope there.
Moments through(const Moments& error, double slope);

/// An operator whose results are a formula of one input each: `Formula` is called with (chain, number, variant).
template <class Formula>
void emulate_chain(const OperatorCall& call, Formula formula, Lanes& out);
template <class Formula>
void expect_chain(const OperatorCall& call, Formula formula, const ExactLanes& exact, ExpectedErrors& out);

}  // namespace assay

#include "study/operators/chain_runs.h"
