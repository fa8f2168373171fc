#pragma once
// From a recording (rows in the order of the file) to a run whose numbers mean what their names say.

#include "assay/run.h"
#include "core/recording.h"

namespace assay {

/// Splits at restarts, drops repeated records, takes away placeholders and foreign scales; each change is told in
/// Run::interpretations and counted in the recording's ledger (Recording::file, which stays; the columns move into
/// the run). An empty recording gives a run with one empty segment.
Run assemble(Recording& recording);

}  // namespace assay
