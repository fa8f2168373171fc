// Fast modes against arithmetic of the processor (floats and std::fma), published seeds, and counts over all
// significands made one by one.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "num/fast_math.h"
#include "num/fast_seed.h"
#include "num/format.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

NumberFormat format_of(std::string_view name) { return *number_format(name); }
FastMode division(std::string_view name) { return *fast_mode(name, false); }
FastMode root(std::string_view name) { return *fast_mode(name, true); }
double two_to(int exponent) { return std::ldexp(1.0, exponent); }

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

// --- the steps, natively ---

// 1/x to `bits` bits by frexp and nearbyint; not for ties, which reciprocals do not have.
double rounded_to(double x, int bits) {
  int exponent = 0;
  const double m = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(m, bits)), exponent - bits);
}

float native_divide(const FastMode& mode, int steps, float a, float b) {
  auto x = static_cast<float>(rounded_to(1.0 / b, mode.seed_bits));
  for (int i = 0; i < steps; ++i) {
    if (mode.form == StepForm::kFused) {
      const float e = std::fma(-b, x, 1.0F);
      x = std::fma(x, e, x);
    } else if (mode.form == StepForm::kFusedStep) {
      x = x * std::fma(-b, x, 2.0F);
    } else {
      const float t = b * x;
      x = x * (2.0F - t);
    }
  }
  float q = a * x;
  if (mode.correction) {
    const float r = std::fma(-b, q, a);
    q = std::fma(r, x, q);
  }
  return q;
}

float native_root(const FastMode& mode, int steps, float a) {
  auto y = static_cast<float>(rounded_to(1.0 / std::sqrt(static_cast<double>(a)), mode.seed_bits));
  for (int i = 0; i < steps; ++i) {
    if (mode.form == StepForm::kFused) {
      const float s = a * y;
      const float e = std::fma(-s, y, 1.0F);
      y = std::fma(0.5F * y, e, y);
    } else if (mode.form == StepForm::kFusedStep) {
      const float s = a * y;
      y = y * (std::fma(-s, y, 3.0F) / 2.0F);
    } else {
      const float h = 0.5F * a;
      const float t = h * y;
      const float u = t * y;
      y = y * (1.5F - u);
    }
  }
  float s = a * y;
  if (mode.correction) {
    const float r = std::fma(-s, s, a);
    s = std::fma(r, 0.5F * y, s);
  }
  return s;
}

TEST(NumDivision, ValuesAreThoseOfNativeFloats) {
  std::mt19937_64 random(1);
  const NumberFormat fp32 = format_of("fp32");
  for (const StepForm form : {StepForm::kFused, StepForm::kFusedStep, StepForm::kSeparate}) {
    for (const int steps : {0, 1, 2, 3}) {
      for (const bool correction : {false, true}) {
        FastMode divide = division("newton");
        divide.form = form;
        divide.steps = steps;
        divide.correction = correction;
        FastMode square_root = root("newton");
        square_root.form = form;
        square_root.steps = steps;
        square_root.correction = correction;
        for (int i = 0; i < 400; ++i) {
          const auto number = [&] {
            const double m = 1 + std::ldexp(static_cast<double>(random() >> 41), -23);
            return static_cast<float>(std::ldexp(m, static_cast<int>(random() % 100) - 50));
          };
          const float a = number();
          const float b = number();
          ASSERT_EQ(fast_value(divide, fp32, a, b), native_divide(divide, steps, a, b)) << a << ' ' << b;
          ASSERT_EQ(fast_value(square_root, fp32, a, 1), native_root(square_root, steps, a)) << a;
        }
      }
    }
  }
}

// --- the survey ---

// The same survey, value by value. Precision up to 13.
FastSurvey one_by_one(const FastMode& mode, int p, double a, bool pairs) {
  const NumberFormat format = format_of("p=" + std::to_string(p) + ",emin=-900,emax=900");
  const bool is_a_root = is_root(mode.operation);
  FastSurvey out;
  out.by_distance.assign(9, 0);
  const int binade = 1 << (p - 1);
  for (int i = 0; i < (is_a_root ? 2 : 1) * binade; ++i) {
    const double m = i < binade ? 1 + std::ldexp(i, 1 - p) : 2 * (1 + std::ldexp(i - binade, 1 - p));
    for (int j = 0; j < (pairs ? binade : 1); ++j) {
      const double of = is_a_root ? m : pairs ? 1 + std::ldexp(j, 1 - p) : a;
      const double by = is_a_root ? 1 : m;
      const double fast = fast_value(mode, format, of, by);
      const RightValue right = right_value(mode, format, of, by, fast);
      ++out.tried;
      const double ulp = std::ldexp(1.0, std::ilogb(std::min(fast, right.value)) - p + 1);
      const auto distance = static_cast<std::size_t>(std::abs(fast - right.value) / ulp);
      ++out.by_distance[std::min<std::size_t>(distance, 8)];
      out.worst_error_ulps = std::max(out.worst_error_ulps, right.fast_error_ulps);
    }
  }
  return out;
}

TEST(NumDivision, SurveyCountsWhatTheValuesAre) {
  for (const int p : {4, 8, 11, 13}) {
    for (const FastMode& named : fast_modes()) {
      FastMode mode = named;
      mode.formats.clear();
      mode.scaling = FastScaling::kNone;
      mode.seed_bits = std::min(mode.seed_bits, mode.seed == SeedKind::kTable ? p - 1 : p);
      const bool pairs = mode.operation == FastOperation::kDivide && p <= 8;
      if (mode.operation == FastOperation::kDivide && p == 11) continue;  // a million pairs one by one take long
      SCOPED_TRACE(mode.title.en + " p=" + std::to_string(p));
      const NumberFormat format = format_of("p=" + std::to_string(p) + ",emin=-900,emax=900");
      const FastSurvey got = survey(mode, format, 1.25);
      const FastSurvey wanted = one_by_one(mode, p, mode.operation == FastOperation::kReciprocal ? 1 : 1.25, pairs);
      EXPECT_EQ(got.over, pairs ? FastSurvey::Over::kAllPairs : FastSurvey::Over::kAllDivisors);
      EXPECT_EQ(got.tried, wanted.tried);
      EXPECT_EQ(got.by_distance, wanted.by_distance);
      EXPECT_NEAR(got.worst_error_ulps, wanted.worst_error_ulps, 1e-9);
      EXPECT_EQ(fast_value(mode, format, got.worst_a, got.worst_b), got.worst_fast);
      EXPECT_EQ(right_value(mode, format, got.worst_a, got.worst_b, got.worst_fast).value, got.worst_right);
      EXPECT_LE(got.worst_error_ulps, relative_error_bound(mode, p) * two_to(p));
    }
  }
}

TEST(NumDivision, SurveyOfFp32) {
  const NumberFormat fp32 = format_of("fp32");
  for (const FastMode& mode : fast_modes()) {
    if (mode.documented_ulps == 0) continue;
    SCOPED_TRACE(mode.title.en);
    const FastSurvey got = survey(mode, fp32, 1.9999998807907104);
    EXPECT_EQ(got.tried, std::uint64_t{1} << (is_root(mode.operation) ? 24 : 23));
    EXPECT_LE(static_cast<double>(got.largest_distance), mode.documented_ulps);
    EXPECT_LE(got.worst_error_ulps, relative_error_bound(mode, 24) * two_to(24));
    EXPECT_GT(got.wrong(), got.tried / 10) << "it is not correctly rounded";
    EXPECT_EQ(fast_value(mode, fp32, got.worst_a, got.worst_b), got.worst_fast);
    EXPECT_EQ(right_value(mode, fp32, got.worst_a, got.worst_b, got.worst_fast).value, got.worst_right);
  }
}

TEST(NumDivision, SurveyOfFp64IsASample) {
  const FastSurvey got = survey(division("newton"), format_of("fp64"), 3);
  EXPECT_EQ(got.over, FastSurvey::Over::kSample);
  EXPECT_NEAR(static_cast<double>(got.wrong()) / static_cast<double>(got.tried), 0.31, 0.01);  // that of FP32
  EXPECT_LE(got.largest_distance, 2U);
  EXPECT_EQ(got.worst_a, 1.5);
  EXPECT_EQ(survey(division("newton"), format_of("p=30,emin=-900,emax=900"), 3).over, FastSurvey::Over::kSample);
}

// Markstein: the residual corrects all, but for the few where the reciprocal itself is not the nearest one.
TEST(NumDivision, TheResidualCorrects) {
  EXPECT_EQ(survey(division("markstein"), format_of("bf16"), 1).wrong(), 0U);
  EXPECT_EQ(survey(root("markstein"), format_of("fp16"), 1).wrong(), 0U);
  const FastSurvey fp16 = survey(division("markstein"), format_of("fp16"), 1);
  EXPECT_EQ(fp16.tried, std::uint64_t{1} << 20);
  EXPECT_EQ(fp16.wrong(), 1U);  // 1 / 1.9990: the reciprocal of the largest significand, Markstein's known exception
  EXPECT_EQ(fp16.worst_a, 1);
  EXPECT_EQ(fp16.worst_b, 2 - two_to(-10));
  EXPECT_GT(survey(division("newton"), format_of("fp16"), 1).wrong(), std::uint64_t{1} << 17);
}

// --- seeds ---

TEST(NumDivision, SeedsStayWithinTheirBounds) {
  for (const bool of_root : {false, true}) {
    FastMode mode = of_root ? root("newton") : division("newton");
    for (const SeedKind kind : {SeedKind::kRounded, SeedKind::kTable}) {
      for (const int bits : {2, 3, 5, 7, 8, 11, 14}) {
        mode.seed = kind;
        mode.seed_bits = bits;
        double worst = 0;
        for (int i = 0; i < 1 << 15; ++i) {
          const double m = (of_root ? 3 : 1) * std::ldexp(i, -15) + 1;
          const double exact = of_root ? 1 / std::sqrt(m) : 1 / m;
          worst = std::max(worst, std::abs(fast::seed(mode, m) / exact - 1));
        }
        EXPECT_LE(worst, fast::seed_error_bound(mode)) << of_root << ' ' << bits;
        EXPECT_GE(worst, fast::seed_error_bound(mode) / 4) << "the bound says something";
      }
    }
  }
}

// PyTorch printed what Arm's two estimates give for 1 … 16 before it added Newton steps (pytorch#47478).
TEST(NumDivision, ArmSeedsAsPrinted) {
  constexpr std::array<double, 16> kReciprocals = {0.9980, 0.4990, 0.3330, 0.2495, 0.1997, 0.1665, 0.1426, 0.1248,
                                                   0.1108, 0.0999, 0.0908, 0.0833, 0.0769, 0.0713, 0.0667, 0.0624};
  constexpr std::array<double, 16> kRoots = {0.9980, 0.7051, 0.5762, 0.4990, 0.4463, 0.4082, 0.3779, 0.3525,
                                             0.3330, 0.3154, 0.3008, 0.2881, 0.2773, 0.2666, 0.2578, 0.2495};
  FastMode reciprocal = division("arm");
  reciprocal.operation = FastOperation::kReciprocal;
  reciprocal.steps = 0;
  FastMode of_root = root("arm");
  of_root.operation = FastOperation::kReciprocalRoot;
  of_root.steps = 0;
  const NumberFormat fp32 = format_of("fp32");
  for (int i = 1; i <= 16; ++i) {
    const auto index = static_cast<std::size_t>(i - 1);
    EXPECT_NEAR(fast_value(reciprocal, fp32, 1, i), kReciprocals[index], 0.5001e-4) << i;
    EXPECT_NEAR(fast_value(of_root, fp32, i, 1), kRoots[index], 0.5001e-4) << i;
  }
}

// The table of vfrsqrt7.v in the RISC-V "V" specification: by the exponent's lowest bit and six bits of the fraction,
// the seven bits behind the leading one.
TEST(NumDivision, RiscvTableAsSpecified) {
  constexpr std::array<int, 128> kTable = {
      52,  51,  50,  48,  47,  46,  44,  43,  42,  41,  40,  39,  38,  36,  35,  34, 33, 32, 31, 30, 30,  29,
      28,  27,  26,  25,  24,  23,  23,  22,  21,  20,  19,  19,  18,  17,  16,  16, 15, 14, 14, 13, 12,  12,
      11,  10,  10,  9,   9,   8,   7,   7,   6,   6,   5,   4,   4,   3,   3,   2,  2,  1,  1,  0,  127, 125,
      123, 121, 119, 118, 116, 114, 113, 111, 109, 108, 106, 105, 103, 102, 100, 99, 97, 96, 95, 93, 92,  91,
      90,  88,  87,  86,  85,  84,  83,  82,  80,  79,  78,  77,  76,  75,  74,  73, 72, 71, 70, 70, 69,  68,
      67,  66,  65,  64,  63,  63,  62,  61,  60,  59,  59,  58,  57,  56,  56,  55, 54, 53};
  const FastMode mode = root("riscv");
  for (int i = 0; i < 128; ++i) {
    // An even exponent field of FP32 (bias 127) is an odd exponent.
    const double m = (i < 64 ? 2 : 1) * (1 + (i % 64) / 64.0);
    const double fraction = 2 * fast::seed(mode, m) - 1;
    EXPECT_EQ(fraction * 128, kTable[static_cast<std::size_t>(i)]) << i;
  }
}

// "1.0 … comes out as 0.999756 (3F7FF000)", after a Newton step "3F7FFFFF": observed on Intel Core 2.
TEST(NumDivision, ReciprocalOfOneOnX86) {
  FastMode mode = division("x86");
  const NumberFormat fp32 = format_of("fp32");
  EXPECT_EQ(fast_value(mode, fp32, 1, 1), static_cast<double>(std::bit_cast<float>(0x3F7FFFFFU)));
  mode.steps = 0;
  EXPECT_EQ(fast_value(mode, fp32, 1, 1), static_cast<double>(std::bit_cast<float>(0x3F7FF000U)));
  // Documented of both seeds: a relative error of at most 1.5 · 2^-12.
  double worst = 0;
  double worst_root = 0;
  for (int i = 0; i < 1 << 16; ++i) {
    const double m = 1 + std::ldexp(i, -16);
    const double a = 1 + std::ldexp(3.0 * i, -16);
    worst = std::max(worst, std::abs(fast::seed(mode, m) * m - 1));
    worst_root = std::max(worst_root, std::abs(fast::seed(root("x86"), a) * std::sqrt(a) - 1));
  }
  EXPECT_LE(worst, 1.5 * two_to(-12));
  EXPECT_GE(worst, 1.45 * two_to(-12));
  EXPECT_LE(worst_root, 1.5 * two_to(-12));
}

// --- the ends of the range ---

TEST(NumDivision, CudaApproximateDivisionOfLargeDivisors) {
  const FastMode approx = division("__fdividef");
  const NumberFormat fp32 = format_of("fp32");
  EXPECT_EQ(fast_value(approx, fp32, two_to(126), two_to(126)), 1);
  EXPECT_TRUE(same(fast_value(approx, fp32, two_to(127), two_to(127)), 0.0));
  EXPECT_TRUE(same(fast_value(approx, fp32, -3, 1.5 * two_to(126)), -0.0)) << "a zero with its sign";
  EXPECT_TRUE(std::isnan(fast_value(approx, fp32, kInf, two_to(127))));
  const FastMode full = division("cuda-full");
  EXPECT_EQ(fast_value(full, fp32, two_to(127), two_to(127)), 1);
  EXPECT_EQ(fast_value(full, fp32, kInf, two_to(127)), kInf);
  EXPECT_EQ(fast_value(full, fp32, two_to(-149), two_to(-149)), 1);
  EXPECT_EQ(fast_value(full, fp32, two_to(-130), 4), two_to(-132)) << "a subnormal quotient";
  EXPECT_EQ(fast_value(full, fp32, two_to(127), two_to(-127)), kInf);
  EXPECT_EQ(fast_value(full, fp32, -1, 0), -kInf);
  EXPECT_TRUE(std::isnan(fast_value(full, fp32, 0, 0)));
}

TEST(NumDivision, ScaledLargeDivisors) {
  const FastMode amd = division("amd-fast");
  const NumberFormat fp32 = format_of("fp32");
  EXPECT_EQ(fast_value(amd, fp32, two_to(127), two_to(127)), 1);
  EXPECT_EQ(fast_value(amd, fp32, 3, two_to(100)), 3 * two_to(-100));
  EXPECT_TRUE(std::isnan(fast_value(amd, fp32, 1, kNan)));
}

TEST(NumDivision, ZerosInfinitiesAndNaN) {
  const NumberFormat fp32 = format_of("fp32");
  const FastMode plain = division("newton");
  EXPECT_TRUE(std::isnan(fast_value(plain, fp32, 1, 0))) << "1 - 0 · ∞";
  EXPECT_TRUE(std::isnan(fast_value(plain, fp32, 1, kInf)));
  FastMode keeps = plain;
  keeps.keeps_specials = true;
  EXPECT_EQ(fast_value(keeps, fp32, 1, -0.0), -kInf);
  EXPECT_EQ(fast_value(keeps, fp32, 1, kInf), 0);
  EXPECT_TRUE(std::isnan(fast_value(keeps, fp32, kNan, 1)));
  EXPECT_EQ(fast_value(keeps, fp32, 0, 5), 0);
  const FastMode x86 = root("x86");
  EXPECT_TRUE(std::isnan(fast_value(x86, fp32, 0, 1))) << "0 · ∞";
  EXPECT_TRUE(std::isnan(fast_value(x86, fp32, kInf, 1))) << "∞ · 0";
  EXPECT_TRUE(std::isnan(fast_value(x86, fp32, -4, 1)));
  const FastMode cuda = root("cuda-approx");
  EXPECT_TRUE(same(fast_value(cuda, fp32, -0.0, 1), -0.0));
  EXPECT_EQ(fast_value(cuda, fp32, kInf, 1), kInf);
  EXPECT_TRUE(std::isnan(fast_value(cuda, fp32, -4, 1)));
  EXPECT_EQ(fast_value(cuda, fp32, two_to(-149), 1), std::sqrt(static_cast<float>(two_to(-149))));
  EXPECT_EQ(fast_value(root("cuda-rsqrt"), fp32, 0, 1), kInf);
}

TEST(NumDivision, FlushedSubnormals) {
  const NumberFormat fp32 = format_of("fp32");
  FastMode full = division("cuda-full");
  full.flush = true;
  EXPECT_TRUE(same(fast_value(full, fp32, -two_to(-126), 4), -0.0)) << "the quotient is subnormal";
  EXPECT_EQ(fast_value(full, fp32, 1, two_to(-130)), kInf) << "the divisor was";
  EXPECT_TRUE(same(right_value(full, fp32, -two_to(-126), 4, 0).value, -0.0));
  // A reciprocal that overflows: |b| < 2^-128. Arm's step then makes -∞ of 2 - b · ∞.
  EXPECT_FALSE(std::isfinite(fast_value(division("arm"), fp32, 1, two_to(-140))));
  EXPECT_EQ(fast_value(division("cuda-full"), fp32, two_to(-140), two_to(-140)), 1);
}

TEST(NumDivision, HowFarFromTheExactResult) {
  const NumberFormat fp32 = format_of("fp32");
  const FastMode mode = division("newton");
  const double fast = fast_value(mode, fp32, 1, 3);
  const RightValue right = right_value(mode, fp32, 1, 3, fast);
  EXPECT_EQ(right.value, static_cast<double>(1.0F / 3.0F));
  EXPECT_NEAR(right.right_error_ulps, 1.0 / 3, 1e-9);  // 1/3 ends 0101…: a third of an ulp is rounded
  EXPECT_TRUE(std::isnan(right_value(mode, fp32, 1, 0, kInf).fast_error_ulps));
  EXPECT_EQ(right_value(mode, fp32, 0, 1, 0).fast_error_ulps, 0);
}

// --- names ---

TEST(NumDivision, ModesAreFoundAndFit) {
  for (const FastMode& mode : fast_modes()) {
    const auto found = fast_mode(mode.name, is_root(mode.operation));
    ASSERT_TRUE(found) << mode.name;
    EXPECT_EQ(found->title.en, mode.title.en) << "two modes have the name " << mode.name;
    EXPECT_EQ(mode.documented.en.empty(), mode.formats.empty()) << "what exists is documented: " << mode.name;
    EXPECT_FALSE(misfit(mode, format_of(mode.formats.empty() ? "fp32" : mode.formats.back()))) << mode.name;
  }
  EXPECT_EQ(fast_mode("cuda-ful", false).error().hint, "did you mean 'cuda-full'?");
  EXPECT_EQ(fast_mode("qqq", true).error().code, ErrorCode::kUsage);
  EXPECT_TRUE(misfit(division("cuda-full"), format_of("fp16")));
  FastMode fine = division("newton");
  fine.seed_bits = 12;
  EXPECT_TRUE(misfit(fine, format_of("fp16")));
  EXPECT_FALSE(misfit(fine, format_of("fp32")));
  EXPECT_TRUE(misfit(division("markstein"), format_of("e8m0")));
  EXPECT_EQ(steps_of(division("newton"), format_of("fp16")), 1);
  EXPECT_EQ(steps_of(division("newton"), format_of("fp64")), 3);
  EXPECT_EQ(steps_of(division("cuda-full"), format_of("fp32")), 0);
}

}  // namespace
}  // namespace assay
