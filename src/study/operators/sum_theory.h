#pragma once
// What the operators that are sums, or have sums in them, share: exact sums and the expected errors of rounded ones.

#include <span>
#include <vector>

#include "study/operators/operator.h"

namespace assay {

/// Σ_k x, or Σ_k a·b, of every row. out.hi and out.lo have one number a row.
void exact_sums(const Lanes& x, ExactLanes& out);
void exact_sums(const Lanes& a, const Lanes& b, ExactLanes& out);
/// Σ_k |x| or Σ_k |a·b| of every row, as doubles add.
std::vector<double> absolute_sums(const Lanes& x);
std::vector<double> absolute_sums(const Lanes& a, const Lanes& b);

/// The numbers, rounded into the model's input format.
Lanes rounded_inputs(const OperatorModel& model, const Lanes& numbers);

/// The power of two that is the lowest bit of a number; infinite for 0, NaN and infinities.
double lowest_bit(double number);

/// What a number of this row is a multiple of: where its format's spacing is finer than all of the row's numbers are
/// (integers, say), that of the row.
class RowGrids {
 public:
  /// `numbers`: of the format.
  RowGrids(const NumberFormat& format, std::span<const double> numbers);
  double of(double number) const;

 private:
  NumberFormat format_;
  double least_;
};

/// The expected error of Σ_k x (or Σ_k a·b) in the model's sums or matrix unit, of every row; inputs not yet rounded.
/// `b` may be null. Adds to inner[row] and raises `peak`. Returns what each sum is a multiple of.
std::vector<double> expect_sums(const OperatorModel& model, const Lanes& a, const Lanes* b, std::span<Moments> inner,
                                double& peak);

/// The emulated results are numbers of that format.
void results_are_of(const NumberFormat& format, const ExactLanes& exact, ExpectedErrors& out);

/// The error of rounding a number into the input's format: data are numbers of FP32 where they have that many bits.
Moments input_rounding(const OperatorModel& model, double number);

}  // namespace assay
