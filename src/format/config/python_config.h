#pragma once
// Configurations that are Python assignments and nothing else: nanoGPT's config/*.py, fairseq's, mmengine's
// `optim_wrapper = dict(optimizer=dict(lr=1e-4))`, ml_collections' get_config(). A program is none of them.

#include <memory>
#include <string_view>

#include "format/reader.h"

namespace assay {

bool is_python_config(std::string_view path, std::string_view prefix, bool whole);
std::unique_ptr<StreamReader> open_python_config(Recorder& recorder);

}  // namespace assay
