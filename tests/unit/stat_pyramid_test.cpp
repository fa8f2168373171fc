#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stat/pyramid.h"
#include "stat_random.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> dirty_series(std::size_t n, unsigned long long seed) {
  test::Random random(seed);
  auto values = random.tied(n, 50);
  for (double& value : values) {
    const std::size_t dice = random.below(12);
    if (dice == 0) value = kNan;
    if (dice == 1) value = kInf;
    if (dice == 2) value = -kInf;
  }
  return values;
}

/// Field by field from the definition.
void expect_true_bucket(const Bucket& bucket, std::span<const double> values) {
  std::vector<std::size_t> finite;
  bool nan = false, up = false, down = false;
  for (std::size_t i = bucket.first; i <= bucket.last; ++i) {
    if (std::isfinite(values[i])) finite.push_back(i);
    nan |= std::isnan(values[i]);
    up |= values[i] == kInf;
    down |= values[i] == -kInf;
  }
  EXPECT_EQ(bucket.finite, finite.size());
  EXPECT_EQ((bucket.non_finite & Bucket::kNan) != 0, nan);
  EXPECT_EQ((bucket.non_finite & Bucket::kPositiveInfinity) != 0, up);
  EXPECT_EQ((bucket.non_finite & Bucket::kNegativeInfinity) != 0, down);
  if (finite.empty()) {
    EXPECT_TRUE(std::isnan(bucket.min) && std::isnan(bucket.max));
    EXPECT_EQ(bucket.min_at, bucket.first);
    EXPECT_EQ(bucket.max_at, bucket.first);
    return;
  }
  const auto less = [&](std::size_t a, std::size_t b) { return values[a] < values[b]; };
  const std::size_t low = *std::min_element(finite.begin(), finite.end(), less);
  const std::size_t high = *std::max_element(finite.begin(), finite.end(), less);
  EXPECT_EQ(bucket.min_at, low);
  EXPECT_EQ(bucket.max_at, high);
  EXPECT_EQ(bucket.min, values[low]);
  EXPECT_EQ(bucket.max, values[high]);
}

TEST(StatPyramid, EveryLevelTellsTheTruth) {
  for (std::size_t n = 1; n < 140; ++n) {
    const auto values = dirty_series(n, n);
    for (const std::size_t most : {1U, 2U, 7U, 32U, 1000U}) {
      PyramidLevel level = finest_level(values, most);
      EXPECT_LE(level.buckets.size(), most);
      EXPECT_TRUE(level.width == 1 || (n + level.width / 2 - 1) / (level.width / 2) > most) << "a finer one fits";
      std::size_t next = 0;
      for (const Bucket& bucket : level.buckets) {
        EXPECT_EQ(bucket.first, next);
        EXPECT_EQ(bucket.first % level.width, 0U);
        next = bucket.last + 1;
        expect_true_bucket(bucket, values);
      }
      EXPECT_EQ(next, n);
      while (level.buckets.size() > 1) {
        const PyramidLevel up = coarser_level(level);
        EXPECT_EQ(up.width, 2 * level.width);
        EXPECT_EQ(up.buckets, finest_level(values, up.buckets.size()).buckets);
        level = up;
      }
    }
  }
}

TEST(StatPyramid, NoSpikeIsLost) {
  std::vector<double> values(100'003, 1.0);
  test::Random random(60);
  for (int round = 0; round < 50; ++round) {
    const std::size_t place = random.below(values.size());
    values[place] = 77.0;
    const PyramidLevel level = finest_level(values, 128);
    EXPECT_EQ(level.buckets[place / level.width].max, 77.0);
    EXPECT_EQ(level.buckets[place / level.width].max_at, place);
    const auto columns = even_buckets(values, 40);
    EXPECT_EQ(std::count_if(columns.begin(), columns.end(), [](const Bucket& bucket) { return bucket.max == 77.0; }),
              1);
    values[place] = 1.0;
  }
}

TEST(StatPyramid, EmptyAndZero) {
  EXPECT_TRUE(finest_level({}, 10).buckets.empty());
  EXPECT_TRUE(coarser_level({}).buckets.empty());
  EXPECT_TRUE(even_buckets({}, 10).empty());
  EXPECT_TRUE(even_buckets(std::vector{1.0}, 0).empty());
  EXPECT_EQ(finest_level(std::vector{1.0, 2.0, 3.0}, 0).buckets.size(), 1U);
}

TEST(StatPyramid, EvenBucketsPartitionTheSeries) {
  for (std::size_t n = 1; n < 90; ++n) {
    const auto values = dirty_series(n, 1000 + n);
    for (const std::size_t columns : {1U, 3U, 40U}) {
      const auto buckets = even_buckets(values, columns);
      ASSERT_EQ(buckets.size(), std::min<std::size_t>(columns, n));
      std::size_t next = 0, shortest = n, longest = 0;
      for (const Bucket& bucket : buckets) {
        EXPECT_EQ(bucket.first, next);
        next = bucket.last + 1;
        shortest = std::min(shortest, next - bucket.first);
        longest = std::max(longest, next - bucket.first);
        expect_true_bucket(bucket, values);
      }
      EXPECT_EQ(next, n);
      EXPECT_LE(longest - shortest, 1U);
    }
  }
}

TEST(StatPyramid, WindowsSnapMergeAndStayInside) {
  const WindowLimits limits{.margin = 10, .max_total = 1000};
  const std::vector<IndexRange> one{{100, 103}};
  EXPECT_EQ(full_windows(one, 1000, 1, limits), (std::vector<IndexRange>{{90, 113}}));
  EXPECT_EQ(full_windows(one, 1000, 32, limits), (std::vector<IndexRange>{{64, 128}}));
  EXPECT_EQ(full_windows(one, 105, 32, limits), (std::vector<IndexRange>{{64, 105}}));
  const std::vector<IndexRange> near{{500, 501}, {100, 101}, {115, 116}, {7, 7}, {2000, 2001}, {3, 1}};
  EXPECT_EQ(full_windows(near, 1000, 1, limits), (std::vector<IndexRange>{{90, 126}, {490, 511}}));
  EXPECT_TRUE(full_windows(one, 0, 1, limits).empty());
  EXPECT_TRUE(full_windows({}, 100, 0, limits).empty());
}

TEST(StatPyramid, LongRangesShowTheirEnds) {
  const std::vector<IndexRange> all{{100, 900'000}};
  EXPECT_EQ(full_windows(all, 1'000'000, 1, {.margin = 10, .max_total = 1000}),
            (std::vector<IndexRange>{{90, 111}, {899'989, 900'010}}));
}

TEST(StatPyramid, WindowBudgetServesTheFirstFirst) {
  const std::vector<IndexRange> ranges{{500, 501}, {100, 101}, {900, 901}, {505, 506}};
  // 21 records each: room for two, and for the few that the fourth adds to the first.
  EXPECT_EQ(full_windows(ranges, 1000, 1, {.margin = 10, .max_total = 50}),
            (std::vector<IndexRange>{{90, 111}, {490, 516}}));
  EXPECT_TRUE(full_windows(ranges, 1000, 1, {.margin = 10, .max_total = 5}).empty());
}

TEST(StatPyramid, HugeNumbersInRangesDoNotWrap) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  const std::vector<IndexRange> ranges{{0, kMost}, {kMost - 1, kMost}};
  EXPECT_EQ(full_windows(ranges, 100, 8, {.margin = kMost, .max_total = 100}), (std::vector<IndexRange>{{0, 100}}));
}

}  // namespace
}  // namespace assay
