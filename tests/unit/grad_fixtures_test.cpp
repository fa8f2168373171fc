// The fixtures of tests/rules/: bad.log raises the rule with the severity, place and number that stand beside it,
// good.log does not raise it. Through the whole of check(), as a user has it.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assay/check.h"
#include "unit/support/make_run.h"

namespace assay {
namespace {

constexpr const char* kRules[] = {"grad-norm-spike", "grad-norm-high", "grad-norm-vanished", "loss-scale-collapse",
                                  "loss-scale-drop", "overflow-skips", "throughput-drop",    "run-restarted",
                                  "run-aborted",     "rerun-fault",    "unreadable-input",   "truncated-input",
                                  "unused-ignore"};

std::string folder(std::string_view rule) {
  return std::string(ASSAY_SOURCE_DIR) + "/tests/rules/" + std::string(rule);
}

std::vector<Finding> found(const std::string& path, const std::string& rule, const std::vector<std::string>& ignore) {
  CheckOptions options;
  options.ignore = ignore;
  Result<Report> report = check({path}, options);
  EXPECT_TRUE(report.has_value());
  std::vector<Finding> out;
  if (!report) return out;
  std::copy_if(report->findings.begin(), report->findings.end(), std::back_inserter(out),
               [&](const Finding& finding) { return finding.name == rule; });
  return out;
}

class GradFixtures : public testing::TestWithParam<const char*> {};

TEST_P(GradFixtures, BadIsFoundAndGoodIsNot) {
  const std::string rule = GetParam();
  const std::string here = folder(rule);
  std::ifstream file(here + "/bad.expect.json");
  ASSERT_TRUE(file) << here << "/bad.expect.json";
  const nlohmann::json expected = nlohmann::json::parse(file);
  const auto ignore = expected.value("ignore", std::vector<std::string>{});

  const std::vector<Finding> bad = found(here + "/bad.log", rule, ignore);
  ASSERT_EQ(bad.size(), 1U);
  EXPECT_EQ(name(bad[0].severity), expected["severity"].get<std::string>());
  if (expected.contains("steps")) {
    ASSERT_TRUE(bad[0].where && bad[0].where->steps);
    EXPECT_EQ(bad[0].where->steps->first, expected["steps"][0].get<std::int64_t>());
    EXPECT_EQ(bad[0].where->steps->last, expected["steps"][1].get<std::int64_t>());
  }
  std::string message = test::say(*find_rule(rule), bad[0].message);
  if (const std::size_t at = message.find(here + "/"); at != std::string::npos) message.erase(at, here.size() + 1);
  EXPECT_EQ(message, expected["message"].get<std::string>());

  EXPECT_TRUE(found(here + "/good.log", rule, ignore).empty());
}

INSTANTIATE_TEST_SUITE_P(Rules, GradFixtures, testing::ValuesIn(kRules),
                         [](const testing::TestParamInfo<const char*>& one) {
                           std::string out = one.param;
                           std::replace(out.begin(), out.end(), '-', '_');
                           return out;
                         });

}  // namespace
}  // namespace assay
