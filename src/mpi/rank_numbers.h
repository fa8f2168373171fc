#pragma once
// What the ranks of a job have to add.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mpi/algorithms.h"
#include "mpi/wire.h"
#include "num/lanes.h"
#include "study/error_data.h"

namespace assay::mpi {

struct Question {
  std::vector<Algorithm> algorithms;
  bool all = false;         // they are all that there are: those that this MPI does not offer are left out
  NumberFormat dtype;       // of what the ranks have and of the result
  NumberFormat accumulate;  // of what travels: every hop rounds into it
  std::optional<std::size_t> elements;
  std::size_t repeats = 3;
  ErrorData data;  // path: one array of ranks × elements, a folder, or rank%d.npy
  std::uint64_t seed = 1;
  std::vector<std::string> arguments = {};  // as they were typed
};

class RankNumbers {
 public:
  /// The same on every rank. Errors: those of the files; data of fewer ranks than the job has; no or too many elements.
  static Result<RankNumbers> open(const Question& question, std::size_t ranks);

  std::size_t ranks() const { return random_.length; }
  std::size_t elements() const { return random_.rows; }

  /// Elements [first, first + count) as rows; number k of a row is that of rank k, not yet rounded.
  Result<Lanes> rows(std::size_t first, std::size_t count) const;
  /// What one rank sends: its numbers rounded into the dtype, then into the wire's format.
  Result<std::vector<std::byte>> sent_by(std::size_t rank, const NumberFormat& dtype, Wire& wire) const;
  /// Rows that are worked on at once: 16 MB, whatever the number of ranks.
  std::size_t rows_at_once() const;

 private:
  RankNumbers(ErrorInputs inputs, ErrorQuestion random) : inputs_(std::move(inputs)), random_(std::move(random)) {}

  ErrorInputs inputs_;
  ErrorQuestion random_;  // what the rows are drawn by
};

}  // namespace assay::mpi
