#pragma once
// From the text of a shell script to its commands.

#include <string_view>

#include "format/config/shell_syntax.h"

namespace assay::shell {

/// Line ends are '\n'. What cannot be understood is told and passed over, line by line; the rest is read.
Script parse_script(std::string_view text);

}  // namespace assay::shell
