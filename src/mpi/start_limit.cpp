// MPI_Init returns when all processes of the job have called it. One that ended before with status 0 is missed by
// nobody, and the others would wait for ever: Open MPI's mpirun (4.1.4) ends a job only for another status. So there
// is an alarm.

#include "mpi/start_limit.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace assay::mpi {

namespace {

constexpr int kStatus = 2;          // of wrong usage: the job was not started as it should be
constexpr unsigned kSeconds = 120;  // thousands of processes start in less

unsigned seconds() {
  const char* text = std::getenv("ASSAY_MPI_START_SECONDS");
  if (text == nullptr) return kSeconds;
  const std::string_view all(text);
  unsigned out = 0;
  const auto [rest, error] = std::from_chars(all.data(), all.data() + all.size(), out);
  return error == std::errc() && rest == all.data() + all.size() && out > 0 ? out : kSeconds;
}

// Only what a signal handler may do.
extern "C" void on_alarm(int /*signal*/) {
  constexpr std::string_view kText =
      "assay-mpi: MPI did not start: a process of the job has ended, or is not there\n"
      "  ASSAY_MPI_START_SECONDS=N waits longer\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
  _exit(kStatus);
}

}  // namespace

StartLimit::StartLimit() {
  struct sigaction action = {};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, &before_);
  alarm(seconds());
}

StartLimit::~StartLimit() {
  alarm(0);
  sigaction(SIGALRM, &before_, nullptr);
}

}  // namespace assay::mpi
