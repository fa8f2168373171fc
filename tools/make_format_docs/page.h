// The page, from its template.
#pragma once

#include <string>

namespace assay::docs {

/// Puts numbers and tables where the template asks for them. Ends the program where it cannot.
std::string page_of(const std::string& page_template);

}  // namespace assay::docs
