#pragma once
// Seconds of processor time: on a busy machine the wall clock measures the neighbours.

#include <algorithm>
#include <ctime>
#include <limits>

namespace assay {

inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The best of three.
double seconds_of(const auto& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const double start = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

}  // namespace assay
