#pragma once
// Tables of text: CSV, TSV and what else has one row in a line and one value in a column.

#include <memory>
#include <string_view>

#include "format/reader.h"

namespace assay {

bool is_csv(std::string_view path, std::string_view prefix, bool whole);
std::unique_ptr<StreamReader> open_csv(Recorder& recorder);

}  // namespace assay
