// Rotary positions: the phase position × frequency of each pair of a head, and its cosine and sine.
//
// A row is a position, a number of it one of the d/2 inverse frequencies θ^(−2i/d) (Su et al. 2021), so the length is
// half the head's dimension. Models that keep positions and frequencies in 16 bits round both (BF16 has no whole
// numbers between 256 and 258: 4,096 positions become 769), and then the product. A phase has no size of its own: an
// error of 1 rad turns the pair wrong whatever the phase is, so errors are set against 1.
//
// Theory. The frequencies are constants, so their rounding is known: p·δf. The rounding of positions is taken as that
// of whole numbers of which nothing is known: rounding_moments with grid 1. A phase that is off by ε with mean m and
// variance v, taken as normal, makes
//     E sin(φ + ε) = sin(φ + m) e^(−v/2),   E sin²(φ + ε) = (1 − cos(2φ + 2m) e^(−2v)) / 2
// of its sine, for errors of any size; the cosine is the sine of φ + π/2. Two such errors one after the other are not
// independent when they are large (a phase that is lost cannot be lost again), which their covariance carries.
// Where it fails: rows whose positions all round to one; more than 2^53 radians; angles that overflow.

#include <algorithm>
#include <cmath>

#include "num/double_double.h"
#include "num/format.h"
#include "study/operators/operators.h"
#include "study/operators/sum_theory.h"

namespace assay {

namespace {

constexpr std::string_view kPhase = "phase";
constexpr std::string_view kCos = "cos";
constexpr std::string_view kSin = "sin";
constexpr double kQuarterTurn = 1.57079632679489661923;

// Positions from `first` on and the frequencies, as FP32 has them.
void rope_data(const OperatorCall& empty, std::size_t first_row, std::span<Lanes> inputs) {
  const DoubleDouble log_theta = log(DoubleDouble(empty.parameters[0]));
  const auto pairs = static_cast<double>(empty.length());
  for (std::size_t k = 0; k < empty.length(); ++k) {
    const DoubleDouble power = DoubleDouble(-static_cast<double>(k)) / DoubleDouble(pairs);
    const double frequency = static_cast<float>(exp(log_theta * power).hi);
    for (std::size_t row = 0; row < empty.rows(); ++row) {
      inputs[0].at(k)[row] = static_cast<float>(empty.parameters[1] + static_cast<double>(first_row + row));
      inputs[1].at(k)[row] = frequency;
    }
  }
}

void rope_exact(const OperatorCall& call, ExactLanes& out) {
  for (std::size_t i = 0; i < out.hi.values.size(); ++i) {
    DoubleDouble result = two_product(call.inputs[0].values[i], call.inputs[1].values[i]);
    if (call.variant == kCos) result = cos(result);
    if (call.variant == kSin) result = sin(result);
    out.hi.values[i] = result.hi;
    out.lo.values[i] = result.lo;
  }
}

void rope_emulate(const OperatorCall& call, Lanes& out, SumEvents* /*events*/) {
  Arithmetic compute(call.model.compute, call.model.rules);
  Lanes positions = call.inputs[0];
  Lanes frequencies = call.inputs[1];
  compute.round(positions.values, positions.values);
  compute.round(frequencies.values, frequencies.values);
  compute.multiply(positions.values, frequencies.values, out.values);
  if (call.variant == kCos) compute.apply([](double phase) { return std::cos(phase); }, out.values, out.values);
  if (call.variant == kSin) compute.apply([](double phase) { return std::sin(phase); }, out.values, out.values);
}

void unit_magnitude(const OperatorCall& /*call*/, const ExactLanes& /*exact*/, Lanes& out) {
  std::fill(out.values.begin(), out.values.end(), 1.0);
}

// Below it an error of the phase is small against a turn: second-order terms are a millionth.
constexpr double kSmall = 1e-6;

bool is_small(const Moments& error) { return error.mean * error.mean + error.variance < kSmall; }

// Mean and mean square of sin(phase + ε).
struct Sine {
  double mean = 0, square = 0;
  double variance() const { return std::max(0.0, square - mean * mean); }
};

Sine sine_of(double phase, const Moments& error) {
  const double there = phase + error.mean;
  return {std::sin(there) * std::exp(-error.variance / 2),
          (1 - std::cos(2 * there) * std::exp(-2 * error.variance)) / 2};
}

// The error of sin(phase) by an error of the phase.
Moments error_of_sine(double phase, const Moments& error) {
  const double slope = std::cos(phase);
  if (is_small(error)) return {slope * error.mean, slope * slope * error.variance};
  const Sine after = sine_of(phase, error);
  return {after.mean - std::sin(phase), after.variance()};
}

// The same where the phase is off by `before` already.
Moments error_of_sine(double phase, const Moments& before, const Moments& error) {
  const double turned = 2 * (phase + before.mean);
  const double kept = std::exp(-2 * before.variance);
  if (is_small(error)) {
    const double slope = std::cos(phase + before.mean) * std::exp(-before.variance / 2);
    return {slope * error.mean, error.variance * (1 + std::cos(turned) * kept) / 2};
  }
  const Sine first = sine_of(phase, before);
  const Sine last = sine_of(phase, {before.mean + error.mean, before.variance + error.variance});
  const double together = std::exp(-error.variance / 2) *
                          (std::cos(error.mean) * first.square + std::sin(error.mean) * std::sin(turned) * kept / 2);
  const double mean = last.mean - first.mean;
  return {mean, std::max(0.0, last.square + first.square - 2 * together - mean * mean)};
}

struct PhaseErrors {
  Moments input, product;
  double grid = 0;
};

// Positions are whole numbers: exact in a format that has them all.
PhaseErrors phase_errors(const OperatorModel& model, double position, double frequency, double used_frequency) {
  PhaseErrors out;
  const Rounding rounding = model.rules.rounding;
  const Moments of_position = rounding_moments(model.input, rounding, position, 1);
  out.input = {position * (used_frequency - frequency) + used_frequency * of_position.mean,
               used_frequency * used_frequency * of_position.variance};
  const double grid = std::max(1.0, spacing_at(model.input, position)) * lowest_bit(used_frequency);
  const double phase = position * used_frequency;
  out.product = rounding_moments(model.compute, rounding, phase, grid);
  out.grid = std::max(grid, spacing_at(model.compute, std::max(phase, position * frequency)));
  return out;
}

void rope_expect(const OperatorCall& call, const ExactLanes& /*exact*/, ExpectedErrors& out) {
  const Lanes used = rounded_inputs(call.model, call.inputs[1]);
  const bool is_phase = call.variant == kPhase;
  const double turn = call.variant == kCos ? kQuarterTurn : 0;
  out.grid.resize(out.input.size());
  if (!is_phase) out.covariance.resize(out.input.size());
  for (std::size_t i = 0; i < out.input.size(); ++i) {
    const double position = call.inputs[0].values[i];
    const double frequency = call.inputs[1].values[i];
    const PhaseErrors errors = phase_errors(call.model, position, frequency, used.values[i]);
    out.peak = std::max(out.peak, std::abs(position * frequency));
    if (is_phase) {
      out.input[i] = errors.input;
      out.inner[i] = errors.product;
      out.grid[i] = errors.grid;
      continue;
    }
    const double phase = position * frequency + turn;
    out.input[i] = error_of_sine(phase, errors.input);
    out.inner[i] = error_of_sine(phase, errors.input, errors.product);
    if (!is_small(errors.product)) {
      const Sine both =
          sine_of(phase, {errors.input.mean + errors.product.mean, errors.input.variance + errors.product.variance});
      out.covariance[i] = (both.variance() - out.input[i].variance - out.inner[i].variance) / 2;
    }
    out.grid[i] = spacing_at(call.model.compute, std::sin(phase));
    out.inner[i] += rounding_moments(call.model.rules.rounding, out.grid[i], 0, std::sin(phase));
  }
}

}  // namespace

const Operator kRope{
    .name = "rope",
    .also = {"rotary"},
    .title = {"rotary position", "旋转位置编码"},
    .formula = {"position · θ^(−2i/d), one row a position, one result each of its d/2 frequencies; cos or sin of it",
                "位置 · θ^(−2i/d)，一行一个位置，每个频率（共 d/2 个）一个结果；或其 cos、sin"},
    .inputs = {{.name = "positions"}, {.name = "frequencies"}},
    .parameters = {{"theta", 10000, 2, 1e12, {"base of the frequencies", "频率的底数"}},
                   {"first", 0, 0, 1e7, {"position of the first row", "第一行的位置"}}},
    .variants = {kPhase, kCos, kSin},
    .scale = {"1 rad", "1 rad"},
    .sums = false,
    .one_output = false,
    .length = 64,
    .data = rope_data,
    .exact = rope_exact,
    .emulate = rope_emulate,
    .magnitude = unit_magnitude,
    .expect = rope_expect};

}  // namespace assay
