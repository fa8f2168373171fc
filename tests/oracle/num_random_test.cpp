// Random numbers against their published vectors, stochastic rounding against its definition, flushing.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "num/codes.h"
#include "num/format.h"
#include "num/philox.h"
#include "num/round.h"
#include "oracle/scale.h"

namespace assay {
namespace {

using Block = std::array<std::uint32_t, 4>;

NumberFormat named(const char* name) {
  const Result<NumberFormat> format = number_format(name);
  EXPECT_TRUE(format.has_value()) << name;
  return format.value_or(NumberFormat{});
}

// Random123, tests/kat_vectors, the lines "philox4x32 10".
TEST(OraclePhilox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(OraclePhilox, WordsOfBlocks) {
  EXPECT_EQ(random_word(0, 0), 0x6627e8d5U);
  EXPECT_EQ(random_word(0, 3), 0x9b00dbd8U);
  const std::uint64_t seed = 0x0123456789abcdef, index = 0xfedcba9876543212;
  const std::uint64_t block = index / 4;
  const Block words = philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0, 0},
                             {0x89abcdef, 0x01234567});
  EXPECT_EQ(random_word(seed, index), words[2]);
  EXPECT_NE(random_word(seed, index), random_word(seed + (std::uint64_t{1} << 32), index));
}

struct Draws {
  double low, high;
  std::uint64_t up = 0, count = 0;
  double share() const { return static_cast<double>(up) / static_cast<double>(count); }
};

// The two neighbours are found by rounding down and up; nothing else may come out.
Draws draw(const NumberFormat& format, double x, int bits, std::uint64_t count, std::uint64_t seed = 1) {
  Draws out{round_to(format, real(x), {.rounding = Rounding::kDown}).value,
            round_to(format, real(x), {.rounding = Rounding::kUp}).value};
  for (std::uint64_t i = 0; i < count; ++i) {
    const RoundingRules rules{.rounding = Rounding::kStochastic, .random_bits = bits, .seed = seed};
    const Rounded got = round_to(format, real(x), rules, i);
    EXPECT_TRUE(got.value == out.low || got.value == out.high) << x << " " << got.value;
    EXPECT_EQ(got.away, std::fabs(got.value) > std::fabs(x));
    EXPECT_EQ(got.inexact, got.value != x);
    out.up += got.value == out.high ? 1 : 0;
    ++out.count;
  }
  return out;
}

// 4.5 standard deviations: one run in 100,000 would fail by chance, and the seed is fixed.
void expect_share(const Draws& draws, double probability, const char* what) {
  const double n = static_cast<double>(draws.count);
  EXPECT_NEAR(draws.share(), probability, 4.5 * std::sqrt(probability * (1 - probability) / n) + 1e-12) << what;
}

constexpr std::uint64_t kDraws = 40000;

TEST(OracleStochastic, UpWithTheProbabilityOfTheDistance) {
  for (const char* name : {"bf16", "fp16", "e4m3", "e5m2", "e2m1", "hif8", "tf32"}) {
    const NumberFormat format = named(name);
    for (const double base : {1.0, -1.0, 2.0, smallest_positive(format) * 2}) {
      const double next = *next_up(format, base);
      for (const double part : {1.0 / 16, 0.25, 0.5, 0.75, 13.0 / 16}) {
        expect_share(draw(format, base + (next - base) * part, 16, kDraws / 4), part, name);
      }
    }
    // Below the smallest number: 0 or that.
    expect_share(draw(format, smallest_positive(format) / 8, 16, kDraws), 0.125, name);
    expect_share(draw(format, smallest_positive(format) * 0x1p-10, 16, kDraws), 0x1p-10, name);
  }
}

TEST(OracleStochastic, ExactNumbersStay) {
  const NumberFormat format = named("bf16");
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Rounded got = round_to(format, real(1.0078125), {.rounding = Rounding::kStochastic}, i);
    ASSERT_EQ(got.value, 1.0078125);
    ASSERT_FALSE(got.inexact);
  }
}

// r random bits give probabilities that are multiples of 2^-r, cut off: 0.7 with two bits is 0.5.
TEST(OracleStochastic, ResolutionOfTheRandomBits) {
  const NumberFormat format = named("bf16");
  const double ulp = 0x1p-7;
  const std::pair<int, std::map<double, double>> cases[] = {
      {1, {{0.25, 0}, {0.49, 0}, {0.5, 0.5}, {0.99, 0.5}}},
      {2, {{0.2, 0}, {0.25, 0.25}, {0.7, 0.5}, {0.99, 0.75}}},
      {4, {{1.0 / 17, 0}, {1.0 / 16, 1.0 / 16}, {0.999, 15.0 / 16}}},
      {32, {{0x1p-3, 0x1p-3}, {1.0 / 3, 1.0 / 3}}},
  };
  for (const auto& [bits, shares] : cases) {
    for (const auto& [part, probability] : shares)
      expect_share(draw(format, 1 + ulp * part, bits, kDraws), probability, "");
  }
}

// To the bit: up where the first r bits of the distance and the first r bits of the random word carry over.
TEST(OracleStochastic, ByItsDefinition) {
  const NumberFormat format = named("fp16");
  for (const int bits : {1, 7, 16, 31, 32}) {
    const RoundingRules rules{.rounding = Rounding::kStochastic, .random_bits = bits, .seed = 99};
    for (std::uint64_t i = 0; i < 5000; ++i) {
      const double part = static_cast<double>(random_word(1, i)) * 0x1p-32;  // of the distance from 1 to 1 + 2^-10
      const double first = std::floor(part * std::ldexp(1.0, bits));
      const double random = std::floor(static_cast<double>(random_word(99, i)) * std::ldexp(1.0, bits - 32));
      const double wanted = first + random >= std::ldexp(1.0, bits) ? 1 + 0x1p-10 : 1;
      ASSERT_EQ(round_to(format, real(1 + part * 0x1p-10), rules, i).value, wanted) << bits << " " << i;
      ASSERT_EQ(round_to(format, real(-1 - part * 0x1p-10), rules, i).value, -wanted) << bits << " " << i;
    }
  }
}

TEST(OracleStochastic, SeedAndIndexDecide) {
  const NumberFormat format = named("e4m3");
  const auto bits = [&](std::uint64_t seed, bool backwards) {
    std::vector<double> out(500);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::size_t i = backwards ? out.size() - 1 - k : k;
      out[i] = round_to(format, real(1.05), {.rounding = Rounding::kStochastic, .seed = seed}, i).value;
    }
    return out;
  };
  EXPECT_EQ(bits(7, false), bits(7, true));
  EXPECT_NE(bits(7, false), bits(8, false));
}

TEST(OracleStochastic, BeyondTheLargest) {
  const NumberFormat format = named("fp16");
  std::set<double> seen;
  for (std::uint64_t i = 0; i < 200; ++i) {
    seen.insert(round_to(format, real(65520), {.rounding = Rounding::kStochastic}, i).value);
    const RoundingRules saturating{.rounding = Rounding::kStochastic, .overflow = Overflow::kSaturate};
    EXPECT_EQ(round_to(format, real(65520), saturating, i).value, 65504);
    EXPECT_EQ(round_to(format, real(1e6), {.rounding = Rounding::kStochastic}, i).value, HUGE_VAL);
  }
  EXPECT_EQ(seen, (std::set<double>{65504, HUGE_VAL}));
}

// --- flushing ---

bool is_zero_of_sign(double value, bool negative) { return value == 0 && std::signbit(value) == negative; }

TEST(OracleFlush, OutputsBelowTheSmallestNormal) {
  constexpr RoundingRules kFlush{.flush_outputs = true};
  for (const char* name : {"fp64", "fp32", "fp16", "bf16", "e4m3", "e5m2", "e3m2", "e2m1", "hif8"}) {
    const NumberFormat format = named(name);
    const double normal = smallest_normal(format);
    for (const double sign : {1.0, -1.0}) {
      const bool negative = sign < 0 && format.has_negative_zero();
      EXPECT_EQ(round_to(format, real(sign * normal), kFlush).value, sign * normal) << name;
      const double below = *next_down(format, normal);
      const Rounded got = round_to(format, real(sign * below), kFlush);
      EXPECT_TRUE(is_zero_of_sign(got.value, negative)) << name;
      EXPECT_TRUE(got.flushed && got.inexact && !got.away) << name;
      const Rounded smallest = round_to(format, real(sign * smallest_positive(format)), kFlush);
      EXPECT_TRUE(is_zero_of_sign(smallest.value, negative) && smallest.flushed) << name;
      // What rounds up to the smallest normal number stays.
      const double almost = std::nextafter(normal, 0);
      const double wanted = almost == below ? 0.0 : sign * normal;
      EXPECT_EQ(round_to(format, real(sign * almost), kFlush).value, wanted) << name;
      const Rounded nothing = round_to(format, real(sign * 0.0), kFlush);
      EXPECT_TRUE(is_zero_of_sign(nothing.value, negative) && !nothing.flushed && !nothing.inexact) << name;
    }
  }
  EXPECT_FALSE(round_to(named("fp16"), real(1e-9), kFlush).flushed);  // it is 0 anyway
}

TEST(OracleFlush, IntegersAreNeverSubnormal) {
  const NumberFormat format = named("mxint8_element");
  for (int i = -127; i <= 127; ++i) {
    const double value = i / 64.0;
    EXPECT_EQ(round_to(format, real(value), {.flush_outputs = true}).value, value);
    EXPECT_EQ(to_double(flushed(format, real(value))), value);
  }
}

TEST(OracleFlush, Inputs) {
  for (const char* name : {"fp64", "fp32", "fp16", "bf16", "e4m3", "e5m2"}) {
    const NumberFormat format = named(name);
    const double normal = smallest_normal(format), below = *next_down(format, normal);
    EXPECT_EQ(to_double(flushed(format, real(normal))), normal) << name;
    EXPECT_EQ(to_double(flushed(format, real(-normal))), -normal) << name;
    EXPECT_TRUE(is_zero_of_sign(to_double(flushed(format, real(below))), false)) << name;
    EXPECT_TRUE(is_zero_of_sign(to_double(flushed(format, real(-below))), true)) << name;
    EXPECT_TRUE(is_zero_of_sign(to_double(flushed(format, real(-0.0))), true)) << name;
    EXPECT_EQ(to_double(flushed(format, real(HUGE_VAL))), HUGE_VAL) << name;
    EXPECT_TRUE(std::isnan(to_double(flushed(format, real(std::nan("")))))) << name;
  }
}

}  // namespace
}  // namespace assay
