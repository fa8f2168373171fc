#pragma once
// The all-reduces of Open MPI: by which number one is chosen, and what it adds to what. Essay: algorithms.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"
#include "assay/text.h"
#include "sim/collective.h"

namespace assay::mpi {

struct Algorithm {
  std::string name;  // what a user types
  std::vector<std::string> also;
  int number = 0;  // of coll_tuned_allreduce_algorithm; 0: whatever this MPI decides
  Text title;
};

/// In the order of their numbers.
const std::vector<Algorithm>& algorithms();
/// By name, in any case, with '-' for '_'. Error kUsage: an unknown one, with the nearest.
Result<Algorithm> algorithm_named(std::string_view name);

/// The additions of an element, where they are defined; ring_begin is set.
std::optional<Collective> additions_of(const Algorithm& algorithm, std::size_t ranks, std::size_t elements);

/// Elements that the busiest rank adds, where that is known to within one a message: it tells algorithms apart that
/// give the same bits.
std::optional<std::uint64_t> busiest_additions(const Algorithm& algorithm, std::size_t ranks, std::size_t elements);

}  // namespace assay::mpi
