#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stat/quantile.h"
#include "stat/trend.h"
#include "stat_random.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

double slow_theil_sen(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (x[i] < x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
    }
  }
  std::sort(slopes.begin(), slopes.end());
  const std::size_t n = slopes.size();
  return n % 2 == 1 ? slopes[n / 2] : 0.5 * (slopes[n / 2 - 1] + slopes[n / 2]);
}

TEST(StatTrend, TheilSenOfShortSeriesIsExact) {
  test::Random random(30);
  for (const std::size_t n : {2U, 3U, 10U, 61U, 200U}) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(static_cast<double>(random.below(2 * n)));
      y.push_back(random.gauss());
    }
    x[0] = -1.0;  // at least two different x
    const auto line = theil_sen(x, y);
    ASSERT_TRUE(line);
    EXPECT_NEAR(line->slope, slow_theil_sen(x, y), 1e-12);
  }
}

TEST(StatTrend, TheilSenFindsALineUnderSpikes) {
  test::Random random(31);
  std::vector<double> x, y;
  for (int i = 0; i < 100'000; ++i) {
    x.push_back(1000.0 + 10.0 * i);
    y.push_back(8.0 - 2e-6 * x.back() + 0.05 * random.gauss());
    if (random.below(10) == 0) y.back() += 50.0;
    if (random.below(1000) == 0) y.back() = kNan;
  }
  const auto line = theil_sen(x, y);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->slope, -2e-6, 2e-8);
  EXPECT_NEAR(line->at(500'000.0), 7.0, 0.03);
}

/// The same series scaled by 2, shifted by 5 and tilted.
std::vector<double> moved(const std::vector<double>& y, double tilt) {
  std::vector<double> out;
  for (std::size_t i = 0; i < y.size(); ++i) out.push_back(2.0 * y[i] + tilt * static_cast<double>(i) + 5.0);
  return out;
}

TEST(StatTrend, TheilSenMovesWithItsData) {
  // Exact for a tilt as well while all pairs are used; with block medians only for scale and shift, since the median
  // of a tilted run is another point of it.
  test::Random random(32);
  for (const std::size_t n : {200U, 777U}) {
    const double tilt = n == 200U ? 0.25 : 0.0;
    const auto y = random.gauss(n);
    const auto line = theil_sen(y);
    const auto other = theil_sen(moved(y, tilt));
    ASSERT_TRUE(line && other);
    EXPECT_NEAR(other->slope, 2.0 * line->slope + tilt, 1e-12);
    EXPECT_NEAR(other->intercept, 2.0 * line->intercept + 5.0, 1e-10);
  }
}

TEST(StatTrend, TheilSenWithoutALine) {
  EXPECT_FALSE(theil_sen({}));
  EXPECT_FALSE(theil_sen(std::vector{1.0}));
  EXPECT_FALSE(theil_sen(std::vector{kNan, 1.0, kInf}));
  EXPECT_FALSE(theil_sen(std::vector{3.0, 3.0}, std::vector{1.0, 2.0}));
  EXPECT_EQ(theil_sen(std::vector{2.0, kNan, 2.0})->slope, 0.0);
  EXPECT_TRUE(theil_sen(std::vector{1.0, 2.0, 3.0}, 0));  // at least two blocks are made
}

TEST(StatTrend, NeighborNoise) {
  test::Random random(33);
  auto values = random.gauss(50'000, 3.0, 0.2);
  EXPECT_NEAR(neighbor_noise(values), 0.2, 0.004);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 1e-4 * static_cast<double>(i);
  for (std::size_t i = 3; i < values.size(); i += 40) values[i] = 1e9;
  for (std::size_t i = 9; i < values.size(); i += 100) values[i] = kNan;
  EXPECT_NEAR(neighbor_noise(values), 0.2, 0.02);
  EXPECT_TRUE(std::isnan(neighbor_noise({})));
  EXPECT_TRUE(std::isnan(neighbor_noise(std::vector{1.0, kInf})));
  EXPECT_EQ(neighbor_noise(std::vector{1.0, 1.0, 1.0, 2.0}), 0.0);
  EXPECT_NEAR(neighbor_noise(std::vector{1.0, kNan, 2.0}), 1.0483584, 1e-6);
}

TEST(StatTrend, MannWhitneyPublished) {
  // scipy.stats.mannwhitneyu, documentation: ages at diagnosis; asymptotic with continuity correction.
  const std::vector<double> males{19, 22, 16, 29, 24};
  const std::vector<double> females{20, 11, 17, 12};
  const auto test = mann_whitney(females, males);
  ASSERT_TRUE(test);
  EXPECT_EQ(test->u, 17.0);
  EXPECT_NEAR(test->p, 0.11134688653314041, 1e-14);
  EXPECT_GT(test->z, 0.0);
  EXPECT_DOUBLE_EQ(test->superiority, 17.0 / 20.0);
}

TEST(StatTrend, MannWhitneyAgreesWithCountingPairs) {
  test::Random random(34);
  for (int round = 0; round < 50; ++round) {
    const auto a = random.tied(1 + random.below(20), 6);
    const auto b = random.tied(1 + random.below(20), 6);
    double u = 0.0;
    for (const double x : a) {
      for (const double y : b) u += y > x ? 1.0 : (y == x ? 0.5 : 0.0);
    }
    const auto there = mann_whitney(a, b);
    const auto back = mann_whitney(b, a);
    ASSERT_TRUE(there && back);
    EXPECT_EQ(there->u, u);
    EXPECT_NEAR(there->z, -back->z, 1e-12);
    EXPECT_NEAR(there->p, back->p, 1e-12);
  }
}

TEST(StatTrend, MannWhitneyVarianceIsThatOfAllArrangements) {
  // With z^2 = (|d| - 1/2)^2 / variance the variance can be read back and compared with the one over all ways to
  // deal the pooled, tied values into two windows.
  const std::vector<double> pool{1, 1, 2, 3, 3, 3, 7, 9};
  double sum = 0.0, squares = 0.0, deals = 0.0;
  for (unsigned mask = 0; mask < 256U; ++mask) {
    std::vector<double> a, b;
    for (unsigned i = 0; i < 8U; ++i) ((mask >> i & 1U) != 0U ? a : b).push_back(pool[i]);
    if (a.size() != 3) continue;
    const double u = mann_whitney(a, b)->u;
    sum += u;
    squares += u * u;
    deals += 1.0;
  }
  const double mean = sum / deals;
  EXPECT_NEAR(mean, 7.5, 1e-12);
  const double variance = squares / deals - mean * mean;
  const auto extreme = mann_whitney(std::vector<double>{1, 1, 2}, std::vector<double>{3, 3, 3, 7, 9});
  EXPECT_NEAR(extreme->z, (7.5 - 0.5) / std::sqrt(variance), 1e-12);
}

TEST(StatTrend, MannWhitneyDegenerate) {
  EXPECT_FALSE(mann_whitney({}, std::vector{1.0}));
  EXPECT_FALSE(mann_whitney(std::vector{kNan}, std::vector{1.0}));
  const std::vector<double> flat(1000, 2.5);
  EXPECT_EQ(mann_whitney(flat, flat)->z, 0.0);
  EXPECT_EQ(mann_whitney(flat, flat)->p, 1.0);
  const auto infinite = mann_whitney(std::vector{1.0, 2.0, kNan}, std::vector{kInf, kInf});
  EXPECT_EQ(infinite->superiority, 1.0);
}

TEST(StatTrend, MedianShift) {
  const auto shift = median_shift(std::vector<double>{1, 2, 3, kNan}, std::vector<double>{5, 6, 7, kInf});
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->difference(), 4.0);
  EXPECT_EQ(shift->mad, 1.0);
  EXPECT_DOUBLE_EQ(shift->n, 1.5);
  EXPECT_DOUBLE_EQ(shift->units(), 4.0 * std::sqrt(1.5));
  EXPECT_FALSE(median_shift({}, std::vector{1.0}));
  EXPECT_EQ(median_shift(std::vector{1.0, 1.0}, std::vector{1.0, 1.0})->units(), 0.0);
  EXPECT_EQ(median_shift(std::vector{1.0, 1.0}, std::vector{2.0, 2.0})->units(), kInf);
}

TEST(StatTrend, MedianShiftUnitsOfPureNoise) {
  test::Random random(35);
  double squares = 0.0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    const double units = median_shift(random.gauss(101), random.gauss(301))->units();
    squares += units * units;
  }
  EXPECT_NEAR(std::sqrt(squares / kRounds), 1.858, 0.1);
}

TEST(StatTrend, MannKendallClosedForm) {
  std::vector<double> rising;
  for (int i = 0; i < 10; ++i) rising.push_back(i * i);
  const MannKendall test = mann_kendall(rising);
  EXPECT_EQ(test.s, 45);
  EXPECT_EQ(test.tau, 1.0);
  EXPECT_NEAR(test.z, 44.0 / std::sqrt(125.0), 1e-12);
  EXPECT_EQ(test.sign(), 1);
  std::reverse(rising.begin(), rising.end());
  EXPECT_EQ(mann_kendall(rising).sign(), -1);
  EXPECT_EQ(mann_kendall({}).sign(), 0);
  EXPECT_EQ(mann_kendall(std::vector{1.0, kNan}).p, 1.0);
  EXPECT_EQ(mann_kendall(std::vector<double>(5000, 0.1)).z, 0.0);
}

TEST(StatTrend, MannKendallAgreesWithCountingPairs) {
  test::Random random(36);
  for (std::size_t n = 2; n < 70; ++n) {
    auto values = random.tied(n, 1 + random.below(2 * n));
    values[random.below(n)] = kInf;
    std::int64_t s = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) s += values[j] > values[i] ? 1 : (values[j] < values[i] ? -1 : 0);
    }
    EXPECT_EQ(mann_kendall(values).s, s) << n;
  }
}

TEST(StatTrend, MannKendallOfNoiseIsRarelySure) {
  test::Random random(37);
  int alarms = 0;
  for (int round = 0; round < 1000; ++round) alarms += mann_kendall(random.gauss(50)).p < 0.05 ? 1 : 0;
  EXPECT_GT(alarms, 25);
  EXPECT_LT(alarms, 80);
}

}  // namespace
}  // namespace assay
