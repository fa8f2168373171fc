#pragma once
// The plan of a run that has not begun, as a small table. Essay in plan_page.cpp.

#include "assay/report.h"
#include "report/page.h"

namespace assay {

/// What the run is meant to do, each number with its origin. titled: several plans are told, each needs its name.
void write_plan(Page& page, const RunSummary& run, bool titled);

/// "launch.sh (megatron)", "3 plans": what a verdict says of runs that have not begun.
std::string plans_phrase(const Report& report, Language language);

}  // namespace assay
