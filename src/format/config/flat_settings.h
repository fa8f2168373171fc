#pragma once
// What every reader of a configuration hands on, whatever its syntax: settings in the order of the file, each with its
// path, its text and its line. Giving them their canonical names and units is the same for all of them and is done
// here.

#include <cstdint>
#include <span>
#include <string>

#include "core/recording.h"

namespace assay {

struct Vocabulary;  // vocabulary.h

struct FlatSetting {
  std::string path;  // as written, levels joined by '/': "optimizer/params/lr", "--lr"
  std::string text;  // without its quotes
  std::int64_t line = 0;
  std::string unknown = {};  // why its value cannot be known without running something; `text` then quotes the source
};

/// Records settings under their canonical names and in their units; those without one keep their last word. Whose
/// words they are is found out by vocabulary_of(), or told: then `vocabulary` decides. It is recorded as a setting too
/// (setting::kFramework, with one of the words that told it).
void record_settings(std::span<const FlatSetting> settings, Recorder& recorder, const Vocabulary* vocabulary = nullptr);

/// One that stands alone, in words that are known from its surroundings; nobody is recorded to speak them.
void record_setting(const FlatSetting& one, Recorder& recorder, const Vocabulary& vocabulary);

}  // namespace assay
