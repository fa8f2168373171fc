#pragma once
// What kind of training a run is, and how it begins: what is normal depends on both.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "assay/run.h"

namespace assay {

/// Run::kind where a reader set it; else from settings, metric names and the first loss. Essay in training_kind.cpp.
TrainingKind training_kind(const Run& run);

/// Row at which the learning rate stops rising for the first time, when it rises from the first records on by at least
/// a half in all. Nothing when it does not, or is not logged. A rise that goes on to the end of the segment ends with
/// its last row.
std::optional<std::size_t> warmup_end_row(const Segment& segment);

/// Losses of this segment belong to adversaries (a generator and a discriminator): they rise and fall against each
/// other by design.
bool adversarial(const Segment& segment);

/// Steps between records before `index` of the series: the median of up to 16 differences; at least 1.
std::int64_t spacing_before(const Series& series, std::size_t index);

}  // namespace assay
