#pragma once
// Event files as TensorBoard reads them, whoever wrote them: TensorFlow, PyTorch, tensorboardX, JAX's clu, Keras.

#include <memory>
#include <string_view>

#include "format/reader.h"

namespace assay {

/// By content: the first record's length has the right checksum and its data are an event.
bool is_event_file(std::string_view path, std::string_view prefix, bool whole);

std::unique_ptr<StreamReader> open_event_file(Recorder& recorder);

}  // namespace assay
