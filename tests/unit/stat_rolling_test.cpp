#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "stat/quantile.h"
#include "stat/rolling.h"
#include "stat_random.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

void expect_same(double actual, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual));
  } else {
    EXPECT_EQ(actual, expected);
  }
}

TEST(StatRolling, EverySizeAndTieAgreesWithSelectionToTheBit) {
  test::Random random(10);
  for (const std::size_t capacity : {1U, 2U, 3U, 4U, 5U, 16U, 63U, 64U, 130U}) {
    for (const std::size_t distinct : {2U, 7U, 1000000U}) {
      RollingMedian window(capacity);
      std::deque<double> slow;
      for (int step = 0; step < 600; ++step) {
        if (random.below(5) == 0) {
          window.pop_oldest();
          if (!slow.empty()) slow.pop_front();
        } else {
          const double value = (static_cast<double>(random.below(distinct)) - 1.0) / 3.0;
          EXPECT_TRUE(window.push(value));
          slow.push_back(value);
          if (slow.size() > capacity) slow.pop_front();
        }
        const std::vector<double> content(slow.begin(), slow.end());
        ASSERT_EQ(window.size(), content.size());
        ASSERT_TRUE(std::is_sorted(window.sorted().begin(), window.sorted().end()));
        expect_same(window.median(), median(content));
        expect_same(window.mad(), mad(content));
      }
    }
  }
}

TEST(StatRolling, RefusesNonFiniteAndStaysAsItWas) {
  RollingMedian window(3);
  EXPECT_FALSE(window.push(kNan));
  EXPECT_TRUE(window.empty());
  EXPECT_TRUE(std::isnan(window.median()));
  EXPECT_TRUE(std::isnan(window.mad()));
  window.pop_oldest();
  window.push(1.0);
  window.push(2.0);
  EXPECT_FALSE(window.push(kInf));
  EXPECT_FALSE(window.push(-kInf));
  EXPECT_EQ(window.size(), 2U);
  EXPECT_EQ(window.median(), 1.5);
  window.clear();
  EXPECT_TRUE(window.empty());
  window.push(9.0);
  EXPECT_EQ(window.median(), 9.0);
}

TEST(StatRolling, ZerosOfBothSigns) {
  RollingMedian window(2);
  for (const double value : {0.0, -0.0, 0.0, -0.0, -0.0}) window.push(value);
  EXPECT_FALSE(std::signbit(window.median()));
}

TEST(StatRolling, CapacityZeroIsOne) {
  RollingMedian window(0);
  EXPECT_EQ(window.capacity(), 1U);
  window.push(1.0);
  window.push(2.0);
  EXPECT_EQ(window.median(), 2.0);
}

TEST(StatRolling, ExtremeRangeDoesNotBreakTheOrder) {
  constexpr double kMax = std::numeric_limits<double>::max();
  RollingMedian window(3);
  for (const double value : {-kMax, kMax, 0.0, kMax, -kMax}) window.push(value);
  EXPECT_EQ(window.median(), 0.0);
  EXPECT_EQ(window.mad(), kMax);
}

TEST(StatRolling, BaselineLooksOnlyBack) {
  test::Random random(11);
  auto values = random.gauss(300);
  for (std::size_t i = 7; i < values.size(); i += 11) values[i] = i % 2 == 0 ? kNan : kInf;
  constexpr std::size_t kWindow = 16;
  RollingMedian window(kWindow);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> before;
    for (std::size_t j = i; j-- > 0 && before.size() < kWindow;) {
      if (std::isfinite(values[j])) before.push_back(values[j]);
    }
    const RobustBaseline baseline = window.baseline();
    ASSERT_EQ(baseline.count, before.size());
    expect_same(baseline.median, median(before));
    expect_same(baseline.mad, mad(before));
    window.push(values[i]);
  }
}

TEST(StatRolling, FrozenBaselineDoesNotLearnTheEvent) {
  RollingMedian window(8);
  for (int i = 0; i < 8; ++i) window.push(1.0 + 0.01 * i);
  const RobustBaseline before = window.baseline();
  EXPECT_GT(before.z(5.0), 50.0);
  EXPECT_EQ(window.baseline().median, before.median);
}

TEST(StatRolling, ZNeedsAFloorWhereTheSpreadIsZero) {
  const RobustBaseline flat{.median = 2.0, .mad = 0.0, .count = 8};
  EXPECT_EQ(flat.z(2.0), 0.0);
  EXPECT_EQ(flat.z(2.1), kInf);
  EXPECT_EQ(flat.z(1.9), -kInf);
  EXPECT_DOUBLE_EQ(flat.z(3.0, 0.5), 1.0 / (0.5 * kMadToSigma));
  EXPECT_TRUE(std::isnan(RobustBaseline{}.z(1.0)));
  EXPECT_TRUE(std::isnan(RobustBaseline{}.z(1.0, 0.5)));
  EXPECT_TRUE(std::isnan(flat.z(kNan)));
}

TEST(StatRolling, RunningMedianAgreesWithItsDefinition) {
  test::Random random(12);
  auto values = random.gauss(120);
  for (std::size_t i = 20; i < 40; ++i) values[i] = kNan;
  values[0] = kInf;
  for (const std::size_t half : {0U, 1U, 2U, 9U, 60U, 119U, 500U}) {
    const auto smooth = running_median(values, half);
    ASSERT_EQ(smooth.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t from = i > half ? i - half : 0;
      const std::size_t to = std::min(values.size(), i + half + 1);
      expect_same(smooth[i], median(std::span(values).subspan(from, to - from)));
    }
  }
  EXPECT_TRUE(running_median({}, 2).empty());
}

TEST(StatRolling, RunningMedianKeepsAStepAndDropsASpike) {
  const std::vector<double> values{1, 1, 1, 9, 1, 1, 1, 5, 5, 5, 5};
  EXPECT_EQ(running_median(values, 1), (std::vector<double>{1, 1, 1, 1, 1, 1, 1, 5, 5, 5, 5}));
}

}  // namespace
}  // namespace assay
