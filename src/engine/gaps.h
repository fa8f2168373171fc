#pragma once
// What the user says of a run beside its settings: --params, --tokens, --ranks.

#include "assay/check.h"
#include "assay/run.h"

namespace assay {

/// Puts what the user says in the place of what the settings tell, derives again, and tells what was replaced. The
/// place of such a setting is the option.
void fill_gaps(Run& run, const Gaps& gaps);

/// What a script leaves to a file that it sources (`--lr $LR` behind `source env.sh`) is what that file says, where it
/// is a part of the plan.
void take_from_sourced(Run& run);

}  // namespace assay
