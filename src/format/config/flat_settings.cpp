#include "format/config/flat_settings.h"

#include <algorithm>

#include "assay/setting.h"
#include "base/bytes.h"
#include "format/config/setting_values.h"
#include "format/config/vocabulary.h"

namespace assay {

namespace {

void record_framework(std::span<const FlatSetting> settings, const Vocabulary& vocabulary, Recorder& recorder) {
  const auto told = std::find_if(settings.begin(), settings.end(), [&](const FlatSetting& one) {
    const std::string normal = normal_path(one.path);
    return std::any_of(vocabulary.signature.begin(), vocabulary.signature.end(),
                       [&](std::string_view words) { return path_ends_with(normal, words); });
  });
  const bool found = told != settings.end();
  recorder.setting(setting::kFramework, vocabulary.name, found ? told->line : settings.front().line,
                   found ? told->path : "");
}

void plan(const Meaning& said, Recorder& recorder) {
  if (said.key != setting::kTrainSteps) return;
  const auto number = config_number(said.value);
  const auto steps = number ? exact_integer(*number) : std::nullopt;
  if (steps && *steps > 0) recorder.planned_steps(*steps);
}

void record_meanings(std::span<const Meaning> all, const FlatSetting& one, Recorder& recorder) {
  for (const Meaning& said : all) {
    if (said.value == "None" && is_automatic(one.text)) {
      recorder.setting(said.key, std::string(setting::kAutomatic), one.line, one.path, "left to the program");
      continue;
    }
    recorder.setting(said.key, said.value, one.line, one.path, one.unknown);
    if (one.unknown.empty()) plan(said, recorder);
  }
}

}  // namespace

void record_settings(std::span<const FlatSetting> settings, Recorder& recorder, const Vocabulary* vocabulary) {
  constexpr std::size_t kMostSettings = 100'000;  // of one recording
  if (settings.empty() || recorder.settings() >= kMostSettings) return;
  if (vocabulary == nullptr) vocabulary = vocabulary_of(settings);
  if (vocabulary != nullptr && !vocabulary->name.empty()) record_framework(settings, *vocabulary, recorder);
  const auto all = meanings(settings, vocabulary);
  for (std::size_t i = 0; i < settings.size(); ++i) record_meanings(all[i], settings[i], recorder);
}

void record_setting(const FlatSetting& one, Recorder& recorder, const Vocabulary& vocabulary) {
  record_meanings(meanings({&one, 1}, &vocabulary).front(), one, recorder);
}

}  // namespace assay
