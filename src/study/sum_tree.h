#pragma once
// In which order a sum adds, from sums of masks. Essay in sum_tree.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay {

/// Where one element is M, one -M, the others are ones: how many ones came out.
struct MaskSum {
  std::size_t i = 0;
  std::size_t j = 0;
  double ones = 0;
};

struct SumOrder {
  std::size_t count = 0;          // elements
  bool keeps_ones = false;        // no one is lost: the accumulator has more bits than the masks are apart
  bool vanish = false;            // all are: nothing else is told, either
  bool tree = false;              // the rest is set: some tree gives these sums
  bool all_pairs = false;         // every pair was seen: depth and arity are those of the whole tree
  std::size_t depth = 0;          // additions on the longest way; of the first element where not all pairs were seen
  std::size_t most_terms = 2;     // added at once
  std::size_t first_partner = 0;  // the element that the first one meets first
  bool in_turn = false;           // one element after the other, from the first to the last
};

/// count: elements of each sum, at least 2. Elements are below count.
SumOrder sum_order(std::size_t count, std::span<const MaskSum> sums);

}  // namespace assay
