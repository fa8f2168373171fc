// Double-doubles against MPFR at 600 bits: operations, functions, constants; random, hard and odd arguments.

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "num/double_double.h"
#include "num/double_double_tables.h"
#include "oracle/mpfr_real.h"
#include "oracle/scale.h"

namespace assay {
namespace {

using oracle::Mp;

constexpr int kBits = 600;
constexpr std::uint64_t kCount = 40000 / oracle::kStride;

void set(Mp& out, const DoubleDouble& value) {
  mpfr_set_d(out, value.hi, MPFR_RNDN);
  mpfr_add_d(out, out, value.lo, MPFR_RNDN);
}

// log2 of |got - exact| / |exact|; -infinity where they are the same.
double log2_error(const DoubleDouble& got, mpfr_srcptr exact) {
  if (mpfr_nan_p(exact)) return std::isnan(got.hi) ? -INFINITY : INFINITY;
  if (mpfr_inf_p(exact)) return got.hi == mpfr_get_d(exact, MPFR_RNDN) ? -INFINITY : INFINITY;
  Mp difference(kBits);
  set(difference, got);
  mpfr_sub(difference, difference, exact, MPFR_RNDN);
  if (mpfr_zero_p(difference)) return -INFINITY;
  if (mpfr_zero_p(exact) || !mpfr_number_p(difference)) return INFINITY;
  mpfr_div(difference, difference, exact, MPFR_RNDN);
  mpfr_abs(difference, difference, MPFR_RNDN);
  mpfr_log2(difference, difference, MPFR_RNDN);
  return mpfr_get_d(difference, MPFR_RNDU);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : words_(seed) {}
  double unit() { return static_cast<double>(words_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + unit() * (high - low); }
  // Normalised, with any second word: near, far, a tie's neighbour, none.
  DoubleDouble around(double high) {
    const double half = std::ldexp(1, std::ilogb(high) - 54);
    switch (words_() % 5) {
      case 0: return {high};
      case 1: return two_sum(high, half * between(-1, 1) * std::ldexp(1, -static_cast<int>(words_() % 60)));
      case 2: return two_sum(high, words_() % 2 == 0 ? half : -half);
      default: return two_sum(high, half * between(-1, 1));
    }
  }
  DoubleDouble sized(int smallest, int largest) {
    const int power = smallest + static_cast<int>(words_() % static_cast<unsigned>(largest - smallest));
    return around(std::ldexp(words_() % 2 == 0 ? between(1, 2) : -between(1, 2), power));
  }
  std::uint64_t word() { return words_(); }

 private:
  std::mt19937_64 words_;
};

using Binary = std::function<DoubleDouble(const DoubleDouble&, const DoubleDouble&)>;
using Exact = std::function<int(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>;

// The worst error over pairs that are near in size, far apart, or nearly opposite.
double worst_of_pairs(const Binary& ours, const Exact& exact, int spread) {
  Random random(1);
  Mp x(kBits), y(kBits), z(2 * kBits);
  double worst = -INFINITY;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const DoubleDouble a = random.sized(-spread, spread);
    DoubleDouble b = random.sized(-spread, spread);
    if (i % 4 == 0) b = random.around(-a.hi);
    if (i % 4 == 1) b = random.around(std::nextafter(a.hi, -a.hi));
    set(x, a);
    set(y, b);
    exact(z, x, y, MPFR_RNDN);
    worst = std::fmax(worst, log2_error(ours(a, b), z));
  }
  return worst;
}

TEST(MpfrDoubleDouble, OperationsKeepTheirBounds) {
  const double u2 = -106;
  EXPECT_LE(worst_of_pairs([](auto& a, auto& b) { return a + b; }, mpfr_add, 60), u2 + std::log2(3.01));
  EXPECT_LE(worst_of_pairs([](auto& a, auto& b) { return a - b; }, mpfr_sub, 60), u2 + std::log2(3.01));
  EXPECT_LE(worst_of_pairs([](auto& a, auto& b) { return a * b; }, mpfr_mul, 60), u2 + std::log2(5.01));
  EXPECT_LE(worst_of_pairs([](auto& a, auto& b) { return a / b; }, mpfr_div, 60), u2 + 4);
  EXPECT_LE(worst_of_pairs([](auto& a, auto&) { return sqrt(abs(a)); },
                           [](mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr, mpfr_rnd_t rounding) {
                             mpfr_abs(z, x, rounding);
                             return mpfr_sqrt(z, z, rounding);
                           },
                           60),
            u2 + std::log2(25.1 / 8));
}

// Near the ends of the range a result may lack what is below 2^-1074.
TEST(MpfrDoubleDouble, OperationsHoldOverTheWholeRange) {
  Random random(2);
  Mp x(kBits), y(kBits), z(2 * kBits), difference(2 * kBits);
  const std::vector<std::pair<Binary, Exact>> operations = {
      {[](auto& a, auto& b) { return a + b; }, mpfr_add},
      {[](auto& a, auto& b) { return a * b; }, mpfr_mul},
      {[](auto& a, auto& b) { return a / b; }, mpfr_div},
  };
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const DoubleDouble a = random.sized(-1074, 1024), b = random.sized(-1074, 1024);
    set(x, a);
    set(y, b);
    for (const auto& [ours, exact] : operations) {
      const DoubleDouble got = ours(a, b);
      exact(z, x, y, MPFR_RNDN);
      mpfr_abs(difference, z, MPFR_RNDN);
      if (mpfr_cmp_d(difference, std::numeric_limits<double>::max()) > 0) {
        ASSERT_TRUE(std::isinf(got.hi) && got.lo == 0) << a.hi << " " << b.hi;
        continue;
      }
      Mp bound(kBits);
      mpfr_mul_2si(bound, difference, -102, MPFR_RNDU);
      mpfr_add_d(bound, bound, std::numeric_limits<double>::denorm_min(), MPFR_RNDU);
      mpfr_set_d(difference, got.hi, MPFR_RNDN);
      mpfr_add_d(difference, difference, got.lo, MPFR_RNDN);
      mpfr_sub(difference, difference, z, MPFR_RNDN);
      ASSERT_LE(mpfr_cmpabs(difference, bound), 0) << a.hi << " " << b.hi << " " << got.hi;
      ASSERT_EQ(got.hi + got.lo, got.hi);
    }
  }
}

// Errors of sums and products that are doubles, found with none of our arithmetic.
TEST(MpfrDoubleDouble, ErrorsOfSumsAndProductsAreExact) {
  Random random(3);
  Mp x(2200), y(2200);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double a = random.sized(-1074, 1024).hi, b = random.sized(-1074, 1024).hi;
    const auto check = [&](const DoubleDouble& got, auto exact) {
      mpfr_set_d(x, a, MPFR_RNDN);
      mpfr_set_d(y, b, MPFR_RNDN);
      exact(x, x, y, MPFR_RNDN);
      ASSERT_EQ(got.hi, mpfr_get_d(x, MPFR_RNDN));
      if (std::isinf(got.hi)) {
        ASSERT_EQ(got.lo, 0);
        return;
      }
      mpfr_sub_d(x, x, got.hi, MPFR_RNDN);
      ASSERT_EQ(mpfr_cmp_d(x, got.lo), 0) << a << " " << b;
    };
    check(two_sum(a, b), mpfr_add);
    if (std::fabs(a * b) >= 0x1p-968) check(two_product(a, b), mpfr_mul);
  }
}

using Unary = DoubleDouble (*)(const DoubleDouble&);
using ExactUnary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

double worst_over(Unary ours, ExactUnary exact, const std::vector<DoubleDouble>& arguments) {
  Mp x(kBits), y(kBits);
  double worst = -INFINITY;
  for (const DoubleDouble& argument : arguments) {
    set(x, argument);
    exact(y, x, MPFR_RNDN);
    const double error = log2_error(ours(argument), y);
    if (error > worst) worst = error;
    if (error > -90) ADD_FAILURE() << argument.hi << " + " << argument.lo << ": 2^" << error;
  }
  return worst;
}

std::vector<DoubleDouble> arguments(double low, double high, int smallest = -200, std::uint64_t count = kCount / 10) {
  Random random(4);
  std::vector<DoubleDouble> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    out.push_back(random.around(random.between(low, high)));
    const DoubleDouble small = random.sized(smallest, 4);
    if (small.hi > low && small.hi < high) out.push_back(small);
    // Next to whole numbers, halves and so on, where reductions change.
    const double step = std::ldexp(1, -static_cast<int>(random.word() % 7));
    const double near = std::floor(random.between(low, high) / step) * step;
    if (near > low && near != 0) out.push_back(random.around(std::nextafter(near, random.between(low, high))));
  }
  return out;
}

TEST(MpfrDoubleDouble, Exponentials) {
  EXPECT_LE(worst_over(exp, mpfr_exp, arguments(-600, 709)), -98);
  EXPECT_LE(worst_over(exp, mpfr_exp, arguments(-1, 1)), -98);
  EXPECT_LE(worst_over(expm1, mpfr_expm1, arguments(-100, 709)), -98);
  EXPECT_LE(worst_over(expm1, mpfr_expm1, arguments(-1, 1)), -98);
  EXPECT_LE(worst_over(tanh, mpfr_tanh, arguments(-1, 1)), -97);
  EXPECT_LE(worst_over(tanh, mpfr_tanh, arguments(-400, 400)), -97);
}

TEST(MpfrDoubleDouble, Logarithms) {
  EXPECT_LE(worst_over(log, mpfr_log, arguments(0, 1e300, -1000)), -96);
  EXPECT_LE(worst_over(log, mpfr_log, arguments(0, 4)), -96);
  EXPECT_LE(worst_over(log, mpfr_log, arguments(0.9, 1.1)), -96);
  EXPECT_LE(worst_over(log1p, mpfr_log1p, arguments(-0.999, 3)), -96);
  Random random(5);
  std::vector<DoubleDouble> next_to_one;
  for (int i = 1; i < 100; ++i) next_to_one.push_back({1, std::ldexp(random.between(-1, 1), -54 - i)});
  EXPECT_LE(worst_over(log, mpfr_log, next_to_one), -96);
}

TEST(MpfrDoubleDouble, SinesOfLargeArguments) {
  EXPECT_LE(worst_over(sin, mpfr_sin, arguments(-4, 4)), -99);
  EXPECT_LE(worst_over(cos, mpfr_cos, arguments(-4, 4)), -99);
  EXPECT_LE(worst_over(sin, mpfr_sin, arguments(-1e9, 1e9)), -99);
  EXPECT_LE(worst_over(cos, mpfr_cos, arguments(-1e9, 1e9)), -99);
}

// The double-doubles, and the doubles, next to multiples of π/2: the result is as small as it can be.
TEST(MpfrDoubleDouble, SinesNextToTheirZeros) {
  Random random(6);
  Mp half_pi(kBits), multiple(kBits);
  mpfr_const_pi(half_pi, MPFR_RNDN);
  mpfr_div_ui(half_pi, half_pi, 2, MPFR_RNDN);
  std::vector<DoubleDouble> near;
  for (std::uint64_t i = 0; i < kCount / 4; ++i) {
    const unsigned long n = 1 + (random.word() % (1UL << (1 + i % 29)));
    mpfr_mul_ui(multiple, half_pi, n, MPFR_RNDN);
    const double high = mpfr_get_d(multiple, MPFR_RNDN);
    mpfr_sub_d(multiple, multiple, high, MPFR_RNDN);
    near.push_back({high});
    near.push_back({high, mpfr_get_d(multiple, MPFR_RNDN)});
  }
  // Of all doubles nearly the nearest to a multiple of π/2 (Kahan): beyond 1e9, but the reduction holds.
  near.push_back({0x1.1fffffffffffep+3 * 0x1p-3});
  EXPECT_LE(worst_over(sin, mpfr_sin, near), -94);
  EXPECT_LE(worst_over(cos, mpfr_cos, near), -94);
}

TEST(MpfrDoubleDouble, ErrorFunctions) {
  constexpr std::uint64_t kSome = kCount / 80;  // MPFR's are slow
  EXPECT_LE(worst_over(erf, mpfr_erf, arguments(-1.2, 1.2, -200, kSome)), -97);
  EXPECT_LE(worst_over(erf, mpfr_erf, arguments(-30, 30, -200, kSome)), -97);
  EXPECT_LE(worst_over(erfc, mpfr_erfc, arguments(-6, 1, -200, kSome)), -97);
  EXPECT_LE(worst_over(erfc, mpfr_erfc, arguments(1, 25, -200, kSome)), -92);
}

double table_error(const DoubleDouble& constant, mpfr_srcptr exact) { return log2_error(constant, exact); }

namespace tables = double_double_tables;

TEST(MpfrDoubleDouble, ConstantsAreWhatTheySay) {
  Mp exact(kBits), part(kBits);
  for (std::size_t n = 0; n < std::size(tables::kInverseFactorial); ++n) {
    mpfr_fac_ui(exact, n, MPFR_RNDN);
    mpfr_ui_div(exact, 1, exact, MPFR_RNDN);
    EXPECT_LE(table_error(tables::kInverseFactorial[n], exact), -106) << n;
  }
  for (std::size_t n = 0; n < std::size(tables::kInverseOdd); ++n) {
    mpfr_set_ui(exact, 2 * n + 1, MPFR_RNDN);
    mpfr_ui_div(exact, 1, exact, MPFR_RNDN);
    EXPECT_LE(table_error(tables::kInverseOdd[n], exact), -106) << n;
  }
  for (std::size_t n = 0; n < std::size(tables::kErfTerm); ++n) {
    mpfr_fac_ui(exact, n, MPFR_RNDN);
    mpfr_mul_ui(exact, exact, 2 * n + 1, MPFR_RNDN);
    mpfr_si_div(exact, n % 2 == 0 ? 1 : -1, exact, MPFR_RNDN);
    EXPECT_LE(table_error(tables::kErfTerm[n], exact), -106) << n;
  }
  for (std::size_t i = 0; i < std::size(tables::kGauss); ++i) {
    const double place = static_cast<double>(i + 1) * tables::kStep;
    mpfr_set_d(exact, -place * place, MPFR_RNDN);
    mpfr_exp(exact, exact, MPFR_RNDN);
    EXPECT_LE(table_error(tables::kGauss[i], exact), -106) << i;
  }
  mpfr_const_pi(part, MPFR_RNDN);
  mpfr_sqrt(exact, part, MPFR_RNDN);
  mpfr_ui_div(exact, 2, exact, MPFR_RNDN);
  EXPECT_LE(table_error(tables::kTwoOverRootPi, exact), -106);
  mpfr_ui_div(exact, 23, part, MPFR_RNDN);
  mpfr_div_ui(exact, exact, 32, MPFR_RNDN);
  EXPECT_LE(table_error(tables::kTwoStepsOverPi, exact), -106);
  mpfr_mul_ui(exact, part, 128, MPFR_RNDN);
  mpfr_div_ui(exact, exact, 23, MPFR_RNDN);
  EXPECT_LE(table_error(tables::kTwoPiOverStep, exact), -106);
  mpfr_div_ui(exact, part, 2, MPFR_RNDN);
  mpfr_sqrt(part, exact, MPFR_RNDN);
  EXPECT_LE(table_error(tables::kRootHalfPi, part), -106);
  for (const double word : tables::kHalfPi) mpfr_sub_d(exact, exact, word, MPFR_RNDN);
  EXPECT_LE(std::fabs(mpfr_get_d(exact, MPFR_RNDU)), 0x1p-268);
  mpfr_const_log2(exact, MPFR_RNDN);
  mpfr_sub_d(exact, exact, tables::kLn2High, MPFR_RNDN);
  EXPECT_LE(table_error(tables::kLn2Low, exact), -106);
}

}  // namespace
}  // namespace assay
