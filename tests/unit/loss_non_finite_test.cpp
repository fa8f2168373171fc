// Losses and gradients that are not finite, printed or hidden.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "measure/non_finite.h"
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

TEST(NonFiniteLoss, StaysAndWhatAnnouncedIt) {
  const Rule& nan = rule("non-finite-loss");
  std::vector<double> loss = trained(100);
  raise(loss, 78, 80, 4);
  for (std::size_t i = 80; i < 100; ++i) loss[i] = kNaN;
  auto found = judge_completely(nan, MakeRun().series("loss", loss).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].where->steps, (StepRange{81, 100}));
  EXPECT_NE(evidence_of(nan, found[0]).find("the loss announced it"), std::string::npos);
  EXPECT_NE(actions_of(nan, found[0]).find("before step 79, where"), std::string::npos) << actions_of(nan, found[0]);

  std::vector<double> sudden = trained(100);
  for (std::size_t i = 80; i < 100; ++i) sudden[i] = kNaN;
  found = judge_completely(nan, MakeRun().series("loss", sudden).series("grad_norm", norms(100)).done());
  EXPECT_NE(evidence_of(nan, found[0]).find("nothing announced it"), std::string::npos);

  std::vector<double> norm = norms(100);
  norm[77] = 40;
  norm[78] = 9e3;
  norm[79] = 5e6;
  found = judge_completely(nan, MakeRun().series("loss", sudden).series("grad_norm", norm).done());
  EXPECT_NE(evidence_of(nan, found[0]).find("the grad norm announced it"), std::string::npos)
      << evidence_of(nan, found[0]);
  EXPECT_NE(actions_of(nan, found[0]).find("before step 78, where"), std::string::npos) << actions_of(nan, found[0]);
}

TEST(NonFiniteLoss, ALogThatBeginsWithItSaysNothingOfItsData) {
  const Rule& nan = rule("non-finite-loss");
  const std::vector<double> loss(20, kNaN);
  const auto found = judge_completely(nan, MakeRun().steps(4100).series("loss", loss).done());
  ASSERT_EQ(found.size(), 1U);
  const std::string todo = actions_of(nan, found[0]);
  EXPECT_NE(todo.find("look at the part before it"), std::string::npos) << todo;
  EXPECT_EQ(todo.find("skip"), std::string::npos) << todo;
}

TEST(NonFiniteLoss, WeightsThatWereSpared) {
  const Rule& nan = rule("non-finite-loss");
  std::vector<double> loss = trained(100);
  loss[60] = kNaN;
  EXPECT_EQ(judge_completely(nan, MakeRun().series("loss", loss).done())[0].severity, Severity::kWarning);
  const assay::Run skipped =
      MakeRun().series("loss", loss).event(EventKind::kOverflow, 61, "OVERFLOW! Skipping step").done();
  EXPECT_EQ(judge_completely(nan, skipped)[0].severity, Severity::kNote);
  for (std::size_t i = 60; i < 70; ++i) loss[i] = kNaN;
  EXPECT_EQ(judge_completely(nan, MakeRun().series("loss", loss).done())[0].severity, Severity::kError);
}

TEST(NonFiniteLoss, OnlyTheEvaluation) {
  std::vector<double> eval(100, kAbsent);
  for (std::size_t i = 9; i < 100; i += 10) eval[i] = i > 50 ? kNaN : 3.2;
  const auto found = judge_completely(rule("non-finite-loss"),
                                      MakeRun().series("loss", trained(100)).series("eval_loss", eval).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].where->steps->first, 60);
}

TEST(NonFiniteLoss, UnderAnotherName) {
  const Rule& nan = rule("non-finite-loss");
  std::vector<double> part = trained(40);
  for (std::size_t i = 30; i < 40; ++i) part[i] = kNaN;
  // Without a training loss by name it is the loss; beside one it is a part; a part may be NaN where it has no target.
  EXPECT_EQ(judge_completely(nan, MakeRun().series("train_mask_loss", part).done())[0].severity, Severity::kError);
  EXPECT_EQ(judge_completely(nan, MakeRun().series("loss", trained(40)).series("mask_loss", part).done())[0].severity,
            Severity::kWarning);
  std::vector<double> some = trained(40);
  some[7] = some[20] = kNaN;
  EXPECT_EQ(judge_completely(nan, MakeRun().series("loss", trained(40)).series("mask_loss", some).done())[0].severity,
            Severity::kNote);
  const std::vector<double> never(40, kNaN);
  EXPECT_EQ(judge_completely(nan, MakeRun().series("loss", trained(40)).series("aux_loss", never).done())[0].severity,
            Severity::kNote);
  EXPECT_EQ(
      judge_completely(nan, MakeRun().series("loss", trained(40)).series("critic/vf_loss", never).done())[0].severity,
      Severity::kWarning);
  EXPECT_TRUE(
      judge_completely(nan, MakeRun().series("loss", trained(40)).series("loss_scaling", never).done()).empty());
}

TEST(NonFiniteLoss, AMessageAtTheEndWeighsMoreThanAValueThatWasGotOver) {
  std::vector<double> loss = trained(40);
  loss[20] = kNaN;
  assay::Run run = MakeRun().series("loss", loss).done();
  Event event;
  event.kind = EventKind::kNonFinite;
  event.text = "Loss is nan, stopping training";
  event.line = 1000;
  event.segment = 0;
  test::put(run, event);
  const auto found = judge_completely(rule("non-finite-loss"), run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].also.size(), 1U);
  // In the middle, with finite losses after it, it is what the value is.
  run.events.clear();
  event.line = 21;
  test::put(run, event);
  EXPECT_EQ(judge_completely(rule("non-finite-loss"), run)[0].severity, Severity::kWarning);
}

TEST(NonFiniteLoss, OneInfinityInTheLastRecord) {
  std::vector<double> loss = trained(40);
  loss[39] = kInf;
  const Rule& nan = rule("non-finite-loss");
  EXPECT_EQ(judge_completely(nan, MakeRun().series("loss", loss).done())[0].severity, Severity::kWarning);
  loss[39] = kNaN;
  EXPECT_EQ(judge_completely(nan, MakeRun().series("loss", loss).done())[0].severity, Severity::kError);
  EXPECT_EQ(judge_completely(nan, MakeRun().series("loss", loss).truncated().done())[0].severity, Severity::kWarning);
}

TEST(NonFiniteGrad, TheFirstRecordCoversTheSearch) {
  std::vector<double> norm = norms(12);
  norm[0] = kNaN;
  const auto found =
      judge_completely(rule("non-finite-grad"), MakeRun().steps(100, 100).series("grad_norm", norm).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
}

TEST(NonFiniteGrad, ScatteredUnderAScalerAreItsSearch) {
  std::vector<double> norm = norms(400);
  for (const std::size_t at : {150U, 260U, 380U}) norm[at] = kInf;
  std::vector<double> scale(400, 65536);
  const Rule& grad = rule("non-finite-grad");
  EXPECT_EQ(judge_completely(grad, MakeRun().series("grad_norm", norm).series("loss_scale", scale).done())[0].severity,
            Severity::kNote);
  EXPECT_EQ(judge_completely(grad, MakeRun().series("grad_norm", norm).done())[0].severity, Severity::kWarning);
  for (std::size_t i = 260; i < 290; ++i) norm[i] = kInf;
  const auto found = judge_completely(grad, MakeRun().series("grad_norm", norm).done());
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].where->steps->first, 151);
}

TEST(NonFiniteGrad, AFewThatWereGotOverAreNoErrorHoweverShortTheLog) {
  for (const std::size_t records : {5u, 12u, 30u}) {
    std::vector<double> norm(records, 1.0);
    norm[1] = kNaN;
    const auto found =
        judge_completely(rule("non-finite-grad"), MakeRun().steps(3200, 50).series("grad_norm", norm).done());
    ASSERT_EQ(found.size(), 1u) << records;
    EXPECT_EQ(found[0].severity, Severity::kWarning) << records;
  }
}

TEST(HiddenNan, MegatronLeavesTheLossOut) {
  std::vector<double> loss = trained(60);
  std::vector<double> norm = norms(60);
  for (std::size_t i = 40; i < 60; ++i) loss[i] = norm[i] = kAbsent;
  std::vector<double> rate(60, 1e-4);
  const assay::Run run = MakeRun()
                             .series("learning_rate", rate)
                             .series("loss", loss, Quirk::kOmittedUnlessPositive)
                             .series("grad_norm", norm)
                             .done();
  const auto found = judge_completely(rule("hidden-nan"), run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].where->steps, (StepRange{41, 60}));
  EXPECT_EQ(found[0].message.key, "omitted");
}

TEST(HiddenNan, SkippedStepsHideNothing) {
  std::vector<double> loss = trained(60);
  loss[40] = kAbsent;
  std::vector<double> scale(60, 65536);
  for (std::size_t i = 40; i < 60; ++i) scale[i] = 32768;
  const assay::Run run = MakeRun()
                             .series("loss", loss, Quirk::kOmittedUnlessPositive)
                             .series("loss_scale", scale)
                             .series("grad_norm", norms(60))
                             .done();
  EXPECT_TRUE(judge_completely(rule("hidden-nan"), run).empty());
}

TEST(HiddenNan, CutLineTellsOnlyWhatComesAfterTheLoss) {
  std::vector<double> loss = {0.73, 0.71, kAbsent};
  std::vector<double> rate = {1e-5, 1e-5, 1e-5};
  std::vector<double> scale = {1, 1, 1};
  const Rule& hidden = rule("hidden-nan");
  const auto run = [&](bool scale_is_there) {
    std::vector<double> last = scale;
    if (!scale_is_there) last[2] = kAbsent;
    return MakeRun()
        .steps(3383)
        .series("learning_rate", rate)
        .series("loss", loss, Quirk::kOmittedUnlessPositive)
        .series("loss_scale", last)
        .truncated()
        .done();
  };
  const auto found = judge_completely(hidden, run(true));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].where->steps->first, 3385);
  EXPECT_LT(found[0].confidence, 0.9);
  EXPECT_TRUE(judge_completely(hidden, run(false)).empty());
}

TEST(HiddenNan, ALineThatEndsBeforeTheLossTellsNothing) {
  const Rule& hidden = rule("hidden-nan");
  std::vector<double> loss = trained(20);
  std::vector<double> norm = norms(20);
  std::vector<double> rate(20, 1e-4);
  loss[12] = norm[12] = kAbsent;  // not at the end of the file: a line that was cut, and others behind it
  const auto run = [&] {
    return MakeRun()
        .series("learning_rate", rate)
        .series("loss", loss, Quirk::kOmittedUnlessPositive)
        .series("grad_norm", norm)
        .done();
  };
  EXPECT_TRUE(judge_completely(hidden, run()).empty());
  norm[12] = 0.3;
  EXPECT_EQ(judge_completely(hidden, run()).size(), 1U);
}

TEST(HiddenNan, TablesNeedThreeRowsAndNoNewName) {
  const Rule& hidden = rule("hidden-nan");
  std::vector<double> rate(60, 1e-4);
  std::vector<double> loss = trained(60);
  loss[59] = kAbsent;  // a summary row
  EXPECT_TRUE(judge_completely(hidden, MakeRun().series("loss", loss).series("learning_rate", rate).done()).empty());
  for (std::size_t i = 40; i < 60; ++i) loss[i] = kAbsent;
  EXPECT_EQ(judge_completely(hidden, MakeRun().series("loss", loss).series("learning_rate", rate).done()).size(), 1U);
  std::vector<double> second(60, kAbsent);
  for (std::size_t i = 40; i < 60; ++i) second[i] = 2.5;
  EXPECT_TRUE(
      judge_completely(
          hidden, MakeRun().series("loss", loss).series("learning_rate", rate).series("loss_phase2", second).done())
          .empty());
}

TEST(HiddenNan, OnlyTheFirstRecordHasALoss) {
  const Rule& hidden = rule("hidden-nan");
  const std::vector<double> rate(8, 1e-4);
  const auto with = [&](const std::string& company) {
    return judge_completely(hidden, MakeRun().series("loss", {10.9}).series(company, rate).done());
  };
  const auto found = with("learning_rate");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].where->steps, (StepRange{2, 8}));
  EXPECT_TRUE(with("memory").empty()) << "one record tells nothing of other company";
}

TEST(HiddenNan, ZeroBesideANormThatIsNotFinite) {
  std::vector<double> loss = trained(40, 1.9, 1.2);
  std::vector<double> norm = norms(40);
  for (std::size_t i = 25; i < 40; ++i) loss[i] = 0;
  const Rule& hidden = rule("hidden-nan");
  EXPECT_TRUE(judge_completely(hidden, MakeRun().series("loss", loss).series("grad_norm", norm).done()).empty());
  for (std::size_t i = 25; i < 40; ++i) norm[i] = kNaN;
  const auto found = judge_completely(hidden, MakeRun().series("loss", loss).series("grad_norm", norm).done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].where->steps, (StepRange{26, 40}));
}

// --- kinds of training, plateau, oscillation, overfit, memorization ---

}  // namespace

}  // namespace assay
