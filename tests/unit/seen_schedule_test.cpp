// The schedule that a logged learning rate draws, against schedules whose truth is known: every form, logged every step
// and every hundredth, printed with two digits and with all, cut in the middle, resumed, with skipped steps.

#include "measure/seen_schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numbers>

#include "unit/support/make_run.h"

namespace assay {

namespace {

using test::MakeRun;

struct Truth {
  double peak = 3e-4;
  double least = 3e-5;
  double warm_up = 200;
  double end = 2000;
  std::function<double(double)> way = [](double x) { return 0.5 * (1 + std::cos(std::numbers::pi * x)); };

  double at(double step) const {
    if (step < warm_up) return peak * step / warm_up;
    const double x = std::min((step - warm_up) / (end - warm_up), 1.0);
    return least + (peak - least) * way(x);
  }
};

double line(double x) { return 1 - x; }

double printed(double rate, const char* format) {
  if (format == nullptr) return rate;
  char text[64];
  std::snprintf(text, sizeof text, format, rate);
  return std::strtod(text, nullptr);
}

Run run_of(const std::function<double(double)>& rate, std::int64_t first, std::int64_t last, std::int64_t every = 1,
           const char* format = nullptr) {
  std::vector<double> values;
  for (std::int64_t step = first; step <= last; step += every) {
    values.push_back(printed(rate(static_cast<double>(step)), format));
  }
  return MakeRun().steps(first, every).series("learning_rate", values).done();
}

Run run_of(const Truth& truth, std::int64_t first, std::int64_t last, std::int64_t every = 1,
           const char* format = nullptr) {
  return run_of([&](double step) { return truth.at(step); }, first, last, every, format);
}

// Its values have one digit: the print may have had more.
TEST(SeenSchedule, WarmUpOfAFewRecords) {
  for (const double records : {2.0, 4.0, 5.0, 10.0}) {
    const auto rate = [&](double step) { return 1e-4 * std::min(1.0, step / (10 * records)); };
    const auto seen = seen_schedule(run_of(rate, 10, 1000, 10));
    ASSERT_TRUE(seen && seen->warm_up) << records;
    EXPECT_NEAR(seen->warm_up->end, 10 * records, 1) << records;
    EXPECT_EQ(seen->form, DecayForm::kNone);
  }
}

// With six decimals the last eighth of a cosine is 0 in print, and half of what is left of a square.
TEST(SeenSchedule, ZerosOfThePrint) {
  Truth truth{.peak = 2e-5, .least = 0, .warm_up = 100, .end = 3000};
  const auto cosine = seen_schedule(run_of(truth, 1, 3000, 1, "%.6f"));
  ASSERT_TRUE(cosine);
  EXPECT_EQ(cosine->form, DecayForm::kCosine);
  ASSERT_TRUE(cosine->decay_end);
  EXPECT_NEAR(*cosine->decay_end, 3000, 90);
  truth.way = [](double x) { return (1 - x) * (1 - x); };
  const auto square = seen_schedule(run_of(truth, 1, 3000, 1, "%.6f"));
  ASSERT_TRUE(square);
  EXPECT_FALSE(square->floor);
  // A curve that is really over: its end is where the form has it.
  truth = {.peak = 2e-5, .least = 0, .warm_up = 100, .end = 1500};
  const auto ended = seen_schedule(run_of(truth, 1, 3000, 1, "%.6f"));
  ASSERT_TRUE(ended && ended->floor);
  EXPECT_NEAR(*ended->decay_end, 1500, 45);
}

TEST(SeenSchedule, CosineWithItsFloor) {
  const auto seen = seen_schedule(run_of(Truth(), 1, 2500));
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->from_start);
  ASSERT_TRUE(seen->warm_up);
  EXPECT_TRUE(seen->warm_up->linear);
  EXPECT_NEAR(seen->warm_up->length, 200, 1);
  EXPECT_NEAR(seen->warm_up->end, 200, 1);
  EXPECT_EQ(seen->form, DecayForm::kCosine);
  ASSERT_TRUE(seen->floor);
  EXPECT_DOUBLE_EQ(*seen->floor, 3e-5);
  EXPECT_NEAR(*seen->decay_end, 2000, 5);
  EXPECT_DOUBLE_EQ(seen->peak, 3e-4);
}

TEST(SeenSchedule, EveryHundredthStepInFourDigits) {
  const auto seen = seen_schedule(run_of(Truth(), 100, 2500, 100, "%.3E"));
  ASSERT_TRUE(seen && seen->warm_up);
  EXPECT_NEAR(seen->warm_up->end, 200, 100);
  EXPECT_EQ(seen->form, DecayForm::kCosine);
  EXPECT_NEAR(*seen->decay_end, 2000, 40);
}

// With five decimals the last part of the cosine is flat, and so is its top; neither is its end or a plateau.
TEST(SeenSchedule, FiveDecimalsHideNoEnd) {
  const auto seen = seen_schedule(run_of(Truth(), 1, 2000, 1, "%.5f"));
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->form, DecayForm::kCosine);
  ASSERT_TRUE(seen->decay_end);
  EXPECT_NEAR(*seen->decay_end, 2000, 60);
}

TEST(SeenSchedule, LinearToZeroByExtrapolation) {
  Truth truth;
  truth.way = line;
  truth.least = 0;
  const auto seen = seen_schedule(run_of(truth, 10, 900, 10, "%.2e"));
  ASSERT_TRUE(seen && seen->warm_up);
  EXPECT_NEAR(seen->warm_up->length, 200, 4);
  EXPECT_EQ(seen->form, DecayForm::kLinear);
  EXPECT_FALSE(seen->floor);
  ASSERT_TRUE(seen->end_at(0));
  EXPECT_NEAR(*seen->end_at(0), 2000, 60);
  EXPECT_NEAR(*seen->end_at(1.5e-4), 1100, 30);
}

TEST(SeenSchedule, CosineByExtrapolation) {
  const auto seen = seen_schedule(run_of(Truth(), 1, 1200));
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->form, DecayForm::kCosine);
  ASSERT_TRUE(seen->decay_end);
  EXPECT_NEAR(*seen->decay_end, 2000, 10);
  EXPECT_NEAR(*seen->end_at(3e-5), 2000, 10);
}

TEST(SeenSchedule, InverseSquareRootAndExponentialHaveNoEnd) {
  const auto root = seen_schedule(
      run_of([](double step) { return 1e-3 * std::min(step / 400, std::sqrt(400 / step)); }, 1, 5000, 7, "%.6f"));
  ASSERT_TRUE(root && root->warm_up);
  EXPECT_NEAR(root->warm_up->length, 400, 4);
  EXPECT_EQ(root->form, DecayForm::kInverseSquareRoot);
  EXPECT_FALSE(root->end_at(0));
  const auto exponential = seen_schedule(run_of([](double step) { return 1e-3 * std::exp(-step / 800); }, 0, 3000, 10));
  ASSERT_TRUE(exponential);
  EXPECT_FALSE(exponential->warm_up);
  EXPECT_EQ(exponential->form, DecayForm::kExponential);
}

TEST(SeenSchedule, StepsAreLevels) {
  const auto seen = seen_schedule(run_of(
      [](double step) {
        return step < 100 ? 4e-4 * step / 100 : step < 800 ? 4e-4 : step < 900 ? 1.264e-4 : 4e-5;
      },
      1, 1000, 1, "%.3e"));
  ASSERT_TRUE(seen && seen->warm_up);
  EXPECT_EQ(seen->form, DecayForm::kSteps);
  EXPECT_FALSE(seen->floor);
  EXPECT_NEAR(seen->decay_from, 799, 1);
}

// A line printed with one digit is a stair too.
TEST(SeenSchedule, CoarselyPrintedLineIsNoStair) {
  Truth truth;
  truth.way = line;
  truth.least = 0;
  truth.warm_up = 1;
  truth.peak = 6e-5;
  const auto seen = seen_schedule(run_of(truth, 1, 1500, 1, "%.0e"));
  ASSERT_TRUE(seen);
  EXPECT_NE(seen->form, DecayForm::kSteps);
}

TEST(SeenSchedule, WarmUpPlateauAndCoolDown) {
  const auto wsd = [](double step) {
    return step < 100 ? step / 100 : step < 1500 ? 1 : std::max(1 - (step - 1500) / 400, 0.1);
  };
  const auto seen = seen_schedule(run_of([&](double step) { return 2e-4 * wsd(step); }, 0, 2000, 5));
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->form, DecayForm::kLinear);
  EXPECT_NEAR(seen->decay_from, 1500, 5);
  ASSERT_TRUE(seen->decay_end);
  EXPECT_NEAR(*seen->decay_end, 1860, 6);
  const auto before = seen_schedule(run_of([&](double step) { return 2e-4 * wsd(step); }, 0, 1200, 5));
  ASSERT_TRUE(before);
  EXPECT_EQ(before->form, DecayForm::kNone);
}

TEST(SeenSchedule, RestartsOfACosine) {
  const auto seen = seen_schedule(run_of(
      [](double step) { return 1e-3 * 0.5 * (1 + std::cos(std::numbers::pi * std::fmod(step, 300) / 300)); }, 0, 1000));
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->form, DecayForm::kRestarts);
  EXPECT_EQ(seen->climbs, (std::vector<std::size_t>{300, 600, 900}));
}

TEST(SeenSchedule, StillRising) {
  const auto seen = seen_schedule(run_of(Truth(), 1, 150));
  ASSERT_TRUE(seen && seen->warm_up);
  EXPECT_TRUE(seen->still_rising);
  EXPECT_DOUBLE_EQ(seen->peak, 3e-4 * 150 / 200);
}

TEST(SeenSchedule, FromTheMiddle) {
  const auto seen = seen_schedule(run_of(Truth(), 1000, 1500, 10));
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->from_start);
  EXPECT_FALSE(seen->warm_up);
}

// Twenty skipped steps of a search: the warm-up begins late, and is as long as it was asked to be.
TEST(SeenSchedule, SkippedStepsShiftTheWarmUp) {
  const Truth truth;
  const auto run = run_of([&](double step) { return truth.at(std::max(step - 20, 0.0)); }, 1, 1000);
  const auto seen = seen_schedule(run);
  ASSERT_TRUE(seen && seen->warm_up);
  EXPECT_NEAR(seen->warm_up->length, 200, 1);
  EXPECT_NEAR(seen->warm_up->end, 220, 1);
}

TEST(SeenSchedule, ZerosOfSkippedStepsAreLeftOut) {
  const Truth truth;
  const auto run = run_of([&](double step) { return std::fmod(step, 97) == 0 ? 0 : truth.at(step); }, 1, 2000);
  const auto seen = seen_schedule(run);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->form, DecayForm::kCosine);
}

TEST(SeenSchedule, ARestartThatGoesOnIsOneSchedule) {
  const Truth truth;
  std::vector<double> first, second;
  for (int step = 1; step <= 1000; ++step) first.push_back(truth.at(step));
  for (int step = 901; step <= 2200; ++step) second.push_back(truth.at(step));
  const std::vector<double> loss_a(first.size(), 3.0);
  const std::vector<double> loss_b(second.size(), 3.0);
  const auto run = MakeRun()
                       .steps(1)
                       .series("learning_rate", first)
                       .series("loss", loss_a)
                       .restart()
                       .steps(901)
                       .series("learning_rate", second)
                       .series("loss", loss_b)
                       .done();
  const auto seen = seen_schedule(run);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->points.size(), 2200U);
  EXPECT_EQ(seen->form, DecayForm::kCosine);
  EXPECT_NEAR(*seen->decay_end, 2000, 5);
}

TEST(SeenSchedule, ARateThatIsSetAnewBeginsAnother) {
  const Truth truth;
  std::vector<double> first, second;
  for (int step = 1; step <= 1000; ++step) first.push_back(truth.at(step));
  for (int step = 1001; step <= 1500; ++step) second.push_back(1e-5);
  const auto run =
      MakeRun().steps(1).series("learning_rate", first).restart().steps(1001).series("learning_rate", second).done();
  const auto seen = seen_schedule(run);
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->from_start);
  EXPECT_DOUBLE_EQ(seen->peak, 1e-5);
  EXPECT_EQ(seen->form, DecayForm::kNone);
}

TEST(SeenSchedule, TooLittleToTell) {
  EXPECT_FALSE(seen_schedule(MakeRun().series("learning_rate", {1e-4, 1e-4}).done()));
  EXPECT_FALSE(seen_schedule(MakeRun().series("learning_rate", {0, 0, 0, 0}).done()));
  EXPECT_FALSE(seen_schedule(MakeRun().series("loss", {3, 2, 1}).done()));
}

}  // namespace

}  // namespace assay
