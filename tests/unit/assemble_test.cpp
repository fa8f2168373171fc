#include "measure/assemble.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/metric.h"

namespace assay {
namespace {

using Cells = std::initializer_list<std::pair<std::string_view, double>>;

// Writes rows as a reader would; lines are numbered as they come.
class Log {
 public:
  Log& row(std::int64_t step, Cells cells, std::int64_t shape = 0, std::int64_t rank = kNoRank) {
    recorder_.begin_row(step, ++line_, rank, shape);
    for (const auto& [metric, value] : cells)
      recorder_.put(recorder_.column(metric, metric, Unit::kNone, quirks_), value);
    return *this;
  }
  Log& event(EventKind kind) {
    Event event;
    event.kind = kind;
    event.line = ++line_;
    recorder_.event(event);
    return *this;
  }
  Log& quirk(Quirk quirks) {
    quirks_ = quirks;
    return *this;
  }
  Log& setting(std::string_view key, std::string_view value) {
    recorder_.setting(key, value, ++line_);
    return *this;
  }
  assay::Run run() {
    recorder_.axis("iteration");
    Recording recording = std::move(recorder_).finish();
    return assemble(recording);
  }

 private:
  Recorder recorder_{"train.log"};
  Quirk quirks_ = Quirk::kNone;
  std::int64_t line_ = 0;
};

std::vector<std::int64_t> steps(const Segment& segment, std::string_view metric) {
  std::vector<std::int64_t> out;
  if (const Series* series = segment.find(metric)) {
    for (std::size_t i = 0; i < series->size(); ++i) out.push_back(series->step(i));
  }
  return out;
}

std::vector<double> values(const Segment& segment, std::string_view metric) {
  const Series* series = segment.find(metric);
  return series == nullptr ? std::vector<double>{}
                           : std::vector<double>(series->values.span().begin(), series->values.span().end());
}

const Interpretation* told(const assay::Run& run, std::string_view key) {
  for (const Interpretation& one : run.interpretations) {
    if (one.key == key) return &one;
  }
  return nullptr;
}

using Steps = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

TEST(Assemble, KeepsAPlainLogAsItIs) {
  Log log;
  for (int i = 1; i <= 300; ++i) log.row(10 * i, {{"loss", 5.0 - 0.01 * i}, {"grad_norm", 1.0 + i}});
  const assay::Run run = log.run();
  ASSERT_EQ(run.segments.size(), 1u);
  EXPECT_EQ(run.segments[0].find("loss")->size(), 300u);
  EXPECT_EQ(run.segments[0].find("loss")->step(299), 3000);
  EXPECT_EQ(run.segments[0].find("grad_norm")->line(4), 5);
  EXPECT_TRUE(run.interpretations.empty());
}

TEST(Assemble, SplitsWhereTheCounterGoesBack) {
  const assay::Run run =
      Log().row(100, {{"loss", 3}}).row(110, {{"loss", 2.9}}).row(50, {{"loss", 3.3}}).row(60, {{"loss", 3.2}}).run();
  ASSERT_EQ(run.segments.size(), 2u);
  EXPECT_EQ(steps(run.segments[1], "loss"), (Steps{50, 60}));
  ASSERT_NE(told(run, "restarts"), nullptr);
}

TEST(Assemble, DropsRepeatsOfRanksThatPrintTheSame) {
  Log log;
  for (int step = 1; step <= 20; ++step) {
    for (int rank = 0; rank < 8; ++rank)
      log.row(step, {{"loss", 4.0 / step}, {"learning_rate", 1e-4}, {"throughput", 100.0 + rank}});
  }
  const assay::Run run = log.run();
  ASSERT_EQ(run.segments.size(), 1u);
  EXPECT_EQ(run.segments[0].find("loss")->size(), 20u);
  EXPECT_EQ(told(run, "repeats")->count, 20 * 7);
}

TEST(Assemble, DropsRepeatsThatArriveOutOfOrder) {
  const assay::Run run = Log()
                             .row(1, {{"loss", 4}})
                             .row(2, {{"loss", 3}})
                             .row(1, {{"loss", 4}})
                             .row(3, {{"loss", 2.5}})
                             .row(2, {{"loss", 3}})
                             .run();
  ASSERT_EQ(run.segments.size(), 1u);
  EXPECT_EQ(steps(run.segments[0], "loss"), (Steps{1, 2, 3}));
}

TEST(Assemble, LeavesOutStragglersWithOtherValues) {
  const assay::Run run = Log()
                             .row(1, {{"loss", 4}})
                             .row(2, {{"loss", 3}})
                             .row(1, {{"loss", 4.1}})
                             .row(3, {{"loss", 2.5}})
                             .row(4, {{"loss", 2.4}})
                             .run();
  ASSERT_EQ(run.segments.size(), 1u);
  EXPECT_EQ(steps(run.segments[0], "loss"), (Steps{1, 2, 3, 4}));
  EXPECT_EQ(told(run, "stragglers")->count, 1);
}

TEST(Assemble, FollowsTheRankThatPrintsMost) {
  Log log;
  for (int step = 1; step <= 10; ++step) {
    log.row(step, {{"loss", 4.0 + step}}, 0, 7);
    if (step % 5 == 0) log.row(step, {{"loss", 9.0}}, 0, 3);
  }
  EXPECT_EQ(values(log.run().segments[0], "loss").size(), 10u);
}

TEST(Assemble, JoinsTwoPrintsOfTheSameNumber) {
  const assay::Run run = Log()
                             .row(1, {{"loss", 12.7902}}, 1)
                             .row(1, {{"loss", 12.79022}, {"grad_norm", 3}}, 2)
                             .row(2, {{"loss", 12.8004}}, 1)
                             .row(2, {{"loss", 12.80042}, {"grad_norm", 4}}, 2)
                             .run();
  EXPECT_EQ(run.segments[0].find("loss")->size(), 2u);
  EXPECT_EQ(values(run.segments[0], "grad_norm"), (Numbers{3, 4})) << "what the second print adds is kept";
}

TEST(Assemble, KeepsTheNansAndZerosOfADeadRun) {
  Log numbered;
  Log stepped;
  for (int i = 0; i < 30; ++i) {
    numbered.row(kNoStep, {{"loss", 0}, {"learning_rate", 1e-5}, {"epoch", 0.01}});
    stepped.row(i / 10, {{"loss", std::nan("")}, {"learning_rate", 1e-5}});
  }
  EXPECT_EQ(values(numbered.run().segments[0], "loss").size(), 30u);
  EXPECT_EQ(values(stepped.run().segments[0], "loss").size(), 30u);
}

TEST(Assemble, CountsAConsoleThatWasWrittenTwiceOnce) {
  Log log;
  for (int i = 0; i < 20; ++i)
    log.row(kNoStep, {{"loss", 5 - 0.1 * (i / 2)}, {"learning_rate", 1e-5}, {"epoch", 0.01}});
  EXPECT_EQ(values(log.run().segments[0], "loss").size(), 10u);
}

TEST(Assemble, KeepsMicroStepsWithTheSameNumber) {
  const assay::Run run =
      Log().row(1, {{"loss", 4}}).row(1, {{"loss", 5}}).row(2, {{"loss", 3}}).row(2, {{"loss", 3.5}}).run();
  EXPECT_EQ(values(run.segments[0], "loss"), (Numbers{4, 5, 3, 3.5}));
}

TEST(Assemble, PlacesAnEvaluationOnAForeignAxis) {
  Log log;
  for (int i = 1; i <= 12; ++i) {
    log.row(4000 * i, {{"loss", 5.0 - 0.1 * i}}, 1);
    if (i % 4 == 0) log.row(1000 * i, {{"eval_loss", 5.0 - 0.1 * i}}, 2);
  }
  const assay::Run run = log.run();
  ASSERT_EQ(run.segments.size(), 1u);
  EXPECT_EQ(steps(run.segments[0], "eval_loss"), (Steps{16000, 32000, 48000}));
}

TEST(Assemble, GivesTheFirstEvaluationOfASecondRunToIt) {
  Log log;
  for (int part = 0; part < 2; ++part) {
    log.row(0, {{"eval_loss", 10.8}}, 2);
    for (int i = 1; i <= 5; ++i) log.row(i, {{"loss", 10.0 - i - 0.1 * part}}, 1);
    log.row(5, {{"eval_loss", 5.1}}, 2);
  }
  const assay::Run run = log.run();
  ASSERT_EQ(run.segments.size(), 2u);
  EXPECT_EQ(steps(run.segments[0], "eval_loss"), (Steps{0, 5}));
  EXPECT_EQ(steps(run.segments[1], "eval_loss"), (Steps{0, 5}));
}

TEST(Assemble, NumbersRecordsWithoutAStep) {
  Log log;
  for (int i = 0; i < 5; ++i) log.row(kNoStep, {{"loss", 5.0 - i}, {"epoch", 0.25 * i}, {"learning_rate", 1e-4 * i}});
  log.row(kNoStep, {{"eval_loss", 2}, {"epoch", 1}}, 1);
  for (int i = 0; i < 3; ++i) log.row(kNoStep, {{"loss", 5.5 - i}, {"epoch", 0.25 * i}, {"learning_rate", 1e-4 * i}});
  const assay::Run run = log.run();
  ASSERT_EQ(run.segments.size(), 2u) << "the epoch fell back: a second run";
  EXPECT_NE(told(run, "records-numbered"), nullptr);
  EXPECT_EQ(run.segments[0].axis, "record");
  EXPECT_EQ(steps(run.segments[0], "loss"), (Steps{1, 2, 3, 4, 5}));
  EXPECT_EQ(steps(run.segments[0], "eval_loss"), (Steps{5}));
  EXPECT_EQ(steps(run.segments[1], "loss"), (Steps{1, 2, 3}));
}

TEST(Assemble, NumbersRecordsWhoseStepNeverChanges) {
  Log log;
  for (int i = 0; i < 5; ++i) log.row(140123, {{"loss", 4 - 0.1 * i}});
  const assay::Run run = log.run();
  EXPECT_EQ(steps(run.segments[0], "loss"), (Steps{1, 2, 3, 4, 5}));
  EXPECT_NE(told(run, "step-not-counting"), nullptr);  // and not that there was none
  EXPECT_EQ(told(run, "records-numbered"), nullptr);
}

TEST(Assemble, NumbersRecordsWhoseStepCountsDown) {
  Log log;
  for (int i = 0; i < 40; ++i) log.row(1000 - i, {{"loss", 4 - 0.01 * i}});
  const assay::Run run = log.run();
  ASSERT_EQ(run.segments.size(), 1u);
  EXPECT_EQ(run.segments[0].axis, "record");
  EXPECT_EQ(steps(run.segments[0], "loss").back(), 40);
  EXPECT_NE(told(run, "step-not-counting"), nullptr);
}

TEST(Assemble, TellsTheNanOfARankThatIsNotFollowed) {
  const double nan = std::nan("");
  Log log;
  for (int step = 1; step <= 10; ++step) {
    for (int rank = 0; rank < 4; ++rank) log.row(step, {{"loss", rank == 3 && step >= 6 ? nan : 4.0 / step}}, 0, rank);
  }
  const assay::Run run = log.run();
  EXPECT_EQ(values(run.segments[0], "loss").size(), 10u);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kind, EventKind::kNonFinite);
  EXPECT_EQ(run.events[0].step, 6);
  EXPECT_EQ(run.events[0].line, 24);
  EXPECT_EQ(run.events[0].text, "rank 3 prints loss = NaN, rank 0 a number");
}

TEST(Assemble, ANanOfAllRanksIsNoRanksOwn) {
  Log log;
  for (int step = 1; step <= 10; ++step) {
    for (int rank = 0; rank < 4; ++rank) log.row(step, {{"loss", step >= 6 ? std::nan("") : 4.0 / step}}, 0, rank);
  }
  EXPECT_TRUE(log.run().events.empty());
}

TEST(Assemble, ARecordWithoutAValueIsOne) {
  const assay::Run run = Log().row(1, {}).row(2, {}).run();
  ASSERT_EQ(run.segments.size(), 1u);
  EXPECT_EQ(run.segments[0].rows->size(), 2u);
}

TEST(Assemble, CountsThroughEpochsThatStartTheCounterAgain) {
  Log log;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 1; i <= 4; ++i)
      log.row(100 * i, {{"loss", 5.0 - epoch - 0.1 * i}, {"epoch", static_cast<double>(epoch)}});
  }
  const assay::Run run = log.run();
  ASSERT_EQ(run.segments.size(), 1u);
  EXPECT_EQ(run.segments[0].find("loss")->last_step(), 1200);
  EXPECT_NE(told(run, "step-within-epoch"), nullptr);
}

// 0, 1, 2, … of each epoch, and nothing that tells the epoch; loss(record) over the whole file.
template <class Loss>
Log epochs_untold(const std::vector<int>& lengths, Loss loss) {
  Log log;
  int record = 0;
  for (const int length : lengths) {
    for (int i = 0; i < length; ++i) log.row(i, {{"loss", loss(record++)}});
  }
  return log;
}

TEST(Assemble, CountsThroughEpochsThatNothingTells) {
  const auto falling = [](int record) { return 2 + 6 * std::exp(-record / 60.0) + 0.02 * std::sin(record * 1.9); };
  for (const std::vector<int>& lengths : {std::vector<int>{50, 50, 50, 50}, {50, 50, 50, 17}, {50, 50}}) {
    const assay::Run run = epochs_untold(lengths, falling).run();
    ASSERT_EQ(run.segments.size(), 1u);
    const std::vector<std::int64_t> counted = steps(run.segments[0], "loss");
    for (std::size_t i = 0; i < counted.size(); ++i) ASSERT_EQ(counted[i], static_cast<std::int64_t>(i));
    EXPECT_NE(told(run, "step-within-epoch"), nullptr);
    EXPECT_EQ(told(run, "restarts"), nullptr);
  }
}

TEST(Assemble, EpochsOfDataSeenAgainBeginLower) {
  const auto stairs = [](int record) { return 3 - 0.4 * (record / 50) - 0.006 * (record % 50); };
  EXPECT_EQ(epochs_untold({50, 50, 50}, stairs).run().segments.size(), 1u);
  const auto other = [](int record) { return (record < 50 ? 9.0 : 2.0) - 0.02 * (record % 50); };
  EXPECT_EQ(epochs_untold({50, 50}, other).run().segments.size(), 2u);
}

TEST(Assemble, PartsThatAreNoEpochsStayParts) {
  const auto falling = [](int record) { return 2 + 6 * std::exp(-record / 60.0); };
  // Runs of one configuration start where random weights are.
  EXPECT_EQ(epochs_untold({50, 50, 50}, [&](int i) { return falling(i % 50); }).run().segments.size(), 3u);
  // Nothing was learned: neither can be told from the other.
  EXPECT_EQ(epochs_untold({50, 50, 50}, [](int i) { return 3 + 0.01 * (i % 2); }).run().segments.size(), 3u);
  // Epochs are of one length; of two, both have to be whole.
  EXPECT_EQ(epochs_untold({50, 40, 50}, falling).run().segments.size(), 3u);
  EXPECT_EQ(epochs_untold({50, 60}, falling).run().segments.size(), 2u);
  EXPECT_EQ(epochs_untold({50, 40}, falling).run().segments.size(), 2u);
  // A checkpoint was loaded between them.
  Log log;
  for (int i = 0; i < 100; ++i) {
    if (i == 50) log.event(EventKind::kCheckpointLoaded);
    log.row(i % 50, {{"loss", falling(i)}});
  }
  EXPECT_EQ(log.run().segments.size(), 2u);
}

TEST(Assemble, TakesPlaceholdersAway) {
  Log log;
  for (int i = 1; i <= 40; ++i) log.row(i, {{"loss", 12.0 - 0.1 * i}, {"grad_norm", 0}, {"loss_scale", -1}});
  const assay::Run run = log.run();
  EXPECT_EQ(run.segments[0].find("grad_norm"), nullptr);
  EXPECT_EQ(run.segments[0].find("loss_scale"), nullptr);
  EXPECT_EQ(run.interpretations.size(), 2u);
}

TEST(Assemble, BelievesAZeroNormWhereTheLossIsFlat) {
  Log log;
  for (int i = 1; i <= 40; ++i) log.row(i, {{"loss", 10.82 + 0.001 * (i % 3)}, {"grad_norm", 0}});
  EXPECT_NE(log.run().segments[0].find("grad_norm"), nullptr);
}

TEST(Assemble, DropsStaleNormsThenDividesOutTheScale) {
  Log log;
  log.quirk(Quirk::kMaySitOnLossScale);
  log.row(1, {{"loss", 2.7}, {"loss_scale", 1048576}, {"grad_norm", 453082.517}});
  log.row(2, {{"loss", 2.6}, {"loss_scale", 1048576}, {"grad_norm", 464441.887}});
  log.event(EventKind::kOverflow);
  log.row(3, {{"loss", 4.3}, {"loss_scale", 524288}, {"grad_norm", 464441.887}});
  log.row(4, {{"loss", 4.4}, {"loss_scale", 262144}, {"grad_norm", 113000.25}});
  const assay::Run run = log.run();
  const Numbers norms = values(run.segments[0], "grad_norm");
  ASSERT_EQ(norms.size(), 3u);
  EXPECT_NEAR(norms[0], 0.432, 1e-3);
  EXPECT_NEAR(norms[2], 0.431, 1e-3);
  EXPECT_EQ(told(run, "grad-norm-stale")->count, 1);
}

TEST(Assemble, LeavesNormsThatDoNotFollowTheScale) {
  Log log;
  for (int i = 1; i <= 60; ++i)
    log.row(i, {{"loss", 3}, {"loss_scale", std::exp2(16 + i / 20)}, {"grad_norm", 0.3 + 0.01 * (i % 7)}});
  EXPECT_NEAR(values(log.run().segments[0], "grad_norm")[0], 0.31, 1e-12);
}

TEST(Assemble, BringsBitsToNats) {
  const assay::Run run = Log().quirk(Quirk::kInBits).row(1, {{"loss", 16.475}}).row(2, {{"loss", 16.4}}).run();
  EXPECT_NEAR(values(run.segments[0], "loss")[0], 11.4196, 1e-4);
}

TEST(Assemble, ThePerplexityTellsThatALossIsInBits) {
  const auto with = [](double base, double smoothing = 1) {
    Log log;
    for (int i = 0; i < 20; ++i) {
      const double x = 8.0 - 0.2 * i;
      const double perplexity = std::round(100 * std::pow(base, x)) / 100;
      log.row(i, {{"loss", smoothing * x}, {"nll_loss", x}, {"perplexity", perplexity}});
    }
    return log.run();
  };
  EXPECT_NEAR(values(with(2, 1.3).segments[0], "loss")[0], 1.3 * 8.0 * std::log(2.0), 1e-9);  // nll_loss tells
  const assay::Run bits = with(2);
  EXPECT_NEAR(values(bits.segments[0], "loss")[0], 8.0 * std::log(2.0), 1e-9);
  EXPECT_NE(told(bits, "loss-from-bits-of-perplexity"), nullptr);
  const assay::Run nats = with(std::exp(1.0));
  EXPECT_EQ(values(nats.segments[0], "loss")[0], 8.0);
  EXPECT_EQ(told(nats, "loss-from-bits-of-perplexity"), nullptr);
  // A perplexity of something else says nothing.
  EXPECT_EQ(values(with(3).segments[0], "loss")[0], 8.0);
  Log evaluation;
  for (int i = 0; i < 20; ++i) {
    evaluation.row(
        i, {{"loss", 3.0 - 0.1 * i}, {"eval_loss", 4.0 - 0.1 * i}, {"eval_perplexity", std::exp2(4.0 - 0.1 * i)}});
  }
  const assay::Run both = evaluation.run();
  EXPECT_EQ(values(both.segments[0], "loss")[0], 3.0);
  EXPECT_NEAR(values(both.segments[0], "eval_loss")[0], 4.0 * std::log(2.0), 1e-9);
}

TEST(Assemble, MultipliesALossDividedByTheAccumulation) {
  Log log;
  log.setting("gradient_accumulation_steps", "4");
  for (int i = 1; i <= 40; ++i) {
    log.row(i, {{"loss", 2.6 - 0.02 * i}}, 1);
    if (i % 10 == 0) log.row(i, {{"eval_loss", 4 * (2.6 - 0.02 * i)}}, 2);
  }
  EXPECT_NEAR(values(log.run().segments[0], "loss")[0], 4 * 2.58, 1e-9);
}

TEST(Assemble, LeavesAFineTuningLossWithAccumulationAlone) {
  Log alone, overfits;  // the second passes the factor on its way
  for (Log* log : {&alone, &overfits}) log->setting("gradient_accumulation_steps", "4");
  for (int i = 1; i <= 60; ++i) {
    alone.row(i, {{"loss", 1.9 - 0.03 * i}});
    overfits.row(i, {{"loss", 1.9 - 0.03 * i}}, 1);
    if (i % 5 == 0) overfits.row(i, {{"eval_loss", 1.8 + 0.005 * i}}, 2);
  }
  EXPECT_NEAR(values(alone.run().segments[0], "loss")[0], 1.87, 1e-9);
  EXPECT_NEAR(values(overfits.run().segments[0], "loss")[0], 1.87, 1e-9);
}

TEST(Assemble, DividesALossSummedOverTheAccumulation) {
  Log log;
  log.setting("gradient_accumulation_steps", "8");
  for (int i = 1; i <= 10; ++i) log.row(i, {{"loss", 83.7 - i}});
  EXPECT_NEAR(values(log.run().segments[0], "loss")[0], 82.7 / 8, 1e-9);
}

TEST(Assemble, AnEmptyRecordingIsARunWithOneEmptySegment) {
  const assay::Run run = Log().run();
  ASSERT_EQ(run.segments.size(), 1u);
  EXPECT_TRUE(run.segments[0].empty());
}

// The invariant that rules rely on, over random recordings: rows and steps of each segment do not fall, nothing is
// lost but what the plan counts.
TEST(Assemble, StepsNeverFallWithinASegment) {
  std::uint64_t state = 88172645463325252ULL;
  const auto random = [&](std::uint64_t below) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state % below;
  };
  for (int trial = 0; trial < 300; ++trial) {
    Log log;
    std::int64_t step = 0;
    for (int i = 0; i < 200; ++i) {
      const auto what = random(20);
      step = what == 0 ? static_cast<std::int64_t>(random(500)) : step + static_cast<std::int64_t>(random(3));
      const std::int64_t own = what == 1 ? kNoStep : what == 2 ? static_cast<std::int64_t>(random(1000)) : step;
      if (random(5) == 0) {
        log.row(own, {{"eval_loss", 2.0}}, 1);
      } else {
        log.row(own, {{"loss", static_cast<double>(random(100))}, {"learning_rate", 0.1}}, 0,
                static_cast<std::int64_t>(random(3)) - 1);
      }
    }
    const assay::Run run = log.run();
    for (const Segment& segment : run.segments) {
      for (std::size_t i = 1; i < segment.rows->size(); ++i)
        ASSERT_LE(segment.rows->step[i - 1], segment.rows->step[i]);
      for (const Series& series : segment.series) {
        for (std::size_t i = 1; i < series.size(); ++i) ASSERT_LT(series.row_of(i - 1), series.row_of(i));
        ASSERT_LT(series.row_of(series.size() - 1), segment.rows->size());
      }
    }
  }
}

// An error in the middle, with records behind it; opens: what stands between.
assay::Run with_error(int before, int behind, std::optional<EventKind> opens = {}, int back = 0) {
  Log log;
  for (int i = 1; i <= before; ++i) log.row(i, {{metric::kLoss, 3 - 0.01 * i}});
  log.event(EventKind::kAborted);
  if (opens) log.event(*opens);
  for (int i = before + 1; i <= before + behind; ++i) log.row(i - back, {{metric::kLoss, 3 - 0.01 * i}});
  return log.run();
}

TEST(Assemble, AnErrorThatTheRunSurvivesIsNoAbort) {
  EXPECT_TRUE(with_error(20, 20).events.empty());
  EXPECT_TRUE(with_error(0, 20).events.empty());
  EXPECT_EQ(with_error(20, 2).events.size(), 1U);                                 // what other ranks still print
  EXPECT_EQ(with_error(20, 20, EventKind::kCheckpointLoaded).events.size(), 2U);  // resumed at the same step
  EXPECT_EQ(with_error(20, 20, {}, 10).events.size(), 1U);                        // started again
}

// MLPerf's language models count samples under "epoch_num".
TEST(Assemble, ABillionEpochsAreNone) {
  Log log;
  for (int i = 1; i <= 6; ++i) log.row(i, {{"loss", 3.0}, {"epoch", 50'331'648.0 * i}});
  const assay::Run run = log.run();
  EXPECT_EQ(run.segments[0].find("epoch")->unit, Unit::kNone);
  ASSERT_EQ(run.interpretations.size(), 1U);
  EXPECT_EQ(run.interpretations[0].key, "epochs-count-samples");
  Log epochs;
  for (int i = 1; i <= 6; ++i) epochs.row(i, {{"loss", 3.0}, {"epoch", 10.0 * i}});
  EXPECT_TRUE(epochs.run().interpretations.empty());
}

}  // namespace
}  // namespace assay
