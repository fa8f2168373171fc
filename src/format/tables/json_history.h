#pragma once
// Single JSON documents: a trainer's state with its history, other lists of records, lists of numbers by metric, and
// plain settings.

#include <memory>
#include <string_view>

#include "format/reader.h"

namespace assay {

bool is_json_document(std::string_view path, std::string_view prefix, bool whole);
std::unique_ptr<StreamReader> open_json_document(Recorder& recorder);

}  // namespace assay
