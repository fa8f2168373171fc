#pragma once
// Every sentence that a finding uses exists, in both languages, and every place in it is filled.

#include <gtest/gtest.h>

#include <vector>

#include "unit/support/make_run.h"

namespace assay::test {

inline void expect_complete(const Rule& rule, const Phrase& phrase) {
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    const std::string text = say(rule, phrase, language);
    EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << rule.name << "." << phrase.key << ": " << text;
    EXPECT_EQ(text.find("no sentence"), std::string::npos) << rule.name << ": " << text;
    EXPECT_FALSE(text.empty());
  }
}

/// Also: an error tells what to do, confidence and impact are in their ranges, no more than five lines of evidence.
inline void expect_complete(const Rule& rule, const std::vector<Finding>& found) {
  for (const Finding& finding : found) {
    expect_complete(rule, finding.message);
    for (const Evidence& one : finding.evidence) {
      if (!one.text.key.empty()) expect_complete(rule, one.text);
      EXPECT_TRUE(!one.text.key.empty() || one.curve) << rule.name << ": evidence that says nothing";
    }
    for (const Action& one : finding.actions) expect_complete(rule, one.text);
    EXPECT_LE(finding.evidence.size(), 5U) << rule.name;
    EXPECT_TRUE(finding.severity != Severity::kError || !finding.actions.empty()) << rule.name;
    EXPECT_TRUE(finding.confidence > 0 && finding.confidence <= 1) << rule.name;
    EXPECT_TRUE(finding.impact >= 0 && finding.impact <= 1) << rule.name << " " << finding.impact;
    if (finding.where && finding.where->steps) {
      EXPECT_LE(finding.where->steps->first, finding.where->steps->last) << rule.name;
    }
  }
}

/// What a rule says of a run, and that it says it completely.
inline std::vector<Finding> judge_completely(const Rule& rule, const Run& run) {
  std::vector<Finding> found = judge(rule, run);
  expect_complete(rule, found);
  return found;
}

}  // namespace assay::test
