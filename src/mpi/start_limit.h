#pragma once
// How long a process waits for the others of its job to start.

#include <csignal>

namespace assay::mpi {

/// While it lives, the process ends with a message and status 2 when the time is over: ASSAY_MPI_START_SECONDS, or
/// 120 s.
class StartLimit {
 public:
  StartLimit();
  ~StartLimit();
  StartLimit(const StartLimit&) = delete;
  StartLimit& operator=(const StartLimit&) = delete;

 private:
  struct sigaction before_ = {};
};

}  // namespace assay::mpi
