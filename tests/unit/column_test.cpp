#include "assay/column.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace assay {
namespace {

// The slow obvious twin: a vector.
void expect_same(const std::vector<std::int64_t>& values) {
  IntegerColumn column;
  for (const std::int64_t value : values) column.push_back(value);
  ASSERT_EQ(column.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(column[i], values[i]) << "at " << i;
}

TEST(IntegerColumn, KeepsProgressionsInAlmostNoMemory) {
  IntegerColumn column;
  for (std::int64_t i = 0; i < 1'000'000; ++i) column.push_back(10 + 100 * i);
  EXPECT_EQ(column[777'777], 10 + 100 * 777'777LL);
  EXPECT_LT(static_cast<double>(column.bytes()) / 1e6, 0.5);
}

TEST(IntegerColumn, HoldsAnyIntegers) {
  std::mt19937_64 random(7);
  for (const int bits : {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 62, 63, 64}) {
    for (const std::size_t n : {1u, 127u, 128u, 129u, 1000u}) {
      std::vector<std::int64_t> values;
      for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<std::int64_t>(random() >> (64 - bits)));
      expect_same(values);
      for (auto& value : values) value = -value;
      expect_same(values);
    }
  }
}

TEST(IntegerColumn, HoldsTheExtremesSideBySide) {
  std::vector<std::int64_t> values;
  for (int i = 0; i < 300; ++i) values.push_back(i % 3 == 0 ? INT64_MIN : i % 3 == 1 ? INT64_MAX : 0);
  expect_same(values);
}

TEST(ValueColumn, GrowsCopiesAndMoves) {
  ValueColumn column;
  for (int i = 0; i < 100'000; ++i) column.push_back(i * 0.5);
  EXPECT_LE(column.bytes(), 100'000 * 10u);
  const ValueColumn copy = column;
  const ValueColumn moved = std::move(column);
  ASSERT_EQ(copy.size(), 100'000u);
  ASSERT_EQ(moved.size(), 100'000u);
  EXPECT_EQ(copy[99'999], moved[99'999]);
  EXPECT_EQ(moved.back(), 49'999.5);
}

}  // namespace
}  // namespace assay
