#pragma once
// The first lines of a report, and what all outputs need to know of a finding.

#include <string>

#include "assay/report.h"
#include "assay/text.h"

namespace assay {

struct Counts {
  std::int64_t errors = 0;
  std::int64_t warnings = 0;
  std::int64_t notes = 0;
};
Counts count_findings(const Report& report);

/// "2 errors, 1 warning in 1 run (9,800 of 20,000 steps)." and the like; never empty.
std::string verdict_line(const Report& report, Language language);
/// What happened, of the finding that stands first; empty where nothing is a warning or an error.
std::string headline(const Report& report, Language language);

/// The record of a rule; null when the report does not carry it.
const RuleRecord* rule_record(const Report& report, const std::string& name);
/// The phrase as a sentence of that rule; its key where the rule has no such sentence, so that a mistake is seen.
std::string sentence(const RuleRecord* rule, const Phrase& phrase, Language language);

/// The run of a finding; null where it has none.
const RunSummary* run_of(const Report& report, const Finding& finding);
/// Whether the steps of the run are only the numbers of its records.
bool counts_records(const RunSummary* run);

}  // namespace assay
