// Grad norms against a clip threshold, and the batch that a counter tells, with generated runs of known truth.

#include "measure/seen_clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "measure/seen_batch.h"
#include "unit/stat_random.h"
#include "unit/support/make_run.h"

namespace assay {

namespace {

using test::MakeRun;

std::vector<double> norms(std::size_t count, double level, double sigma = 0.3) {
  test::Random random(7);
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(level * std::exp(sigma * random.gauss()));
  return out;
}

std::optional<SeenNorms> seen(std::vector<double> values) {
  return seen_norms(MakeRun().series(metric::kGradNorm, std::move(values)).done(), 0);
}

TEST(SeenClip, BeforeClipping) {
  const auto all = seen(norms(500, 2.0));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->values.size(), 450U);  // without the first tenth
  EXPECT_EQ(all->steps, (StepRange{51, 500}));
  EXPECT_FALSE(all->piled_at);
  const Share clipped = all->clipped(1.0);
  EXPECT_GT(clipped.lower_bound(), 0.95);
  EXPECT_EQ(all->clipped(100).hits, 0U);
}

TEST(SeenClip, AfterClippingTheyPileUp) {
  std::vector<double> values = norms(500, 0.9);
  for (double& x : values) x = std::min(x, 1.0);
  const auto all = seen(values);
  ASSERT_TRUE(all && all->piled_at);
  EXPECT_DOUBLE_EQ(*all->piled_at, 1.0);
  EXPECT_NEAR(all->clipped(1.0).value(), 0.36, 0.08);
  EXPECT_EQ(all->above(1.0).hits, 0U);
  const auto one = seen(std::vector<double>(100, 1.0));
  ASSERT_TRUE(one && one->piled_at);
  EXPECT_DOUBLE_EQ(one->clipped(1.0).value(), 1.0);
}

// What one decimal makes of norms is no pile, and neither is a greatest value that comes once.
TEST(SeenClip, CoarseOnesDoNot) {
  std::vector<double> values = norms(500, 0.4, 0.2);
  for (double& x : values) x = std::round(10 * x) / 10;
  const auto all = seen(values);
  ASSERT_TRUE(all);
  EXPECT_FALSE(all->piled_at);
}

TEST(SeenClip, TooFew) {
  EXPECT_FALSE(seen({1, 2, 3, 4}));
  EXPECT_FALSE(seen({0, 0, 0, 0, 0, NAN}));
}

std::optional<SeenBatch> batch(const std::vector<double>& sizes, std::int64_t every = 1) {
  std::vector<double> consumed;
  double sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sum += sizes[i];
    if ((i + 1) % static_cast<std::size_t>(every) == 0) consumed.push_back(sum);
  }
  return seen_batch(MakeRun().steps(every, every).series(metric::kConsumedSamples, consumed).done(),
                    metric::kConsumedSamples);
}

TEST(SeenBatch, SteadyAndGrowing) {
  const auto steady = batch(std::vector<double>(200, 512), 10);
  ASSERT_TRUE(steady);
  EXPECT_DOUBLE_EQ(steady->last, 512);
  EXPECT_TRUE(steady->steady);
  EXPECT_FALSE(steady->grows);
  std::vector<double> sizes;
  for (int i = 0; i < 300; ++i) sizes.push_back(std::min(32 + 32 * (i / 20), 256));
  const auto grown = batch(sizes);
  ASSERT_TRUE(grown);
  EXPECT_TRUE(grown->grows);
  EXPECT_TRUE(grown->steady);
  EXPECT_DOUBLE_EQ(grown->first, 32);
  EXPECT_DOUBLE_EQ(grown->last, 256);
}

TEST(SeenBatch, UnpaddedTokensAreNotSteady) {
  const auto some = batch(norms(200, 30'000, 0.2));
  ASSERT_TRUE(some);
  EXPECT_FALSE(some->steady);
}

}  // namespace

}  // namespace assay
