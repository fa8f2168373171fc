#pragma once
// Which number acts: the log's, that of the settings, or the framework's default. Essay in acting_settings.cpp.

#include <cstdint>
#include <optional>
#include <string_view>

#include "assay/finding.h"
#include "rules/plan.h"

namespace assay {

/// The learning rate's greatest value in the log, and where it was first reached.
struct LoggedPeak {
  std::size_t segment = 0;
  std::size_t index = 0;  // into the series
  double rate = 0;
  double first = 0;  // the first value of the log
};
std::optional<LoggedPeak> logged_peak(const Run& run);

/// The peak of the learning rate that acts. The log outranks what is set: where it shows more, and where it shows the
/// whole rise from the beginning and less. Never a framework's default.
struct ActingRate {
  double rate = 0;
  Value name;  // "--lr", or what the log calls it
  std::optional<Location> where;
};
std::optional<ActingRate> acting_rate(const Plan& plan);

/// Optimizer steps from the beginning of the log to the peak of its learning rate; 0: it begins at the peak. Nothing
/// where the log does not show it.
std::optional<std::int64_t> logged_warmup(const Run& run);

/// A script or a configuration tells the settings, so that what it leaves out is left to the framework. A log prints
/// what its program cares to print.
bool settings_are_whole(const Run& run);
/// A setting as told, else the framework's default where the settings are whole.
std::optional<Planned> told_or_default(const Plan& plan, std::string_view key);
/// "adam_beta2 is not set: 0.999 is the default of megatron"; nothing of what was said.
void add_default(const Plan& plan, const Planned& number, Finding& finding);

/// Where a number was said. Of a default: nothing.
std::optional<Location> where_said(const Planned& number);
/// "--lr", "optimizer/learning_rate"; of a default its canonical name.
Value named(const Planned& number);

}  // namespace assay
