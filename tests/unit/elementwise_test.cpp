// GELU, SiLU, rotary positions, moving average: exact results against long double, emulation against the same formulas
// number by number.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "num/distribution.h"
#include "num/real.h"
#include "study/operators/operators.h"

namespace assay {
namespace {

OperatorModel model_of(const char* storage, const char* compute, const char* accumulator = nullptr) {
  OperatorModel model;
  model.input = model.output = *number_format(storage);
  model.compute = *number_format(compute);
  model.accumulator = *number_format(accumulator != nullptr ? accumulator : compute);
  return model;
}

std::vector<double> defaults_of(const Operator& op) {
  std::vector<double> out;
  for (const OperatorParameter& one : op.parameters) out.push_back(one.value);
  return out;
}

Lanes normal_lanes(const NumberFormat& format, std::size_t rows, std::size_t length, double deviation = 1) {
  Lanes out(rows, length);
  draw(Distribution::kNormal, 0, deviation, 7, 0, 0, out.values);
  for (double& value : out.values) value = round_to(format, real(value)).value;
  return out;
}

Lanes emulated(const Operator& op, const OperatorModel& model, std::string_view variant, const std::vector<Lanes>& in,
               const std::vector<double>& parameters, SumEvents* events = nullptr) {
  Lanes out(in.front().rows, op.one_output ? 1 : in.front().length);
  op.emulate({model, variant, parameters, in}, out, events);
  return out;
}

ExactLanes exactly(const Operator& op, std::string_view variant, const std::vector<Lanes>& in,
                   const std::vector<double>& parameters) {
  static const OperatorModel unused = model_of("fp32", "fp32");
  ExactLanes out(in.front().rows, op.one_output ? 1 : in.front().length);
  op.exact({unused, variant, parameters, in}, out);
  return out;
}

// One number at a time, each operation exact and rounded.
struct Scalar {
  NumberFormat format;
  double fit(const Real& x) const { return round_to(format, x).value; }
  double fit(double x) const { return fit(real(x)); }
  double add(double a, double b) const { return fit(sum(real(a), real(b))); }
  double multiply(double a, double b) const { return fit(product(real(a), real(b))); }
  double divide(double a, double b) const { return fit(quotient(real(a), real(b))); }
};

double gelu_twin(const Scalar& f, std::string_view variant, double input) {
  const double x = f.fit(input);
  const double half = f.multiply(x, 0.5);
  if (variant == "erf") {
    return f.multiply(half, f.add(f.fit(std::erf(f.multiply(x, f.fit(std::sqrt(0.5))))), 1));
  }
  if (variant == "tanh") {
    const double cube = f.multiply(f.multiply(x, x), x);
    const double inner =
        f.multiply(f.add(x, f.multiply(cube, f.fit(0.044715))), f.fit(std::sqrt(2 / 3.14159265358979323846)));
    return f.multiply(half, f.add(f.fit(std::tanh(inner)), 1));
  }
  const double e = f.fit(std::exp(-f.multiply(x, f.fit(1.702))));
  return f.multiply(x, f.divide(1, f.add(e, 1)));
}

double silu_twin(const Scalar& f, std::string_view variant, double input) {
  const double x = f.fit(input);
  const double below = f.add(f.fit(std::exp(-x)), 1);
  return variant == "divide" ? f.divide(x, below) : f.multiply(x, f.divide(1, below));
}

struct Formats {
  const char* storage;
  const char* compute;
};
constexpr Formats kFormats[] = {
    {"bf16", "fp32"}, {"bf16", "bf16"}, {"fp16", "fp16"}, {"fp16", "bf16"}, {"e4m3", "fp16"}};

template <class Twin>
void expect_twin(const Operator& op, Twin twin) {
  for (const Formats& formats : kFormats) {
    const OperatorModel model = model_of(formats.storage, formats.compute);
    const std::vector<Lanes> in = {normal_lanes(model.input, 3, 1000, 2)};
    for (const std::string_view variant : op.variants) {
      const Lanes out = emulated(op, model, variant, in, {});
      for (std::size_t i = 0; i < out.values.size(); ++i) {
        ASSERT_EQ(out.values[i], twin(Scalar{model.compute}, variant, in[0].values[i]))
            << op.name << " " << variant << " " << formats.storage << " in " << formats.compute
            << ": x = " << in[0].values[i];
      }
    }
  }
}

TEST(Elementwise, GeluIsEachOperationRounded) { expect_twin(kGelu, gelu_twin); }
TEST(Elementwise, SiluIsEachOperationRounded) { expect_twin(kSilu, silu_twin); }

long double gelu_long(std::string_view variant, long double x) {
  if (variant == "erf") return x / 2 * std::erfc(-x * std::sqrt(0.5L));
  const long double u = variant == "quick"
                            ? 1.702L * x
                            : 2 * std::sqrt(2 / 3.14159265358979323846264338327950288L) * (x + 0.044715L * x * x * x);
  return x / (1 + std::exp(-u));
}

long double silu_long(std::string_view /*variant*/, long double x) { return x / (1 + std::exp(-x)); }

template <class Reference>
void expect_exact(const Operator& op, Reference reference) {
  const std::vector<Lanes> in = {normal_lanes(*number_format("fp32"), 4, 2000, 3)};
  for (const std::string_view variant : op.variants) {
    const ExactLanes out = exactly(op, variant, in, {});
    for (std::size_t i = 0; i < in[0].values.size(); ++i) {
      const long double expected = reference(variant, in[0].values[i]);
      const long double got = static_cast<long double>(out.hi.values[i]) + out.lo.values[i];
      // Long double's own functions: some 1e-19, and the argument's rounding by how steep exp and erfc are there.
      const double steep = 1 + in[0].values[i] * in[0].values[i] * (1 + std::abs(in[0].values[i]));
      ASSERT_LT(std::abs(got - expected), 4e-19L * steep * std::abs(expected)) << variant << " " << in[0].values[i];
    }
  }
}

TEST(Elementwise, GeluExactly) { expect_exact(kGelu, gelu_long); }
TEST(Elementwise, SiluExactly) { expect_exact(kSilu, silu_long); }

// Three functions go by the name of GELU: how far apart they are is no rounding error.
TEST(Elementwise, GelusAreDifferentFunctions) {
  std::vector<Lanes> in = {Lanes(1, 20001)};
  for (std::size_t i = 0; i < in[0].length; ++i) in[0].values[i] = (static_cast<double>(i) - 10000) * 1e-3;
  const ExactLanes by_erf = exactly(kGelu, "erf", in, {});
  const auto farthest = [&](const char* variant) {
    const ExactLanes other = exactly(kGelu, variant, in, {});
    double most = 0;
    for (std::size_t i = 0; i < in[0].length; ++i)
      most = std::max(most, std::abs(other.hi.values[i] - by_erf.hi.values[i]));
    return most;
  };
  EXPECT_NEAR(farthest("tanh"), 4.7e-4, 0.05e-4);
  EXPECT_NEAR(farthest("quick"), 2.0e-2, 0.05e-2);
}

TEST(Elementwise, InfinitiesAndNanGoThrough) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Lanes> in = {Lanes(1, 4)};
  in[0].values = {infinity, -infinity, std::nan(""), 0};
  for (const Operator* op : {&kGelu, &kSilu}) {
    for (const std::string_view variant : op->variants) {
      const Lanes out = emulated(*op, model_of("bf16", "fp32"), variant, in, {});
      EXPECT_EQ(out.values[0], infinity) << op->name << variant;
      EXPECT_TRUE(std::isnan(out.values[1])) << op->name << variant;  // -inf · 0, as kernels give it
      EXPECT_TRUE(std::isnan(out.values[2])) << op->name << variant;
      EXPECT_EQ(out.values[3], 0) << op->name << variant;
    }
  }
}

// exp(12) is beyond FP16, so σ(−12) is 0 there.
TEST(Elementwise, AnInnerOverflowMakesZero) {
  std::vector<Lanes> in = {Lanes(1, 1)};
  in[0].values = {-12};
  EXPECT_EQ(emulated(kSilu, model_of("fp16", "fp16"), "divide", in, {}).values[0], 0);
  EXPECT_NEAR(emulated(kSilu, model_of("fp16", "fp32"), "divide", in, {}).values[0], -12 / (1 + std::exp(12.0)), 1e-11);
}

// --- rotary positions ------------------------------------------------------------------------------------------------

std::vector<Lanes> rope_inputs(std::size_t rows, std::size_t length, const std::vector<double>& parameters) {
  std::vector<Lanes> in(2, Lanes(rows, length));
  const OperatorModel model = model_of("fp32", "fp32");
  kRope.data({model, "phase", parameters, in}, 0, in);
  return in;
}

std::vector<Lanes> rounded(const NumberFormat& format, std::vector<Lanes> in) {
  for (Lanes& one : in) Arithmetic(format).round(one.values, one.values);
  return in;
}

TEST(Rope, DataArePositionsAndFrequencies) {
  const std::vector<Lanes> in = rope_inputs(300, 64, {10000, 7});
  EXPECT_EQ(in[0].at(0)[0], 7);
  EXPECT_EQ(in[0].at(63)[299], 306);
  for (std::size_t k = 0; k < 64; ++k) {
    const double frequency = std::pow(10000.0, -static_cast<double>(k) / 64);
    EXPECT_NEAR(in[1].at(k)[5], frequency, frequency * 0x1p-24) << k;
  }
}

struct PhaseError {
  std::size_t positions;  // different ones
  double largest;         // error of the phase, rad
};

PhaseError phase_error(const char* storage) {
  const std::vector<double> parameters = defaults_of(kRope);
  const std::vector<Lanes> in = rope_inputs(4096, 64, parameters);
  const OperatorModel model = model_of(storage, storage);
  const std::vector<Lanes> kept = rounded(model.input, in);
  const Lanes out = emulated(kRope, model, "phase", kept, parameters);
  const ExactLanes exact = exactly(kRope, "phase", in, parameters);
  PhaseError result{std::set<double>(kept[0].at(0).begin(), kept[0].at(0).end()).size(), 0};
  for (std::size_t i = 0; i < out.values.size(); ++i)
    result.largest = std::max(result.largest, std::abs(out.values[i] - exact.hi.values[i]));
  return result;
}

TEST(Rope, SixteenBitsLosePositions) {
  const PhaseError bf16 = phase_error("bf16");
  EXPECT_EQ(bf16.positions, 769U);
  EXPECT_NEAR(bf16.largest, 19.4, 0.05);
  const PhaseError fp16 = phase_error("fp16");
  EXPECT_NEAR(fp16.largest, 2.8, 0.05);
}

// The case of a 2,048-position table in FP16: emb[1857] = 1044.27 becomes 1044 or 1045.
TEST(Rope, SpacingOfAPhaseInHalfPrecision) {
  std::vector<Lanes> in(2, Lanes(1, 1));
  in[0].values = {1857};
  in[1].values = {round_to(*number_format("fp16"), real(1044.27 / 1857)).value};
  const double phase = emulated(kRope, model_of("fp16", "fp16"), "phase", in, {}).values[0];
  EXPECT_EQ(phase, std::round(phase));
  EXPECT_NEAR(phase, 1044.27, 1.5);
}

TEST(Rope, IsEachOperationRounded) {
  const std::vector<double> parameters = defaults_of(kRope);
  for (const Formats& formats : kFormats) {
    const OperatorModel model = model_of(formats.storage, formats.compute);
    const std::vector<Lanes> in = rounded(model.input, rope_inputs(97, 16, parameters));
    const Scalar f{model.compute};
    for (const std::string_view variant : kRope.variants) {
      const Lanes out = emulated(kRope, model, variant, in, parameters);
      for (std::size_t i = 0; i < out.values.size(); ++i) {
        const double phase = f.multiply(f.fit(in[0].values[i]), f.fit(in[1].values[i]));
        const double expected = variant == "phase" ? phase
                                : variant == "cos" ? f.fit(std::cos(phase))
                                                   : f.fit(std::sin(phase));
        ASSERT_TRUE(out.values[i] == expected || (std::isnan(out.values[i]) && std::isnan(expected)))
            << variant << " " << formats.storage << " " << i;
      }
    }
  }
}

TEST(Rope, Exactly) {
  const std::vector<double> parameters = defaults_of(kRope);
  const std::vector<Lanes> in = rope_inputs(500, 32, parameters);
  const ExactLanes phase = exactly(kRope, "phase", in, parameters);
  const ExactLanes cosine = exactly(kRope, "cos", in, parameters);
  const ExactLanes sine = exactly(kRope, "sin", in, parameters);
  for (std::size_t i = 0; i < in[0].values.size(); ++i) {
    const long double angle = static_cast<long double>(in[0].values[i]) * in[1].values[i];  // 48 bits: exact
    ASSERT_EQ(static_cast<long double>(phase.hi.values[i]) + phase.lo.values[i], angle);
    ASSERT_LT(std::abs(static_cast<long double>(cosine.hi.values[i]) + cosine.lo.values[i] - std::cos(angle)), 2e-19L);
    ASSERT_LT(std::abs(static_cast<long double>(sine.hi.values[i]) + sine.lo.values[i] - std::sin(angle)), 2e-19L);
  }
}

// --- moving average --------------------------------------------------------------------------------------------------

TEST(Ema, IsEachOperationRounded) {
  struct Case {
    const char* compute;
    const char* state;
  };
  for (const Case& formats : {Case{"fp32", "fp32"}, Case{"fp32", "bf16"}, Case{"bf16", "bf16"}, Case{"fp16", "fp32"}}) {
    for (const double decay : {0.9, 0.99, 0.999}) {
      const OperatorModel model = model_of("bf16", formats.compute, formats.state);
      const std::vector<Lanes> in = {normal_lanes(model.input, 5, 200)};
      const Scalar f{model.compute};
      const Scalar state{model.accumulator};
      const double beta = f.fit(decay);
      const double rest = f.add(1, -beta);
      for (const std::string_view variant : kEma.variants) {
        const Lanes out = emulated(kEma, model, variant, in, {decay});
        for (std::size_t row = 0; row < 5; ++row) {
          double m = state.fit(in[0].at(0)[row]);
          for (std::size_t k = 1; k < 200; ++k) {
            const double x = f.fit(in[0].at(k)[row]);
            m = f.fit(m);
            m = variant == "products" ? f.add(f.multiply(beta, m), f.multiply(rest, x))
                                      : f.add(m, f.multiply(rest, f.add(x, -m)));
            m = state.fit(m);
          }
          ASSERT_EQ(out.values[row], m) << variant << " " << formats.compute << " " << formats.state << " " << decay;
        }
      }
    }
  }
}

TEST(Ema, Exactly) {
  const std::vector<Lanes> in = {normal_lanes(*number_format("fp32"), 6, 300)};
  const ExactLanes out = exactly(kEma, "products", in, {0.99});
  for (std::size_t row = 0; row < 6; ++row) {
    long double m = in[0].at(0)[row];
    long double size = std::abs(m);
    for (std::size_t k = 1; k < 300; ++k) {
      m = 0.99 * m + (1 - static_cast<long double>(0.99)) * in[0].at(k)[row];
      size = 0.99 * size + 0.01 * std::abs(in[0].at(k)[row]);
    }
    EXPECT_LT(std::abs(static_cast<long double>(out.hi.values[row]) + out.lo.values[row] - m), 1e-17L * size);
  }
}

// BF16 has no 0.999: it becomes 1, and the average stays where it began.
TEST(Ema, ADecayThatBecomesOneFreezes) {
  const OperatorModel model = model_of("bf16", "bf16");
  const std::vector<Lanes> in = {normal_lanes(model.input, 20, 500)};
  for (const std::string_view variant : kEma.variants) {
    SumEvents events;
    const Lanes out = emulated(kEma, model, variant, in, {0.999}, &events);
    for (std::size_t row = 0; row < 20; ++row) EXPECT_EQ(out.values[row], in[0].at(0)[row]);
    EXPECT_EQ(events.additions, 20U * 499U);
    EXPECT_GT(events.swallowed, events.additions * 99 / 100);  // all but those of an x that is the average
  }
  // FP16 has it, but no 0.9999.
  const OperatorModel half = model_of("fp16", "fp16");
  const std::vector<Lanes> halves = {normal_lanes(half.input, 20, 500)};
  const Lanes moved = emulated(kEma, half, "lerp", halves, {0.999});
  const Lanes frozen = emulated(kEma, half, "lerp", halves, {0.9999});
  for (std::size_t row = 0; row < 20; ++row) {
    EXPECT_NE(moved.values[row], halves[0].at(0)[row]);
    EXPECT_EQ(frozen.values[row], halves[0].at(0)[row]);
  }
}

}  // namespace
}  // namespace assay
