// The rules that compare what was said with what was seen: cases that a fixture would be too long for, most of them
// near twins that have to stay silent.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "assay/metric.h"
#include "assay/setting.h"
#include "unit/support/complete.h"
#include "unit/support/make_run.h"

namespace assay {

extern const Rule kClipAlwaysActive;
extern const Rule kConfigDrift;
extern const Rule kScheduleMismatch;
extern const Rule kSettingOverridden;

namespace {

using test::MakeRun;

std::vector<double> warm(int steps, double peak, int warm_up) {
  std::vector<double> out;
  for (int s = 1; s <= steps; ++s) out.push_back(peak * std::min(1.0, static_cast<double>(s) / warm_up));
  return out;
}

std::vector<double> falling_loss(std::size_t steps) {
  std::vector<double> out;
  for (std::size_t s = 0; s < steps; ++s) out.push_back(3 + 7 * std::exp(-static_cast<double>(s) / 50));
  return out;
}

std::string drift_of(MakeRun make) {
  const auto found = test::judge_completely(kConfigDrift, make.done());
  return found.empty() ? "" : found[0].message.key;
}

MakeRun logged(double peak, int warm_up) {
  MakeRun out;
  out.series(metric::kLearningRate, warm(400, peak, warm_up)).series(metric::kLoss, falling_loss(400));
  return out;
}

TEST(SaidAgainstSeen, LearningRate) {
  EXPECT_EQ(drift_of(logged(3e-4, 40).setting("learning_rate", "3e-4")), "");
  EXPECT_EQ(drift_of(logged(3e-4, 40).setting("learning_rate", "1e-4")), "rate");
  EXPECT_EQ(drift_of(logged(3e-4, 40).setting("learning_rate", "1e-3")), "rate-lower");
  // Another group of parameters has it.
  EXPECT_EQ(drift_of(logged(3e-4, 40).setting("learning_rate", "1e-4").setting("embedding_lr", "3e-4")), "");
  // The rate is a factor of it.
  EXPECT_EQ(drift_of(logged(1.0, 40).setting("learning_rate", "1e-4")), "");
  EXPECT_EQ(drift_of(logged(3e-4, 40).setting("learning_rate", "2.0").setting("schedule", "noam")), "");
  // Still on its way up, and an excerpt.
  EXPECT_EQ(drift_of(logged(3e-4, 500).setting("learning_rate", "1e-3")), "");
  MakeRun late;
  late.steps(5000).series(metric::kLearningRate, std::vector<double>(100, 1e-4));
  EXPECT_EQ(drift_of(std::move(late.setting("learning_rate", "3e-4"))), "");
}

TEST(SaidAgainstSeen, WarmUp) {
  EXPECT_EQ(drift_of(logged(3e-4, 40).setting("warmup_steps", "40")), "");
  EXPECT_EQ(drift_of(logged(3e-4, 40).setting("warmup_steps", "41")), "");
  EXPECT_EQ(drift_of(logged(3e-4, 320).setting("warmup_steps", "40")), "warm-up");
  EXPECT_EQ(drift_of(logged(3e-4, 1).setting("warmup_steps", "40")), "no-warm-up");
  // Megatron counts it in samples of the final batch.
  EXPECT_EQ(drift_of(logged(3e-4, 160).setting("warmup_steps", "40").setting("batch_size_rampup", "16 16 1000")), "");
}

// After a restart with another rate only the last one is drawn, and the settings are those of one of the parts.
// A rate that falls from its peak at step 40 to `least` at step 400.
MakeRun fallen(double peak, double least, bool cosine, int steps = 400) {
  std::vector<double> rate;
  for (int s = 1; s <= steps; ++s) {
    const double x = std::clamp((s - 40) / 360.0, 0.0, 1.0);
    const double way = cosine ? 0.5 * (1 + std::cos(3.14159265358979 * x)) : 1 - x;
    rate.push_back(s < 40 ? peak * s / 40 : least + (peak - least) * way);
  }
  MakeRun out;
  out.series(metric::kLearningRate, rate).series(metric::kLoss, falling_loss(rate.size())).planned(steps);
  return out.setting("learning_rate", "3e-4");
}

TEST(SaidAgainstSeen, FormOfTheDecay) {
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true).setting("schedule", "cosine")), "");
  EXPECT_EQ(drift_of(fallen(3e-4, 0, false).setting("schedule", "linear")), "");
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true).setting("schedule", "linear")), "cosine");
  EXPECT_EQ(drift_of(fallen(3e-4, 0, false).setting("schedule", "cosine")), "line");
  // Which of two sources acted, the log shows.
  EXPECT_EQ(drift_of(fallen(3e-4, 0, false).setting("schedule", "linear").setting("schedule", "cosine")), "");
  EXPECT_EQ(drift_of(logged(3e-4, 40).planned(400).setting("schedule", "cosine")), "constant");
  EXPECT_EQ(drift_of(logged(3e-4, 40).planned(400).setting("schedule", "constant")), "");
  // It has not come to its end.
  EXPECT_EQ(drift_of(logged(3e-4, 40).planned(4000).setting("schedule", "cosine")), "");
}

TEST(SaidAgainstSeen, EndOfTheDecay) {
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true).setting("decay_steps", "400")), "");
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true).setting("decay_steps", "360")), "");  // behind the warm-up
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true).setting("decay_steps", "300")), "decay");
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true).setting("decay_steps", "4000")), "decay");
  // Half of the run at the minimum: schedule-mismatch has the word.
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true, 800).setting("decay_steps", "800")), "");
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true).setting("min_learning_rate", "3e-5")), "least-below");
  EXPECT_EQ(drift_of(fallen(3e-4, 3e-5, true).setting("min_learning_rate", "3e-5")), "");
}

TEST(SaidAgainstSeen, WarmUpAsAShareOrNone) {
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true).setting("warmup_fraction", "0.1")), "");
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true).setting("warmup_fraction", "0.01")), "warm-up-share");
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true).setting("schedule", "cosine").setting("warmup_fraction", "0.0")),
            "unasked-warm-up");
  EXPECT_EQ(drift_of(fallen(3e-4, 0, true)
                         .setting("schedule", "cosine")
                         .setting("warmup_steps", "0")
                         .setting("warmup_fraction", "0.1")),
            "");
}

TEST(SaidAgainstSeen, ResumedWithOtherSettings) {
  MakeRun make;
  make.setting("learning_rate", "3e-4")
      .series(metric::kLearningRate, warm(400, 3e-4, 40))
      .series(metric::kLoss, falling_loss(400))
      .restart()
      .steps(401)
      .setting("learning_rate", "1e-4")
      .series(metric::kLearningRate, std::vector<double>(200, 1e-4))
      .series(metric::kLoss, std::vector<double>(200, 3.0));
  EXPECT_EQ(drift_of(std::move(make)), "");
}

TEST(SaidAgainstSeen, Batch) {
  std::vector<double> steady, growing;
  double sum = 0;
  for (int s = 1; s <= 400; ++s) {
    steady.push_back(256.0 * s);
    growing.push_back(sum += std::min(16 + 16 * (s / 40), 128));
  }
  const auto with = [&](const std::vector<double>& consumed) {
    MakeRun out;
    out.series(metric::kConsumedSamples, consumed).series(metric::kLoss, falling_loss(400));
    return out;
  };
  EXPECT_EQ(drift_of(with(steady).setting("global_batch_size", "256")), "");
  EXPECT_EQ(drift_of(with(steady).setting("global_batch_size", "2048")), "batch");
  EXPECT_EQ(drift_of(with(growing).setting("global_batch_size", "2048")), "");
}

TEST(SaidAgainstSeen, Precision) {
  std::vector<double> moving(400, 65536);
  std::fill(moving.begin() + 200, moving.end(), 32768.0);
  const auto with = [&](const std::vector<double>& scale) {
    MakeRun out;
    out.series(metric::kLossScale, scale).series(metric::kLoss, falling_loss(400));
    return out;
  };
  EXPECT_EQ(drift_of(with(moving).setting("bf16", "True")), "scaled");
  EXPECT_EQ(drift_of(with(moving).setting("fp16", "True")), "");
  EXPECT_EQ(drift_of(with(std::vector<double>(400, 1.0)).setting("bf16", "True")), "");
  EXPECT_EQ(drift_of(with(std::vector<double>(400, 128.0)).setting("bf16", "True")), "");
}

std::string mismatch_of(MakeRun make) {
  const auto found = test::judge_completely(kScheduleMismatch, make.done());
  return found.empty() ? "" : found[0].message.key;
}

MakeRun drawn(const std::function<double(int)>& rate, int steps) {
  std::vector<double> values;
  for (int s = 1; s <= steps; ++s) values.push_back(rate(s));
  MakeRun out;
  out.series(metric::kLearningRate, values).series(metric::kLoss, falling_loss(values.size()));
  return out;
}

double line(int step, int end) { return 2e-4 * std::max(0.0, 1 - static_cast<double>(step) / end); }

TEST(SaidAgainstSeen, ScheduleAgainstTheRun) {
  EXPECT_EQ(mismatch_of(drawn([](int s) { return line(s, 400); }, 400).planned(400)), "");
  EXPECT_EQ(mismatch_of(drawn([](int s) { return line(s, 100); }, 400).planned(400)), "idle");
  EXPECT_EQ(mismatch_of(drawn([](int s) { return 2e-5 + line(s, 200); }, 400).planned(400)), "flat");
  EXPECT_EQ(mismatch_of(drawn([](int s) { return line(s, 1600); }, 400).planned(400)), "unended");
  // It was stopped, or goes on.
  EXPECT_EQ(mismatch_of(drawn([](int s) { return line(s, 1600); }, 400).planned(1600)), "");
  EXPECT_EQ(mismatch_of(drawn([](int) { return 2e-4; }, 400).planned(400)), "");
  EXPECT_EQ(mismatch_of(drawn([](int s) { return 2e-4 / std::sqrt(s); }, 400).planned(400)), "");
}

// Ten steps: whoever tries a program wants no word about its schedule.
TEST(SaidAgainstSeen, ATrialGetsANote) {
  const auto found = test::judge_completely(
      kScheduleMismatch, MakeRun().setting("train_steps", "10").setting("warmup_steps", "2000").done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
}

Run script(std::initializer_list<std::pair<std::string_view, std::string_view>> variables) {
  Run out = MakeRun("launch.sh").done();
  for (const auto& [name, value] : variables) {
    Location where;
    where.path = "launch.sh";
    out.config.settings.push_back({std::string(name), std::string(value), where, std::string(name)});
  }
  return out;
}

TEST(SaidAgainstSeen, MisspeltVariables) {
  const auto told = [](std::string_view name) {
    const auto found = test::judge_completely(kSettingOverridden, script({{name, "1"}}));
    return found.empty() ? std::string() : test::say(kSettingOverridden, found[0].message);
  };
  EXPECT_NE(told("HCCL_DETERMINISITIC").find("HCCL_DETERMINISTIC"), std::string::npos);
  EXPECT_NE(told("NVIDIA_TF32_OVERIDE").find("NVIDIA_TF32_OVERRIDE"), std::string::npos);
  for (const std::string_view name : {"HCCL_DETERMINISTIC", "NCCL_ALGO", "HCCL_ALGO", "NCCL_IB_HCA", "NCCL_DEBUG",
                                      "NCCL_P2P_LEVEL", "HCCL_IF_IP", "CUDA_DEVICE_MAX_CONNECTIONS"}) {
    EXPECT_EQ(told(name), "") << name;
  }
}

TEST(SaidAgainstSeen, FineTuningIsClippedAtEachStep) {
  std::vector<double> norms;
  for (int i = 0; i < 400; ++i) norms.push_back(6 + std::sin(i));
  const auto run = [&](TrainingKind kind) {
    return MakeRun().kind(kind).setting("clip_norm", "1.0").series(metric::kGradNorm, norms).done();
  };
  const auto tuned = test::judge_completely(kClipAlwaysActive, run(TrainingKind::kFineTuning));
  const auto trained = test::judge_completely(kClipAlwaysActive, run(TrainingKind::kPretraining));
  ASSERT_EQ(tuned.size(), 1U);
  ASSERT_EQ(trained.size(), 1U);
  EXPECT_EQ(tuned[0].severity, Severity::kNote);
  EXPECT_EQ(trained[0].severity, Severity::kWarning);
}

}  // namespace

}  // namespace assay
