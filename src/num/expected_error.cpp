// The expected error of a sum: what a rounding does on average, added up over the tree of the additions.
//
// One rounding. Let a number be a multiple of h and be rounded to multiples of q = m·h (both powers of two, h < q). If
// its residue j·h, 0 <= j < m, is equally likely to be any, then with ties to even
//     mean 0,               variance (q² + 2h²) / 12,
// toward zero
//     mean −sign·(q − h)/2, variance (q² − h²) / 12,
// and stochastically  mean 0, variance (q² − h²) / 6. With h -> 0 these are the well-known q²/12 and q²/6. The finite h
// matters: sums of two numbers of one format drop one bit (m = 2) at first, and then the variance is q²/8. Where h >= q
// the result is exact. Nothing is assumed of the distribution of significands: q is that of the actual number, so the
// mean over a log-uniform significand is the literature's c²u²s² with c = 0.4247 (0.1803 = the mean of q²/12 over it).
//
// A sum. Errors of different additions are taken as independent: variances are added over the tree (Higham and Mary
// 2019 justify this; the exact partial sums take the place of their bound). The partial sums are exact ones, shifted by
// the mean of the errors until there: without that shift a truncating accumulator would seem to grow faster than it
// does.
//
// A small term. In a long sequential sum the partial sum is a multiple of q already, so the addition rounds the *term*
// to multiples of q: its error is R_q(t) − t whatever the sum is. Mean and variance of that are taken over a sample of
// the terms, those that are multiples of q themselves among them. A tie (|t| = q/2) goes back to the sum where that is
// even and doubles where it is odd. After a tie the sum is even, else it is odd half the time, so with a share p of
// ties the sum is odd at (1 − p)/2 of them, and the mean error of a tie is −p·t: in a sum of ones in BF16 all of each
// one is lost from 256 on. This is stagnation: where |t| < q/2, R_q(t) = 0 and all of the term is lost.
//
// Where it fails: errors that are not independent (constant or repeated terms, integers, terms in sorted order that the
// sample mixes); partial sums near zero compared with their errors; fewer than about 30 additions, where the mean
// square of few errors scatters; overflow.

#include "num/expected_error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "num/double_bits.h"
#include "num/format.h"

namespace assay {

namespace {

constexpr double kMissProbability = 1e-3;
constexpr double kMeant = 2;  // standard errors from which on a mean is one

bool to_nearest(Rounding rounding) { return rounding == Rounding::kNearestEven || rounding == Rounding::kNearestAway; }

// Error in spacings, and its square, of a term of so many spacings. Ties of roundings to nearest: left to the caller.
struct TermError {
  double error = 0;
  double square = 0;
};

TermError error_of_term(double quanta, Rounding rounding) {
  const double below = std::floor(quanta);
  const double rest = quanta - below;
  const double up = rest == 0 ? 0 : 1 - rest;
  switch (rounding) {
    case Rounding::kNearestEven:
    case Rounding::kNearestAway: {
      const double error = rest < up ? -rest : up;
      return {error, error * error};
    }
    case Rounding::kUp: return {up, up * up};
    case Rounding::kDown: return {-rest, rest * rest};
    case Rounding::kTowardZero: return quanta > 0 ? TermError{-rest, rest * rest} : TermError{up, up * up};
    case Rounding::kToOdd: return {0, (rest * rest + up * up) / 2};
    case Rounding::kStochastic: return {0, rest * up};
  }
  return {};
}

// What is toward zero for the sum is upward or downward for the term.
Rounding of_sum(Rounding rounding, double sum) {
  if (rounding != Rounding::kTowardZero) return rounding;
  return sum < 0 ? Rounding::kUp : Rounding::kDown;
}

class ExpectedWalk {
 public:
  using Number = ExpectedSum;

  ExpectedWalk(const SumModel& model, std::span<const double> terms, std::span<const double> grids,
               TermRounding& term_rounding)
      : model_(model), terms_(terms), grids_(grids), term_rounding_(term_rounding) {}

  Number first(std::size_t k) {
    Number sum;
    sum.value = terms_[k];
    sum.grid = grids_[k];
    close_in(model_.accumulator, sum);
    return sum;
  }

  void add_term(Number& sum, std::size_t k) {
    const double exact = sum.value + terms_[k];
    const double spacing = spacing_at(model_.accumulator, exact);
    if (sum.grid < spacing) {
      finish(model_.accumulator, sum, exact, std::min(sum.grid, grids_[k]));
    } else {
      take(sum, exact, std::max(spacing, std::min(sum.grid, grids_[k])), term_rounding_.to(spacing, exact));
    }
  }

  void add(Number& sum, Number&& other) {
    const NumberFormat& format = model_.joined();
    const double exact = sum.value + other.value;
    const double spacing = spacing_at(format, exact);
    const bool second = std::abs(other.value) <= std::abs(sum.value);
    const double small = second ? other.value : sum.value;
    const double large_grid = second ? sum.grid : other.grid;
    sum.error += other.error;
    sum.peak = std::max(sum.peak, other.peak);
    if (large_grid < spacing || std::abs(small) >= spacing) {
      return finish(format, sum, exact, std::min(sum.grid, other.grid));
    }
    // A part of less than a spacing: what becomes of it is no chance.
    const TermError one = error_of_term(small / spacing, of_sum(model_.rules.rounding, exact));
    const double mean = to_nearest(model_.rules.rounding) && one.square == 0.25 ? 0 : one.error;
    take(sum, exact, spacing, {mean * spacing, (one.square - mean * mean) * spacing * spacing});
  }

  void close(Number& sum) {
    if (model_.partials) close_in(*model_.partials, sum);
  }

 private:
  void close_in(const NumberFormat& format, Number& sum) { finish(format, sum, sum.value, sum.grid); }

  void finish(const NumberFormat& format, Number& sum, double exact, double grid) {
    const double spacing = spacing_at(format, exact);
    const Moments error = rounding_moments(model_.rules.rounding, spacing, grid, exact);
    take(sum, exact, std::max(spacing, grid), error);
  }

  void take(Number& sum, double exact, double grid, const Moments& error) {
    sum.value = exact + error.mean;
    sum.grid = grid;
    sum.error += error;
    sum.peak = std::max(sum.peak, std::abs(exact));
  }

  const SumModel& model_;
  std::span<const double> terms_;
  std::span<const double> grids_;
  TermRounding& term_rounding_;
};

// Unit roundoffs on the worst path of a term, and their squares.
struct Units {
  double sum = 0;
  double squares = 0;
};

class UnitsWalker {
 public:
  using Number = Units;

  explicit UnitsWalker(const SumModel& model)
      : term_(unit(model, model.accumulator)),
        part_(unit(model, model.partials.value_or(model.accumulator))),
        join_(unit(model, model.joined())),
        closes_(model.partials.has_value()) {}

  Units first(std::size_t /*term*/) const { return {}; }
  void add_term(Units& sum, std::size_t /*term*/) const { pass(sum, term_); }
  void add(Units& sum, Units&& other) const {
    sum = {std::max(sum.sum, other.sum), std::max(sum.squares, other.squares)};
    pass(sum, join_);
  }
  void close(Units& sum) const {
    if (closes_) pass(sum, part_);
  }
  double largest() const { return std::max({term_, part_, join_}); }

 private:
  static double unit(const SumModel& model, const NumberFormat& format) {
    return unit_roundoff(format) * (to_nearest(model.rules.rounding) ? 1 : 2);
  }
  static void pass(Units& sum, double unit) {
    sum.sum += unit;
    sum.squares += unit * unit;
  }

  double term_;
  double part_;
  double join_;
  bool closes_;
};
}  // namespace

double spacing_at(const NumberFormat& format, double value) {
  const double size = std::abs(value);
  if (size >= std::numeric_limits<double>::min() && size <= std::numeric_limits<double>::max()) {
    const int quantum = quantum_exponent(format, exponent_of(value));
    return quantum >= std::numeric_limits<double>::min_exponent - 1 ? power_of_two(quantum) : std::ldexp(1.0, quantum);
  }
  const bool ordinary = size > 0 && std::isfinite(size);
  return std::ldexp(1.0, quantum_exponent(format, ordinary ? std::ilogb(value) : smallest_exponent(format)));
}

Moments rounding_moments(Rounding rounding, double spacing, double grid, double sign) {
  if (grid >= spacing) return {};
  const double q2 = spacing * spacing;
  const double h2 = grid * grid;
  const double away = sign < 0 ? -1 : sign > 0 ? 1 : 0;
  switch (rounding) {
    case Rounding::kNearestEven: return {0, (q2 + 2 * h2) / 12};
    case Rounding::kNearestAway: return {away * grid / 2, (q2 - h2) / 12};
    case Rounding::kTowardZero: return {-away * (spacing - grid) / 2, (q2 - h2) / 12};
    case Rounding::kUp: return {(spacing - grid) / 2, (q2 - h2) / 12};
    case Rounding::kDown: return {-(spacing - grid) / 2, (q2 - h2) / 12};
    case Rounding::kToOdd: return {0, (spacing - grid) * (2 * spacing - grid) / 6};
    case Rounding::kStochastic: return {0, (q2 - h2) / 6};
  }
  return {};
}

Moments rounding_moments(const NumberFormat& format, Rounding rounding, double value, double grid) {
  const double spacing = spacing_at(format, value);
  // Below the smallest number the result is 0 or that number, and the value says which.
  if (std::abs(value) < spacing && grid < spacing) {
    const TermError one = error_of_term(value / spacing, rounding);
    return {one.error * spacing, std::max(0.0, one.square - one.error * one.error) * spacing * spacing};
  }
  return rounding_moments(rounding, spacing, grid, value);
}

Moments TermRounding::measure(double spacing, Rounding rounding, bool negative) const {
  const bool nearest = to_nearest(rounding);
  double mean = 0, square = 0;
  double ties = 0, small_ties = 0;  // how many there are, and the sum of those of half a spacing
  for (const double term : sample_) {
    const double quanta = term / spacing;
    const TermError one = error_of_term(quanta, rounding);
    square += one.square;
    if (nearest && one.square == 0.25) {
      ties += 1;
      small_ties += rounding == Rounding::kNearestEven && std::abs(quanta) < 1 ? quanta : 0;
      if (rounding == Rounding::kNearestAway) mean += negative ? -0.5 : 0.5;  // away from the sum's zero
    } else {
      mean += one.error;
    }
  }
  const double count = std::max(1.0, static_cast<double>(sample_.size()));
  mean = (mean - small_ties * ties / count) / count;
  const double variance = std::max(0.0, square / count - mean * mean);
  // A mean that may be the sample's alone would be added up over all terms.
  if (std::abs(mean) < kMeant * std::sqrt(variance / count)) mean = 0;
  return {mean * spacing, variance * spacing * spacing};
}

const Moments& TermRounding::to(double spacing, double sum) {
  const bool negative = sum < 0;
  const auto [known, fresh] = known_.try_emplace({spacing, negative});
  if (fresh) known->second = measure(spacing, zero_ == Zero::kOfSum ? of_sum(rounding_, sum) : rounding_, sum < 0);
  return known->second;
}

ExpectedSum expected_sum(const SumModel& model, std::span<const double> terms, std::span<const double> grids,
                         TermRounding& term_rounding) {
  if (terms.empty()) return {};
  ExpectedWalk walker(model, terms, grids, term_rounding);
  return walk(model.order, terms.size(), walker);
}

SumBounds sum_bounds(const SumModel& model, std::size_t n, double outputs) {
  SumBounds out;
  if (n == 0) return out;
  // Certain, a term on the worst path through h additions with unit roundoffs u_i: Σu_i / (1 − Σu_i); without the
  // denominator for one format to nearest in sequence (Jeannerod and Rump 2013, Lange and Rump 2017). Probable:
  // λ·√(Σu_i²) (Higham and Mary 2019), λ = √(2 ln(2M / p)) for M outputs to hold together.
  UnitsWalker units(model);
  const Units path = walk(model.order, n, units);
  const bool plain = model.order.kind == SumOrder::Kind::kSequential && to_nearest(model.rules.rounding);
  out.certain = plain ? path.sum : path.sum < 1 ? path.sum / (1 - path.sum) : INFINITY;
  const double lambda = std::sqrt(2 * std::log(2 * std::max(outputs, 1.0) / kMissProbability));
  out.probable =
      std::min(out.certain, std::expm1(lambda * std::sqrt(path.squares) + path.squares / (1 - units.largest())));
  return out;
}

}  // namespace assay
