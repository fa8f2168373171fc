#pragma once
// Names of runs where a line has no room for their paths.

#include <string>
#include <vector>

#include "assay/report.h"

namespace assay {

/// The ends of their paths, each as short as it can be told from the others.
std::vector<std::string> short_names(const std::vector<RunSummary>& runs);

}  // namespace assay
