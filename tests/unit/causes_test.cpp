// What tells why is named as the cause of what happened, where the time fits, and is read before it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/engine.h"
#include "unit/support/make_run.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Finding a_finding(std::string name, Severity severity, std::optional<StepRange> steps, double confidence = 0.8) {
  Finding out;
  out.name = std::move(name);
  out.severity = severity;
  out.confidence = confidence;
  out.impact = 0.5;
  out.where.emplace();
  out.where->path = "train.log";
  out.where->segment = steps ? 0 : -1;
  out.where->steps = steps;
  return out;
}

// A run of 10,000 steps that begins at its start.
Run a_run() {
  std::vector<double> loss(1001, 3.0);
  loss[0] = 10;
  std::vector<std::int64_t> steps;
  for (std::int64_t i = 0; i <= 1000; ++i) steps.push_back(i == 0 ? 1 : i * 10);
  return test::MakeRun().steps(steps).series("loss", loss).done();
}

std::vector<Finding> linked(std::vector<Finding> findings) {
  give_ids(findings);
  link_causes(a_run(), {}, findings);
  return findings;
}

constexpr StepRange kLate{5000, 5100};
constexpr StepRange kEarly{60, 80};

TEST(Causes, ARateThatIsTooHighExplainsADivergence) {
  auto findings = linked({a_finding("loss-divergence", Severity::kError, kLate),
                          a_finding("learning-rate-high", Severity::kWarning, std::nullopt)});
  EXPECT_THAT(findings[0].because_of, ElementsAre("learning-rate-high@train.log"));
  rank(findings);
  EXPECT_EQ(findings[0].name, "learning-rate-high");  // though the other is an error
}

TEST(Causes, WhatIsOnlyPossibleOrANoteExplainsNothing) {
  EXPECT_THAT(linked({a_finding("loss-divergence", Severity::kError, kLate),
                      a_finding("learning-rate-high", Severity::kWarning, std::nullopt, 0.5)})[0]
                  .because_of,
              IsEmpty());
  EXPECT_THAT(linked({a_finding("loss-divergence", Severity::kError, kLate),
                      a_finding("learning-rate-high", Severity::kNote, std::nullopt)})[0]
                  .because_of,
              IsEmpty());
}

TEST(Causes, AMissingWarmUpActsAtTheBeginning) {
  const Finding cause = a_finding("no-warmup", Severity::kWarning, std::nullopt);
  EXPECT_THAT(linked({a_finding("loss-divergence", Severity::kError, kEarly), cause})[0].because_of,
              ElementsAre("no-warmup@train.log"));
  EXPECT_THAT(linked({a_finding("loss-divergence", Severity::kError, kLate), cause})[0].because_of, IsEmpty());
}

TEST(Causes, ACauseWithStepsExplainsNothingBeforeThem) {
  const Finding effect = a_finding("loss-spike", Severity::kWarning, kEarly);
  EXPECT_THAT(linked({effect, a_finding("clip-never-active", Severity::kWarning, kLate)})[0].because_of, IsEmpty());
}

TEST(Causes, WhyStandsBeforeTheFirstSign) {
  auto findings = linked({a_finding("grad-norm-spike", Severity::kWarning, StepRange{4990, 5000}),
                          a_finding("learning-rate-high", Severity::kWarning, std::nullopt)});
  Finding divergence = a_finding("loss-divergence", Severity::kError, kLate);
  divergence.because_of = {findings[0].id};
  findings.push_back(divergence);
  give_ids(findings);
  link_causes(a_run(), {}, findings);
  EXPECT_THAT(findings[2].because_of, ElementsAre("learning-rate-high@train.log", "grad-norm-spike@train.log"));
}

// A sign that began before the cause shows, what follows it, and what refers to the loudest of them.
TEST(Causes, AllOfAnEventNameTheCauseOfOne) {
  Finding sign = a_finding("grad-norm-spike", Severity::kWarning, StepRange{4990, 5000});
  Finding cause = a_finding("learning-rate-high", Severity::kWarning, kLate);
  Finding loudest = a_finding("loss-divergence", Severity::kError, kLate);
  Finding note = a_finding("loss-scale-drop", Severity::kNote, kLate);
  std::vector<Finding> findings = {sign, cause, loudest, note};
  give_ids(findings);
  findings[2].because_of = {findings[0].id};
  findings[0].actions.push_back({{"see-finding", {{"finding", findings[2].id}}}, ""});
  findings[3].actions.push_back({{"see-finding", {{"finding", findings[2].id}}}, ""});
  link_causes(a_run(), {}, findings);
  EXPECT_THAT(findings[0].because_of, ElementsAre(findings[1].id));
  EXPECT_THAT(findings[1].because_of, IsEmpty());
  EXPECT_THAT(findings[2].because_of, ElementsAre(findings[1].id, findings[0].id));
  EXPECT_THAT(findings[3].because_of, ElementsAre(findings[1].id));
}

}  // namespace
}  // namespace assay
