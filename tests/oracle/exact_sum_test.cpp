// Exact sums against what they must be: sums whose rest is known, pairs that FP64 adds exactly, and any order.

#include "num/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

namespace assay {
namespace {

double total(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return to_double(sum.value());
}

TEST(ExactSum, KeepsWhatCancellationLeaves) {
  EXPECT_EQ(total({1e300, 1, -1e300}), 1);
  EXPECT_EQ(total({1e38, 1e-10, -1e38}), 1e-10);
  EXPECT_EQ(total({1.7976931348623157e308, 4.9e-324, -1.7976931348623157e308}), 4.9e-324);
  EXPECT_EQ(total({0.1, 0.2, -0.3}), 2.7755575615628914e-17);  // 2^-55
  EXPECT_EQ(total({-3, 1, 2}), 0);
  EXPECT_FALSE(std::signbit(total({-3, 1, 2})));
  EXPECT_EQ(total({-1.5, 1}), -0.5);
}

TEST(ExactSum, GoesBeyondFp64) {
  ExactSum sum;
  for (int i = 0; i < 1000; ++i) sum.add(1.7976931348623157e308);
  const Real value = sum.value();
  EXPECT_EQ(value.magnitude(), 1033);  // 1000 · 2^1024 less a little
  EXPECT_TRUE(value.exact);
  EXPECT_TRUE(std::isinf(to_double(value)));
}

TEST(ExactSum, MarksWhatDoesNotFit) {
  ExactSum sum;
  sum.add(1);
  sum.add(std::ldexp(1.0, -200));
  EXPECT_FALSE(sum.value().exact);
  EXPECT_EQ(static_cast<std::uint64_t>(sum.value().significand & 1), 1U);
  sum.add(-1);
  EXPECT_TRUE(sum.value().exact);
  EXPECT_EQ(to_double(sum.value()), std::ldexp(1.0, -200));
}

TEST(ExactSum, DoesNotDependOnTheOrder) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> values;
    for (int i = 0; i < 200; ++i) {
      const double value = std::bit_cast<double>(random());
      if (!std::isfinite(value)) continue;
      values.push_back(value);
      values.push_back(-value);
    }
    values.push_back(0x1.8p-1000);
    std::shuffle(values.begin(), values.end(), random);
    EXPECT_EQ(total(values), 0x1.8p-1000);
  }
}

TEST(ExactSum, AgreesWithTheSumOfTwo) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20'000; ++round) {
    const double a = std::bit_cast<double>(random());
    const double b = std::ldexp(a, static_cast<int>(random() % 120) - 60) * (round % 2 == 0 ? -1 : 1);
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    ExactSum sum;
    sum.add(a);
    sum.add(b);
    const double expected = a + b;  // FP64 rounds once, as to_double does
    EXPECT_EQ(std::bit_cast<std::uint64_t>(to_double(sum.value())), std::bit_cast<std::uint64_t>(expected));
  }
}

}  // namespace
}  // namespace assay
