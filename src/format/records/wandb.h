#pragma once
// The files that W&B's client writes while a run goes on (run-<id>.wandb).

#include <memory>
#include <string_view>

#include "format/reader.h"

namespace assay {

/// By its first four bytes.
bool is_wandb(std::string_view path, std::string_view prefix, bool whole);

std::unique_ptr<StreamReader> open_wandb(Recorder& recorder);

}  // namespace assay
