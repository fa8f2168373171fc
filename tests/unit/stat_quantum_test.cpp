#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "stat/quantum.h"
#include "stat_random.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// What a logger with this format leaves of a value.
double printed(double value, const char* format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return std::strtod(text, nullptr);
}

std::vector<double> printed(std::vector<double> values, const char* format) {
  for (double& value : values) value = printed(value, format);
  return values;
}

/// Nearest number with so many significant bits, ties to even.
double rounded_to_bits(double value, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

std::vector<double> losses(std::size_t n, unsigned long long seed) {
  test::Random random(seed);
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) {
    out.push_back(2.0 + 8.0 * std::exp(-0.01 * static_cast<double>(i)) + 0.05 * random.gauss());
  }
  return out;
}

TEST(StatQuantum, FixedDecimals) {
  for (int decimals = 1; decimals <= 6; ++decimals) {
    const std::string format = "%." + std::to_string(decimals) + "f";
    const auto quantum = decimal_quantum(printed(losses(500, 50), format.c_str()));
    ASSERT_TRUE(quantum);
    EXPECT_EQ(quantum->decimals, decimals);
    EXPECT_DOUBLE_EQ(quantum->step(), std::pow(10.0, -decimals));
    EXPECT_DOUBLE_EQ(quantum->step_at(2.0), quantum->step());
    EXPECT_DOUBLE_EQ(quantum->step_at(9.5), quantum->step());
  }
}

TEST(StatQuantum, FixedSignificantDigits) {
  const auto quantum = decimal_quantum(printed(losses(2000, 51), "%.6E"));
  ASSERT_TRUE(quantum);
  EXPECT_EQ(quantum->digits, 7);
  EXPECT_DOUBLE_EQ(quantum->step_at(2.5), 1e-6);
  EXPECT_DOUBLE_EQ(quantum->step_at(10.5), 1e-5);
}

TEST(StatQuantum, EveryValueIsAMultipleOfItsStep) {
  test::Random random(52);
  for (const char* format : {"%.0f", "%.2f", "%.3e", "%g", "%.10g"}) {
    std::vector<double> values;
    for (int i = 0; i < 300; ++i) values.push_back(printed(std::exp(3.0 * random.gauss()), format));
    const auto quantum = decimal_quantum(values);
    ASSERT_TRUE(quantum);
    for (const double value : values) {
      const double steps = value / quantum->step_at(value);
      EXPECT_NEAR(steps, std::nearbyint(steps), 1e-9 * std::max(1.0, std::abs(steps))) << format << ' ' << value;
    }
  }
}

TEST(StatQuantum, IntegersAndRoundNumbers) {
  EXPECT_EQ(decimal_quantum(std::vector<double>{1, 2, 3, 40})->decimals, 0);
  EXPECT_EQ(decimal_quantum(std::vector<double>{12000, 3000, -500000, 0})->decimals, -3);
  EXPECT_EQ(decimal_quantum(std::vector<double>{12000, 3000})->step(), 1000.0);
  EXPECT_EQ(decimal_quantum(std::vector<double>{0.5, 1.5, 2.0})->step(), 0.1);
  EXPECT_EQ(decimal_quantum(std::vector<double>{65536, 32768})->decimals, 0);
}

TEST(StatQuantum, SkipsWhatFitsEverything) {
  EXPECT_FALSE(decimal_quantum({}));
  EXPECT_FALSE(decimal_quantum(std::vector{0.0, kNan, kInf, -0.0}));
  EXPECT_FALSE(find_quantum(std::vector{0.0}));
  const auto quantum = decimal_quantum(std::vector{kNan, 0.25, -0.25, 0.5, 0.0, kInf});
  EXPECT_EQ(quantum->decimals, 2);
  EXPECT_EQ(quantum->distinct, 2U);
}

TEST(StatQuantum, FullPrecisionHasATinyStep) {
  test::Random random(53);
  const auto values = random.gauss(1000, 3.0);
  const auto quantum = find_quantum(values);
  ASSERT_TRUE(quantum);
  EXPECT_LT(quantum->step_at(3.0), 1e-13);
  EXPECT_FALSE(quantum->binary);
}

TEST(StatQuantum, ExtremesDoNotBreakIt) {
  const std::vector<double> values{1e308, 5e-324, -1.7976931348623157e308, 2.2250738585072014e-308, 1.0};
  const auto quantum = find_quantum(values);
  ASSERT_TRUE(quantum);
  EXPECT_FALSE(quantum->binary);
  for (const double value : values) EXPECT_FALSE(std::isnan(quantum->step_at(value)));
}

TEST(StatQuantum, FindsNarrowFormatsUnderAnyPrinting) {
  for (const char* format : {"%.3f", "%.4f", "%.6f", "%.6E", "%.17g"}) {
    for (const int bits : {8, 11}) {
      if (bits == 11 && std::string(format) == "%.3f") continue;  // steps of 2^-9 are hardly wider than the print
      auto values = losses(400, 54);
      for (double& value : values) value = printed(rounded_to_bits(value, bits), format);
      const auto quantum = find_quantum(values);
      ASSERT_TRUE(quantum);
      ASSERT_TRUE(quantum->binary) << format << ' ' << bits;
      EXPECT_EQ(quantum->binary->bits, bits) << format;
      EXPECT_EQ(quantum->binary->on_grid, quantum->binary->informative);
      EXPECT_DOUBLE_EQ(quantum->step_at(2.5), bits == 8 ? 0x1p-6 : 0x1p-9);
    }
  }
}

TEST(StatQuantum, ConvergedLossWithFewDistinctValues) {
  // In bfloat16 a loss between 2 and 2.1 has seven values. They are enough when enough digits are printed.
  std::vector<double> values;
  test::Random random(55);
  for (int i = 0; i < 1000; ++i) values.push_back(printed(rounded_to_bits(2.0 + 0.1 * random.uniform(), 8), "%.5f"));
  const auto quantum = find_quantum(values);
  ASSERT_TRUE(quantum->binary);
  EXPECT_EQ(quantum->binary->bits, 8);
  EXPECT_LE(quantum->binary->informative, 8U);
}

TEST(StatQuantum, OrdinaryLogsAreNotCalledNarrow) {
  for (const char* format : {"%.0f", "%.1f", "%.2f", "%.3f", "%.4f", "%.6E", "%.17g"}) {
    for (unsigned long long seed = 60; seed < 80; ++seed) {
      EXPECT_FALSE(find_quantum(printed(losses(300, seed), format))->binary) << format << ' ' << seed;
    }
  }
}

TEST(StatQuantum, ShortDecimalsAndCoarseGridsAreNotCalledNarrow) {
  for (const double step : {1.0, 0.5, 0.25, 0.125, 0.1, 0.05, 0.01, 0.2, 1000.0, 0.0625}) {
    std::vector<double> values;
    for (int i = 1; i <= 400; ++i) values.push_back(i * step);
    EXPECT_FALSE(find_quantum(values)->binary) << step;
  }
  // Learning rates that halve, loss scales, constants.
  std::vector<double> halving;
  for (int i = 0; i < 60; ++i) halving.push_back(std::ldexp(1.0, -i));
  EXPECT_FALSE(find_quantum(halving)->binary);
  EXPECT_FALSE(find_quantum(std::vector<double>(1000, 0.33203125))->binary);
}

TEST(StatQuantum, NarrowestFormatWinsAndMixturesDoNotConvince) {
  auto values = losses(400, 56);
  for (double& value : values) value = rounded_to_bits(value, 8);
  const auto printing = decimal_quantum(values);
  EXPECT_TRUE(binary_fit(values, 8, 0.0, *printing).convincing());
  EXPECT_FALSE(binary_fit(values, 11, 0.0, *printing).convincing());  // fits, but never needs the last bit
  const auto other = losses(400, 57);
  values.insert(values.end(), other.begin(), other.begin() + 100);
  EXPECT_FALSE(find_quantum(values)->binary);
}

TEST(StatQuantum, LongSeriesAreSampledEvenly) {
  test::Random random(58);
  std::vector<double> values;
  for (int i = 0; i < 1'000'000; ++i) values.push_back(std::nearbyint(1e4 * random.uniform()) / 1e4);
  EXPECT_EQ(decimal_quantum(values)->decimals, 4);
  EXPECT_FALSE(find_quantum(values)->binary);
}

TEST(StatQuantum, SubnormalHalvesHaveAFixedSpacing) {
  std::vector<double> values;
  for (int i = 3; i < 300; i += 2) values.push_back(i * 0x1p-24);
  const auto printing = decimal_quantum(values);
  EXPECT_TRUE(binary_fit(values, 11, 0x1p-24, *printing).convincing());
  EXPECT_FALSE(binary_fit(values, 11, 0.0, *printing).convincing());
}

}  // namespace
}  // namespace assay
