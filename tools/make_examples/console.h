// The log formats of three frameworks.
#pragma once

#include <memory>
#include <string>

#include "trainer.h"

namespace assay::examples {

enum class Framework { kMegatron, kHuggingFace, kNanoGpt };

// Appends to `log`, which must outlive the console. `name` stands where the frameworks print a run's folder.
std::unique_ptr<Console> make_console(Framework framework, std::string name, std::string& log);

}  // namespace assay::examples
