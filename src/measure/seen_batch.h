#pragma once
// How many samples or tokens a step took, by the counters that the log prints. Essay in seen_batch.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "assay/run.h"

namespace assay {

struct SeenBatch {
  std::size_t segment = 0;
  StepRange steps;        // between which it was counted
  std::int64_t line = 0;  // of the last record of them, numbered through
  double first = 0;       // a step, at the beginning of the segment
  double last = 0;        // a step, at its end
  bool grows = false;     // from the one to the other
  bool steady = false;    // nearly all records agree with the last one (or with growth): a number to rely on
};

/// Of the last segment that counts `metric` (consumed samples, or tokens) in three records or more, on an axis of
/// steps.
std::optional<SeenBatch> seen_batch(const Run& run, std::string_view metric);

}  // namespace assay
