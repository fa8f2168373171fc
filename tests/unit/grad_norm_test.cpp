// Grad norms: healthy ones of many shapes raise no alarm, planted events are found where they are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit/stat_random.h"
#include "unit/support/complete.h"
#include "unit/support/make_run.h"

namespace assay {

extern const Rule kGradNormSpike;
extern const Rule kClipAlwaysActive;
extern const Rule kClipNeverActive;
extern const Rule kGradNormHigh;
extern const Rule kGradNormVanished;

namespace {

using test::kAbsent;
using test::MakeRun;
using TrainingRun = Run;  // inside a test, Run is a member of testing::Test

struct Norms {
  std::vector<double> norm;
  std::vector<double> loss;
};

double rounded(double value, int decimals) {
  const double unit = std::pow(10.0, -decimals);
  return std::round(value / unit) * unit;
}

// A norm that starts high, falls in the warm-up and drifts slowly; heavy-tailed as real ones are.
Norms healthy(test::Random& random, std::size_t n) {
  Norms out;
  const double level = std::exp(random.gauss());
  const double start = 1 + 60 * random.uniform();
  const double warm_up = 0.01 + 0.04 * random.uniform();
  const double drift = 0.8 * random.uniform() - 0.4;
  const double sigma = 0.03 + 0.22 * random.uniform();
  const int decimals = 2 + static_cast<int>(random.below(3));
  const double slow = 0.2 * random.uniform();
  double wander = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(n);
    wander = 0.95 * wander + 0.05 * slow * random.gauss() * 6;
    double value =
        level * (1 + (start - 1) * std::exp(-t / warm_up)) * std::exp(drift * t + sigma * random.gauss() + wander);
    if (random.uniform() < 0.002) value *= 2 + 3 * random.uniform();  // a batch of another kind
    out.norm.push_back(std::max(rounded(value, decimals), std::pow(10.0, -decimals)));
    out.loss.push_back(2.5 + 6 * std::exp(-8 * t) + 0.03 * random.gauss());
  }
  return out;
}

TrainingRun run_of(const Norms& norms, std::int64_t every = 1) {
  return MakeRun().steps(every, every).series("loss", norms.loss).series("grad_norm", norms.norm).done();
}

bool loud(const std::vector<Finding>& found) {
  return std::any_of(found.begin(), found.end(), [](const Finding& f) { return f.severity != Severity::kNote; });
}

TEST(GradNorm, HealthyShapesRaiseNoAlarm) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    const std::size_t n = 3 + random.below(seed % 4 == 0 ? 40 : 3000);
    const TrainingRun run = run_of(healthy(random, n));
    for (const Rule* rule : {&kGradNormSpike, &kGradNormHigh, &kGradNormVanished}) {
      const auto found = test::judge_completely(*rule, run);
      EXPECT_FALSE(loud(found)) << rule->name << " seed " << seed << " n " << n << ": "
                                << (found.empty() ? "" : test::say(*rule, found[0].message));
    }
  }
}

TEST(GradNorm, PlantedEventIsFoundWhereItIs) {
  int exact = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    const std::size_t n = 400 + random.below(2000);
    Norms norms = healthy(random, n);
    const std::size_t at = n / 3 + random.below(n / 3);
    const std::size_t length = 4 + random.below(20);
    const double factor = 10 * std::exp(4 * random.uniform());
    for (std::size_t i = at; i < at + length; ++i) norms.norm[i] *= factor;
    const auto found = test::judge_completely(kGradNormSpike, run_of(norms));
    ASSERT_EQ(found.size(), 1U) << seed;
    EXPECT_EQ(found[0].severity, Severity::kWarning) << seed;
    const StepRange where = *found[0].where->steps;
    exact += where.first == static_cast<std::int64_t>(at) + 1 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(where.first), static_cast<double>(at + 1), 10) << seed;
    EXPECT_NEAR(static_cast<double>(where.last), static_cast<double>(at + length), 3) << seed;
    EXPECT_FALSE(found[0].actions.empty());
    EXPECT_FALSE(loud(test::judge_completely(kGradNormHigh, run_of(norms)))) << seed;
  }
  EXPECT_GE(exact, 180);  // a norm that happens to climb just before belongs to the event for all that one can tell
}

TEST(GradNorm, OneRecordIsANoteUntilTheLossStaysUp) {
  test::Random random(5);
  Norms norms = healthy(random, 1000);
  norms.norm[700] *= 20;
  auto found = test::judge_completely(kGradNormSpike, run_of(norms));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  norms.loss[701] += 2;  // answers and forgets
  found = test::judge_completely(kGradNormSpike, run_of(norms));
  EXPECT_EQ(found[0].severity, Severity::kNote);
  for (std::size_t i = 701; i < 760; ++i) norms.loss[i] += 2;
  found = test::judge_completely(kGradNormSpike, run_of(norms));
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(*found[0].where->steps, (StepRange{701, 701}));
  EXPECT_EQ(found[0].evidence.size(), 2U);
}

TEST(GradNorm, ManyEventsAreOneFinding) {
  test::Random random(6);
  Norms norms = healthy(random, 2000);
  for (const std::size_t at : {600U, 900U, 1300U}) {
    for (std::size_t i = at; i < at + 5; ++i) norms.norm[i] *= at == 900 ? 300 : 30;
  }
  const auto found = test::judge_completely(kGradNormSpike, run_of(norms));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(*found[0].where->steps, (StepRange{901, 905}));
  EXPECT_EQ(found[0].also.size(), 2U);
}

TEST(GradNorm, QuietNormsOfTwoDecimalsAreNotSpikes) {
  // The MAD of such a series is 0: every change is infinitely many sigma.
  std::vector<double> norm(500, 0.27);
  for (std::size_t i = 0; i < 500; i += 7) norm[i] = 0.28;
  norm[300] = 0.9;
  EXPECT_TRUE(test::judge_completely(kGradNormSpike, MakeRun().series("grad_norm", norm).done()).empty());
}

TEST(GradNorm, TheFirstRecordsOfARunAreNoLevelToRiseFrom) {
  for (const std::size_t tiny : {1U, 3U, 10U}) {  // a policy objective around zero, adapters that start at nothing
    test::Random random(tiny);
    Norms run;
    for (std::size_t i = 0; i < 200; ++i) {
      run.norm.push_back(i < tiny ? 1e-4 : 0.5 * std::exp(0.2 * random.gauss()));
      run.loss.push_back(0.003 * random.gauss());
    }
    EXPECT_FALSE(loud(test::judge_completely(kGradNormSpike, run_of(run)))) << tiny;
    EXPECT_FALSE(loud(test::judge_completely(kGradNormHigh, run_of(run)))) << tiny;
  }
}

TEST(GradNorm, ExcerptsOfAFewRecords) {
  auto found = test::judge_completely(
      kGradNormSpike,
      MakeRun().steps(11446).series("loss", {3.063, 3.114, 7.712}).series("grad_norm", {0.1976, 4.007, 3.886}).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(*found[0].where->steps, (StepRange{11447, 11448}));
  EXPECT_LE(found[0].confidence, 0.6);
  found = test::judge_completely(kGradNormSpike, MakeRun()
                                                     .steps({8738, 8739, 8740, 8741, 8742, 8743, 9026})
                                                     .series("loss", {3.32, 3.42, 3.68, 7.27, 4.13, 7.6, 7.02})
                                                     .series("grad_norm", {3.54, 1.37, 22.7, 50.0, 28.1, 20.9, 1.26})
                                                     .done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(*found[0].where->steps, (StepRange{8740, 8743}));
  EXPECT_TRUE(
      test::judge_completely(kGradNormSpike, MakeRun().series("grad_norm", {71, 44, 20, 8, 9, 7}).done()).empty());
}

TEST(GradNorm, LastingRiseIsHigh) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    test::Random random(seed);
    const std::size_t n = 300 + random.below(1000);
    Norms norms = healthy(random, n);
    const std::size_t at = n / 3 + random.below(n / 4);
    const double factor = 15 + 100 * random.uniform();
    const bool jump = seed % 2 == 0;
    const double ramp = 0.2 * static_cast<double>(n);
    for (std::size_t i = at; i < n; ++i) {
      const double share = jump ? 1 : std::min(1.0, static_cast<double>(i - at) / ramp);
      norms.norm[i] *= std::pow(factor, share);
    }
    const auto found = test::judge_completely(kGradNormHigh, run_of(norms));
    ASSERT_EQ(found.size(), 1U) << seed;
    EXPECT_EQ(found[0].severity, Severity::kWarning) << seed;
    EXPECT_EQ(found[0].message.key, "risen");
    EXPECT_EQ(found[0].where->steps->last, static_cast<std::int64_t>(n));
    EXPECT_NEAR(static_cast<double>(found[0].where->steps->first), static_cast<double>(at + 1),
                0.1 * static_cast<double>(n))
        << seed;
  }
}

TEST(GradNorm, HeavyTailIsWild) {
  test::Random random(9);
  Norms norms = healthy(random, 1000);
  for (double& value : norms.norm) value *= std::exp(2.0 * random.gauss());
  const auto found = test::judge_completely(kGradNormHigh, run_of(norms));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message.key, "heavy-tail");
  EXPECT_EQ(found[0].severity, Severity::kWarning);
}

TEST(GradNorm, AboveTheThresholdIsANote) {
  std::vector<double> norm(50, 8.3);
  for (std::size_t i = 0; i < norm.size(); i += 2) norm[i] = 8.1;
  auto found = test::judge_completely(kClipAlwaysActive, MakeRun().series("grad_norm", norm).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].message.key, "usual");
  found =
      test::judge_completely(kClipAlwaysActive, MakeRun().setting("clip_norm", "1.0").series("grad_norm", norm).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message.key, "always");
  EXPECT_TRUE(
      test::judge_completely(kClipAlwaysActive, MakeRun().setting("clip_norm", "10").series("grad_norm", norm).done())
          .empty());
  EXPECT_TRUE(test::judge_completely(kGradNormHigh, MakeRun().series("grad_norm", norm).done()).empty());
  const auto never =
      MakeRun().series("grad_norm", {7.8, 14.3, 17.8, 20.8, 23.2}).series("clip_fraction", {0, 0, 0, 0, 0}).done();
  EXPECT_TRUE(test::judge_completely(kClipAlwaysActive, never).empty());
  found = test::judge_completely(kClipNeverActive, never);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message.key, "told");
}

TEST(GradNorm, VanishedNeedsAStillLoss) {
  test::Random random(2);
  Norms norms = healthy(random, 600);
  for (std::size_t i = 300; i < 600; ++i) norms.norm[i] = 0;
  TrainingRun run = run_of(norms);
  EXPECT_EQ(test::judge_completely(kGradNormVanished, run).size(), 1U);
  for (std::size_t i = 300; i < 600; ++i) norms.loss[i] -= 0.004 * static_cast<double>(i - 300);
  EXPECT_TRUE(test::judge_completely(kGradNormVanished, run_of(norms)).empty()) << "a loss that falls has gradients";
  for (std::size_t i = 300; i < 600; ++i) norms.loss[i] = 2.5 + 0.03 * random.gauss();
  const auto found = test::judge_completely(kGradNormVanished, run_of(norms));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(*found[0].where->steps, (StepRange{301, 600}));
  EXPECT_FALSE(found[0].actions.empty());
}

TEST(GradNorm, SkippedStepsWithANormOfZeroAreNotDead) {
  test::Random random(3);
  Norms norms = healthy(random, 600);
  for (std::size_t i = 100; i < 600; i += 9) norms.norm[i] = 0;
  EXPECT_TRUE(test::judge_completely(kGradNormVanished, run_of(norms)).empty());
}

TEST(GradNorm, NonFiniteValuesAreLeftToOthers) {
  test::Random random(4);
  Norms norms = healthy(random, 600);
  for (std::size_t i = 300; i < 330; ++i) norms.norm[i] = i % 2 == 0 ? std::nan("") : INFINITY;
  const TrainingRun run = run_of(norms);
  for (const Rule* rule : {&kGradNormSpike, &kGradNormHigh, &kGradNormVanished}) {
    EXPECT_FALSE(loud(test::judge_completely(*rule, run))) << rule->name;
  }
}

TEST(GradNorm, WithoutANormNothingIsSaid) {
  const TrainingRun run = MakeRun().series("loss", {3, 3, 3}).done();
  for (const Rule* rule : {&kGradNormSpike, &kGradNormHigh, &kGradNormVanished}) {
    Findings out;
    rule->judge(run, Parameters(rule->parameters, {}, rule->name), out);
    EXPECT_TRUE(out.found().empty());
    ASSERT_TRUE(out.reason().has_value());
    EXPECT_EQ(out.reason()->key, "no-norm");
  }
}

}  // namespace
}  // namespace assay
