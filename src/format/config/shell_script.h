#pragma once
// Launch scripts of any shell: what a training would be started with. Nothing is run and no other file is opened; what
// only a run could tell is recorded as unknown, with the reason. Essay in shell_script.cpp.

#include <cstdint>
#include <memory>
#include <string_view>

#include "format/reader.h"

namespace assay {

bool is_shell_script(std::string_view path, std::string_view prefix, bool whole);
std::unique_ptr<StreamReader> open_shell_script(Recorder& recorder);

/// The settings of a command that another file holds, at that file's lines. False: it launches no training, and nothing
/// is recorded.
bool record_command(std::string_view command, std::int64_t lines_before, Recorder& recorder);

}  // namespace assay
