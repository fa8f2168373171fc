#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stat/correlation.h"
#include "stat/ranks.h"
#include "stat_random.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// F. J. Anscombe, "Graphs in Statistical Analysis", The American Statistician 27 (1973), the first and third sets.
const std::vector<double> kX{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
const std::vector<double> kY1{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
const std::vector<double> kY3{7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73};

TEST(StatCorrelation, Anscombe) {
  EXPECT_NEAR(pearson(kX, kY1), 0.8164, 5e-5);
  EXPECT_NEAR(pearson(kX, kY3), 0.8163, 5e-5);
  // Without the outlier the third set is a line; ranks see that at once.
  EXPECT_GT(spearman(kX, kY3), 0.99 * 0.99);
}

TEST(StatCorrelation, PublishedSpearman) {
  // IQ against hours of television, the worked example of the encyclopaedia article: rho = -29/165.
  const std::vector<double> iq{106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
  const std::vector<double> hours{7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
  EXPECT_NEAR(spearman(iq, hours), -29.0 / 165.0, 1e-12);
}

TEST(StatCorrelation, MonotoneIsOneWhateverTheShape) {
  std::vector<double> x, y, down;
  for (int i = 0; i < 50; ++i) {
    x.push_back(i);
    y.push_back(std::exp(0.3 * i));
    down.push_back(-y.back());
  }
  EXPECT_DOUBLE_EQ(spearman(x, y), 1.0);
  EXPECT_DOUBLE_EQ(spearman(x, down), -1.0);
  EXPECT_LT(pearson(x, y), 0.8);
}

TEST(StatCorrelation, Degenerate) {
  EXPECT_TRUE(std::isnan(pearson({}, {})));
  EXPECT_TRUE(std::isnan(pearson(std::vector{1.0}, std::vector{2.0})));
  EXPECT_TRUE(std::isnan(pearson(std::vector{1.0, 2.0}, std::vector{0.3, 0.3})));
  EXPECT_TRUE(std::isnan(pearson(std::vector{0.0, 0.0}, std::vector{1.0, 2.0})));
  EXPECT_TRUE(std::isnan(spearman(std::vector{5.0, 5.0}, std::vector{1.0, 2.0})));
  EXPECT_DOUBLE_EQ(pearson(std::vector{1.0, kNan, 2.0, 3.0}, std::vector{1.0, 9.0, 2.0, 3.0, 77.0}), 1.0);
}

TEST(StatCorrelation, LevelScaleAndHugeValues) {
  test::Random random(20);
  const auto x = random.gauss(200);
  std::vector<double> y, z, huge;
  for (const double value : x) y.push_back(0.5 * value + random.gauss());
  for (const double value : y) z.push_back(1e6 - 3.0 * value);
  for (const double value : y) huge.push_back(value * 1e307);
  EXPECT_NEAR(pearson(x, z), -pearson(x, y), 1e-9);
  EXPECT_NEAR(pearson(x, huge), pearson(x, y), 1e-12);
  EXPECT_EQ(pearson(x, y), pearson(y, x));
}

TEST(StatRanks, TiesShareTheirMean) {
  const Ranks ranks = average_ranks(std::vector<double>{3, 1, 3, 2, 3});
  EXPECT_EQ(ranks.rank, (std::vector<double>{4, 1, 4, 2, 4}));
  EXPECT_EQ(ranks.groups, (std::vector<std::int64_t>{3}));
  EXPECT_NEAR(two_sided_p(1.959963984540054), 0.05, 1e-12);
}

}  // namespace
}  // namespace assay
