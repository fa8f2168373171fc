#pragma once
// Judges one text with one rule of documents, as the pass over a corpus does it.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "measure/text/survey.h"
#include "rules/rule.h"

namespace assay {

/// Keeps the judge, so that what one document leaves behind would be seen in the next.
class Judging {
 public:
  explicit Judging(std::string_view rule)
      : judge_(find_rule(rule)->judge_documents(Parameters(find_rule(rule)->parameters, {}, rule))) {}

  const std::vector<DocumentHit>& operator()(std::string_view text) {
    hits_.clear();
    TextSurvey counts;
    survey(text, counts);
    Document document;
    document.text = text;
    judge_->judge({document, counts}, hits_);
    for (const DocumentHit& one : hits_.found()) {
      EXPECT_LE(one.offset, text.size());
      EXPECT_LE(one.length, text.size() - one.offset);
      EXPECT_GT(one.confidence, 0);
      EXPECT_LE(one.confidence, 1);
    }
    return hits_.found();
  }
  std::size_t affected() const { return hits_.affected(); }

 private:
  std::unique_ptr<DocumentJudge> judge_;
  DocumentHits hits_;
};

/// Whether it is worth more than a note.
inline bool is_abnormal(const std::vector<DocumentHit>& hits) {
  for (const DocumentHit& one : hits) {
    if (one.severity != Severity::kNote) return true;
  }
  return false;
}

}  // namespace assay
