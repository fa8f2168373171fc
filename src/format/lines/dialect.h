#pragma once
// A dialect is a row of data: how the lines of one program are told, and what its keys mean where they mean something
// else than in the common table (core/metric_names.h). It carries its own example, which tests and documentation use.

#include <array>
#include <span>
#include <string_view>

#include "assay/series.h"
#include "core/metric_names.h"

namespace assay::lines {

/// What a key means in one dialect. A metric that is not canonical is a name of its own.
struct Alias {
  std::string_view key;  // as normalise_key makes it
  KeyMeaning meaning;
};

struct MetricQuirk {
  std::string_view metric;
  Quirk quirks;
};

enum class Treat : std::uint8_t {
  kRecord,        // the line is a record
  kMetricRecord,  // the line is a record if it holds a metric of training
  kNoRecord,      // numbers that repeat or sum up what other lines tell
  kHeader,        // tells the step of the indented lines that follow
};

struct Dialect {
  std::string_view name;
  std::array<std::string_view, 3> anchors;  // all that are not empty have to occur in the line
  bool at_start = false;                    // the line begins with the first anchor
  std::string_view example;
  std::span<const Alias> aliases = {};
  std::span<const MetricQuirk> quirks = {};
  std::string_view terminator = {};  // ends a complete record: without it the record goes on in the next line
  Treat treat = Treat::kRecord;
  bool bits = false;                            // losses are base-2 logarithms
  bool epoch_over_step = false;                 // "Batch 7/100" is batch 100 of epoch 7
  bool epoch_first = false;                     // "[  7]     100 ||" is step 100 in epoch 7
  std::span<const std::string_view> held = {};  // metrics that every line prints until they are measured anew
};

/// In the order of precedence: the first whose anchors occur takes the line.
std::span<const Dialect> dialects();

}  // namespace assay::lines
