#pragma once
// What real all-reduces of one input gave: repeated, on every rank, beside the simulation of the same additions.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/report.h"
#include "mpi/rank_numbers.h"

namespace assay::mpi {

/// Whoever carries out all-reduces of what the ranks have: MPI, or a stand-in of the tests. Asked by rank 0.
class Reducer {
 public:
  struct Call {
    std::vector<std::uint64_t> hashes;     // of each rank's result (hash_of)
    std::vector<std::uint64_t> additions;  // elements that each rank added
    double seconds = 0;
  };

  virtual ~Reducer() = default;
  Reducer() = default;
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  /// "Open MPI 4.1.4".
  virtual std::string library() const = 0;
  /// For the calls that follow. Error kUsage: this MPI does not let one choose it.
  virtual Result<void> choose(const Algorithm& algorithm) = 0;
  virtual Call reduce() = 0;
  /// The result of the last call, as codes.
  virtual std::vector<std::byte> result_of(std::size_t rank) = 0;
};

std::uint64_t hash_of(std::span<const std::byte> bytes);

/// Where a result has other bits than rank 0's of the first call.
struct Difference {
  std::size_t repeat = 0, rank = 0, element = 0;
  double value = 0, expected = 0;
};

/// MPI's sums beside the simulation's, as they travelled.
struct Comparison {
  Collective order;
  std::size_t equal = 0, elements = 0;
  std::size_t element = 0;  // the first that differs
  double value = 0, expected = 0;

  bool holds() const { return equal == elements; }
};

/// |result − exact| / |exact|, of results in the dtype and exact sums of the numbers before they were rounded.
struct Errors {
  double median = 0, mean = 0, most = 0;  // NaN of none
  std::size_t not_finite = 0;             // results, though the exact sum is finite
};

struct Outcome {
  Algorithm algorithm;
  bool ranks_agree = true;    // in every call
  bool repeats_agree = true;  // on every rank
  std::optional<Difference> difference;
  std::optional<Comparison> simulation;  // where the order is defined
  Errors errors;
  std::optional<Errors> simulated_errors;  // where the order is defined
  std::size_t alike = 0;                   // the first of the algorithms that gave the same bits
  std::uint64_t additions = 0;             // of the busiest rank
  std::optional<std::uint64_t> planned;    // what it would add, where that is known
  double seconds = 0;                      // a call, median

  /// Whether the work is that of the algorithm: what was chosen may silently be another one.
  bool acted(std::size_t ranks) const;
};

struct Experiment {
  std::size_t ranks = 0, elements = 0;
  std::string library;
  std::vector<Outcome> outcomes;
  std::vector<Algorithm> left_out;  // this MPI does not offer them

  /// Same bits everywhere, and those of the simulation where there is one.
  bool holds() const;
};

/// `wire`: of the question's `accumulate`. Errors: of reading data; an algorithm that this MPI does not offer.
Result<Experiment> run_experiment(const Question& question, const RankNumbers& numbers, Wire& wire, Reducer& reducer);

Report experiment_report(const Question& question, const Experiment& experiment);

}  // namespace assay::mpi
