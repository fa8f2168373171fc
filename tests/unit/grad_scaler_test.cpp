// Loss scale and skipped steps: the measures against a simulated scaler whose truth is known, and the three rules.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "measure/scaler.h"
#include "measure/skips.h"
#include "unit/stat_random.h"
#include "unit/support/complete.h"
#include "unit/support/make_run.h"

namespace assay {

extern const Rule kLossScaleCollapse;
extern const Rule kLossScaleDrop;
extern const Rule kOverflowSkips;

namespace {

using test::kAbsent;
using test::MakeRun;

// A dynamic scaler as frameworks have it, with the truth of what it did.
struct Simulated {
  std::vector<double> scale;    // after each step
  std::vector<double> skipped;  // 1 where the step was skipped
};

struct Scaler {
  double initial = 65536;
  int window = 1000;
  double working = 32768;  // a step overflows above it
};

Simulated simulate(const Scaler& set, std::size_t steps, test::Random& random, double chance = 0) {
  Simulated out;
  double scale = set.initial;
  int good = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    // The limit wanders by a factor of two: gradients are not the same each step.
    const double limit = set.working * std::exp2(0.3 * random.gauss());
    const bool overflow = scale > limit || random.uniform() < chance;
    if (overflow) {
      scale /= 2;
      good = 0;
    } else if (++good == set.window) {
      scale *= 2;
      good = 0;
    }
    out.scale.push_back(scale);
    out.skipped.push_back(overflow ? 1 : 0);
  }
  return out;
}

// One record in `every` steps: the scale at its end, the skips since the record before.
Run logged(const Simulated& truth, std::int64_t every, bool with_counter = true) {
  std::vector<double> scale, skipped, loss;
  double count = 0;
  for (std::size_t i = 0; i < truth.scale.size(); ++i) {
    count += truth.skipped[i];
    if ((i + 1) % static_cast<std::size_t>(every) != 0) continue;
    scale.push_back(truth.scale[i]);
    skipped.push_back(count);
    loss.push_back(3 - 1e-4 * static_cast<double>(i));
    count = 0;
  }
  MakeRun make;
  make.steps(every, every).series("loss", loss).series("loss_scale", scale);
  if (with_counter) make.series("skipped_steps", skipped);
  assay::Run run = make.done();
  for (Series& series : run.segments[0].series) {
    if (series.metric == "skipped_steps") series.printed_as = "number of skipped iterations";
  }
  return run;
}

Event overflow(std::int64_t line, double before, double after, const std::string& rank = "0") {
  Event event;
  event.kind = EventKind::kOverflow;
  event.before = before;
  event.after = after;
  event.text = "OVERFLOW! Rank " + rank + " Skipping step.";
  event.line = line;
  event.segment = 0;
  return event;
}

std::int64_t true_skips(const Simulated& truth) {
  return static_cast<std::int64_t>(std::count(truth.skipped.begin(), truth.skipped.end(), 1.0));
}

bool loud(const std::vector<Finding>& found) {
  return std::any_of(found.begin(), found.end(), [](const Finding& f) { return f.severity != Severity::kNote; });
}

TEST(GradScaler, AScalePrintedAsZeroIsStillLow) {
  std::vector<double> scale(20, 4.0);
  for (const double next : {2.0, 1.0, 0.5, 0.2, 0.1}) scale.push_back(next);  // as printed with one decimal
  scale.resize(160, 0.0);
  const assay::Run run = MakeRun().series("loss", std::vector<double>(160, 3.0)).series("loss_scale", scale).done();
  EXPECT_LT(scaler_history(run, 0).last, 0.05);
  EXPECT_GT(scaler_history(run, 0).last, 0);
}

TEST(GradScaler, EveryStepLoggedGivesTheTruth) {
  test::Random random(1);
  const Simulated truth = simulate({.initial = 0x1p32}, 5000, random);
  const assay::Run run = logged(truth, 1);
  const ScalerHistory scaler = scaler_history(run, 0);
  const SkipHistory skips = skip_history(run, 0, scaler);
  EXPECT_TRUE(scaler.logged);
  EXPECT_EQ(scaler.last, truth.scale.back());
  EXPECT_EQ(skips.start_up + skips.later, true_skips(truth));
  EXPECT_TRUE(scaler.window_seen);
  EXPECT_NEAR(scaler.window, 1000, 1);
  ASSERT_FALSE(scaler.falls.empty());
  EXPECT_TRUE(scaler.falls.front().start_up);
  EXPECT_LE(scaler.falls.front().to, 65536);
}

TEST(GradScaler, CoarseLogsGiveTheSameCount) {
  for (const std::int64_t every : {5, 10, 50, 100}) {
    test::Random random(7);
    const Simulated truth = simulate({.initial = 0x1p24, .window = 200}, 20000, random);
    const assay::Run run = logged(truth, every);
    const SkipHistory skips = skip_history(run, 0, scaler_history(run, 0));
    EXPECT_EQ(skips.start_up + skips.later, true_skips(truth)) << every;
    const assay::Run silent = logged(truth, every, false);
    const SkipHistory inferred = skip_history(silent, 0, scaler_history(silent, 0));
    EXPECT_LE(inferred.start_up + inferred.later, true_skips(truth)) << every;
  }
}

TEST(GradScaler, RunningAndPerRecordCounters) {
  assay::Run run = MakeRun().steps(10, 10).series("skipped_steps", {4, 4, 5, 5, 8}).done();
  run.segments[0].series[0].printed_as = "skipped";
  SkipHistory skips = skip_history(run, 0, scaler_history(run, 0));
  EXPECT_EQ(skips.start_up + skips.later, 8);
  run.segments[0].series[0].printed_as = "number of skipped iterations";
  skips = skip_history(run, 0, scaler_history(run, 0));
  EXPECT_EQ(skips.start_up + skips.later, 26);
  // One record alone: all that were skipped until then. One among many records is no counter but a sentence.
  run = MakeRun().steps(510).series("skipped_steps", {8}).done();
  skips = skip_history(run, 0, scaler_history(run, 0));
  EXPECT_EQ(skips.start_up + skips.later, 8);
  run =
      MakeRun().steps(100, 100).series("loss", {3, 3, 3, 3, 3}).series("skipped_steps", {kAbsent, kAbsent, 31}).done();
  EXPECT_TRUE(skip_history(run, 0, scaler_history(run, 0)).stretches.empty());
  // More than there were steps: something else is printed there.
  run = MakeRun().steps(10, 10).series("loss", {3, 3, 3}).series("skipped_steps", {0, 317, 0}).done();
  EXPECT_TRUE(skip_history(run, 0, scaler_history(run, 0)).stretches.empty());
  // A running counter that an excerpt begins with tells of what came before it.
  run = MakeRun().steps(5000, 10).series("skipped_steps", {40, 40, 41}).done();
  skips = skip_history(run, 0, scaler_history(run, 0));
  EXPECT_EQ(skips.later, 1);
}

TEST(GradScaler, MessagesOfManyRanksCountOnce) {
  assay::Run run = MakeRun().steps(100).series("loss", {3, 3, 3, 3}).done();
  // Lines 1 to 4 are the records; messages stand between records 2 and 3.
  for (std::size_t i = 2; i < 4; ++i) {
    Rows rows;
    for (std::int64_t k = 0; k < 4; ++k) {
      rows.step.push_back(100 + k);
      rows.line.push_back(k < 2 ? k + 1 : k + 100);
    }
    run.segments[0].rows = std::make_shared<Rows>(rows);
    run.segments[0].series[0].rows = run.segments[0].rows;
  }
  for (const char* rank : {"3", "0", "1"}) test::put(run, overflow(10, 4096, 2048, rank));
  const ScalerHistory scaler = scaler_history(run, 0);
  const SkipHistory skips = skip_history(run, 0, scaler);
  ASSERT_EQ(skips.stretches.size(), 1U);
  EXPECT_EQ(skips.stretches[0].skipped, 1);
  EXPECT_EQ(skips.stretches[0].steps, (StepRange{102, 102}));
  ASSERT_EQ(scaler.moves.size(), 1U);
  EXPECT_EQ(scaler.moves[0].after, 2048);
}

TEST(GradScaler, ConstantOneAndAbsentAreNoScale) {
  const assay::Run bf16 = MakeRun().series("loss", {3, 3, 3}).series("loss_scale", {1, 1, 1}).done();
  EXPECT_FALSE(scaler_history(bf16, 0).logged);
  const assay::Run none = MakeRun().series("loss", {3, 3, 3}).done();
  EXPECT_FALSE(scaler_history(none, 0).logged);
  Findings out;
  kLossScaleCollapse.judge(bf16, Parameters(kLossScaleCollapse.parameters, {}, kLossScaleCollapse.name), out);
  EXPECT_TRUE(out.found().empty());
  EXPECT_TRUE(out.reason().has_value());
}

TEST(GradScaler, HealthyScalersOfManyShapesAreQuiet) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    Scaler set;
    set.initial = std::exp2(static_cast<double>(8 + random.below(25)));
    set.window = std::vector<int>{100, 200, 500, 1000, 2000}[random.below(5)];
    set.working = std::exp2(static_cast<double>(4 + random.below(16)));
    const std::int64_t every = std::vector<std::int64_t>{1, 5, 10, 20, 100}[random.below(5)];
    const assay::Run run = logged(simulate(set, 6000, random), every, random.below(2) == 0);
    for (const Rule* rule : {&kLossScaleCollapse, &kLossScaleDrop, &kOverflowSkips}) {
      const std::vector<Finding> found = test::judge_completely(*rule, run);
      EXPECT_FALSE(loud(found)) << rule->name << " seed " << seed << ": " << test::say(*rule, found[0].message);
    }
  }
}

TEST(GradScaler, InjectedFallIsFound) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    test::Random random(seed);
    Scaler set{.initial = 65536, .window = 1000, .working = 65536};
    Simulated truth = simulate(set, 4000, random);
    const std::size_t at = 1500 + random.below(1500);
    const std::size_t length = 6 + random.below(3);
    for (std::size_t i = at; i < truth.scale.size(); ++i) {
      const double halvings = static_cast<double>(std::min(i - at + 1, length));
      truth.scale[i] = truth.scale[at - 1] * std::exp2(-halvings);
      truth.skipped[i] = i < at + length ? 1 : 0;
    }
    const assay::Run run = logged(truth, 1);
    const auto drop = test::judge_completely(kLossScaleDrop, run);
    ASSERT_EQ(drop.size(), 1U) << seed;
    EXPECT_EQ(drop[0].severity, Severity::kWarning);
    const StepRange where = *drop[0].where->steps;
    const auto first = static_cast<std::int64_t>(at) + 1;
    EXPECT_GE(where.last, first);
    EXPECT_LE(where.first, first + 8);
    EXPECT_LE(where.last - where.first, 50);
    const auto skips = test::judge_completely(kOverflowSkips, run);
    ASSERT_EQ(skips.size(), 1U);
    EXPECT_EQ(skips[0].severity, Severity::kWarning) << seed;
    EXPECT_GE(skips[0].where->steps->first, first - 20);
    EXPECT_LE(skips[0].where->steps->last, first + 30);
  }
}

TEST(GradScaler, FallOfThreeHalvingsIsAWarningOnlyWithTheLoss) {
  const std::vector<double> scale = {32768, 32768, 65536, 8192, 4096, 4096, 4096, 4096};
  const assay::Run quiet = MakeRun()
                               .steps(29020, 10)
                               .series("loss", {2.776, 2.773, 2.768, 2.77, 2.771, 2.769, 2.77, 2.768})
                               .series("loss_scale", scale)
                               .done();
  auto found = test::judge_completely(kLossScaleDrop, quiet);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  const assay::Run sick = MakeRun()
                              .steps(29020, 10)
                              .series("loss", {2.776, 2.773, 2.768, 7.34, 8.72, 7.65, 7.19, 6.85})
                              .series("loss_scale", scale)
                              .done();
  found = test::judge_completely(kLossScaleDrop, sick);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(*found[0].where->steps, (StepRange{29041, 29060}));
  EXPECT_FALSE(found[0].actions.empty());
}

TEST(GradScaler, StartUpSearchIsANote) {
  std::vector<double> scale(40, 16384);
  for (std::size_t i = 0; i < 18; ++i) scale[i] = std::exp2(31.0 - static_cast<double>(i));
  const assay::Run run = MakeRun().series("loss", std::vector<double>(40, 5)).series("loss_scale", scale).done();
  EXPECT_TRUE(test::judge_completely(kLossScaleDrop, run).empty());
  EXPECT_TRUE(test::judge_completely(kLossScaleCollapse, run).empty());
  const auto found = test::judge_completely(kOverflowSkips, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(*found[0].where->steps, (StepRange{2, 18}));
}

TEST(GradScaler, SameHalvingsInAnExcerptAreNoStartUp) {
  const std::vector<double> scale = {1048576, 1048576, 524288, 262144, 131072, 131072, 65536, 32768};
  const assay::Run run = MakeRun()
                             .steps(17060)
                             .series("loss", {2.665, 2.667, 4.37, 4.37, 4.39, 4.40, 4.40, 4.1})
                             .series("loss_scale", scale)
                             .done();
  const auto found = test::judge_completely(kOverflowSkips, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(*found[0].where->steps, (StepRange{17062, 17067}));
}

Event told(EventKind kind, std::int64_t line, std::optional<double> before, std::optional<double> after,
           std::string text = "") {
  Event event;
  event.kind = kind;
  event.line = line;
  event.before = before;
  event.after = after;
  event.text = std::move(text);
  event.segment = 0;
  return event;
}

TEST(GradScaler, NoSearchBeginsAtASmallScale) {
  const auto run = [](double first) {
    assay::Run out = MakeRun().done();
    for (int i = 0; i < 8; ++i) {
      test::put(out, told(EventKind::kOverflow, i + 1, first / (1 << i), first / (2 << i)));
    }
    return out;
  };
  EXPECT_TRUE(test::judge_completely(kLossScaleDrop, run(65536)).empty());
  const auto found = test::judge_completely(kLossScaleDrop, run(512));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_FALSE(found[0].where->steps.has_value());
}

TEST(GradScaler, AScaleFarBelowOneAtTheEndIsACollapse) {
  assay::Run run = MakeRun().done();
  for (int i = 0; i < 6; ++i) test::put(run, told(EventKind::kOverflow, i + 1, {}, std::exp2(-5 - i)));
  const auto found = test::judge_completely(kLossScaleCollapse, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  // Cut in its exponent, the last number is no rise.
  test::put(run, told(EventKind::kOverflow, 7, {}, 4.9));
  EXPECT_EQ(test::judge_completely(kLossScaleCollapse, run).size(), 1U);
}

TEST(GradScaler, AnOverflowAtTheFloorIsTold) {
  assay::Run run = MakeRun().steps(3720).series("loss", {3, 3}).done();
  test::put(run, told(EventKind::kOverflow, 2, 1, 1));
  const auto found = test::judge_completely(kLossScaleCollapse, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
}

TEST(GradScaler, OneSkipToldTwiceIsOne) {
  assay::Run run = MakeRun().steps(140, 10).series("loss", {3, 3, 3, 3}).done();
  for (int rank = 0; rank < 3; ++rank) {
    Event counted = told(EventKind::kOverflow, 2, {}, {}, "Grad overflow on iteration 3");
    counted.step = 3;
    counted.step_is_own = true;
    test::put(run, counted);
  }
  test::put(run, told(EventKind::kOverflow, 2, 8, 4, "[Rank 0] Overflow detected. Skipping step."));
  const SkipHistory skips = skip_history(run, 0, scaler_history(run, 0));
  EXPECT_EQ(skips.start_up + skips.later, 1);
  ASSERT_EQ(skips.stretches.size(), 1U);
  EXPECT_GT(skips.stretches[0].steps.first, 140);  // not at the scaler's own 3
}

TEST(GradScaler, EachProcessTellsTheSameSkip) {
  assay::Run run = MakeRun().steps(100).series("loss", {3, 3}).done();
  for (int i = 0; i < 6; ++i) test::put(run, told(EventKind::kOverflow, 3 + i, {}, std::exp2(9 - i / 2)));
  const SkipHistory skips = skip_history(run, 0, scaler_history(run, 0));
  EXPECT_EQ(skips.start_up + skips.later, 3);
}

TEST(GradScaler, MessagesBehindTheLastRecordAreNoRow) {
  const auto run = [](std::int64_t every) {
    assay::Run out = MakeRun().steps(100, every).series("loss", {3, 3, 3, 3}).done();
    for (int i = 0; i < 12; ++i) test::put(out, told(EventKind::kOverflow, 10 + i, {}, {}, "grad norm is nan"));
    return out;
  };
  // A record for each step: twelve in a row. One for a hundred: a rate.
  EXPECT_EQ(test::judge_completely(kOverflowSkips, run(1))[0].message.key, "in-a-row-at-end");
  EXPECT_EQ(test::judge_completely(kOverflowSkips, run(100))[0].message.key, "many");
}

TEST(GradScaler, UpdatedAllTheSameIsNoSkip) {
  assay::Run run = MakeRun().series("loss", {3, 3, 3}).done();
  test::put(run, told(EventKind::kOverflow, 2, {}, 1024, "overflow, still update, loss scale adjust to 1024.0"));
  EXPECT_TRUE(skip_history(run, 0, scaler_history(run, 0)).stretches.empty());
  const auto found = test::judge_completely(kOverflowSkips, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].message.key, "updated");
}

TEST(GradScaler, CollapseIsAnErrorWithAnAction) {
  test::Random random(3);
  Simulated truth = simulate({.window = 1000}, 3000, random);
  for (std::size_t i = 2000; i < 3000; ++i)
    truth.scale[i] = std::max(0.0625, 16384 * std::exp2(2000 - static_cast<double>(i)));
  const assay::Run run = logged(truth, 1, false);
  const auto found = test::judge_completely(kLossScaleCollapse, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].where->steps->last, 3000);
  EXPECT_NEAR(static_cast<double>(found[0].where->steps->first), 2015, 2);
  EXPECT_FALSE(found[0].actions.empty());
  EXPECT_GE(found[0].evidence.size(), 2U);
  EXPECT_LE(found[0].evidence.size(), 5U);
}

TEST(GradScaler, ShortDipBelowOneIsNoCollapse) {
  std::vector<double> scale(600, 64);
  for (std::size_t i = 300; i < 340; ++i) scale[i] = 0.5;
  const assay::Run run = MakeRun().series("loss", std::vector<double>(600, 3)).series("loss_scale", scale).done();
  EXPECT_TRUE(test::judge_completely(kLossScaleCollapse, run).empty());
}

TEST(GradScaler, GivingUpIsACollapse) {
  assay::Run run = MakeRun().steps(500).series("loss", {3, 3, 3, 3, 3}).series("loss_scale", {16, 8, 4, 2, 1}).done();
  Event event;
  event.kind = EventKind::kScaleAtMinimum;
  event.text = "Current loss scale already at minimum";
  event.line = 100;
  event.segment = 0;
  test::put(run, event);
  const auto found = test::judge_completely(kLossScaleCollapse, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].where->steps->first, 501);
}

TEST(GradScaler, ManySkipsInARowWithoutRecoveryAreAnError) {
  std::vector<double> skipped(300, 0);
  for (std::size_t i = 200; i < 215; ++i) skipped[i] = 1;
  assay::Run run = MakeRun().series("loss", std::vector<double>(300, 3)).series("skipped_steps", skipped).done();
  auto found = test::judge_completely(kOverflowSkips, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);  // 85 steps were taken afterwards
  EXPECT_EQ(*found[0].where->steps, (StepRange{201, 215}));
  for (std::size_t i = 280; i < 300; ++i) skipped[i] = 1;
  run = MakeRun().series("loss", std::vector<double>(300, 3)).series("skipped_steps", skipped).done();
  found = test::judge_completely(kOverflowSkips, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(*found[0].where->steps, (StepRange{281, 300}));
  EXPECT_FALSE(found[0].actions.empty());
}

TEST(GradScaler, MissingLossBesideADynamicScaleIsASkip) {
  const assay::Run run = MakeRun()
                             .steps(9020)
                             .series("loss", {7.0, 7.0, kAbsent, 7.0})
                             .series("loss_scale", {16384, 16384, 16384, 8192})
                             .done();
  const SkipHistory skips = skip_history(run, 0, scaler_history(run, 0));
  EXPECT_EQ(skips.later, 2);
  const assay::Run bf16 =
      MakeRun().steps(9020).series("loss", {7.0, 7.0, kAbsent, 7.0}).series("loss_scale", {1, 1, 1, 1}).done();
  EXPECT_EQ(skip_history(bf16, 0, scaler_history(bf16, 0)).later, 0);
}

}  // namespace
}  // namespace assay
