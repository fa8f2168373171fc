#pragma once
// Where an event stands among the records of its run. Lines do not tell: a run may be put together from several files.

#include <algorithm>
#include <cstddef>

#include "assay/run.h"

namespace assay {

/// Records of the segment that stand before the event, whichever segment the event is of.
inline std::size_t rows_before(const Run& run, std::size_t segment, const Event& event) {
  const Segment& one = run.segments[segment];
  const std::size_t rows = one.rows ? one.rows->size() : 0;
  if (event.segment == static_cast<int>(segment)) return std::min(static_cast<std::size_t>(event.rows_before), rows);
  return event.segment < static_cast<int>(segment) ? 0 : rows;
}

/// Whether the event stands before a record of the segment with that index; not when it is on the same line.
inline bool stands_before(const Event& event, std::size_t index, std::size_t row, const Segment& segment) {
  if (event.segment != static_cast<int>(index)) return event.segment < static_cast<int>(index);
  return event.rows_before <= static_cast<std::int64_t>(row) && event.line != segment.rows->line[row];
}

/// Whether no record of the run stands behind the event.
inline bool stands_at_end(const Run& run, const Event& event) {
  for (std::size_t i = run.segments.size(); i-- > 0;) {
    const Segment& segment = run.segments[i];
    if (!segment.empty())
      return !stands_before(event, i, segment.rows->size() - 1, segment) && event.line != segment.rows->line.back();
  }
  return true;
}

}  // namespace assay
