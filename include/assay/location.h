#pragma once
// Where something was seen: every value, event, setting and finding can be traced back to a place in a file.

#include <cstdint>
#include <optional>
#include <string>

namespace assay {

/// A closed range of steps on the axis that the file itself prints.
struct StepRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(const StepRange&, const StepRange&) = default;
};

/// What the places of a file count: lines of a text, or the records of a binary container.
enum class PlaceUnit : std::uint8_t { kLine, kRecord };

struct Location {
  std::string path;                     // as the user named it, or reached from there
  std::int64_t line = 0;                // from 1; 0: not known
  PlaceUnit unit = PlaceUnit::kLine;    // what `line` counts
  std::int64_t byte = -1;               // offset from 0; -1: not known
  std::string run;                      // id of the run, where there are several
  int segment = -1;                     // part of the run between restarts, from 0; -1: not applicable
  std::optional<StepRange> steps = {};  // absent for what has no step (a setting)
  friend bool operator==(const Location&, const Location&) = default;
};

}  // namespace assay
