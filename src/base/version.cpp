#include "base/version.h"

namespace assay {

// ASSAY_VERSION is defined for this file alone, by CMake, from the one place that states the version.
std::string_view version() { return ASSAY_VERSION; }

}  // namespace assay
