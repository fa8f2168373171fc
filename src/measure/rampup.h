#pragma once
// A global batch that grows at the beginning of a run (Megatron-LM, --rampup-batch-size).

#include <cstdint>
#include <optional>

#include "assay/run.h"

namespace assay {

struct Rampup {
  std::int64_t first = 0;      // sequences in the first steps
  std::int64_t increment = 0;  // by which it grows
  std::int64_t samples = 0;    // over so many it has grown to the whole batch
};

/// What the settings say of it: three whole numbers above 0. Nothing: the batch is the same all along.
std::optional<Rampup> rampup_said(const Config& config);

/// How many steps `samples` take with a batch that grows to `batch`. Nothing where the numbers do not fit each other.
std::optional<std::int64_t> steps_of_samples(const Rampup& rampup, std::int64_t batch, std::int64_t samples);

/// How many samples `steps` take.
std::optional<std::int64_t> samples_of_steps(const Rampup& rampup, std::int64_t batch, std::int64_t steps);

}  // namespace assay
