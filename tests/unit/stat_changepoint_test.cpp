#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stat/changepoint.h"
#include "stat/quantile.h"
#include "stat_random.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Montgomery, Introduction to Statistical Quality Control, the CUSUM example: level 10, from the 21st value on 11.
const std::vector<double> kMontgomery{9.45,  7.99,  9.29,  11.66, 12.16, 10.18, 8.04,  11.46, 9.20,  10.34,
                                      9.03,  11.47, 10.51, 9.40,  10.08, 9.37,  10.62, 10.31, 8.52,  10.84,
                                      10.90, 9.33,  12.29, 11.50, 10.60, 11.08, 10.38, 11.62, 11.31, 10.52};

TEST(StatChangepoint, CusumOfMontgomery) {
  // His column C+ in hundredths; the limit 5 is passed at the 29th value, 7 values after the sum left zero.
  const double sums[] = {0, 0,    0, 1.16, 2.82, 2.50, 0.04, 1.00, 0,    0,    0,    0.97, 0.98, 0,    0,
                         0, 0.12, 0, 0,    0.34, 0.74, 0,    1.79, 2.79, 2.89, 3.47, 3.35, 4.47, 5.28, 5.30};
  Cusum cusum({.target = 10.0, .sigma = 1.0, .k = 0.5, .h = 1e9});
  for (std::size_t i = 0; i < kMontgomery.size(); ++i) {
    EXPECT_FALSE(cusum.push(kMontgomery[i]));
    EXPECT_NEAR(cusum.statistic(), sums[i], 1e-9) << i;
  }
  const auto found = alarms(Cusum({.target = 10.0, .sigma = 1.0, .k = 0.5, .h = 5.0}), kMontgomery);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].index, 28U);
  EXPECT_EQ(found[0].onset, 22U);
  EXPECT_NEAR(found[0].statistic, 5.28, 1e-9);
}

TEST(StatChangepoint, CusumHasNoUnit) {
  std::vector<double> scaled;
  for (const double value : kMontgomery) scaled.push_back(1000.0 + 8.0 * (value - 10.0));
  const auto found = alarms(Cusum({.target = 1000.0, .sigma = 8.0, .k = 0.5, .h = 5.0}), scaled);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].onset, 22U);
}

TEST(StatChangepoint, CusumStartsAgainAndSkipsNonFinite) {
  const std::vector<double> values{0, 0, kNan, 4, 4, kInf, 4, 0, 4, 4, 4};
  const auto found = alarms(Cusum({.target = 0.0, .sigma = 1.0, .k = 1.0, .h = 8.0}), values);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].index, 6U);
  EXPECT_EQ(found[0].onset, 3U);
  EXPECT_EQ(found[1].index, 10U);
  EXPECT_EQ(found[1].onset, 8U);
  EXPECT_TRUE(alarms(Cusum({.sigma = 0.0}), values).empty());
  EXPECT_TRUE(alarms(Cusum({.sigma = kNan}), values).empty());
}

TEST(StatChangepoint, CusumFalseAlarmRate) {
  // Average run length without a shift for k = 0.5, h = 5: 930 two-sided tables give 465, so 930 for one side.
  test::Random random(40);
  const auto found = alarms(Cusum({.k = 0.5, .h = 5.0}), random.gauss(2'000'000));
  EXPECT_NEAR(2e6 / static_cast<double>(found.size()), 930.0, 60.0);
}

TEST(StatChangepoint, PageHinkleyIsTheSumAboveItsMinimum) {
  test::Random random(41);
  auto values = random.gauss(400);
  for (std::size_t i = 250; i < values.size(); ++i) values[i] += 1.5;
  PageHinkley test({.delta = 0.1, .lambda = 1e9});
  double sum = 0.0, least = 0.0, total = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    total += values[i];
    sum += values[i] - total / static_cast<double>(i + 1) - 0.1;
    least = std::min(least, sum);
    test.push(values[i]);
    ASSERT_NEAR(test.statistic(), sum - least, 1e-9);
  }
  const auto found = alarms(PageHinkley({.delta = 0.1, .lambda = 20.0, .min_count = 30}), values);
  ASSERT_FALSE(found.empty());
  EXPECT_GT(found[0].index, 250U);
  EXPECT_NEAR(static_cast<double>(found[0].onset), 250.0, 8.0);
}

TEST(StatChangepoint, PageHinkleyStartsAgainFadesAndSkips) {
  std::vector<double> values(50, 1.0);
  values.resize(100, 3.0);
  values[10] = kNan;
  const auto found = alarms(PageHinkley({.delta = 0.0, .lambda = 5.0}), values);
  ASSERT_EQ(found.size(), 1U);  // after the restart 3 is the mean
  EXPECT_EQ(found[0].onset, 50U);
  EXPECT_TRUE(alarms(PageHinkley({.lambda = 5.0, .min_count = 90}), std::vector<double>(80, 1.0)).empty());
  PageHinkley fading({.lambda = 1e9, .alpha = 0.5});
  for (const double value : {0.0, 2.0}) fading.push(value);
  EXPECT_DOUBLE_EQ(fading.statistic(), 1.0);
  fading.push(1.0);  // the mean is 1: only fading acts
  EXPECT_DOUBLE_EQ(fading.statistic(), 0.5);
}

TEST(StatChangepoint, EwmaOfTheHandbook) {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 6.3.2.4.
  const std::vector<double> data{52.0, 47.0, 53.0, 49.3, 50.1, 47.0, 51.0, 50.1, 51.2, 50.5,
                                 49.6, 47.6, 49.9, 51.3, 47.8, 51.2, 52.6, 52.4, 53.6, 52.1};
  const double means[] = {50.60, 49.52, 50.56, 50.18, 50.16, 49.21, 49.75, 49.85, 50.26, 50.33,
                          50.11, 49.36, 49.52, 50.05, 49.38, 49.92, 50.73, 51.23, 51.94, 51.99};
  EwmaChart chart({.target = 50.0, .sigma = 2.0539, .weight = 0.3, .limit = 3.0});
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(chart.push(data[i]), 0);
    EXPECT_NEAR(chart.value(), means[i], 0.0051) << i;
  }
  EXPECT_NEAR(50.0 + chart.half_width(), 52.5884, 5e-4);
}

TEST(StatChangepoint, EwmaAlarmsOnBothSides) {
  EwmaChart chart({.weight = 1.0, .limit = 3.0});
  EXPECT_EQ(chart.push(3.1), 1);
  EXPECT_EQ(chart.push(-3.1), -1);
  EXPECT_EQ(chart.push(2.9), 0);
  EXPECT_EQ(chart.push(kNan), 0);
  EXPECT_EQ(chart.value(), 2.9);
  chart.reset();
  EXPECT_EQ(chart.value(), 0.0);
}

/// The annual flow of the Nile at Aswan, 1871 to 1970 (Cobb 1978): the textbook change is after 1898, value 28.
const std::vector<double> kNile{1120, 1160, 963, 1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110, 994,  1020,
                                960,  1180, 799, 958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,
                                874,  694,  940, 833,  701,  916,  692,  1020, 1050, 969,  831,  726,  456,  824,  702,
                                1120, 1100, 832, 764,  821,  768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,
                                781,  865,  845, 944,  984,  897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,
                                1040, 860,  874, 848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,
                                1020, 906,  901, 1170, 912,  746,  919,  718,  714,  740};

TEST(StatChangepoint, NileChangedAfter1898) {
  ASSERT_EQ(kNile.size(), 100U);
  const auto split = best_mean_shift(kNile);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->index, 28U);
  EXPECT_NEAR(split->before, 1097.75, 1e-9);
  EXPECT_NEAR(split->after, 849.97, 0.005);
  EXPECT_GT(split->f_statistic(), 13.0);
  const auto ranks = best_rank_shift(kNile);
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->index, 28U);
  EXPECT_LT(ranks->p, 1e-4);
  EXPECT_LT(ranks->superiority, 0.15);
}

double squared_error(std::span<const double> values) {
  double mean = 0.0, out = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) out += (value - mean) * (value - mean);
  return out;
}

TEST(StatChangepoint, MeanShiftAgreesWithTryingEverySplit) {
  test::Random random(42);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 2 + random.below(30);
    const std::size_t side = 1 + random.below(n / 2);
    auto values = random.gauss(n, 100.0);
    double least = kInf;
    for (std::size_t t = side; t + side <= n; ++t) {
      const auto all = std::span<const double>(values);
      least = std::min(least, squared_error(all.first(t)) + squared_error(all.subspan(t)));
    }
    const auto split = best_mean_shift(values, side);
    ASSERT_TRUE(split);
    EXPECT_NEAR(1.0 - split->gain, least / squared_error(values), 1e-9);
    const auto all = std::span<const double>(values);
    EXPECT_NEAR(squared_error(all.first(split->index)) + squared_error(all.subspan(split->index)), least, 1e-9);
    for (double& value : values) value = value * 1e305 / 128.0;
    EXPECT_NEAR(best_mean_shift(values, side)->gain, split->gain, 1e-9);
  }
}

TEST(StatChangepoint, RankShiftAgreesWithCountingPairs) {
  test::Random random(43);
  for (int round = 0; round < 100; ++round) {
    const auto values = random.tied(2 + random.below(25), 7);
    double best = -1.0, superiority = 0.0;
    for (std::size_t t = 1; t < values.size(); ++t) {
      double rising = 0.0, falling = 0.0;
      for (std::size_t i = 0; i < t; ++i) {
        for (std::size_t j = t; j < values.size(); ++j) {
          rising += values[j] > values[i] ? 1.0 : 0.0;
          falling += values[j] < values[i] ? 1.0 : 0.0;
        }
      }
      if (std::abs(rising - falling) <= best) continue;
      best = std::abs(rising - falling);
      superiority = 0.5 + 0.5 * (rising - falling) / static_cast<double>(t * (values.size() - t));
    }
    const auto split = best_rank_shift(values);
    ASSERT_TRUE(split);
    EXPECT_NEAR(split->superiority, best == 0.0 ? 0.5 : superiority, 1e-12);
    const double n = static_cast<double>(values.size());
    EXPECT_NEAR(split->p, std::min(1.0, 2.0 * std::exp(-6.0 * best * best / (n * n * n + n * n))), 1e-12);
  }
}

TEST(StatChangepoint, OneSpikeMovesTheMeansNotTheRanks) {
  test::Random random(44);
  auto values = random.gauss(200);
  for (std::size_t i = 120; i < values.size(); ++i) values[i] += 3.0;
  values[20] = 1e6;
  EXPECT_EQ(best_rank_shift(values)->index, 120U);
  EXPECT_LT(best_mean_shift(values)->index, 30U);
}

TEST(StatChangepoint, SplitsSkipAndRefuse) {
  const std::vector<double> values{kNan, 1, 1, kNan, 1, kInf, 5, 5, 5};
  const auto split = best_mean_shift(values);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->index, 6U);
  EXPECT_EQ(split->count, 6U);
  EXPECT_DOUBLE_EQ(split->before, 1.0);
  EXPECT_DOUBLE_EQ(split->after, 5.0);
  EXPECT_NEAR(split->gain, 1.0, 1e-12);
  EXPECT_FALSE(best_mean_shift({}));
  EXPECT_FALSE(best_mean_shift(std::vector{1.0}));
  EXPECT_FALSE(best_mean_shift(std::vector{2.0, 2.0, 2.0}));
  EXPECT_FALSE(best_mean_shift(std::vector{1.0, 2.0, 3.0}, 2));
  EXPECT_FALSE(best_rank_shift(std::vector{kNan, 1.0}));
  EXPECT_EQ(best_rank_shift(values)->index, 5U);  // the infinity belongs to the high side
}

TEST(StatChangepoint, LastDepartureOfAStep) {
  std::vector<double> values(20, 1.0);
  values.resize(40, 3.0);
  EXPECT_EQ(last_departure(values, 1.5), 20U);
  values[5] = 9.0;    // a spike long before: came back
  values[30] = 0.5;   // a lucky record in the bad stretch
  values[31] = kNan;  // and a missing one
  EXPECT_EQ(last_departure(values, 1.5), 20U);
  for (double& value : values) value = -value;
  EXPECT_EQ(last_departure(values, -1.5, Direction::kDown), 20U);
  for (double& value : values) value = 100.0 - 7.0 * value;
  EXPECT_EQ(last_departure(values, 100.0 + 7.0 * 1.5), 20U);
}

TEST(StatChangepoint, LastDepartureOfARamp) {
  std::vector<double> ramp;
  for (int i = 0; i < 100; ++i) ramp.push_back(i < 50 ? 0.0 : i - 50);
  EXPECT_EQ(last_departure(ramp, 10.0), 61U);
}

TEST(StatChangepoint, NoDeparture) {
  const std::vector<double> back{1, 1, 5, 5, 5, 5, 1, 1, 1};
  EXPECT_FALSE(last_departure(back, 2.0));
  EXPECT_FALSE(last_departure(std::vector<double>{1, 1, 1, 1, 1, 9}, 2.0));  // one record proves nothing
  EXPECT_FALSE(last_departure({}, 2.0));
  EXPECT_FALSE(last_departure(std::vector{kNan, kNan}, 2.0));
  EXPECT_EQ(last_departure(std::vector<double>{5, 6, 7}, 2.0), 0U);
  EXPECT_EQ(last_departure(std::vector<double>{1, 1, 1, kNan, kNan, kNan, kNan, kNan, kNan}, 2.0), 5U);
}

}  // namespace
}  // namespace assay
