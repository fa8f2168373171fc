#pragma once
// Options that say what the ranks of an all-reduce have.

#include <cstdint>
#include <vector>

#include "cli/command.h"
#include "study/error_op.h"

namespace assay::cli {

/// --data, --mean, --std, --seed.
std::vector<Option> rank_data_options(ErrorData* data, std::uint64_t* seed);

}  // namespace assay::cli
