// The report value and what it renders to.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <sstream>

#include "assay/check.h"
#include "base/display.h"
#include "report/render.h"
#include "report/verdict.h"
#include "support/sample_report.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// The checked-in example is what the code writes; the schema test and the command-line tests use it.
TEST(Report, SampleIsAsCheckedIn) {
  const std::string path = ASSAY_TEST_DATA "/report/sample.json";
  const std::string json = render_json(test::sample_report(), {});
  if (std::getenv("ASSAY_UPDATE") != nullptr) std::ofstream(path) << json;
  EXPECT_EQ(json, contents(path)) << "ASSAY_UPDATE=1 writes it anew";
}

TEST(Report, VerdictFirst) {
  const auto text = lines(render_text(test::sample_report(), {}));
  EXPECT_EQ(text[0], "2 errors, 1 warning in 2 runs.");
  EXPECT_THAT(text[1], StartsWith("Worst: a spike of the gradient norm, steps 2,052-2,060"));
}

TEST(Report, NoCauseIsClaimedWhereNoneIsKnown) {
  Report report = test::sample_report();
  report.findings.erase(report.findings.begin());
  EXPECT_EQ(headline(report, Language::kEnglish),
            "Worst: the loss diverged and did not come back, steps 2,080-2,799, in runs/7b/train.log; nothing "
            "that was read tells why");
}

TEST(Report, FootersSayWhatFilesWereTakenFor) {
  Report report = test::sample_report();
  EXPECT_THAT(render_text(report, {}),
              HasSubstr("from train.log (text log), metrics.csv (the same series), config.json"));
  EXPECT_THAT(render_text(report, {}), HasSubstr("runs/base.json: settings of one of 2 runs, used for none"));
  EXPECT_THAT(render_text(report, {}), HasSubstr("beside it, not read: runs.yaml (settings)"));
  for (int i = 0; i < 3; ++i) report.runs.push_back(report.runs[0]);
  EXPECT_THAT(render_text(report, {}),
              HasSubstr("13 files are 5 runs, beside the main ones: the same series 4, settings 4 (-v)"));
  const Result<Report> again = parse_report(render_json(report, {}));
  ASSERT_TRUE(again);
  EXPECT_EQ(render_text(*again, {}), render_text(report, {}));
}

TEST(Report, QuietIsTheVerdictAlone) {
  EXPECT_EQ(lines(render_text(test::sample_report(), {.quiet = true, .width = 120})).size(), 2u);
}

TEST(Report, NoLineIsWiderThanTheTerminal) {
  for (const int width : {60, 80, 100, 120}) {
    for (const Language language : {Language::kEnglish, Language::kChinese}) {
      for (const auto& text :
           {render_text(test::sample_report(), {.language = language, .verbose = true, .width = width}),
            render_reading(test::sample_report(), true, {.language = language, .width = width})}) {
        for (const std::string& line : lines(text)) EXPECT_LE(display_width(line), width) << line;
      }
    }
  }
}

TEST(Report, NothingOfTheInputSteersTheTerminal) {
  const Report report = test::sample_report();
  for (const bool verbose : {false, true}) {
    const RenderOptions options = {.verbose = verbose, .most = 0};
    for (const std::string& text : {render_text(report, options), render_reading(report, true, options),
                                    render_reading(report, false, options)}) {
      EXPECT_THAT(text, Not(HasSubstr("\x1b")));
      EXPECT_EQ(valid_utf8(text), text);
    }
  }
  EXPECT_THAT(render_text(report, {.most = 0}), HasSubstr("\\x1b[2Jevil \\xff.log"));
}

TEST(Report, ColourNeverSaysMoreThanTheText) {
  std::string coloured = render_text(test::sample_report(), {.colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[1;31merror"));
  std::string plain;
  for (std::size_t at = 0; at < coloured.size(); ++at) {
    if (coloured[at] == '\x1b')
      at = coloured.find('m', at);
    else
      plain += coloured[at];
  }
  EXPECT_EQ(plain, render_text(test::sample_report(), {}));
}

TEST(Report, AsciiWhereTheLocaleHasNoMore) {
  const std::string text = render_text(test::sample_report(), {.unicode = false, .verbose = true, .most = 0});
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80) << text.substr(0, 200);
  EXPECT_EQ(lines(text).size(), lines(render_text(test::sample_report(), {.verbose = true, .most = 0})).size());
}

TEST(Report, NotesAreCountedAndShownOnRequest) {
  EXPECT_THAT(render_text(test::sample_report(), {}), HasSubstr("1 note (-v)"));
  EXPECT_THAT(render_text(test::sample_report(), {}), Not(HasSubstr("the steps start again 1 time")));
  EXPECT_THAT(render_text(test::sample_report(), {.verbose = true}), HasSubstr("the steps start again 1 time"));
}

TEST(Report, FindingsBeyondTheLimitAreCounted) {
  EXPECT_THAT(render_text(test::sample_report(), {.most = 2}), Not(HasSubstr("(--all)"))) << "a line for one";
  EXPECT_THAT(render_text(test::sample_report(), {.most = 1}), HasSubstr("and 2 more (--all)"));
}

TEST(Report, EffectsPointAtTheirCauses) {
  EXPECT_THAT(render_text(test::sample_report(), {.width = 120}), HasSubstr("train.log:1938  follows finding 1\n"));
}

// A poor setting is a cause; what was seen first of an event is but its sign.
TEST(Report, CausesAndSignsHaveTheirWords) {
  Report report = test::sample_report();
  for (RuleRecord& rule : report.rules) {
    if (rule.name == report.findings[0].name) rule.tells_why = true;
  }
  EXPECT_THAT(render_text(report, {.width = 120}), HasSubstr("train.log:1938  caused by finding 1\n"));
  EXPECT_THAT(render_text(report, {.language = Language::kChinese, .width = 120}), HasSubstr("由问题 1 引起"));
  EXPECT_THAT(headline(report, Language::kEnglish), AllOf(HasSubstr("Most likely: "), HasSubstr("; it led to: ")));
  // A phenomenon may be a reason (a restart): that is told, and goes with the report.
  const std::string json = render_json(report, {});
  const auto again = parse_report(json);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(headline(*again, Language::kEnglish), headline(report, Language::kEnglish));
  // Older reports do not tell it: there every phenomenon is what happened.
  const auto older = parse_report(std::regex_replace(json, std::regex(R"("tells_why": ?(true|false),)"), ""));
  ASSERT_TRUE(older.has_value());
  EXPECT_THAT(headline(*older, Language::kEnglish), HasSubstr("Worst: "));
}

TEST(Report, ThresholdsThatWereSetAreTold) {
  Report report = test::sample_report();
  report.thresholds = {{"loss-spike.sigmas", 6, 8}};
  EXPECT_THAT(render_text(report, {}), HasSubstr("thresholds: loss-spike.sigmas = 6 (default 8)"));
  const auto again = parse_report(render_json(report, {}));
  ASSERT_TRUE(again.has_value());
  ASSERT_EQ(again->thresholds.size(), 1u);
  EXPECT_EQ(again->thresholds[0].standard, 8);
}

TEST(Report, StandardInputHasAName) {
  Report report = test::sample_report();
  report.findings.front().where->path = "-";
  EXPECT_THAT(render_text(report, {.width = 120}), HasSubstr("stdin:"));
}

TEST(Report, APlaceIsToldOnce) {
  Report report = test::sample_report();
  Finding& first = report.findings.front();
  first.also = {*first.where, *first.where};
  first.also.back().steps = StepRange{7, 9};
  first.also.push_back(first.also.back());
  EXPECT_THAT(render_text(report, {}), HasSubstr("also at steps 7-9\n"));
}

TEST(Report, PathsAreShortenedSoThatTheyDiffer) {
  Report report = test::sample_report();
  report.runs.clear();
  const std::string name = "/events.out.tfevents.1700000000.a-long-name-of-a-host.1.1";
  for (const char* folder : {"/scratch/loss_train", "/scratch/loss_val", "/scratch/x/y"}) {
    report.runs.push_back(test::sample_report().runs.front());
    report.runs.back().id = folder + name;
  }
  ASSERT_EQ(report.runs.size(), 3U);
  const std::string text = render_text(report, {.width = 200});
  EXPECT_THAT(text, HasSubstr("/loss_train" + name + ": "));
  EXPECT_THAT(text, HasSubstr("/loss_val" + name + ": "));
  EXPECT_THAT(text, HasSubstr("y" + name + ": "));
}

TEST(Report, PlacesAreBoundedAndTheRestIsCounted) {
  Report report = test::sample_report();
  Finding& first = report.findings.front();
  first.also.assign(100'000, *first.where);
  for (std::size_t i = 0; i < first.also.size(); ++i) {
    first.also[i].steps = StepRange{static_cast<std::int64_t>(i) + 7, static_cast<std::int64_t>(i) + 9};
  }
  EXPECT_THAT(render_text(report, {.width = 100}), HasSubstr("also at steps 7-9; 8-10; 9-11; "));
  EXPECT_THAT(render_text(report, {.width = 100}), HasSubstr("and 99,990 more"));
  const std::string verbose = render_text(report, {.verbose = true, .width = 10'000});
  EXPECT_THAT(verbose, HasSubstr("and 99,800 more"));
}

TEST(Report, ChineseHasNoEnglishSentenceLeft) {
  const std::string text = render_text(test::sample_report(), {.language = Language::kChinese, .most = 0});
  EXPECT_THAT(text, StartsWith("2 次运行中有 2 个错误、1 个警告。"));
  for (const char* english : {"error", "warning", "certain", "steps", "read ", "rules:", "do:"}) {
    EXPECT_THAT(text, Not(HasSubstr(english)));
  }
}

Report healthy(std::int64_t records) {
  Report report;
  RunSummary run = test::sample_run();
  run.records = records;
  run.steps = StepRange{1, records};
  run.planned_steps.reset();
  report.runs = {run};
  return report;
}

TEST(Verdict, HealthyRun) {
  EXPECT_EQ(verdict_line(healthy(19'560), Language::kEnglish), "No problem found in 1 run (19,560 steps).");
  Report report = healthy(19'560);
  report.findings.push_back(test::sample_findings().back());
  EXPECT_EQ(verdict_line(report, Language::kEnglish), "No problem found in 1 run (19,560 steps); 1 note (-v).");
}

TEST(Verdict, ExcerptsAreNeverCalledHealthy) {
  EXPECT_EQ(verdict_line(healthy(3), Language::kEnglish), "3 records are too few to judge.");
  EXPECT_EQ(verdict_line(healthy(40), Language::kEnglish),
            "No problem found in 1 run (40 steps); 40 records are too few to call it healthy.");
}

TEST(Verdict, SaysWhenThereIsNoLoss) {
  Report report = healthy(1000);
  report.runs[0].series.erase(report.runs[0].series.begin());
  EXPECT_EQ(verdict_line(report, Language::kEnglish), "No problem found in 1 run (1,000 steps); it logs no loss.");
}

TEST(Verdict, ABillionEpochsAreNone) {
  Report report = healthy(1000);
  report.runs.front().axis = "epoch_num";
  report.runs.front().steps = StepRange{0, 1'245'708'288};
  EXPECT_EQ(verdict_line(report, Language::kEnglish), "No problem found in 1 run (1,245,708,288 samples or tokens).");
}

TEST(Verdict, ABatchThatDisagreesIsNotPassedOver) {
  Report report = healthy(0);
  report.runs.front().events.clear();
  report.files = {{}};
  report.files.front().settings = 20;
  EXPECT_THAT(verdict_line(report, Language::kEnglish), Not(HasSubstr("disagree")));
  report.runs.front().derived = {
      {"global_batch_size", Value(2048), {"as set", ""}, {"set to 2,048, but 1,024", ""}, {}}};
  EXPECT_THAT(verdict_line(report, Language::kEnglish), HasSubstr("; the numbers of its batch disagree."));
}

TEST(Verdict, NotesThatAreShownNeedNoOption) {
  Report report = healthy(19'560);
  report.findings.push_back(test::sample_findings().back());
  EXPECT_EQ(verdict_line(report, Language::kEnglish, true), "No problem found in 1 run (19,560 steps); 1 note.");
}

TEST(Verdict, NothingRead) {
  EXPECT_EQ(verdict_line(Report{}, Language::kEnglish), "Nothing to judge: no training run was read.");
}

TEST(Verdict, WhatIsWrongWithFilesIsNotSaidOfRuns) {
  Report report = healthy(1000);
  Finding finding;
  finding.name = "unreadable-input";
  finding.severity = Severity::kError;
  report.findings = {finding};
  report.rules = {test::rule("unreadable-input", {"something could not be read", ""}, {})};
  report.rules[0].family = "reading";
  EXPECT_EQ(verdict_line(report, Language::kEnglish), "No problem found in 1 run (1,000 steps); 1 error in reading.");
  report.runs.clear();
  EXPECT_EQ(verdict_line(report, Language::kEnglish),
            "Nothing to judge: no training run was read; 1 error in reading.");
}

TEST(Verdict, Interrupted) {
  Report report = healthy(1000);
  report.complete = false;
  EXPECT_THAT(verdict_line(report, Language::kEnglish), StartsWith("Interrupted, incomplete: No problem found"));
}

TEST(Verdict, PartOfARun) {
  Report report = healthy(1000);
  report.runs[0].planned_steps = 20'000;
  EXPECT_THAT(verdict_line(report, Language::kEnglish), HasSubstr("(1,000 of 20,000 steps)"));
  report.runs[0].steps = StepRange{31'200, 31'260};
  report.runs[0].planned_steps = 100'000;
  EXPECT_THAT(verdict_line(report, Language::kEnglish), HasSubstr("(steps 31,200-31,260 of 100,000)"));
}

TEST(ReportJson, HasTheShapeThatToolsRead) {
  const auto json = nlohmann::json::parse(render_json(test::sample_report(), {}));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["findings"][1]["name"], "loss-divergence");
  EXPECT_EQ(json["findings"][1]["where"]["steps"], nlohmann::json::parse("[2080, 2799]"));
  EXPECT_EQ(json["findings"][1]["message"], "loss 2.61 nats -> 7.42 nats, not back within 719 steps");
  EXPECT_EQ(json["findings"][0]["actions"][0]["text"], "resume from step 1,500, the last checkpoint before the onset");
  EXPECT_EQ(json["runs"][0]["series"][0]["points"], 2798);
  EXPECT_TRUE(json["findings"][3]["where"].is_null());
}

TEST(ReportJson, LinesAreOneFindingEachAndASummary) {
  const auto text = lines(render_jsonl(test::sample_report(), {}));
  ASSERT_EQ(text.size(), 5u);
  for (const std::string& line : text) EXPECT_FALSE(nlohmann::json::parse(line, nullptr, false).is_discarded());
  EXPECT_EQ(nlohmann::json::parse(text[4])["type"], "summary");
}

// Whatever is rendered from a saved report is what would have been rendered from the report itself.
void expect_same_after_saving(const Report& report) {
  for (const Language saved_in : {Language::kEnglish, Language::kChinese}) {
    const Result<Report> again = parse_report(render_json(report, {.language = saved_in}));
    ASSERT_TRUE(again) << again.error().message;
    for (const Language language : {Language::kEnglish, Language::kChinese}) {
      const RenderOptions options = {.language = language, .verbose = true, .most = 0};
      EXPECT_EQ(render_text(*again, options), render_text(report, options));
      EXPECT_EQ(render_json(*again, options), render_json(report, options));
      EXPECT_EQ(render_jsonl(*again, options), render_jsonl(report, options));
      EXPECT_EQ(render_reading(*again, true, options), render_reading(report, true, options));
      EXPECT_EQ(render_reading(*again, false, options), render_reading(report, false, options));
    }
  }
}

TEST(ReportJson, RoundTripOfTheSample) { expect_same_after_saving(test::sample_report()); }

TEST(ReportJson, RoundTripOfRandomReports) {
  std::mt19937_64 random(20'26);
  const auto number = [&]() -> double {
    switch (random() % 6) {
      case 0: return std::numeric_limits<double>::quiet_NaN();
      case 1: return -std::numeric_limits<double>::infinity();
      case 2: return 0;
      default: return std::ldexp(static_cast<double>(random() % 1'000'003), static_cast<int>(random() % 120) - 80);
    }
  };
  const auto word = [&] {
    std::string out;
    for (std::size_t i = random() % 12; i > 0; --i) out += static_cast<char>(random() % 256);
    return out;
  };
  const auto value = [&]() -> Value {
    switch (random() % 4) {
      case 0: return {number(), static_cast<Unit>(random() % 13)};
      case 1: return {static_cast<std::int64_t>(random()), static_cast<Unit>(random() % 13)};
      case 2: return StepRange{static_cast<std::int64_t>(random() % 1000), static_cast<std::int64_t>(random())};
      default: return word();
    }
  };
  for (int round = 0; round < 50; ++round) {
    Report report = test::sample_report();
    report.complete = random() % 2 == 0;
    for (Finding& finding : report.findings) {
      for (auto& [name, filled] : finding.message.values) filled = value();
      if (random() % 2 == 0) finding.where.reset();
      finding.confidence = static_cast<double>(1 + random() % 100) / 100;
      for (Evidence& evidence : finding.evidence) {
        if (!evidence.curve) continue;
        for (Curve::Bucket& bucket : evidence.curve->buckets) {
          bucket.low = number();
          bucket.high = number();
          // A curve's buckets hold finite values or none (see Curve): infinities do not survive JSON.
          if (std::isinf(bucket.low)) bucket.low = std::numeric_limits<double>::quiet_NaN();
          if (std::isinf(bucket.high)) bucket.high = std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
    for (RunSummary& run : report.runs) run.dialect = word();
    for (FileRecord& file : report.files) file.kind = word();
    expect_same_after_saving(report);
  }
}

TEST(ReportJson, DamagedReportsAreErrorsWithAPlace) {
  const std::string json = render_json(test::sample_report(), {});
  EXPECT_EQ(parse_report("").error().message, "not JSON");
  EXPECT_EQ(parse_report("{}").error().message, "not a saved report: report.schema is missing");
  EXPECT_THAT(parse_report("[1]").error().message, HasSubstr("report is not an object"));
  auto tree = nlohmann::ordered_json::parse(json);
  tree["findings"][1]["where"]["steps"] = "2080";
  EXPECT_EQ(parse_report(tree.dump()).error().message,
            "not a saved report: report.findings[1].where.steps is not an array");
  tree["schema"] = 7;
  EXPECT_THAT(parse_report(tree.dump()).error().message, HasSubstr("schema 7"));
}

// Every member, in turn, replaced by something else: an error or a report, never a crash.
void damage_each(nlohmann::ordered_json& whole, nlohmann::ordered_json& node, int& errors) {
  for (auto& child : node) {
    const nlohmann::ordered_json kept = child;
    for (const char* other : {"null", "-1", "1e300", "\"x\"", "[]"}) {
      child = nlohmann::ordered_json::parse(other);
      const Result<Report> report = parse_report(whole.dump());
      if (!report)
        ++errors;
      else
        render_text(*report, {.verbose = true, .most = 0});
    }
    child = kept;
  }
  for (auto& child : node) {
    if (child.is_structured() && child.size() < 20) damage_each(whole, child, errors);
  }
}

TEST(ReportJson, NoDamageCrashes) {
  Report report = test::sample_report();
  report.findings.resize(2);
  report.rules.resize(2);
  auto whole = nlohmann::ordered_json::parse(render_json(report, {}));
  int errors = 0;
  damage_each(whole, whole, errors);
  EXPECT_GT(errors, 300);
}

}  // namespace
}  // namespace assay
