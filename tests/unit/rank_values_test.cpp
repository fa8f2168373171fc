// When ranks count as having parted.

#include "measure/rank_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/metric.h"

namespace assay {
namespace {

using Values = std::vector<RankValue>;

// Steps from 1 on; the value changes at each.
Values steps(int count, double factor = 1, int from = 1000) {
  Values out;
  for (int step = 1; step <= count; ++step) {
    const double value = 3 + 1.0 / step;
    out.push_back({step, 10 * step, step < from ? value : value * factor});
  }
  return out;
}

TEST(RankValues, TellsTheFirstStepOfALastingDifference) {
  const auto found = difference_of(steps(40), steps(40, 1.01, 21), metric::kGradNorm);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 21);
  EXPECT_EQ(found->agreed, 20);
  EXPECT_EQ(found->differing, 20);
  EXPECT_DOUBLE_EQ(found->other_value / found->value, 1.01);
  EXPECT_EQ(found->other_line, 210);
  EXPECT_DOUBLE_EQ(found->last_value, 3 + 1.0 / 40);
}

TEST(RankValues, NeedsEightStepsThatAgreeBefore) {
  EXPECT_TRUE(difference_of(steps(40), steps(40, 1.01, 9), metric::kLoss));
  EXPECT_FALSE(difference_of(steps(40), steps(40, 1.01, 8), metric::kLoss));
  EXPECT_FALSE(difference_of(steps(40), steps(40, 1.01, 1), metric::kLoss));
}

TEST(RankValues, NeedsThreeStepsThatDiffer) {
  EXPECT_FALSE(difference_of(steps(40), steps(40, 1.01, 39), metric::kLoss));
  EXPECT_TRUE(difference_of(steps(40), steps(40, 1.01, 38), metric::kLoss));
}

TEST(RankValues, DifferencesNowAndThenAreNone) {
  Values other = steps(60);
  for (std::size_t i = 20; i < other.size(); i += 2) other[i].value *= 1.001;
  EXPECT_FALSE(difference_of(steps(60), other, metric::kLoss));
  other = steps(60);
  for (std::size_t i = 20; i < other.size(); ++i) other[i].value *= i % 10 == 0 && i > 20 ? 1 : 1.001;
  EXPECT_TRUE(difference_of(steps(60), other, metric::kLoss));
}

TEST(RankValues, OnlyAScheduleMayStay) {
  Values flat = steps(40);
  for (RankValue& one : flat) one.value = 0.5;
  Values other = flat;
  for (std::size_t i = 20; i < other.size(); ++i) other[i].value = 0.25;
  EXPECT_FALSE(difference_of(flat, other, metric::kLoss));
  EXPECT_TRUE(difference_of(flat, other, metric::kLearningRate));
  EXPECT_TRUE(difference_of(flat, other, metric::kLossScale));
}

TEST(RankValues, ComparesTheStepsThatBothTell) {
  Values own;
  for (const RankValue& one : steps(40)) {
    if (one.step % 3 != 0) own.push_back(one);
  }
  const auto found = difference_of(own, steps(40, 1.01, 21), metric::kLoss);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 22);
  EXPECT_FALSE(difference_of({}, steps(40), metric::kLoss));
}

// NaN on one rank is told by the rules of NaN.
TEST(RankValues, NothingIsSharedBehindNaN) {
  Values other = steps(40);
  for (std::size_t i = 20; i < other.size(); ++i) other[i].value = std::nan("");
  EXPECT_FALSE(difference_of(steps(40), other, metric::kLoss));
}

TEST(RankValues, OfEachMetricTheEarliestStays) {
  std::vector<RankDifference> all;
  merge_differences(all, {{.metric = "loss", .printed_as = "loss", .other = "rank 3", .step = 30}});
  merge_differences(all, {{.metric = "loss", .printed_as = "loss", .other = "rank 5", .step = 20}});
  merge_differences(all, {{.metric = "loss", .printed_as = "loss", .other = "rank 6", .step = 40}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].other, "rank 5");
  EXPECT_EQ(all[0].ranks, 3);
}

}  // namespace
}  // namespace assay
