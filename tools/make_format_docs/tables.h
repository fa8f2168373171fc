// Tables of the page.
#pragma once

#include <string>
#include <string_view>

namespace assay::docs {

/// "layouts", "constants", "rounding", "overflow", "hif8", "clips"; empty where there is no such table.
std::string table(std::string_view name);

}  // namespace assay::docs
