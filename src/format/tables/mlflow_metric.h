#pragma once
// The history of one metric as MLflow's file store keeps it: mlruns/<experiment>/<run>/metrics/<key>, a line for each
// value: `1700000000000 0.5 10` (milliseconds since 1970, value, step).

#include <memory>
#include <string_view>

#include "format/reader.h"

namespace assay {

/// By content, in a folder that is called "metrics" (or below: a key may hold slashes).
bool is_mlflow_metric(std::string_view path, std::string_view prefix, bool whole);

std::unique_ptr<StreamReader> open_mlflow_metric(Recorder& recorder);

}  // namespace assay
