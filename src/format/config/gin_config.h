#pragma once
// Gin, the configurations of T5 and T5X: `TRAIN_STEPS = 50000`, `train/utils.DatasetConfig.batch_size = 128`, and
// blocks `train/utils.DatasetConfig:` with indented parameters.

#include <memory>
#include <string_view>

#include "format/reader.h"

namespace assay {

/// .gin
bool is_gin_config(std::string_view path, std::string_view prefix, bool whole);
std::unique_ptr<StreamReader> open_gin_config(Recorder& recorder);

}  // namespace assay
