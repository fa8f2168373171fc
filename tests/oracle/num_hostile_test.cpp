// Names of formats and texts of numbers that are none: an error that says so, and nothing else.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "num/format.h"
#include "num/real.h"
#include "num/round.h"

namespace assay {
namespace {

void expect_no_format(const std::string& name) {
  const Result<NumberFormat> format = number_format(name);
  ASSERT_FALSE(format.has_value()) << name.substr(0, 80) << " gave " << format->name;
  EXPECT_EQ(format.error().code, ErrorCode::kUsage) << name.substr(0, 80);
  EXPECT_FALSE(format.error().message.empty()) << name.substr(0, 80);
  EXPECT_LT(format.error().message.size(), 500U) << name.substr(0, 80);
}

TEST(OracleHostile, NamesThatAreNoFormat) {
  const char* names[] = {
      "",
      " ",
      ",",
      "=",
      "e",
      "m",
      "em",
      "e0m0",
      "e4",
      "e4m",
      "em3",
      "e-4m3",
      "e+5m3",
      "e5m+3",
      "e5m3x",
      "xe5m3",
      "e1m3",
      "e12m3",
      "e99m99",
      "e11m53",
      "e5m0",
      "e99999999999999999999m3",
      "e5m99999999999999999999",
      "e5 m3",
      "fp",
      "fp17",
      "float",
      "e5m3\n",
      "p",
      "p=",
      "p=1",
      "p=11",
      "p=0,emin=-14,emax=15",
      "p=-1,emin=-14,emax=15",
      "p=54,emin=-14,emax=15",
      "p=99,emin=5,emax=1",
      "p=5,emin=5,emax=1",
      "p=11,emin=-14,emax=1024",
      "p=11,emin=-14,emax=99999999999999999999",
      "p=11,emin=-1065,emax=15",
      "p=1,emin=-1075,emax=15",
      "p=11,emin=-1075,emax=15,no-subnormals",
      "p=53,emin=-2147483648,emax=0",
      "p=1,emin=-2147483648,emax=-2147483648",
      "p=11,emin=-14",
      "p=11,emax=15",
      "p=11,emin=-14,emax=15,",
      "p=11,,emin=-14,emax=15",
      "p=11,emin=-14,emax=15,no-sign",
      "p=11,emin=-14,emax=15,p",
      "p=11 ,emin=-14,emax=15",
      "p=1.5,emin=-14,emax=15",
      "p=0x5,emin=-14,emax=15",
      "p=11,emin=+-14,emax=15",
      "p=11,emin=--14,emax=15",
      "q=11,emin=-14,emax=15",
      "no-subnormals",
      "no-inf,p=3,emin=-2,emax=3",
      "浮点",
      "\xff\xfe",
  };
  for (const char* name : names) {
    if (std::string(name) == "float") continue;  // FP32's name in C
    expect_no_format(name);
  }
  expect_no_format(std::string("fp16\0", 5));
  expect_no_format(std::string(1000000, 'e'));
  expect_no_format("p=11,emin=-14,emax=15" + std::string(1000000, ','));
  expect_no_format("e5m3" + std::string(1000000, '0'));
  expect_no_format(std::string(1000000, '\xff'));
}

TEST(OracleHostile, NamesThatAreAlmostRight) {
  for (const auto& [name, meant] :
       {std::pair{"bf61", "bf16"}, std::pair{"flaot16", "float16"}, std::pair{"e4m3fnuzz", "e4m3fnuz"}}) {
    const Result<NumberFormat> format = number_format(name);
    ASSERT_FALSE(format.has_value()) << name;
    EXPECT_NE(format.error().hint.find(meant), std::string::npos) << format.error().hint;
  }
}

// A format's own name gives it back, also that of a description.
TEST(OracleHostile, NamesComeBack) {
  for (const NumberFormat& format : number_formats()) EXPECT_EQ(number_format(format.name)->name, format.name);
  for (const char* name :
       {"e5m3", "e11m52", "e2m1", "p=11,emin=-14,emax=15", "P=5,EMIN=-6,EMAX=+7,NO-SUBNORMALS,no-inf",
        "p=1,emin=-1074,emax=1023", "p=53,emin=-1022,emax=1023", "emax=7,no-nan,p=5,emin=-6"}) {
    const Result<NumberFormat> first = number_format(name);
    ASSERT_TRUE(first.has_value()) << name;
    const Result<NumberFormat> second = number_format(first->name);
    ASSERT_TRUE(second.has_value()) << first->name;
    EXPECT_EQ(second->precision, first->precision);
    EXPECT_EQ(second->emin, first->emin);
    EXPECT_EQ(second->emax, first->emax);
    EXPECT_EQ(second->has_subnormals, first->has_subnormals);
    EXPECT_EQ(second->infinities, first->infinities);
    EXPECT_EQ(second->nans, first->nans);
    EXPECT_EQ(second->bits, first->bits);
    EXPECT_EQ(second->name, first->name);
  }
}

void expect_no_number(const std::string& text) {
  const Result<Real> value = parse_real(text);
  ASSERT_FALSE(value.has_value()) << "'" << text.substr(0, 80) << "' gave " << to_double(*value);
  EXPECT_EQ(value.error().code, ErrorCode::kUsage) << text.substr(0, 80);
  EXPECT_FALSE(value.error().message.empty());
  EXPECT_LT(value.error().message.size(), 300U);
}

TEST(OracleHostile, TextsThatAreNoNumber) {
  const char* texts[] = {
      "",
      " ",
      "-",
      "+",
      ".",
      "-.",
      "e5",
      ".e5",
      "1e",
      "1e+",
      "1e-",
      "1e1.5",
      "1ee5",
      "--1",
      "+-1",
      "-+1",
      "++1",
      "1-",
      "1+1",
      "1 ",
      " 1",
      "1,5",
      "1.5.",
      "1..5",
      "1_",
      "_1",
      "1__0",
      "1_.5",
      "1._5",
      "1_e5",
      "0x",
      "0x1",
      "0x1f",
      "0xp1",
      "0x.p1",
      "0x1p",
      "0x1p+",
      "0x1.8",
      "0x1.8p3x",
      "0xg",
      "2^",
      "2^-",
      "2^1.5",
      "3^2",
      "20^2",
      "2^^3",
      "2^3^4",
      "1.5*",
      "1.5*2",
      "1.5*3^2",
      "1.5*2^",
      "*2^3",
      "nan(",
      "nan()",
      "nan(0x)",
      "nan(1",
      "nan(1)x",
      "nan(-1)",
      "nan(g)",
      "nan 1",
      "nan(0xfffffffffffffffff)",
      "nan(99999999999999999999)",
      "na",
      "nanx",
      "infi",
      "infinit",
      "infx",
      "inf1",
      "∞",
      "1e5f",
      "1d",
      "0b101",
      "0o17",
      "1e5e5",
      "\xff",
      "１",
  };
  for (const char* text : texts) expect_no_number(text);
  expect_no_number(std::string("1\0", 2));
  expect_no_number(std::string("\0", 1));
  expect_no_number(std::string(4097, '1'));
  expect_no_number(std::string(1000000, '9'));
  expect_no_number("0x" + std::string(1000000, 'f') + "p1");
  expect_no_number("nan(" + std::string(4000, '1') + ")");
}

TEST(OracleHostile, TheErrorSaysWhere) {
  for (const auto& [text, place] : {std::pair{"1.5x", "character 4"}, std::pair{"1e+", "character 4"},
                                    std::pair{"--1", "character 2"}, std::pair{"", "empty"}}) {
    EXPECT_NE(parse_real(text).error().message.find(place), std::string::npos) << parse_real(text).error().message;
  }
  EXPECT_NE(parse_real(std::string(5000, '1')).error().message.find("4096"), std::string::npos);
}

TEST(OracleHostile, TextsThatAreNumbersOddlyWritten) {
  const std::pair<const char*, double> texts[] = {
      {"1.", 1},         {".5", 0.5},
      {"-.5e1", -5},     {"+1", 1},
      {"007", 7},        {"1_000.000_1", 1000.0001},
      {"0x.8p1", 1},     {"0X1P-1", 0.5},
      {"INF", HUGE_VAL}, {"-Infinity", -HUGE_VAL},
      {"1E5", 100000},   {"1e+05", 100000},
      {"0x1_0p0", 16},   {"2^0", 1},
      {"-2^3", -8},
  };
  for (const auto& [text, value] : texts) {
    const Result<Real> got = parse_real(text);
    ASSERT_TRUE(got.has_value()) << text;
    EXPECT_EQ(to_double(*got), value) << text;
  }
  EXPECT_TRUE(std::signbit(to_double(*parse_real("-0"))));
  EXPECT_TRUE(std::signbit(to_double(*parse_real("-0x0p0"))));
  EXPECT_TRUE(std::signbit(to_double(*parse_real("-1e-9999"))));
  const Real nan = *parse_real("-nan(0x1)");
  EXPECT_EQ(nan.kind, Real::Kind::kNan);
  EXPECT_TRUE(nan.negative);
  EXPECT_EQ(nan.payload, (std::uint64_t{1} << 51) + 1);
}

TEST(OracleHostile, LongestNumbers) {
  EXPECT_TRUE(parse_real(std::string(4096, '9')).has_value());
  EXPECT_EQ(to_double(*parse_real(std::string(4096, '9'))), HUGE_VAL);
  EXPECT_EQ(to_double(*parse_real(std::string(4095, '0') + "7")), 7);
  EXPECT_EQ(to_double(*parse_real("1" + std::string(4000, '0') + "e-4000")), 1);
  EXPECT_EQ(to_double(*parse_real("0." + std::string(4000, '0') + "1e4001")), 1);
  EXPECT_EQ(to_double(*parse_real("0x" + std::string(4000, '0') + "1p4")), 16);
  EXPECT_EQ(to_double(*parse_real("0x0." + std::string(1000, '0') + "1p4004")), 1);
}

}  // namespace
}  // namespace assay
