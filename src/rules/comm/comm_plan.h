#pragma once
// How gradients are summed over the ranks that share the data, as settings and frameworks have it.
// Essay: comm_plan.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/run.h"
#include "rules/plan.h"
#include "sim/all_reduce.h"

namespace assay {

/// A sum of gradients in a format of 16 or 8 bits.
struct GradientSum {
  std::string format;                                 // "bf16", "fp16", "e4m3", "e5m2"
  const Setting* from = nullptr;                      // that says it, or from which it follows
  bool by_default = false;                            // the framework's choice, since nothing else was said
  std::optional<Averaging> averaging = std::nullopt;  // nothing: not known
  double divided = 1;     // by that before the sum, where the settings say a number of their own
  std::string fp32 = {};  // the option that makes it fp32, to copy; empty: not known
};

/// Nothing where the sum is in fp32, or where nothing is known of it.
std::optional<GradientSum> low_gradient_sum(const Plan& plan);

/// The ranks that gradients are summed over.
struct SumRanks {
  std::size_t count = 1;        // data-parallel · context-parallel
  std::size_t sharers = 1;      // data-parallel
  std::optional<Planned> from;  // the data-parallel ones
  std::size_t per_node = 0;     // of them, where sums are known to be done in a node (or a shard group) first
};
/// Nothing where it is not told, or beyond what a collective may have.
std::optional<SumRanks> ranks_of_sum(const Plan& plan);

/// What the ranks of such a sum do, around a ring; in nodes first where that is known.
AllReduce all_reduce_of(const SumRanks& ranks, std::string_view format, Collective::Kind kind);

/// The algorithm that NCCL_ALGO leaves as the only one ("Ring", "Tree"); nothing where it leaves several.
std::optional<Collective::Kind> pinned_algorithm(const Run& run);

/// A share in percent, with two significant digits.
Value percent_of(double share);

}  // namespace assay
