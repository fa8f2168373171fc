#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>

#include "num/exact_sum.h"

namespace assay {
namespace {

ExactSum sum_of(std::initializer_list<double> addends) {
  ExactSum out;
  for (const double addend : addends) out.add(addend);
  return out;
}

double nearest(const ExactSum& sum) { return to_double(sum.value()); }

TEST(ExactSum, NothingIsLostHoweverFarApart) {
  EXPECT_EQ(nearest(sum_of({1e300, 1, -1e300})), 1.0);
  EXPECT_EQ(nearest(sum_of({1, 1e-300, -1})), 1e-300);
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  constexpr double kMost = std::numeric_limits<double>::max();
  EXPECT_EQ(nearest(sum_of({-kMost, kLeast, kMost})), kLeast);
  EXPECT_EQ(nearest(sum_of({kMost, -kLeast, kMost, -kMost})), kMost);
  EXPECT_FALSE(sum_of({kMost, -kLeast}).value().exact);
  EXPECT_EQ(nearest(sum_of({kMost, kMost})), std::numeric_limits<double>::infinity());
}

TEST(ExactSum, OfTwoIsTheSumOfReals) {
  std::mt19937_64 random(5);
  const auto draw = [&] {
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random()) >> 11), static_cast<int>(random() % 160));
  };
  for (int i = 0; i < 20'000; ++i) {
    const double a = draw();
    const double b = draw();
    const Real expected = sum(real(a), real(b));
    const Real found = sum_of({a, b}).value();
    ASSERT_EQ(compare(found, expected), 0) << a << " " << b;
    ASSERT_EQ(found.exact, expected.exact) << a << " " << b;
  }
}

TEST(ExactSum, InfinitiesNanAndSignsOfZero) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(nearest(sum_of({kInfinity, 1, -kInfinity}))));
  EXPECT_EQ(nearest(sum_of({1, -kInfinity})), -kInfinity);
  EXPECT_TRUE(std::signbit(nearest(sum_of({-0.0, -0.0}))));
  EXPECT_FALSE(std::signbit(nearest(sum_of({-0.0, 0.0}))));
  EXPECT_FALSE(std::signbit(nearest(sum_of({-0.0, 1, -1}))));
}

TEST(ExactSum, DigitsAreCutNotRounded) {
  EXPECT_EQ(sum_of({0.1, 0.2}).text(30), "0.300000000000000016653345369377…");
  EXPECT_EQ(sum_of({0.1, 0.2}).text(1000), "0.3000000000000000166533453693773481063544750213623046875");
  EXPECT_EQ(sum_of({1, std::ldexp(1.0, -53)}).text(1000), "1.00000000000000011102230246251565404236316680908203125");
  EXPECT_EQ(sum_of({1, -1e-300}).text(8), "0.99999999…");
  EXPECT_EQ(sum_of({1, 1e-300}).text(8), "1.0000000…");
  EXPECT_EQ(sum_of({-65504, -16}).text(30), "-65520");
  EXPECT_EQ(sum_of({1e20, 1}).text(30), "100000000000000000001");
  EXPECT_EQ(sum_of({1e20, 9e20}).text(30), "1e21");
  EXPECT_EQ(sum_of({std::ldexp(1.0, -25), std::ldexp(1.0, -25)}).text(30), "5.9604644775390625e-8");
  EXPECT_EQ(sum_of({1e308, 1e308}).text(12), "2.00000000000…e308");
}

}  // namespace
}  // namespace assay
