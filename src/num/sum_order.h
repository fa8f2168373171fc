#pragma once
// In which order a sum is done: it decides how errors grow, and it is what differs between chips, libraries and runs.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"

namespace assay {

/// One step of a sum that is written down: partial sums have numbers, and are used again when they were added.
struct SumStep {
  enum class What : std::uint8_t {
    kFirst,    // sum `sum` begins with term `other`
    kAddTerm,  // term `other` is added to it
    kAdd,      // sum `other` is added to it, and ends
    kClose,    // it is complete
  };
  What what = What::kFirst;
  std::uint32_t sum = 0;
  std::uint32_t other = 0;
};

/// Any order at all, as its steps: what a collective does is one. Sum 0 is the result.
struct SumPlan {
  std::string name;
  std::size_t terms = 0;
  std::size_t sums = 0;  // that are kept at once
  std::vector<SumStep> steps;
};

struct SumOrder {
  enum class Kind : std::uint8_t {
    kSequential,  // ((x0 + x1) + x2) + …
    kPairwise,    // halves, each summed the same way
    kCascade,     // PyTorch on a CPU: four sums one behind the other, each a sum of sums of the one before
    kLanes,       // term k goes to sum k mod size; then the sums, pairwise: threads of a block, lanes of a vector
    kBlocks,      // each block of `size` terms sequentially, then the sums of the blocks sequentially
    kSplit,       // the same with `size` blocks of nearly equal length: split-K
    kPlan,        // as `plan` says
  };
  Kind kind = Kind::kSequential;
  std::size_t size = 0;  // of kLanes, kBlocks, kSplit; at least 1
  std::shared_ptr<const SumPlan> plan = nullptr;
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
/// Precondition: n >= 1; of a plan, its number of terms.
template <class Walker>
auto walk(const SumOrder& order, std::size_t n, Walker& walker);

/// A Walker that writes the steps down.
class PlanRecorder {
 public:
  using Number = std::uint32_t;  // of the sum

  Number first(std::size_t term);
  void add_term(Number& sum, std::size_t term);
  void add(Number& sum, Number&& other);
  void close(Number& sum);
  /// The order of what was recorded; `result`: the sum that is its result.
  SumOrder order(std::string name, Number result) &&;

 private:
  SumPlan plan_;
  std::vector<Number> free_;
};

}  // namespace assay

#include "num/sum_walk.h"
