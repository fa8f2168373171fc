// How runs start again, end, slow down, and what a framework says of steps that it ran twice.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "measure/scaler.h"
#include "unit/stat_random.h"
#include "unit/support/complete.h"
#include "unit/support/make_run.h"

namespace assay {

extern const Rule kRunRestarted;
extern const Rule kRunAborted;
extern const Rule kRerunFault;
extern const Rule kThroughputDrop;

namespace {

using test::MakeRun;
using TrainingRun = Run;  // inside a test, Run is a member of testing::Test

std::vector<double> falling(std::size_t n, double from, double noise = 0.01, unsigned seed = 1) {
  test::Random random(seed);
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(from - 0.001 * static_cast<double>(i) + noise * random.gauss());
  return out;
}

std::string first_evidence(const Rule& rule, const Finding& finding) {
  return finding.evidence.empty() ? "" : test::say(rule, finding.evidence[0].text);
}

Event at_end(EventKind kind, std::string text, std::int64_t line) {
  Event event;
  event.kind = kind;
  event.text = std::move(text);
  event.line = line;
  event.segment = 0;
  return event;
}

TEST(GradRestart, WayBackIsTheRange) {
  const TrainingRun run = MakeRun()
                              .steps(7000, 10)
                              .series("loss", falling(23, 3))
                              .restart()
                              .steps(6900, 10)
                              .series("loss", falling(40, 3))
                              .done();
  const auto found = test::judge_completely(kRunRestarted, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(*found[0].where->steps, (StepRange{6900, 7220}));
  EXPECT_EQ(found[0].message.key, "restart");
  EXPECT_NE(test::say(kRunRestarted, found[0].message).find("321 steps"), std::string::npos);
}

TEST(GradRestart, LossIsComparedAtTheSameSteps) {
  const std::vector<double> before = falling(100, 3);
  std::vector<double> after = falling(100, 2.95, 0.01, 2);
  const auto make = [&](const std::vector<double>& second) {
    return MakeRun().steps(1).series("loss", before).restart().steps(51).series("loss", second).done();
  };
  auto found = test::judge_completely(kRunRestarted, make(after));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(test::say(kRunRestarted, found[0].message).find("same steps"), std::string::npos);
  EXPECT_TRUE(found[0].actions.empty());
  for (double& value : after) value += 0.6;
  found = test::judge_completely(kRunRestarted, make(after));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message.key, "higher-lasting-same");
  EXPECT_FALSE(found[0].actions.empty());
}

TEST(GradRestart, CounterBackAtTheStartIsAnotherRun) {
  MakeRun make;
  for (int i = 0; i < 4; ++i) {
    if (i > 0) make.restart();
    make.steps(0, 125).series("loss", falling(34, 10.8));
  }
  const auto found = test::judge_completely(kRunRestarted, make.done());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message.key, "several-runs");
  EXPECT_EQ(*found[0].where->steps, (StepRange{0, 4125}));
  EXPECT_EQ(found[0].also.size(), 2U);
  EXPECT_NE(test::say(kRunRestarted, found[0].message).find("4 runs"), std::string::npos);
}

TEST(GradRestart, OneRunIsSilent) {
  EXPECT_TRUE(test::judge_completely(kRunRestarted, MakeRun().series("loss", falling(50, 3)).done()).empty());
  // A pre-trained model that is loaded before the first step is no restart.
  const TrainingRun run =
      MakeRun().event(EventKind::kCheckpointLoaded, 0, "loading checkpoint").series("loss", falling(50, 3)).done();
  EXPECT_TRUE(test::judge_completely(kRunRestarted, run).empty());
}

TEST(GradStart, NumberedRecordsThatBeginLateInTheirEpochsAreAnExcerpt) {
  const auto starts = [](double first, double every) {
    std::vector<double> epochs;
    for (int i = 0; i < 10; ++i) epochs.push_back(first + i * every);
    TrainingRun run = MakeRun().series("loss", falling(10, 3)).series("epoch", epochs).done();
    run.segments[0].axis = "record";
    return begins_at_start(run, 0);
  };
  EXPECT_TRUE(starts(0.01, 0.01));
  EXPECT_TRUE(starts(0.5, 0.5));
  EXPECT_TRUE(starts(1, 0)) << "a loop that counts its first epoch as 1";
  EXPECT_TRUE(starts(1, 1));
  EXPECT_FALSE(starts(2.5, 0.01));
  EXPECT_FALSE(starts(0.4, 0.01));
}

TEST(GradAborted, TellingLineIsQuoted) {
  TrainingRun run = MakeRun().planned(1000).steps(10, 10).series("loss", falling(20, 3)).done();
  test::put(run, at_end(EventKind::kAborted, "Killing subprocess 50083", 101));
  test::put(run, at_end(EventKind::kAborted, "*** JOB 18 ON node0 CANCELLED AT 2021-05-23 ***", 102));
  test::put(run, at_end(EventKind::kAborted, "Main process received SIGTERM, exiting", 103));
  const auto found = test::judge_completely(kRunAborted, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].message.key, "scheduler-of");
  EXPECT_EQ(*found[0].where->steps, (StepRange{200, 200}));
  EXPECT_NE(first_evidence(kRunAborted, found[0]).find("CANCELLED"), std::string::npos);
}

TEST(GradAborted, EveryCauseHasAnAction) {
  const std::pair<const char*, const char*> cases[] = {
      {"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12)", "find-rank"},
      {"RuntimeError: shape mismatch", "read-line"},
      {"slurmstepd: error: Detected 1 oom_kill event", "less-host-memory"},
      {"torch.OutOfMemoryError: CUDA out of memory", "less-memory"},
      {"*** JOB 18 ON node0 CANCELLED AT 2021-05-23 DUE TO TIME LIMIT ***", "mind-limit"},
      {"received SIGTERM, exiting", "who-stopped"}};
  for (const auto& [message, action] : cases) {
    TrainingRun run = MakeRun().series("loss", falling(20, 3)).done();
    test::put(run, at_end(EventKind::kAborted, message, 101));
    const auto found = test::judge_completely(kRunAborted, run);
    ASSERT_EQ(found.size(), 1U) << message;
    ASSERT_FALSE(found[0].actions.empty()) << message;
    EXPECT_EQ(found[0].actions[0].text.key, action) << message;
  }
}

TEST(GradAborted, WhoKilledItIsToBeFoundOut) {
  TrainingRun run = MakeRun().series("loss", falling(20, 3)).done();
  test::put(run, at_end(EventKind::kAborted, "Sending process 4711 closing signal SIGTERM", 101));
  test::put(run, at_end(EventKind::kAborted, "failed (exitcode: -9) local_rank: 0, Signal 9 (SIGKILL)", 102));
  const auto found = test::judge_completely(kRunAborted, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].message.key, "killed");
  ASSERT_EQ(found[0].actions.size(), 1U);
  EXPECT_EQ(found[0].actions[0].text.key, "who-killed");
  EXPECT_NE(first_evidence(kRunAborted, found[0]).find("SIGKILL"), std::string::npos);
}

TEST(GradAborted, ErrorsAreWarnings) {
  TrainingRun run = MakeRun().series("loss", falling(20, 3)).done();
  test::put(run, at_end(EventKind::kAborted, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate", 50));
  auto found = test::judge_completely(kRunAborted, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].message.key, "memory");
  run.events.back().text = "RuntimeError: shapes cannot be multiplied in bloom block";
  found = test::judge_completely(kRunAborted, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message.key, "exception");
}

TEST(GradAborted, PlannedEndsAreSilent) {
  TrainingRun run = MakeRun().planned(20).series("loss", falling(20, 3)).done();
  test::put(run, at_end(EventKind::kAborted, "Killing subprocess 1", 50));
  EXPECT_TRUE(test::judge_completely(kRunAborted, run).empty()) << "all planned steps were done";
  run.planned_steps = 40;
  EXPECT_EQ(test::judge_completely(kRunAborted, run).size(), 1U);
  test::put(run, at_end(EventKind::kRunEnd, "exiting program", 51));
  EXPECT_TRUE(test::judge_completely(kRunAborted, run).empty());
  // A log that only stops says nothing; neither does an abort that a restart follows.
  EXPECT_TRUE(test::judge_completely(kRunAborted, MakeRun().planned(90).series("loss", falling(20, 3)).done()).empty());
  run = MakeRun().series("loss", falling(20, 3)).event(EventKind::kAborted, 10, "Killed").done();
  EXPECT_TRUE(test::judge_completely(kRunAborted, run).empty());
}

struct RerunCase {
  const char* text;
  Severity severity;
  const char* key;
};

TEST(GradRerun, WordsAndWhatTheyProve) {
  const RerunCase cases[] = {
      {"First rerun: unexpected result is not reproducible within the tolerance (1.0 != 3.0)", Severity::kWarning,
       "transient"},
      {"Possible transient error!", Severity::kWarning, "transient"},
      {"First rerun: unexpected result is reproducible within the tolerance (nan = nan). Need to rerun on a different "
       "GPU",
       Severity::kError, "reproducible-nan"},
      {"First rerun: unexpected result is reproducible within the tolerance (80.1 = 80.1).", Severity::kWarning,
       "reproducible"},
      {"Second rerun: unexpected result is not reproducible on a different GPU, therefore was likely incorrect",
       Severity::kError, "persistent"},
      {"Possible persistent error!", Severity::kError, "persistent"},
      {"Second rerun: unexpected result is reproducible on a different GPU (inf = inf)", Severity::kError,
       "program-nan"},
      {"Correct result (but possible Application error) (found NaN in local grad norm)", Severity::kError,
       "program-nan"},
      {"Unexpected result 13.7 on rank 3 at iteration #3", Severity::kWarning, "rejected"},
  };
  for (const RerunCase& one : cases) {
    TrainingRun run = MakeRun().steps(1).series("loss", {3, 3}).event(EventKind::kRerun, 3, one.text).done();
    const auto found = test::judge_completely(kRerunFault, run);
    ASSERT_EQ(found.size(), 1U) << one.text;
    EXPECT_EQ(found[0].severity, one.severity) << one.text;
    EXPECT_EQ(found[0].message.key, one.key);
    EXPECT_EQ(*found[0].where->steps, (StepRange{3, 3}));
    EXPECT_FALSE(found[0].actions.empty());
    EXPECT_EQ(test::say(kRerunFault, found[0].message).find("no sentence"), std::string::npos);
    EXPECT_EQ(test::say(kRerunFault, found[0].actions[0].text).find("no sentence"), std::string::npos);
  }
}

TEST(GradRerun, ALogWithoutRecordsIsJudged) {
  TrainingRun run;
  run.segments.emplace_back();
  Event event = at_end(EventKind::kRerun, "Unexpected result nan on rank 3 at iteration #3", 1);
  event.step = 3;
  event.step_is_own = true;
  test::put(run, event);
  event.text = "unexpected result is reproducible within the tolerance (nan = nan)";
  event.line = 2;
  test::put(run, event);
  const auto found = test::judge_completely(kRerunFault, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(*found[0].where->steps, (StepRange{3, 3}));
  EXPECT_TRUE(found[0].also.empty());
}

TEST(GradRerun, AnAnnouncementIsNoFault) {
  const TrainingRun run = MakeRun()
                              .series("loss", {3, 3})
                              .event(EventKind::kRerun, 1, "RerunStateMachine initialized in mode validate_results")
                              .done();
  EXPECT_TRUE(test::judge_completely(kRerunFault, run).empty());
}

std::vector<double> speeds(test::Random& random, std::size_t n, double level, double noise, bool pauses) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) {
    double value = level * std::exp(noise * random.gauss());
    if (i == 0) value *= 0.2;                             // compilation
    if (pauses && i % 50 == 49) value *= 0.4;             // evaluation
    if (pauses && random.uniform() < 0.01) value *= 0.7;  // a neighbour
    out.push_back(value);
  }
  return out;
}

TEST(GradThroughput, HealthySpeedsAreSilent) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    const std::size_t n = 5 + random.below(1500);
    const double noise = std::vector<double>{0.001, 0.01, 0.03, 0.1, 0.3}[random.below(5)];
    const auto values = speeds(random, n, 150, n < 24 ? std::min(noise, 0.03) : noise, n > 24);
    const TrainingRun run = MakeRun().series("throughput", values).done();
    EXPECT_TRUE(test::judge_completely(kThroughputDrop, run).empty())
        << "seed " << seed << " n " << n << " noise " << noise;
  }
}

TEST(GradThroughput, LastingDropIsFoundWhereItBegins) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    test::Random random(seed);
    const std::size_t n = 200 + random.below(1000);
    const std::size_t at = 60 + random.below(n / 2 - 60);
    const double drop = 0.08 + 0.5 * random.uniform();
    auto values = speeds(random, n, 150, 0.01, true);
    for (std::size_t i = at; i < n; ++i) values[i] *= 1 - drop;
    const bool as_time = seed % 2 == 1;
    if (as_time) {
      for (double& value : values) value = 1 / value;
    }
    const TrainingRun run = MakeRun().series(as_time ? "step_time" : "throughput", values).done();
    const auto found = test::judge_completely(kThroughputDrop, run);
    ASSERT_EQ(found.size(), 1U) << seed;
    const StepRange where = *found[0].where->steps;
    EXPECT_NEAR(static_cast<double>(where.last), static_cast<double>(at + 1), 3) << seed;
    EXPECT_LE(where.last - where.first, 3);
    EXPECT_EQ(found[0].severity, drop >= 0.32 ? Severity::kWarning : drop < 0.28 ? Severity::kNote : found[0].severity);
  }
}

TEST(GradThroughput, ExcerptOfFiveRecords) {
  const TrainingRun run = MakeRun().steps(42780).series("throughput", {149.10, 149.09, 147.58, 142.32, 141.09}).done();
  const auto found = test::judge_completely(kThroughputDrop, run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(*found[0].where->steps, (StepRange{42782, 42784}));
  EXPECT_LE(found[0].confidence, 0.6);
}

TEST(GradThroughput, WorkThatChangesIsNoDrop) {
  std::vector<double> time(400, 1.0);
  std::vector<double> batch(400, 64);
  for (std::size_t i = 200; i < 400; ++i) {
    time[i] = 2;
    batch[i] = 128;
  }
  EXPECT_EQ(test::judge_completely(kThroughputDrop, MakeRun().series("step_time", time).done()).size(), 1U);
  EXPECT_TRUE(test::judge_completely(kThroughputDrop,
                                     MakeRun().series("step_time", time).series("global_batch_size", batch).done())
                  .empty());
  EXPECT_TRUE(test::judge_completely(kThroughputDrop,
                                     MakeRun().series("step_time", time).series("curriculum seqlen", batch).done())
                  .empty());
}

}  // namespace
}  // namespace assay
