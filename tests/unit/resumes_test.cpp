// A restart is judged by what it does to the loss.

#include "measure/resumes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "measure/loss_events.h"
#include "unit/support/loss_cases.h"

namespace assay {

namespace {

using test::actions_of;
using test::judge_completely;
using test::MakeRun;
using test::raise;
using test::Random;
using test::rule;
using test::say;
using test::trained;

// A pre-training run of 400 records that falls slowly, and the part of it from record `from` on with other noise.
std::vector<double> falling(std::size_t from, std::size_t to, unsigned long long seed, double noise = 0.01) {
  Random random(seed);
  std::vector<double> out;
  for (std::size_t i = from; i < to; ++i) {
    const double level = 2.6 + 8.2 * std::pow(1 + static_cast<double>(i) / 20, -0.8);
    out.push_back(level * (1 + noise * random.gauss()));
  }
  return out;
}

constexpr std::size_t kFrom = 300;

// 400 records, then on from record 300 to record 800 with this excess over the healthy curve.
template <class Factor>
assay::Run resumed(Factor factor, unsigned long long seed, double noise = 0.01, std::size_t to = 800) {
  std::vector<double> after = falling(kFrom, to, seed + 100, noise);
  for (std::size_t i = 0; i < after.size(); ++i) after[i] *= factor(static_cast<double>(i));
  return MakeRun()
      .series("loss", falling(0, 400, seed, noise))
      .restart()
      .steps(static_cast<std::int64_t>(kFrom) + 1)
      .series("loss", std::move(after))
      .done();
}

Finding restart_of(const assay::Run& run) {
  const auto found = judge_completely(rule("run-restarted"), run);
  EXPECT_EQ(found.size(), 1U);
  return found.empty() ? Finding{} : found.front();
}

void expect_silent(const char* name, const assay::Run& run) {
  EXPECT_TRUE(judge_completely(rule(name), run).empty()) << name;
}

TEST(Resumes, LossThatGoesOnIsANote) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const assay::Run run = resumed([](double) { return 1.0; }, seed, 0.002 + 0.001 * seed);
    const Finding finding = restart_of(run);
    EXPECT_EQ(finding.severity, Severity::kNote) << seed;
    EXPECT_EQ(finding.message.key, "goes-on-same") << seed;
    EXPECT_TRUE(finding.actions.empty());
    expect_silent("loss-spike", run);
    expect_silent("loss-divergence", run);
  }
}

TEST(Resumes, OptimizerStateThatWasLostIsAWarning) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const assay::Run run = resumed([](double i) { return 1 + 0.4 * std::exp(-i / 90); }, seed);
    const Finding finding = restart_of(run);
    EXPECT_EQ(finding.severity, Severity::kWarning) << seed;
    EXPECT_EQ(finding.message.key, "higher-back-same") << seed;
    EXPECT_NE(say(rule("run-restarted"), finding.message).find("at the same steps"), std::string::npos);
    EXPECT_NE(actions_of(rule("run-restarted"), finding).find("optimizer state"), std::string::npos);
    expect_silent("loss-spike", run);
    expect_silent("loss-divergence", run);
  }
}

TEST(Resumes, BumpThatIsGoneSoonIsANote) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const assay::Run run = resumed([](double i) { return 1 + 0.25 * std::exp(-i / 8); }, seed);
    const Finding finding = restart_of(run);
    EXPECT_EQ(finding.severity, Severity::kNote) << seed;
    EXPECT_EQ(finding.message.key, "higher-back-same") << seed;
    expect_silent("loss-spike", run);
    expect_silent("loss-divergence", run);
  }
}

TEST(Resumes, LevelThatStaysUpIsAnErrorAndTheCauseOfTheDivergence) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const assay::Run run = resumed([](double) { return 1.6; }, seed, 0.01, 500);
    const Finding finding = restart_of(run);
    EXPECT_EQ(finding.severity, Severity::kError) << seed;
    EXPECT_EQ(finding.message.key, "higher-lasting-same") << seed;
    const auto divergence = judge_completely(rule("loss-divergence"), run);
    ASSERT_EQ(divergence.size(), 1U) << seed;
    EXPECT_EQ(divergence[0].where->steps->first, 301) << seed;
    EXPECT_EQ(divergence[0].because_of, std::vector<std::string>{"run-restarted@train.log"});
    const std::string todo = actions_of(rule("loss-divergence"), divergence[0]);
    EXPECT_NE(todo.find("came with the restart"), std::string::npos) << todo;
    EXPECT_EQ(todo.find("skip"), std::string::npos) << todo;
  }
}

TEST(Resumes, LossOfRandomWeightsIsToldAsSuch) {
  std::vector<double> again = falling(0, 300, 7);
  const assay::Run run = MakeRun().series("loss", falling(0, 400, 1)).restart().steps(301).series("loss", again).done();
  const Finding finding = restart_of(run);
  EXPECT_EQ(finding.severity, Severity::kError);
  EXPECT_EQ(finding.message.key, "from-start");
  const std::string todo = actions_of(rule("run-restarted"), finding);
  EXPECT_NE(todo.find("--load"), std::string::npos) << todo;
  EXPECT_EQ(todo.find("skip"), std::string::npos) << todo;
}

TEST(Resumes, LowerLossThatRisesAgainHasReadItsDataTwice) {
  const assay::Run repeated = resumed([](double i) { return i < 120 ? 0.8 : 1.0; }, 3);
  Finding finding = restart_of(repeated);
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_EQ(finding.message.key, "lower-rises-same");
  EXPECT_NE(actions_of(rule("run-restarted"), finding).find("sampler"), std::string::npos);
  finding = restart_of(resumed([](double) { return 0.8; }, 3));
  EXPECT_EQ(finding.severity, Severity::kNote) << "lower for good is no harm";
  EXPECT_EQ(finding.message.key, "lower-same");
}

TEST(Resumes, AnotherRestartThatRepairsMakesItAWarning) {
  std::vector<double> bad = falling(kFrom, 360, 5);
  raise(bad, 0, bad.size(), 1.7);
  const assay::Run run = MakeRun()
                             .series("loss", falling(0, 400, 1))
                             .restart()
                             .steps(301)
                             .series("loss", bad)
                             .restart()
                             .steps(301)
                             .series("loss", falling(kFrom, 700, 6))
                             .done();
  const Finding finding = restart_of(run);
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_EQ(finding.message.key, "higher-repaired-same");
  EXPECT_EQ(finding.also.size(), 1U);
}

TEST(Resumes, GoingBackBehindADivergenceGoesOn) {
  std::vector<double> bad = trained(300);
  raise(bad, 200, 300, 2);
  const assay::Run run =
      MakeRun().series("loss", bad).restart().steps(197).series("loss", trained(300, 3.0, 3.0)).done();
  const Finding finding = restart_of(run);
  EXPECT_EQ(finding.severity, Severity::kNote);
  EXPECT_EQ(finding.message.key, "goes-on");
  EXPECT_TRUE(finding.actions.empty());
}

TEST(Resumes, CheckpointLoadedWithinASegmentIsCompared) {
  std::vector<double> loss = falling(0, 600, 2);
  raise(loss, 300, 600, 1.5);
  const assay::Run run =
      MakeRun().series("loss", loss).event(EventKind::kCheckpointLoaded, 301, "loading checkpoint from …").done();
  const Finding finding = restart_of(run);
  EXPECT_EQ(finding.message.key, "higher-lasting");
  EXPECT_EQ(finding.severity, Severity::kError);
}

TEST(Resumes, ALearningRateThatBeginsAnewIsShown) {
  std::vector<double> after = falling(kFrom, 800, 4);
  for (std::size_t i = 0; i < after.size(); ++i) after[i] *= 1 + 0.4 * std::exp(-static_cast<double>(i) / 90);
  std::vector<double> warm_up(after.size(), 3e-4);
  for (std::size_t i = 0; i < 50; ++i) warm_up[i] = 6e-6 * static_cast<double>(i + 1);
  const assay::Run run = MakeRun()
                             .series("loss", falling(0, 400, 1))
                             .series("learning_rate", std::vector<double>(400, 3e-4))
                             .restart()
                             .steps(301)
                             .series("loss", after)
                             .series("learning_rate", warm_up)
                             .done();
  const Finding finding = restart_of(run);
  EXPECT_NE(test::evidence_of(rule("run-restarted"), finding).find("learning rate at step 301: 3.0e-4 before"),
            std::string::npos)
      << test::evidence_of(rule("run-restarted"), finding);
}

TEST(Resumes, FewRecordsTellNothing) {
  const assay::Run run = resumed([](double) { return 1.6; }, 1, 0.01, kFrom + 2);
  const Finding finding = restart_of(run);
  EXPECT_EQ(finding.severity, Severity::kNote);
  EXPECT_EQ(finding.message.key, "restart");
}

TEST(Resumes, PolicyObjectivesAreOnlyTold) {
  Random random(9);
  std::vector<double> first = random.gauss(100, 0, 0.01);
  std::vector<double> second = random.gauss(100, 0.2, 0.01);
  const assay::Run run =
      MakeRun().kind(TrainingKind::kPreference).series("loss", first).restart().steps(61).series("loss", second).done();
  EXPECT_EQ(restart_of(run).severity, Severity::kNote);
}

TEST(Resumes, ValuesBeforeFollowTheRunAndNotTheFile) {
  const assay::Run run = MakeRun()
                             .series("loss", {9, 8, 7, 6, 5})
                             .restart()
                             .steps(61)
                             .series("loss", {4, 3})
                             .restart()
                             .steps(4)
                             .series("loss", {1, 1})
                             .done();
  EXPECT_TRUE(values_before(run, 0, "loss").empty());
  EXPECT_EQ(values_before(run, 1, "loss"), (std::vector<double>{9, 8, 7, 6, 5}));
  EXPECT_FALSE(continues(run, 0));
  EXPECT_TRUE(continues(run, 1));
}

TEST(LossEvents, AnEventThatWasOpenWhenTheRunStoppedIsOne) {
  std::vector<double> first = trained(300);
  raise(first, 280, 300, 1.8);
  std::vector<double> second = trained(300, 3.0, 3.0);
  raise(second, 0, 300, 1.8);
  const assay::Run run = MakeRun().series("loss", first).restart().steps(291).series("loss", second).done();
  EXPECT_EQ(loss_events(run, {}).size(), 1U);
}

}  // namespace

}  // namespace assay
