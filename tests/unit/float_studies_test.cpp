// The studies of `assay float`: their numbers, against counting and against the formats' own lists of numbers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "num/codes.h"
#include "num/format.h"
#include "study/float_add.h"
#include "study/float_between.h"
#include "study/float_cast.h"
#include "study/float_formula.h"
#include "study/float_show.h"
#include "study/float_table.h"
#include "study/float_words.h"

namespace assay {
namespace {

NumberFormat format_named(std::string_view name) {
  const Result<NumberFormat> found = number_format(name);
  EXPECT_TRUE(found) << name;
  return found.value_or(NumberFormat{});
}

FloatInFormat in_format(std::string_view written, const NumberFormat& format, const RoundingRules& rules = {}) {
  const Result<FloatInput> input = float_input(written, format);
  EXPECT_TRUE(input) << written;
  return float_in_format(input.value_or(FloatInput{}), format, rules);
}

// All finite numbers of a format of few bits, from the largest negative one up, each once.
std::vector<double> all_numbers(const NumberFormat& format) {
  std::vector<double> out;
  for (std::uint64_t code = 0; code < std::uint64_t{1} << format.bits; ++code) {
    const double value = decode(format, code);
    if (std::isfinite(value)) out.push_back(value == 0 ? 0.0 : value);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

TEST(FloatInput, ReadsValuesWordsAndPatterns) {
  const NumberFormat fp16 = format_named("fp16");
  EXPECT_EQ(in_format("0x3c00", fp16).stored(), 1.0);
  EXPECT_EQ(in_format("0b1_01111_1000000000", fp16).stored(), -1.5);
  EXPECT_EQ(in_format("0x3c00p0", fp16).stored(), 15360.0);
  EXPECT_EQ(in_format("-max", fp16).stored(), -65504.0);
  EXPECT_EQ(in_format("EPS", fp16).stored(), std::ldexp(1.0, -10));
  EXPECT_EQ(in_format("min-normal", fp16).stored(), std::ldexp(1.0, -14));
  EXPECT_EQ(in_format("+min-subnormal", fp16).stored(), std::ldexp(1.0, -24));
}

TEST(FloatInput, SaysWhatIsWrongWithAPattern) {
  const auto message = [](std::string_view text, std::string_view name) {
    const Result<FloatInput> input = float_input(text, format_named(name));
    return input ? std::string("read") : input.error().message;
  };
  EXPECT_EQ(message("0x1ffff", "fp16"), "the pattern '0x1ffff' has 17 bits; those of FP16 have 16");
  EXPECT_EQ(message("0x0000003c00", "fp16"), "read");  // noughts in front are no bits
  EXPECT_EQ(message("0b2", "fp16"), "'0b2' is no pattern of bits");
  EXPECT_EQ(message("0x", "fp16"), "'0x' is no pattern of bits");
  EXPECT_EQ(message("0x__", "fp16"), "'0x__' is no pattern of bits");
  EXPECT_EQ(message("eps", "e1m2"), "read");
  EXPECT_THAT(message("eps", "p=2,emin=-3,emax=-2"), ::testing::HasSubstr("has no eps"));
}

TEST(FloatInput, ADashedWordIsAValueOnlyWhereItLooksLikeOne) {
  for (const char* word : {"-1", "-.5", "-inf", "-NaN(0x1)", "-max", "-0x1p3", "-2^-4"}) {
    EXPECT_TRUE(is_negative_value(word)) << word;
  }
  for (const char* word : {"-", "-f", "--as", "-q", "-maximum", "1", ""}) EXPECT_FALSE(is_negative_value(word)) << word;
}

TEST(FloatFormats, DescriptionsKeepTheirCommas) {
  const auto formats = float_formats("fp16,p=11,emin=-14,emax=15,no-inf,bf16,emax=3,emin=-2,p=3,p=4,emin=-1,emax=2");
  ASSERT_TRUE(formats);
  ASSERT_EQ(formats->size(), 5u);
  EXPECT_EQ((*formats)[1].precision, 11);
  EXPECT_FALSE((*formats)[1].has_infinity());
  EXPECT_EQ((*formats)[2].name, "bf16");
  EXPECT_EQ((*formats)[3].emax, 3);
  EXPECT_EQ((*formats)[4].precision, 4);
  EXPECT_FALSE(float_formats("fp16,,bf16"));
}

TEST(FloatInFormat, ErrorsAreThoseOfTheExactNumber) {
  const FloatInFormat one = in_format("0.1", format_named("fp16"));
  EXPECT_EQ(one.stored(), 0.0999755859375);
  EXPECT_DOUBLE_EQ(one.error, -0.0000244140625);
  EXPECT_DOUBLE_EQ(one.error_percent, -0.0244140625);
  EXPECT_NEAR(one.error_ulps, -0.4, 1e-15);
  EXPECT_EQ(one.spacing, std::ldexp(1.0, -14));
  // Rounded up to a power of two: the ulp is that of the number's own binade.
  EXPECT_NEAR(in_format("1.9999", format_named("fp16")).error_ulps, 0.1024, 1e-12);
  // FP64's own 0.1 is off by what FP64 cannot tell.
  EXPECT_NEAR(in_format("0.1", format_named("fp64")).error, 5.551115123125783e-18, 1e-30);
}

TEST(FloatInFormat, ChanceOfStochasticRoundingIsWhatHappens) {
  const NumberFormat bf16 = format_named("bf16");
  RoundingRules rules{.rounding = Rounding::kStochastic, .random_bits = 8, .seed = 7};
  const FloatInput input = *float_input("1.003", bf16);
  const FloatInFormat once = float_in_format(input, bf16, rules);
  int away = 0;
  constexpr int kTimes = 20'000;
  for (int i = 0; i < kTimes; ++i) {
    if (float_in_format(input, bf16, rules, static_cast<std::uint64_t>(i)).stored() > 1) ++away;
  }
  EXPECT_EQ(once.away_probability, std::floor(0.003 * 128 * 256) / 256);
  const double p = once.away_probability;
  EXPECT_NEAR(static_cast<double>(away) / kTimes, p, 5 * std::sqrt(p * (1 - p) / kTimes));
}

TEST(FloatInFormat, AnswersSayWhatHappened) {
  const NumberFormat fp16 = format_named("fp16");
  const auto answer = [&](std::string_view text, const RoundingRules& rules = {}) {
    return answer_of(in_format(text, fp16, rules)).en;
  };
  EXPECT_EQ(answer("0.5"), "0.5 in FP16 is 0.5, exactly");
  EXPECT_EQ(answer("-0.1"), "-0.1 in FP16 is -0.0999755859375: 0.02441 % too near to 0, 0.4 ulp");
  EXPECT_EQ(answer("-70000"), "-70000 in FP16 is -Inf: overflow, the largest number is -65504");
  EXPECT_EQ(answer("70000", {.overflow = Overflow::kSaturate}),
            "70000 in FP16 is 65504, the largest number: overflow, 6.423 % is lost");
  EXPECT_EQ(answer("inf", {.overflow = Overflow::kAscend}), "inf in FP16 is 65504, the largest number");
  EXPECT_EQ(answer("nan", {.overflow = Overflow::kAscend}), "nan in FP16 becomes 0: this overflow mode makes NaN 0");
}

// Evaluates one side of a formula: factors with " · " between them.
double evaluated(std::string text) {
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from))
      text.replace(at, from.size(), to);
  };
  replace("(−1)^0", "1");
  replace("(−1)^1", "m1");
  replace("−", "m");  // a minus that is no part of an exponent
  double out = 1;
  std::size_t at = 0;
  const std::string dot = " · ";
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find(dot, at), text.size());
    std::string factor = text.substr(at, end - at);
    at = end + dot.size();
    if (factor.starts_with("m")) {
      out = -out;
      factor.erase(0, 1);
    }
    const auto number = [](const std::string& digits) { return std::stod(digits); };
    if (factor.starts_with("2^(")) {
      const std::size_t minus = factor.find(" m ");
      out *= std::exp2(number(factor.substr(3)) - number(factor.substr(minus + 3)));
    } else if (factor.starts_with("2^")) {
      out *= std::exp2(number(factor.substr(2)));
    } else if (const std::size_t slash = factor.find('/'); slash != std::string::npos) {
      const bool one = factor.starts_with("(1 + ");
      const std::string below = factor.substr(slash + 1);
      const double divisor = below.starts_with("2^") ? std::exp2(number(below.substr(2))) : number(below);
      out *= (one ? 1 : 0) + number(factor.substr(one ? 5 : 0)) / divisor;
    } else {
      out *= number(factor);
    }
  }
  return out;
}

TEST(FloatFormula, BothSidesAreTheNumberOfEveryCode) {
  for (const NumberFormat& format : number_formats()) {
    const std::uint64_t step = format.bits <= 8 ? 1 : format.bits == 16 ? 37 : 0;
    if (step == 0) continue;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << format.bits; code += step) {
      FloatInput input;
      input.code = code;
      input.value = real(decode(format, code));
      const FloatInFormat one = float_in_format(input, format);
      const std::string formula = formula_of(one).en;
      if (!std::isfinite(one.stored()) || (format.layout == CodeLayout::kTapered && one.stored() == 0)) {
        EXPECT_EQ(formula, "");
        continue;
      }
      const std::size_t equal = formula.find(" = ");
      EXPECT_EQ(evaluated(formula.substr(0, equal)), one.stored()) << format.name << " " << formula;
      if (equal != std::string::npos) {
        EXPECT_EQ(evaluated(formula.substr(equal + 3)), one.stored()) << format.name << " " << formula;
      }
    }
  }
}

TEST(FloatAdd, SmallestThatSurvivesIsFoundByTrying) {
  for (const char* name : {"e4m3", "e5m2", "e2m3", "hif8", "e4m3fnuz"}) {
    const NumberFormat format = format_named(name);
    const std::vector<double> numbers = all_numbers(format);
    for (const auto& [rounding, rounding_name] : rounding_names()) {
      if (rounding == Rounding::kStochastic) continue;
      const RoundingRules rules{.rounding = rounding};
      for (const double value : numbers) {
        for (const bool downwards : {false, true}) {
          std::optional<double> expected;
          for (const double y : numbers) {
            if (y <= 0) continue;
            const Real exact = sum(real(value), real(downwards ? -y : y));
            if (round_to(format, exact, rules).value == value) continue;
            expected = y;
            break;
          }
          EXPECT_EQ(smallest_that_survives(format, value, downwards, rules), expected)
              << name << " " << rounding_name << " " << value << " " << downwards;
        }
      }
    }
  }
}

TEST(FloatAdd, TiesGoByTheLastBit) {
  const NumberFormat fp16 = format_named("fp16");
  EXPECT_EQ(smallest_that_survives(fp16, 1, false, {}), std::ldexp(1025.0, -21));  // the tie goes back to 1, even
  EXPECT_EQ(smallest_that_survives(fp16, 1 + std::ldexp(1.0, -10), false, {}), std::ldexp(1.0, -11));
  EXPECT_EQ(smallest_that_survives(fp16, 1, false, {.rounding = Rounding::kUp}), std::ldexp(1.0, -24));
  EXPECT_EQ(smallest_that_survives(fp16, 1, false, {.rounding = Rounding::kStochastic}), std::nullopt);
}

TEST(FloatAdd, OnlyNormalNumbersSurviveFlushing) {
  const NumberFormat fp16 = format_named("fp16");
  const double normal = std::ldexp(1.0, -14);
  for (const RoundingRules& rules : {RoundingRules{.flush_inputs = true}, RoundingRules{.flush_outputs = true}}) {
    EXPECT_EQ(smallest_that_survives(fp16, 0, false, rules), normal);
    EXPECT_EQ(smallest_that_survives(fp16, normal, false, rules), normal);
  }
  // A running sum is an input, too.
  const FloatInFormat addend = in_format("1", fp16);
  const FloatAddition step =
      float_addition(std::ldexp(1.0, -20), addend, {.rounding = Rounding::kUp, .flush_inputs = true});
  EXPECT_EQ(step.after.value, 1.0);
  EXPECT_EQ(step.error, -std::ldexp(1.0, -20));
  EXPECT_TRUE(step.after.inexact);
}

TEST(FloatAdd, ErrorsAreThoseOfTheExactSum) {
  const NumberFormat fp64 = format_named("fp64");
  EXPECT_EQ(float_addition(1, in_format("1e-300", fp64), {}).error, -1e-300);
  EXPECT_EQ(float_addition(1, in_format("-1e-300", fp64), {}).error, 1e-300);
  EXPECT_EQ(float_addition(0.1, in_format("0.2", fp64), {}).error, std::ldexp(1.0, -55));
}

TEST(FloatAdd, ProbabilityIsHowOftenItHappens) {
  const NumberFormat bf16 = format_named("bf16");
  const FloatInFormat addend = in_format("0.25", bf16);
  int up = 0;
  constexpr std::uint64_t kTimes = 20'000;
  for (std::uint64_t i = 0; i < kTimes; ++i) {
    if (float_addition(256, addend, {.rounding = Rounding::kStochastic}, i).after.value > 256) ++up;
  }
  EXPECT_NEAR(up / static_cast<double>(kTimes), 0.125, 0.012);
  FloatAdd question;
  question.values = {"256", "0.25"};
  question.format = bf16;
  question.rules.rounding = Rounding::kStochastic;
  bool lost = false;
  for (question.rules.seed = 0; question.rules.seed < 20; ++question.rules.seed) {
    const std::string answer = float_add(question)->answer.en;
    lost = lost || answer.find("is 256: all of 0.25 is lost; with probability 0.125 it would have been 258") !=
                       std::string::npos;
    EXPECT_THAT(answer, ::testing::AnyOf(::testing::HasSubstr("probability 0.125 it would have been 258"),
                                         ::testing::HasSubstr("probability 0.875 it would have been 256")));
  }
  EXPECT_TRUE(lost);
}

TEST(FloatAdd, SumsStepByStep) {
  FloatAdd question;
  question.values = {"2048", "1", "1", "1", "1"};
  question.format = format_named("fp16");
  EXPECT_THAT(float_add(question)->answer.en, ::testing::HasSubstr("is 2048, 0.1949 % off the exact 2052; 4 of the"));
  question.order = AddendOrder::kIncreasing;
  EXPECT_EQ(float_add(question)->answer.en, "the sum of 5 values in FP16 is 2052, exactly");
  question.values.assign(1001, "1");
  EXPECT_EQ(float_add(question).error().code, ErrorCode::kLimit);
}

TEST(FloatCast, DoubleRoundingIsSeen) {
  const NumberFormat fp16 = format_named("fp16");
  const NumberFormat fp32 = format_named("fp32");
  const NumberFormat fp64 = format_named("fp64");
  const double x = 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  FloatInput input;
  input.value = real(x);
  const FloatChain chain = float_chain(input, fp64, {fp32, fp16}, {});
  EXPECT_EQ(chain.steps.back().stored(), 1.0);
  EXPECT_EQ(chain.direct.stored(), 1 + std::ldexp(1.0, -10));
  EXPECT_TRUE(chain.rounded_twice());
  // Rounding to odd first does no harm.
  const FloatInFormat first = float_in_format(input, fp32, {.rounding = Rounding::kToOdd});
  input.value = real(first.stored());
  EXPECT_EQ(float_in_format(input, fp16).stored(), chain.direct.stored());
}

TEST(FloatCast, SubnormalInputsAreThoseOfTheFormatBefore) {
  const NumberFormat fp16 = format_named("fp16");
  const NumberFormat bf16 = format_named("bf16");
  const RoundingRules rules{.flush_inputs = true};
  FloatInput input;
  input.value = real(std::ldexp(1.0, -20));  // subnormal in FP16, not in BF16
  EXPECT_EQ(float_chain(input, bf16, {fp16}, rules).steps.back().stored(), std::ldexp(1.0, -20));
  EXPECT_EQ(float_chain(input, fp16, {bf16}, rules).steps.back().stored(), 0.0);
}

TEST(FloatBetween, CountsTheNumbersBetween) {
  for (const char* name : {"e4m3", "e5m2fnuz", "hif8", "e2m1", "mxint8_element", "e8m0"}) {
    const NumberFormat format = format_named(name);
    const std::vector<double> numbers = all_numbers(format);
    for (std::size_t i = 0; i < numbers.size(); i += 3) {
      for (std::size_t j = 0; j < numbers.size(); j += 7) {
        FloatInput a;
        FloatInput b;
        // As patterns: the -2 of MXINT8 is a number that nothing rounds to.
        a.code = encode(format, numbers[i]);
        b.code = encode(format, numbers[j]);
        const auto distance = float_distance(float_in_format(a, format), float_in_format(b, format));
        ASSERT_TRUE(distance);
        EXPECT_EQ(distance->steps, i < j ? j - i : i - j) << name << " " << numbers[i] << " " << numbers[j];
      }
    }
  }
}

TEST(FloatBetween, AllOfFp64DoesNotOverflow) {
  const NumberFormat fp64 = format_named("fp64");
  const auto all = float_distance(in_format("-inf", fp64), in_format("inf", fp64));
  EXPECT_EQ(all->steps, 2 * (std::uint64_t{0x7FF} << 52));
  EXPECT_EQ(float_distance(in_format("-0", fp64), in_format("0", fp64))->steps, 0u);
  EXPECT_FALSE(float_distance(in_format("nan", fp64), in_format("0", fp64)));
}

TEST(FloatTable, HoldsNumbersUnderStableKeys) {
  const Report report = float_table({format_named("fp16"), format_named("fp64")});
  const Table& table = report.sections.at(0).tables.at(0);
  const auto value = [&](std::size_t row, std::string_view key) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].key == key) return table.rows.at(row).cells.at(c).value.value_or(Value("absent"));
    }
    return Value("no such column");
  };
  EXPECT_EQ(value(0, "largest"), Value(65504.0));
  EXPECT_EQ(value(0, "smallest_subnormal"), Value(std::ldexp(1.0, -24)));
  EXPECT_EQ(value(0, "eps"), Value(std::ldexp(1.0, -10)));
  EXPECT_EQ(value(0, "unit_roundoff_exact"), Value("2^-11"));
  EXPECT_EQ(value(0, "overflow_from"), Value(65520.0));
  EXPECT_EQ(value(0, "nan"), Value(2046));
  EXPECT_EQ(value(0, "digits_kept"), Value(3.0));
  EXPECT_EQ(value(0, "digits_needed"), Value(5.0));
  EXPECT_EQ(value(1, "overflow_from"), Value("2^1024 − 2^970"));  // no double
  EXPECT_EQ(value(1, "nan"), Value("absent"));
  EXPECT_EQ(value(1, "digits_needed"), Value(17.0));
}

TEST(FloatWords, DecimalsAreExact) {
  EXPECT_EQ(exact_decimal(65504), "65504");
  EXPECT_EQ(exact_decimal(std::ldexp(1.0, -24)), "5.9604644775390625e-8");
  EXPECT_EQ(exact_decimal(0.1), "0.1000000000000000055511151231257827021181583404541015625");
  EXPECT_EQ(exact_decimal(-0.0), "-0");
  EXPECT_EQ(exact_decimal(1e23), "9.9999999999999991611392e22");
  EXPECT_EQ(shown_decimal(0.1), "0.100000000000000005551115123125…");
  EXPECT_EQ(exact_decimal(std::numeric_limits<double>::denorm_min()).substr(0, 6), "4.9406");
  EXPECT_EQ(in_powers_of_two(65504), "(2 − 2^-10) · 2^15");
  EXPECT_EQ(in_powers_of_two(448), "1.75 · 2^8");
  EXPECT_EQ(in_powers_of_two(-0.25), "-2^-2");
  EXPECT_EQ(hexadecimal_float(-1.5), "-0x1.8p+0");
}

}  // namespace
}  // namespace assay
