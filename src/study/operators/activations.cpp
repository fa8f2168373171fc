// Activations: GELU and SiLU, number by number.
//
// GELU is x·Φ(x), and is computed in one of three ways that are three functions: by erf (its definition), by tanh (the
// approximation of Hendrycks and Gimpel 2016, up to 4.7e-4 away) and as x·σ(1.702 x) ("quick", up to 0.020 away). Each
// is judged against itself: which one a model was trained with is no question of rounding. The orders of operations are
// those of PyTorch's kernels (ActivationGeluKernel.cu: 0.5·x·(1 + erf(x/√2)), 0.5·x·(1 + tanh(√(2/π)(x + 0.044715
// x³))); ActivationSiluKernel.cu: x / (1 + exp(−x))) and, for SiLU as a product, of x·sigmoid(x) written in Python.
//
// 1 + erf cancels for x < −1: its error is a spacing at 1, whatever is left of the result. So errors are set against
// |x|, not the result. In exact arithmetic it does not cancel: x·erfc(−x/√2) / 2, and x / (1 + exp(−2u)) for the tanh
// form.

#include <cmath>

#include "num/double_double.h"
#include "study/operators/chain.h"
#include "study/operators/operators.h"
#include "study/operators/sum_theory.h"

namespace assay {

namespace {

constexpr std::string_view kErf = "erf";
constexpr std::string_view kTanh = "tanh";
constexpr std::string_view kQuick = "quick";
constexpr std::string_view kDivide = "divide";
constexpr std::string_view kProduct = "product";

constexpr double kRootHalf = 0.70710678118654752440;
constexpr double kRootTwoOverPi = 0.79788456080286535588;
constexpr double kTwoOverRootPi = 1.12837916709551257390;
constexpr double kCube = 0.044715;
constexpr double kQuickSlope = 1.702;

const ChainFunction kErfFunction{[](double x) { return std::erf(x); },
                                 [](double x) { return kTwoOverRootPi * std::exp(-x * x); }, -1, 1};
const ChainFunction kTanhFunction{[](double x) { return std::tanh(x); },
                                  [](double x) { return 1 - std::tanh(x) * std::tanh(x); }, -1, 1};
const ChainFunction kExpFunction{[](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }, 0,
                                 INFINITY};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// x·σ(ax) by its derivative.
double swish_slope(double x, double a) {
  const double s = sigmoid(a * x);
  return s + a * x * s * (1 - s);
}

// x / (1 + exp(-u)) to 2^-90.
DoubleDouble gated(double x, const DoubleDouble& u) { return DoubleDouble(x) / (DoubleDouble(1) + exp(-u)); }

template <class Function>
void each_exactly(const OperatorCall& call, Function function, ExactLanes& out) {
  const std::vector<double>& in = call.inputs[0].values;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const DoubleDouble result = function(in[i]);
    out.hi.values[i] = result.hi;
    out.lo.values[i] = result.lo;
  }
}

template <class Function>
void expect_inputs(const OperatorCall& call, Function slope, ExpectedErrors& out) {
  const std::vector<double>& in = call.inputs[0].values;
  for (std::size_t i = 0; i < in.size(); ++i) out.input[i] = through(input_rounding(call.model, in[i]), slope(in[i]));
}

void input_magnitude(const OperatorCall& call, const ExactLanes& /*exact*/, Lanes& out) {
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = std::abs(call.inputs[0].values[i]);
}

// --- gelu ------------------------------------------------------------------------------------------------------------

struct GeluFormula {
  template <class Chain>
  typename Chain::Number operator()(Chain& chain, const typename Chain::Number& x, std::string_view variant) const {
    if (variant == kQuick) {
      const auto e = chain.apply(kExpFunction, chain.times(chain.times(x, kQuickSlope), -1));
      return chain.multiply(x, chain.reciprocal(chain.plus(e, 1)));
    }
    if (variant == kTanh) {
      const auto cube = chain.multiply(chain.multiply(x, x), x);
      const auto inner = chain.times(chain.add(x, chain.times(cube, kCube)), kRootTwoOverPi);
      return chain.multiply(chain.times(x, 0.5), chain.plus(chain.apply(kTanhFunction, inner), 1));
    }
    const auto phi = chain.plus(chain.apply(kErfFunction, chain.times(x, kRootHalf)), 1);
    return chain.multiply(chain.times(x, 0.5), phi);
  }
};

DoubleDouble ratio(double numerator, double denominator) { return DoubleDouble(numerator) / DoubleDouble(denominator); }

void gelu_exact(const OperatorCall& call, ExactLanes& out) {
  static const DoubleDouble root_half = sqrt(DoubleDouble(0.5));
  static const DoubleDouble pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
  static const DoubleDouble twice_root = DoubleDouble(2) * sqrt(DoubleDouble(2) / pi);
  static const DoubleDouble cube = ratio(44715, 1e6);
  static const DoubleDouble quick = ratio(1702, 1000);
  if (call.variant == kQuick) {
    each_exactly(call, [](double x) { return gated(x, quick * x); }, out);
  } else if (call.variant == kTanh) {
    each_exactly(
        call, [](double x) { return gated(x, twice_root * x * (DoubleDouble(1) + cube * two_product(x, x))); }, out);
  } else {
    each_exactly(call, [](double x) { return DoubleDouble(x / 2) * erfc(-(root_half * x)); }, out);
  }
}

void gelu_emulate(const OperatorCall& call, Lanes& out, SumEvents* /*events*/) {
  emulate_chain(call, GeluFormula(), out);
}

double gelu_slope(double x, std::string_view variant) {
  if (variant == kQuick) return swish_slope(x, kQuickSlope);
  if (variant == kTanh) {
    const double t = std::tanh(kRootTwoOverPi * (x + kCube * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * kRootTwoOverPi * (1 + 3 * kCube * x * x);
  }
  return 0.5 * std::erfc(-x * kRootHalf) + x * 0.5 * kRootTwoOverPi * std::exp(-x * x / 2);
}

void gelu_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  expect_inputs(call, [&](double x) { return gelu_slope(x, call.variant); }, out);
  expect_chain(call, GeluFormula(), exact, out);
}

// --- silu ------------------------------------------------------------------------------------------------------------

struct SiluFormula {
  template <class Chain>
  typename Chain::Number operator()(Chain& chain, const typename Chain::Number& x, std::string_view variant) const {
    const auto below = chain.plus(chain.apply(kExpFunction, chain.times(x, -1)), 1);
    if (variant == kProduct) return chain.multiply(x, chain.reciprocal(below));
    return chain.divide(x, below);
  }
};

void silu_exact(const OperatorCall& call, ExactLanes& out) {
  each_exactly(call, [](double x) { return gated(x, x); }, out);
}

void silu_emulate(const OperatorCall& call, Lanes& out, SumEvents* /*events*/) {
  emulate_chain(call, SiluFormula(), out);
}

void silu_expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  expect_inputs(call, [](double x) { return swish_slope(x, 1); }, out);
  expect_chain(call, SiluFormula(), exact, out);
}

}  // namespace

const Operator kGelu{
    .name = "gelu",
    .title = {"GELU", "GELU"},
    .formula = {"x·Φ(x): by erf, by tanh, or quick: x·σ(1.702 x)", "x·Φ(x)：用 erf、用 tanh，或 quick：x·σ(1.702 x)"},
    .inputs = {{.name = "x"}},
    .variants = {kErf, kTanh, kQuick},
    .scale = {"|x|", "|x|"},
    .sums = false,
    .one_output = false,
    .exact = gelu_exact,
    .emulate = gelu_emulate,
    .magnitude = input_magnitude,
    .expect = gelu_expect};

const Operator kSilu{.name = "silu",
                     .also = {"swish"},
                     .title = {"SiLU", "SiLU"},
                     .formula = {"x / (1 + exp(−x)), or the product x·σ(x)", "x / (1 + exp(−x))，或乘积 x·σ(x)"},
                     .inputs = {{.name = "x"}},
                     .variants = {kDivide, kProduct},
                     .scale = {"|x|", "|x|"},
                     .sums = false,
                     .one_output = false,
                     .exact = silu_exact,
                     .emulate = silu_emulate,
                     .magnitude = input_magnitude,
                     .expect = silu_expect};

}  // namespace assay
