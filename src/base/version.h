#pragma once

#include <string_view>

namespace assay {

// The version of assay, as in "0.1.0". Lives as long as the program.
std::string_view version();

}  // namespace assay
