#pragma once
// The settings of a run as text: by group, with the word and line where each was said, and what follows from them.

#include "assay/report.h"
#include "report/page.h"

namespace assay {

void write_settings(Page& page, const RunSummary& run);
void write_derived(Page& page, const RunSummary& run);

}  // namespace assay
