#pragma once
// "What to run in which precision": the section of a report about a plan. Essay: precision_advice.cpp.

#include <optional>

#include "advice/situation.h"
#include "assay/report.h"

namespace assay {

/// Nothing where the settings tell neither a precision nor a model: there is nothing to advise on.
std::optional<Section> precision_advice(const Run& run, const Device& device);

}  // namespace assay
