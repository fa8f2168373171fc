#pragma once
// `assay unit identify`: what a device's results tell of how it computes.

#include <string>

#include "assay/report.h"
#include "assay/result.h"

namespace assay {

struct UnitIdentify {
  std::string file;
  unsigned jobs = 0;  // threads; 0: one a processor
};

/// One section for each test of the file. Errors: what reading it gives; no test that is known.
Result<Report> unit_identify(const UnitIdentify& question);

}  // namespace assay
