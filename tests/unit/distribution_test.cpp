// Random data: moments, tails, whole distributions, independence, and the very bits.

#include "num/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "unit/num_patterns.h"

namespace assay {
namespace {

#ifdef ASSAY_SANITIZED
constexpr std::size_t kMany = std::size_t{1} << 20;
#else
constexpr std::size_t kMany = std::size_t{1} << 24;
#endif
constexpr double kCount = static_cast<double>(kMany);

std::vector<double> drawn(Distribution distribution, std::size_t count, std::uint64_t seed = 1,
                          std::uint64_t stream = 0, bool as_float = false) {
  std::vector<double> out(count);
  draw({.distribution = distribution, .seed = seed, .stream = stream, .as_float = as_float}, 0, out);
  return out;
}

// The distribution function of the standard form.
double below(Distribution distribution, double x) {
  switch (distribution) {
    case Distribution::kNormal: return 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2);
    case Distribution::kUniform: return x;
    case Distribution::kSymmetric: return 0.5 + 0.5 * x;
    case Distribution::kPositive: return std::erf(x * std::numbers::sqrt2 / 2);
    case Distribution::kHeavyTailed: {
      const double t = x / std::numbers::sqrt3;
      return 0.5 + (t / (1 + t * t) + std::atan(t)) / std::numbers::pi;
    }
  }
  return 0;
}

TEST(Distribution, NormalMomentsAreRight) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    double moments[4] = {};
    for (const double x : drawn(Distribution::kNormal, kMany, seed)) {
      double power = 1;
      for (double& moment : moments) moment += (power *= x) / kCount;
    }
    // Standard errors of the moments of N(0, 1): the variances of x, x², x³, x⁴.
    constexpr double kExpected[] = {0, 1, 0, 3}, kVariance[] = {1, 2, 15, 96};
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(moments[i], kExpected[i], 4 * std::sqrt(kVariance[i] / kCount)) << "moment " << i + 1;
    }
  }
}

TEST(Distribution, FactsAreThoseOfTheNumbers) {
  for (const DistributionFacts& facts : distributions()) {
    double sum = 0, squares = 0, sizes = 0;
    for (const double x : drawn(facts.id, kMany, 4)) {
      sum += x / kCount;
      squares += (x - facts.mean) * (x - facts.mean) / kCount;
      sizes += std::fabs(x) / kCount;
    }
    const double error = 5 * std::sqrt(facts.variance / kCount);
    EXPECT_NEAR(sum, facts.mean, error) << facts.name;
    EXPECT_NEAR(sizes, facts.mean_size, error) << facts.name;
    // Student's t has no fourth moment: its variance is not measured that closely.
    const bool heavy = facts.id == Distribution::kHeavyTailed;
    EXPECT_NEAR(squares, facts.variance, heavy ? 0.1 * facts.variance : 5 * std::sqrt(2 / kCount)) << facts.name;
    EXPECT_EQ(&facts_of(facts.id), &facts);
  }
}

// As often as theory says, within five standard deviations of a count; also one side alone.
TEST(Distribution, NormalTailsAreRight) {
  const std::vector<double> numbers = drawn(Distribution::kNormal, kMany, 5);
  for (const double limit : {1.0, 2.0, 3.0, 3.6, 3.66, 4.0, 4.5, 5.0}) {
    const double expected = kCount * std::erfc(limit / std::numbers::sqrt2) / 2;
    const auto above = std::ranges::count_if(numbers, [&](double x) { return x > limit; });
    const auto below_it = std::ranges::count_if(numbers, [&](double x) { return x < -limit; });
    EXPECT_NEAR(static_cast<double>(above), expected, 5 * std::sqrt(expected) + 1) << limit;
    EXPECT_NEAR(static_cast<double>(below_it), expected, 5 * std::sqrt(expected) + 1) << limit;
  }
}

TEST(Distribution, WholeDistributionsAreRight) {
  for (const DistributionFacts& facts : distributions()) {
    for (std::uint64_t seed = 6; seed <= 8; ++seed) {
      std::vector<double> numbers = drawn(facts.id, std::size_t{1} << 18, seed);
      std::sort(numbers.begin(), numbers.end());
      double distance = 0;  // of Kolmogorov and Smirnov
      const auto count = static_cast<double>(numbers.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double expected = below(facts.id, numbers[i]), rank = static_cast<double>(i);
        distance = std::max({distance, expected - rank / count, (rank + 1) / count - expected});
      }
      EXPECT_LT(distance * std::sqrt(count), 1.95) << facts.name << ", seed " << seed;  // exceeded once in 1,000
    }
  }
}

// Finer than that: the seams between layers, which have a width of some hundredths.
TEST(Distribution, NormalHistogramIsFlat) {
  constexpr std::size_t kBins = 1024;
  std::vector<double> counts(kBins);
  for (const double x : drawn(Distribution::kNormal, kMany, 9)) {
    const double place = below(Distribution::kNormal, x) * kBins;
    ++counts[std::min(kBins - 1, static_cast<std::size_t>(place))];
  }
  double chi = 0;
  const double expected = kCount / kBins;
  for (const double count : counts) chi += (count - expected) * (count - expected) / expected;
  EXPECT_NEAR(chi, kBins - 1, 4 * std::sqrt(2.0 * kBins));
}

double correlation(const std::vector<double>& a, std::size_t shift, const std::vector<double>& b,
                   const std::function<double(double)>& of) {
  double sum = 0;
  const std::size_t count = a.size() - shift;
  for (std::size_t i = 0; i < count; ++i) sum += of(a[i + shift]) * of(b[i]);
  return sum / std::sqrt(static_cast<double>(count));  // in standard errors, for functions of variance 1
}

TEST(Distribution, NeighboursStreamsAndSeedsAreIndependent) {
  constexpr std::size_t kSome = std::size_t{1} << 20;
  const std::vector<double> numbers = drawn(Distribution::kNormal, kSome, 10, 0);
  const auto itself = [](double x) { return x; };
  const auto size = [](double x) { return (x * x - 1) / std::numbers::sqrt2; };
  for (const std::size_t shift : {1U, 2U, 3U, 4U, 256U}) {
    EXPECT_LT(std::fabs(correlation(numbers, shift, numbers, itself)), 4) << shift;
    EXPECT_LT(std::fabs(correlation(numbers, shift, numbers, size)), 4) << shift;
  }
  for (const auto& other : {drawn(Distribution::kNormal, kSome, 10, 1), drawn(Distribution::kNormal, kSome, 11, 0),
                            drawn(Distribution::kNormal, kSome, 0, 10)}) {
    EXPECT_LT(std::fabs(correlation(numbers, 0, other, itself)), 4);
    EXPECT_LT(std::fabs(correlation(numbers, 0, other, size)), 4);
  }
}

TEST(Distribution, AnElementDependsOnItsIndexAlone) {
  for (const DistributionFacts& facts : distributions()) {
    constexpr std::size_t kSome = 20000;
    const std::vector<double> whole = drawn(facts.id, kSome, 12, 3, true);
    std::vector<double> pieces(kSome);
    const Draw how{.distribution = facts.id, .seed = 12, .stream = 3};
    for (std::size_t at = 0, size = 1; at < kSome; at += size, size = size % 700 + 13) {
      draw(how, at, std::span(pieces).subspan(at, std::min(size, kSome - at)));
    }
    EXPECT_EQ(pieces, whole) << facts.name;
    std::vector<double> threads(kSome);
    parallel_for(kSome / 100, 4, [&](std::size_t i) { draw(how, 100 * i, std::span(threads).subspan(100 * i, 100)); });
    EXPECT_EQ(threads, whole) << facts.name;
    std::vector<double> far(3);
    draw(how, (std::uint64_t{1} << 60) - 3, far);
    EXPECT_NE(far[0], whole[0]);
  }
}

TEST(Distribution, FloatsAreFloatsWithinTheirRange) {
  for (const DistributionFacts& facts : distributions()) {
    for (const double x : drawn(facts.id, kMany / 4, 13, 0, true)) {
      ASSERT_EQ(static_cast<double>(static_cast<float>(x)), x) << facts.name;
      ASSERT_TRUE(std::isfinite(x));
      ASSERT_GT(x, facts.id == Distribution::kUniform || facts.id == Distribution::kPositive ? 0
                   : facts.id == Distribution::kSymmetric                                    ? -1
                                                                                             : -1e6);
      ASSERT_LT(x, facts.id == Distribution::kUniform || facts.id == Distribution::kSymmetric ? 1 : 1e6);
    }
  }
}

TEST(Distribution, ShiftsAndScales) {
  std::vector<double> plain(1000), moved(1000);
  draw({.seed = 14, .as_float = false}, 5, plain);
  draw(Distribution::kNormal, 3, 0.02, 14, 0, 5, moved);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(moved[i], static_cast<double>(static_cast<float>(3 + 0.02 * plain[i])));
  }
}

// The same bits on every machine and with every instruction set, those of the slow path among them: 2^16 numbers meet
// it some 1,000 times, its tail some 17 times.
TEST(Distribution, BitsArePinned) {
  struct Pinned {
    Distribution distribution;
    double first[3];
    std::uint64_t digest;
  };
  const Pinned all[] = {
      {Distribution::kNormal, {-0x1.204b4aab547ecp+0, -0x1.726d730601de2p-1, 0x1.faf29f4c5a2a7p-1}, 0x063DCA1336588BA0},
      {Distribution::kUniform, {0x1.000d69ef5260dp-1, 0x1.cecfd4a06a2dp-5, 0x1.b33247a6aa59p-5}, 0xF9F73DFB5687B515},
      {Distribution::kSymmetric,
       {-0x1.1ef42b9ed16bp-4, -0x1.3df2642defef8p-3, 0x1.7cb65e2a350ep-5},
       0x5EABCFE5F49890CC},
      {Distribution::kPositive, {0x1.1c7ad6287ab3bp-1, 0x1.a0f4d6f2aa2dfp-4, 0x1.2a71d7cb5cf89p+0}, 0xF388E5866F376C8F},
      {Distribution::kHeavyTailed,
       {0x1.cc0361e504dd1p-1, -0x1.ade92ade94bdep-2, 0x1.1682b2e2a0905p-1},
       0xC9009DA3793E74B6},
  };
  test::for_each_target([&] {
    for (const Pinned& pinned : all) {
      const std::vector<double> numbers = drawn(pinned.distribution, std::size_t{1} << 16);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(numbers[i], pinned.first[i]) << facts_of(pinned.distribution).name;
      std::uint64_t digest = 0;
      for (const double x : numbers)
        digest = (std::rotl(digest, 5) ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15;
      EXPECT_EQ(digest, pinned.digest) << facts_of(pinned.distribution).name;
    }
  });
}

TEST(Distribution, NamesAreFound) {
  for (const DistributionFacts& facts : distributions()) {
    EXPECT_EQ(distribution_named(facts.name).value(), facts.id);
    for (const std::string& other : facts.also) EXPECT_EQ(distribution_named(other).value(), facts.id);
    EXPECT_FALSE(facts.title.en.empty() || facts.title.zh.empty());
  }
  EXPECT_EQ(distribution_named("Heavy_Tailed").value(), Distribution::kHeavyTailed);
  const auto wrong = distribution_named("normall");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kUsage);
  EXPECT_EQ(wrong.error().hint, "did you mean 'normal'?");
  EXPECT_EQ(distribution_named("cauchy-lorentz").error().hint,
            "there are normal uniform symmetric positive heavy-tailed");
}

}  // namespace
}  // namespace assay
