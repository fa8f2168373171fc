// Double-doubles: what is special, sums against the exact sum of all bits, and every instruction set against the plain
// steps. Accuracy: tests/oracle/mpfr_double_double_test.cpp.

#include "num/double_double.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "num/exact_sum.h"
#include "unit/num_patterns.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

// The result in doubles; or, where the second word came to lie half a unit of the first away, its other neighbour.
bool as_double(const DoubleDouble& got, double expected) {
  return same(got.hi, expected) || (got.lo != 0 && got.hi + 2 * got.lo == expected);
}

const std::vector<double>& odd_numbers() {
  static const std::vector<double> numbers = {0.0,        -0.0,      1.0,        -1.0,     kInfinity,
                                              -kInfinity, kNan,      kMax,       -kMax,    kTiny,
                                              -kTiny,     0x1p-1022, -0x1p-1022, 0x1p1023, 3.0,
                                              0x1p-600,   0x1.8p600, -0x1p-537,  0x1p511,  0x1.fffffffffffffp-2};
  return numbers;
}

TEST(DoubleDouble, OddNumbersGiveWhatDoublesGive) {
  for (const double a : odd_numbers()) {
    for (const double b : odd_numbers()) {
      const DoubleDouble x = a, y = b;
      EXPECT_TRUE(same((x + y).hi, a + b)) << a << " + " << b;
      EXPECT_TRUE(same((x - y).hi, a - b)) << a << " - " << b;
      EXPECT_TRUE(same((x * y).hi, a * b)) << a << " * " << b;
      EXPECT_TRUE(as_double(x / y, a / b)) << a << " / " << b;
      for (const DoubleDouble& result : {x + y, x - y, x * y, x / y, two_sum(a, b), two_product(a, b)}) {
        EXPECT_TRUE(std::isfinite(result.lo)) << a << " " << b;
        EXPECT_TRUE(std::isfinite(result.hi) || result.lo == 0) << a << " " << b;
      }
      EXPECT_EQ(x < y, a < b);
      EXPECT_EQ(x == y, a == b);
      EXPECT_EQ(x >= y, a >= b);
    }
    EXPECT_TRUE(as_double(sqrt(DoubleDouble(a)), std::sqrt(a))) << a;
  }
}

TEST(DoubleDouble, FunctionsAtTheirEnds) {
  EXPECT_EQ(exp(kInfinity).hi, kInfinity);
  EXPECT_EQ(exp(-kInfinity).hi, 0);
  EXPECT_EQ(exp(710).hi, kInfinity);
  EXPECT_EQ(exp(-746).hi, 0);
  EXPECT_TRUE(std::isnan(exp(kNan).hi));
  EXPECT_EQ(exp(0), DoubleDouble(1));
  EXPECT_EQ(expm1(-kInfinity).hi, -1);
  EXPECT_EQ(expm1(kInfinity).hi, kInfinity);
  EXPECT_TRUE(same(expm1(-0.0).hi, -0.0));
  EXPECT_EQ(log(0).hi, -kInfinity);
  EXPECT_EQ(log(kInfinity).hi, kInfinity);
  EXPECT_EQ(log(1), DoubleDouble(0));
  EXPECT_TRUE(std::isnan(log(-1).hi));
  EXPECT_EQ(log1p(-1).hi, -kInfinity);
  EXPECT_EQ(log(kTiny).hi, std::log(kTiny));
  for (const double sign : {1.0, -1.0}) {
    EXPECT_EQ(tanh(sign * kInfinity), DoubleDouble(sign));
    EXPECT_EQ(erf(sign * kInfinity), DoubleDouble(sign));
    EXPECT_TRUE(std::isnan(sin(sign * kInfinity).hi));
    EXPECT_TRUE(std::isnan(cos(sign * 0x1p51).hi));
    for (const auto function : {sin, tanh, erf, expm1, log1p}) {
      EXPECT_TRUE(same(function(sign * 0.0).hi, sign * 0.0));
      EXPECT_EQ(function(sign * kTiny).hi, sign * kTiny);
    }
  }
  EXPECT_EQ(erfc(kInfinity).hi, 0);
  EXPECT_EQ(erfc(-kInfinity).hi, 2);
  EXPECT_EQ(erfc(30).hi, 0);
  EXPECT_EQ(cos(0), DoubleDouble(1));
  for (const auto function : {sin, cos, tanh, erf, erfc, expm1, log1p, log}) EXPECT_TRUE(std::isnan(function(kNan).hi));
}

TEST(DoubleDouble, ComparesTheSecondWord) {
  const DoubleDouble below{1, -0x1p-60}, one{1}, above{1, 0x1p-60};
  EXPECT_LT(below, one);
  EXPECT_LT(one, above);
  EXPECT_EQ(abs(-above), above);
  EXPECT_NE(above, one);
}

TEST(DoubleDouble, RealHasAllBits) {
  const DoubleDouble third = DoubleDouble(1) / 3.0;
  const Real held = real(third);
  EXPECT_EQ(compare(sum(held, negated(sum(real(third.hi), real(third.lo)))), real(0.0)), 0);
  EXPECT_EQ(to_double(held), third.hi);
}

// A sum that cancels: every bit counts.
TEST(DoubleDouble, SumsOfManyNumbersAgreeWithTheExactSum) {
  std::mt19937_64 random(1);
  DoubleDouble sum;
  ExactSum exact;
  double magnitude = 0;
  constexpr int kNumbers = 100000;
  for (int i = 0; i < kNumbers; ++i) {
    const double value = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-52 - 1, static_cast<int>(random() % 40));
    sum = sum + value;
    exact.add(value);
    magnitude += std::fabs(value);
  }
  exact.add(-sum.hi);
  exact.add(-sum.lo);
  EXPECT_LE(std::fabs(to_double(exact.value())), kNumbers * 3 * 0x1p-106 * magnitude);
}

struct Rows {
  std::vector<double> hi, lo;
};

// Numbers of all sizes among which are odd ones, in the same rows every time.
std::vector<double> row_numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-52 - 1, static_cast<int>(random() % 80) - 40);
    if (i % 29 == 7 && random() % 4 == 0) out[i] = odd_numbers()[random() % odd_numbers().size()];
  }
  return out;
}

constexpr std::size_t kRows = 61;  // no multiple of any vector
constexpr int kSteps = 200;

void check_rows() {
  Rows sums{std::vector<double>(kRows), std::vector<double>(kRows)};
  Rows dots = sums;
  std::vector<ExactSum> exact_sums(kRows), exact_dots(kRows);
  std::vector<double> plain_sums(kRows), plain_dots(kRows), sum_sizes(kRows), dot_sizes(kRows);
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<double> a = row_numbers(kRows, static_cast<std::uint64_t>(step));
    const std::vector<double> b = row_numbers(kRows, kSteps + static_cast<std::uint64_t>(step));
    add_to(sums.hi, sums.lo, a);
    add_product_to(dots.hi, dots.lo, a, b);
    for (std::size_t i = 0; i < kRows; ++i) {
      exact_sums[i].add(a[i]);
      plain_sums[i] += a[i];
      sum_sizes[i] += std::fabs(a[i]);
      const double product = a[i] * b[i];
      exact_dots[i].add(product);
      if (std::isfinite(product)) exact_dots[i].add(std::fma(a[i], b[i], -product));
      plain_dots[i] += product;
      dot_sizes[i] += std::fabs(product);
    }
  }
  int finite = 0;
  const auto check = [&](const Rows& rows, std::vector<ExactSum>& exact, const std::vector<double>& plain,
                         const std::vector<double>& sizes) {
    for (std::size_t i = 0; i < kRows; ++i) {
      ASSERT_TRUE(std::isfinite(rows.lo[i])) << i;
      if (!std::isfinite(plain[i])) {
        EXPECT_TRUE(same(rows.hi[i], plain[i])) << i << ": " << rows.hi[i] << ", not " << plain[i];
        EXPECT_EQ(rows.lo[i], 0);
        continue;
      }
      ++finite;
      EXPECT_EQ(rows.hi[i] + rows.lo[i], rows.hi[i]);
      exact[i].add(-rows.hi[i]);
      exact[i].add(-rows.lo[i]);
      EXPECT_LE(std::fabs(to_double(exact[i].value())), kSteps * 3 * 0x1p-106 * sizes[i] + kSteps * kTiny) << i;
    }
  };
  check(sums, exact_sums, plain_sums, sum_sizes);
  check(dots, exact_dots, plain_dots, dot_sizes);
  EXPECT_GT(finite, static_cast<int>(kRows));
  EXPECT_LT(finite, static_cast<int>(2 * kRows));
}

TEST(DoubleDouble, RowsHoldTheirBound) { test::for_each_target(check_rows); }

TEST(DoubleDouble, RowsAreTheSameWithEveryInstructionSet) {
  std::vector<Rows> all;
  test::for_each_target([&] {
    Rows dots{std::vector<double>(kRows), std::vector<double>(kRows)};
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      add_product_to(dots.hi, dots.lo, row_numbers(kRows, step), row_numbers(kRows, step + 1));
      add_to(dots.hi, dots.lo, row_numbers(kRows, step + 2));
    }
    all.push_back(dots);
  });
  for (const Rows& rows : all) {
    for (std::size_t i = 0; i < kRows; ++i) {
      EXPECT_TRUE(same(rows.hi[i], all[0].hi[i]) && same(rows.lo[i], all[0].lo[i])) << i;
    }
  }
}

}  // namespace
}  // namespace assay
