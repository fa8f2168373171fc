// What rounding adds to a sum across ranks, before a number is drawn.
//
// An addition with the exact result s, rounded to nearest in a format of unit roundoff u, is off by c·u·s in the root
// mean square, c = √(1 / (8 ln 2)), where the logarithm of s is evenly spread over a binade. Errors of different
// additions are independent, and each stays in the sum as it is. So the error of the sum has the variance
//
//   c²·u²·(Σ s² over all additions, + Σ x² over the numbers where they are rounded first)
//
// and what an algorithm is shows in Σ s² alone. Of numbers of both signs a partial sum of m terms has s² = m (in
// units of one number's variance), of equal ones m²; so the walk carries how many terms a sum holds:
//
//   ring of N ranks, noise:   c·u·√((N + N(N+1)/2 − 1) / N),   about c·u·√(N/2)
//   doubling, noise:          c·u·√(1 + log2 N)
//   one rounding (FP32 inside): c·u, and once more where the result is stored
//
// Gradients of ranks are mostly noise, since a batch is split as far as the noise of the gradient allows. The formula
// of equal numbers is what an all-reduce does to the part of the gradient that the ranks agree on. It holds as long as
// a term moves the sum at all: from 2^p equal terms on (p bits) a ring loses each further one. That is a bias, not an
// error that averages out, and not in these formulas.
//
// Limits. One rounding into the result's format behind the sum is not counted. Numbers of p bits added to others of the
// same size are multiples of half the result's spacing, and a tie errs more than other numbers do (s²/8 against s²/12):
// trees and small rings come out up to 9 % larger than told, rings of 64 ranks and more within 5 %, sums in FP32 within
// 1 % (tests/unit/reduce_error_test.cpp). num/expected_error follows the grids; it needs numbers for that, and a rule
// has none.

#include "sim/reduce_error.h"

#include <cmath>
#include <numbers>
#include <optional>

#include "num/format.h"
#include "num/sum_order.h"

namespace assay {

namespace {

// Mean square of one rounding, over that of the number.
double rounding(const NumberFormat& format) {
  const double u = unit_roundoff(format);
  return u * u / (8 * std::numbers::ln2);
}

// A sum of numbers of variance 1.
struct Sum {
  double terms = 0;
  double error = 0;  // its variance
};

class ErrorWalker {
 public:
  using Number = Sum;

  ErrorWalker(const SumModel& model, const NumberFormat& wire, Shards shards)
      : wire_(rounding(wire)),
        term_(rounding(model.accumulator)),
        join_(rounding(model.joined())),
        close_(model.partials && model.partials->precision < model.accumulator.precision ? rounding(*model.partials)
                                                                                         : 0),
        equal_(shards == Shards::kEqual) {}

  Number first(std::size_t /*rank*/) const { return {1, wire_}; }
  void add_term(Number& sum, std::size_t /*rank*/) const {
    sum.terms += 1;
    sum.error += wire_ + term_ * square(sum);
  }
  void add(Number& sum, Number&& other) const {
    sum.terms += other.terms;
    sum.error += other.error + join_ * square(sum);
  }
  void close(Number& sum) const { sum.error += close_ * square(sum); }

  double square(const Number& sum) const { return equal_ ? sum.terms * sum.terms : sum.terms; }

 private:
  double wire_, term_, join_, close_;
  bool equal_;
};

}  // namespace

double expected_reduce_error(const AllReduce& how, Shards shards) {
  const SumModel model = sum_model(how);
  ErrorWalker walker(model, how.wire, shards);
  const Sum sum = walk(model.order, how.collective.ranks, walker);
  return std::sqrt(sum.error / walker.square(sum));
}

double expected_running_error(const NumberFormat& format, std::size_t terms) {
  return expected_reduce_error({.collective = {.kind = Collective::Kind::kLinear, .ranks = terms}, .wire = format});
}

double order_difference(double error) { return std::numbers::sqrt2 * error; }

}  // namespace assay
