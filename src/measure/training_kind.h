#pragma once
// What kind of training a run is, and how it begins: what is normal depends on both.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "assay/run.h"

namespace assay {

/// From what is logged, what is set and the first loss, with what tells it. Essay in training_kind.cpp.
KindOfTraining kind_of_training(const Run& run);

/// Run::kind where it is known already, else the same without the reasons.
TrainingKind training_kind(const Run& run);

/// The loss is an objective that jumps, wanders and may be zero or negative by design (preference, reinforcement).
bool is_objective(TrainingKind kind);

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
