#pragma once
// From what frameworks call a setting to its canonical name (assay/setting.h). This is the vocabulary that all of them
// share; what a word means in one framework alone is in the table of that framework (src/format/config/).

#include <string_view>

namespace assay {

/// The canonical key of a setting, or empty. Case, ' ' and '-' for '_' do not matter.
std::string_view canonical_setting(std::string_view key);

/// The same for a setting of a nested document, whose levels are joined by '/': "fp16/enabled" is fp16,
/// "optimizer/params/lr" is learning_rate.
std::string_view canonical_of_path(std::string_view path);

/// What a setting of a nested document is called: its canonical name, or the last part of its path.
std::string_view setting_of_path(std::string_view path);

}  // namespace assay
