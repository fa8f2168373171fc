#pragma once
// A stretch of a series as a small picture that keeps every spike.

#include <cstddef>
#include <optional>

#include "assay/finding.h"
#include "assay/series.h"

namespace assay {

/// The values [first, last) of the series (by index, cut to its size) in at most `buckets` buckets of equally many
/// records, each with its least and greatest finite value: nothing is averaged away. A bucket without any finite value
/// has low and high NaN. marked: the event, as steps. O(last - first).
Curve curve_of(const Series& series, std::size_t first, std::size_t last, std::size_t buckets = 60,
               std::optional<StepRange> marked = {});

/// The event and its surroundings: from `around` times its length (at least 20 records) before it to as much after it.
Curve curve_around(const Series& series, StepRange event, double around = 2, std::size_t buckets = 60);

}  // namespace assay
