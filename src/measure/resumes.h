#pragma once
// Where a run goes on after a restart, and whether its loss does. Essay in resumes.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "assay/run.h"

namespace assay {

/// The segment goes on with the run of the one before it; else it is the first, or another run in the same file.
bool continues(const Run& run, std::size_t segment);

/// Values of the metric that the run had before the step at which this segment begins, of all segments that it
/// continues; the last few hundred at most. Empty when it continues nothing.
std::vector<double> values_before(const Run& run, std::size_t segment, std::string_view metric);

/// The loss on both sides of a place where training was taken up again.
struct LossAcross {
  bool same_steps = false;  // the records before and after are of the same steps; else the last ones and the first ones
  double before = 0;        // medians of up to 16 records
  double after = 0;
  double rise = 0;  // (after - before) in units of the scale: 0.1 is 10 % of the level

  enum class Goes : std::uint8_t { kOn, kHigher, kLower } goes = Goes::kOn;
  std::size_t records = 0;           // that follow in this segment; until it came back where it has
  std::optional<std::int64_t> back;  // kHigher: step at which it is back; kLower: at which it has risen again
  bool repaired = false;             // not back in this segment, but in a later one
  double end = 0;                    // median of the last records of the segment
  double end_rise = 0;               // what is left of the rise there
  bool coming_back = false;          // not back, but a third of the rise is gone
  std::optional<double> from_start;  // the first loss of training, when the loss is there again
};

struct Resume {
  std::size_t segment = 0;  // in which it goes on
  std::size_t row = 0;      // its first row; 0 unless a checkpoint was loaded within the segment
  std::int64_t last = 0;    // step before it
  std::int64_t first = 0;   // step with which it goes on
  std::int64_t line = 0;
  std::optional<LossAcross> loss;

  std::int64_t repeated() const { return last >= first ? last - first + 1 : 0; }
};

/// In the order of the file: each segment that continues the one before it, and each checkpoint that was loaded within
/// a segment.
std::vector<Resume> find_resumes(const Run& run);

}  // namespace assay
