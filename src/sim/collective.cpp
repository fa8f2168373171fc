// Collectives: who adds what to what.
//
// What a rank gets from an all-reduce is, for each element, a sum of one number of each rank, and the algorithm says in
// which order they are added. Rounding sees nothing else of it: not the messages, not the links. So each algorithm is
// a walk over the ranks (collective_walk.h), which the emulation, the theory and the bounds of sums share.
//
// Elements differ only by their ranks' places. A ring adds chunk c in the order c + 1, c + 2, …, c, and the second tree
// of a double tree is the first with other ranks. So there is one walk over positions, and `rank_order` says which rank
// stands where for a chunk.
//
// Whose algorithms these are
//   ring                 NCCL (all_reduce.h, runRing): in the first step rank r sends chunk r − 1, so chunk c begins at
//                        rank c + 1 and is complete at rank c; RCCL and Gloo the same way. Open MPI
//                        (coll_base_allreduce.c, intra_ring) sends chunk r first: ring_begin 0.
//   recursive-doubling   Open MPI and MPICH. With p = 2^k + e ranks, the even ones of the first 2e give theirs to their
//                        right neighbours; 2^k ranks go on, the pairs as the first e of them.
//   halving-doubling     Rabenseifner's, as Open MPI does it (intra_redscat_allgather): distances 1, 2, 4, …, the
//                        vector halved each time. The additions of an element are those of recursive doubling, since
//                        a + b = b + a; the messages are shorter.
//   tree, double-tree    NCCL (graph/trees.cc): rank 0 is the root; a rank with lowest bit b has the children r − b/2
//                        and r + b/2 (the next smaller step that exists), and adds the first to its own, then the
//                        second. Every second half of the data goes through the mirrored tree (an odd number of ranks:
//                        the tree shifted by one rank), whose root is the last rank (rank 1).
//   hierarchical         reduce-scatter in each node, a ring of the ranks that hold the same part in each node,
//                        all-gather in the node. The sum of a node leaves it in the ranks' format.
//   switch               in-network reduction (NVLink SHARP, InfiniBand SHARP): a switch adds what its ports deliver in
//                        FP32 and sends on a number of the ranks' format; levels of switches above each other.
//   server               a parameter server adds gradients as the ranks are numbered (a real one: as they arrive).
//   linear               Open MPI's basic linear reduce: the root begins with the last rank and ends with the first.
//
// Limits. A ring's chunks are taken as equal parts of a buffer; NCCL cuts them for its channels and its steps, which
// changes the rank that a chunk begins at and nothing of the errors. Trees are over ranks: where NCCL chains the ranks
// of a node before its tree, `hierarchical` is nearer. Additions that depend on arrival are not modelled: see the order
// study of `assay error`.

#include "sim/collective.h"

#include <algorithm>
#include <utility>

#include "base/nearest.h"

namespace assay {

namespace {

std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool is_ring(Collective::Kind kind) { return kind == Collective::Kind::kRing; }

std::size_t node_size(const Collective& collective) {
  return collective.kind == Collective::Kind::kHierarchical ? std::min(collective.per_node, collective.ranks)
                                                            : collective.ranks;
}

// Chunks of `ranks` ranks without nodes.
std::size_t flat_chunks(Collective::Kind kind, std::size_t ranks) {
  if (is_ring(kind)) return ranks;
  return kind == Collective::Kind::kDoubleTree && ranks > 1 ? 2 : 1;
}

}  // namespace

const std::vector<CollectiveFacts>& collectives() {
  using Kind = Collective::Kind;
  static const std::vector<CollectiveFacts> all = {
      {Kind::kRing, "ring", {"nccl-ring"}, {"ring", "环"}},
      {Kind::kRecursiveDoubling, "recursive-doubling", {"rd"}, {"recursive doubling", "递归倍增"}},
      {Kind::kHalvingDoubling,
       "halving-doubling",
       {"rhd", "hd", "rabenseifner"},
       {"halving–doubling", "递归折半–倍增"}},
      {Kind::kTree, "tree", {"binary-tree"}, {"binary tree", "二叉树"}},
      {Kind::kDoubleTree, "double-tree", {"double-binary-tree", "nccl-tree"}, {"double binary tree", "双二叉树"}},
      {Kind::kHierarchical, "hierarchical", {"two-level", "2-level"}, {"hierarchical", "分层"}},
      {Kind::kSwitch, "switch", {"nvls", "sharp", "switch-reduced"}, {"switch-reduced", "交换机归约"}},
      {Kind::kServer, "server", {"parameter-server", "ps"}, {"parameter server", "参数服务器"}},
      {Kind::kLinear, "linear", {"mpi-linear"}, {"linear (Open MPI)", "线性（Open MPI）"}}};
  return all;
}

const CollectiveFacts& facts_of(Collective::Kind kind) {
  const std::vector<CollectiveFacts>& all = collectives();
  for (const CollectiveFacts& one : all) {
    if (one.kind == kind) return one;
  }
  return all.front();
}

Result<Collective::Kind> collective_named(std::string_view name) {
  const std::string wanted = folded(name);
  std::vector<std::string_view> words;
  std::string list;
  for (const CollectiveFacts& one : collectives()) {
    if (one.name == wanted) return one.kind;
    words.push_back(one.name);
    list += (list.empty() ? "" : ", ") + one.name;
    for (const std::string& also : one.also) {
      if (also == wanted) return one.kind;
      words.push_back(also);
    }
  }
  const std::string near = nearest(wanted, words);
  return fail(ErrorCode::kUsage, "no all-reduce algorithm is called '" + std::string(name) + "'", {},
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "algorithms: " + list);
}

Result<void> check(const Collective& collective) {
  if (collective.ranks == 0 || collective.ranks > kMostRanks) {
    return fail(ErrorCode::kUsage, "an all-reduce has 1 to " + std::to_string(kMostRanks) + " ranks, not " +
                                       std::to_string(collective.ranks));
  }
  if (collective.kind == Collective::Kind::kSwitch && collective.radix < 2) {
    return fail(ErrorCode::kUsage, "a switch adds what at least 2 ports deliver");
  }
  if (collective.kind != Collective::Kind::kHierarchical) return {};
  if (collective.within == Collective::Kind::kHierarchical) {
    return fail(ErrorCode::kUsage, "the algorithm inside a node cannot be hierarchical itself");
  }
  if (collective.per_node == 0 || collective.ranks % node_size(collective) != 0) {
    return fail(ErrorCode::kUsage, std::to_string(collective.ranks) + " ranks do not fill nodes of " +
                                       std::to_string(collective.per_node));
  }
  return {};
}

std::size_t chunk_count(const Collective& collective) {
  if (collective.kind != Collective::Kind::kHierarchical) return flat_chunks(collective.kind, collective.ranks);
  const std::size_t size = node_size(collective);
  return flat_chunks(collective.within, size) * (collective.ranks / size);
}

std::size_t chunk_of(std::size_t chunks, std::size_t element, std::size_t elements) {
  const std::size_t small = elements / chunks;
  const std::size_t larger = elements % chunks;  // chunks with one element more, the first ones
  const std::size_t in_larger = larger * (small + 1);
  return element < in_larger ? element / (small + 1) : larger + (element - in_larger) / small;
}

RankOrder rank_order(const Collective& collective, std::size_t chunk) {
  const std::size_t size = node_size(collective);
  RankOrder out;
  out.per_node = size;
  out.nodes = collective.ranks / size;
  const bool hierarchical = collective.kind == Collective::Kind::kHierarchical;
  const Collective::Kind kind = hierarchical ? collective.within : collective.kind;
  if (hierarchical) out.node_begin = (chunk + collective.ring_begin) % out.nodes;
  const std::size_t local = chunk / out.nodes;
  if (is_ring(kind)) out.local_begin = (local + collective.ring_begin) % size;
  if (kind == Collective::Kind::kDoubleTree && local == 1) {
    out.backwards = size % 2 == 0;
    out.local_begin = out.backwards ? 0 : 1;
  }
  out.backwards = out.backwards || kind == Collective::Kind::kLinear;
  return out;
}

SumOrder order_of(const Collective& collective) {
  PlanRecorder recorder;
  const PlanRecorder::Number result = walk(collective, recorder);
  return std::move(recorder).order(facts_of(collective.kind).name, result);
}

}  // namespace assay
