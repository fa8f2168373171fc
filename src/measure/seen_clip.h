#pragma once
// How the logged grad norms lie to the clip threshold. Essay in seen_clip.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "assay/run.h"
#include "stat/share.h"

namespace assay {

/// Grad norms of one segment, without its beginning.
struct SeenNorms {
  std::size_t segment = 0;
  StepRange steps;
  std::int64_t line = 0;       // of the first of them, numbered through
  std::vector<double> values;  // finite and above 0
  double quantum = 0;          // to which they were printed, at their median
  double median = 0, p25 = 0, p90 = 0, p99 = 0, greatest = 0;
  /// A value at which they pile up and above which there is none: they were logged after clipping, at this threshold.
  std::optional<double> piled_at;
  Share at_pile;  // of all of them

  /// Strictly above a threshold, and by more than printing makes.
  Share above(double threshold) const;
  /// Clipped at the threshold: above it, or, where they were logged after clipping, at the pile.
  Share clipped(double threshold) const;
};

/// Nothing with fewer than five norms.
std::optional<SeenNorms> seen_norms(const Run& run, std::size_t segment);

}  // namespace assay
