// Optimizer steps: traces worked out by hand, FP32 against the formula in long double, and what narrow formats do.

#include "sim/optimizer_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "num/distribution.h"

namespace assay {
namespace {

using Kind = OptimizerSettings::Kind;
using Numbers = std::vector<double>;

NumberFormat format(std::string_view name) { return number_format(name).value(); }

OptimizerStep started(const OptimizerSettings& set, const OptimizerFormats& formats, const Numbers& weights) {
  return OptimizerStep::start(set, formats, weights).value();
}

Numbers copy(std::span<const double> numbers) { return {numbers.begin(), numbers.end()}; }

Numbers normal(std::size_t count, double mean, double deviation, std::uint64_t stream) {
  Numbers out(count);
  draw(Distribution::kNormal, mean, deviation, 1, stream, 0, out);
  return out;
}

TEST(OptimizerStep, SgdByHand) {
  const OptimizerFormats fp32 = all_in(format("fp32"));
  OptimizerStep plain = started({.kind = Kind::kSgd, .learning_rate = 0.25, .weight_decay = 0.5}, fp32, {1, -2});
  plain.step(Numbers{0.5, 0});
  // 1 - 0.25 · (0.5 + 0.5 · 1), -2 - 0.25 · (0.5 · -2)
  EXPECT_EQ(copy(plain.weights()), (Numbers{0.75, -1.75}));

  OptimizerStep heavy =
      started({.kind = Kind::kSgd, .learning_rate = 0.25, .momentum = 0.5, .dampening = 0.5}, fp32, {1});
  heavy.step(Numbers{2});  // b = 2, as it is the first
  EXPECT_EQ(copy(heavy.weights()), Numbers{0.5});
  heavy.step(Numbers{1});  // b = 0.5 · 2 + 0.5 · 1
  EXPECT_EQ(copy(heavy.exp_avg()), Numbers{1.5});
  EXPECT_EQ(copy(heavy.weights()), Numbers{0.125});

  OptimizerStep nesterov =
      started({.kind = Kind::kSgd, .learning_rate = 0.25, .momentum = 0.5, .nesterov = true}, fp32, {1});
  nesterov.step(Numbers{2});  // b = 2, g = 2 + 0.5 · 2
  EXPECT_EQ(copy(nesterov.weights()), Numbers{0.25});
  nesterov.step(Numbers{1});  // b = 2, g = 1 + 0.5 · 2
  EXPECT_EQ(copy(nesterov.weights()), Numbers{-0.25});
}

// With no history m̂ is the gradient and √v̂ its size: the first update is the learning rate, and weight decay before
// it.
TEST(OptimizerStep, AdamByHand) {
  const OptimizerFormats fp64 = [] {
    OptimizerFormats out = all_in(format("fp64"));
    out.arithmetic = format("fp64");
    return out;
  }();
  OptimizerStep adamw = started({.learning_rate = 0.25, .weight_decay = 0.5, .eps = 0}, fp64, {1, 1, 1});
  const StepCounts counts = adamw.step(Numbers{4, -1e-6, 1e3});
  const Numbers expected = {0.625, 1.125, 0.625};  // 1 - 0.25 · 0.5 ∓ 0.25
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(adamw.weights()[i], expected[i], 1e-15);
  EXPECT_EQ(counts.wanted, 3U);
  EXPECT_EQ(counts.swallowed, 0U);
  EXPECT_NEAR(counts.exact_movement, 0.375 + 0.125 + 0.375, 1e-15);
  EXPECT_NEAR(counts.stored_movement, counts.exact_movement, 1e-15);

  // Adam adds the decay to the gradient, where the division by √v̂ takes it away again.
  OptimizerStep adam = started({.kind = Kind::kAdam, .learning_rate = 0.25, .weight_decay = 0.5, .eps = 0}, fp64, {1});
  adam.step(Numbers{4});
  EXPECT_NEAR(adam.weights()[0], 0.75, 1e-15);
  EXPECT_NEAR(adam.exp_avg()[0], 0.1 * 4.5, 1e-15);
  EXPECT_NEAR(adam.exp_avg_sq()[0], 0.001 * 4.5 * 4.5, 1e-15);
}

// Each quantity after each step is that of the formula, from what was stored, within a few roundings.
TEST(OptimizerStep, Fp32IsTheFormula) {
  constexpr double kRoundoff = 0x1p-24;
  for (const Kind kind : {Kind::kAdam, Kind::kAdamW}) {
    const OptimizerSettings set{.kind = kind, .learning_rate = 1e-3, .weight_decay = 0.1};
    OptimizerStep optimizer = started(set, all_in(format("fp32")), normal(3000, 0, 0.02, 1));
    for (int t = 1; t <= 20; ++t) {
      const Numbers w = copy(optimizer.weights()), m = copy(optimizer.exp_avg()), v = copy(optimizer.exp_avg_sq());
      const Numbers g = normal(3000, 0, 1e-3, 10 + static_cast<std::uint64_t>(t));
      optimizer.step(g);
      const long double c1 = 1 - std::pow(0.9L, t), c2 = 1 - std::pow(0.999L, t);
      for (std::size_t i = 0; i < w.size(); ++i) {
        const long double decay = 0.1L * w[i];
        const long double gradient = kind == Kind::kAdam ? g[i] + decay : g[i];
        const long double new_m = 0.9L * m[i] + 0.1L * gradient, new_v = 0.999L * v[i] + 0.001L * gradient * gradient;
        const long double update = 1e-3L / c1 * new_m / (std::sqrt(new_v / c2) + 1e-8L);
        const long double new_w = w[i] - update - (kind == Kind::kAdamW ? 1e-3L * decay : 0);
        const auto size_m = static_cast<double>(std::fabs(0.9L * m[i]) + 0.1L * (std::fabs(g[i]) + std::fabs(decay)));
        ASSERT_NEAR(optimizer.exp_avg()[i], static_cast<double>(new_m), 5 * kRoundoff * size_m);
        // The gradient inherits what cancelled between it and the decay.
        const auto cancelled = static_cast<double>(std::fabs(gradient) * (std::fabs(g[i]) + std::fabs(decay)));
        ASSERT_NEAR(optimizer.exp_avg_sq()[i], static_cast<double>(new_v),
                    5 * kRoundoff * (static_cast<double>(new_v) + 0.001 * cancelled));
        // The update inherits what cancelled in m.
        const double inherited = static_cast<double>(1e-3L / c1 * size_m / (std::sqrt(new_v / c2) + 1e-8L));
        ASSERT_NEAR(optimizer.weights()[i], static_cast<double>(new_w),
                    2.5 * kRoundoff * std::fabs(w[i]) + 12 * kRoundoff * inherited);
      }
    }
  }
}

std::size_t moved(const Numbers& before, std::span<const double> after) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < before.size(); ++i) out += before[i] != after[i] ? 1 : 0;
  return out;
}

double mean(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

// 768 weights of 1 in BF16 and an update of 1e-3, less than half of the spacing below 1 (2^-8): none moves, ever.
TEST(OptimizerStep, Bf16SwallowsSmallUpdates) {
  const OptimizerSettings set{.kind = Kind::kSgd, .learning_rate = 1e-3};
  const Numbers ones(768, 1), gradient(768, 1);
  OptimizerStep nearest = started(set, all_in(format("bf16")), ones);
  for (int t = 0; t < 100; ++t) {
    const StepCounts counts = nearest.step(gradient);
    ASSERT_EQ(counts.wanted, 768U);
    ASSERT_EQ(counts.swallowed, 768U);
    ASSERT_EQ(counts.stored_movement, 0);
  }
  EXPECT_EQ(moved(ones, nearest.weights()), 0U);

  // Stochastically the mean moves as it should: 100 steps of 1e-3, each with a deviation below a spacing.
  OptimizerFormats stochastic = all_in(format("bf16"));
  stochastic.weight.rounding = Rounding::kStochastic;
  OptimizerStep fair = started(set, stochastic, ones);
  for (int t = 0; t < 100; ++t) fair.step(gradient);
  EXPECT_NEAR(mean(fair.weights()), 0.9, 4 * 0x1p-8 * std::sqrt(100.0 / 4 / 768));

  // A master weight takes all of them; its copy in BF16 moves when enough have come together.
  OptimizerFormats master = all_in(format("bf16"));
  master.master = Stored{.format = format("fp32")};
  OptimizerStep kept = started(set, master, ones);
  const StepCounts first = kept.step(gradient);
  EXPECT_EQ(first.swallowed, 0U);
  EXPECT_EQ(first.weight_unchanged, 768U);
  for (int t = 1; t < 100; ++t) kept.step(gradient);
  EXPECT_NEAR(kept.updated()[0], 0.9, 1e-5);
  EXPECT_EQ(kept.weights()[0], 0.8984375);  // 0.9 in BF16
}

struct Drift {
  double displacement = 0;
  double moved = 0;
};

// 500 steps of Adam with gradients N(1, 1/2) on weights N(0, 0.02).
Drift drift(double learning_rate, std::string_view weight, Rounding rounding) {
  constexpr std::size_t kWeights = 4000;
  OptimizerFormats formats = all_in(format("fp32"));
  formats.weight = {.format = format(weight), .rounding = rounding};
  OptimizerStep optimizer =
      started({.kind = Kind::kAdam, .learning_rate = learning_rate}, formats, normal(kWeights, 0, 0.02, 2));
  const Numbers before = copy(optimizer.weights());
  for (std::uint64_t t = 1; t <= 500; ++t) optimizer.step(normal(kWeights, 1, 0.5, 100 + t));
  return {mean(optimizer.weights()) - mean(before),
          static_cast<double>(moved(before, optimizer.weights())) / static_cast<double>(kWeights)};
}

TEST(OptimizerStep, FiveHundredStepsOfAdam) {
  const auto expect = [](const Drift& got, double displacement, double tolerance) {
    EXPECT_NEAR(got.displacement, displacement, tolerance * std::fabs(displacement));
  };
  const Drift nearest = drift(1e-5, "bf16", Rounding::kNearestEven);
  expect(drift(1e-5, "fp32", Rounding::kNearestEven), -4.48e-3, 0.01);
  expect(nearest, -5.3e-4, 0.1);
  EXPECT_NEAR(nearest.moved, 0.16, 0.02);
  expect(drift(1e-5, "bf16", Rounding::kStochastic), -4.48e-3, 0.02);
  expect(drift(1e-4, "fp32", Rounding::kNearestEven), -4.48e-2, 0.01);
  expect(drift(1e-4, "bf16", Rounding::kNearestEven), -2.67e-2, 0.05);
  expect(drift(1e-4, "bf16", Rounding::kStochastic), -4.48e-2, 0.02);
}

// 0.999 · 1 rounds to 1 in BF16: without gradients the second moment stays where it was.
TEST(OptimizerStep, SecondMomentsInBf16DoNotDecay) {
  OptimizerFormats formats = all_in(format("fp32"));
  formats.exp_avg_sq.format = format("bf16");
  const Numbers weights(10, 1), first(10, std::sqrt(1000.0)), nothing(10, 0);
  OptimizerStep narrow = started({}, formats, weights), wide = started({}, all_in(format("fp32")), weights);
  narrow.step(first);
  wide.step(first);
  ASSERT_EQ(narrow.exp_avg_sq()[0], 1);
  for (int t = 0; t < 2000; ++t) {
    ASSERT_EQ(narrow.step(nothing).exp_avg_sq_frozen, 10U);
    ASSERT_EQ(wide.step(nothing).exp_avg_sq_frozen, 0U);
  }
  EXPECT_EQ(narrow.exp_avg_sq()[0], 1);
  EXPECT_NEAR(wide.exp_avg_sq()[0], std::pow(0.999, 2000), 1e-4);
}

TEST(OptimizerStep, EpsVanishesInFp16) {
  OptimizerFormats half = all_in(format("fp16"));
  half.arithmetic = format("fp16");
  const Numbers weights(5, 1), nothing(5, 0);
  const StepCounts lost = started({.eps = 1e-8}, half, weights).step(nothing);
  EXPECT_EQ(lost.eps_lost, 5U);
  EXPECT_EQ(lost.became_nan, 5U);  // 0 / 0
  const StepCounts kept = started({.eps = 1e-7}, half, weights).step(nothing);
  EXPECT_EQ(kept.eps_lost, 0U);
  EXPECT_EQ(kept.became_nan, 0U);
  const StepCounts wide = started({.eps = 1e-8}, all_in(format("fp16")), weights).step(nothing);
  EXPECT_EQ(wide.eps_lost, 0U);
  EXPECT_EQ(wide.became_nan, 0U);
  // Small gradients: the square underflows in FP16, and m / 0 is infinite.
  const StepCounts small = started({.learning_rate = 1, .eps = 1e-8}, half, weights).step(Numbers(5, 1e-3));
  EXPECT_EQ(small.eps_lost, 5U);
  EXPECT_EQ(small.became_infinite, 5U);
}

TEST(OptimizerStep, StochasticRoundingIsReproducible) {
  OptimizerFormats formats = all_in(format("bf16"));
  formats.weight.rounding = formats.exp_avg.rounding = formats.exp_avg_sq.rounding = Rounding::kStochastic;
  const auto run = [&](std::uint64_t seed) {
    formats.seed = seed;
    OptimizerStep optimizer = started({}, formats, normal(5000, 0, 0.02, 3));
    for (std::uint64_t t = 0; t < 3; ++t) optimizer.step(normal(5000, 0, 1, 200 + t));
    return copy(optimizer.weights());
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(OptimizerStep, InfinitiesAndNanAreCounted) {
  OptimizerStep optimizer = started({}, all_in(format("fp32")), Numbers(3, 1));
  const StepCounts counts = optimizer.step(Numbers{INFINITY, std::nan(""), 1});
  EXPECT_EQ(counts.became_nan, 2U);  // ∞ / ∞ and NaN
  EXPECT_EQ(counts.wanted, 1U);
  EXPECT_EQ(optimizer.step(Numbers{1, 1, 1}).became_nan, 0U);  // they were none before
}

TEST(OptimizerStep, RefusesWhatCannotBe) {
  const auto refused = [](const OptimizerSettings& set) {
    const auto made = OptimizerStep::start(set, all_in(format("fp32")), Numbers{1});
    return !made && made.error().code == ErrorCode::kUsage && !made.error().message.empty();
  };
  EXPECT_TRUE(refused({.learning_rate = -1}));
  EXPECT_TRUE(refused({.learning_rate = std::nan("")}));
  EXPECT_TRUE(refused({.weight_decay = -1}));
  EXPECT_TRUE(refused({.momentum = -1}));
  EXPECT_TRUE(refused({.momentum = 0.9, .dampening = 0.1, .nesterov = true}));
  EXPECT_TRUE(refused({.nesterov = true}));
  EXPECT_TRUE(refused({.beta1 = 1}));
  EXPECT_TRUE(refused({.beta2 = -0.1}));
  EXPECT_TRUE(refused({.eps = INFINITY}));
  EXPECT_FALSE(refused({}));
}

}  // namespace
}  // namespace assay
