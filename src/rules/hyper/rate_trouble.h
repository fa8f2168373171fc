#pragma once
// A run that went wrong where the learning rate was high: what of it the log shows. Essay in rate_trouble.cpp.

#include <cstdint>
#include <optional>

#include "assay/run.h"

namespace assay {

struct RateTrouble {
  enum class What : std::uint8_t { kRose, kStuck };
  enum class Phase : std::uint8_t { kRising, kAtPeak, kHigh };  // of the learning rate when it began

  What what = What::kRose;
  Phase phase = Phase::kHigh;
  std::size_t segment = 0;
  StepRange steps;
  std::int64_t line = 0;
  const Series* loss = nullptr;  // of the run
  double before = 0, after = 0;  // of the loss: the level, the peak; kStuck: the first value, the level
  double rate = 0;               // when it began
  double peak_rate = 0;          // the greatest so far
  // Signs beside the phase; absent where they are not there.
  std::optional<double> spread;     // 90th percentile of the grad norms over their median
  std::optional<double> over_clip;  // median grad norm over the clip threshold
  std::optional<double> jump;       // of the loss or the grad norm in the event, whichever grew more
  bool jump_of_norm = false;
  std::optional<double> published;  // how far the rate lies above what is published for Adam
  int signs = 0;                    // phases kRising and kAtPeak count as one
};

/// The first trouble of the run that at least `signs` signs ascribe to the learning rate. `greatest`: the largest rate
/// that is published for its size and optimizer; 0: not known.
std::optional<RateTrouble> rate_trouble(const Run& run, int signs, double greatest);

}  // namespace assay
