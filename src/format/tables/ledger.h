#pragma once
// What the table readers tell about what they could not use.

#include <cstdint>
#include <string>
#include <utility>

#include "core/recording.h"

namespace assay {

inline void tell_problem(Recorder& recorder, ErrorCode code, std::string message, std::int64_t line = 0,
                         std::string hint = {}) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.where.path = recorder.file().path;
  error.where.line = line;
  error.hint = std::move(hint);
  recorder.problem(std::move(error));
}

/// Nothing in the file is a log, and why.
inline void tell_no_log(Recorder& recorder, std::string message, std::string hint = {}) {
  Error error;
  error.code = ErrorCode::kUnrecognised;
  error.message = std::move(message);
  error.where.path = recorder.file().path;
  error.hint = std::move(hint);
  recorder.file().state = FileState::kNothingRead;
  recorder.file().error = std::move(error);
}

}  // namespace assay
