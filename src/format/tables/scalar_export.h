#pragma once
// What TensorBoard's page downloads of one curve as JSON: [[wall time, step, value], …], and nothing of what.

#include <string_view>

#include "core/recording.h"

namespace assay {

/// Records the curve; false where the document is something else. path: for the tag in its name.
bool record_scalar_export(std::string_view text, std::string_view path, Recorder& recorder);

}  // namespace assay
