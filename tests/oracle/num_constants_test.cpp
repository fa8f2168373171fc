// Constants of the formats against published ones, written out by hand: IEEE 754-2019 table 3.5; OCP OFP8 1.0 tables 1
// and 2; OCP MX 1.0 tables 1 to 5; ONNX "Float stored in 8 bits"; ml_dtypes' README; arXiv 2409.16626 (HiF8); NVIDIA's
// TF32 and Huawei's HF32 as FP32 with 10 and 11 bits of fraction.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "num/format.h"
#include "oracle/naive_formats.h"

namespace assay {
namespace {

struct Published {
  const char* name;
  int sign, exponent, fraction;  // bits; -1 where there are no such fields
  int bias;
  double smallest, smallest_normal, largest, epsilon;
  double threshold;  // of overflow when rounding to nearest, ties to even
  bool itself;       // it overflows, too
  double integers;   // 0 … this are all numbers of the format
  std::uint64_t finite, infinite, nan;
};

// clang-format off
constexpr Published kPublished[] = {
    {"fp64", 1, 11, 52, 1023, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, 0x1p-52, HUGE_VAL, true, 0x1p53, 0, 0, 0},
    {"fp32", 1, 8, 23, 127, 0x1p-149, 0x1p-126, 0x1.fffffep127, 0x1p-23, 0x1.ffffffp127, true, 16777216, 4278190079, 2,
     16777214},
    {"tf32", 1, 8, 10, 127, 0x1p-136, 0x1p-126, 0x1.ffcp127, 0x1p-10, 0x1.ffep127, true, 2048, 522239, 2, 2046},
    {"hf32", 1, 8, 11, 127, 0x1p-137, 0x1p-126, 0x1.ffep127, 0x1p-11, 0x1.fffp127, true, 4096, 1044479, 2, 4094},
    {"fp16", 1, 5, 10, 15, 0x1p-24, 0x1p-14, 65504, 0x1p-10, 65520, true, 2048, 63487, 2, 2046},
    {"bf16", 1, 8, 7, 127, 0x1p-133, 0x1p-126, 0x1.fep127, 0x1p-7, 0x1.ffp127, true, 256, 65279, 2, 254},
    {"e4m3", 1, 4, 3, 7, 0x1p-9, 0x1p-6, 448, 0x1p-3, 464, false, 16, 253, 0, 2},
    {"e5m2", 1, 5, 2, 15, 0x1p-16, 0x1p-14, 57344, 0x1p-2, 61440, true, 8, 247, 2, 6},
    {"e4m3fnuz", 1, 4, 3, 8, 0x1p-10, 0x1p-7, 240, 0x1p-3, 248, true, 16, 255, 0, 1},
    {"e5m2fnuz", 1, 5, 2, 16, 0x1p-17, 0x1p-15, 57344, 0x1p-2, 61440, true, 8, 255, 0, 1},
    {"e4m3ieee", 1, 4, 3, 7, 0x1p-9, 0x1p-6, 240, 0x1p-3, 248, true, 16, 239, 2, 14},
    {"e3m4", 1, 3, 4, 3, 0x1p-6, 0x1p-2, 15.5, 0x1p-4, 15.75, true, 15, 223, 2, 30},
    {"e4m3b11fnuz", 1, 4, 3, 11, 0x1p-13, 0x1p-10, 30, 0x1p-3, 31, true, 16, 255, 0, 1},
    {"e3m2", 1, 3, 2, 3, 0x1p-4, 0x1p-2, 28, 0x1p-2, 30, true, 8, 63, 0, 0},
    {"e2m3", 1, 2, 3, 1, 0x1p-3, 1, 7.5, 0x1p-3, 7.75, true, 7, 63, 0, 0},
    {"e2m1", 1, 2, 1, 1, 0.5, 1, 6, 0.5, 7, true, 4, 15, 0, 0},
    {"e1m2", 1, 1, 2, 1, 0.25, 1, 1.75, 0.25, 1.875, true, 1, 15, 0, 0},
    {"e8m0", 0, 8, 0, 127, 0x1p-127, 0x1p-127, 0x1p127, 1, 0x1.8p127, true, 2, 255, 0, 1},
    {"mxint8_element", -1, -1, -1, 0, 0x1p-6, 0x1p-6, 127.0 / 64, 0x1p-6, 127.5 / 64, true, 1, 256, 0, 0},
    {"hif8", -1, -1, -1, 0, 0x1p-22, 0x1p-15, 32768, 0x1p-3, 40960, false, 16, 253, 2, 1},
};
// clang-format on

NumberFormat named(const std::string& name) {
  const Result<NumberFormat> format = number_format(name);
  EXPECT_TRUE(format.has_value()) << name;
  return format.value_or(NumberFormat{});
}

TEST(OracleConstants, AsPublished) {
  for (const Published& row : kPublished) {
    SCOPED_TRACE(row.name);
    const NumberFormat format = named(row.name);
    EXPECT_EQ(smallest_positive(format), row.smallest);
    EXPECT_EQ(smallest_normal(format), row.smallest_normal);
    EXPECT_EQ(largest(format), row.largest);
    EXPECT_EQ(epsilon(format), row.epsilon);
    EXPECT_EQ(unit_roundoff(format), row.epsilon / 2);
    EXPECT_EQ(overflow_threshold(format).value, row.threshold);
    EXPECT_EQ(overflow_threshold(format).itself, row.itself);
    EXPECT_EQ(largest_exact_integer(format), row.integers);
  }
}

TEST(OracleConstants, FieldsAsPublished) {
  for (const Published& row : kPublished) {
    if (row.sign < 0) continue;
    SCOPED_TRACE(row.name);
    const NumberFormat format = named(row.name);
    EXPECT_EQ(format.has_sign ? 1 : 0, row.sign);
    EXPECT_EQ(exponent_bits(format), row.exponent);
    EXPECT_EQ(format.precision, row.fraction + 1);
    EXPECT_EQ(exponent_bias(format), row.bias);
    EXPECT_EQ(format.bits - format.unused_bits, row.sign + row.exponent + row.fraction);
  }
}

TEST(OracleConstants, CountsAsPublished) {
  for (const Published& row : kPublished) {
    SCOPED_TRACE(row.name);
    const CodeCounts counts = code_counts(named(row.name));
    EXPECT_EQ(counts.finite, row.finite);
    EXPECT_EQ(counts.infinite, row.infinite);
    EXPECT_EQ(counts.nan, row.nan);
  }
}

TEST(OracleConstants, EveryNamedFormatIsInTheTable) {
  for (const NumberFormat& format : number_formats()) {
    const bool found = std::any_of(std::begin(kPublished), std::end(kPublished),
                                   [&](const Published& row) { return format.name == row.name; });
    EXPECT_TRUE(found) << format.name;
  }
  EXPECT_EQ(number_formats().size(), std::size(kPublished));
}

TEST(OracleConstants, NamesOfOthers) {
  // As numpy, PyTorch, ml_dtypes, ONNX and C call them.
  const std::pair<const char*, const char*> names[] = {
      {"float64", "fp64"},
      {"double", "fp64"},
      {"float32", "fp32"},
      {"float16", "fp16"},
      {"half", "fp16"},
      {"bfloat16", "bf16"},
      {"float8_e4m3fn", "e4m3"},
      {"float8_e5m2", "e5m2"},
      {"float8_e4m3", "e4m3ieee"},
      {"float8_e4m3fnuz", "e4m3fnuz"},
      {"float8_e3m4", "e3m4"},
      {"float8_e5m2fnuz", "e5m2fnuz"},
      {"float6_e2m3fn", "e2m3"},
      {"float8_e4m3b11fnuz", "e4m3b11fnuz"},
      {"float6_e3m2fn", "e3m2"},
      {"float8_e8m0fnu", "e8m0"},
      {"float4_e2m1fn", "e2m1"},
      {"hifloat8", "hif8"},
      {"FP8-E4M3", "e4m3"},
      {"BFloat16", "bf16"},
      {"tensorfloat32", "tf32"},
      {"E5M2", "e5m2"},
  };
  for (const auto& [name, wanted] : names) EXPECT_EQ(named(name).name, wanted) << name;
}

// Formats that are only described, with constants worked out by hand.
TEST(OracleConstants, Described) {
  const NumberFormat half = named("p=11,emin=-14,emax=15");
  EXPECT_EQ(largest(half), 65504);
  EXPECT_EQ(smallest_positive(half), 0x1p-24);
  EXPECT_EQ(half.bits, 16);
  const NumberFormat flushed = named("p=8,emin=-126,emax=127,no-subnormals");
  EXPECT_EQ(smallest_positive(flushed), 0x1p-126);
  EXPECT_EQ(flushed.bits, 0);
  EXPECT_EQ(largest(named("e5m3")), 61440);
  EXPECT_EQ(smallest_positive(named("e5m3")), 0x1p-17);
  // 1 is the largest: nothing follows it.
  EXPECT_TRUE(std::isnan(epsilon(named("p=1,emin=-3,emax=0"))));
  // Numbers below 2 are multiples of 1/4: 1 is subnormal and 1.25 follows.
  EXPECT_EQ(epsilon(named("p=4,emin=1,emax=3")), 0.25);
  // 0, 2, 3, 4, 6, 8, 12.
  EXPECT_EQ(largest_exact_integer(named("p=2,emin=1,emax=3,no-subnormals")), 0);
  // 0, 1, 2, 3, 4, 6, 8, 12: 1 is subnormal.
  EXPECT_EQ(largest_exact_integer(named("p=2,emin=1,emax=3")), 4);
  EXPECT_EQ(largest_exact_integer(named("p=3,emin=-9,emax=-2")), 0);
}

// --- constants once more, searched in the lists of all numbers ---

double epsilon_in(const oracle::Grid& grid) {
  const auto one = std::find(grid.values.begin(), grid.values.end(), 1.0);
  if (one == grid.values.end() || one + 1 == grid.values.end()) return std::numeric_limits<double>::quiet_NaN();
  return one[1] - 1;
}

double largest_integer_in(const oracle::Grid& grid) {
  double integer = 0;
  while (std::binary_search(grid.values.begin(), grid.values.end(), integer + 1)) ++integer;
  return integer;
}

void expect_as_listed(const NumberFormat& format, const oracle::Grid& grid) {
  SCOPED_TRACE(format.name);
  EXPECT_EQ(largest(format), grid.largest());
  EXPECT_EQ(smallest_positive(format), grid.values[grid.has_zero() ? 1 : 0]);
  const double wanted = epsilon_in(grid), got = epsilon(format);
  EXPECT_TRUE(got == wanted || (std::isnan(got) && std::isnan(wanted))) << got << ", wanted " << wanted;
  EXPECT_EQ(largest_exact_integer(format), largest_integer_in(grid));
  const OverflowThreshold threshold = overflow_threshold(format);
  EXPECT_EQ(threshold.value, grid.largest() + (grid.beyond - grid.largest()) / 2);
  EXPECT_EQ(threshold.itself, grid.odd.back() != 0);
}

TEST(OracleConstants, OfEveryFormatAsListed) {
  for (const oracle::Format& one : oracle::formats_up_to_20_bits())
    expect_as_listed(named(one.name), oracle::grid_of(one));
}

TEST(OracleConstants, OfEverySmallDescriptionAsListed) {
  for (int precision = 1; precision <= 6; ++precision) {
    for (int emin = -8; emin <= 8; ++emin) {
      for (int emax = emin; emax <= emin + 9; ++emax) {
        for (const bool subnormals : {true, false}) {
          const std::string name = "p=" + std::to_string(precision) + ",emin=" + std::to_string(emin) +
                                   ",emax=" + std::to_string(emax) + (subnormals ? "" : ",no-subnormals");
          expect_as_listed(named(name), oracle::grid_of(precision, emin, emax, subnormals));
        }
      }
    }
  }
}

TEST(OracleConstants, CountsAsListed) {
  for (const oracle::Format& one : oracle::formats_up_to_20_bits()) {
    CodeCounts wanted;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << one.bits(); ++code) {
      const oracle::Meaning meaning = oracle::meaning(one, code);
      const bool negative_zero = meaning.kind == oracle::Kind::kZero && meaning.negative;
      wanted.nan += meaning.kind == oracle::Kind::kNan ? 1 : 0;
      wanted.infinite += meaning.kind == oracle::Kind::kInfinity ? 1 : 0;
      wanted.finite += meaning.kind < oracle::Kind::kInfinity && !negative_zero ? 1 : 0;
    }
    const CodeCounts got = code_counts(named(one.name));
    EXPECT_EQ(got.finite, wanted.finite) << one.name;
    EXPECT_EQ(got.infinite, wanted.infinite) << one.name;
    EXPECT_EQ(got.nan, wanted.nan) << one.name;
  }
}

}  // namespace
}  // namespace assay
