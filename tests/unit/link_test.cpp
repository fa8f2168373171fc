// Findings that tell of one event speak with one voice.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "assay/check.h"
#include "engine/engine.h"
#include "report/render.h"

namespace assay {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct Point {
  double loss = 0;
  double norm = 0;
};

// 300 records of a calm run, changed by `event`; wiggles that are not random.
template <class Event>
Report check_run(const Event& event, const std::string& axis = "step") {
  const std::string path = (std::filesystem::temp_directory_path() / ("assay-link-" + std::to_string(getpid()))) +=
      ".csv";
  std::ofstream out(path);
  out << axis << ",loss,grad_norm\n";
  for (int step = 1; step <= 300; ++step) {
    Point at{3 + 0.01 * std::sin(step * 1.7), 0.5 + 0.03 * std::sin(step * 2.3)};
    event(step, at);
    out << step << "," << at.loss << "," << at.norm << "\n";
  }
  out.close();
  auto report = check({path}, {});
  std::filesystem::remove(path);
  return std::move(*report);
}

const Finding* find(const Report& report, std::string_view name) {
  for (const Finding& finding : report.findings) {
    if (finding.name == name) return &finding;
  }
  return nullptr;
}

std::vector<std::string> keys(const Finding& finding) {
  std::vector<std::string> out;
  for (const Action& action : finding.actions) out.push_back(action.text.key);
  return out;
}

std::int64_t warnings(const Report& report) {
  return std::count_if(report.findings.begin(), report.findings.end(),
                       [](const Finding& one) { return one.severity != Severity::kNote; });
}

TEST(Link, ABatchUnlikeTheOthersIsOneWarningAtMost) {
  const Report report = check_run([](int step, Point& at) {
    if (step >= 150 && step <= 154) at = {at.loss * 1.4, at.norm * 12};
  });
  ASSERT_NE(find(report, "loss-spike"), nullptr);
  ASSERT_NE(find(report, "grad-norm-spike"), nullptr);
  EXPECT_LE(warnings(report), 1);
  EXPECT_EQ(find(report, "grad-norm-spike")->severity, Severity::kNote);
  EXPECT_THAT(find(report, "grad-norm-spike")->because_of, Contains(find(report, "loss-spike")->id));
}

TEST(Link, AnEvaluationThatFailsAloneIsNoEventOfTraining) {
  const std::string path = (std::filesystem::temp_directory_path() / ("assay-eval-" + std::to_string(getpid()))) +=
      ".csv";
  std::ofstream out(path);
  out << "step,loss,eval_loss\n";
  for (int step = 1; step <= 60; ++step) {
    const double loss = 2 + 0.01 * std::sin(step * 1.7) + (step == 20 ? 1.5 : 0);
    out << step << "," << loss << "," << (step % 10 == 0 ? (step >= 20 ? "nan" : "2.0") : "") << "\n";
  }
  out.close();
  const auto report = check({path}, {});
  std::filesystem::remove(path);
  const Finding* failed = find(*report, "non-finite-loss");
  ASSERT_NE(failed, nullptr);
  EXPECT_TRUE(failed->because_of.empty());
  EXPECT_THAT(keys(*failed), ::testing::ElementsAre("look-evaluation-set"));
}

TEST(Link, OfManyBatchesTheWorstForTheLossNeedNotBeTheWorstForTheNorm) {
  const Report report = check_run([](int step, Point& at) {
    if (step >= 150 && step <= 154) at = {at.loss * 1.6, at.norm * 10};
    if (step >= 220 && step <= 224) at = {at.loss * 1.4, at.norm * 30};
  });
  EXPECT_EQ(find(report, "loss-spike")->where->steps->first, 150);
  EXPECT_EQ(find(report, "grad-norm-spike")->where->steps->first, 220);
  EXPECT_EQ(warnings(report), 1);
}

TEST(Link, ANormThatRoseFirstIsToldByItself) {
  const Report report = check_run([](int step, Point& at) {
    if (step >= 146 && step <= 155) at.norm *= 40;
    if (step >= 150 && step <= 155) at.loss *= 1.6;
  });
  const Finding* norm = find(report, "grad-norm-spike");
  const Finding* loss = find(report, "loss-spike");
  ASSERT_TRUE(norm != nullptr && loss != nullptr);
  EXPECT_EQ(norm->severity, Severity::kWarning);
  EXPECT_THAT(loss->because_of, Contains(norm->id));
}

TEST(Link, AllOfADivergenceResumeFromBeforeItsFirstSign) {
  const Report report = check_run([](int step, Point& at) {
    if (step >= 195) at.norm *= 50;
    if (step >= 200) at = {7, 400};
    if (step >= 260) at = {NAN, NAN};
  });
  std::vector<std::int64_t> begins;
  std::vector<std::string> leaders;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::kNote) continue;
    for (const Action& action : finding.actions) {
      for (const auto& [name, value] : action.text.values) {
        if (name == "begin") begins.push_back(std::get<std::int64_t>(value.data));
        if (name == "finding") leaders.push_back(std::get<std::string>(value.data));
      }
    }
  }
  EXPECT_EQ(begins, std::vector<std::int64_t>{195}) << "one finding tells where to resume";
  EXPECT_GE(leaders.size(), 2U);
  EXPECT_EQ(leaders.front(), report.findings.front().id) << "and it stands first";
  const std::string text = render_text(report, {});
  EXPECT_THAT(text, HasSubstr("see finding 1: it is the same event"));
  EXPECT_THAT(text, HasSubstr("follows finding"));
  const auto saved = parse_report(render_json(report, {}));
  ASSERT_TRUE(saved);
  EXPECT_EQ(render_text(*saved, {}), text);
}

TEST(Link, WhatClimbedBeforeANanAnnouncedIt) {
  const Report report = check_run([](int step, Point& at) {
    if (step >= 190) at.norm *= std::pow(1.5, step - 189);
    if (step >= 205) at = {NAN, NAN};
  });
  const std::string text = render_text(report, {});
  EXPECT_THAT(text, HasSubstr("the grad norm announced it"));
  EXPECT_THAT(text, Not(HasSubstr("nothing announced it")));
  EXPECT_THAT(text, Not(HasSubstr("not at the learning rate")));
}

TEST(Link, AFlatEndOfADivergenceIsPartOfIt) {
  const Report report = check_run([](int step, Point& at) {
    if (step <= 100) at.loss += 4 * std::exp(-step / 20.0);
    if (step >= 150) at.loss *= 2;
  });
  const Finding* plateau = find(report, "loss-plateau");
  const Finding* divergence = find(report, "loss-divergence");
  ASSERT_NE(divergence, nullptr);
  EXPECT_TRUE(divergence->because_of.empty());
  if (plateau != nullptr && plateau->severity != Severity::kNote) {
    EXPECT_THAT(plateau->because_of, Contains(divergence->id));
  }
}

TEST(Link, EpochsAreNotSkipped) {
  const Report report = check_run(
      [](int step, Point& at) {
        if (step >= 150) at = {NAN, NAN};
      },
      "epoch");
  ASSERT_FALSE(report.findings.empty());
  const std::string text = render_text(report, {});
  EXPECT_THAT(text, HasSubstr("saved before epoch 150"));
  EXPECT_THAT(text, Not(HasSubstr("skip the data")));
}

TEST(Link, EventsFarApartStayApart) {
  const Report report = check_run([](int step, Point& at) {
    if (step >= 100 && step <= 105) at.norm *= 30;
    if (step >= 250 && step <= 258) at.loss *= 1.6;
  });
  for (const Finding& finding : report.findings) EXPECT_TRUE(finding.because_of.empty()) << finding.name;
}

TEST(Link, DataThatWereReadLaterAreNoCause) {
  const Report report = check_run([](int step, Point& at) {
    if (step >= 100) at.norm *= 30;
    if (step >= 290) at = {NAN, NAN};
  });
  ASSERT_FALSE(report.findings.empty());
  const Finding& first = report.findings.front();
  EXPECT_EQ(first.severity, Severity::kError);
  EXPECT_THAT(keys(first), Contains(::testing::StartsWith("resume-")));
}

TEST(Link, WhatBeginsWithTheRunStartsAgain) {
  const Report report = check_run([](int step, Point& at) {
    if (step >= 6) at = {at.loss * 4, at.norm * 60};
  });
  for (const Finding& finding : report.findings) {
    for (const std::string& key : keys(finding)) {
      EXPECT_THAT(key, Not(::testing::AnyOf(::testing::StartsWith("resume-"), ::testing::StartsWith("skip-"))))
          << finding.name;
    }
  }
}

TEST(Link, ConfidenceHasThreeDecimals) {
  const Report report = check_run([](int step, Point& at) {
    if (step >= 150) at = {at.loss * 3, at.norm * 12};
  });
  ASSERT_FALSE(report.findings.empty());
  for (const Finding& one : report.findings) {
    EXPECT_EQ(one.confidence, std::round(1000 * one.confidence) / 1000) << one.name;
  }
}

TEST(Link, AHundredThousandPlacesAreToldOnceEach) {
  constexpr std::int64_t kPlaces = 100'000;
  Finding finding;
  finding.name = "run-restarted";
  finding.where = Location{};
  finding.where->steps = StepRange{0, 1};
  for (int time = 0; time < 2; ++time) {
    for (std::int64_t i = 0; i < kPlaces; ++i) {
      Location place;
      place.steps = StepRange{i, i + 1};
      finding.also.push_back(place);
    }
  }
  assay::Run run;
  run.segments.emplace_back();
  std::vector<Finding> findings{finding};
  link(run, {}, findings);
  ASSERT_EQ(findings[0].also.size(), static_cast<std::size_t>(kPlaces) - 1);  // without its own
  EXPECT_EQ(findings[0].also.front().steps, (StepRange{1, 2}));
  EXPECT_EQ(findings[0].also.back().steps, (StepRange{kPlaces - 1, kPlaces}));
}

TEST(Link, EveryRuleThatTakesPartHasTheSentences) {
  for (const char* name :
       {"loss-spike", "loss-divergence", "non-finite-loss", "hidden-nan", "grad-norm-spike", "non-finite-grad",
        "grad-norm-high", "overflow-skips", "loss-scale-drop", "loss-scale-collapse"}) {
    const Rule* rule = find_rule(name);
    ASSERT_NE(rule, nullptr) << name;
    for (const char* key : {"resume-at", "resume-before", "resume-before-onset", "skip-steps", "skip-samples"}) {
      EXPECT_TRUE(std::any_of(rule->sentences.begin(), rule->sentences.end(),
                              [&](const SentenceRecord& one) { return one.key == key; }))
          << name << " " << key;
    }
  }
}

}  // namespace
}  // namespace assay
