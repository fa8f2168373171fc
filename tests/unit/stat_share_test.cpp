#include <gtest/gtest.h>

#include <vector>

#include "stat/share.h"

namespace assay {
namespace {

TEST(StatShare, NewcombeTable) {
  // Newcombe 1998, table I, method 3 (score, without continuity correction).
  const struct {
    Share share;
    double lower, upper;
  } rows[] = {
      {{81, 263}, 0.2553, 0.3662}, {{15, 148}, 0.0624, 0.1605}, {{0, 20}, 0.0, 0.1611}, {{1, 29}, 0.0061, 0.1718}};
  for (const auto& row : rows) {
    EXPECT_NEAR(row.share.lower_bound(), row.lower, 5e-5);
    EXPECT_NEAR(row.share.upper_bound(), row.upper, 5e-5);
  }
}

TEST(StatShare, BoundsSolveTheScoreEquation) {
  for (std::size_t n = 1; n < 40; ++n) {
    for (std::size_t k = 0; k <= n; ++k) {
      const Share share{k, n};
      const Share rest{n - k, n};
      EXPECT_LE(share.lower_bound(), share.value());
      EXPECT_GE(share.upper_bound(), share.value());
      EXPECT_NEAR(share.lower_bound(), 1.0 - rest.upper_bound(), 1e-12);
      for (const double p : {share.lower_bound(), share.upper_bound()}) {
        if (p == 0.0 || p == 1.0) continue;
        const double sigma = std::sqrt(p * (1.0 - p) / static_cast<double>(n));
        EXPECT_NEAR(std::abs(share.value() - p), kZ95 * sigma, 1e-12);
      }
    }
  }
}

TEST(StatShare, NothingCounted) {
  const Share none;
  EXPECT_TRUE(std::isnan(none.value()));
  EXPECT_EQ(none.lower_bound(), 0.0);
  EXPECT_EQ(none.upper_bound(), 1.0);
  const Share odd{5, 3};
  EXPECT_EQ(odd.value(), 1.0);
  EXPECT_LE(odd.lower_bound(), 1.0);
}

TEST(StatShare, AFewStepsProveLittle) {
  EXPECT_LT((Share{3, 3}.lower_bound()), 0.5);
  EXPECT_GT((Share{1000, 1000}.lower_bound()), 0.99);
}

TEST(StatShare, CountsStrictlyAndSkipsNan) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> values{0.5, 1.0, 1.5, kNan, kInf, -kInf};
  const Share above = share_above(values, 1.0);
  EXPECT_EQ(above.hits, 2U);
  EXPECT_EQ(above.total, 5U);
  EXPECT_EQ(share_below(values, 1.0).hits, 2U);
  EXPECT_EQ(share_of(values, [](double value) { return value == 1.0; }).hits, 1U);
}

}  // namespace
}  // namespace assay
