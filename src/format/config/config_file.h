#pragma once
// Files of settings: YAML and TOML as formats of their own, JSON for the reader of JSON documents, which sends here
// what holds no history.

#include <memory>
#include <string_view>

#include "format/reader.h"

namespace assay {

/// .yaml, .yml, or text that begins as a YAML document.
bool is_yaml(std::string_view path, std::string_view prefix, bool whole);
std::unique_ptr<StreamReader> open_yaml(Recorder& recorder);

/// .toml
bool is_toml(std::string_view path, std::string_view prefix, bool whole);
std::unique_ptr<StreamReader> open_toml(Recorder& recorder);

/// The settings of a JSON text; tell_faults: where it is broken has not been told yet.
void record_json_settings(std::string_view text, bool tell_faults, Recorder& recorder);

}  // namespace assay
