#pragma once
// The batch of one data-parallel rank, as NVIDIA's MLPerf scripts say it: `export MINIBS=8`.

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "format/config/flat_settings.h"

namespace assay {

/// Sequences that one data-parallel rank reads in one step of the optimizer, in all its micro-batches.
inline constexpr std::string_view kRankBatchSize = "rank_batch_size";

/// What a rank's batch says together with the other settings of a script.
struct SaidByRankBatch {
  std::string_view canonical;
  FlatSetting flat;
};

/// told: the script's settings by canonical name. Nothing where it says no such batch, says already what would follow,
/// or lacks what it takes.
std::optional<SaidByRankBatch> said_by_rank_batch(const std::map<std::string, FlatSetting, std::less<>>& told);

}  // namespace assay
