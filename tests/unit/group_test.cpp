// Which files are one run: small folders of every layout, and near twins that have to stay apart.

#include "engine/group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "format/reader.h"
#include "format/records/event_file_writer.h"
#include "unit/record_bytes.h"
#include "unit/support/run_files.h"

namespace assay {
namespace {

using test::console;
using test::dictionaries;
using test::Formula;
using test::jsonl;
using test::loss_of;
using test::mean_of;
using test::printed;
using test::Span;
using test::table;
using test::then;
using test::trainer_state;
using test::with_spike;

using Folder = std::map<std::string, std::string>;  // path -> text

const char* word(SourceRole role) {
  switch (role) {
    case SourceRole::kMain: return "main";
    case SourceRole::kSame: return "same";
    case SourceRole::kMore: return "more";
    case SourceRole::kPart: return "part";
    case SourceRole::kRank: return "rank";
    case SourceRole::kMessages: return "messages";
    case SourceRole::kSettings: return "settings";
    case SourceRole::kSummary: return "summary";
  }
  return "";
}

// "main a.log, same b.csv; main c.log": the groups by their main files.
std::string groups(const Folder& folder, bool backwards = false, bool named = false) {
  std::vector<Fingerprint> prints;
  for (const auto& [path, text] : folder) {
    prints.push_back(fingerprint(read_bytes(path, text), points_for(folder.size())));
    prints.back().path = path;
    prints.back().named = named;
  }
  if (backwards) std::reverse(prints.begin(), prints.end());
  const Grouping found = group_files(prints);
  std::vector<std::string> lines;
  for (const RunGroup& group : found.groups) {
    std::string line;
    for (const GroupMember& one : group.members)
      line += (line.empty() ? "" : ", ") + std::string(word(one.role)) + " " + prints[one.file].path;
    lines.push_back(line);
  }
  for (const LooseSettings& one : found.loose)
    lines.push_back("loose " + prints[one.file].path + " of " + std::to_string(one.runs));
  for (const UnusedSettings& one : found.unused) lines.push_back("unused " + prints[one.file].path + ": " + one.why);
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (const std::string& line : lines) out += (out.empty() ? "" : "; ") + line;
  return out;
}

// The same whatever the order of the files.
void expect(const Folder& folder, const std::string& wanted) {
  EXPECT_EQ(groups(folder), wanted);
  EXPECT_EQ(groups(folder, true), wanted) << "backwards";
}

TEST(Group, TheSameNumbersAreOneRunWhateverTheNames) {
  const Formula loss = loss_of(1);
  expect({{"logs/out.txt", console(loss)}, {"tables/x.csv", table(loss)}}, "main tables/x.csv, same logs/out.txt");
  // A console that prints every tenth step with fewer digits.
  expect({{"a.log", console(loss, {10, 400, 10}, "%.3f")}, {"b.csv", table(loss)}}, "main b.csv, same a.log");
  // Single precision, as event files hold it.
  const Formula single = [loss](std::int64_t s) { return static_cast<double>(static_cast<float>(loss(s))); };
  expect({{"a.log", console(loss, {10, 400, 10})}, {"b.csv", table(single, {1, 400}, "%.17g")}},
         "main b.csv, same a.log");
  expect({{"a.log", console(loss)}, {"copy of a.log", console(loss)}}, "main a.log, same copy of a.log");
}

TEST(Group, SparseConsolesOfLongRunsAreFound) {
  const Formula loss = loss_of(3);
  for (const std::int64_t every : {50, 100, 250}) {
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1}, every - 1, every}) {
      const Folder folder = {{"a.log", console(loss, {first, 30000, every})}, {"b.csv", table(loss, {0, 30000})}};
      EXPECT_EQ(groups(folder), "main b.csv, same a.log") << every << " from " << first;
    }
  }
}

TEST(Group, SeedsStayApart) {
  Folder folder;
  std::string wanted;
  for (int seed = 1; seed <= 8; ++seed) {
    const std::string path = "seed" + std::to_string(seed) + ".log";
    folder[path] = console(loss_of(static_cast<std::uint64_t>(seed)), {1, 400}, "%.2f");
    wanted += (wanted.empty() ? "main " : "; main ") + path;
  }
  expect(folder, wanted);
}

TEST(Group, SmoothCurvesOfFewDigitsProveNothing) {
  // Evaluations of two seeds: the same to two decimals more often than not.
  const auto smooth = [](double shift) {
    return [=](std::int64_t s) { return 2 + 4 * std::exp(-static_cast<double>(s) / 150) + shift; };
  };
  expect({{"a.log", console(smooth(0), {100, 400, 100}, "%.2f")},
          {"b.log", console(smooth(0.001), {100, 400, 100}, "%.2f")}},
         "main a.log; main b.log");
  expect({{"a.log", console(smooth(0), {1, 400}, "%.1f")}, {"b.log", console(smooth(0.001), {1, 400}, "%.1f")}},
         "main a.log; main b.log");
}

TEST(Group, ARepetitionThatDiffersAtOneStepIsAnotherRun) {
  const Formula loss = loss_of(1);
  expect({{"a.log", console(loss)}, {"b.log", console(with_spike(loss, 200, 9))}}, "main a.log; main b.log");
}

TEST(Group, SweepsStayApart) {
  expect({{"lr1e-3.log", console(loss_of(1), {}, "%.4f", 1e-3)}, {"lr3e-3.log", console(loss_of(2), {}, "%.4f", 3e-3)}},
         "main lr1e-3.log; main lr3e-3.log");
  expect({{"a/train.log", console(loss_of(1))}, {"b/train.log", console(loss_of(2))}},
         "main a/train.log; main b/train.log");
  // The same configuration twice.
  expect({{"run1/train.log", console(loss_of(1))},
          {"run1/config.json", "{\"learning_rate\": 0.001}"},
          {"run2/train.log", console(loss_of(2))},
          {"run2/config.json", "{\"learning_rate\": 0.001}"}},
         "main run1/train.log, settings run1/config.json; main run2/train.log, settings run2/config.json");
}

TEST(Group, RunsThatStartFromOneCheckpointStayApart) {
  const Formula base = loss_of(1);
  const Formula b = then(base, 200, loss_of(2));
  const Formula c = then(base, 200, loss_of(3));
  expect({{"b.log", console(b)}, {"c.log", console(c)}}, "main b.log; main c.log");
  // Late, too: what is common is nine tenths.
  expect({{"b.log", console(then(base, 385, loss_of(2)))}, {"c.log", console(base)}}, "main b.log; main c.log");
  // Each with its own steps only: whose past is the common one?
  expect({{"run_base.log", console(base, {1, 200})},
          {"run_b.log", console(b, {201, 400})},
          {"run_c.log", console(c, {201, 400})}},
         "main run_b.log; main run_base.log; main run_c.log");
  expect({{"log.1", console(base, {1, 200})}, {"log.2", console(b, {201, 400})}, {"log.3", console(c, {201, 400})}},
         "main log.1; main log.2; main log.3");
}

TEST(Group, RestartsAndRotationsArePartsOfOneRun) {
  const Formula loss = loss_of(1);
  expect({{"train.log.2", console(loss, {1, 150})},
          {"train.log.1", console(loss, {151, 300})},
          {"train.log", console(loss, {301, 400})}},
         "main train.log.2, part train.log.1, part train.log");
  // After a restart the steps since the checkpoint come again, with other data.
  const Formula again = then(loss, 100, loss_of(9));
  expect({{"slurm-101.out", console(loss, {1, 150})}, {"slurm-102.out", console(again, {101, 400})}},
         "main slurm-101.out, part slurm-102.out");
  expect({{"train_20240101.log", console(loss, {1, 150})}, {"train_20240102.log", console(again, {101, 400})}},
         "main train_20240101.log, part train_20240102.log");
  expect({{"run.log", console(loss, {1, 150})}, {"run_resume.log", console(again, {101, 400})}},
         "main run.log, part run_resume.log");
  // From the start again: another run.
  expect({{"train_20240101.log", console(loss, {1, 150})}, {"train_20240102.log", console(loss_of(5), {1, 400})}},
         "main train_20240101.log; main train_20240102.log");
  // With another learning rate.
  expect({{"slurm-101.out", console(loss, {1, 150})}, {"slurm-102.out", console(again, {101, 400}, "%.4f", 5e-4)}},
         "main slurm-101.out; main slurm-102.out");
}

TEST(Group, CheckpointsHoldTheHistoryUpToThem) {
  const Formula loss = loss_of(1);
  Folder folder = {{"out/trainer_state.json", trainer_state(loss, {10, 400, 10})},
                   {"out/all_results.json", "{\"train_loss\": 2.5, \"train_runtime\": 12.5}"},
                   {"train.log", dictionaries(loss, {10, 400, 10})}};
  std::string wanted = "main out/trainer_state.json, same train.log";
  for (const std::int64_t step : {20, 100, 200, 400}) {
    const std::string path = "out/checkpoint-" + std::to_string(step) + "/trainer_state.json";
    folder[path] = trainer_state(loss, {10, step, 10});
  }
  for (const char* step : {"100", "20", "200", "400"}) {
    wanted += std::string(", same out/checkpoint-") + step + "/trainer_state.json";
  }
  expect(folder, wanted + ", summary out/all_results.json");
  // A folder that was used twice: the older checkpoint is of another run.
  expect({{"out/trainer_state.json", trainer_state(loss, {10, 400, 10})},
          {"out/checkpoint-500/trainer_state.json", trainer_state(loss_of(2), {10, 300, 10})}},
         "main out/checkpoint-500/trainer_state.json; main out/trainer_state.json");
}

TEST(Group, LayoutsOfOneRun) {
  const Formula loss = loss_of(1);
  const Formula mean = mean_of(loss, 10);
  expect({{"lightning_logs/version_0/metrics.csv", table(loss)},
          {"lightning_logs/version_1/metrics.csv", table(loss_of(2))}},
         "main lightning_logs/version_0/metrics.csv; main lightning_logs/version_1/metrics.csv");
  expect({{"out/trainer_log.jsonl", jsonl(mean, {10, 400, 10})},
          {"out/trainer_state.json", trainer_state(loss, {10, 400, 10})}},
         "main out/trainer_state.json, more out/trainer_log.jsonl");
  expect({{"wandb/run-20240101_120000-abc/files/output.log", console(mean, {10, 400, 10})},
          {"wandb/run-20240101_120000-abc/files/wandb-history.jsonl", jsonl(loss)},
          {"wandb/run-20240101_120000-abc/files/wandb-summary.json", "{\"final\": 2.5, \"other\": 3}"},
          {"wandb/run-20240102_120000-def/files/output.log", console(loss_of(3), {10, 400, 10})}},
         "main wandb/run-20240101_120000-abc/files/wandb-history.jsonl, more "
         "wandb/run-20240101_120000-abc/files/output.log, summary "
         "wandb/run-20240101_120000-abc/files/wandb-summary.json; main "
         "wandb/run-20240102_120000-def/files/output.log");
  expect({{"train.log", console(mean, {10, 400, 10})}, {"metrics.csv", table(loss)}},
         "main metrics.csv, more train.log");
  expect({{"a/train.log", console(mean, {10, 400, 10})}, {"b/metrics.csv", table(loss)}},
         "main a/train.log; main b/metrics.csv");
  // Two of a kind: nothing tells which the table is of.
  expect({{"one.log", console(mean, {10, 400, 10})},
          {"two.log", console(loss_of(2), {10, 400, 10})},
          {"metrics.csv", table(loss_of(3))}},
         "main metrics.csv; main one.log; main two.log");
  // Names with other numbers.
  expect({{"seed1.log", console(mean, {10, 400, 10})}, {"seed2.csv", table(loss)}}, "main seed1.log; main seed2.csv");
}

// An event file with one tag, begun at a clock.
std::string events(const std::string& tag, const Formula& values, Span span = {}, double clock = 1.7e9) {
  EventFileWriter writer(clock);
  for (std::int64_t step = span.first; step <= span.last; step += span.every)
    writer.scalar(tag, step, static_cast<float>(values(step)));
  return writer.bytes();
}

TEST(Group, EvaluationInAFolderOfItsOwn) {
  const Formula train = loss_of(1);
  const Formula eval = loss_of(2);
  expect({{"logs/train/events.out.tfevents.1.a", events("epoch_loss", train)},
          {"logs/validation/events.out.tfevents.1.a", events("epoch_loss", eval)}},
         "main logs/train/events.out.tfevents.1.a, more logs/validation/events.out.tfevents.1.a");
  expect({{"runs/Loss_train/events.out.tfevents.1.a", events("Loss", train)},
          {"runs/Loss_test/events.out.tfevents.1.a", events("Loss", eval)}},
         "main runs/Loss_train/events.out.tfevents.1.a, more runs/Loss_test/events.out.tfevents.1.a");
  expect({{"model/events.out.tfevents.1.a", events("loss", train)},
          {"model/eval/events.out.tfevents.2.a", events("loss", eval)}},
         "main model/events.out.tfevents.1.a, more model/eval/events.out.tfevents.2.a");
  // Of two runs, and a folder that only sounds like it.
  expect({{"runs/a_train/events.out.tfevents.1.a", events("loss", train)},
          {"runs/b_val/events.out.tfevents.1.a", events("loss", eval)}},
         "main runs/a_train/events.out.tfevents.1.a; main runs/b_val/events.out.tfevents.1.a");
  expect({{"runs/smoke/events.out.tfevents.1.a", events("loss", train)},
          {"runs/smoke_test/events.out.tfevents.1.a", events("loss", eval)}},
         "main runs/smoke/events.out.tfevents.1.a; main runs/smoke_test/events.out.tfevents.1.a");
}

TEST(Group, PartsStandInTheOrderOfTheirClocks) {
  const Formula loss = loss_of(1);
  // The second attempt began anew, below the first one's steps.
  expect({{"runs/events.out.tfevents.1.b", events("loss", loss_of(2), {1, 300}, 2e9)},
          {"runs/events.out.tfevents.2.a", events("loss", loss, {50, 400}, 1e9)}},
         "main runs/events.out.tfevents.2.a, part runs/events.out.tfevents.1.b");
}

std::string wandb(const std::string& id, const Formula& loss, Span span) {
  std::vector<std::string> records{bytes::text(17, bytes::text(1, id))};
  for (std::int64_t step = span.first; step <= span.last; step += span.every) {
    records.push_back(
        bytes::history(static_cast<std::uint64_t>(step),
                       bytes::item("_step", std::to_string(step)) + bytes::item("loss", printed("%.6f", loss(step)))));
  }
  return bytes::wandb_file(records);
}

TEST(Group, ARunHasTheNameThatAServiceGaveIt) {
  const Formula loss = loss_of(1);
  expect({{"a/run-1-x/run-x.wandb", wandb("x", loss, {1, 300})},
          {"b/run-2-x/run-x.wandb", wandb("x", loss_of(3), {280, 400})},
          {"b/run-2-y/run-y.wandb", wandb("y", loss_of(4), {280, 400})}},
         "main a/run-1-x/run-x.wandb, part b/run-2-x/run-x.wandb; main b/run-2-y/run-y.wandb");
  // One name, other numbers at the same steps: another project's.
  expect({{"a/run-1-x/run-x.wandb", wandb("x", loss, {1, 300})},
          {"b/run-2-x/run-x.wandb", wandb("x", loss_of(3), {1, 300})}},
         "main a/run-1-x/run-x.wandb; main b/run-2-x/run-x.wandb");
}

std::string mlflow(const Formula& values) {
  std::string out;
  for (int step = 1; step <= 50; ++step) {
    out += std::to_string(1'700'000'000'000 + step * 1000LL) + " " + printed("%.6f", values(step)) + " " +
           std::to_string(step) + "\n";
  }
  return out;
}

TEST(Group, MetricsOfMlflowAreOfTheRunWhoseFolderTheyAreIn) {
  expect({{"mlruns/0/run1/metrics/loss", mlflow(loss_of(1))},
          {"mlruns/0/run1/metrics/grad_norm", mlflow(loss_of(2))},
          {"mlruns/1/run1/metrics/loss", mlflow(loss_of(3))}},
         "main mlruns/0/run1/metrics/loss, more mlruns/0/run1/metrics/grad_norm; main mlruns/1/run1/metrics/loss");
}

TEST(Group, ATableIsOfAConsoleThatAveragesItAlone) {
  const Formula loss = loss_of(1);
  // Single values of two seeds, at all steps or at some.
  expect({{"train.log", console(loss)}, {"metrics.csv", table(loss_of(2))}}, "main metrics.csv; main train.log");
  expect({{"run.log", console(loss)}, {"run.csv", table(with_spike(loss_of(2), 200, 9))}},
         "main run.csv; main run.log");
  expect({{"train.log", console(loss, {10, 400, 10})}, {"metrics.csv", table(loss_of(2))}},
         "main metrics.csv; main train.log");
  for (const std::uint64_t seed : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U}) {
    // Means of another seed, of long runs too.
    for (const int every : {5, 10, 50, 100}) {
      const std::int64_t last = 40 * every;
      const Span span = {every, last, every};
      const Folder other = {{"train.log", console(mean_of(loss_of(seed), every), span)},
                            {"metrics.csv", table(loss, {1, last})}};
      EXPECT_EQ(groups(other), "main metrics.csv; main train.log") << seed << " every " << every;
      const Folder own = {{"train.log", console(mean_of(loss, every), span)}, {"metrics.csv", table(loss, {1, last})}};
      EXPECT_EQ(groups(own), "main metrics.csv, more train.log") << seed << " every " << every;
    }
  }
  // Counted from 0; and a mean with too few digits to tell whose it is.
  const Formula from_0 = [loss](std::int64_t step) { return mean_of(loss, 10)(step + 1); };
  expect({{"train.log", console(from_0, {9, 399, 10})}, {"metrics.csv", table(loss)}},
         "main metrics.csv, more train.log");
  expect({{"train.log", console(mean_of(loss, 10), {10, 400, 10}, "%.1f")}, {"metrics.csv", table(loss)}},
         "main metrics.csv; main train.log");
}

std::string training_events(const Formula& loss, Span span = {}) {
  EventFileWriter out(1.7e9);
  for (std::int64_t s = span.first; s <= span.last; s += span.every) {
    out.scalar("train/loss", s, static_cast<float>(loss(s)));
  }
  return out.bytes();
}

TEST(Group, AFolderOfEventFilesThatWasUsedTwiceHoldsTwoRuns) {
  const Formula loss = loss_of(1);
  const std::string first = "tb/events.out.tfevents.1700000000.host.1.0";
  const std::string second = "tb/events.out.tfevents.1700009000.host.2.0";
  const std::string third = "tb/events.out.tfevents.1700010000.host.3.0";
  expect({{first, training_events(loss)}, {second, training_events(loss_of(2))}}, "main " + first + "; main " + second);
  expect({{first, training_events(loss)},
          {second, training_events(loss_of(2))},
          {third, training_events(loss_of(2), {301, 500})}},
         "main " + first + "; main " + second + ", same " + third);
  // What goes on from a checkpoint, with other numbers since it, is a part.
  expect({{first, training_events(loss, {1, 200})}, {second, training_events(then(loss, 150, loss_of(2)), {151, 400})}},
         "main " + first + ", part " + second);
}

TEST(Group, NamesThatSaySomethingAreNamesOfRuns) {
  const Formula loss = loss_of(1);
  const Formula mean = mean_of(loss, 10);
  expect({{"gpt2.log", console(mean, {10, 400, 10})}, {"metrics.csv", table(loss)}}, "main metrics.csv, more gpt2.log");
  expect({{"baseline.log", console(mean, {10, 400, 10})}, {"improved.csv", table(loss)}},
         "main baseline.log; main improved.csv");
  expect({{"gpt2.log", console(mean, {10, 400, 10})}, {"gpt2.csv", table(loss)}, {"bert.log", console(loss_of(4))}},
         "main bert.log; main gpt2.csv, more gpt2.log");
}

TEST(Group, NumbersThatLookLikeDatesTellRunsApartToo) {
  const Formula loss = loss_of(1);
  const Formula mean = mean_of(loss, 10);
  expect({{"seed_123456.log", console(mean, {10, 400, 10})}, {"seed_654321.csv", table(loss)}},
         "main seed_123456.log; main seed_654321.csv");
  // The parts of one run are one name.
  expect({{"slurm-101.out", console(mean, {10, 200, 10})},
          {"slurm-102.out", console(mean, {210, 400, 10})},
          {"metrics.csv", table(loss)}},
         "main metrics.csv, more slurm-101.out, more slurm-102.out");
}

TEST(Group, SettingsThatDifferAreOfTwoRuns) {
  const std::string head = "weight_decay: 0.1\nseed: 1\n";
  const std::string other = "weight_decay: 0.01\nseed: 1\n";
  const std::string log = console(loss_of(1), {1, 40});
  ASSERT_EQ(groups({{"a.log", head + log}, {"b.log", head + log}}), "main a.log, same b.log");
  expect({{"a.log", head + log}, {"b.log", other + log}}, "main a.log; main b.log");
}

TEST(Group, ProcessesOfOneJob) {
  Folder folder;
  for (int rank = 0; rank < 4; ++rank) {
    folder["logs/rank_" + std::to_string(rank) + ".log"] = console(loss_of(50 + static_cast<std::uint64_t>(rank)));
  }
  expect(folder, "main logs/rank_0.log, rank logs/rank_1.log, rank logs/rank_2.log, rank logs/rank_3.log");
  expect({{"attempt_0/0/stdout.log", console(loss_of(1))}, {"attempt_0/1/stdout.log", console(loss_of(2))}},
         "main attempt_0/0/stdout.log, rank attempt_0/1/stdout.log");
  // A sweep over the rank of an adapter.
  expect(
      {{"rank_8.log", console(loss_of(1))}, {"rank_16.log", console(loss_of(2))}, {"rank_64.log", console(loss_of(3))}},
      "main rank_16.log; main rank_64.log; main rank_8.log");
}

TEST(Group, ErrorsBesideTheOutput) {
  const std::string error =
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nRuntimeError: bad\n";
  expect({{"slurm-7.out", console(loss_of(1))}, {"slurm-7.err", error}}, "main slurm-7.out, messages slurm-7.err");
  expect({{"slurm-7.out", console(loss_of(1))}, {"slurm-8.err", error}}, "main slurm-7.out; main slurm-8.err");
}

TEST(Group, SettingsGoToTheNearestRun) {
  const Formula loss = loss_of(1);
  const std::string settings = "{\"learning_rate\": 0.001, \"weight_decay\": 0.1}";
  expect({{"x.csv", table(loss)}, {"x.hparams.json", settings}, {"y.csv", table(loss_of(2))}},
         "main x.csv, settings x.hparams.json; main y.csv");
  expect({{"exp/run/train.log", console(loss)}, {"exp/run/config.json", settings}, {"exp/base.json", settings}},
         "main exp/run/train.log, settings exp/run/config.json, settings exp/base.json");
  expect({{"run/train.log", console(loss)}, {"run/configs/model.json", settings}},
         "main run/train.log, settings run/configs/model.json");
  // Two runs: the one that it does not contradict.
  const std::string other = "{\"learning_rate\": 0.003, \"weight_decay\": 0.1}";
  expect({{"a.log", console(loss, {}, "%.4f", 1e-3)},
          {"b.log", console(loss_of(2), {}, "%.4f", 3e-3)},
          {"config.json", other}},
         "main a.log; main b.log, settings config.json");
  // Two that it fits: neither.
  expect({{"a.log", console(loss)}, {"b.log", console(loss_of(2))}, {"config.json", settings}},
         "loose config.json of 2; main a.log; main b.log; settings config.json");
  expect({{"a.log", console(loss)}, {"tokenizer_config.json", settings}}, "main a.log; settings tokenizer_config.json");
}

TEST(Group, LaunchScriptsAreSettings) {
  const auto script = [](const char* rate) {
    return std::string("python train.py --lr ") + rate + " --max_steps 400\n";
  };
  const std::string log = console(loss_of(1), {}, "%.4f", 1e-3);
  const std::string refuted = ": its learning rate 0.003 is not that of the log, 0.001";
  expect({{"run/train.log", log}, {"run/run.sh", script("1e-3")}}, "main run/train.log, settings run/run.sh");
  // The only one beside a log that tells no rate of its own: that they contradict each other is a finding.
  expect({{"run/train.log", log}, {"run/run.sh", script("3e-3")}}, "main run/train.log, settings run/run.sh");
  expect({{"run/train.log", log}, {"run/train.sh", script("3e-3")}, {"run/b.sh", script("1e-3")}},
         "main run/train.log, settings run/train.sh, settings run/b.sh");
  expect({{"run/train.log", log}, {"run/a.sh", script("1e-3")}, {"run/b.sh", script("3e-3")}},
         "main run/train.log, settings run/a.sh; settings run/b.sh; unused run/b.sh" + refuted);
}

TEST(Group, WhatWasSeenRefutesSettings) {
  const std::string log = console(loss_of(1));
  const std::string refuted = ": its learning rate 0.003 is not that of the log, 0.001";
  // One that is alone beside the log, or right above it, belongs to it (config-drift); farther away it does not.
  const std::string other = "{\"learning_rate\": 0.003, \"weight_decay\": 0.1}";
  expect({{"a.log", log}, {"config.json", other}}, "main a.log, settings config.json");
  expect({{"out/a.log", log}, {"config.json", other}}, "main out/a.log, settings config.json");
  expect({{"x/out/a.log", log}, {"config.json", other}},
         "main x/out/a.log; settings config.json; unused config.json" + refuted);
  expect({{"a.log", log}, {"configs/x.json", other}},
         "main a.log; settings configs/x.json; unused configs/x.json" + refuted);
  expect({{"a.log", log}, {"config.json", "{\"learning_rate\": 0.001, \"max_steps\": 300}"}},
         "main a.log, settings config.json");
  expect({{"a.log", log}, {"config.json", "{\"max_steps\": 300}"}},
         "main a.log; settings config.json; unused config.json: its 300 steps are fewer than the log has, 400");
  expect({{"a.log", log}, {"config.json", "{\"learning_rate\": 0.001, \"max_steps\": -1}"}},
         "main a.log, settings config.json");
  // Named together with the log they belong to it: what contradicts it is a finding (config-drift).
  EXPECT_EQ(groups({{"a.log", log}, {"config.json", "{\"learning_rate\": 0.003}"}}, false, true),
            "main a.log, settings config.json");
  // By name of the run.
  expect({{"a.csv", table(loss_of(1))}, {"a.log", log}, {"a.hparams.json", "{\"learning_rate\": 0.003}"}},
         "main a.csv, same a.log, settings a.hparams.json");
  // Its peak may be above what is seen in the middle of a decay.
  expect({{"a.log", console(loss_of(1), {201, 400})}, {"config.json", "{\"learning_rate\": 0.003}"}},
         "main a.log, settings config.json");
  // A library: one that fits, or two that differ in something else.
  expect({{"a.log", log},
          {"configs/7b.yaml", "learning_rate: 0.003\nmax_steps: 900\n"},
          {"configs/13b.yaml", "learning_rate: 0.001\nmax_steps: 900\n"}},
         "main a.log, settings configs/13b.yaml; settings configs/7b.yaml; unused configs/7b.yaml" + refuted);
  const std::string rival = ": another configuration beside it says otherwise, and nothing tells which";
  expect({{"a.log", log},
          {"configs/x.yaml", "learning_rate: 0.001\nseed: 1\n"},
          {"configs/y.yaml", "learning_rate: 0.001\nseed: 2\n"}},
         "main a.log; settings configs/x.yaml; settings configs/y.yaml; unused configs/x.yaml" + rival +
             "; unused configs/y.yaml" + rival);
  // Elsewhere.
  expect({{"run/a.log", log}, {"other/config.yaml", "learning_rate: 0.001\nseed: 1\n"}},
         "main run/a.log; settings other/config.yaml; unused other/config.yaml: no run lies in its folder or below it");
}

TEST(Group, ManyFilesCostNoSquare) {
  std::vector<Fingerprint> prints;
  for (int i = 0; i < 3000; ++i) {
    const std::string path = "runs/" + std::to_string(i) + ".log";
    const auto seed = static_cast<std::uint64_t>(i % 1500);  // each twice
    prints.push_back(fingerprint(read_bytes(path, console(loss_of(seed), {1, 60})), points_for(3000)));
    prints.back().path = path;
  }
  const Grouping found = group_files(prints);
  EXPECT_EQ(found.groups.size(), 1500U);
}

}  // namespace
}  // namespace assay
