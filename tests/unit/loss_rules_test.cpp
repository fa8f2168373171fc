// What the rules about the loss say, and what they advise. Where they fire is tested by fixtures and by properties.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "measure/loss_events.h"
#include "measure/non_finite.h"
#include "measure/plateau.h"
#include "measure/swings.h"
#include "unit/support/loss_cases.h"

namespace assay {

namespace {

using test::actions_of;
using test::evidence_of;
using test::judge_completely;
using test::kAbsent;
using test::kInf;
using test::kNaN;
using test::MakeRun;
using test::norms;
using test::raise;
using test::Random;
using test::rule;
using test::say;
using test::trained;

TEST(LossSpike, BriefOneIsANoteUntilTheEvaluationMoves) {
  std::vector<double> loss = trained(200);
  loss[120] *= 1.3;
  std::vector<double> calm(200, kAbsent);
  std::vector<double> moved(200, kAbsent);
  for (std::size_t i = 19; i < 200; i += 20) {
    calm[i] = 3.1;
    moved[i] = i > 120 ? 3.4 : 3.1;
  }
  const Rule& spike = rule("loss-spike");
  auto found = judge_completely(spike, MakeRun().series("loss", loss).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  found = judge_completely(spike, MakeRun().series("loss", loss).series("eval_loss", calm).done());
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_NE(evidence_of(spike, found[0]).find("did not move"), std::string::npos);
  found = judge_completely(spike, MakeRun().series("loss", loss).series("eval_loss", moved).done());
  EXPECT_EQ(found[0].severity, Severity::kWarning);
}

TEST(LossSpike, ManyAreOneFindingWithTheWorstFirst) {
  std::vector<double> loss = trained(2000);
  for (const std::size_t at : {300U, 600U, 900U, 1200U}) loss[at] *= 1.25;
  loss[1500] *= 1.45;
  const auto found = judge_completely(rule("loss-spike"), MakeRun().series("loss", loss).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].where->steps, (StepRange{1501, 1501}));
  EXPECT_EQ(found[0].also.size(), 4U);
  EXPECT_NE(say(rule("loss-spike"), found[0].message).find("5 spikes"), std::string::npos);
}

TEST(LossSpike, GradNormThatLedIsTold) {
  std::vector<double> loss = trained(300);
  std::vector<double> norm = norms(300);
  raise(loss, 200, 210, 1.7);
  norm[197] = 1.2;
  norm[198] = 3;
  norm[199] = 20;
  raise(norm, 200, 210, 100);
  const Rule& spike = rule("loss-spike");
  const auto found = judge_completely(spike, MakeRun().series("loss", loss).series("grad_norm", norm).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(evidence_of(spike, found[0]).find("from step 198, 3 records before"), std::string::npos)
      << evidence_of(spike, found[0]);
}

TEST(LossSpike, SpikesAtEpochBordersAreTheDatas) {
  std::vector<double> loss = trained(1000);
  std::vector<double> epoch(1000);
  for (std::size_t i = 0; i < 1000; ++i) epoch[i] = static_cast<double>(i) / 100;
  for (std::size_t i = 200; i < 1000; i += 100) loss[i] *= 1.8;
  const auto found = judge_completely(rule("loss-spike"), MakeRun().series("loss", loss).series("epoch", epoch).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
}

TEST(LossSpike, LogThatEndsInOneIsAnErrorWithAWayBack) {
  std::vector<double> loss = trained(300);
  raise(loss, 295, 300, 2.5);
  const auto peak = static_cast<std::size_t>(std::max_element(loss.begin() + 295, loss.end()) - loss.begin());
  const Rule& spike = rule("loss-spike");
  const auto found = judge_completely(spike, MakeRun()
                                                 .steps(10, 10)
                                                 .series("loss", loss)
                                                 .event(EventKind::kCheckpointSaved, 2000)
                                                 .event(EventKind::kCheckpointSaved, 2900)
                                                 .done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].where->steps->first, 2960);
  EXPECT_EQ(found[0].where->steps->last, 2960 + 10 * static_cast<std::int64_t>(peak - 295)) << "no wider than the rise";
  EXPECT_NE(actions_of(spike, found[0]).find("checkpoint of step 2,000"), std::string::npos)
      << actions_of(spike, found[0]);
}

TEST(LossSpike, BriefOneThatTheGradientDoesNotAnswerIsANote) {
  std::vector<double> loss = trained(300);
  std::vector<double> norm = norms(300);
  loss[200] *= 1.7;
  const auto severity = [&] {
    const auto found =
        judge_completely(rule("loss-spike"), MakeRun().series("loss", loss).series("grad_norm", norm).done());
    return found.size() == 1 ? found[0].severity : Severity::kError;
  };
  EXPECT_EQ(severity(), Severity::kNote);
  norm[200] *= 10;
  EXPECT_EQ(severity(), Severity::kWarning);
}

TEST(LossSpike, TheTailOfItsOwnNoiseIsANote) {
  Random random(21);
  std::vector<double> loss(8000);
  for (double& x : loss) {
    double squares = 0;
    for (int k = 0; k < 3; ++k) squares += std::pow(random.gauss(), 2);
    x = 3 * (1 + 0.01 * random.gauss() / std::sqrt(squares / 3));  // Student's t with three degrees of freedom
  }
  auto found = judge_completely(rule("loss-spike"), MakeRun().series("loss", loss).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_NE(evidence_of(rule("loss-spike"), found[0]).find("heavy tail"), std::string::npos);
  loss[5000] = loss[5001] = 9;
  found = judge_completely(rule("loss-spike"), MakeRun().series("loss", loss).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning) << "one that stands alone";
}

TEST(LossSpike, OneRecordBeforeTheLastIsOver) {
  std::vector<double> loss = trained(300);
  loss[298] *= 1.3;
  const auto found = judge_completely(rule("loss-spike"), MakeRun().series("loss", loss).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].message.key, "one-record");
}

// 5 to 10 % above its level at the end: come back if it was much higher, else the level moved.
TEST(LossSpike, EndingALittleAboveTheLevelIsNoGap) {
  std::vector<double> spike = trained(400);
  for (std::size_t i = 250; i < 400; ++i) spike[i] *= 1.075 + 0.9 * std::exp(-static_cast<double>(i - 250) / 6);
  const assay::Run back = MakeRun().series("loss", spike).done();
  const auto found = judge_completely(rule("loss-spike"), back);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].message.key, "nearly");
  EXPECT_EQ(found[0].where->steps->first, 251);
  EXPECT_LT(found[0].where->steps->last, 260);
  EXPECT_TRUE(judge_completely(rule("loss-divergence"), back).empty());

  std::vector<double> step = trained(400);
  raise(step, 250, 400, 1.085);
  const assay::Run moved = MakeRun().series("loss", step).done();
  EXPECT_TRUE(judge_completely(rule("loss-spike"), moved).empty());
  const auto notes = judge_completely(rule("loss-divergence"), moved);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].severity, Severity::kNote);
  EXPECT_EQ(notes[0].message.key, "moved");
}

// A harder stage of data: a step of 15 % with a calm grad norm, from which the loss falls on.
TEST(LossDivergence, AHarderStageOfDataIsAWarningAtMost) {
  std::vector<double> loss = trained(600);
  std::vector<double> norm = norms(600);
  for (std::size_t i = 300; i < 600; ++i) loss[i] *= 1.15 - 0.0001 * static_cast<double>(i - 300);
  const Rule& divergence = rule("loss-divergence");
  auto found = judge_completely(divergence, MakeRun().series("loss", loss).series("grad_norm", norm).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].message.key, "moved");
  EXPECT_EQ(found[0].where->steps->first, 301);
  EXPECT_NE(actions_of(divergence, found[0]).find("changed at step 301"), std::string::npos);
  raise(norm, 298, 304, 30);
  found = judge_completely(divergence, MakeRun().series("loss", loss).series("grad_norm", norm).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError) << "the grad norm answered: not the data alone";
}

TEST(LossSpike, AStepThatTrainingMakesGoodIsNoSpike) {
  std::vector<double> loss = trained(900);
  for (std::size_t i = 300; i < 900; ++i) loss[i] *= 1.14 * std::exp(-static_cast<double>(i - 300) / 1500);
  const auto found = judge_completely(rule("loss-spike"), MakeRun().series("loss", loss).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].message.key, "stepped");
}

TEST(LossSpike, NothingToJudge) {
  Findings out;
  const Rule& spike = rule("loss-spike");
  spike.judge(MakeRun().series("grad_norm", norms(20)).done(), Parameters(spike.parameters, {}, spike.name), out);
  ASSERT_TRUE(out.reason());
  EXPECT_EQ(out.reason()->key, "no-loss");
}

// --- loss-divergence ---

TEST(LossDivergence, SkipCommandOfTheFramework) {
  std::vector<double> loss = trained(400);
  raise(loss, 300, 400, 1.9);
  std::vector<double> samples(400);
  for (std::size_t i = 0; i < 400; ++i) samples[i] = 64.0 * static_cast<double>(i + 1);
  const Rule& divergence = rule("loss-divergence");
  auto run = MakeRun().dialect("megatron").series("consumed_samples", samples).series("loss", loss);
  const auto found = judge_completely(divergence, run.done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].where->steps, (StepRange{301, 400}));
  const std::string todo = actions_of(divergence, found[0]);
  EXPECT_NE(todo.find("of step 201 or earlier (the trouble begins at step 301; 100 steps of margin)"),
            std::string::npos)
      << todo;
  EXPECT_NE(todo.find("--iterations-to-skip $(seq 301 500)"), std::string::npos) << todo;
  auto forked = MakeRun().dialect("megatron").series("consumed_tokens", samples).series("loss", loss).done();
  EXPECT_NE(
      actions_of(divergence, judge_completely(divergence, forked)[0]).find("--skip-train-iteration-range 301-500"),
      std::string::npos);
}

TEST(LossDivergence, RestartThatRepairsMakesItAWarning) {
  std::vector<double> bad = trained(300);
  raise(bad, 200, 300, 2);
  std::vector<double> good = trained(300, 3.1, 2.9);
  const auto found = judge_completely(rule("loss-divergence"),
                                      MakeRun().series("loss", bad).restart().steps(151).series("loss", good).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].where->segment, 0);
}

TEST(LossDivergence, AnotherRunInTheFileRepairsNothing) {
  std::vector<double> bad = trained(300);
  raise(bad, 200, 300, 2);
  const auto found = judge_completely(rule("loss-divergence"),
                                      MakeRun().series("loss", bad).restart().series("loss", trained(300)).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
}

TEST(LossDivergence, LossThatIsBackWhereItBeganPointsAtTheWeights) {
  std::vector<double> loss = trained(300);
  for (std::size_t i = 200; i < 300; ++i) loss[i] = 10.8;
  const Rule& divergence = rule("loss-divergence");
  const auto found = judge_completely(divergence, MakeRun().series("loss", loss).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(actions_of(divergence, found[0]).find("is where training began"), std::string::npos);
}

TEST(LossDivergence, BeginningsThatAreNotMeasuredAreNoFloor) {
  std::vector<double> zeros = trained(100);
  zeros[0] = zeros[1] = 0;
  std::vector<double> resumed(100, 2.1);
  resumed[0] = 0.02;
  for (const char* name : {"loss-divergence", "loss-spike", "initial-transient"}) {
    EXPECT_TRUE(judge_completely(rule(name), MakeRun().series("loss", zeros).done()).empty()) << name;
    EXPECT_TRUE(judge_completely(rule(name), MakeRun().steps(5000, 10).series("loss", resumed).done()).empty()) << name;
  }
}

TEST(LossDivergence, PolicyObjectivesMayRise) {
  Random random(5);
  std::vector<double> loss(400);
  for (std::size_t i = 0; i < 400; ++i) loss[i] = 1e-4 * static_cast<double>(i) + 0.002 * random.gauss();
  const assay::Run run = MakeRun().series("loss", loss).series("reward", trained(400, 0.1, 0.9)).done();
  EXPECT_TRUE(judge_completely(rule("loss-divergence"), run).empty());
}

TEST(LossDivergence, AdversariesAreNotJudged) {
  std::vector<double> loss = trained(300);
  raise(loss, 200, 300, 2);
  const assay::Run run = MakeRun().series("loss", loss).series("loss_G", loss).series("loss_D", loss).done();
  EXPECT_TRUE(judge_completely(rule("loss-divergence"), run).empty());
}

TEST(LossDivergence, ExplosionIntoEmptyCells) {
  std::vector<double> loss = trained(100, 0.6, 0.2);
  std::vector<double> rate(100);
  for (std::size_t i = 0; i < 100; ++i) rate[i] = 1e-3 * static_cast<double>(i);
  for (std::size_t i = 54; i < 57; ++i) loss[i] = std::pow(100.0, static_cast<double>(i - 53));
  for (std::size_t i = 57; i < 100; ++i) loss[i] = kAbsent;
  const assay::Run run = MakeRun().steps(0).series("loss", loss).series("learning_rate", rate).done();
  const auto found = judge_completely(rule("loss-divergence"), run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].where->steps, (StepRange{54, 56}));
  EXPECT_EQ(found[0].message.key, "explodes");
}

// --- initial-transient ---

TEST(InitialTransient, BumpOfTheFirstStepsIsNoDivergence) {
  std::vector<double> loss = trained(100);
  loss[1] = 24.7;
  loss[2] = 16;
  const assay::Run run = MakeRun().series("loss", loss).done();
  const auto found = judge_completely(rule("initial-transient"), run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].where->steps, (StepRange{2, 3}));
  EXPECT_TRUE(judge_completely(rule("loss-spike"), run).empty());
  EXPECT_TRUE(judge_completely(rule("loss-divergence"), run).empty());
}

// Fine-tuning hardly leaves its first level: late in a short run it is still no beginning.
TEST(InitialTransient, LateInAShortRunIsASpike) {
  std::vector<double> loss(60);
  for (std::size_t i = 0; i < loss.size(); ++i) loss[i] = 2.6 - 0.002 * static_cast<double>(i) + 0.02 * (i % 3 == 1);
  loss[42] = 6.5;
  loss[43] = 4.1;
  const assay::Run run = MakeRun().series("loss", loss).done();
  EXPECT_TRUE(judge_completely(rule("initial-transient"), run).empty());
  EXPECT_EQ(judge_completely(rule("loss-spike"), run).size(), 1U);
}

TEST(InitialTransient, ExcerptFromTheMiddleHasNone) {
  std::vector<double> loss(40, 2.77);
  raise(loss, 3, 6, 3);
  const assay::Run run = MakeRun().steps(29020, 10).series("loss", loss).done();
  EXPECT_TRUE(judge_completely(rule("initial-transient"), run).empty());
  EXPECT_EQ(judge_completely(rule("loss-spike"), run).size(), 1U);
}

// --- NaN ---

TEST(LossPlateau, StuckPretrainingAndFlatFineTuning) {
  const Rule& plateau = rule("loss-plateau");
  Random random(7);
  std::vector<double> stuck = random.gauss(220, 7.6, 0.02);
  stuck[0] = 7.7;
  const auto found = judge_completely(plateau, MakeRun().series("loss", stuck).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  const auto notes = judge_completely(plateau, MakeRun().series("loss", random.gauss(220, 2.05, 0.02)).done());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].severity, Severity::kNote);
  const std::vector<double> ten = random.gauss(220, std::log(10.0), 0.01);
  EXPECT_EQ(judge_completely(plateau, MakeRun().series("loss", ten).done())[0].severity, Severity::kNote)
      << "any loss is near the logarithm of some small number";
  const auto guess = judge_completely(plateau, MakeRun().setting("num_classes", "10").series("loss", ten).done());
  ASSERT_EQ(guess.size(), 1U);
  EXPECT_EQ(guess[0].severity, Severity::kWarning);
  EXPECT_TRUE(judge_completely(plateau, MakeRun().series("loss", trained(400)).done()).empty())
      << "a flat end is what training looks like";
}

TEST(LossPlateau, TheLevelTellsWhatTheModelKnows) {
  const Rule& plateau = rule("loss-plateau");
  const auto evidence = [&](double first, double level) {
    Random random(11);
    std::vector<double> loss = random.gauss(220, level, 0.005);
    loss[0] = first;
    const auto found = judge_completely(plateau, MakeRun().series("loss", loss).done());
    return found.size() == 1 ? evidence_of(plateau, found[0]) : std::string();
  };
  EXPECT_NE(evidence(10.9, std::log(50257.0)).find("uniform guess over 50,257 tokens"), std::string::npos);
  EXPECT_NE(evidence(10.4, std::log(32000.0)).find("uniform guess over 32,000 tokens"), std::string::npos);
  EXPECT_NE(evidence(10.9, 7.6).find("how frequent each token is"), std::string::npos);
  EXPECT_EQ(evidence(10.9, 8.9).find("guess"), std::string::npos);
}

TEST(LossPlateau, AFewRecordsThatAreAllEqual) {
  const Rule& plateau = rule("loss-plateau");
  const auto count = [&](const std::vector<double>& loss) {
    return judge_completely(plateau, MakeRun().steps(40, 1).series("loss", loss).done()).size();
  };
  EXPECT_EQ(count(std::vector<double>(6, 10.8259)), 1U) << "ln 50,304";
  EXPECT_EQ(count(std::vector<double>(4, 10.8259)), 0U);
  EXPECT_EQ(count(std::vector<double>(6, 10.83)), 0U) << "two decimals repeat themselves";
  EXPECT_EQ(count(std::vector<double>(6, 1.8259)), 0U);
  EXPECT_EQ(count({3.14, 2.93, 2.96, 3.325, 3.323, 3.324, 3.321, 3.322}), 1U) << "collapsed to one answer";
  EXPECT_EQ(count({3.14, 2.93, 2.96, 2.905, 2.903, 2.904, 2.901, 2.902}), 0U) << "the calm end of a fall";
}

TEST(LossPlateau, NoiseThatHidesProgressIsNotCalledFlat) {
  Random random(8);
  std::vector<double> loss = random.gauss(40, 6.0, 0.9);
  EXPECT_TRUE(judge_completely(rule("loss-plateau"), MakeRun().series("loss", loss).done()).empty());
}

TEST(LossOscillation, SwingsThatGrewOutOfACalmLoss) {
  Random random(9);
  std::vector<double> loss = trained(400);
  for (std::size_t i = 250; i < 400; ++i)
    loss[i] *= std::exp((i % 2 == 0 ? 0.3 : -0.15) * (0.6 + 0.8 * random.uniform()));
  const auto found = judge_completely(rule("loss-oscillation"), MakeRun().series("loss", loss).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(static_cast<double>(found[0].where->steps->first), 250, 40);
}

TEST(LossOscillation, ShortLogsTellItToo) {
  std::size_t found = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::vector<double> loss = trained(80, 10.8, 3.0, seed + 1);
    EXPECT_TRUE(judge_completely(rule("loss-oscillation"), MakeRun().series("loss", loss).done()).empty()) << seed;
    for (std::size_t i = 44; i < 80; ++i)
      loss[i] *= std::exp((i % 2 == 0 ? 0.3 : -0.15) * (0.6 + 0.8 * random.uniform()));
    found += judge_completely(rule("loss-oscillation"), MakeRun().series("loss", loss).done()).size();
  }
  EXPECT_GE(found, 18U);
}

TEST(LossOscillation, SortedBatchesAreANote) {
  std::vector<double> loss = trained(600);
  for (std::size_t i = 300; i < 600; ++i) loss[i] *= 1 + 0.5 * static_cast<double>(i % 10) / 10;
  for (const Finding& one : judge_completely(rule("loss-oscillation"), MakeRun().series("loss", loss).done())) {
    EXPECT_EQ(one.severity, Severity::kNote);
  }
}

TEST(Overfit, ScissorsOfTheLosses) {
  std::vector<double> loss = trained(400, 2.5, 0.5);
  std::vector<double> eval(400, kAbsent);
  for (std::size_t i = 19; i < 400; i += 20) {
    const double x = static_cast<double>(i);
    loss[i] *= 1;
    eval[i] = 1.0 + std::exp(-x / 40) + (x > 160 ? 0.002 * (x - 160) : 0.0);
  }
  for (std::size_t i = 0; i < 400; ++i) loss[i] *= std::exp(-static_cast<double>(i) / 400);
  const Rule& overfit = rule("overfit");
  const auto found = judge_completely(
      overfit, MakeRun().series("loss", loss).series("eval_loss", eval).event(EventKind::kCheckpointSaved, 150).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].where->steps->first, 160);
  EXPECT_NE(actions_of(overfit, found[0]).find("checkpoint of step 150"), std::string::npos);
  const assay::Run flat = MakeRun().series("loss", std::vector<double>(400, 2.0)).series("eval_loss", eval).done();
  EXPECT_TRUE(judge_completely(overfit, flat).empty()) << "the training loss does not fall: no overfitting";
}

TEST(Overfit, FourEvaluationsTellItWhereTheScissorsOpenWidely) {
  const Rule& overfit = rule("overfit");
  const auto count = [&](const std::vector<double>& train, const std::vector<double>& eval) {
    return judge_completely(overfit, MakeRun().series("loss", train).series("eval_loss", eval).done()).size();
  };
  EXPECT_EQ(count({2.0, 1.8, 1.1, 0.6}, {2.5, 2.2, 2.35, 2.6}), 1U);
  EXPECT_EQ(count({2.0, 1.8, 1.7, 1.6}, {2.5, 2.2, 2.35, 2.6}), 0U) << "the training loss hardly falls";
  EXPECT_EQ(count({2.0, 1.8, 1.1, 0.6}, {2.5, 2.2, 2.24, 2.3}), 0U) << "less than a tenth";
  EXPECT_EQ(count({2.0, 1.8, 1.1, 0.6}, {2.5, 2.3, 2.2, 2.6}), 0U) << "one worse evaluation is chance";
}

TEST(Memorization, WithoutAnEvaluationOnlyWhenNothingIsLeft) {
  std::vector<double> loss(240);
  std::vector<double> epoch(240);
  for (std::size_t i = 0; i < 240; ++i) {
    epoch[i] = static_cast<double>(i) / 40;
    loss[i] = 1.2 * std::pow(0.65, std::floor(epoch[i]));  // 0.14 in the last epoch
  }
  const auto found =
      judge_completely(rule("memorization"), MakeRun().series("loss", loss).series("epoch", epoch).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
}

TEST(Memorization, ByHeartUnlessTheEvaluationKeepsUp) {
  std::vector<double> loss(480);
  std::vector<double> epoch(480);
  std::vector<double> eval(480, kAbsent);
  for (std::size_t i = 0; i < 480; ++i) {
    epoch[i] = static_cast<double>(i) / 40;
    loss[i] = 2.1 * std::exp(-0.33 * std::floor(epoch[i]));
    if (i % 40 == 39) eval[i] = 0.1 + std::exp(-epoch[i] / 4);
  }
  const Rule& by_heart = rule("memorization");
  auto found = judge_completely(by_heart, MakeRun().series("loss", loss).series("epoch", epoch).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_NE(actions_of(by_heart, found[0]).find("stop before epoch 3 next time"), std::string::npos)
      << actions_of(by_heart, found[0]);
  found = judge_completely(by_heart,
                           MakeRun().series("loss", loss).series("epoch", epoch).series("eval_loss", eval).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
}

}  // namespace

}  // namespace assay
