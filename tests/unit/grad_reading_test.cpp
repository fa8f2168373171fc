// What the rules of the reading say of a ledger.

#include <gtest/gtest.h>

#include "assay/check.h"
#include "rules/rule.h"
#include "unit/support/complete.h"
#include "unit/support/make_run.h"

namespace assay {

extern const Rule kUnreadableInput;
extern const Rule kTruncatedInput;
extern const Rule kUnusedIgnore;

namespace {

std::vector<Finding> judge(const Rule& rule, const Report& read) {
  Findings out;
  rule.judge_reading(read, Parameters(rule.parameters, {}, rule.name), out);
  test::expect_complete(rule, out.found());
  return std::move(out.found());
}

Error error(ErrorCode code, std::string message, std::int64_t line = 0) {
  Location where;
  where.line = line;
  return {code, std::move(message), where, ""};
}

FileRecord good_file(const std::string& path, std::int64_t records = 1000) {
  FileRecord file;
  file.path = path;
  file.named = true;
  file.records = records;
  file.lines = records;
  return file;
}

FileRecord failed_file(const std::string& path, ErrorCode code, bool named) {
  FileRecord file;
  file.path = path;
  file.named = named;
  file.state = FileState::kFailed;
  file.error = error(code, "no");
  return file;
}

TEST(GradReading, CleanLedgersAreSilent) {
  Report read;
  read.files = {good_file("a.log"), good_file("b.log")};
  FileRecord passed_over;
  passed_over.path = "folder/picture.png";
  passed_over.state = FileState::kUnknown;
  read.files.push_back(passed_over);
  read.files[0].unused_lines = 5000;  // a console is full of lines that are no records
  for (const Rule* rule : {&kUnreadableInput, &kTruncatedInput, &kUnusedIgnore})
    EXPECT_TRUE(judge(*rule, read).empty());
}

TEST(GradReading, ANamedPathThatGaveNothingIsAnError) {
  Report read;
  read.files = {good_file("a.log"), failed_file("folder/locked.log", ErrorCode::kUnreadable, false),
                failed_file("b.log", ErrorCode::kNotFound, true)};
  const auto found = judge(kUnreadableInput, read);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].where->path, "b.log");
  ASSERT_EQ(found[0].also.size(), 1U);
  EXPECT_EQ(found[0].also[0].path, "folder/locked.log");
  ASSERT_FALSE(found[0].actions.empty());
  EXPECT_EQ(test::say(kUnreadableInput, found[0].actions[0].text), "check the path b.log");
}

TEST(GradReading, AnUnreadableFileInAFolderIsAWarning) {
  Report read;
  read.files = {good_file("a.log"), failed_file("folder/locked.log", ErrorCode::kUnreadable, false)};
  const auto found = judge(kUnreadableInput, read);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
}

TEST(GradReading, EveryKindOfFailureHasAnAction) {
  for (const ErrorCode code : {ErrorCode::kNotFound, ErrorCode::kUnreadable, ErrorCode::kUnrecognised,
                               ErrorCode::kCorrupt, ErrorCode::kTruncated, ErrorCode::kLimit, ErrorCode::kInternal}) {
    Report read;
    read.files = {failed_file("x", code, true)};
    const auto found = judge(kUnreadableInput, read);
    ASSERT_EQ(found.size(), 1U);
    ASSERT_EQ(found[0].actions.size(), 1U);
    EXPECT_EQ(test::say(kUnreadableInput, found[0].actions[0].text).find("no sentence"), std::string::npos);
  }
}

TEST(GradReading, DamageOfAContainerIsToldInBytes) {
  Report read;
  read.files = {good_file("run.wandb", 400)};
  read.files[0].bytes = 100'000;
  read.files[0].lost_bytes = 4'900;
  read.files[0].problems = {error(ErrorCode::kCorrupt, "a wrong checksum")};
  read.files[0].problem_count = 1;
  auto found = judge(kUnreadableInput, read);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  read.files[0].lost_bytes = 5'100;
  found = judge(kUnreadableInput, read);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(test::say(kUnreadableInput, found[0].message),
            "5,100 of 100,000 bytes of run.wandb are damaged and were passed over (5.1 %); first: a wrong checksum");
}

TEST(GradReading, NamesBeyondALimitAreAWarningBesideBrokenRecords) {
  Report read;
  read.files = {good_file("a.csv", 1000)};
  read.files[0].problems = {error(ErrorCode::kLimit, "more than 4096 keys"),
                            error(ErrorCode::kCorrupt, "no number", 17)};
  read.files[0].problem_count = 2;
  const auto found = judge(kUnreadableInput, read);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(test::say(kUnreadableInput, found[0].message), "1 broken record in a.csv (0.1 %); first: no number");
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(test::say(kUnreadableInput, found[1].message), "a.csv: more than 4096 keys");
  EXPECT_EQ(found[1].severity, Severity::kWarning);
}

TEST(GradReading, BrokenRecordsAreCountedAndPlaced) {
  Report read;
  read.files = {good_file("a.csv", 1000)};
  read.files[0].problems = {error(ErrorCode::kCorrupt, "9 cells where the header has 12", 17),
                            error(ErrorCode::kCorrupt, "9 cells where the header has 12", 30)};
  read.files[0].problem_count = 14;
  auto found = judge(kUnreadableInput, read);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].where->line, 17);
  EXPECT_EQ(found[0].also.size(), 1U);
  read.files[0].problem_count = 200;
  found = judge(kUnreadableInput, read);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
}

TEST(GradReading, ACutEndIsTruncatedAndNotBroken) {
  Report read;
  read.files = {good_file("a.log")};
  read.files[0].truncated = true;
  read.files[0].problems = {error(ErrorCode::kTruncated, "half a line", 1001)};
  read.files[0].problem_count = 1;
  EXPECT_TRUE(judge(kUnreadableInput, read).empty());
  auto found = judge(kTruncatedInput, read);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].where->line, 1001);
  EXPECT_EQ(found[0].where->path, "a.log");
  read.files[0].codec = "zstd";
  found = judge(kTruncatedInput, read);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_FALSE(found[0].actions.empty());
}

TEST(GradReading, IgnoresThatIgnoreNothingAreTold) {
  Report read;
  read.ignored = {{"loss-plateau", 0}, {"grad-norm-high", 2}, {"phenomenon", 0}};
  const auto found = judge(kUnusedIgnore, read);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(test::say(kUnusedIgnore, found[0].message), "--ignore loss-plateau suppresses nothing here");
  read.complete = false;
  EXPECT_TRUE(judge(kUnusedIgnore, read).empty()) << "what was not read might have been ignored";
}

// The same log with and without anything to ignore, through the whole of check().
TEST(GradReading, IgnoredFindingsAreCountedAndLeftOut) {
  const std::string folder = std::string(ASSAY_SOURCE_DIR) + "/tests/rules/unused-ignore/";
  CheckOptions options;
  options.ignore = {"grad-norm-spike"};
  for (const bool useful : {false, true}) {
    const auto report = check({folder + (useful ? "good.log" : "bad.log")}, options);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->ignored.size(), 1U);
    EXPECT_EQ(report->ignored[0].findings, useful ? 1 : 0);
    bool told = false;
    for (const Finding& one : report->findings) {
      EXPECT_NE(one.name, "grad-norm-spike");
      told = told || one.name == "unused-ignore";
    }
    EXPECT_NE(told, useful);
  }
}

}  // namespace
}  // namespace assay
