#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stat/quantile.h"
#include "stat_random.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();

/// Type 7 from its definition, on a fully sorted copy.
double slow_quantile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  const double h = static_cast<double>(values.size() - 1) * p;
  const auto low = static_cast<std::size_t>(std::floor(h));
  const auto high = static_cast<std::size_t>(std::ceil(h));
  return values[low] + (h - std::floor(h)) * (values[high] - values[low]);
}

TEST(StatQuantile, SmallSamples) {
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_EQ(median(std::vector{3.0}), 3.0);
  EXPECT_EQ(median(std::vector{3.0, 1.0}), 2.0);
  EXPECT_EQ(median(std::vector{3.0, 1.0, 7.0}), 3.0);
  EXPECT_EQ(median(std::vector{3.0, 1.0, 7.0, 5.0}), 4.0);
}

TEST(StatQuantile, PublishedType7) {
  // numpy.percentile documentation: [[10, 7, 4], [3, 2, 1]], 50 -> 3.5; R: quantile(1:10) -> 1, 3.25, 5.5, 7.75, 10.
  EXPECT_EQ(quantile(std::vector{10., 7., 4., 3., 2., 1.}, 0.5), 3.5);
  const std::vector<double> ten{10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
  EXPECT_EQ(quantiles(ten, std::vector{0.0, 0.25, 0.5, 0.75, 1.0}), (std::vector{1.0, 3.25, 5.5, 7.75, 10.0}));
  EXPECT_EQ(interquartile_range(ten), 4.5);
  // R: mad(c(1, 1, 2, 2, 4, 6, 9)) = 1.4826 (raw 1), the usual textbook example.
  EXPECT_EQ(mad(std::vector<double>{1, 1, 2, 2, 4, 6, 9}), 1.0);
  EXPECT_DOUBLE_EQ(robust_sigma(std::vector<double>{1, 1, 2, 2, 4, 6, 9}), kMadToSigma);
}

TEST(StatQuantile, SkipsNonFinite) {
  const std::vector<double> dirty{kNan, 1.0, kInf, 2.0, -kInf, 3.0, kNan};
  EXPECT_EQ(median(dirty), 2.0);
  EXPECT_EQ(quantile(dirty, 1.0), 3.0);
  EXPECT_EQ(mad(dirty), 1.0);
  EXPECT_EQ(mad_about(dirty, 0.0), 2.0);
  const std::vector<double> hopeless{kNan, kInf};
  EXPECT_TRUE(std::isnan(median(hopeless)));
  EXPECT_TRUE(std::isnan(mad(hopeless)));
  EXPECT_TRUE(std::isnan(interquartile_range(hopeless)));
  EXPECT_TRUE(std::isnan(mad_about(dirty, kNan)));
}

TEST(StatQuantile, ProbabilityOutsideAndNan) {
  const std::vector<double> values{1, 2, 3};
  EXPECT_EQ(quantile(values, -4.0), 1.0);
  EXPECT_EQ(quantile(values, kInf), 3.0);
  EXPECT_TRUE(std::isnan(quantile(values, kNan)));
  const auto out = quantiles(values, std::vector{0.5, kNan, 0.0, 0.5});
  EXPECT_EQ(out[0], 2.0);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_EQ(out[2], 1.0);
  EXPECT_EQ(out[3], 2.0);
}

TEST(StatQuantile, HugeValuesDoNotOverflow) {
  EXPECT_EQ(median(std::vector{kMax, kMax}), kMax);
  EXPECT_EQ(median(std::vector{-kMax, kMax}), 0.0);
  EXPECT_TRUE(std::isfinite(quantile(std::vector{-kMax, kMax}, 0.3)));
}

TEST(StatQuantile, AgreesWithSorting) {
  test::Random random(1);
  std::vector<double> scratch;
  for (std::size_t n = 1; n < 60; ++n) {
    for (const bool ties : {false, true}) {
      const auto values = ties ? random.tied(n, 5) : random.gauss(n);
      std::vector<double> ps;
      for (int i = 0; i < 9; ++i) ps.push_back(random.uniform());
      std::vector<double> out(ps.size());
      quantiles(values, ps, out, scratch);
      for (std::size_t i = 0; i < ps.size(); ++i) {
        EXPECT_NEAR(out[i], slow_quantile(values, ps[i]), 1e-14 * 8) << n << ' ' << ps[i];
        EXPECT_EQ(out[i], quantile(values, ps[i], scratch));
        auto sorted = values;
        std::sort(sorted.begin(), sorted.end());
        EXPECT_EQ(out[i], quantile_sorted(sorted, ps[i]));
      }
      EXPECT_EQ(median(values), median(values, scratch));
      EXPECT_EQ(mad(values, scratch), mad_about(values, median(values), scratch));
    }
  }
}

TEST(StatQuantile, ShiftAndScale) {
  test::Random random(2);
  const auto values = random.gauss(101);
  auto moved = values;
  for (double& value : moved) value = 4.0 * value + 64.0;
  for (const double p : {0.1, 0.5, 0.93}) EXPECT_NEAR(quantile(moved, p), 4.0 * quantile(values, p) + 64.0, 1e-12);
  EXPECT_NEAR(mad(moved), 4.0 * mad(values), 1e-12);
  EXPECT_NEAR(interquartile_range(moved), 4.0 * interquartile_range(values), 1e-12);
}

TEST(StatQuantile, RobustSigmaOfGaussianValuesWithOutliers) {
  test::Random random(3);
  auto values = random.gauss(20000, 5.0, 0.25);
  EXPECT_NEAR(robust_sigma(values), 0.25, 0.01);
  for (std::size_t i = 0; i < values.size(); i += 50) values[i] = 1e30;
  EXPECT_NEAR(robust_sigma(values), 0.25, 0.02);
  EXPECT_NEAR(median(values), 5.0, 0.02);
}

}  // namespace
}  // namespace assay
