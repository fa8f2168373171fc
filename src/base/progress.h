#pragma once
// How far a long job is, as counters that any thread may raise; whoever has a terminal shows them.

#include <atomic>
#include <cstdint>

namespace assay {

struct Progress {
  std::atomic<std::int64_t> bytes_done = 0;
  std::atomic<std::int64_t> bytes_total = 0;  // grows while files are discovered
  std::atomic<std::int64_t> files_done = 0;
  std::atomic<std::int64_t> files_total = 0;
  std::atomic<std::int64_t> parts_done = 0;  // of work that is no reading
  std::atomic<std::int64_t> parts_total = 0;
};

}  // namespace assay
