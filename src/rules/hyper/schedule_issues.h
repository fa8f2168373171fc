#pragma once
// What schedule-mismatch finds, by the settings (schedule_said.cpp) and by what was drawn (schedule_seen.cpp).

#include <optional>
#include <string>
#include <vector>

#include "measure/seen_schedule.h"
#include "rules/issues.h"
#include "rules/plan.h"
#include "rules/rule.h"

namespace assay {

/// What both halves look at. Refers to a run that outlives it.
struct ScheduleCase {
  const Run& run;
  const Plan& plan;
  const Parameters& set;
  std::optional<SeenSchedule> seen;
  std::optional<Planned> length;  // steps of the run, as planned
};

/// A setting that counts steps, samples or tokens, and the length of the run in the same unit.
struct Length {
  Planned asked;
  double run = 0;
  std::string_view unit_en, unit_zh;
  double share() const { return asked.value / run; }
};
/// The end of the decay; the length of the warm-up.
std::optional<Length> asked_decay(const Plan& plan, const std::optional<Planned>& run_length);
std::optional<Length> asked_warm_up(const Plan& plan, const std::optional<Planned>& run_length);

void judge_said_schedule(const ScheduleCase& one, std::vector<Issue>& out);
void judge_seen_schedule(const ScheduleCase& one, std::vector<Issue>& out);

}  // namespace assay
