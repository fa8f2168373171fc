#pragma once
// A run of one record before the run that counts. Essay in second_start.cpp.

#include <cstddef>
#include <vector>

#include "core/recording.h"

namespace assay {

/// Key rows, rising, that begin the run anew although their step does not go back. key: for each row of the recording.
std::vector<std::size_t> second_starts(const Recording& recording, const std::vector<bool>& key);

}  // namespace assay
