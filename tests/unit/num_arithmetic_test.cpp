// num/arithmetic.h against the reference: Real, rounded once by round_to.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "num/arithmetic.h"
#include "num/codes.h"
#include "num/format.h"
#include "num/philox.h"
#include "num/real.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b); }

// Numbers of a format: near each other, far apart, at the ends, special.
std::vector<double> numbers_of(const NumberFormat& format, std::size_t count, std::uint64_t seed) {
  std::vector<double> out = {0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             largest(format),
                             -largest(format),
                             smallest_positive(format),
                             smallest_normal(format),
                             -smallest_normal(format)};
  if (format.has_infinity()) out.insert(out.end(), {kInf, -kInf});
  if (format.has_nan()) out.push_back(std::numeric_limits<double>::quiet_NaN());
  const int span = format.emax - format.emin;
  for (std::uint64_t i = 0; out.size() < count; ++i) {
    const double significand = 1 + random_word(seed, 3 * i) * 0x1p-32;
    const auto spread = static_cast<int>(random_word(seed, 3 * i + 1) % 40);
    const bool wide = spread < 4;
    const int exponent =
        wide ? format.emin + static_cast<int>(random_word(seed, 3 * i + 2) % static_cast<unsigned>(span + 1))
             : spread % 12 - 6;
    const double sign = spread % 2 == 0 ? 1 : -1;
    const double value = round_to(format, real(std::ldexp(sign * significand, exponent))).value;
    if (is_in(format, value)) out.push_back(value);
  }
  return out;
}

RoundingRules rules_of(Rounding rounding, Overflow overflow = Overflow::kInfinity, bool flush = false) {
  RoundingRules rules;
  rules.rounding = rounding;
  rules.overflow = overflow;
  rules.flush_inputs = flush;
  rules.flush_outputs = flush;
  rules.seed = 7;
  return rules;
}

class ArithmeticTwin {
 public:
  ArithmeticTwin(const NumberFormat& format, const RoundingRules& rules) : format_(format), rules_(rules) {}

  double store(const Real& exact) {
    RoundingRules rules = rules_;
    rules.flush_inputs = false;
    return round_to(format_, exact, rules, drawn_++).value;
  }
  Real operand(double value) const { return rules_.flush_inputs ? flushed(format_, real(value)) : real(value); }

 private:
  const NumberFormat& format_;
  RoundingRules rules_;
  std::uint64_t drawn_ = 0;
};

void compare_all(const NumberFormat& format, const RoundingRules& rules) {
  const std::vector<double> left = numbers_of(format, 600, 1);
  const std::vector<double> right = numbers_of(format, 599, 2);
  std::vector<double> a, b;
  for (std::size_t i = 0; i < 3000; ++i) {
    a.push_back(left[i % left.size()]);
    b.push_back(right[(i * 7 + i / 600) % right.size()]);
  }
  std::vector<double> out(a.size());
  Arithmetic arithmetic(format, rules);
  ArithmeticTwin twin(format, rules);
  const auto check = [&](const char* name, auto exact) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double expected = twin.store(exact(twin.operand(a[i]), twin.operand(b[i])));
      ASSERT_TRUE(same(out[i], expected)) << format.name << ' ' << name << ' ' << a[i] << ' ' << b[i] << ": " << out[i]
                                          << " and not " << expected << ", rounding " << int(rules.rounding);
    }
  };
  arithmetic.add(a, b, out);
  check("add", [](const Real& x, const Real& y) { return sum(x, y); });
  arithmetic.subtract(a, b, out);
  check("subtract", [](const Real& x, const Real& y) { return sum(x, negated(y)); });
  arithmetic.multiply(a, b, out);
  check("multiply", [](const Real& x, const Real& y) { return product(x, y); });
  arithmetic.divide(a, b, out);
  check("divide", [](const Real& x, const Real& y) { return quotient(x, y); });
  arithmetic.square_root(a, out);
  check("square root", [](const Real& x, const Real&) { return square_root(x); });
}

TEST(NumArithmetic, EveryOperationIsTheExactOneRoundedOnce) {
  for (const char* name :
       {"fp32", "tf32", "hf32", "fp16", "bf16", "e4m3", "e5m2", "e2m1", "hif8", "p=25,emin=-100,emax=100"}) {
    const Result<NumberFormat> format = number_format(name);
    ASSERT_TRUE(format) << name;
    for (const Rounding rounding : {Rounding::kNearestEven, Rounding::kNearestAway, Rounding::kTowardZero,
                                    Rounding::kUp, Rounding::kDown, Rounding::kToOdd, Rounding::kStochastic}) {
      compare_all(*format, rules_of(rounding));
    }
    compare_all(*format, rules_of(Rounding::kNearestEven, Overflow::kSaturate));
    compare_all(*format, rules_of(Rounding::kNearestEven, Overflow::kAscend));
    compare_all(*format, rules_of(Rounding::kNearestEven, Overflow::kInfinity, true));
  }
}

TEST(NumArithmetic, FormatsThatFp64DoesNotCoverGoByTheReference) {
  for (const char* name : {"fp64", "p=40,emin=-300,emax=300"}) {
    const Result<NumberFormat> format = number_format(name);
    ASSERT_TRUE(format) << name;
    compare_all(*format, rules_of(Rounding::kNearestEven));
    compare_all(*format, rules_of(Rounding::kUp));
  }
}

TEST(NumArithmetic, AnAddendMayHaveMoreDigitsThanTheFormat) {
  const NumberFormat fp32 = *number_format("fp32");
  Arithmetic arithmetic(fp32);
  // 1 + 2^-24 + 2^-70: a tie in FP64, none in truth.
  const std::vector<double> a = {1.0}, b = {0x1p-24 + 0x1p-70};
  std::vector<double> out(1);
  arithmetic.add(a, b, out);
  EXPECT_EQ(out[0], 1 + 0x1p-23);
}

TEST(NumArithmetic, FunctionsAreFp64sRounded) {
  Arithmetic arithmetic(*number_format("bf16"));
  const std::vector<double> a = {0.0, 1.0, -2.5, 88.5, 1000.0};
  std::vector<double> out(a.size());
  arithmetic.apply(std::exp, a, out);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 2.71875);
  EXPECT_EQ(out[4], kInf);
}

}  // namespace
}  // namespace assay
