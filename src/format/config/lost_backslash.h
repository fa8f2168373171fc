#pragma once
// Commands whose options go on behind a line without its backslash.

#include <cstdint>
#include <vector>

#include "format/config/shell_value.h"

namespace assay::shell {

/// A command that begins with an option is the rest of the one before it: its words move there. The lines at which
/// that happened.
std::vector<std::int64_t> join_lost_backslashes(std::vector<Invocation>& commands);

}  // namespace assay::shell
