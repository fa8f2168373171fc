// One run from several files: what is joined, where each value stands, and that the order of files does not matter.

#include "measure/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "assay/check.h"
#include "assay/metric.h"
#include "format/reader.h"
#include "report/render.h"
#include "unit/stat_random.h"
#include "unit/support/run_files.h"
#include "unit/support/temp_folder.h"

namespace assay {
namespace {

using test::console;
using test::dictionaries;
using test::Formula;
using test::loss_of;
using test::printed;
using test::Random;
using test::table;
using test::trainer_state;
using test::with_spike;
using TrainingRun = assay::Run;
namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct File {
  std::string path;
  std::string text;
  SourceRole role = SourceRole::kMain;
};

TrainingRun joined(const std::vector<File>& files) {
  const auto is_settings = [](const File& one) {
    return one.role == SourceRole::kSettings || one.role == SourceRole::kSummary;
  };
  Joiner joiner;
  for (const bool settings : {true, false}) {
    for (const File& one : files) {
      if (is_settings(one) != settings) continue;
      Recording recording = read_bytes(one.path, one.text);
      settings ? joiner.add_settings(recording, one.role) : joiner.add(recording, one.role);
    }
  }
  return joiner.finish();
}

std::vector<double> values(const TrainingRun& run, std::string_view metric) {
  std::vector<double> out;
  for (const Segment& segment : run.segments) {
    if (const Series* series = segment.find(metric)) {
      out.insert(out.end(), series->values.span().begin(), series->values.span().end());
    }
  }
  return out;
}

std::vector<std::int64_t> steps(const TrainingRun& run, std::string_view metric) {
  std::vector<std::int64_t> out;
  for (const Segment& segment : run.segments) {
    const Series* series = segment.find(metric);
    for (std::size_t i = 0; series != nullptr && i < series->size(); ++i) out.push_back(series->step(i));
  }
  return out;
}

std::string place(const TrainingRun& run, std::int64_t line) {
  const Location where = run.location(line);
  return where.path + ":" + std::to_string(where.line);
}

TEST(Join, ACopyChangesNothing) {
  const std::string text = "saved checkpoint to /a at step 0\n" + console(loss_of(1)) + "OVERFLOW! Skipping step\n";
  const auto alone = joined({{"a.log", text}});
  const auto twice = joined({{"a.log", text}, {"b.log", text, SourceRole::kSame}});
  EXPECT_EQ(values(alone, metric::kLoss), values(twice, metric::kLoss));
  EXPECT_EQ(steps(alone, metric::kLoss), steps(twice, metric::kLoss));
  ASSERT_EQ(alone.events.size(), twice.events.size());
  for (std::size_t i = 0; i < alone.events.size(); ++i) {
    EXPECT_EQ(alone.events[i].line, twice.events[i].line);
    EXPECT_EQ(alone.events[i].rows_before, twice.events[i].rows_before);
  }
  EXPECT_EQ(alone.segments.size(), twice.segments.size());
  EXPECT_EQ(alone.segments[0].rows->size(), twice.segments[0].rows->size());
  EXPECT_EQ(alone.interpretations.size(), twice.interpretations.size());
  ASSERT_EQ(twice.copies.size(), 1U);
  EXPECT_EQ(place(twice, twice.copies[0].line[9]), "b.log:11");
}

TEST(Join, MetricsThatAreLackingKeepTheirPlace) {
  const auto run = joined({{"a.log", "x\ny\n" + console(loss_of(1))}, {"b.csv", table(loss_of(1)), SourceRole::kSame}});
  const Series* norm = run.segments[0].find(metric::kGradNorm);
  ASSERT_NE(norm, nullptr);
  ASSERT_EQ(norm->size(), 400U);
  const Series* loss = run.segments[0].find(metric::kLoss);
  for (const std::size_t i : {0U, 77U, 399U}) {
    EXPECT_EQ(norm->step(i), static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(norm->row_of(i), loss->row_of(i)) << "joined by row";
    EXPECT_EQ(place(run, norm->line(i)), "b.csv:" + std::to_string(i + 2));
    EXPECT_EQ(place(run, loss->line(i)), "a.log:" + std::to_string(i + 3));
  }
}

TEST(Join, TheDialectIsThatOfTheFileThatTellsATrainer) {
  std::string megatron;
  for (int i = 1; i <= 30; ++i) {
    megatron += " iteration " + std::to_string(i) +
                "/ 100 | consumed samples: 64 | elapsed time per iteration (ms): 100.0 | learning rate: 1.0E-04 | "
                "global batch size: 64 | lm loss: " +
                printed("%.6E", loss_of(1)(i)) + " | loss scale: 1.0 | grad norm: 1.0 |\n";
  }
  const File log = {"a.log", megatron, SourceRole::kSame};
  const File csv = {"b.csv", table(loss_of(1), {1, 30}), SourceRole::kMain};
  EXPECT_EQ(joined({csv}).dialect, "csv");
  EXPECT_EQ(joined({csv, log}).dialect, "megatron");
  EXPECT_EQ(joined({log, csv}).dialect, "megatron");
  EXPECT_EQ(joined({csv, {"c.log", console(loss_of(1), {1, 30}), SourceRole::kSame}}).dialect, "csv");
}

TEST(Join, RecordsOfOtherStepsAreAdded) {
  const auto run = joined(
      {{"a.log", console(loss_of(1), {10, 400, 10})}, {"b.csv", table(loss_of(2), {5, 405, 25}), SourceRole::kMore}});
  const Segment& segment = run.segments[0];
  EXPECT_EQ(values(run, metric::kLoss).size(), 40U) << "of another file they would be another quantity";
  ASSERT_EQ(values(run, metric::kGradNorm).size(), 17U);
  EXPECT_EQ(steps(run, metric::kGradNorm).front(), 5);
  EXPECT_EQ(steps(run, metric::kGradNorm).back(), 405);
  for (std::size_t i = 1; i < segment.rows->size(); ++i) EXPECT_LE(segment.rows->step[i - 1], segment.rows->step[i]);
  std::set<std::int64_t> all;
  for (std::int64_t s = 10; s <= 400; s += 10) all.insert(s);
  for (std::int64_t s = 5; s <= 405; s += 25) all.insert(s);
  EXPECT_EQ(segment.rows->size(), all.size());
  const Series* loss = segment.find(metric::kLoss);
  for (std::size_t i = 0; i < loss->size(); ++i) EXPECT_EQ(place(run, loss->line(i)), "a.log:" + std::to_string(i + 1));
}

// An event file is written late: the end of the run stands in the console alone.
TEST(Join, WhatLiesBehindTheEndIsTakenFromACopy) {
  const auto run =
      joined({{"b.csv", table(loss_of(1), {1, 390})},
              {"a.log", console(loss_of(1), {10, 400, 10}) + "step 410 | loss nan | lr 1.0e-03\n", SourceRole::kSame}});
  const std::vector<double> loss = values(run, metric::kLoss);
  ASSERT_EQ(loss.size(), 392U);
  EXPECT_TRUE(std::isnan(loss.back()));
  EXPECT_EQ(steps(run, metric::kLoss)[390], 400);
  EXPECT_EQ(place(run, run.segments[0].find(metric::kLoss)->line(391)), "a.log:41");
}

TEST(Join, AnotherQuantityOfTheSameNameIsNotMixedIn) {
  std::string clipped = "step,loss,grad_norm\n";
  for (std::int64_t s = 1; s <= 400; ++s)
    clipped += std::to_string(s) + "," + printed("%.6f", loss_of(1)(s)) + ",0.1\n";
  const auto run = joined({{"b.csv", table(loss_of(1), {1, 390})}, {"c.csv", clipped, SourceRole::kSame}});
  EXPECT_EQ(values(run, metric::kLoss).size(), 400U);
  EXPECT_EQ(values(run, metric::kGradNorm).size(), 390U);
}

TEST(Join, PartsThatFollowAreOneSegmentAndRestartsAreNot) {
  const Formula loss = loss_of(1);
  const auto rotated =
      joined({{"t.log.1", console(loss, {1, 200})}, {"t.log", console(loss, {201, 400}), SourceRole::kPart}});
  ASSERT_EQ(rotated.segments.size(), 1U);
  EXPECT_EQ(values(rotated, metric::kLoss), values(joined({{"t.log", console(loss)}}), metric::kLoss));
  EXPECT_EQ(place(rotated, rotated.segments[0].rows->line[200]), "t.log:1");
  const auto again =
      joined({{"t.log.1", console(loss, {1, 200})}, {"t.log", console(loss, {151, 400}), SourceRole::kPart}});
  ASSERT_EQ(again.segments.size(), 2U);
  EXPECT_EQ(again.segments[1].first_step(), 151);
  EXPECT_EQ(std::count_if(again.interpretations.begin(), again.interpretations.end(),
                          [](const Interpretation& one) { return one.key == "restarts"; }),
            1);
  // That the first one died is no error that was survived.
  const std::string died = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nRuntimeError: bad\n";
  const auto killed =
      joined({{"t.log.1", console(loss, {1, 200}) + died}, {"t.log", console(loss, {201, 400}), SourceRole::kPart}});
  EXPECT_EQ(killed.segments.size(), 2U);
  EXPECT_FALSE(killed.events.empty());
  EXPECT_EQ(killed.events.front().segment, 0);
}

TEST(Join, MessagesKeepTheirPlaceAmongTheRecords) {
  std::string log = console(loss_of(1), {10, 200, 10});
  log += "saving checkpoint at iteration 200 to /a\n  successfully saved checkpoint from iteration 200 to /a\n";
  log += console(loss_of(1), {210, 400, 10});
  const auto run = joined({{"b.csv", table(loss_of(1))}, {"a.log", log, SourceRole::kSame}});
  const auto saved = std::find_if(run.events.begin(), run.events.end(),
                                  [](const Event& one) { return one.kind == EventKind::kCheckpointSaved; });
  ASSERT_NE(saved, run.events.end());
  EXPECT_EQ(saved->rows_before, 200);
  EXPECT_THAT(place(run, saved->line), HasSubstr("a.log:2"));
  // Without records: at the end.
  const std::string died = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nRuntimeError: bad\n";
  const auto error = joined({{"a.log", console(loss_of(1))}, {"a.err", died, SourceRole::kMessages}});
  ASSERT_FALSE(error.events.empty());
  EXPECT_EQ(error.events.back().rows_before, 400);
  EXPECT_EQ(place(error, error.events.back().line), "a.err:3");
}

TEST(Join, DictionariesWithoutStepsTakeThoseOfTheirCopy) {
  const auto run = joined({{"state.json", trainer_state(loss_of(1), {10, 400, 10})},
                           {"a.log", dictionaries(loss_of(1), {10, 400, 10}), SourceRole::kSame}});
  EXPECT_EQ(values(run, metric::kLoss).size(), 40U);
  ASSERT_EQ(run.copies.size(), 1U);
  EXPECT_EQ(run.copies[0].step[5], 60);
  EXPECT_EQ(place(run, run.copies[0].line[5]), "a.log:6");
}

TEST(Join, AllSettingsStayAndTheNearestIsFound) {
  const auto run = joined({{"a.log", console(loss_of(1))},
                           {"a.hparams.json", "{\"weight_decay\": 0.1, \"seed\": 1}", SourceRole::kSettings},
                           {"config.json", "{\"weight_decay\": 0.2, \"hidden_size\": 64}", SourceRole::kSettings},
                           {"all_results.json", "{\"weight_decay\": 9, \"seed\": 9}", SourceRole::kSummary}});
  EXPECT_EQ(run.config.find("weight_decay")->value, "0.1");
  EXPECT_EQ(run.config.find("weight_decay")->where.path, "a.hparams.json");
  EXPECT_EQ(run.config.find("hidden_size")->value, "64");
  EXPECT_EQ(std::count_if(run.config.settings.begin(), run.config.settings.end(),
                          [](const Setting& one) { return one.key == "weight_decay"; }),
            2);
  EXPECT_EQ(run.sources.size(), 4U);
}

TEST(Join, ACutFileCutsTheRunOnlyWhereItCarriesItsEnd) {
  std::string cut = console(loss_of(1), {1, 200});
  cut.resize(cut.size() - 12);
  EXPECT_TRUE(joined({{"a.log", cut}}).truncated);
  EXPECT_FALSE(joined({{"a.csv", table(loss_of(1))}, {"a.log", cut, SourceRole::kSame}}).truncated);
  EXPECT_FALSE(joined({{"a.log", cut}, {"b.log", console(loss_of(1), {200, 400}), SourceRole::kPart}}).truncated);
}

TEST(Join, AnotherRankThatPrintsNanIsTold) {
  std::string sick = console(loss_of(2), {1, 300});
  for (int s = 301; s <= 400; ++s) sick += "step " + std::to_string(s) + " | loss nan | lr 1.00e-03\n";
  const auto run = joined({{"rank_0.log", console(loss_of(1))}, {"rank_1.log", sick, SourceRole::kRank}});
  const auto told = std::find_if(run.events.begin(), run.events.end(),
                                 [](const Event& one) { return one.kind == EventKind::kNonFinite; });
  ASSERT_NE(told, run.events.end());
  EXPECT_EQ(told->step, 301);
  EXPECT_EQ(place(run, told->line), "rank_1.log:301");
  EXPECT_THAT(told->text, HasSubstr("rank_1.log prints loss = NaN"));
}

// Random runs: restarts, steps that come again, gaps, metrics here and there.
Recording random_recording(Random& random, const std::string& path) {
  Recorder recorder(path);
  const std::vector<std::string> metrics = {"loss", "grad_norm", "eval_loss", "memory"};
  std::int64_t step = static_cast<std::int64_t>(random.below(20));
  const std::size_t rows = random.below(120);
  for (std::size_t i = 0; i < rows; ++i) {
    recorder.begin_row(step, static_cast<std::int64_t>(2 * i + 1));
    for (const std::string& metric : metrics) {
      if (random.below(3) > 0) recorder.put(recorder.column(metric, metric), random.uniform() + static_cast<double>(i));
    }
    if (random.below(30) == 0) {
      Event event;
      event.kind = random.below(2) == 0 ? EventKind::kAborted : EventKind::kCheckpointLoaded;
      event.line = static_cast<std::int64_t>(2 * i + 2);
      event.text = "message " + std::to_string(i);
      recorder.event(std::move(event));
    }
    step += static_cast<std::int64_t>(random.below(4));
    if (random.below(40) == 0) step = std::max<std::int64_t>(0, step - 25);
  }
  recorder.axis("step");
  return std::move(recorder).finish();
}

// Whatever is joined: rows and series rise, events stand within their segment, and each value is found at its place.
TEST(Join, HoldsTogetherWhateverIsJoined) {
  Random random(7);
  for (int round = 0; round < 400; ++round) {
    std::map<std::string, Recording> originals;
    Joiner joiner;
    const SourceRole roles[] = {SourceRole::kPart, SourceRole::kSame, SourceRole::kMore, SourceRole::kRank};
    const std::size_t files = 1 + random.below(4);
    std::size_t role = 0;
    for (std::size_t f = 0; f < files; ++f) {
      const std::string path = "f" + std::to_string(f);
      Recording recording = random_recording(random, path);
      originals[path] = recording;
      role = f == 0 ? 0 : std::max(role, random.below(4));
      joiner.add(recording, f == 0 ? SourceRole::kMain : roles[role]);
    }
    const auto run = joiner.finish();
    ASSERT_FALSE(run.segments.empty());
    for (const Segment& segment : run.segments) {
      const std::size_t rows = segment.empty() ? 0 : segment.rows->size();
      ASSERT_EQ(rows, segment.rows ? segment.rows->line.size() : 0);
      for (std::size_t i = 1; i < rows; ++i) ASSERT_LE(segment.rows->step[i - 1], segment.rows->step[i]);
      for (const Series& series : segment.series) {
        ASSERT_EQ(series.rows, segment.rows);
        ASSERT_EQ(series.row.size(), series.size());
        ASSERT_TRUE(series.own_line.empty() || series.own_line.size() == series.size());
        for (std::size_t i = 0; i < series.size(); ++i) {
          ASSERT_LT(series.row_of(i), rows);
          ASSERT_TRUE(i == 0 || series.row_of(i - 1) < series.row_of(i));
          const Location where = run.location(series.line(i));
          const Recording& original = originals.at(where.path);
          const auto own = std::find_if(original.series.begin(), original.series.end(),
                                        [&](const Series& one) { return one.metric == series.metric; });
          ASSERT_NE(own, original.series.end());
          bool found = false;
          for (std::size_t k = 0; k < own->size() && !found; ++k) {
            found = original.line[own->row_of(k)] == where.line && own->value(k) == series.value(i);
          }
          ASSERT_TRUE(found) << where.path << ":" << where.line << " " << series.metric;
        }
      }
    }
    int segment = 0;
    std::int64_t before = 0;
    for (const Event& event : run.events) {
      ASSERT_GE(event.segment, segment);
      if (event.segment > segment) before = 0;
      ASSERT_GE(event.rows_before, before);
      segment = event.segment;
      before = event.rows_before;
      ASSERT_LT(static_cast<std::size_t>(segment), run.segments.size());
      const Segment& own = run.segments[static_cast<std::size_t>(segment)];
      ASSERT_LE(event.rows_before, own.empty() ? 0 : static_cast<std::int64_t>(own.rows->size()));
    }
    for (const Copy& copy : run.copies) {
      ASSERT_LT(copy.segment, run.segments.size());
      ASSERT_EQ(run.location(copy.line.front()).path, run.sources[copy.source].path);
    }
  }
}

// --- the whole job on folders ---

class JoinedFolder : public ::testing::Test {
 protected:
  void SetUp() override { fs::current_path(folder_.path()); }
  void TearDown() override { fs::current_path("/"); }
  static void write(const std::string& name, const std::string& text) {
    if (const fs::path folder = fs::path(name).parent_path(); !folder.empty()) fs::create_directories(folder);
    std::ofstream(name) << text;
  }
  static Report run(const std::vector<std::string>& paths, unsigned jobs = 1, std::size_t held = SIZE_MAX) {
    CheckOptions options;
    options.ignore = {"hyper"};  // the files are about joining; their learning rate never changes
    options.jobs = jobs;
    options.held_bytes = held;
    return *check(paths, options);
  }
  static void write_many() {
    const Formula sick = with_spike(loss_of(1), 250, 11);
    write("one/train.log", console(sick, {10, 400, 10}));
    write("one/metrics.csv", table(sick));
    write("one/config.json", "{\"learning_rate\": 0.001}");
    for (std::uint64_t seed = 1; seed < 5; ++seed) {
      write("seeds/seed" + std::to_string(seed) + ".log", console(loss_of(10 + seed)));
    }
    write("again/t.log.1", console(loss_of(30), {1, 200}));
    write("again/t.log", console(loss_of(30), {151, 400}));
    for (std::uint64_t rank = 0; rank < 3; ++rank) {
      write("job/rank_" + std::to_string(rank) + ".log", console(loss_of(40 + rank)));
    }
    write("README.txt", "nothing\n");
  }
  TempFolder folder_;
};

TEST_F(JoinedFolder, OneFindingWithBothPlaces) {
  write_many();
  const Report report = run({"one"});
  ASSERT_EQ(report.runs.size(), 1U);
  ASSERT_EQ(report.findings.size(), 1U);
  const Finding& spike = report.findings[0];
  EXPECT_EQ(spike.name, "loss-spike");
  EXPECT_EQ(spike.where->path, "one/metrics.csv");
  EXPECT_EQ(spike.where->line, 251);
  ASSERT_EQ(spike.also.size(), 1U);
  EXPECT_EQ(spike.also[0].path, "one/train.log");
  EXPECT_EQ(spike.also[0].line, 25);
  EXPECT_EQ(spike.also[0].steps, spike.where->steps);
  for (const FileRecord& file : report.files) EXPECT_EQ(file.run, "one/metrics.csv") << file.path;
}

TEST_F(JoinedFolder, TheSameReportForAnyJobsAndAnyMemory) {
  write_many();
  const std::string one = render_json(run({"."}), {});
  for (const unsigned jobs : {1U, 2U, 5U}) {
    for (const std::size_t held : {std::size_t{0}, std::size_t{50'000}, SIZE_MAX}) {
      EXPECT_EQ(render_json(run({"."}, jobs, held), {}), one) << jobs << " jobs, " << held << " bytes";
    }
  }
}

TEST_F(JoinedFolder, TheOrderOfFilesDoesNotMatter) {
  write_many();
  std::vector<std::string> paths = {"one/train.log", "one/metrics.csv", "one/config.json", "again/t.log",
                                    "again/t.log.1"};
  const auto summary = [&] {
    const Report report = run(paths);
    std::set<std::string> out;
    for (const RunSummary& one : report.runs) {
      std::string line = one.id + " " + std::to_string(one.records) + " " + std::to_string(one.segments);
      for (const SourceSummary& source : one.sources) line += " " + source.path;
      out.insert(line);
    }
    for (const Finding& one : report.findings) {
      out.insert(one.id + ":" + std::to_string(one.where->line) + " " + std::to_string(one.also.size()));
    }
    return out;
  };
  const auto first = summary();
  EXPECT_EQ(first.size(), 4U) << "two runs, a spike and a restart";
  std::sort(paths.begin(), paths.end());
  do {
    EXPECT_EQ(summary(), first);
  } while (std::next_permutation(paths.begin(), paths.end()));
}

TEST_F(JoinedFolder, AFileAloneNamesWhatLiesBeside) {
  write_many();
  const Report report = run({"one/metrics.csv"});
  ASSERT_EQ(report.beside.size(), 1U);
  EXPECT_EQ(report.beside[0].path, "one/config.json");
  EXPECT_EQ(report.beside[0].role, SourceRole::kSettings);
  EXPECT_EQ(report.runs[0].sources.size(), 1U);
  EXPECT_THAT(run({"again/t.log"}).beside, ::testing::SizeIs(1));
  EXPECT_THAT(run({"seeds/seed1.log"}).beside, IsEmpty());
  EXPECT_THAT(run({"one"}).beside, IsEmpty());
  EXPECT_THAT(run({"one/metrics.csv", "one/train.log"}).beside, IsEmpty());
}

TEST_F(JoinedFolder, ManyFilesFitIntoLittleMemory) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    write("d/" + std::to_string(i) + ".log", console(loss_of(i + 100), {1, 20}));
  }
  const Report report = run({"d"}, 2, 1 << 20);
  EXPECT_EQ(report.runs.size(), 2000U);
  const Report whole = run({"d"}, 2);
  EXPECT_EQ(render_json(report, {}), render_json(whole, {}));
}

}  // namespace
}  // namespace assay
