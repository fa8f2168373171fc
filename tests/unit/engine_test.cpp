// The engine: which files, which rules, in which order, and that a fault in one place stays there.

#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "assay/check.h"
#include "base/parallel.h"
#include "report/render.h"
#include "unit/support/temp_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Folder : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text = "x\n") { return folder_.write(name, text); }
  std::vector<std::string> names(const std::vector<std::string>& paths) {
    std::vector<std::string> out;
    for (const Input& input : discover(paths, nullptr).inputs) {
      out.push_back(fs::path(input.path).lexically_relative(root_).string() + (input.error ? " !" : ""));
    }
    return out;
  }

  TempFolder folder_;
  const fs::path root_ = folder_.path();
};

using DiscoverTest = Folder;

TEST_F(DiscoverTest, FoldersInTheOrderOfNamesWithoutWhatIsHidden) {
  for (const char* name : {"b/2.log", "a.log", "b/1.log", ".git/config", "b/.hidden", "c"}) write(name);
  EXPECT_THAT(names({root_.string()}), ElementsAre("a.log", "b/1.log", "b/2.log", "c"));
}

TEST_F(DiscoverTest, NamedPathsInTheOrderGivenHiddenOnesToo) {
  const std::string b = write("b.log");
  const std::string a = write(".a.log");
  EXPECT_THAT(names({b, a}), ElementsAre("b.log", ".a.log"));
}

TEST_F(DiscoverTest, LinksAreFollowedOnceAndLoopsEnd) {
  write("run/train.log");
  fs::create_directory_symlink(root_, root_ / "run" / "loop");
  fs::create_directory_symlink(root_ / "run", root_ / "again");
  fs::create_symlink(root_ / "nowhere", root_ / "run" / "dangling");
  EXPECT_THAT(names({root_.string()}), ElementsAre("again/train.log"));
}

TEST_F(DiscoverTest, AFileReachedTwiceIsReadOnce) {
  const std::string log = write("run/train.log");
  EXPECT_THAT(names({log, (root_ / "run").string(), log}), ElementsAre("run/train.log"));
}

TEST_F(DiscoverTest, FifosOfFoldersAreNotOpened) {
  write("a.log");
  ASSERT_EQ(mkfifo((root_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(names({root_.string()}), ElementsAre("a.log"));
}

TEST_F(DiscoverTest, WhatCannotBeReadIsAnErrorWithItsPath) {
  EXPECT_THAT(names({(root_ / "absent").string()}), ElementsAre("absent !"));
  const auto input = discover({(root_ / "absent").string()}, nullptr).inputs.at(0);
  EXPECT_EQ(input.error->code, ErrorCode::kNotFound);
  EXPECT_EQ(input.error->where.path, input.path);
}

TEST_F(DiscoverTest, DeepFoldersEnd) {
  std::string deep;
  for (int i = 0; i < 80; ++i) deep += "d/";
  write(deep + "train.log");
  const auto inputs = discover({root_.string()}, nullptr).inputs;
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].error->code, ErrorCode::kLimit);
}

TEST_F(DiscoverTest, AnInterruptEndsTheWalk) {
  write("a.log");
  const std::atomic<bool> interrupted = true;
  EXPECT_THAT(discover({root_.string()}, &interrupted).inputs, IsEmpty());
}

using CheckTest = Folder;

TEST_F(CheckTest, AbsentEmptyAndBinaryFilesAreToldAndTheRestIsRead) {
  const std::string empty = write("empty.log", "");
  const std::string binary =
      write("model.bin", std::string("\x01\x00\x02\x00\xff\xfe\x00\x00", 8) + std::string(1000, '\0'));
  const std::string absent = (root_ / "absent.log").string();
  const Result<Report> report = check({absent, empty, binary}, {});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->files.size(), 3u);
  EXPECT_EQ(report->files[0].error->code, ErrorCode::kNotFound);
  EXPECT_EQ(report->files[1].state, FileState::kNothingRead);
  EXPECT_EQ(report->files[2].state, FileState::kNothingRead);
  EXPECT_TRUE(some_named_path_failed(*report));
  EXPECT_FALSE(has_internal_fault(*report));
}

TEST_F(CheckTest, UnknownFilesOfAFolderAreCountedAndAnEmptyFolderIsTold) {
  write("model.bin", std::string(1000, '\0'));
  const Result<Report> report = check({root_.string()}, {});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->files.size(), 2u);
  EXPECT_EQ(report->files[0].state, FileState::kUnknown);
  EXPECT_EQ(report->files[1].path, root_.string());
  EXPECT_THAT(report->files[1].error->message, HasSubstr("among the one file below it"));
  EXPECT_TRUE(some_named_path_failed(*report));
}

TEST_F(CheckTest, TextsAndProgramsOfAFolderQuoteLogsAndAreNone) {
  std::string log;
  for (int i = 1; i <= 20; ++i) log += "step: " + std::to_string(i) + ", loss: " + std::to_string(3.0 / i) + "\n";
  const std::string notes = write("notes.md", log);
  write("train.log", log);
  const Result<Report> folder = check({root_.string()}, {});
  ASSERT_TRUE(folder);
  ASSERT_EQ(folder->files.size(), 2u);
  EXPECT_EQ(folder->files[0].state, FileState::kUnknown);
  EXPECT_EQ(folder->files[1].state, FileState::kRead);
  EXPECT_EQ(folder->runs.size(), 1u);
  const Result<Report> named = check({notes}, {});
  ASSERT_TRUE(named);
  EXPECT_EQ(named->runs.size(), 1u) << "what the user names is read";
}

TEST_F(CheckTest, SameBitsForAnyNumberOfJobs) {
  for (int i = 0; i < 40; ++i) write("run" + std::to_string(i) + ".txt", "nothing " + std::to_string(i) + "\n");
  std::string first;
  for (const unsigned jobs : {1u, 2u, 7u}) {
    CheckOptions options;
    options.jobs = jobs;
    const Result<Report> report = check({root_.string()}, options);
    ASSERT_TRUE(report);
    if (first.empty()) first = render_json(*report, {});
    EXPECT_EQ(render_json(*report, {}), first);
  }
}

TEST_F(CheckTest, AnInterruptLeavesAnIncompleteReport) {
  const std::string log = write("a.log");
  const std::atomic<bool> interrupted = true;
  CheckOptions options;
  options.interrupted = &interrupted;
  const Result<Report> report = check({log}, options);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->complete);
}

TEST(Plan, UnknownNamesAreRefused) {
  CheckOptions options;
  options.select = {"no-such-rule"};
  EXPECT_THAT(plan(options).error().message, HasSubstr("unknown rule or family 'no-such-rule'"));
  options.select.clear();
  options.parameters = {{"no-such-rule.x", 1.0}};
  EXPECT_THAT(plan(options).error().message, HasSubstr("unknown rule 'no-such-rule'"));
}

// Rules of the tests' own.
Rule a_rule(std::string_view name, void (*judge)(const Run&, const Parameters&, Findings&)) {
  Rule rule;
  rule.name = name;
  rule.family = "test";
  rule.judge = judge;
  return rule;
}

void throws(const Run&, const Parameters&, Findings&) { throw std::runtime_error("oops"); }
void abstains(const Run&, const Parameters&, Findings& out) { out.not_applicable("why"); }
void finds(const Run&, const Parameters&, Findings& out) {
  Finding finding;
  finding.confidence = 7;
  finding.where = Location{};
  out.add(finding);
}

TEST(Judge, ARuleThatThrowsIsToldAndTheOthersGoOn) {
  const Rule bad = a_rule("bad", throws);
  const Rule good = a_rule("good", finds);
  const Rule mute = a_rule("mute", abstains);
  const std::vector<const Rule*> rules = {&bad, &good, &mute};
  assay::Run run;
  run.id = "train.log";
  run.sources = {{"train.log", "text log", SourceRole::kMain, PlaceUnit::kLine, 0}};
  run.events.emplace_back();
  const Judgement judgement = judge_run(run, rules, {});
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].name, "good");
  EXPECT_EQ(judgement.findings[0].confidence, 1);
  EXPECT_EQ(judgement.findings[0].where->path, "train.log");
  ASSERT_EQ(judgement.faults.size(), 1u);
  EXPECT_EQ(judgement.faults[0].message, "rule bad failed: oops");
  EXPECT_EQ(judgement.faults[0].code, ErrorCode::kInternal);
  ASSERT_EQ(judgement.not_applied.size(), 3u);
  EXPECT_EQ(judgement.not_applied[2]->key, "why");
}

Finding a_finding(std::string name, Severity severity, double confidence, double impact = 1) {
  Finding finding;
  finding.name = std::move(name);
  finding.severity = severity;
  finding.confidence = confidence;
  finding.impact = impact;
  return finding;
}

std::vector<std::string> ids(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) out.push_back(finding.id);
  return out;
}

TEST(Rank, SeverityThenScoreThenName) {
  std::vector<Finding> findings = {a_finding("c", Severity::kNote, 1), a_finding("b", Severity::kWarning, 0.5),
                                   a_finding("a", Severity::kWarning, 0.5),
                                   a_finding("d", Severity::kWarning, 0.9, 0.9), a_finding("e", Severity::kError, 0.1)};
  rank(findings);
  EXPECT_THAT(ids(findings), ElementsAre("e", "d", "a", "b", "c"));
}

TEST(Rank, CausesStandBeforeTheirEffectsAndRingsEnd) {
  Finding effect = a_finding("effect", Severity::kError, 1);
  effect.because_of = {"cause"};
  Finding cause = a_finding("cause", Severity::kError, 0.3);
  cause.because_of = {"effect"};
  std::vector<Finding> findings = {effect, cause, a_finding("other", Severity::kError, 0.5)};
  rank(findings);
  EXPECT_THAT(ids(findings), ElementsAre("cause", "effect", "other"));
}

TEST(Rank, IdsAreUnique) {
  Finding finding = a_finding("a", Severity::kNote, 1);
  finding.where = Location{};
  finding.where->path = "x.log";
  std::vector<Finding> findings = {finding, finding, a_finding("a", Severity::kNote, 1)};
  rank(findings);
  EXPECT_THAT(ids(findings), ::testing::UnorderedElementsAre("a@x.log", "a@x.log#2", "a"));
}

TEST(ParallelThreads, EachIndexOnceForAnyNumberOfJobs) {
  for (const unsigned jobs : {0u, 1u, 3u, 16u}) {
    std::vector<std::atomic<int>> calls(1000);
    parallel_for(calls.size(), jobs, [&](std::size_t i) { ++calls[i]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
  parallel_for(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelThreads, TheLeastFailureIsThrownAfterAllTheWork) {
  std::atomic<int> done = 0;
  const auto work = [&](std::size_t i) {
    ++done;
    if (i % 10 == 3) throw std::runtime_error(std::to_string(i));
  };
  try {
    parallel_for(100, 4, work);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "3");
  }
  EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace assay
