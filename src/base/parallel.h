#pragma once
// Work on many things at once, with results that do not depend on how many hands there were.

#include <cstddef>
#include <functional>

namespace assay {

/// How many threads `jobs` means: itself, or the number of processors where it is 0. At least 1.
unsigned job_count(unsigned jobs);

/// Calls work(i) once for every i in [0, count), on up to `jobs` threads (0: one a processor), and returns when all are
/// done. Indices are handed out in rising order; which thread gets which is left to chance, so `work` writes its result
/// to place i and the caller reads the places in order: the same bits for any number of jobs. With one job everything
/// runs on the caller's thread. An exception of `work` stops nothing else; afterwards the one of the least index is
/// thrown again.
void parallel_for(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work);

}  // namespace assay
