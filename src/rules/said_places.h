#pragma once
// Who said what, where: questions to the settings that several rules ask.

#include <string>
#include <string_view>
#include <vector>

#include "assay/run.h"

namespace assay {

/// The last part of a key as written, in lower case, with '_' for '-': "wrapper.use-clip-grad" is "use_clip_grad".
std::string last_name(std::string_view written);

/// The last setting whose written key ends in that name; null: not said.
const Setting* last_written(const Config& config, std::string_view name);

/// Whether the settings start the engine of DeepSpeed (--deepspeed, deepspeed: ds.json).
bool runs_deepspeed(const Config& config);
/// Whether they shard by FSDP (--fsdp, fsdp_config, …).
bool runs_fsdp(const Config& config);

/// The switch that keeps a clip threshold from acting, whatever it is: use_clip_grad of MindFormers, torchtitan's
/// early_step_in_backward. Null: none is set so.
const Setting* clipping_switched_off(const Config& config);

/// Whether the place is in a file that holds records of the run: then the program itself printed the setting.
bool printed_by_run(const Run& run, const Location& where);

/// The file without its folders.
std::string_view file_name(std::string_view path);

}  // namespace assay
