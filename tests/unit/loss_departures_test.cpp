#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "measure/departures.h"
#include "measure/drift.h"
#include "unit/stat_random.h"
#include "unit/support/synthetic_loss.h"

namespace assay {
namespace {

using test::LossShape;
using test::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> flat(std::size_t n, double level, double sigma, unsigned long long seed = 1) {
  Random random(seed);
  return random.gauss(n, level, sigma);
}

TEST(Departures, OneRecordIsFoundWhereItIs) {
  std::vector<double> loss = flat(400, 3.0, 0.03);
  loss[250] = 4.5;
  const auto found = find_departures(loss, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].onset, 250U);
  EXPECT_EQ(found[0].peak, 250U);
  EXPECT_EQ(found[0].last, 250U);
  EXPECT_EQ(found[0].regained, 251U);
  EXPECT_NEAR(found[0].level, 3.0, 0.02);
  EXPECT_NEAR(found[0].rise, 0.5, 0.02);
  EXPECT_FALSE(found[0].absolute);
}

TEST(Departures, ThresholdsAreBothAsked) {
  std::vector<double> quiet = flat(300, 3.0, 0.001);
  quiet[200] = 3.1;  // far in sigma, 3 % of the level
  EXPECT_TRUE(find_departures(quiet, {}).empty());
  std::vector<double> loud = flat(300, 3.0, 0.3);
  loud[200] = 4.5;  // 50 % of the level, five sigma
  EXPECT_TRUE(find_departures(loud, {}).empty());
}

TEST(Departures, ASpikeDoesNotHideTheNext) {
  std::vector<double> loss = flat(300, 3.0, 0.02);
  for (const std::size_t at : {100U, 104U, 108U, 112U, 116U, 120U}) loss[at] = 6.0;
  EXPECT_EQ(find_departures(loss, {}).size(), 6U);
}

TEST(Departures, RiseIsWalkedBackAndRecoveryTold) {
  std::vector<double> loss = flat(600, 3.0, 0.01);
  const std::vector<double> event = {3.06, 3.12, 3.5, 5.0, 7.0, 6.0, 5.0, 4.5, 4.0, 3.8, 3.6, 3.4, 3.3};
  std::copy(event.begin(), event.end(), loss.begin() + 300);
  const auto found = find_departures(loss, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].onset, 300U);
  EXPECT_EQ(found[0].alarm, 302U);
  EXPECT_EQ(found[0].peak, 304U);
  EXPECT_EQ(found[0].half_last, 306U);  // 5.0 is half of the height
  EXPECT_EQ(found[0].last, 312U);
  EXPECT_EQ(found[0].regained, 313U);
}

TEST(Departures, ADipDuringAnEventEndsNothing) {
  std::vector<double> loss = flat(400, 3.0, 0.01);
  for (std::size_t i = 200; i < 240; ++i) loss[i] = i % 5 == 0 ? 3.0 : 5.0;
  const auto found = find_departures(loss, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].onset, 201U);
  EXPECT_EQ(found[0].last, 239U);
  EXPECT_EQ(found[0].regained, 240U);
}

TEST(Departures, LevelThatStaysUpIsNotRegained) {
  std::vector<double> loss = flat(400, 3.0, 0.02);
  for (std::size_t i = 250; i < 400; ++i) loss[i] += 2.0;
  const auto found = find_departures(loss, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].onset, 250U);
  EXPECT_FALSE(found[0].regained);
  EXPECT_NEAR(found[0].after, 5.0, 0.05);
}

TEST(Departures, SeriesThatEndsInNanDidNotComeBack) {
  std::vector<double> loss = flat(200, 3.0, 0.02);
  for (std::size_t i = 150; i < 155; ++i) loss[i] = 3.0 * std::pow(3.0, static_cast<double>(i - 149));
  for (std::size_t i = 155; i < 200; ++i) loss[i] = kNaN;
  const auto found = find_departures(loss, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].onset, 150U);
  EXPECT_EQ(found[0].last, 154U);
  EXPECT_TRUE(found[0].ends_non_finite);
}

TEST(Departures, LossAroundZeroIsMeasuredByItsRange) {
  Random random(3);
  std::vector<double> loss = random.gauss(500, 0.0, 0.1);
  EXPECT_TRUE(find_departures(loss, {}).empty());
  loss[300] = 3.0;
  ASSERT_EQ(find_departures(loss, {}).size(), 1U);
  std::vector<double> decibel(500);  // SI-SDR: falls from 5 to -15
  for (std::size_t i = 0; i < 500; ++i) {
    decibel[i] = -15 + 20 * std::exp(-static_cast<double>(i) / 60) + 0.1 * random.gauss();
  }
  EXPECT_TRUE(find_departures(decibel, {}).empty());
  for (std::size_t i = 400; i < 500; ++i) decibel[i] += 8;
  const auto found = find_departures(decibel, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].onset, 400U);
}

TEST(Departures, TinyLossOfAMemorisedCorpusHasNotMoved) {
  Random random(4);
  std::vector<double> loss(600);
  for (std::size_t i = 0; i < 600; ++i) {
    loss[i] = 0.01 + 2 * std::exp(-static_cast<double>(i) / 40) + 0.0005 * random.gauss();
  }
  loss[500] = 0.03;  // three times the level, one per cent of what was learned
  EXPECT_TRUE(find_departures(loss, {}).empty());
}

TEST(Departures, ShiftAndScaleChangeNothing) {
  Random random(5);
  std::vector<double> loss = test::healthy_loss(1000, {}, random);
  for (std::size_t i = 600; i < 606; ++i) loss[i] *= 1.8;
  const auto found = find_departures(loss, {});
  ASSERT_EQ(found.size(), 1U);
  std::vector<double> scaled(loss);
  for (double& x : scaled) x *= 1024;
  const auto again = find_departures(scaled, {});
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].onset, found[0].onset);
  EXPECT_EQ(again[0].last, found[0].last);
  EXPECT_EQ(again[0].rise, found[0].rise);
  EXPECT_EQ(again[0].z, found[0].z);
}

TEST(Departures, RatioWalkSuitsGradNorms) {
  Random random(6);
  std::vector<double> norm(500);
  for (double& x : norm) x = 0.3 * std::exp(0.2 * random.gauss());
  DepartureOptions options;
  options.compare = Compare::kRatio;
  options.sigmas = 10;
  options.rise = 4;  // five times
  options.mad_floor = 0.05;
  EXPECT_TRUE(find_departures(norm, options).empty());
  norm[300] = 40;
  norm[301] = 900;
  norm[302] = 0;  // not measured
  const auto found = find_departures(norm, options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].onset, 300U);
  EXPECT_EQ(found[0].peak, 301U);
  EXPECT_EQ(found[0].peak_value, 900);
  EXPECT_NEAR(found[0].level, 0.3, 0.03);
  EXPECT_NEAR(found[0].rise, 900 / found[0].level - 1, 1e-9);
}

// The fall of a short pre-training log: the median of the past lies far above the present.
std::vector<double> steep(std::size_t n, std::size_t time, unsigned long long seed) {
  Random random(seed);
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double fall = std::pow(1 + static_cast<double>(i) / static_cast<double>(time), -0.7);
    out[i] = (2.6 + 8.3 * fall) * (1 + 0.01 * random.gauss());
  }
  return out;
}

TEST(Departures, SpikesInASteepFallAreSeen) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const std::size_t at : {60U, 100U, 150U}) {
      std::vector<double> loss = steep(200, 10 + seed, seed);
      EXPECT_TRUE(find_departures(loss, {}).empty()) << "seed " << seed;
      const std::vector<double> factors = {1.3, 1.2, 1.15};
      for (std::size_t k = 0; k < factors.size(); ++k) loss[at + k] *= factors[k];
      const auto found = find_departures(loss, {});
      ASSERT_EQ(found.size(), 1U) << "seed " << seed << " at " << at;
      EXPECT_EQ(found[0].onset, at) << "seed " << seed;
      EXPECT_EQ(found[0].peak, at) << "seed " << seed;
      EXPECT_NEAR(found[0].rise, 0.3, 0.08) << "seed " << seed << " at " << at;
    }
  }
}

TEST(Departures, LastRecordsOfAShortLogAreSeen) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const std::size_t n : {18U, 24U, 27U, 30U}) {
      EXPECT_TRUE(find_departures(steep(n, 6, seed), {}).empty()) << n << " records, seed " << seed;
      for (const std::size_t last : {1U, 2U, 4U, 7U}) {
        std::vector<double> loss = steep(n, 6, seed);
        for (std::size_t i = n - last; i < n; ++i) loss[i] *= 1.8;
        const auto found = find_departures(loss, {});
        ASSERT_EQ(found.size(), 1U) << "last " << last << " of " << n << ", seed " << seed;
        EXPECT_EQ(found[0].onset, n - last);
        EXPECT_FALSE(found[0].regained);
      }
    }
  }
}

TEST(Departures, StaircasesAndSlowFallsAreNoEvents) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const std::size_t epoch = 8 + random.below(40);
    std::vector<double> stairs(300);
    for (std::size_t i = 0; i < 300; ++i) {
      stairs[i] = 2 * std::pow(0.85, static_cast<double>(i / epoch)) * (1 + 0.005 * random.gauss());
    }
    EXPECT_TRUE(find_departures(stairs, {}).empty()) << "epochs of " << epoch;
  }
}

TEST(Departures, AroundZeroFewRecordsTellNothing) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<double> policy(40);
    for (double& x : policy) x = 0.003 * random.gauss() / std::sqrt(0.2 + random.uniform());
    for (const Departure& one : find_departures(policy, {})) EXPECT_FALSE(one.absolute) << "seed " << seed;
    policy.resize(8);
    policy.push_back(4.0);
    EXPECT_EQ(find_departures(policy, {}).size(), 1U) << "seed " << seed;
  }
}

TEST(Departures, SpikesBehindAStepAreTold) {
  std::vector<double> loss = flat(1000, 3.0, 0.02);
  for (std::size_t i = 300; i < 1000; ++i) loss[i] *= 1.12;
  for (const std::size_t at : {600U, 800U}) loss[at] *= 1.6;
  const auto found = find_departures(loss, {});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].onset, 300U);
  EXPECT_FALSE(found[0].regained);
  EXPECT_LT(found[0].rise, 0.2);
  EXPECT_EQ(found[1].peak, 600U);
  EXPECT_EQ(found[2].peak, 800U);
  EXPECT_EQ(found[2].regained, 801U);
  for (std::size_t i = 700; i < 1000; ++i) loss[i] *= 1.5;
  EXPECT_EQ(find_departures(loss, {}).size(), 1U) << "what never comes back is one";
}

TEST(Departures, WhatCameBeforeMakesTheLevel) {
  const std::vector<double> before = flat(100, 3.0, 0.03);
  std::vector<double> resumed = flat(60, 3.0, 0.03, 2);
  EXPECT_TRUE(find_departures(resumed, {}, before).empty());
  for (double& x : resumed) x *= 1.5;
  EXPECT_TRUE(find_departures(resumed, {}).empty()) << "blind without the part before";
  const auto found = find_departures(resumed, {}, before);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].onset, 0U);
  EXPECT_FALSE(found[0].absolute);
  EXPECT_NEAR(found[0].level, 3.0, 0.03);
}

struct Excerpt {
  const char* what;
  std::vector<double> loss;
  bool departs;
  std::size_t onset;
  bool regained;
};

TEST(Departures, Excerpts) {
  const std::vector<Excerpt> excerpts = {
      {"jump in the last of three records", {3.06, 3.11, 7.71}, true, 2, false},
      {"jump that is over by the last record", {6.4, 11.4, 6.6}, true, 1, true},
      {"rises step by step", {6.37, 6.60, 7.31, 9.12, 10.24}, true, 2, false},
      {"stays up", {2.67, 2.66, 4.37, 4.39, 4.40, 4.10, 4.14}, true, 2, false},
      {"falls", {8.05, 7.1, 6.4, 5.9, 5.5}, false, 0, false},
      {"single samples scatter", {1.49, 1.64, 1.17, 1.38, 1.45, 1.72}, false, 0, false},
      {"zig-zag, first record low", {2.4, 4.2, 2.9, 3.8, 2.3, 4.3, 3.5, 4.9, 2.7, 4.4}, false, 0, false},
      {"a fall is no noise", {15.2, 12.8, 4.1, 2.6, 1.5, 5.6, 7.2, 9.8}, true, 5, false},
      {"up by a third, then more", {4.6, 4.5, 6.2, 6.9, 6.9}, true, 2, false},
      {"one value", {3.0}, false, 0, false},
      {"nothing", {}, false, 0, false},
  };
  for (const Excerpt& excerpt : excerpts) {
    const auto found = find_departures(excerpt.loss, {});
    ASSERT_EQ(!found.empty(), excerpt.departs) << excerpt.what;
    if (found.empty()) continue;
    EXPECT_TRUE(found[0].absolute) << excerpt.what;
    EXPECT_EQ(found[0].onset, excerpt.onset) << excerpt.what;
    EXPECT_EQ(found[0].regained.has_value(), excerpt.regained) << excerpt.what;
  }
}

TEST(Departures, NoiseFloorIsTheStepOfThePrint) {
  Random random(7);
  std::vector<double> coarse(500);
  std::vector<double> bf16(500);
  for (std::size_t i = 0; i < 500; ++i) {
    coarse[i] = test::to_decimals(0.4 + 0.02 * random.gauss(), 2);
    bf16[i] = test::to_bfloat16(5.0 + 0.3 * random.gauss());
  }
  EXPECT_NEAR(mad_floor_of(coarse), 0.01, 1e-12);
  EXPECT_NEAR(mad_floor_of(bf16), 0.03125, 1e-12);  // 2^2 · 2^-7
  EXPECT_EQ(mad_floor_of({}), 0);
}

TEST(Drift, SlowRiseIsDatedAtTheMinimum) {
  Random random(8);
  std::vector<double> loss(400);
  for (std::size_t i = 0; i < 400; ++i) {
    const double x = static_cast<double>(i);
    loss[i] = (i < 150 ? 3 + 5 * std::exp(-x / 30) : 3 + 0.006 * (x - 150)) + 0.05 * random.gauss();
  }
  const auto found = find_drift(loss);
  ASSERT_TRUE(found);
  EXPECT_NEAR(static_cast<double>(found->onset), 150, 20);
  EXPECT_NEAR(found->level, 3.0, 0.1);
  EXPECT_NEAR(found->end, 4.45, 0.15);
  EXPECT_FALSE(found->coming_back);
}

TEST(Drift, RiseInALogOfAnyLength) {
  for (std::size_t n = 60; n <= 420; n += 15) {
    Random random(n);
    std::vector<double> loss(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(i) / static_cast<double>(n);
      loss[i] = (x < 0.5 ? 3 + 5 * std::exp(-14 * x) : 3 + 2.4 * (x - 0.5)) + 0.02 * random.gauss();
    }
    EXPECT_TRUE(find_drift(loss)) << n << " records";
  }
}

TEST(Drift, NoRiseNoDrift) {
  Random random(9);
  EXPECT_FALSE(find_drift(test::healthy_loss(3000, {}, random)));
  EXPECT_FALSE(find_drift(flat(500, 3.0, 0.5)));
  EXPECT_FALSE(find_drift({}));
  std::vector<double> hump(400, 3.0);
  for (std::size_t i = 100; i < 300; ++i) hump[i] += 2 * std::sin(static_cast<double>(i - 100) / 200 * 3.14159);
  EXPECT_FALSE(find_drift(hump)) << "it has come back";
}

}  // namespace
}  // namespace assay
