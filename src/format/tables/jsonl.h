#pragma once
// JSON lines: one object a line, as trackers and trainers append them.

#include <memory>
#include <string_view>

#include "format/reader.h"

namespace assay {

bool is_jsonl(std::string_view path, std::string_view prefix, bool whole);
std::unique_ptr<StreamReader> open_jsonl(Recorder& recorder);

}  // namespace assay
