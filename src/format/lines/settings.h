#pragma once
// Settings that a log echoes: argument dumps, banners, configuration prints. Which lines are settings is decided by
// the line alone, so that the order of a file does not matter (values over several lines: setting_blocks.h):
//
//   `  clip_grad ....................... 1.0`        Megatron's and DeepSpeed's dumps: every key is kept
//   `  Gradient Accumulation steps = 2`              the banner of the Hugging Face trainer
//   `… - weight_decay                   0.0`         padded columns: known keys only
//   `  "gradient_clipping": 1.0,`  `seed=1234,`      one pair a line: known keys only, and none that is also a metric
//   `DLL … - PARAMETER learning_rate : 0.006`, MLPerf's hyper-parameters
//   `| weight_decay | 0.1 |`                         known keys only
//   `found vocab_size = 65 (inside meta.pkl)`        sentences (setting_sentences.h)
//   `train_batch_tokens:524288 iterations:20000`     several pairs, none of them a metric: known keys only

#include <cstdint>
#include <string_view>

#include "core/recording.h"

namespace assay::lines {

/// Records what the line sets. False: the line is no line of settings.
bool take_settings(std::string_view line, std::int64_t number, Recorder& recorder);

/// The same as take_settings for a line that tells nothing but a learning rate or a loss scale, once it is known to be
/// no series.
bool take_rate_setting(std::string_view line, std::int64_t number, Recorder& recorder);

}  // namespace assay::lines
