#pragma once
// The first lines of a report, and what all outputs need to know of a finding.

#include <string>

#include "assay/report.h"
#include "assay/text.h"
#include "core/axis.h"

namespace assay {

struct Counts {
  std::int64_t errors = 0;
  std::int64_t warnings = 0;
  std::int64_t notes = 0;
};
Counts count_findings(const Report& report);

/// "2 errors, 1 warning in 1 run (9,800 of 20,000 steps)." and the like; never empty. notes_shown: the option that
/// shows notes was given, so it is not named.
std::string verdict_line(const Report& report, Language language, bool notes_shown = false);
/// What happened, of the finding that stands first; empty where nothing is a warning or an error.
std::string headline(const Report& report, Language language);

/// The record of a rule; null when the report does not carry it.
const RuleRecord* rule_record(const Report& report, const std::string& name);
/// The phrase as a sentence of that rule, in the words of the axis; its key where the rule has no such sentence, so
/// that a mistake is seen.
std::string sentence(const RuleRecord* rule, const Phrase& phrase, Language language, Axis axis = Axis::kStep);

/// Whether a finding says what happened; others say why.
bool tells_what(const Report& report, const Finding& finding);

/// Whether an action of the finding sends the reader to the other: to send them back would lead round in a circle.
bool refers_to(const Finding& finding, const Finding& other);

/// The run of a finding; null where it has none.
const RunSummary* run_of(const Report& report, const Finding& finding);
/// What its steps count. A run of messages alone has no records: their steps are the program's.
Axis axis_of(const RunSummary* run);

/// Whether anything ran; else the run is its settings alone.
bool has_begun(const RunSummary& run);

}  // namespace assay
