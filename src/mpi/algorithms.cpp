// What Open MPI's all-reduces do, in which order.
//
// An MPI library may add in any order that it likes, another one for every size of the message. Open MPI's "tuned"
// component lets one choose (coll_tuned_allreduce_algorithm, which acts only with coll_tuned_use_dynamic_rules), and
// then the order of each element's additions is defined by ranks and elements alone. From the source of 4.1
// (coll_base_allreduce.c, coll_base_reduce.c), and held to the real thing by tests/mpi_test.py, bit for bit:
//
//   1 linear              rank 0 receives all, begins with the last rank's and ends with its own: r0 + (r1 + (r2 + …))
//   2 nonoverlapping      a reduce, then a broadcast. The reduce takes another tree for other sizes of the message:
//                         there is no order that one could rely on, and none is simulated.
//   3 recursive-doubling  partners at distance 1, 2, 4, … exchange all they have: a binary tree
//   4 ring                chunk c begins at rank c; with fewer elements than ranks it is 3
//   5 segmented-ring      the same in pieces: the same additions
//   6 rabenseifner        halves of halves: the additions of 3; with fewer elements than the largest power of two in
//                         the number of ranks it is 1
//
// Whether a choice acted. A number that does not exist, or one without dynamic rules, is silently the default, and
// recursive doubling and Rabenseifner's give the same bits. What tells them apart is who adds how much: the root of
// `linear` adds (N − 1)·n elements, a rank of recursive doubling n·log2 N, one of a ring (N − 1)/N·n. So the operator
// counts.
//
// Limits. Operators that are not commutative are not treated: Open MPI's ring gives a wrong result for them.

#include "mpi/algorithms.h"

#include <bit>

#include "base/ascii.h"
#include "base/nearest.h"

namespace assay::mpi {

namespace {

constexpr int kLinear = 1, kNonoverlapping = 2, kRecursiveDoubling = 3, kRing = 4, kSegmentedRing = 5,
              kRabenseifner = 6;

std::string folded(std::string_view name) {
  std::string out = lower(name);
  for (char& c : out) c = c == '_' ? '-' : c;
  return out;
}

// The number of the algorithm that is really done: some hand small messages to another one.
int done_by(int number, std::size_t ranks, std::size_t elements) {
  const bool is_ring = number == kRing || number == kSegmentedRing;
  if (is_ring && elements < ranks) return kRecursiveDoubling;
  if (number == kRabenseifner && elements < std::bit_floor(ranks)) return kLinear;
  return number;
}

}  // namespace

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = {
      {"default", {"ignore"}, 0, {"default", "默认"}},
      {"linear", {"basic-linear", "mpi-linear"}, kLinear, {"linear", "线性"}},
      {"nonoverlapping", {"reduce-broadcast"}, kNonoverlapping, {"nonoverlapping", "归约后广播"}},
      {"recursive-doubling", {"rd"}, kRecursiveDoubling, {"recursive-doubling", "递归倍增"}},
      {"ring", {}, kRing, {"ring", "环"}},
      {"segmented-ring", {"ring-segmented"}, kSegmentedRing, {"segmented-ring", "分段环"}},
      {"rabenseifner", {"halving-doubling", "rhd", "hd"}, kRabenseifner, {"rabenseifner", "递归折半–倍增"}}};
  return all;
}

Result<Algorithm> algorithm_named(std::string_view name) {
  const std::string wanted = folded(name);
  std::vector<std::string_view> words;
  std::string list;
  for (const Algorithm& one : algorithms()) {
    if (one.name == wanted) return one;
    words.push_back(one.name);
    list += (list.empty() ? "" : ", ") + one.name;
    for (const std::string& also : one.also) {
      if (also == wanted) return one;
      words.push_back(also);
    }
  }
  const std::string near = nearest(wanted, words);
  return fail(ErrorCode::kUsage, "Open MPI has no all-reduce algorithm '" + std::string(name) + "'", {},
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "algorithms: " + list + ", all");
}

std::optional<Collective> additions_of(const Algorithm& algorithm, std::size_t ranks, std::size_t elements) {
  Collective out{.ranks = ranks, .ring_begin = 0};
  switch (done_by(algorithm.number, ranks, elements)) {
    case kLinear: out.kind = Collective::Kind::kLinear; return out;
    case kRecursiveDoubling: out.kind = Collective::Kind::kRecursiveDoubling; return out;
    case kRabenseifner: out.kind = Collective::Kind::kHalvingDoubling; return out;
    case kRing:
    case kSegmentedRing: out.kind = Collective::Kind::kRing; return out;
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> busiest_additions(const Algorithm& algorithm, std::size_t ranks, std::size_t elements) {
  if (ranks == 1) return algorithm.number == 0 ? std::nullopt : std::optional<std::uint64_t>(0);
  const std::size_t power = std::bit_floor(ranks);
  const bool folds = ranks != power;  // ranks beyond it give theirs to a neighbour first
  switch (done_by(algorithm.number, ranks, elements)) {
    case kLinear: return (ranks - 1) * elements;
    case kRecursiveDoubling: return (static_cast<std::size_t>(std::countr_zero(power)) + (folds ? 1 : 0)) * elements;
    case kRabenseifner: return (folds ? elements / 2 : 0) + elements - elements / power;
    case kRing:
    case kSegmentedRing: return elements - elements / ranks;
    default: return std::nullopt;
  }
}

}  // namespace assay::mpi
