#pragma once
// `assay error --order-study`: how much a result changes when nothing but the order of its terms does.

#include <cstdint>
#include <string>
#include <vector>

#include "study/error_measure.h"

namespace assay {

/// Results in other orders, against those in the first.
struct OrderChanges {
  std::string order;           // name of the order of the sum; empty: the terms themselves were shuffled
  std::uint64_t compared = 0;  // outputs times orders
  std::uint64_t changed = 0;
  std::vector<std::uint64_t> by_steps;  // how many lie 0, 1, 2, 3, 4 or more numbers of the format apart
  std::int64_t most_steps = 0;
  double largest = 0;  // |difference| in units of the operator's magnitude
  double rms = 0;
  double predicted_share = 0;  // of changed outputs; NaN: there is no theory
};

struct OrderStudy {
  std::size_t rows = 0;
  std::size_t orders = 0;  // that were tried: all that were asked for, unless interrupted
  std::uint64_t outputs = 0;
  std::uint64_t ever_changed = 0;  // outputs that are not the same in all shuffled orders
  OrderChanges shuffled;
  std::vector<OrderChanges> named;  // the other orders of a sum, of the terms as they are
  /// The same input, summed again in the same order: always 0, and checked.
  std::uint64_t changed_in_same_order = 0;
};

Result<OrderStudy> study_orders(const ErrorQuestion& question, const ErrorInputs& data);

}  // namespace assay
