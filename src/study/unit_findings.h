#pragma once
// What each test of a probe tells, as a sentence and a section. One function a kind of test.

#include "assay/report.h"
#include "format/tensors/probe_file.h"

namespace assay {

struct UnitFinding {
  Text sentence;  // "the rows are what h100/fp16 gives: …"
  Text brief;     // of several: "fp16: h100/fp16"
  Section section;
};

Result<UnitFinding> matmul_finding(const ProbeFile& file, const ProbeSection& section, unsigned jobs);

}  // namespace assay
