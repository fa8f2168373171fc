// Finding a unit from its results: units that are known, rows that do not tell, rows that no model gives.

#include "study/unit_fit.h"

#include <bit>
#include <cmath>
#include <filesystem>
#include <random>

#include "gmock/gmock.h"
#include "study/float_words.h"
#include "study/unit_check.h"
#include "study/unit_identify.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

struct Recipe {
  std::size_t rows = 300;
  std::size_t length = 16;
  int spread = 4;  // magnitudes from 2^-spread to 1
  bool c = true;
  int least = 0;  // of all exponents, added to them
};

// Random rows with the results of the unit.
UnitRows rows_of(const MatrixUnit& unit, const Recipe& recipe, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  const auto number = [&](const NumberFormat& format) {
    const auto whole = static_cast<double>((random() >> 40) | (1U << 24));
    const int exponent = recipe.least - 24 - static_cast<int>(random() % static_cast<unsigned>(recipe.spread + 1));
    return round_to(format, real(std::ldexp(random() % 2 == 0 ? whole : -whole, exponent))).value;
  };
  UnitRows out;
  out.rows = recipe.rows;
  out.length = recipe.length;
  out.a.resize(out.rows * out.length);
  out.b.resize(out.rows * out.length);
  out.c.resize(out.rows);
  for (double& x : out.a) x = number(unit.input);
  for (double& x : out.b) x = number(unit.input);
  if (recipe.c) {
    for (double& x : out.c) x = number(unit.accumulator);
  }
  for (std::size_t r = 0; r < out.rows; ++r) out.lines.push_back(static_cast<std::int64_t>(r) + 2);
  out.d = emulated(unit, out);
  return out;
}

std::vector<std::string> names_of(const std::vector<MatrixUnit>& units) {
  std::vector<std::string> out;
  for (const MatrixUnit& unit : units) out.push_back(unit.name);
  return out;
}

void expect_found(std::string_view name, const Recipe& recipe) {
  SCOPED_TRACE(name);
  const MatrixUnit truth = *matrix_unit(name);
  UnitRows rows = rows_of(truth, recipe);
  // fnuz formats hold what the others hold: which it is must be said.
  if (truth.input.name.ends_with("fnuz")) rows.input = truth.input;
  const UnitFit fit = fit_unit(rows);
  ASSERT_TRUE(fit.fits());
  const MatrixUnit& found = fit.fitting.front().unit;
  EXPECT_TRUE(same_arithmetic(found, truth)) << describe(found);
  EXPECT_EQ(fit.inputs.front().name, truth.input.name);
  if (!truth.name.empty()) {
    const bool assumed = truth.standing == Standing::kAssumed;
    EXPECT_THAT(names_of(assumed ? fit.assumed : fit.presets), Contains(truth.name));
  }
}

TEST(UnitFit, EveryPresetIsFoundBlind) {
  for (const MatrixUnit& unit : matrix_units()) {
    const auto length = static_cast<std::size_t>(unit.group) * 2;
    expect_found(unit.name, {.length = length,
                             .spread = unit.input.name == "tf32"  ? 18
                                       : unit.input.precision < 8 ? 3
                                                                  : 6});
  }
}

TEST(UnitFit, WithoutAccumulatorsInTheRows) {
  for (const char* name : {"h100/e4m3", "h100/e5m2", "ada/e4m3", "v100/fp16", "h100/bf16"}) {
    expect_found(name, {.length = 64, .spread = 5, .c = false});
  }
}

TEST(UnitFit, UnitsThatNobodyBuilt) {
  for (const char* name : {"in=fp16,g=8,F=27,acc=fp32,round=rne", "in=bf16,g=16,F=24,align=rd,acc=fp32,round=rd",
                           "in=fp16,g=4,F=26,align=rne,acc=fp32,round=rne", "in=fp16,step=fma,acc=fp32,round=rne",
                           "in=fp16,step=multiply-add,acc=fp16,round=rne", "in=tf32,step=fma,acc=fp32,round=rz",
                           "in=fp16,step=pairs,g=16,acc=fp32,round=rne", "in=e4m3,g=8,F=11,acc=e8m11,round=rz",
                           "in=fp16,step=lanes,g=32,sets=4,acc=fp32,round=rne"}) {
    const int spread = std::string_view(name).starts_with("in=tf32") ? 18 : 5;
    expect_found(name, {.rows = 600, .length = 32, .spread = spread});
  }
}

TEST(UnitFit, SumsInDoublePrecision) {
  // Not exact: beside 2^35, which cancels in the end, FP64 has bits down to 2^-17.
  const MatrixUnit truth = *matrix_unit("in=bf16,step=fma,acc=fp64,round=rne,out=fp32");
  UnitRows rows = rows_of(truth, {.rows = 300, .length = 16, .spread = 8, .c = false});
  const std::size_t last = (rows.length - 1) * rows.rows;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    rows.a[r] = std::ldexp(1.0, 35);
    rows.a[last + r] = -rows.a[r];
    rows.b[r] = rows.b[last + r] = 1;
  }
  rows.d = emulated(truth, rows);
  const UnitFit fit = fit_unit(rows);
  ASSERT_TRUE(fit.fits());
  EXPECT_EQ(fit.fitting.front().unit.accumulator.name, "fp64");
}

TEST(UnitFit, HalfPrecisionResults) {
  const MatrixUnit inside = *matrix_unit("v100/fp16,acc=fp16,round=rne");
  const UnitFit chained = fit_unit(rows_of(inside, {.rows = 2000, .length = 16, .c = false}));
  ASSERT_TRUE(chained.fits());
  EXPECT_EQ(chained.fitting.front().unit.accumulator.name, "fp16");
  EXPECT_EQ(chained.fitting.front().unit.group, 4);
  const MatrixUnit outside = *matrix_unit("v100/fp16,out=fp16");
  const UnitFit rounded = fit_unit(rows_of(outside, {.rows = 2000, .length = 16, .c = false}));
  ASSERT_TRUE(rounded.fits());
  EXPECT_EQ(rounded.fitting.front().unit.accumulator.name, "fp32");
  EXPECT_EQ(rounded.fitting.front().unit.output.name, "fp16");
}

TEST(UnitFit, WhatRowsOfOneStepCannotTell) {
  const UnitFit fit = fit_unit(rows_of(*matrix_unit("h100/tf32"), {.rows = 1000, .length = 4, .spread = 20}));
  ASSERT_TRUE(fit.fits());
  EXPECT_THAT(names_of(fit.presets), ElementsAre("h100/tf32", "b200/tf32"));
  EXPECT_THAT(fit.undecided.groups, ElementsAre(4, 8, 16, 32, 64));
  EXPECT_THAT(fit.undecided.bits, ElementsAre(25));
  EXPECT_THAT(fit.undecided.roundings, ElementsAre(Rounding::kTowardZero));
  EXPECT_TRUE(fit.undecided.overflow);
}

TEST(UnitFit, InputsThatAreOfTwoFormats) {
  // TF32 numbers of moderate size are FP16 numbers.
  const UnitFit fit = fit_unit(rows_of(*matrix_unit("a100/tf32"), {.rows = 1000, .length = 4, .spread = 2}));
  ASSERT_TRUE(fit.fits());
  EXPECT_THAT(names_of(fit.presets), ElementsAre("t4/fp16", "a100/fp16", "ada/fp16"));
  EXPECT_THAT(names_of(fit.also), ElementsAre("a100/tf32", "ada/tf32"));
}

TEST(UnitFit, SmallWholeNumbersTellNothing) {
  UnitRows rows = rows_of(*matrix_unit("h100/fp16"), {.rows = 50, .length = 4});
  for (std::vector<double>* values : {&rows.a, &rows.b, &rows.c}) {
    for (double& x : *values) x = std::floor(4 * x);
  }
  rows.d = emulated(*matrix_unit("h100/fp16"), rows);
  const UnitFit fit = fit_unit(rows);
  EXPECT_TRUE(fit.fits());
  EXPECT_GT(fit.fitting.size(), 100U);
}

TEST(UnitFit, FlushingIsSeenWhereSubnormalNumbersAre) {
  for (const char* name : {"h100/bf16", "h100/bf16,flush=in", "h100/bf16,flush=out", "h100/bf16,flush=both"}) {
    SCOPED_TRACE(name);
    const MatrixUnit truth = *matrix_unit(name);
    // Products around 2^-120, c around 2^-124; half of the a are subnormal.
    UnitRows rows = rows_of(truth, {.rows = 800, .length = 16, .spread = 6, .least = -60});
    for (std::size_t i = 0; i < rows.a.size(); ++i) {
      rows.a[i] = round_to(truth.input, real(std::ldexp(rows.a[i], i % 5 == 0 ? -67 : -2))).value;
    }
    for (double& x : rows.c) x = std::ldexp(x, -66);
    for (std::size_t i = 0; i < rows.b.size(); ++i) rows.b[i] = std::ldexp(rows.b[i], i / rows.rows % 2 == 0 ? 0 : 60);
    rows.input = truth.input;
    rows.d = emulated(truth, rows);
    const UnitFit fit = fit_unit(rows);
    ASSERT_TRUE(fit.fits()) << describe(fit.nearest.front().unit) << " " << fit.nearest.front().right;
    EXPECT_EQ(fit.fitting.front().unit.flush_inputs, truth.flush_inputs);
    EXPECT_FALSE(fit.undecided.flushed_inputs);
    EXPECT_FALSE(fit.undecided.flushed_outputs);
    EXPECT_EQ(fit.fitting.front().unit.flush_outputs, truth.flush_outputs);
  }
}

TEST(UnitFit, OverflowIsSeenWhereResultsAreTooLarge) {
  for (const char* name : {"v100/fp16,out=fp16", "v100/fp16,out=fp16,overflow=saturate"}) {
    const MatrixUnit truth = *matrix_unit(name);
    const UnitFit fit = fit_unit(rows_of(truth, {.rows = 800, .length = 8, .c = false, .least = 9}));
    ASSERT_TRUE(fit.fits());
    EXPECT_EQ(fit.fitting.front().unit.overflow, truth.overflow);
    EXPECT_FALSE(fit.undecided.overflow);
  }
}

TEST(UnitFit, NoModelAndItsNearest) {
  UnitRows rows = rows_of(*matrix_unit("h100/fp16"), {.rows = 400});
  for (std::size_t r = 0; r < rows.rows; r += 10) rows.d[r] = std::nextafter(static_cast<float>(rows.d[r]), 9.0F);
  const UnitFit fit = fit_unit(rows);
  EXPECT_FALSE(fit.fits());
  EXPECT_TRUE(fit.presets.empty());
  EXPECT_TRUE(same_arithmetic(fit.nearest.front().unit, *matrix_unit("h100/fp16")));
  EXPECT_EQ(fit.nearest.front().right, 360U);
  EXPECT_EQ(fit.near_presets.front().unit.name, "h100/fp16");
}

TEST(UnitFitThreads, TheSameForAnyNumberOfJobs) {
  const UnitRows rows = rows_of(*matrix_unit("a100/bf16"), {.rows = 200});
  const UnitFit one = fit_unit(rows, 1);
  const UnitFit three = fit_unit(rows, 3);
  ASSERT_EQ(one.fitting.size(), three.fitting.size());
  for (std::size_t i = 0; i < one.fitting.size(); ++i) {
    EXPECT_EQ(describe(one.fitting[i].unit), describe(three.fitting[i].unit));
  }
}

TEST(UnitFit, RowsOfNanAndInfinities) {
  UnitRows rows = rows_of(*matrix_unit("h100/fp16"), {.rows = 300});
  for (std::size_t r = 0; r < rows.rows; r += 3) rows.a[r] = std::nan("");
  for (std::size_t r = 1; r < rows.rows; r += 3) rows.b[r] = HUGE_VAL;
  rows.d = emulated(*matrix_unit("h100/fp16"), rows);
  const UnitFit fit = fit_unit(rows);
  ASSERT_TRUE(fit.fits());
  EXPECT_THAT(names_of(fit.presets), ElementsAre("h100/fp16", "b200/fp16"));
  EXPECT_EQ(fit.facts.non_finite, 200U);
}

// --- published results, which are not part of the project: beside it, or where ASSAY_CASES says ---

std::string published(std::string_view name) {
  const char* const told = std::getenv("ASSAY_CASES");
  const auto cases = std::filesystem::path(told != nullptr ? told : ASSAY_SOURCE_DIR "/../shared/cases");
  return cases / "tensorcore" / (std::string(name) + ".tsv.gz");
}

TEST(UnitCases, PublishedResultsAreRightAndFoundBlind) {
  if (!std::filesystem::exists(published("h100_fp16"))) GTEST_SKIP() << "no published results here";
  const std::pair<const char*, const char*> cases[] = {
      {"v100_fp16", "v100/fp16"}, {"a100_bf16", "a100/bf16"}, {"h100_fp16", "h100/fp16"}, {"l40s_e4m3", "ada/e4m3"}};
  for (const auto& [file, unit] : cases) {
    SCOPED_TRACE(file);
    const Result<UnitChecked> checked = unit_check({.file = published(file), .unit = unit});
    ASSERT_TRUE(checked.has_value()) << checked.error().message;
    EXPECT_EQ(checked->wrong, 0U);
    EXPECT_THAT(checked->report.answer.en, HasSubstr("5,000 of 5,000"));
    const Result<Report> found = unit_identify({.file = published(file)});
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(found->answer.en, HasSubstr(std::string("those of ") + unit));
  }
}

}  // namespace
}  // namespace assay
