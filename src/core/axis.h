#pragma once
// What the numbers of a run's step axis count, and sentences that say so.
//
// Rules write "step {step}" and know no other axis. Where a log has no step, assay counts its records; others count
// epochs, samples or tokens. Then the sentence is put on that axis when it is rendered: "record {step}".

#include <cstdint>
#include <string_view>

#include "assay/text.h"

namespace assay {

/// More than this is no count of passes over the data, whatever it is called.
inline constexpr std::int64_t kMostEpochs = 100'000;

enum class Axis : std::uint8_t { kStep, kRecord, kEpoch, kSample, kToken };

/// By the key that the file calls its step ("iteration", "record" where it has none) and the last number on it: a
/// billion "epochs" are none.
Axis axis_of(std::string_view key, std::int64_t last);

/// A tag of DeepSpeed's monitor ("Train/Samples/train_loss"): the step that it is logged at counts samples.
bool is_logged_by_samples(std::string_view tag);

/// The sentence with the axis's own word wherever "step" stands beside a number: "step {step}", "{lost} steps". What
/// speaks of steps in general ("optimizer steps") stays.
Text on_axis(const Text& text, Axis axis);

}  // namespace assay
