#pragma once
// Counts of millions and more.

#include <string>

#include "assay/text.h"

namespace assay {

/// A count from a million on as people say it: "176.2 B", "1,762 亿"; below, and beyond all that is counted, as format.
/// In sentences `fill` does it for tokens and parameters by itself.
std::string format_count(double number, Language language);

}  // namespace assay
