#pragma once
// What config-drift finds: settings against their traces in the log (drift_seen.cpp; the schedule in
// drift_schedule.cpp), and the sources of one run against each other (drift_said.cpp).

#include <optional>
#include <vector>

#include "measure/seen_schedule.h"
#include "rules/issues.h"
#include "rules/plan.h"
#include "rules/rule.h"

namespace assay {

/// What both halves look at. Refers to a run that outlives it.
struct DriftCase {
  const Run& run;
  const Plan& plan;
  const Parameters& set;
  std::optional<SeenSchedule> seen;
};

/// Of the learning rate; a part of judge_traces.
void judge_drawn_schedule(const DriftCase& one, std::vector<Issue>& out);
void judge_traces(const DriftCase& one, std::vector<Issue>& out);
void judge_sources(const DriftCase& one, std::vector<Issue>& out);

}  // namespace assay
