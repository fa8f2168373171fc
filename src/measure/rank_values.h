#pragma once
// Values that several ranks tell of one step. Essay in rank_values.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/run.h"
#include "core/recording.h"

namespace assay {

/// A value that a rank tells, and where.
struct RankValue {
  std::int64_t step = 0;
  std::int64_t line = 0;
  double value = 0;
};

/// Metrics that ranks may share.
bool may_be_shared(std::string_view metric);

/// Where two ranks stop agreeing on what they shared. Both rising by step. Nothing where they never shared it, or where
/// they only differ now and then.
std::optional<RankDifference> difference_of(const std::vector<RankValue>& own, const std::vector<RankValue>& other,
                                            std::string_view metric);

/// Of the ranks whose rows stand in one file, against rank `main`.
std::vector<RankDifference> rank_differences(const Recording& recording, std::int64_t main);

/// Of a file of another rank, against the run. names: what the two are called.
std::vector<RankDifference> rank_differences(const Run& run, const Run& other, const std::string& own_name,
                                             const std::string& other_name);

/// One for each metric: the earliest, with the number of ranks.
void merge_differences(std::vector<RankDifference>& into, std::vector<RankDifference> more);

}  // namespace assay
