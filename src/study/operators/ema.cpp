// Exponential moving average of a row: m ← β m + (1 − β) x, beginning with the row's first number, as averages of
// weights do.
//
// β and 1 − β are what the arithmetic's format makes of them: BF16 has no number between 0.99609 and 1, so β = 0.999 is
// 1, 1 − β is 0, and the average stays at its first value. With coefficients in FP32 and the state in 16 bits it stands
// still where (1 − β)|x − m| is less than half the spacing at m. Two orders of the update: `products`, β·m + (1 − β)·x,
// and `lerp`, m + (1 − β)·(x − m); the state is rounded into the accumulator's format after each step.
//
// Theory. What the rounded coefficients β̂ and ŵ alone change is known from the row. Let e be the error of the state
// beside that, s(m, x) the computed step and δ(m, x) = s(m, x) − β̂ m − ŵ x what it does wrong. Then, exactly, e ← β̂ e
// + δ. Mean and variance of δ depend on where the state is and on the next x; they are taken over a sample of the data,
// with states from a stretch of 1/64 of a binade around the expected one, by doing that step. This holds for every
// format, rounding and regime: rounding errors and lost updates are all in δ. The expected state follows E s. Around it
// the state scatters by û ← (β̂ + δ') û + (s − E s), and δ depends on that, too: e ← β̂ e + δ' û + (δ − E δ). The
// covariances of (e, û) are followed to the end; moments of δ are averaged over û, taken as normal, and δ' is the slope
// of E δ over it (Stein: E[δ û] / var û). Where it fails: data whose numbers depend on their place in the row (a
// trend); β below about 0.8, where a few numbers make both the average and its error, and rows with small ones have
// small errors (theory is up to twice too large); β·m in a 16-bit format with 1 − β of a few spacings, where each step
// moves the state by one spacing, by two or by none, always the same while the state is near one number (up to 1.7
// times too small).

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "num/double_double.h"
#include "num/format.h"
#include "study/operators/normal_places.h"
#include "study/operators/operators.h"
#include "study/operators/sum_theory.h"

namespace assay {

namespace {

constexpr std::string_view kProducts = "products";
constexpr std::string_view kLerp = "lerp";

constexpr std::size_t kSample = 256;  // steps that are done for the moments of one
constexpr int kStretches = 64;        // of a binade

double beta_of(const OperatorCall& call) { return call.parameters[0]; }

// --- the step --------------------------------------------------------------------------------------------------------

class EmaStep {
 public:
  EmaStep(const OperatorModel& model, double beta, bool as_products)
      : compute_(model.compute, model.rules), state_(model.accumulator, model.rules), as_products_(as_products) {
    std::vector<double> coefficients = {beta, 0};
    compute_.round(coefficients, coefficients);
    beta_ = coefficients[0];
    const std::vector<double> one = {1, 1};
    compute_.subtract(one, coefficients, coefficients);
    rest_ = coefficients[0];
  }

  /// β and 1 − β as they are used.
  double beta() const { return beta_; }
  double rest() const { return rest_; }

  void begin(std::span<const double> x, std::span<double> state) { state_.round(x, state); }

  void operator()(std::span<double> state, std::span<const double> x) {
    const std::vector<double> beta(state.size(), beta_);
    const std::vector<double> rest(state.size(), rest_);
    part_.resize(state.size());
    given_.resize(state.size());
    compute_.round(x, given_);
    compute_.round(state, state);
    if (as_products_) {
      compute_.multiply(rest, given_, part_);
      compute_.multiply(beta, state, state);
    } else {
      compute_.subtract(given_, state, part_);
      compute_.multiply(rest, part_, part_);
    }
    compute_.add(state, part_, state);
    state_.round(state, state);
  }

 private:
  Arithmetic compute_, state_;
  bool as_products_;
  double beta_ = 0, rest_ = 0;
  std::vector<double> part_, given_;
};

void ema_emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  const Lanes& x = call.inputs[0];
  EmaStep step(call.model, beta_of(call), call.variant == kProducts);
  step.begin(x.at(0), out.values);
  std::vector<double> before;
  for (std::size_t k = 1; k < x.length; ++k) {
    if (events != nullptr) before = out.values;
    step(out.values, x.at(k));
    if (events == nullptr) continue;
    events->additions += x.rows;
    for (std::size_t row = 0; row < x.rows; ++row) {
      events->swallowed += out.values[row] == before[row] && x.at(k)[row] != before[row] ? 1 : 0;
    }
  }
}

// --- exactly ---------------------------------------------------------------------------------------------------------

void ema_exact(const OperatorCall& call, ExactLanes& out) {
  const Lanes& x = call.inputs[0];
  const DoubleDouble beta(beta_of(call));
  const DoubleDouble rest = two_sum(1, -beta.hi);
  std::copy(x.at(0).begin(), x.at(0).end(), out.hi.values.begin());
  for (std::size_t k = 1; k < x.length; ++k) {
    for (std::size_t row = 0; row < x.rows; ++row) {
      double& hi = out.hi.values[row];
      double& lo = out.lo.values[row];
      const DoubleDouble next = beta * DoubleDouble(hi, lo) + rest * DoubleDouble(x.at(k)[row]);
      hi = next.hi;
      lo = next.lo;
    }
  }
}

void ema_magnitude(const OperatorCall& call, const ExactLanes& /*exact*/, Lanes& out) {
  const Lanes& x = call.inputs[0];
  const double beta = beta_of(call);
  for (std::size_t row = 0; row < x.rows; ++row) out.values[row] = std::abs(x.at(0)[row]);
  for (std::size_t k = 1; k < x.length; ++k) {
    for (std::size_t row = 0; row < x.rows; ++row) {
      out.values[row] = beta * out.values[row] + (1 - beta) * std::abs(x.at(k)[row]);
    }
  }
}

// --- theory ----------------------------------------------------------------------------------------------------------

// Of one step from around a state.
struct StepMoments {
  double error = 0;  // E δ
  double error_variance = 0, state_variance = 0, covariance = 0;
  double bend = 0;  // dE δ / dm
  double lost = 0;  // probability that the state stays though it should not
};

class EmaTheory {
 public:
  EmaTheory(const OperatorCall& call, const Lanes& x)
      : least_(smallest_exponent(call.model.accumulator)),
        state_(call.model.accumulator, call.model.rules),
        step_(call.model, beta_of(call), call.variant == kProducts) {
    // Evenly through the sorted data; the order in which they meet the states has no pattern.
    std::vector<double> sorted = x.values;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < kSample; ++i) {
      const std::size_t place = i * kStride % kSample;
      x_.push_back(sorted[(2 * place + 1) * sorted.size() / (2 * kSample)]);
    }
    for (const double one : x_) mean_ += one / static_cast<double>(kSample);
  }

  const EmaStep& step() const { return step_; }
  double mean() const { return mean_; }

  // Averaged over states that scatter around the expected one with that variance.
  StepMoments over(double state, double variance, std::size_t number) {
    const double deviation = std::sqrt(variance);
    StepMoments out;
    double squares = 0;
    for (const double place : places_of_step(number)) {
      const StepMoments& one = around(state + place * deviation);
      out.error += one.error / kPlaces;
      out.error_variance += one.error_variance / kPlaces;
      out.state_variance += one.state_variance / kPlaces;
      out.covariance += one.covariance / kPlaces;
      out.lost += one.lost / kPlaces;
      out.bend += place * one.error;
      squares += place * place;
    }
    out.bend = deviation > 0 ? out.bend / (squares * deviation) : 0;
    return out;
  }

 private:
  const StepMoments& around(double state) {
    const auto [found, fresh] = known_.try_emplace(stretch_of(state));
    if (fresh) found->second = take(found->first);
    return found->second;
  }

  static constexpr std::size_t kStride = 99;  // near the golden section of 256, no common factor with it

  // Stretches of the positive numbers are 1, 2, 3 …, those of negative ones their negatives.
  int stretch_of(double state) const {
    if (!std::isfinite(state)) return 1;  // beyond the format: nothing is expected of it
    const double size = std::max(std::abs(state), std::ldexp(1.0, least_));
    const int exponent = std::ilogb(size);
    const int place = static_cast<int>((std::ldexp(size, -exponent) - 1) * kStretches);
    const int stretch = (exponent - least_) * kStretches + place + 1;
    return state < 0 ? -stretch : stretch;
  }

  StepMoments take(int stretch) {
    const int place = std::abs(stretch) - 1;
    const double unit = std::ldexp(stretch < 0 ? -1.0 : 1.0, place / kStretches + least_);
    std::vector<double> before(kSample);
    for (std::size_t i = 0; i < kSample; ++i) {
      const double within = (static_cast<double>(i) + 0.5) / kSample;
      before[i] = unit * (1 + (place % kStretches + within) / kStretches);
    }
    state_.round(before, before);
    std::vector<double> after = before;
    step_(after, x_);
    return moments_of(before, after);
  }

  StepMoments moments_of(const std::vector<double>& before, const std::vector<double>& after) const {
    StepMoments out;
    constexpr double kCount = kSample;
    double moved = 0;
    for (std::size_t i = 0; i < kSample; ++i) {
      out.error += (after[i] - step_.beta() * before[i] - step_.rest() * x_[i]) / kCount;
      moved += (after[i] - before[i]) / kCount;
    }
    for (std::size_t i = 0; i < kSample; ++i) {
      const double error = after[i] - step_.beta() * before[i] - step_.rest() * x_[i] - out.error;
      const double move = after[i] - before[i] - moved;
      out.error_variance += error * error / kCount;
      out.state_variance += move * move / kCount;
      out.covariance += error * move / kCount;
      out.lost += after[i] == before[i] && x_[i] != before[i] ? 1 / kCount : 0;
    }
    return out;
  }

  int least_;
  double mean_ = 0;
  Arithmetic state_;
  EmaStep step_;
  std::vector<double> x_;
  std::unordered_map<int, StepMoments> known_;
};

// What wrong coefficients alone make of the average of that row.
double coefficient_error(const EmaStep& step, double beta, const Lanes& x, std::size_t row) {
  double right = x.at(0)[row], wrong = right;
  for (std::size_t k = 1; k < x.length; ++k) {
    right = beta * right + (1 - beta) * x.at(k)[row];
    wrong = step.beta() * wrong + step.rest() * x.at(k)[row];
  }
  return wrong - right;
}

// The error of the state after all steps, the state where it is expected, and how many steps change nothing.
Moments expect_row(EmaTheory& theory, const OperatorModel& model, double first, std::size_t length, double& state,
                   double& lost) {
  const double beta = theory.step().beta();
  const double rest = theory.step().rest();
  const Moments start =
      rounding_moments(model.accumulator, model.rules.rounding, first, spacing_at(model.input, first));
  Moments error = start;
  state = first + start.mean;
  double scatter = start.variance;  // of û
  double both = start.variance;     // covariance of e and û
  for (std::size_t k = 1; k < length; ++k) {
    const StepMoments step = theory.over(state, scatter, k);
    const double kept = beta + step.bend;
    const double old = error.variance;
    error.variance =
        beta * beta * old + 2 * beta * step.bend * both + step.bend * step.bend * scatter + step.error_variance;
    both = beta * kept * both + step.bend * kept * scatter + step.covariance;
    scatter = kept * kept * scatter + step.state_variance;
    error.mean = beta * error.mean + step.error;
    lost += step.lost;
    state = beta * state + rest * theory.mean() + step.error;
  }
  error.variance = std::max(0.0, error.variance);
  return error;
}

void ema_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  const Lanes& x = call.inputs[0];
  const double beta = beta_of(call);
  double weight = 1;  // of what comes after x
  for (std::size_t k = x.length; k-- > 0;) {
    const double share = k == 0 ? weight : weight * (1 - beta);
    for (std::size_t row = 0; row < x.rows; ++row) {
      const Moments one = input_rounding(call.model, x.at(k)[row]);
      out.input[row] += {one.mean * share, one.variance * share * share};
    }
    weight *= beta;
  }
  out.updates = static_cast<double>(x.rows * (x.length - 1));
  const Lanes used = rounded_inputs(call.model, x);
  EmaTheory theory(call, used);
  out.grid.resize(x.rows);
  for (std::size_t row = 0; row < x.rows; ++row) {
    double state = 0;
    out.inner[row] = expect_row(theory, call.model, used.at(0)[row], x.length, state, out.swallowed);
    out.inner[row].mean += coefficient_error(theory.step(), beta, used, row);
    const double expected = exact.hi.values[row] + out.input[row].mean + out.inner[row].mean;
    const double size = std::max({std::abs(exact.hi.values[row]), std::abs(expected), std::abs(state)});
    out.grid[row] = spacing_at(call.model.accumulator, size);
  }
}

}  // namespace

const Operator kEma{.name = "ema",
                    .title = {"moving average", "指数滑动平均"},
                    .formula = {"m ← β m + (1 − β) x over the row; the first x is where it begins",
                                "沿行 m ← β m + (1 − β) x，从第一个 x 开始"},
                    .inputs = {{.name = "x"}},
                    .parameters = {{"beta", 0.999, 0, 1, {"how much of the average is kept", "保留的比例"}}},
                    .variants = {kProducts, kLerp},
                    .scale = {"the average of |x|", "|x| 的滑动平均"},
                    .sums = false,
                    .updates = true,
                    .exact = ema_exact,
                    .emulate = ema_emulate,
                    .magnitude = ema_magnitude,
                    .expect = ema_expect};

}  // namespace assay
