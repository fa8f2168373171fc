#include "format/config/flat_settings.h"

#include "core/setting_names.h"

namespace assay {

void record_settings(std::span<const FlatSetting> settings, Recorder& recorder) {
  for (const FlatSetting& one : settings) {
    recorder.setting(setting_of_path(one.path), one.text, one.line, one.path, one.unknown);
  }
}

}  // namespace assay
