// The predicted share of swallowed updates against steps that are done.

#include "sim/swallowed_updates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "num/distribution.h"
#include "num/rounder.h"

namespace assay {
namespace {

using Numbers = std::vector<double>;

NumberFormat format(std::string_view name) { return number_format(name).value(); }

Numbers normal(std::size_t count, double deviation, std::uint64_t stream) {
  Numbers out(count);
  draw(Distribution::kNormal, 0, deviation, 5, stream, 0, out);
  return out;
}

// AdamW with BF16 weights N(0, 0.02): the issue's own case.
TEST(SwallowedUpdates, AdamWInBf16IsPredicted) {
  const NumberFormat bf16 = format("bf16");
  constexpr std::size_t kWeights = 20000;
  for (const double learning_rate : {1e-5, 1e-4, 1e-3}) {
    const OptimizerSettings set{.learning_rate = learning_rate, .weight_decay = 0.01};
    OptimizerStep optimizer = OptimizerStep::start(set, all_in(bf16), normal(kWeights, 0.02, 1)).value();
    for (std::uint64_t t = 1; t <= 300; ++t) {
      const Numbers before(optimizer.weights().begin(), optimizer.weights().end());
      const StepCounts counts = optimizer.step(normal(kWeights, 1, 100 + t));
      if (t != 1 && t != 2 && t != 10 && t != 100 && t != 300) continue;
      const double measured = static_cast<double>(counts.swallowed) / static_cast<double>(counts.wanted);
      const UpdateSizes sizes = adam_sizes(set, t);
      const double deviation = std::hypot(0.02, adam_walk(set, t - 1));
      // 20 % is asked for; here 6 %, and four standard deviations of a count.
      const double tolerance = 0.06 * measured + 4 * std::sqrt(measured / kWeights) + 1e-4;
      EXPECT_NEAR(swallowed_share(bf16, deviation, sizes), measured, tolerance) << learning_rate << ", step " << t;
      EXPECT_NEAR(swallowed_share(bf16, before, sizes), measured, tolerance) << learning_rate << ", step " << t;
    }
  }
}

TEST(SwallowedUpdates, NumbersToExpect) {
  const NumberFormat bf16 = format("bf16");
  const auto share = [&](double learning_rate) {
    return swallowed_share(bf16, 0.02, adam_sizes({.learning_rate = learning_rate}, 100000));
  };
  EXPECT_NEAR(share(1e-5), 0.973, 0.002);
  EXPECT_NEAR(share(1e-4), 0.746, 0.002);
  EXPECT_NEAR(share(1e-3), 0.153, 0.002);
  // FP16 has 8 times finer steps, FP32 65536 times.
  EXPECT_NEAR(swallowed_share(format("fp16"), 0.02, adam_sizes({.learning_rate = 1e-4}, 100000)),
              swallowed_share(bf16, 0.02, adam_sizes({.learning_rate = 8e-4}, 100000)), 0.002);
  EXPECT_LT(swallowed_share(format("fp32"), 0.02, adam_sizes({.learning_rate = 1e-4}, 100000)), 1e-4);
}

// Any rounding and format: weights and updates drawn, rounded, counted.
TEST(SwallowedUpdates, EveryRoundingIsPredicted) {
  constexpr std::size_t kWeights = 100000;
  const Numbers drawn = normal(kWeights, 0.02, 2), updates = normal(kWeights, 5e-5, 3);
  for (const std::string_view name : {"bf16", "fp16", "e4m3", "hif8"}) {
    for (const Rounding rounding : {Rounding::kNearestEven, Rounding::kNearestAway, Rounding::kTowardZero,
                                    Rounding::kUp, Rounding::kDown, Rounding::kToOdd, Rounding::kStochastic}) {
      const NumberFormat to = format(name);
      Numbers weights(kWeights), moved(kWeights);
      const Rounder nearest(to, {});
      nearest(drawn, weights);
      for (std::size_t i = 0; i < kWeights; ++i) moved[i] = weights[i] + updates[i];
      const Rounder rounder(to, {.rounding = rounding, .random_bits = 32, .seed = 1});
      rounder(moved, moved);
      double same = 0;
      for (std::size_t i = 0; i < kWeights; ++i) same += moved[i] == weights[i] ? 1.0 / kWeights : 0;
      // To odd, half of the numbers count as odd, which a format with so few numbers bends.
      const double bent = rounding == Rounding::kToOdd && to.precision <= 4 ? 0.02 : 0;
      EXPECT_NEAR(swallowed_share(to, drawn, normal_sizes(5e-5), rounding), same, 0.01 + bent) << name;
      EXPECT_NEAR(swallowed_share(to, 0.02, normal_sizes(5e-5), rounding), same, 0.015 + bent) << name;
    }
  }
}

// Sizes of m̂ / √v̂ by simulation.
TEST(SwallowedUpdates, SizesOfAdamUpdatesAreRight) {
  constexpr std::size_t kRuns = 20000;
  const OptimizerSettings set{.learning_rate = 1, .eps = 0};
  Numbers m(kRuns), v(kRuns);
  for (std::uint64_t t = 1; t <= 200; ++t) {
    const Numbers g = normal(kRuns, 1, 1000 + t);
    const auto step = static_cast<double>(t);
    for (std::size_t i = 0; i < kRuns; ++i) {
      m[i] = 0.9 * m[i] + 0.1 * g[i];
      v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
    }
    if (t != 2 && t != 3 && t != 10 && t != 50 && t != 200) continue;
    const UpdateSizes sizes = adam_sizes(set, t);
    for (const double limit : {0.05, 0.1, 0.2, 0.5, 0.8}) {
      double below = 0;
      for (std::size_t i = 0; i < kRuns; ++i) {
        const double update = m[i] / (1 - std::pow(0.9, step)) / std::sqrt(v[i] / (1 - std::pow(0.999, step)));
        below += std::fabs(update) < limit ? 1.0 / kRuns : 0;
      }
      EXPECT_NEAR(sizes(limit), below, 0.015) << "step " << t << ", below " << limit;
    }
  }
  EXPECT_EQ(adam_sizes(set, 1)(0.99), 0);
  EXPECT_EQ(adam_sizes(set, 1)(1.01), 1);
}

TEST(SwallowedUpdates, WalkOfAdam) {
  const OptimizerSettings set{.learning_rate = 1e-3};
  EXPECT_NEAR(adam_walk(set, 1), 1e-3, 1e-15);
  // Both gradients are in the second update with 0.1 · 0.9 / 0.19 and 0.1 / 0.19, the first in the first with 1.
  EXPECT_NEAR(adam_walk(set, 2), 1e-3 * std::hypot(1 + 0.09 / 0.19, 0.1 / 0.19), 1e-15);
  EXPECT_EQ(adam_walk(set, 0), 0);
  OptimizerStep optimizer = OptimizerStep::start(set, all_in(format("fp32")), Numbers(5000, 0)).value();
  for (std::uint64_t t = 1; t <= 200; ++t) optimizer.step(normal(5000, 1, 5000 + t));
  double squares = 0;
  for (const double weight : optimizer.weights()) squares += weight * weight / 5000;
  EXPECT_NEAR(std::sqrt(squares), adam_walk(set, 200), 0.04 * adam_walk(set, 200));
}

}  // namespace
}  // namespace assay
