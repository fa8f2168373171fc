#pragma once
// Collectives: in which order ranks add up what each of them has. Essay and sources: collective.cpp.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"
#include "assay/text.h"
#include "num/sum_order.h"

namespace assay {

inline constexpr std::size_t kMostRanks = 65536;

/// An all-reduce as a sum of one number of each rank.
struct Collective {
  enum class Kind : std::uint8_t {
    kRing,               // around the ring, one rank after the other; each chunk begins elsewhere
    kRecursiveDoubling,  // partners at distance 1, 2, 4, … exchange all they have
    kHalvingDoubling,    // the same additions, of halves of halves: reduce-scatter, then all-gather
    kTree,               // a binary tree; a rank adds its first child to its own, then its second
    kDoubleTree,         // two of them, each for half of the data
    kHierarchical,       // inside each node first, then around a ring of nodes
    kSwitch,             // switches of `radix` ports add what comes in, and round once
    kServer,             // one rank adds the others' in their order: (r0 + r1) + r2 + …
    kLinear,             // Open MPI's linear reduce: r0 + (r1 + (r2 + …))
  };
  Kind kind = Kind::kRing;
  std::size_t ranks = 8;
  std::size_t per_node = 8;    // of kHierarchical: divides `ranks`, or is more
  Kind within = Kind::kRing;   // of kHierarchical, in a node: not kHierarchical; kSwitch is one switch for all of it
  std::size_t radix = 8;       // of kSwitch; at least 2
  std::size_t ring_begin = 1;  // of rings: chunk c begins at rank c + this: 1 in NCCL, 0 in Open MPI
};

struct CollectiveFacts {
  Collective::Kind kind = Collective::Kind::kRing;
  std::string name;  // what a user types
  std::vector<std::string> also;
  Text title;
};

const std::vector<CollectiveFacts>& collectives();
const CollectiveFacts& facts_of(Collective::Kind kind);
/// By name, in any case, with '-' for '_'. Error kUsage: an unknown one, with the nearest.
Result<Collective::Kind> collective_named(std::string_view name);

/// Errors (kUsage): no ranks or more than kMostRanks; nodes that the ranks do not fill; a radix below 2.
Result<void> check(const Collective& collective);

/// How many chunks of the data are added in orders of their own; they are nearly equal parts of a buffer.
std::size_t chunk_count(const Collective& collective);
/// The chunk that an element of a buffer is in.
std::size_t chunk_of(std::size_t chunks, std::size_t element, std::size_t elements);

/// Which rank stands where in the additions of a chunk: these differ from chunk to chunk by their ranks alone.
struct RankOrder {
  std::size_t nodes = 1, per_node = 1;
  std::size_t node_begin = 0, local_begin = 0;
  bool backwards = false;  // the ranks of a node

  /// What stands at place `local` of the node at place `node`.
  std::size_t rank_at(std::size_t node, std::size_t local) const {
    node += node_begin;
    local = backwards ? per_node - 1 - local : local + local_begin;
    return (node < nodes ? node : node - nodes) * per_node + (local < per_node ? local : local - per_node);
  }
  /// Precondition: position < nodes · per_node.
  std::size_t rank_at(std::size_t position) const { return rank_at(position / per_node, position % per_node); }
};
RankOrder rank_order(const Collective& collective, std::size_t chunk);

/// The additions, for a Walker of num/sum_order.h whose term k is what stands at position k. `close` is called on the
/// sums of nodes and of switches.
template <class Walker>
auto walk(const Collective& collective, Walker& walker);

/// The same for a Walker whose term k is what rank k has.
template <class Walker>
auto walk(const Collective& collective, std::size_t chunk, Walker& walker);

/// The additions as steps over positions.
SumOrder order_of(const Collective& collective);

}  // namespace assay

#include "sim/collective_walk.h"
