#pragma once
// The engine: discover files, read them, assemble runs, judge, link, rank. Its public face is assay/check.h.

#include <map>
#include <string>
#include <vector>

#include "assay/check.h"
#include "assay/report.h"
#include "rules/rule.h"

namespace assay {

/// The rules that the options leave, in table order; an error names the nearest rule for an unknown name.
Result<std::vector<const Rule*>> plan(const CheckOptions& options);

/// Runs the rules over the runs (with their facts complete) and the reading; fills findings, rules_run, not_applicable,
/// rules.
void judge(const std::vector<Run>& runs, const std::vector<const Rule*>& rules, const CheckOptions& options,
           Report& report);

/// Severity, then causes before effects, then confidence x impact, then name and place.
void rank(Report& report);

/// What was read of a run, for the report.
RunSummary summarise(const Run& run, bool details);

}  // namespace assay
