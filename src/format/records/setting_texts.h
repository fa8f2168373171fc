#pragma once
// Settings as programs hand them to a tracker: JSON, Markdown tables, dumps of arguments, protocol-buffer values.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/recording.h"
#include "format/config/flat_settings.h"

namespace assay {

/// Appends a JSON value under `path` ("" for none): each number, text, flag and short list of it is a setting, nested
/// names joined by '/'. Names that begin with "_wandb" are the tracker's own. False: it is no JSON, and what was
/// appended is of no use.
bool append_json_settings(std::vector<FlatSetting>& out, std::string_view path, std::string_view json,
                          std::int64_t record);

/// A text that was logged under `tag`: JSON (also within <pre> or a code fence), a Markdown table of two columns, keys
/// and values nested by indentation (YAML), lines that the line engine knows for settings, or one short value that
/// `tag` is the name of. False: none of these.
bool take_text_settings(Recorder& recorder, std::string_view tag, std::string_view text, std::int64_t record);

/// The content of the hparams plugin (tensorboard/plugins/hparams/plugin_data.proto). Throws protozero::exception
/// where it is no message.
void take_hparams(Recorder& recorder, std::string_view message, std::int64_t record);

}  // namespace assay
