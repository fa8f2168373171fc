#pragma once
// Jupyter notebooks (.ipynb): what their cells printed.

#include <memory>
#include <string_view>

#include "core/recording.h"
#include "format/reader.h"

namespace assay {

/// A document of cells, by its name or by its first keys.
bool is_notebook(std::string_view path, std::string_view prefix, bool whole);

/// Reads the outputs of the cells as one console.
std::unique_ptr<StreamReader> open_notebook(Recorder& recorder);

}  // namespace assay
