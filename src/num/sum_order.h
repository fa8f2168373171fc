#pragma once
// In which order a sum is done: it decides how errors grow, and it is what differs between chips, libraries and runs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"

namespace assay {

struct SumOrder {
  enum class Kind : std::uint8_t {
    kSequential,  // ((x0 + x1) + x2) + …
    kPairwise,    // halves, each summed the same way
    kCascade,     // PyTorch on a CPU: four sums one behind the other, each a sum of sums of the one before
    kLanes,       // term k goes to sum k mod size; then the sums, pairwise: threads of a block, lanes of a vector
    kBlocks,      // each block of `size` terms sequentially, then the sums of the blocks sequentially
    kSplit,       // the same with `size` blocks of nearly equal length: split-K
  };
  Kind kind = Kind::kSequential;
  std::size_t size = 0;  // of kLanes, kBlocks, kSplit; at least 1
};

/// "sequential", "pairwise", "cascade", "lanes:8", "blocks:128", "split:4".
/// Errors (kUsage): an unknown word, with the nearest; a size that is missing, zero, or not a number.
Result<SumOrder> sum_order(std::string_view text);
std::string name_of(const SumOrder& order);
/// The words before the colon, for help and completions.
const std::vector<std::string_view>& sum_order_words();

/// Does a sum in an order. A Walker says what a number is and what an addition does:
///
///   Number first(k)                    term k as the beginning of a sum
///   void add_term(Number& sum, k)      sum + term k
///   void add(Number& sum, Number&& x)  sum + another sum
///   void close(Number& sum)            a sum of a lane or block is complete; only where there are several
///
/// So the emulation of a format, the exact sum and the theory of its error walk the same tree.
/// Precondition: n >= 1.
template <class Walker>
auto walk(const SumOrder& order, std::size_t n, Walker& walker);

}  // namespace assay

#include "num/sum_walk.h"
