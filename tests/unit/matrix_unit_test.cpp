// Matrix units: rows worked out by hand, the vectors against a twin in whole numbers, names and descriptions.

#include "num/matrix_unit.h"

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include "gmock/gmock.h"
#include "num/format.h"
#include "unit/matrix_unit_twin.h"
#include "unit/num_patterns.h"

namespace assay {
namespace {

MatrixUnit unit(std::string_view name) {
  const Result<MatrixUnit> found = matrix_unit(name);
  EXPECT_TRUE(found.has_value()) << name << ": " << (found ? "" : found.error().message);
  return found.value_or(MatrixUnit{});
}

double power(int exponent) { return std::ldexp(1.0, exponent); }

double dot(const MatrixUnit& unit, const std::vector<double>& a, const std::vector<double>& b, double c = 0) {
  multiply_accumulate(unit, 1, a.size(), a.data(), b.data(), &c);
  to_output(unit, 1, &c);
  return c;
}

// --- by hand ---

TEST(MatrixUnit, KeepsFBitsBelowTheLargestAddend) {
  const std::vector<double> ones{1, 1, power(-12)};
  const auto left = [&](std::string_view name, int exponent) {
    return dot(unit(name), ones, {1, -1, power(exponent + 12)});
  };
  EXPECT_EQ(left("h100/fp16", -25), power(-25));
  EXPECT_EQ(left("h100/fp16", -26), 0);
  EXPECT_EQ(left("a100/fp16", -24), power(-24));
  EXPECT_EQ(left("a100/fp16", -25), 0);
  EXPECT_EQ(left("v100/fp16", -23), power(-23));
  EXPECT_EQ(left("v100/fp16", -24), 0);
  EXPECT_EQ(left("cdna1/fp16", -26), power(-26));
}

TEST(MatrixUnit, CutsTowardZeroOnBothSides) {
  const double x = power(-25) + power(-26);
  for (const double sign : {1.0, -1.0}) {
    EXPECT_EQ(dot(unit("h100/fp16"), {1, 1, power(-13)}, {1, -1, sign * x / power(-13)}), sign * power(-25));
  }
  EXPECT_EQ(dot(unit("h100/fp16,align=rd"), {1, 1, power(-13)}, {1, -1, -x / power(-13)}), -power(-24));
}

TEST(MatrixUnit, ProductsAreNotNormalised) {
  // 2.25 has the exponent 0 here, so that 2^-25 stays.
  EXPECT_EQ(dot(unit("h100/fp16"), {1.5, 1.5, power(-12)}, {1.5, -1.5, power(-13)}), power(-25));
}

TEST(MatrixUnit, SubnormalInputsHaveTheSmallestNormalExponent) {
  // 2^-9 · 2^8 is aligned as if it were in [2^2, 2^4): 13 bits below that lies 2^-11.
  EXPECT_EQ(dot(unit("ada/e4m3"), {power(-9), power(-6)}, {256, power(-6)}), 0.5);
  EXPECT_EQ(dot(unit("ada/e4m3"), {power(-6), power(-6)}, {32, power(-6)}), 0.5 + power(-12));
}

TEST(MatrixUnit, ResultsAreRoundedTowardZeroOnNvidia) {
  EXPECT_EQ(dot(unit("h100/fp16"), {power(-12)}, {power(-12)}, 1), 1);
  EXPECT_EQ(dot(unit("h100/fp16"), {power(-12)}, {-power(-13)}, 1), 1 - power(-24));
  EXPECT_EQ(dot(unit("h100/e4m3"), {power(-6), 1}, {power(-8), 1}), 1);
  EXPECT_EQ(dot(unit("ascend/fp16"), {power(-12), power(-18)}, {power(-12), power(-18)}, 1), 1 + power(-23));
}

TEST(MatrixUnit, LongRowsAreChains) {
  // In the second step c = 1 pushes 2^-24 out; in one step of 16 both would meet before.
  std::vector<double> a(16), b(16);
  a[0] = b[0] = 1;
  for (const std::size_t k : {8U, 9U}) {
    a[k] = power(-12);
    b[k] = power(-13);
  }
  EXPECT_EQ(dot(unit("a100/fp16"), a, b), 1);
  EXPECT_EQ(dot(unit("a100/fp16,F=25,g=16"), a, b), 1);  // 1 + 2^-24 has no place in FP32
  a[10] = b[10] = power(-12);
  EXPECT_EQ(dot(unit("h100/fp16"), a, b), 1 + power(-23));
  EXPECT_EQ(dot(unit("a100/fp16"), a, b), 1);
}

TEST(MatrixUnit, AnAccumulatorFarAboveSwallowsEverything) {
  EXPECT_EQ(dot(unit("h100/fp16"), {1, 1}, {1, 1}, power(27)), power(27));
  EXPECT_EQ(dot(unit("h100/fp16"), {1, -1}, {1, 3}, power(27)), power(27));  // -3 is cut, too
}

TEST(MatrixUnit, OverflowIsInfiniteThoughRoundingIsTowardZero) {
  const double most = largest(*number_format("fp32"));
  const std::vector<double> big{power(127), power(103)};
  EXPECT_EQ(dot(unit("a100/bf16"), {big[0]}, {2}), HUGE_VAL);
  EXPECT_EQ(dot(unit("a100/bf16"), {big[1]}, {1}, most), most);  // half an ulp is cut off
  EXPECT_EQ(dot(unit("a100/bf16"), {big[1]}, {2}, most), HUGE_VAL);
  EXPECT_EQ(dot(unit("a100/bf16"), {big[1]}, {-2}, -most), -HUGE_VAL);
  EXPECT_EQ(dot(unit("a100/bf16,overflow=saturate"), {big[0]}, {-2}), -most);
  EXPECT_EQ(dot(unit("a100/bf16,overflow=ascend"), {HUGE_VAL}, {1}), most);
  EXPECT_EQ(dot(unit("a100/fp16,out=fp16"), {65504}, {2}), HUGE_VAL);
  EXPECT_EQ(dot(unit("a100/fp16,out=fp16,overflow=saturate"), {65504}, {2}), 65504);
}

TEST(MatrixUnit, InfinitiesAndNan) {
  for (const char* name : {"h100/fp16", "cdna1/fp16", "cdna2/fp16", "cdna3/fp16", "h100/fp16,step=fma,g=1",
                           "h100/fp16,step=multiply-add,g=1"}) {
    SCOPED_TRACE(name);
    const MatrixUnit u = unit(name);
    EXPECT_EQ(dot(u, {HUGE_VAL, 1}, {1, 1}), HUGE_VAL);
    EXPECT_EQ(dot(u, {1, 1}, {1, 1}, -HUGE_VAL), -HUGE_VAL);
    EXPECT_TRUE(std::isnan(dot(u, {HUGE_VAL, 1}, {0, 1})));
    EXPECT_TRUE(std::isnan(dot(u, {HUGE_VAL, HUGE_VAL}, {1, -1})));
    EXPECT_TRUE(std::isnan(dot(u, {HUGE_VAL}, {1}, -HUGE_VAL)));
    EXPECT_TRUE(std::isnan(dot(u, {1, 1}, {1, 1}, std::nan(""))));
  }
  EXPECT_EQ(dot(unit("h100/fp16,overflow=ascend"), {1}, {1}, std::nan("")), 0);
}

TEST(MatrixUnit, SignsOfZero) {
  EXPECT_FALSE(std::signbit(dot(unit("h100/fp16"), {-0.0}, {1}, -0.0)));
  EXPECT_TRUE(std::signbit(dot(unit("cdna2/fp16,flush=none"), {-0.0, -0.0, -0.0, -0.0}, {1, 1, 1, 1}, -0.0)));
  EXPECT_FALSE(std::signbit(dot(unit("cdna2/fp16"), {-0.0, -0.0, -0.0, -0.0}, {1, 1, 1, 1}, -0.0)));  // flushed
  EXPECT_TRUE(std::signbit(dot(unit("h100/fp16,step=fma,g=1"), {-0.0}, {1}, -0.0)));
  // What rounds to zero keeps its sign.
  const double tiny = dot(unit("a100/bf16,F=40"), {-power(-100)}, {power(-60)});
  EXPECT_TRUE(tiny == 0 && std::signbit(tiny));
}

TEST(MatrixUnit, AmdUnits) {
  // CDNA1: exact, to nearest even; the last addend breaks the tie.
  const std::vector<double> a{1, power(-12), power(-18), 0};
  EXPECT_EQ(dot(unit("cdna1/fp16"), a, {1, power(-12), power(-18), 0}), 1 + power(-23));
  EXPECT_EQ(dot(unit("cdna1/fp16"), a, {1, power(-12), 0, 0}), 1);
  // CDNA2: pairs, so that 2^-24 + 2^-24 counts, and subnormal inputs do not.
  EXPECT_EQ(dot(unit("cdna2/fp16"), {1, 0, power(-12), power(-12)}, {1, 0, power(-12), power(-12)}), 1 + power(-23));
  EXPECT_EQ(dot(unit("cdna2/fp16"), {1, power(-12), 0, power(-12)}, {1, power(-12), 0, power(-12)}), 1);
  EXPECT_EQ(dot(unit("cdna2/fp16"), {power(-15)}, {1024}), 0);
  EXPECT_EQ(dot(unit("cdna2/bf16"), {power(-100)}, {power(-27)}), 0);
  // CDNA3: c is rounded down, so a tiny negative one takes a whole step.
  EXPECT_EQ(dot(unit("cdna3/fp16"), {1}, {1}, -power(-40)), 1 - power(-24));
  EXPECT_EQ(dot(unit("cdna3/fp16"), {1}, {1}, power(-40)), 1);
  EXPECT_EQ(dot(unit("cdna3/e4m3fnuz"), {1}, {1}, -power(-40)), 1);  // here it counts as zero
}

TEST(MatrixUnit, AmxSumsEvenAndOddProductsApart) {
  const double half = power(-12);
  // Even places: 1 and 2^-24, which is lost; odd ones: 2^-24 twice, which is not.
  EXPECT_EQ(dot(unit("amx/bf16"), {1, half, half, half}, {1, half, half, half}), 1 + power(-23));
  EXPECT_EQ(dot(unit("amx/bf16"), {1, half, half, 0}, {1, half, half, 0}), 1);
  EXPECT_EQ(dot(unit("amx/bf16"), {power(-127), 1}, {power(60), 0}), 0);  // a subnormal input
}

TEST(MatrixUnit, ChainsInDoublePrecision) {
  const MatrixUnit u = unit("in=bf16,step=fma,acc=fp64,round=rne,out=fp32");
  EXPECT_EQ(dot(u, {1, power(-30), power(-30)}, {1, 1, -1}), 1);
  EXPECT_EQ(dot(u, {power(30), power(-22), -power(30)}, {1, 1, 1}), power(-22));
  EXPECT_EQ(dot(u, {power(30), power(-24), -power(30)}, {1, 1, 1}), 0);
  EXPECT_EQ(dot(u, {power(127)}, {power(127)}), HUGE_VAL);
}

TEST(MatrixUnit, Tf32ReadsTheUpperBitsOfFp32) {
  std::vector<double> values{1 + power(-11), -(1 + power(-10) + power(-12)), 3};
  to_input(unit("a100/tf32"), values.size(), values.data());
  EXPECT_THAT(values, testing::ElementsAre(1, -(1 + power(-10)), 3));
  std::vector<double> kept{1 + power(-23)};
  to_input(unit("a100/fp16"), 1, kept.data());
  EXPECT_EQ(kept[0], 1 + power(-23));
}

// --- against the twin ---

// A number of the format: most between 2^-spread and 2^spread, some subnormal, zero, largest.
double random_input(std::mt19937_64& random, const NumberFormat& format, int spread) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const double sign = below(2) == 0 ? 1 : -1;
  if (below(16) == 0) return sign * 0.0;
  const int least = std::max(-spread, format.emin - format.precision + 1);
  const int exponent = least + below(std::min(spread, format.emax - 1) - least);
  const double whole = std::ldexp(1 + std::ldexp(below(1 << 20), -20), exponent);
  return round_to(format, real(sign * whole)).value;
}

void expect_like_twin(const MatrixUnit& unit, std::uint64_t seed, int spread) {
  constexpr std::size_t kRows = 67;  // no multiple of any vector
  const std::size_t length = static_cast<std::size_t>(unit.group) * 2 + 3;
  std::mt19937_64 random(seed);
  std::vector<double> a(kRows * length), b(kRows * length), c(kRows);
  for (double& x : a) x = random_input(random, unit.input, spread);
  for (double& x : b) x = random_input(random, unit.input, spread);
  for (double& x : c) x = random_input(random, unit.accumulator, spread);
  const test::TwinUnit twin(unit);
  test::for_each_target([&] {
    std::vector<double> out = c;
    multiply_accumulate(unit, kRows, length, a.data(), b.data(), out.data());
    for (std::size_t r = 0; r < kRows; ++r) {
      std::vector<double> x, y;
      for (std::size_t k = 0; k < length; ++k) {
        x.push_back(a[k * kRows + r]);
        y.push_back(b[k * kRows + r]);
      }
      const double expected = twin(x, y, c[r]);
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(out[r])
                                       : out[r] == expected && std::signbit(out[r]) == std::signbit(expected))
          << describe(unit) << ", row " << r << ": " << std::hexfloat << out[r] << ", not " << expected;
    }
  });
}

TEST(MatrixUnit, PresetsAreLikeTheTwin) {
  for (const MatrixUnit& one : matrix_units()) {
    SCOPED_TRACE(one.name);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) expect_like_twin(one, seed, 12);
    if (HasFailure()) return;
  }
}

MatrixUnit random_unit(std::mt19937_64& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  constexpr Rounding kCuts[] = {Rounding::kTowardZero, Rounding::kDown, Rounding::kUp, Rounding::kNearestEven};
  constexpr Rounding kRoundings[] = {Rounding::kTowardZero,  Rounding::kDown,        Rounding::kUp,
                                     Rounding::kNearestEven, Rounding::kNearestAway, Rounding::kToOdd};
  constexpr StepKind kSteps[] = {StepKind::kFused, StepKind::kFused, StepKind::kStaged,     StepKind::kLanes,
                                 StepKind::kPairs, StepKind::kFma,   StepKind::kMultiplyAdd};
  MatrixUnit out;
  for (;;) {
    out = {};
    out.input = *number_format(std::vector{"fp16", "bf16", "tf32", "e4m3", "e5m2"}[static_cast<std::size_t>(below(5))]);
    out.accumulator = *number_format(std::vector{"fp32", "e8m13", "fp16", "e8m9"}[static_cast<std::size_t>(below(4))]);
    out.step = kSteps[below(7)];
    out.group = out.step == StepKind::kFma || out.step == StepKind::kMultiplyAdd ? 1 : 1 + below(20);
    out.fraction_bits = below(4) == 0 ? kNothingCut : 2 + below(39);
    out.late_bits = 2 + below(39);
    out.alignment = kCuts[below(4)];
    out.late_alignment = kCuts[below(4)];
    out.rounding = kRoundings[below(6)];
    out.flush_inputs = below(3) == 0;
    out.flush_outputs = below(3) == 0;
    out.overflow = test::kAllOverflows[below(4)];
    if (out.step == StepKind::kStaged) out.interleaved = 1 + below(2);
    if (out.step == StepKind::kLanes) out.interleaved = 1 + below(out.group);
    if (fault_of(out) == nullptr) return out;
  }
}

TEST(MatrixUnit, DescribedUnitsAreLikeTheTwin) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    expect_like_twin(random_unit(random), random(), 12);
    if (HasFailure()) return;
  }
}

TEST(MatrixUnit, ManyRowsAreAsEachAlone) {
  const MatrixUnit u = unit("h100/fp16");
  constexpr std::size_t kRows = 1000, kLength = 40;
  std::mt19937_64 random(3);
  std::vector<double> a(kRows * kLength), b(kRows * kLength), c(kRows);
  for (std::vector<double>* values : {&a, &b, &c}) {
    for (double& x : *values) x = random_input(random, u.input, 10);
  }
  std::vector<double> all = c;
  multiply_accumulate(u, kRows, kLength, a.data(), b.data(), all.data());
  for (std::size_t r = 0; r < kRows; r += 37) {
    std::vector<double> x, y;
    for (std::size_t k = 0; k < kLength; ++k) {
      x.push_back(a[k * kRows + r]);
      y.push_back(b[k * kRows + r]);
    }
    EXPECT_EQ(all[r], dot(u, x, y, c[r])) << r;
  }
  std::vector<double> none = c;
  multiply_accumulate(u, kRows, 0, a.data(), b.data(), none.data());
  EXPECT_EQ(none, c);
}

TEST(MatrixUnit, ExactSumsHaveAllBitsHoweverFarApart) {
  // 2^100, 1 and -2^100 in one step.
  EXPECT_EQ(dot(unit("in=bf16,g=4,F=all,round=rne"), {power(100), 1, -power(100)}, {1, 1, 1}), 1);
  EXPECT_EQ(dot(unit("in=bf16,g=4,F=40,round=rne"), {power(100), 1, -power(100)}, {1, 1, 1}), 0);
}

// --- names ---

TEST(MatrixUnit, EveryPresetIsFoundByItsNamesAndByItsDescription) {
  for (const MatrixUnit& one : matrix_units()) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(fault_of(one), nullptr);
    EXPECT_FALSE(one.source.empty());
    EXPECT_EQ(unit(one.name).name, one.name);
    for (const std::string& other : one.also) EXPECT_EQ(unit(other).name, one.name);
    const MatrixUnit described = unit(describe(one));
    EXPECT_TRUE(described.name.empty());
    EXPECT_TRUE(same_arithmetic(described, one)) << describe(described);
  }
}

// A row of the table in docs/matrix-units.md.
std::string documented(const MatrixUnit& unit) {
  std::string also;
  for (const std::string& name : unit.also) also += (also.empty() ? "" : ", ") + name.substr(0, name.find('/'));
  const std::string_view from = unit.standing == Standing::kDeviceData       ? "chip's results"
                                : unit.standing == Standing::kPublishedModel ? "published model"
                                                                             : "assumed";
  return "| `" + unit.name + "` | " + also + " | " + unit.chip + " | `" + describe(unit) + "` | " + std::string(from) +
         " |\n";
}

TEST(MatrixUnit, ThePageHasEveryPreset) {
  std::ifstream file(ASSAY_SOURCE_DIR "/docs/matrix-units.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  std::string table;
  for (const MatrixUnit& one : matrix_units()) table += documented(one);
  EXPECT_THAT(page, testing::HasSubstr(table));
}

TEST(MatrixUnit, DescriptionsSayEverything) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 300; ++i) {
    const MatrixUnit one = random_unit(random);
    EXPECT_EQ(describe(unit(describe(one))), describe(one));
  }
  EXPECT_FALSE(same_arithmetic(unit("h100/fp16"), unit("h100/fp16,F=24")));
  EXPECT_TRUE(unit("h100/fp16,F=24").name.empty());
  EXPECT_EQ(unit("H100/FP16").name, "h100/fp16");
}

TEST(MatrixUnit, WrongDescriptionsAreRefused) {
  const NumberFormat fp16 = *number_format("fp16");
  for (const char* text : {"",
                           "h10/fp16",
                           "g=0",
                           "g=65",
                           "F=1",
                           "F=41",
                           "g=",
                           "x=1",
                           "step=sum",
                           "acc=fp64",
                           "acc=e4m3",
                           "acc=e8m0",
                           "round=up",
                           "g=16,h100/fp16",
                           "h100/fp16,step=fma",
                           "sets=2",
                           "step=staged",
                           "align=rna",
                           "in=fp64",
                           ",",
                           "h100/fp16,,",
                           "g=16,F=25,late=0"}) {
    EXPECT_FALSE(matrix_unit(text, &fp16).has_value()) << text;
  }
  EXPECT_FALSE(matrix_unit("g=16").has_value());
  EXPECT_FALSE(matrix_unit(std::string(1000, 'g'), &fp16).has_value());
  EXPECT_THAT(matrix_unit("h10/fp16").error().hint, testing::StartsWith("did you mean 'h100/fp16'?"));
}

}  // namespace
}  // namespace assay
