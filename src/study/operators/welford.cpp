// Welford's mean and variance: emulated, and followed by theory, over the same tree.
//
//     d = x − mean,   mean += d / k,   S += d · (x − mean)            (Welford 1962)
// and two parts are merged by
//     δ = mean_b − mean_a,   mean = mean_a + δ · n_b / n,   S = S_a + S_b + δ² · n_a n_b / n    (Chan et al. 1983)
// so that any order of a sum is an order of this, too. Every operation is rounded into the accumulator's format, those
// of merging into the partials' where there is one; the product in S only where products are rounded before they are
// added.
//
// Theory follows the mean as the format keeps it on average (`mean`) and the variance around it. One step with errors a
// of d, b of the quotient, c of the addition:
//     e' = e (1 − 1/k) + a / k + b + c:
// old errors fade, as d contains them. Where the quotient is less than half the mean's spacing the mean does not move,
// and nothing fades: in BF16 with μ = 10 σ that is so after some 30 numbers. Then S is taken about a mean that is off
// by e, which adds e² for every number. S stagnates like any sum of squares.
// Where it fails: as the theory of sums does (num/expected_error.cpp).

#include <cmath>

#include "num/arithmetic.h"
#include "num/sum_order.h"
#include "study/operators/norms.h"
#include "study/operators/rounding_theory.h"

namespace assay {

namespace {

class Emulated {
 public:
  struct Number {
    double count = 0;
    std::vector<double> mean, squares;
  };

  Emulated(const OperatorModel& model, const Lanes& x, SumEvents* events)
      : x_(x),
        events_(events),
        rounds_products_(model.rounds_products),
        terms_(model.accumulator, model.rules),
        parts_(sum_format(model), model.rules),
        closes_(model.partials.has_value()) {}

  Number first(std::size_t k) {
    Number out{1, std::vector<double>(x_.rows), std::vector<double>(x_.rows)};
    terms_.round(x_.at(k), out.mean);
    return out;
  }

  void add_term(Number& sum, std::size_t k) {
    const std::size_t rows = x_.rows;
    std::vector<double> before(rows), step(rows), count(rows, ++sum.count);
    terms_.round(count, count);
    terms_.subtract(x_.at(k), sum.mean, before);
    terms_.divide(before, count, step);
    terms_.add(sum.mean, step, sum.mean);
    terms_.subtract(x_.at(k), sum.mean, step);
    if (rounds_products_) {
      terms_.multiply(before, step, step);
    } else {
      for (std::size_t row = 0; row < rows; ++row) step[row] *= before[row];
    }
    add_square(sum.squares, step);
  }

  void add(Number& sum, Number&& other) {
    const std::size_t rows = x_.rows;
    const double all = sum.count + other.count;
    std::vector<double> apart(rows), part(rows), share(rows, other.count / all);
    std::vector<double> weight(rows, sum.count * other.count / all);
    parts_.round(share, share);
    parts_.round(weight, weight);
    parts_.subtract(other.mean, sum.mean, apart);
    parts_.multiply(apart, share, part);
    parts_.add(sum.mean, part, sum.mean);
    parts_.multiply(apart, apart, part);
    parts_.multiply(part, weight, part);
    parts_.add(sum.squares, other.squares, sum.squares);
    parts_.add(sum.squares, part, sum.squares);
    sum.count = all;
  }

  void close(Number& sum) {
    if (!closes_) return;
    parts_.round(sum.mean, sum.mean);
    parts_.round(sum.squares, sum.squares);
  }

  Arithmetic& parts() { return parts_; }

 private:
  // squares + term
  void add_square(std::vector<double>& squares, const std::vector<double>& term) {
    const std::vector<double> old = events_ == nullptr ? std::vector<double>() : squares;
    terms_.add(squares, term, squares);
    if (events_ == nullptr) return;
    events_->additions += squares.size();
    for (std::size_t row = 0; row < old.size(); ++row) {
      events_->swallowed += squares[row] == old[row] && term[row] != 0 ? 1 : 0;
    }
  }

  const Lanes& x_;
  SumEvents* events_;
  bool rounds_products_;
  Arithmetic terms_, parts_;
  bool closes_;
};

class Expected {
 public:
  struct Number {
    double count = 0;
    double mean = 0, squares = 0;         // as the format keeps them, on average
    double mean_var = 0, square_var = 0;  // variances around that
  };

  Expected(const OperatorModel& model, const std::vector<double>& x) : model_(model), x_(x), part_(sum_format(model)) {}

  Number first(std::size_t k) const {
    Number out;
    out.count = 1;
    const Moments error = rounding_of(model_, model_.accumulator, x_[k], spacing_at(model_.input, x_[k]));
    out.mean = x_[k] + error.mean;
    out.mean_var = error.variance;
    return out;
  }

  void add_term(Number& sum, std::size_t k) const {
    const NumberFormat& format = model_.accumulator;
    const double count = ++sum.count;
    const double kept_count = round_to(format, real(count), model_.rules).value;
    const double before = x_[k] - sum.mean;
    const double grid = std::min(spacing_at(model_.input, x_[k]), spacing_at(format, sum.mean));
    const Moments difference = rounding_of(model_, format, before, grid);
    const double step = (before + difference.mean) / kept_count;
    const Moments quotient = rounding_of(model_, format, step);
    const double spacing = spacing_at(format, sum.mean + step);
    const Moments added = adding_of(model_, step + quotient.mean, spacing, sum.mean);
    const bool moves = std::abs(step) >= spacing / 2;
    sum.mean += step + quotient.mean + added.mean;
    sum.mean_var = added.variance + (moves ? sum.mean_var * (1 - 1 / count) * (1 - 1 / count) +
                                                 difference.variance / (count * count) + quotient.variance
                                           : sum.mean_var);
    const double after = x_[k] - sum.mean;
    const Moments again = rounding_of(model_, format, after, std::min(grid, spacing_at(format, sum.mean)));
    add_square(sum, before + difference.mean, after + again.mean, difference.variance, again.variance);
  }

  void add(Number& sum, Number&& other) const {
    const double all = sum.count + other.count;
    const double share = other.count / all;
    const double kept_share = kept(share);
    const double apart = other.mean - sum.mean;
    const double both_var = sum.mean_var + other.mean_var;
    const Moments difference = rounding_of(model_, part_, apart);
    const double weight = kept(sum.count * other.count / all);
    sum.squares += other.squares;
    sum.square_var += other.square_var;
    sum_up(sum.squares, sum.square_var, 0, rounding_of(model_, part_, sum.squares));
    const double square = apart * apart;
    const double apart_var = both_var + difference.variance;
    sum.square_var +=
        4 * square * weight * weight * apart_var + scaled(rounding_of(model_, part_, square), weight).variance;
    sum_up(sum.squares, sum.square_var, weight * (square + apart_var), rounding_of(model_, part_, weight * square));
    sum_up(sum.squares, sum.square_var, 0, rounding_of(model_, part_, sum.squares));
    const double step = apart * kept_share;
    sum.mean_var =
        sum.mean_var * (1 - share) * (1 - share) + other.mean_var * share * share + scaled(difference, share).variance;
    sum_up(sum.mean, sum.mean_var, step, rounding_of(model_, part_, step));
    sum_up(sum.mean, sum.mean_var, 0, rounding_of(model_, part_, sum.mean));
    sum.count = all;
  }

  void close(Number& sum) const {
    if (!model_.partials) return;
    sum_up(sum.mean, sum.mean_var, 0, rounding_of(model_, part_, sum.mean, spacing_at(model_.accumulator, sum.mean)));
    sum_up(sum.squares, sum.square_var, 0,
           rounding_of(model_, part_, sum.squares, spacing_at(model_.accumulator, sum.squares)));
  }

 private:
  double kept(double value) const { return round_to(part_, real(value), model_.rules).value; }

  static void sum_up(double& value, double& variance, double addend, const Moments& error) {
    value += addend + error.mean;
    variance += error.variance;
  }

  void add_square(Number& sum, double before, double after, double before_var, double after_var) const {
    const NumberFormat& format = model_.accumulator;
    double product = before * after;
    sum.square_var += before_var * after * after + after_var * before * before;
    sum.square_var += 4 * product * sum.mean_var;
    if (model_.rounds_products) {
      const Moments rounding = rounding_of(model_, format, product);
      product += rounding.mean;
      sum.square_var += rounding.variance;
    }
    const double exact = sum.squares + product;
    sum_up(sum.squares, sum.square_var, product + sum.mean_var,
           adding_of(model_, product, spacing_at(format, exact), exact));
  }

  const OperatorModel& model_;
  const std::vector<double>& x_;
  const NumberFormat& part_;
};

}  // namespace

RowStatistics welford(const OperatorModel& model, const Lanes& x, SumEvents* events) {
  Emulated walker(model, x, events);
  Emulated::Number all = walk(model.order, x.length, walker);
  std::vector<double> count(x.rows, static_cast<double>(x.length));
  walker.parts().round(count, count);
  walker.parts().divide(all.squares, count, all.squares);
  return {std::move(all.mean), std::move(all.squares)};
}

ExpectedStatistics expect_welford(const OperatorModel& model, const std::vector<double>& x) {
  Expected walker(model, x);
  const Expected::Number all = walk(model.order, x.size(), walker);
  const auto n = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  for (const double number : x) mean += number / n;
  for (const double number : x) squares += (number - mean) * (number - mean);
  const NumberFormat& format = sum_format(model);
  const double kept_count = round_to(format, real(n), model.rules).value;
  const double variance = all.squares / kept_count;
  ExpectedStatistics out{{all.mean - mean, all.mean_var},
                         {variance - squares / n, all.square_var / (kept_count * kept_count)}};
  out.variance += rounding_of(model, format, variance);
  return out;
}

}  // namespace assay
