#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "stat/blocks.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Blocks, MediansOfEqualNumbersOfValues) {
  const std::vector<double> values = {1, 9, 2, 4, 4, 5, 7, 8};
  const BlockMedians blocks(values, 3);
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks.medians()[0], 2);
  EXPECT_EQ(blocks.medians()[1], 4);
  EXPECT_EQ(blocks.medians()[2], 7.5) << "two of three are a block";
  EXPECT_EQ(blocks.first(1), 3U);
  EXPECT_EQ(blocks.first(3), values.size());
  EXPECT_EQ(BlockMedians(std::vector<double>{1, 2, 3, 4}, 3).size(), 1U) << "one of three is not";
}

TEST(Blocks, WhatIsNotFiniteIsLeftOut) {
  const std::vector<double> values = {kNaN, 1, kNaN, 3, 5, kNaN, 7};
  const BlockMedians blocks(values, 2);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks.medians()[0], 2);
  EXPECT_EQ(blocks.first(0), 1U);
  EXPECT_EQ(blocks.first(1), 4U);
  EXPECT_EQ(count_finite(values), 4U);
}

TEST(Blocks, SizeForAtMostSoMany) {
  EXPECT_EQ(block_size(0, 200), 1U);
  EXPECT_EQ(block_size(200, 200), 1U);
  EXPECT_EQ(block_size(201, 200), 2U);
}

}  // namespace
}  // namespace assay
