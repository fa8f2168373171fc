// Decimals and arithmetic against MPFR: bit for bit in 128 bits, and once more rounded to 53, 24, 11 and 8.

#include "oracle/mpfr_real.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "num/real.h"
#include "num/round.h"
#include "oracle/scale.h"

namespace assay {
namespace {

using oracle::differs;
using oracle::Mp;

constexpr std::uint64_t kCount = 20000 / oracle::kStride;

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

void expect_as_mpfr(const std::string& text) {
  Mp truncated(128);
  char* end = nullptr;
  const int ternary = mpfr_strtofr(truncated, text.c_str(), &end, 0, MPFR_RNDZ);
  ASSERT_EQ(*end, '\0') << text;
  const Result<Real> got = parse_real(text);
  ASSERT_TRUE(got.has_value()) << text;
  EXPECT_EQ(differs(*got, truncated, ternary), "") << text;
  // The C library rounds decimals right, too, and knows nothing of either.
  EXPECT_EQ(bits_of(to_double(*got)), bits_of(std::strtod(text.c_str(), nullptr))) << text;
}

std::string random_digits(std::mt19937_64& random, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += static_cast<char>('0' + random() % 10);
  return out;
}

TEST(OracleParse, RandomDecimals) {
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    text += random_digits(random, 1 + random() % 40);
    if (random() % 3 != 0) text += "." + random_digits(random, random() % 60);
    if (random() % 3 != 0) text += "e" + std::to_string(static_cast<int>(random() % 680) - 340);
    expect_as_mpfr(text);
  }
}

TEST(OracleParse, LongDecimals) {
  std::mt19937_64 random(2);
  for (const std::size_t count : {100U, 400U, 800U, 1500U, 4000U}) {
    for (int i = 0; i < 20; ++i) {
      const std::string digits = random_digits(random, count);
      const std::string back = std::to_string(count - random() % std::min<std::size_t>(count, 300));
      expect_as_mpfr("0." + digits);
      expect_as_mpfr("1" + digits + "e-" + back);
      expect_as_mpfr("0." + std::string(count - 1, '0') + "7e" + back);
    }
  }
}

// The middle of two neighbours written out in full, one digit more, one digit less: the hardest decimals there are.
std::string exact_text(mpfr_srcptr value) {
  char* text = nullptr;
  mpfr_asprintf(&text, "%.1200Rf", value);
  std::string out = text;
  mpfr_free_str(text);
  return out.substr(0, out.find_last_not_of('0') + 1);
}

void expect_middles(double value, int precision, int quantum) {
  Mp middle(120, value), half(10, 1);
  mpfr_mul_2si(half, half, quantum - 1, MPFR_RNDN);
  mpfr_add(middle, middle, half, MPFR_RNDN);
  std::string text = exact_text(middle);
  expect_as_mpfr(text);
  expect_as_mpfr(text + "1");
  text.back() = static_cast<char>(text.back() - 1);  // it ends in 5, or in '.', which becomes '-'
  if (text.back() != '-') expect_as_mpfr(text + "9");
  Mp odd(precision);
  mpfr_set(odd, middle, MPFR_RNDN);
  const std::string format = precision == 11 ? "fp16" : precision == 24 ? "fp32" : "fp64";
  const Result<Real> parsed = parse_real(exact_text(middle));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(round_to(*number_format(format), *parsed).value, mpfr_get_d(odd, MPFR_RNDN)) << format << " " << text;
}

TEST(OracleParse, MiddlesOfNeighbours) {
  std::mt19937_64 random(3);
  for (std::uint64_t i = 0; i < kCount / 20; ++i) {
    const int half_exponent = static_cast<int>(random() % 29) - 14;
    expect_middles(std::ldexp(static_cast<double>(1024 + random() % 1024), half_exponent - 10), 11, half_exponent - 10);
    const int single = static_cast<int>(random() % 250) - 125;
    expect_middles(std::ldexp(static_cast<double>((1 << 23) + random() % (1 << 23)), single - 23), 24, single - 23);
    const int both = static_cast<int>(random() % 2000) - 1000;
    const double significand = static_cast<double>((std::uint64_t{1} << 52) + random() % (std::uint64_t{1} << 52));
    expect_middles(std::ldexp(significand, both - 52), 53, both - 52);
  }
}

TEST(OracleParse, HexadecimalFloats) {
  std::mt19937_64 random(4);
  const auto hex = [&](std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += "0123456789abcdefABCDEF"[random() % 22];
    return out;
  };
  for (std::uint64_t i = 0; i < kCount; ++i) {
    std::string text = random() % 2 == 0 ? "-0x" : "0X";
    text += hex(1 + random() % 50);
    if (random() % 2 == 0) text += "." + hex(random() % 50);
    text += (random() % 2 == 0 ? "p" : "P") + std::to_string(static_cast<int>(random() % 2400) - 1300);
    expect_as_mpfr(text);
  }
}

TEST(OracleParse, FarExponents) {
  const double kInf = HUGE_VAL;
  const std::pair<const char*, double> cases[] = {
      {"1e400", kInf},
      {"1e401", kInf},
      {"-1e99999999999999999999", -kInf},
      {"1e-400", 0},
      {"1e-999999999", 0},
      {"0e99999999999", 0},
      {"-0e5", -0.0},
      {"0x1p99999999999999", kInf},
      {"2^9999999999", kInf},
      {"2^-99999999999", 0},
      {"2^-1074", 0x1p-1074},
      {"-2^10", -1024},
      {"2^+3", 8},
      {"1.5*2^-3", 0.1875},
      {"2^-1075", 0},
      {"3e-324", 0x1p-1074},
      {"2e-324", 0},
  };
  for (const auto& [text, value] : cases) {
    const Result<Real> got = parse_real(text);
    ASSERT_TRUE(got.has_value()) << text;
    EXPECT_EQ(bits_of(to_double(*got)), bits_of(value)) << text;
  }
  // Far down is still above zero, far up below infinity.
  for (const char* tiny : {"1e-401", "1e-99999999", "2^-999999999", "0x1p-99999999999"}) {
    const Real value = parse_real(tiny).value_or(Real{});
    EXPECT_EQ(round_to(*number_format("fp16"), value, {.rounding = Rounding::kUp}).value, 0x1p-24) << tiny;
    EXPECT_EQ(round_to(*number_format("fp64"), value, {.rounding = Rounding::kUp}).value, 0x1p-1074) << tiny;
    EXPECT_EQ(round_to(*number_format("fp64"), value, {.rounding = Rounding::kToOdd}).value, 0x1p-1074) << tiny;
  }
  for (const char* huge : {"1e401", "1e99999999", "2^999999999", "0x1p99999999999"}) {
    const Real value = parse_real(huge).value_or(Real{});
    EXPECT_EQ(round_to(*number_format("fp16"), value, {.rounding = Rounding::kTowardZero}).value, 65504) << huge;
    EXPECT_EQ(round_to(*number_format("e4m3"), value, {.overflow = Overflow::kSaturate}).value, 448) << huge;
  }
}

// What lies beyond all formats is held as a number that is far enough; a factor would bring back another one.
TEST(OracleParse, FarDecimalsTakeNoFactor) {
  EXPECT_FALSE(parse_real("1e500*2^-1700").has_value());
  EXPECT_FALSE(parse_real("-1e-500*2^1700").has_value());
  EXPECT_EQ(to_double(*parse_real("1e300*2^-1000")), 1e300 * 0x1p-1000);
}

// --- arithmetic ---

// Doubles of every kind: any pattern, near each other, short, at the ends.
double some_double(std::mt19937_64& random) {
  switch (random() % 6) {
    case 0: return std::bit_cast<double>(random());
    case 1: return std::ldexp(static_cast<double>(random() % 2048), static_cast<int>(random() % 60) - 30);
    case 2: return std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 200) - 150);
    case 3: return std::bit_cast<double>(random() & 0x800FFFFFFFFFFFFF);  // subnormal
    case 4: return (random() % 2 == 0 ? 1 : -1) * std::ldexp(1.0, static_cast<int>(random() % 2000) - 1000);
    default: return 1 + static_cast<double>(random() % 16) * 0x1p-52;
  }
}

struct Operation {
  const char* name;
  Real (*ours)(const Real&, const Real&);
  int (*theirs)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  int bits;  // that are given before the mark
};
Real root_of_first(const Real& a, const Real&) { return square_root(a); }
int mpfr_root_of_first(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr, mpfr_rnd_t rounding) {
  return mpfr_sqrt(out, a, rounding);
}

constexpr Operation kOperations[] = {
    {"sum", sum, mpfr_add, 128},
    {"product", product, mpfr_mul, 128},
    {"quotient", quotient, mpfr_div, 128},
    {"square root", root_of_first, mpfr_root_of_first, 64},
};

void expect_operation(const Operation& operation, double a, double b) {
  const Real got = operation.ours(real(a), real(b));
  Mp x(53, a), y(53, b), truncated(operation.bits);
  const int ternary = operation.theirs(truncated, x, y, MPFR_RNDZ);
  ASSERT_EQ(differs(got, truncated, ternary, operation.ours != sum), "")
      << operation.name << std::hexfloat << " " << a << " " << b;
  constexpr std::pair<Rounding, mpfr_rnd_t> kModes[] = {{Rounding::kNearestEven, MPFR_RNDN},
                                                        {Rounding::kTowardZero, MPFR_RNDZ},
                                                        {Rounding::kUp, MPFR_RNDU},
                                                        {Rounding::kDown, MPFR_RNDD}};
  constexpr std::pair<const char*, int> kFormats[] = {{"fp64", 53}, {"fp32", 24}, {"fp16", 11}, {"bf16", 8}};
  for (const auto& [name, precision] : kFormats) {
    const NumberFormat format = *number_format(name);
    for (const auto& [rounding, theirs] : kModes) {
      Mp rounded(precision);
      const int side = operation.theirs(rounded, x, y, theirs);
      // IEEE 754 gives -0 to opposite numbers when rounding down; a Real is made before the rounding is known: +0.
      if (mpfr_zero_p(rounded) && side == 0 && got.kind == Real::Kind::kZero && rounding == Rounding::kDown) continue;
      const oracle::ExponentRange range(format.emin - precision + 1, format.emax);
      mpfr_subnormalize(rounded, mpfr_check_range(rounded, side, theirs), theirs);
      const double wanted = mpfr_get_d(rounded, MPFR_RNDN);
      const double value = round_to(format, got, {.rounding = rounding}).value;
      ASSERT_TRUE(bits_of(value) == bits_of(wanted) || (std::isnan(value) && std::isnan(wanted)))
          << operation.name << " " << name << " " << static_cast<int>(rounding) << std::hexfloat << " " << a << " " << b
          << ": " << value << ", MPFR " << wanted;
    }
  }
}

TEST(OracleArithmetic, OfRandomDoubles) {
  std::mt19937_64 random(6);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double a = some_double(random);
    double b = some_double(random);
    if (random() % 4 == 0 && std::isfinite(a)) b = -a * (1 + static_cast<double>(random() % 5) * 0x1p-52);
    for (const Operation& operation : kOperations) expect_operation(operation, a, b);
  }
}

TEST(OracleArithmetic, OfSpecialNumbers) {
  const double kInf = HUGE_VAL;
  const double numbers[] = {0.0, -0.0, 1, -1, kInf, -kInf, std::nan(""), 0x1p-1074, -0x1p-1074, 0x1.fffffffffffffp1023};
  for (const double a : numbers) {
    for (const double b : numbers) {
      for (const Operation& operation : kOperations) expect_operation(operation, a, b);
      if (!std::isnan(a) && !std::isnan(b)) {
        EXPECT_EQ(compare(real(a), real(b)), a < b ? -1 : a > b ? 1 : 0) << a << " " << b;
      }
    }
    EXPECT_EQ(std::signbit(to_double(negated(real(a)))), !std::signbit(a));
  }
}

// Exact operands of up to 128 bits, as products and decimals are: nothing of them may be lost before the sum.
TEST(OracleArithmetic, SumsOfWideNumbers) {
  std::mt19937_64 random(7);
  const auto wide = [&random] {
    Real out;
    out.kind = Real::Kind::kFinite;
    out.negative = random() % 2 == 0;
    const UInt128 high = random() | std::uint64_t{1} << 63;
    const std::uint64_t lows[] = {random(), random() % 4, std::uint64_t{1} << 63, 0};  // of 128, 128 or 65, 64 bits
    out.significand = high << 64 | lows[random() % 4];
    out.exponent = static_cast<int>(random() % 6) - (random() % 4 == 0 ? 128 : 3);
    return out;
  };
  for (std::uint64_t i = 0; i < 4 * kCount; ++i) {
    const Real a = wide();
    Real b = wide();
    if (random() % 3 == 0) b = negated(a), b.significand ^= random() % 8;
    Mp x(128), y(128), truncated(128);
    set_real(x, a);
    set_real(y, b);
    ASSERT_EQ(differs(sum(a, b), truncated, mpfr_add(truncated, x, y, MPFR_RNDZ), false), "") << i;
    ASSERT_EQ(differs(product(a, b), truncated, mpfr_mul(truncated, x, y, MPFR_RNDZ)), "") << i;
    ASSERT_EQ(differs(quotient(a, b), truncated, mpfr_div(truncated, x, y, MPFR_RNDZ)), "") << i;
    ASSERT_EQ(compare(a, b), mpfr_cmp(x, y) < 0 ? -1 : mpfr_cmp(x, y) > 0 ? 1 : 0);
  }
  // 2^127 + 3·2^74 - 1 and 1 are a tie in FP64: to even is up.
  const Real tie = sum(*parse_real("170141183460469288400085098151626670079"), real(1));
  EXPECT_TRUE(tie.exact);
  EXPECT_EQ(to_double(tie), 0x1p127 + 0x1p76);
  EXPECT_EQ(to_double(sum(*parse_real("170141183460469231731687303715884105729"),
                          *parse_real("-170141183460469231731687303715884105730"))),
            -1);
  EXPECT_EQ(to_double(sum(*parse_real("0.1"), *parse_real("-0.1"))), 0);
}

}  // namespace
}  // namespace assay
