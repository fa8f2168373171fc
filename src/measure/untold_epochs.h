#pragma once
// Counters that start again at each epoch where no line tells the epoch. Essay in untold_epochs.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/recording.h"

namespace assay {

/// Steps of an epoch, if the parts that begin with the key rows `starts` (and the one before the first of them) are
/// epochs of one run. key: for each row of the recording. The length times the number of parts is a step.
std::optional<std::int64_t> untold_epoch(const Recording& recording, const std::vector<bool>& key,
                                         std::span<const std::size_t> starts);

}  // namespace assay
