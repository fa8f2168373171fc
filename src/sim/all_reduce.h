#pragma once
// An all-reduce in the arithmetic of its ranks. Essay: all_reduce.cpp.

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "num/lanes.h"
#include "num/reduction.h"
#include "sim/collective.h"

namespace assay {

/// When the sum is divided by the number of ranks.
enum class Averaging : std::uint8_t {
  kNone,
  kBefore,      // each rank divides what it has by N
  kAfter,       // the sum is divided by N
  kBoth,        // by a power of two near √N before, by the rest after: PyTorch's FSDP
  kCollective,  // each is multiplied by 1/N, rounded into the format: ncclAvg
};

struct AllReduce {
  Collective collective;
  NumberFormat wire;                                  // ranks send numbers of it: every hop rounds into it
  std::optional<NumberFormat> inside = std::nullopt;  // of kHierarchical: sums in a node; not given: the wire's
  Averaging averaging = Averaging::kNone;
  std::size_t elements = 0;  // of the whole buffer; 0: unknown, each element is of another chunk
  std::size_t bucket = 0;    // elements that are reduced in one call; 0: all
  RoundingRules rules = {};
};

using AveragingName = std::pair<Averaging, std::string_view>;
const std::vector<AveragingName>& averaging_names();

/// The chunk of an element of the buffer, by its place in its bucket.
std::size_t chunk_of(const AllReduce& how, std::size_t element);

/// What the additions of an element are done in, over positions (RankOrder).
SumModel sum_model(const AllReduce& how);

/// Roundings into numbers of at most `precision` bits that the longest path of a rank's number goes through, in the
/// additions.
std::size_t roundings_on_path(const SumModel& model, std::size_t ranks, int precision);

/// What is done with what a rank has before the sum, and with the sum.
struct Scaling {
  double before = 1;  // divided by it
  double after = 1;   // divided by it
  double factor = 1;  // multiplied by it before: a number of the wire
  double rest = 1;    // what the exact mean is of what these would give without rounding
};
Scaling scaling_of(const AllReduce& how);

/// What ranks have, for elements first, first + 1, …: number k of a row is that of rank k; of the result the one at
/// position k.
Lanes at_positions(const AllReduce& how, const Lanes& by_rank, std::size_t first);

/// The result of the elements first, first + 1, … (rows) before it is stored, from what rank k has (number k of a row).
/// Precondition: by_rank.length is the number of ranks, and check(how.collective) is content. `events` may be null.
std::vector<double> all_reduced(const AllReduce& how, const Lanes& by_rank, std::size_t first = 0,
                                SumEvents* events = nullptr);

}  // namespace assay
