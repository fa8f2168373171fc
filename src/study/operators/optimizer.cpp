// Optimizer steps on one parameter a row: the row's gradients are those of its steps, the result is the weight after
// them.
//
// Emulated by sim/optimizer_step.h (PyTorch's fused kernels): the weight is kept in the result's format, Adam's moments
// (SGD's momentum) in the accumulator's, operations are in the compute format. `master` keeps the weight in FP32 and
// rounds a copy of it at the end; `stochastic` rounds the weight stochastically. Overflow modes and flushing are not
// followed here: such steps do not come near the ends of a range.
// Exactly, the same recursions in double-double.
//
// An error is set against |first weight| + Σ|updates|, what was added up: a weight can end near zero by chance.

#include "study/operators/optimizer.h"

#include <algorithm>
#include <cmath>

#include "num/double_double.h"
#include "study/operators/operators.h"

namespace assay {

namespace {

using optimizer_operator::kGradient;
using optimizer_operator::kMaster;
using optimizer_operator::kPlain;
using optimizer_operator::kStochastic;
using optimizer_operator::kWeight;
using optimizer_operator::updated;
using Kind = OptimizerSettings::Kind;

OptimizerSettings adam_settings(Kind kind, std::span<const double> parameters) {
  OptimizerSettings out{.kind = kind};
  out.learning_rate = parameters[0];
  out.beta1 = parameters[1];
  out.beta2 = parameters[2];
  out.eps = parameters[3];
  out.weight_decay = parameters[4];
  return out;
}

OptimizerSettings sgd_settings(std::span<const double> parameters) {
  OptimizerSettings out{.kind = Kind::kSgd};
  out.learning_rate = parameters[0];
  out.momentum = parameters[1];
  out.weight_decay = parameters[2];
  return out;
}

template <Kind kKind>
OptimizerSettings settings_of(const OperatorCall& call) {
  return kKind == Kind::kSgd ? sgd_settings(call.parameters) : adam_settings(kKind, call.parameters);
}

// --- in formats ------------------------------------------------------------------------------------------------------

OptimizerFormats formats_of(const OperatorCall& call) {
  const OperatorModel& model = call.model;
  const Rounding rounding = model.rules.rounding;
  OptimizerFormats out{.weight = {model.output, call.variant == kStochastic ? Rounding::kStochastic : rounding},
                       .master = {},
                       .gradient = {model.input, rounding},
                       .exp_avg = {model.accumulator, rounding},
                       .exp_avg_sq = {model.accumulator, rounding},
                       .arithmetic = model.compute,
                       .seed = model.rules.seed};
  if (call.variant == kMaster) out.master = updated(call);
  return out;
}

template <Kind kKind>
void emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  Result<OptimizerStep> optimizer =
      OptimizerStep::start(settings_of<kKind>(call), formats_of(call), call.inputs[kWeight].at(0));
  if (!optimizer) {  // a setting that the operator's parameters do not let through
    std::fill(out.values.begin(), out.values.end(), NAN);
    return;
  }
  for (std::size_t k = 0; k < call.length(); ++k) {
    const StepCounts counts = optimizer->step(call.inputs[kGradient].at(k));
    if (events == nullptr) continue;
    events->additions += counts.wanted;
    events->swallowed += counts.swallowed;
  }
  std::ranges::copy(optimizer->updated(), out.values.begin());
}

// --- exactly ---------------------------------------------------------------------------------------------------------

// What depends on the step alone.
struct ExactScalars {
  DoubleDouble rate, root2;  // lr / (1 − β1^t), √(1 − β2^t)
};

std::vector<ExactScalars> exact_scalars(const OptimizerSettings& set, std::size_t steps) {
  std::vector<ExactScalars> out;
  DoubleDouble power1(1), power2(1);
  for (std::size_t t = 0; t < steps; ++t) {
    power1 = power1 * DoubleDouble(set.beta1);
    power2 = power2 * DoubleDouble(set.beta2);
    out.push_back({DoubleDouble(set.learning_rate) / (DoubleDouble(1) - power1), sqrt(DoubleDouble(1) - power2)});
  }
  return out;
}

DoubleDouble mixed(const DoubleDouble& old, double factor, const DoubleDouble& fresh) {
  return DoubleDouble(factor) * old + two_sum(1, -factor) * fresh;
}

// A weight, and how far it has come: Σ |update|.
struct Path {
  DoubleDouble weight;
  double length = 0;
  void move(const DoubleDouble& update) {
    weight = weight - update;
    length += std::abs(update.hi);
  }
};

Path exact_adam(const OptimizerSettings& set, const std::vector<ExactScalars>& scalars, const Lanes& gradients,
                std::size_t row, double weight) {
  Path w{weight};
  DoubleDouble m, v;
  const DoubleDouble decay = two_product(set.learning_rate, set.weight_decay);
  for (std::size_t t = 0; t < scalars.size(); ++t) {
    DoubleDouble g(gradients.at(t)[row]);
    if (set.kind == Kind::kAdamW) {
      w.move(decay * w.weight);
    } else {
      g = g + DoubleDouble(set.weight_decay) * w.weight;
    }
    m = mixed(m, set.beta1, g);
    v = mixed(v, set.beta2, g * g);
    w.move(scalars[t].rate * m / (sqrt(v) / scalars[t].root2 + DoubleDouble(set.eps)));
  }
  return w;
}

Path exact_sgd(const OptimizerSettings& set, const Lanes& gradients, std::size_t row, double weight) {
  Path w{weight};
  DoubleDouble b;
  for (std::size_t t = 0; t < gradients.length; ++t) {
    const DoubleDouble g = DoubleDouble(gradients.at(t)[row]) + DoubleDouble(set.weight_decay) * w.weight;
    b = DoubleDouble(set.momentum) * b + g;
    w.move(DoubleDouble(set.learning_rate) * b);
  }
  return w;
}

template <Kind kKind, class Take>
void each_path(const OperatorCall& call, Take take) {
  const OptimizerSettings set = settings_of<kKind>(call);
  const Lanes& gradients = call.inputs[kGradient];
  std::vector<ExactScalars> scalars;
  if (kKind != Kind::kSgd) scalars = exact_scalars(set, call.length());
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const double weight = call.inputs[kWeight].at(0)[row];
    take(row, kKind == Kind::kSgd ? exact_sgd(set, gradients, row, weight)
                                  : exact_adam(set, scalars, gradients, row, weight));
  }
}

template <Kind kKind>
void exact(const OperatorCall& call, ExactLanes& out) {
  each_path<kKind>(call, [&](std::size_t row, const Path& path) {
    out.hi.values[row] = path.weight.hi;
    out.lo.values[row] = path.weight.lo;
  });
}

template <Kind kKind>
void magnitude(const OperatorCall& call, const ExactLanes& /*exact*/, Lanes& out) {
  each_path<kKind>(call, [&](std::size_t row, const Path& path) {
    out.values[row] = std::abs(call.inputs[kWeight].at(0)[row]) + path.length;
  });
}

template <Kind kKind>
void expect_of(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  optimizer_operator::expect(call, settings_of<kKind>(call), exact, out);
}

constexpr double kMostRate = 1e3, kMostBeta = 0.999999999;

std::vector<OperatorParameter> adam_parameters(double weight_decay) {
  return {{"lr", 1e-3, 0, kMostRate, {"learning rate", "学习率"}},
          {"beta1", 0.9, 0, kMostBeta, {"of the mean of gradients", "梯度均值的衰减"}},
          {"beta2", 0.999, 0, kMostBeta, {"of the mean of their squares", "梯度平方均值的衰减"}},
          {"eps", 1e-8, 0, 1, {"added to the denominator", "加到分母上"}},
          {"weight-decay", weight_decay, 0, kMostRate, {"weight decay", "权重衰减"}}};
}

template <Kind kKind>
Operator optimizer(std::string_view name, const Text& title, const Text& formula,
                   const std::vector<OperatorParameter>& parameters) {
  return {.name = name,
          .title = title,
          .formula = formula,
          .inputs = {{.name = "gradient"}, {.name = "weight", .deviation = 0.02, .single = true}},
          .parameters = parameters,
          .variants = {kPlain, kMaster, kStochastic},
          .scale = {"|weight| + Σ|updates|", "|权重| + Σ|更新|"},
          .sums = false,
          .updates = true,
          .length = 100,
          .exact = exact<kKind>,
          .emulate = emulate<kKind>,
          .magnitude = magnitude<kKind>,
          .expect = expect_of<kKind>};
}

}  // namespace

Stored optimizer_operator::updated(const OperatorCall& call) {
  static const NumberFormat fp32 = *number_format("fp32");
  if (call.variant == kMaster) return {fp32, call.model.rules.rounding};
  return {call.model.output, call.variant == kStochastic ? Rounding::kStochastic : call.model.rules.rounding};
}

const Operator kAdamW = optimizer<Kind::kAdamW>(
    "adamw", {"AdamW steps", "AdamW 更新"},
    {"w ← w − lr·wd·w − lr·m̂ / (√v̂ + eps), once a gradient", "每个梯度一次 w ← w − lr·wd·w − lr·m̂ / (√v̂ + eps)"},
    adam_parameters(0.01));

const Operator kAdam = optimizer<Kind::kAdam>(
    "adam", {"Adam steps", "Adam 更新"},
    {"w ← w − lr·m̂ / (√v̂ + eps), once a gradient", "每个梯度一次 w ← w − lr·m̂ / (√v̂ + eps)"}, adam_parameters(0));

const Operator kSgd = optimizer<Kind::kSgd>("sgd", {"SGD steps", "SGD 更新"},
                                            {"b ← momentum·b + g, w ← w − lr·b", "b ← momentum·b + g，w ← w − lr·b"},
                                            {{"lr", 1e-2, 0, kMostRate, {"learning rate", "学习率"}},
                                             {"momentum", 0.9, 0, 1, {"momentum", "动量"}},
                                             {"weight-decay", 0, 0, kMostRate, {"weight decay", "权重衰减"}}});

}  // namespace assay
