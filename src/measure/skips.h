#pragma once
// Which optimizer steps were skipped, put together from all that a log says or betrays of it. Essay in skips.cpp.

#include <cstdint>
#include <vector>

#include "assay/run.h"
#include "measure/scaler.h"

namespace assay {

/// What told of a skip. Bits, because several can.
enum class SkipSource : std::uint8_t {
  kMessage = 1,      // "OVERFLOW! … Skipping step"
  kCounter = 2,      // number of skipped iterations, per record or since the start
  kFlag = 4,         // the record says that its step overflowed
  kHalving = 8,      // the loss scale fell
  kMissingLoss = 16  // a record with a dynamic loss scale and without a loss
};

/// Steps within which `skipped` of them (at least) were skipped. first == last: exactly that step.
struct SkipStretch {
  StepRange steps;
  std::int64_t skipped = 0;
  std::int64_t line = 0;
  std::uint8_t sources = 0;  // of SkipSource
  bool start_up = false;     // within the search of the scaler for its working point
  bool undated = false;      // nothing tells how many steps lie between these skips
  bool whole() const { return !undated && skipped >= steps.last - steps.first + 1; }
};

struct SkipHistory {
  std::vector<SkipStretch> stretches;  // in the order of the file, without overlap
  std::int64_t start_up = 0;           // skips within the start-up
  std::int64_t later = 0;              // all others
  std::int64_t later_steps = 0;        // steps that the log covers after the start-up
  std::int64_t updated = 0;            // overflows after which the step was taken all the same, by the log's words
  std::int64_t updated_line = 0;       // the first of them
  bool counter_silent = false;         // the log's own counter stays at 0 although steps were skipped
};

/// History of one segment. Where several sources tell of the same steps the largest count stands.
SkipHistory skip_history(const Run& run, std::size_t segment, const ScalerHistory& scaler);

/// The longest run of steps that were all skipped.
SkipStretch longest_run(const std::vector<SkipStretch>& stretches);

/// The stretch after the start-up in which skips exceed `rate` (per step) the most: the one with the greatest
/// skipped - rate * steps. skipped == 0 when there are none.
SkipStretch worst_stretch(const std::vector<SkipStretch>& stretches, double rate);

}  // namespace assay
