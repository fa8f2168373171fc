#pragma once
// A document rule asked about one text.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"

namespace assay::test {

struct Judged {
  std::vector<DocumentHit> hits;
  std::size_t affected = 0;
  bool is_bad() const {
    return std::ranges::any_of(hits, [](const DocumentHit& hit) { return hit.severity != Severity::kNote; });
  }
};

inline Judged judged(std::string_view rule, std::string_view text) {
  const Rule* found = find_rule(rule);
  EXPECT_NE(found, nullptr) << rule;
  if (found == nullptr) return {};
  const auto judge = found->judge_documents(Parameters(found->parameters, {}, found->name));
  TextSurvey survey;
  assay::survey(text, survey);
  Document document;
  document.text = text;
  DocumentHits hits;
  judge->judge({document, survey}, hits);
  for (const DocumentHit& hit : hits.found()) {
    EXPECT_GT(hit.length, 0U) << rule;
    EXPECT_LE(hit.offset + hit.length, text.size()) << rule;
    EXPECT_GT(hit.confidence, 0) << rule;
    EXPECT_LE(hit.confidence, 1) << rule;
    const bool is_sentence =
        std::ranges::any_of(found->sentences, [&](const SentenceRecord& one) { return one.key == hit.reason.key; });
    EXPECT_TRUE(is_sentence) << rule << " " << hit.reason.key;
  }
  return {hits.found(), hits.affected()};
}

/// The text of the first hit.
inline std::string place(const Judged& judged, std::string_view text) {
  return judged.hits.empty() ? "" : std::string(text.substr(judged.hits.front().offset, judged.hits.front().length));
}

}  // namespace assay::test
