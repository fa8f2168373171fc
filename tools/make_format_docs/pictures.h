// Pictures of formats, as SVG.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace assay::docs {

/// Path below the project's folder -> content.
std::map<std::filesystem::path, std::string> pictures();

}  // namespace assay::docs
