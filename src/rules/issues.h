#pragma once
// Rules that compare many things find several at once. They become one finding: the gravest speaks, the others are its
// evidence.

#include <string_view>
#include <vector>

#include "assay/finding.h"
#include "assay/run.h"
#include "assay/text.h"
#include "rules/plan.h"

namespace assay {

struct Issue {
  Severity severity = Severity::kNote;
  double confidence = 0.8;
  double impact = 0.1;
  Phrase message;
  Location where;
  std::vector<Evidence> evidence;
  std::vector<Action> actions;
};

/// Of issues that are equally grave the first speaks. `issues` is not empty.
Finding one_finding(const Run& run, const std::vector<Issue>& issues);

/// "asked for: lr_decay_iters = 800", with its place: the sentence "asked" of the rule.
Evidence asked_evidence(const Planned& asked);

}  // namespace assay
