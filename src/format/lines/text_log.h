#pragma once
// The reader of text logs: whatever a program printed, of any framework.

#include <memory>
#include <string_view>

#include "core/recording.h"
#include "format/reader.h"

namespace assay {

/// Reads any text log into `recorder`, which has to outlive the reader.
std::unique_ptr<StreamReader> open_text_log(Recorder& recorder);

/// Whether bytes are text: at most one in fifty is a control character that no console prints.
bool looks_like_text(std::string_view prefix);

namespace lines {
/// For tests: every line takes the slow path. The recording has to be the same as that of open_text_log.
std::unique_ptr<StreamReader> open_text_log_slowly(Recorder& recorder);
}  // namespace lines

}  // namespace assay
