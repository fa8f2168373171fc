#pragma once
// What follows from settings: batch, length, parameters, precision, each with its arithmetic.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report.h"
#include "assay/run.h"

namespace assay {

/// The facts that the settings determine, in the order of a calculation. dialect: whose words a log speaks, where no
/// setting tells the framework. What is not determined is not there; where settings contradict each other the fact
/// says so.
std::vector<Derived> derive(const Config& config, std::string_view dialect = {});

/// The part about the model: parameters, what a token costs, tokens for each parameter. The lengths where known.
void derive_model(const Config& config, std::string_view framework, std::optional<std::int64_t> sequence,
                  std::optional<std::int64_t> train_tokens, std::vector<Derived>& out);

/// The part about settings that another one makes void: a threshold that is switched off, an accumulation that nobody
/// asks. The fact is the number that acts.
void derive_switched_off(const Config& config, std::string_view framework, std::vector<Derived>& out);

/// In which framework's words the settings are, the trainer's own before those that it hands on; else the dialect.
std::string spoken_framework(const Config& config, std::string_view dialect);

/// The part about the precision.
void derive_precision(const Config& config, std::vector<Derived>& out);

/// "bf16", "fp16", "fp8", "fp32", "fp64": in which the matrices are multiplied; empty: not said.
std::string precision_word(const Config& config);

}  // namespace assay
