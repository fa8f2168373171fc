#pragma once
// What to do, as a line to copy in the words of the run's own framework.

#include <cstdint>
#include <string>
#include <string_view>

#include "assay/finding.h"
#include "assay/run.h"

namespace assay {

/// In whose words the run is told what to do: the trainer's own, before those that it hands on. "megatron",
/// "hf-trainer", …; empty: not known.
std::string trainer_of(const Run& run);

/// "--lr 1.5e-4", "learning_rate: 1.5e-4": as the settings of the run write it, else as its framework does. Empty where
/// neither is known. key: canonical.
std::string option_to_set(const Run& run, std::string_view key, double value);

/// "--bf16": the option that switches training to bfloat16; empty when the framework is not known.
std::string bf16_option(const Run& run);

/// "--iterations-to-skip 7 8", "--skip-train-iteration-range 7-8"; empty where the framework has none.
std::string option_to_skip(const Run& run, std::size_t segment, StepRange steps);

/// The peak of the learning rate, changed on resuming. Megatron keeps the schedule of the checkpoint unless told.
std::string option_for_rate_on_resume(const Run& run, double rate);

/// "--load out --ckpt-step 1000", "--resume_from_checkpoint out/checkpoint-1000": resumes from a checkpoint on disk.
std::string option_to_resume(const Run& run, const std::string& path);

/// Clips the grad norm at two digits of the threshold: the rule's sentence, which has that number under `value`.
Action set_clip(const Run& run, std::string sentence, std::string value, double threshold);

/// A number as one writes it in a configuration: "1.5e-4", "0.5", "2000".
std::string plain_number(double value);

}  // namespace assay
