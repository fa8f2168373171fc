#pragma once
// The processes of an MPI job. The only file beside main.cpp that sees MPI.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "assay/result.h"
#include "mpi/experiment.h"

namespace assay::mpi {

/// All but the constructor, rank() and ranks() are done by every process together.
class Job {
 public:
  /// Starts MPI, with Open MPI's algorithms open to choice.
  Job(int* count, char*** words);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  std::size_t rank() const { return rank_; }
  std::size_t ranks() const { return ranks_; }

  /// The greatest of what the ranks have.
  std::uint64_t most(std::uint64_t mine) const;
  bool all_equal(std::uint64_t mine) const;
  /// The error of the lowest rank that has one, on every rank; its message says which rank it was unless it was rank 0.
  Result<void> agree(const Result<void>& mine) const;

  /// Ends all processes of the job at once, from one of them.
  [[noreturn]] static void abort(int status);

 private:
  std::size_t rank_ = 0, ranks_ = 1;
};

/// What rank 0 reduces with. The others do what it says in `serve` until it is gone.
std::unique_ptr<Reducer> lead(const Job& job, Wire& wire, std::vector<std::byte> mine);
void serve(const Job& job, Wire& wire, std::vector<std::byte> mine);

}  // namespace assay::mpi
