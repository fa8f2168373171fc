#pragma once
// What each test of a probe tells, as a sentence and a section. One function a kind of test.

#include "assay/report.h"
#include "format/tensors/probe_file.h"

namespace assay {

struct UnitFinding {
  Text sentence;  // "all 5,000 rows are those of h100/fp16: …"
  Text brief;     // among others: "fp16: h100/fp16"; empty: nothing that an answer must tell
  Section section;
  /// Findings of one kind stand in one section, their tables' rows one under the other.
  bool gathered = false;
  bool in_table = false;  // the row tells all that the sentence does
};

Result<UnitFinding> matmul_finding(const ProbeFile& file, const ProbeSection& section, unsigned jobs);

Result<UnitFinding> order_finding(const ProbeFile& file, const ProbeSection& section);
Result<UnitFinding> element_finding(const ProbeFile& file, const ProbeSection& section);
Result<UnitFinding> repeat_finding(const ProbeFile& file, const ProbeSection& section);

}  // namespace assay
