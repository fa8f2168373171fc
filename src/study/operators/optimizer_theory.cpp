// The expected error of a weight that takes optimizer updates in a narrow format.
//
// An update. Gradients are taken as independent from step to step, with the mean μ and deviation σ of the data. Adam's
// update is −lr·m̂/(√v̂ + eps) with v̂ near G = μ² + σ², so about normal with mean −lr μ/√G and deviation
//     s_t = lr·σ/√G · √A_t,   A_t = (1 − β)/(1 + β) · (1 + β^t)/(1 − β^t)
// (weight decay goes to the mean); SGD's has s_t = lr·σ·√((1 − β^2t)/(1 − β²)) with its momentum as β. Neighbouring
// updates are alike: their correlation is ρ_t = β √((1 − β^(2t−2))/(1 − β^2t)), 0.9 for Adam.
//
// What the weight's format does. The weight is a multiple of the spacing q, so the update u becomes R_q(u), u rounded
// to multiples of q, whatever the weight is: 0 if |u| < q/2 (the update is swallowed). Its error δ(u) = R_q(u) − u is a
// function of u alone. In Hermite polynomials of z = (u − mean)/s,
//     δ = s Σ_n c_n He_n(z)/√n!,   cov(δ_i, δ_j) = s_i s_j Σ_n c_n² ρ^(n|i−j|)
// (Mehler), which adds up over steps by a recursion for each n. n = 0 is a bias; all beyond kOrders is independent
// noise. n = 1 is the share of the walk that is lost (Bussgang), and how far each row walks is known: it is taken from
// there. So both ends are in it: q far below s gives q²/12 a step, q far above s gives back the whole walk as error.
// Stochastic rounding has no bias and independent noise q²·r(1 − r). The spacing is that where the weight is expected:
// between its start and the exact end, less what is lost, scattered by the walk of which the ends are known.
//
// The share of swallowed updates is P(|u| < q/2) over steps and weights; in the first steps of Adam without a mean the
// distribution of sim/swallowed_updates.h stands in the place of the normal one, as those updates are all about lr.
// Rounded gradients move the walk by their share of σ; the rounded first weight stays as it is.
//
// AdamW's decay is rounded by itself in the format of the arithmetic; that error is the same in each step, a bias.
//
// Where it fails: fewer than about ten steps (updates are not normal yet); a momentum that remembers about as many
// steps as there are (0.99 in 100 steps: up to 1.5 times off); eps that counts beside √v̂, sparse gradients (v̂ is not
// near G); gradients that are alike from step to step beyond their mean; moments kept in so narrow a format, for so
// long, that exp_avg_sq freezes. Of FP32 weights the roundings of the update itself count, too, and are not followed:
// up to half of an error of 1e-7.

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "num/format.h"
#include "sim/swallowed_updates.h"
#include "study/operators/normal_places.h"
#include "study/operators/optimizer.h"
#include "study/operators/sum_theory.h"

namespace assay {

namespace {

using Kind = OptimizerSettings::Kind;

constexpr std::size_t kOrders = 8;  // Hermite polynomials, from 0
constexpr std::size_t kZs = 512;    // places of z
constexpr double kSteady = 1e-4;    // β^t from which on steps are all alike
constexpr std::size_t kEarly = 32;  // steps until then have updates that are not normal
constexpr double kNoMean = 1e-2;    // of the mean of updates to their deviation

// What δ is made of where the spacing is q, in units of the weight.
struct Response {
  std::array<double, kOrders> parts{};  // s c_n
  double noise = 0;                     // variance of the rest
  double stays = 0;                     // probability
};

// The distribution of one step's update.
struct Update {
  double mean = 0, deviation = 0;
};

struct Gradients {
  double mean = 0, variance = 0;
  double rounding = 0;  // mean square of their rounding
};

Gradients gradients_of(const OperatorCall& call) {
  const std::vector<double>& all = call.inputs[optimizer_operator::kGradient].values;
  Gradients out;
  double squares = 0;
  for (const double one : all) {
    out.mean += one;
    squares += one * one;
    const Moments rounding = input_rounding(call.model, one);
    out.rounding += rounding.mean * rounding.mean + rounding.variance;
  }
  const auto count = static_cast<double>(all.size());
  out.mean /= count;
  out.rounding /= count;
  out.variance = std::max(0.0, squares / count - out.mean * out.mean);
  return out;
}

class UpdateTheory {
 public:
  UpdateTheory(const OperatorCall& call, const OptimizerSettings& settings)
      : set_(settings),
        stored_(optimizer_operator::updated(call)),
        arithmetic_(call.model.compute),
        gradients_(gradients_of(call)),
        beta_(settings.kind == Kind::kSgd ? settings.momentum : settings.beta1) {
    for (std::size_t t = 0; t <= call.length(); ++t) left_.push_back(std::pow(beta_, static_cast<double>(t)));
  }

  const Gradients& gradients() const { return gradients_; }
  const Stored& stored() const { return stored_; }

  /// Correlation of updates t − 1 and t, counted from 1.
  double correlation(std::size_t t) const {
    if (t < 2) return 0;
    if (beta_ == 1) return std::sqrt((static_cast<double>(t) - 1) / static_cast<double>(t));
    return beta_ * std::sqrt((1 - left_[t - 1] * left_[t - 1]) / (1 - left_[t] * left_[t]));
  }

  Update update(std::size_t t, double weight) const {
    const auto steps = static_cast<double>(t);
    const double left = left_[t];
    const double rate = set_.learning_rate;
    const double decay = set_.weight_decay * weight;
    if (set_.kind == Kind::kSgd) {
      const double sum = beta_ == 1 ? steps : (1 - left) / (1 - beta_);
      const double squares = beta_ == 1 ? steps : (1 - left * left) / (1 - beta_ * beta_);
      return {-rate * (gradients_.mean + decay) * sum, rate * std::sqrt(gradients_.variance * squares)};
    }
    const double mean = gradients_.mean + (set_.kind == Kind::kAdam ? decay : 0);
    const double root = std::sqrt(mean * mean + gradients_.variance) + set_.eps;
    const double squares = (1 - beta_) / (1 + beta_) * (1 + left) / (1 - left);
    return {-rate * mean / root - (set_.kind == Kind::kAdamW ? rate * decay : 0),
            rate * std::sqrt(gradients_.variance * squares) / root};
  }

  /// How much of a gradient's error is felt: Adam's update depends on the direction of the gradients until then alone,
  /// which is all but one of t dimensions.
  double felt(std::size_t t) const { return set_.kind == Kind::kSgd ? 1 : std::sqrt(1 - 1 / static_cast<double>(t)); }

  /// AdamW's decay is subtracted by itself, in the format of the arithmetic: what its rounding does.
  double decay_error(double weight) const {
    if (set_.kind != Kind::kAdamW || set_.weight_decay == 0 || stored_.rounding == Rounding::kStochastic) return 0;
    const double quanta = -set_.learning_rate * set_.weight_decay * weight / spacing_at(arithmetic_, weight);
    return (rounded(quanta, Rounding::kNearestEven, weight < 0) - quanta) * spacing_at(arithmetic_, weight);
  }

  const Response& response(std::size_t t, double weight) {
    const std::size_t phase = steady(t) ? 0 : t;
    const int binade = weight == 0 ? smallest_exponent(stored_.format) : std::ilogb(weight);
    const int place = 2 * std::clamp(binade, -1100, 1100) + (weight < 0 ? 1 : 0);
    const auto [found, fresh] = known_.try_emplace(static_cast<std::int64_t>(phase) * 8192 + place);
    if (fresh) {
      const double spacing = spacing_at(stored_.format, weight);
      const double middle = std::copysign(std::ldexp(1.5, binade), weight);
      found->second = respond(update(t, middle), spacing, weight < 0, t);
    }
    return found->second;
  }

 private:
  bool steady(std::size_t t) const { return t > kEarly && left_[t] < kSteady; }

  // The update in spacings, rounded; of roundings that depend on the sign, that of the weight.
  static double rounded(double quanta, Rounding rounding, bool negative) {
    switch (rounding) {
      case Rounding::kTowardZero: return negative ? std::ceil(quanta) : std::floor(quanta);
      case Rounding::kUp: return std::ceil(quanta);
      case Rounding::kDown: return std::floor(quanta);
      default: return std::nearbyint(quanta);
    }
  }

  Response respond(const Update& update, double spacing, bool negative, std::size_t t) {
    Response out;
    double whole = 0;
    const bool stochastic = stored_.rounding == Rounding::kStochastic;
    for (const double z : normal_places<kZs>()) {
      const double quanta = (update.mean + update.deviation * z) / spacing;
      if (stochastic) {
        const double rest = quanta - std::floor(quanta);
        whole += rest * (1 - rest) / kZs;
        out.stays += std::max(0.0, 1 - std::abs(quanta)) / kZs;
        continue;
      }
      const double after = rounded(quanta, stored_.rounding, negative);
      const double error = after - quanta;
      whole += error * error / kZs;
      out.stays += after == 0 ? 1.0 / kZs : 0;
      add_polynomials(z, error / kZs, out.parts);
    }
    double told = 0;
    for (double& part : out.parts) {
      told += part * part;
      part *= spacing;
    }
    out.noise = std::max(0.0, whole - told) * spacing * spacing;
    const bool nearest =
        !stochastic && rounded(0.4, stored_.rounding, negative) == rounded(-0.4, stored_.rounding, negative);
    if (set_.kind != Kind::kSgd && nearest && t <= kEarly && std::abs(update.mean) < kNoMean * update.deviation) {
      out.stays = sizes_of(t)(spacing / 2);
    }
    return out;
  }

  const UpdateSizes& sizes_of(std::size_t t) {
    UpdateSizes& known = sizes_[t];
    if (!known) known = adam_sizes(set_, t);
    return known;
  }

  // parts[n] += share · He_n(z) / √n!, by the recursion of the normalised polynomials.
  static void add_polynomials(double z, double share, std::array<double, kOrders>& parts) {
    double before = 0, now = 1;
    for (std::size_t n = 0; n < kOrders; ++n) {
      parts[n] += share * now;
      const auto order = static_cast<double>(n);
      const double next = (z * now - std::sqrt(order) * before) / std::sqrt(order + 1);
      before = now;
      now = next;
    }
  }

  OptimizerSettings set_;
  Stored stored_;
  NumberFormat arithmetic_;
  Gradients gradients_;
  double beta_;
  std::vector<double> left_;  // β^t
  std::unordered_map<std::int64_t, Response> known_;
  std::unordered_map<std::size_t, UpdateSizes> sizes_;
};

// Sums over steps of terms whose correlation falls by a factor a step: the variance of the sum, and the covariance of
// the sum with a next term of unit size.
struct CorrelatedSum {
  double variance = 0, reach = 0;
  void add(double term, double correlation) {
    reach *= correlation;
    variance += term * term + 2 * term * reach;
    reach += term;
  }
};

// The steps of all rows: correlations with the step before, and what is known of the exact walk at each.
struct Walks {
  std::vector<double> correlations;
  std::vector<double> shares;    // of the whole walk that is done, and …
  std::vector<double> scatters;  // … the variance around that of a walk whose end is known
  double of_gradients = 0;       // variance of the end by the rounding of the gradients
};

Walks walks_of(const UpdateTheory& theory, std::size_t steps) {
  Walks out;
  CorrelatedSum walk, felt;
  std::vector<double> variances;
  for (std::size_t t = 1; t <= steps; ++t) {
    const double deviation = theory.update(t, 0).deviation;
    out.correlations.push_back(theory.correlation(t));
    walk.add(deviation, out.correlations.back());
    felt.add(deviation * theory.felt(t), out.correlations.back());
    variances.push_back(walk.variance);
  }
  for (const double variance : variances) {
    const double share = walk.variance > 0 ? variance / walk.variance : 0;
    out.shares.push_back(share);
    out.scatters.push_back(variance * (1 - share));
  }
  const Gradients& gradients = theory.gradients();
  if (gradients.variance > 0) out.of_gradients = felt.variance * gradients.rounding / gradients.variance;
  return out;
}

struct RowSums {
  std::array<CorrelatedSum, kOrders> errors;
  double noise = 0, bias = 0;
  double weight = 0;  // expected, as stored
};

// `move`: what the exact weight walks in this step, beside the mean.
void take_step(UpdateTheory& theory, std::size_t t, const Walks& walks, double move, RowSums& row, double& swallowed) {
  const double scatter = std::sqrt(walks.scatters[t - 1] + row.noise);
  Response mean;
  for (const double place : places_of_step(t)) {
    const Response& one = theory.response(t, row.weight + place * scatter);
    for (std::size_t n = 0; n < kOrders; ++n) mean.parts[n] += one.parts[n] / kPlaces;
    mean.noise += one.noise / kPlaces;
    mean.stays += one.stays / kPlaces;
  }
  const Update update = theory.update(t, row.weight);
  double power = walks.correlations[t - 1];
  for (std::size_t n = 2; n < kOrders; ++n) {
    power *= walks.correlations[t - 1];
    row.errors[n].add(mean.parts[n], power);
  }
  const double lost = update.deviation > 0 ? mean.parts[1] / update.deviation * move : 0;
  const double bias = mean.parts[0] + theory.decay_error(row.weight);
  row.noise += mean.noise;
  row.bias += bias + lost;
  row.weight += update.mean + move + bias + lost;
  swallowed += mean.stays;
}

}  // namespace

void optimizer_operator::expect(const OperatorCall& call, const OptimizerSettings& settings, const ExactLanes& exact,
                                ExpectedErrors& out) {
  UpdateTheory theory(call, settings);
  const NumberFormat& kept = theory.stored().format;
  const Walks walks = walks_of(theory, call.length());
  out.updates = static_cast<double>(call.rows() * call.length());
  out.grid.resize(call.rows());
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const double weight = call.inputs[kWeight].at(0)[row];
    out.input[row] = input_rounding(call.model, weight);
    out.input[row].variance += walks.of_gradients;
    const Moments start = rounding_moments(kept, Rounding::kNearestEven, weight, spacing_at(call.model.input, weight));
    double walk = exact.hi.values[row] - weight;
    for (std::size_t t = 1; t <= call.length(); ++t) walk -= theory.update(t, weight).mean;
    RowSums sums;
    sums.weight = weight;
    double done = 0;
    for (std::size_t t = 1; t <= call.length(); ++t) {
      take_step(theory, t, walks, (walks.shares[t - 1] - done) * walk, sums, out.swallowed);
      done = walks.shares[t - 1];
    }
    out.inner[row] = {start.mean + sums.bias, start.variance + sums.noise};
    for (const CorrelatedSum& one : sums.errors) out.inner[row].variance += one.variance;
    const double end = exact.hi.values[row];
    out.grid[row] = spacing_at(kept, std::max(std::abs(end), std::abs(end + out.inner[row].mean)));
  }
}

}  // namespace assay
