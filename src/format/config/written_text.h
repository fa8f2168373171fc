#pragma once
// JSON and YAML that a launch script writes into a file.

#include <vector>

#include "format/config/flat_settings.h"
#include "format/config/shell_value.h"

namespace assay {

/// Its settings at the script's lines; nothing if it is neither.
std::vector<FlatSetting> flatten_written(const shell::WrittenText& written);

}  // namespace assay
