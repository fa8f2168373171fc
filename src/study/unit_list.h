#pragma once
// `assay unit list`: the matrix units that have a name.

#include "assay/report.h"

namespace assay {

Report unit_list();

}  // namespace assay
