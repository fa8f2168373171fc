// The share of updates that the weights' format swallows.
//
// A weight w lies between neighbours at a distance q (the quantum of its binade; half of it below a power of two). With
// rounding to nearest it stays w if |Δ| < q/2. So, the update being independent of the weight,
//   share = E over w of P(|Δ| < q(w)/2)
// and for a sum over binades of N(0, σ): P(|w| in [2^e, 2^(e+1))) · P(|Δ| < 2^(e - p)).
// Stochastically w stays with probability 1 - |Δ|/q: share = E of (1/q) ∫ P(|Δ| < x) dx over 0 < x < q. Nothing is lost
// on average then, but most single steps still change nothing. Roundings to one side lose |Δ| < q on one side.
//
// Sizes of Adam's updates, gradients independent N(0, s²): m̂ = Σ a_i g_i and v̂ = Σ b_i g_i² with weights that sum to
// 1. If the b_i were equal, (g_1 … g_n) / |g| would be a point of the unit sphere in n dimensions and
//   m̂ / √v̂ = √n |a| x,   x one coordinate of such a point: density ∝ (1 - x²)^((n - 3) / 2),
// whatever s. At step 1 that is ±1; with many steps it is normal with deviation |a| -> √((1 - β1) / (1 + β1)), 0.23 for
// β1 = 0.9. The b_i fall as β2^i; n is then what gives Σ b_i² = 1/n, which is the step itself while it is far below
// 1 / (1 - β2). eps is taken to be far below √v̂.
// It fails where gradients are not like that: with a mean (then updates tend to the learning rate itself and go through
// together or not at all), correlated from step to step, sparse, or so small that eps counts. Heavy tails make updates
// smaller, as v̂ remembers the largest.
// N(0, σ) is the weights' distribution at the start. They walk (adam_walk); σ² + walk² is a better guess later, as long
// as most updates go through.

#include "sim/swallowed_updates.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "num/format.h"

namespace assay {

namespace {

// P(|z| < x) of N(0, 1).
double normal_within(double x) { return std::erf(x / std::numbers::sqrt2); }

// P(the weight stays), of one side on which the next number is `quantum` away.
double stays(double quantum, const UpdateSizes& sizes, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestEven:
    case Rounding::kNearestAway: return sizes(quantum / 2);
    case Rounding::kStochastic: {
      constexpr int kPanels = 64;  // midpoints; sizes() is smooth or one step
      double sum = 0;
      for (int i = 0; i < kPanels; ++i) sum += sizes(quantum * (i + 0.5) / kPanels);
      return sum / kPanels;
    }
    case Rounding::kTowardZero:
    case Rounding::kUp:
    case Rounding::kDown:
    case Rounding::kToOdd: return sizes(quantum) / 2;  // the other side, or the other half of the numbers, always moves
  }
  return 0;
}

// How much likelier 0 stays: toward zero, it does on both sides.
double more_at_zero(double quantum, const UpdateSizes& sizes, Rounding rounding) {
  return rounding == Rounding::kTowardZero ? sizes(quantum) / 2 : 0;
}

double quantum_at(const NumberFormat& format, int exponent) {
  return std::ldexp(1, quantum_exponent(format, exponent));
}

// The regularised integral of cos^power from 0 on, as a table: P(|x| < sin θ) for the coordinate x of a random point of
// the unit sphere in power + 2 dimensions.
class SphereCoordinate {
 public:
  explicit SphereCoordinate(double dimensions)
      : end_(std::min(std::numbers::pi / 2, 12 / std::sqrt(dimensions))), below_(kPanels + 1) {
    const double step = end_ / kPanels;
    for (int i = 0; i < kPanels; ++i) {
      below_[static_cast<std::size_t>(i) + 1] =
          below_[static_cast<std::size_t>(i)] + std::pow(std::cos((i + 0.5) * step), dimensions - 2);
    }
    for (double& value : below_) value /= below_.back();
  }

  double within(double x) const {
    const double place = x >= 1 ? kPanels : std::min(std::asin(x) / end_ * kPanels, double{kPanels});
    const auto panel = std::min(static_cast<std::size_t>(place), below_.size() - 2);
    return std::lerp(below_[panel], below_[panel + 1], place - static_cast<double>(panel));
  }

 private:
  static constexpr int kPanels = 4096;
  double end_;
  std::vector<double> below_;
};

}  // namespace

UpdateSizes fixed_size(double size) {
  return [size](double x) { return size < x ? 1.0 : 0.0; };
}

UpdateSizes normal_sizes(double deviation) {
  return [deviation](double x) { return normal_within(x / deviation); };
}

UpdateSizes adam_sizes(const OptimizerSettings& settings, std::uint64_t step) {
  const auto t = static_cast<double>(step);
  const double beta1 = settings.beta1, beta2 = settings.beta2;
  const double left1 = std::pow(beta1, t), left2 = std::pow(beta2, t);
  const double squares = (1 - beta1) / (1 + beta1) * (1 + left1) / (1 - left1);     // Σ a_i²
  const double dimensions = (1 + beta2) / (1 - beta2) * (1 - left2) / (1 + left2);  // 1 / Σ b_i²
  if (dimensions < 1.5) return fixed_size(settings.learning_rate);
  const double largest = settings.learning_rate * std::sqrt(dimensions * squares);
  const auto coordinate = std::make_shared<const SphereCoordinate>(dimensions);
  return [coordinate, largest](double x) { return coordinate->within(x / largest); };
}

double swallowed_share(const NumberFormat& weight, double deviation, const UpdateSizes& sizes, Rounding rounding) {
  double share = 0;
  const int top = std::ilogb(deviation) + 5;  // 32 standard deviations
  const int bottom = std::max(smallest_exponent(weight), top - 60);
  for (int exponent = bottom; exponent <= top; ++exponent) {
    const double inside = normal_within(std::ldexp(1 / deviation, exponent + 1)) -
                          (exponent == bottom ? 0 : normal_within(std::ldexp(1 / deviation, exponent)));
    share += inside * stays(quantum_at(weight, exponent), sizes, rounding);
  }
  const double least = smallest_positive(weight);
  return share + normal_within(least / 2 / deviation) * more_at_zero(least, sizes, rounding);
}

double swallowed_share(const NumberFormat& weight, std::span<const double> sample, const UpdateSizes& sizes,
                       Rounding rounding) {
  double sum = 0;
  std::size_t finite = 0;
  for (const double drawn : sample) {
    const double value = std::fabs(round_to(weight, real(drawn)).value);
    if (!std::isfinite(value)) continue;
    ++finite;
    const int exponent = value == 0 ? smallest_exponent(weight) : std::ilogb(value);
    const bool power = value == std::ldexp(1, exponent) && value > smallest_normal(weight);
    const double outward = quantum_at(weight, exponent), inward = quantum_at(weight, power ? exponent - 1 : exponent);
    const double both = stays(outward, sizes, rounding);
    sum += outward == inward ? both : (both + stays(inward, sizes, rounding)) / 2;
    if (value == 0) sum += more_at_zero(outward, sizes, rounding);
  }
  return finite == 0 ? 0 : sum / static_cast<double>(finite);
}

double adam_walk(const OptimizerSettings& settings, std::uint64_t steps) {
  // Gradient i is in all later updates: with weight c_i = (1 - β1) / (1 - β1^i) + β1 c_(i + 1).
  double weight = 0, squares = 0;
  for (std::uint64_t i = steps; i > 0; --i) {
    const double corrected = (1 - settings.beta1) / (1 - std::pow(settings.beta1, static_cast<double>(i)));
    weight = corrected + settings.beta1 * weight;
    squares += weight * weight;
  }
  return settings.learning_rate * std::sqrt(squares);
}

}  // namespace assay
