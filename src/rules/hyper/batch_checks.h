#pragma once
// The sums that a framework does before the first step, and where they do not come out. Essay in batch_checks.cpp.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/finding.h"
#include "rules/plan.h"

namespace assay {

/// One sum that does not come out.
struct Mismatch {
  std::string sentence;  // key of a sentence of batch-arithmetic
  Values values;
  Location where;
  bool refused = false;  // the framework stops with it before the first step
  std::string checked;   // key of the sentence that says where it checks that; empty: it does not
  std::vector<Action> actions;
  bool slow = false;  // it runs, and wastes time: a note
};

/// Of batch, ranks and growing batches.
std::vector<Mismatch> batch_mismatches(const Plan& plan);
/// Of the shape of the model against the ranks over which it is spread.
std::vector<Mismatch> shape_mismatches(const Plan& plan);

/// The count that a setting says or that follows under that name: a whole number above 0.
std::optional<std::int64_t> whole(const Plan& plan, std::string_view key);
/// The name that the settings have for it, and where it was said.
std::string name_of(const Plan& plan, std::string_view key);
Location where_said(const Plan& plan, std::string_view key);
bool is_megatron(const Plan& plan);

}  // namespace assay
