// num/expected_error.h: what theory expects against what emulation gives, over formats, orders, roundings and data.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "num/expected_error.h"
#include "num/format.h"
#include "num/real.h"

namespace assay {
namespace {

enum class Data { kNormal, kUniform };

Lanes numbers(Data data, const NumberFormat& format, std::size_t rows, std::size_t length) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Lanes out(rows, length);
  for (double& value : out.values) {
    value = round_to(format, real(data == Data::kNormal ? normal(generator) : uniform(generator))).value;
  }
  return out;
}

struct Errors {
  double measured_rms = 0, expected_rms = 0;
  double measured_mean = 0, expected_mean = 0;
};

// Over all rows, of the sums' errors against the exact sums.
Errors errors_of(const SumModel& model, const NumberFormat& input, const Lanes& x) {
  Terms terms(x);
  const std::vector<double> sums = rounded_sums(model, terms);
  TermRounding term_rounding(
      {x.values.begin(), x.values.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(x.values.size(), 4000))},
      model.rules.rounding);
  Errors out;
  for (std::size_t row = 0; row < x.rows; ++row) {
    std::vector<double> values, grids;
    double exact = 0;  // exact enough: numbers of 11 bits
    for (std::size_t k = 0; k < x.length; ++k) {
      values.push_back(x.at(k)[row]);
      grids.push_back(spacing_at(input, values.back()));
      exact += values.back();
    }
    const double error = sums[row] - exact;
    const Moments expected = expected_sum(model, values, grids, term_rounding).error;
    out.measured_mean += error;
    out.expected_mean += expected.mean;
    out.measured_rms += error * error;
    out.expected_rms += expected.mean * expected.mean + expected.variance;
  }
  const auto rows = static_cast<double>(x.rows);
  out.measured_mean /= rows;
  out.expected_mean /= rows;
  out.measured_rms = std::sqrt(out.measured_rms / rows);
  out.expected_rms = std::sqrt(out.expected_rms / rows);
  return out;
}

SumModel model_of(const char* accumulator, const char* order, Rounding rounding = Rounding::kNearestEven) {
  SumModel model{*number_format(accumulator), std::nullopt, *sum_order(order), {}};
  model.rules.rounding = rounding;
  return model;
}

TEST(NumExpectedError, OneRoundingOfALattice) {
  // Residues of 8ths rounded to whole numbers, one after the other.
  for (const Rounding rounding : {Rounding::kNearestEven, Rounding::kNearestAway, Rounding::kTowardZero, Rounding::kUp,
                                  Rounding::kDown, Rounding::kToOdd}) {
    for (const double grid : {0.5, 0.25, 0.125}) {
      NumberFormat integers = *number_format("p=20,emin=0,emax=30");
      RoundingRules rules;
      rules.rounding = rounding;
      double mean = 0, square = 0;
      int count = 0;
      for (double x = 0x1p19; x < 0x1p19 + 2; x += grid, ++count) {  // spacing 1, both parities
        const double error = round_to(integers, real(x), rules).value - x;
        mean += error;
        square += error * error;
      }
      mean /= count;
      const Moments expected = rounding_moments(rounding, 1, grid, 1);
      EXPECT_DOUBLE_EQ(expected.mean, mean) << int(rounding) << ' ' << grid;
      EXPECT_DOUBLE_EQ(expected.variance, square / count - mean * mean) << int(rounding) << ' ' << grid;
    }
  }
  EXPECT_EQ(rounding_moments(Rounding::kNearestEven, 1, 1, 1).variance, 0);
  EXPECT_DOUBLE_EQ(rounding_moments(Rounding::kStochastic, 1, 0.5, 1).variance,
                   0.125);  // half up, half down, half exact
}

TEST(NumExpectedError, SumsOfBothSignsAreWithinTwentyPercent) {
  const NumberFormat input = *number_format("bf16");
  const Lanes x = numbers(Data::kNormal, input, 400, 1000);
  for (const char* accumulator : {"bf16", "fp16", "tf32", "e5m10", "p=16,emin=-126,emax=127"}) {
    for (const char* order : {"sequential", "pairwise", "cascade", "lanes:8", "blocks:32", "split:4"}) {
      for (const Rounding rounding : {Rounding::kNearestEven, Rounding::kStochastic, Rounding::kTowardZero}) {
        const Errors errors = errors_of(model_of(accumulator, order, rounding), input, x);
        EXPECT_NEAR(errors.expected_rms / errors.measured_rms, 1, 0.2)
            << accumulator << ' ' << order << ' ' << int(rounding) << ": " << errors.measured_rms;
      }
    }
  }
}

TEST(NumExpectedError, TheBiasOfSumsOfOneSign) {
  const NumberFormat input = *number_format("bf16");
  const Lanes x = numbers(Data::kUniform, input, 200, 3000);
  for (const char* accumulator : {"bf16", "fp16"}) {  // both stagnate: at 512 or so, at 2,048
    for (const char* order : {"sequential", "blocks:1500"}) {
      const Errors errors = errors_of(model_of(accumulator, order), input, x);
      EXPECT_NEAR(errors.expected_rms / errors.measured_rms, 1, 0.2) << accumulator << ' ' << order;
    }
    const Errors errors = errors_of(model_of(accumulator, "sequential", Rounding::kTowardZero), input, x);
    EXPECT_NEAR(errors.expected_mean / errors.measured_mean, 1, 0.2) << accumulator;
  }
}

TEST(NumExpectedError, ASumOfOnesStopsWhereOnesAreTies) {
  const NumberFormat input = *number_format("bf16");
  Lanes ones(1, 4000);
  for (double& one : ones.values) one = 1;
  const Errors errors = errors_of(model_of("bf16", "sequential"), input, ones);
  EXPECT_EQ(errors.measured_mean, 256 - 4000);
  EXPECT_NEAR(errors.expected_mean, errors.measured_mean, 2);
}

TEST(NumExpectedError, PartialSumsInANarrowerFormat) {
  const NumberFormat input = *number_format("bf16");
  const Lanes x = numbers(Data::kNormal, input, 500, 1024);
  for (const char* order : {"lanes:16", "blocks:64", "split:8"}) {
    SumModel model = model_of("fp32", order);
    model.partials = input;
    const Errors errors = errors_of(model, input, x);
    EXPECT_NEAR(errors.expected_rms / errors.measured_rms, 1, 0.2) << order;
  }
}

TEST(NumExpectedError, BoundsHold) {
  const NumberFormat input = *number_format("bf16");
  for (const Data data : {Data::kNormal, Data::kUniform}) {
    const Lanes x = numbers(data, input, 100, 150);
    for (const char* order : {"sequential", "pairwise", "lanes:8", "blocks:32"}) {
      const SumModel model = model_of("bf16", order);
      const SumBounds bounds = sum_bounds(model, x.length, static_cast<double>(x.rows));
      EXPECT_LT(bounds.probable, 30 * bounds.certain);
      Terms terms(x);
      const std::vector<double> sums = rounded_sums(model, terms);
      for (std::size_t row = 0; row < x.rows; ++row) {
        double exact = 0, magnitude = 0;
        for (std::size_t k = 0; k < x.length; ++k) {
          exact += x.at(k)[row];
          magnitude += std::abs(x.at(k)[row]);
        }
        EXPECT_LE(std::abs(sums[row] - exact), bounds.certain * magnitude) << order;
        EXPECT_LE(std::abs(sums[row] - exact), bounds.probable * magnitude) << order;
      }
    }
  }
  // By hand: 149 additions at 2^-8 in sequence; 8 levels in a tree; 18 in a lane and 3 levels.
  EXPECT_DOUBLE_EQ(sum_bounds(model_of("bf16", "sequential"), 150, 1).certain, 149 * 0x1p-8);
  EXPECT_DOUBLE_EQ(sum_bounds(model_of("bf16", "pairwise"), 150, 1).certain, 8 * 0x1p-8 / (1 - 8 * 0x1p-8));
  EXPECT_DOUBLE_EQ(sum_bounds(model_of("bf16", "lanes:8"), 150, 1).certain, 21 * 0x1p-8 / (1 - 21 * 0x1p-8));
}

}  // namespace
}  // namespace assay
