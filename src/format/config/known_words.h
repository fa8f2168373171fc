#pragma once
// Whether settings are a training's: a file of assignments, or a JSON that a script writes, may be about anything.

#include <cstddef>
#include <span>
#include <string_view>

#include "format/config/flat_settings.h"

namespace assay {

/// Whether a word is of a training: it has a canonical name, or is one that many programs use in meanings of their own.
bool is_training_word(std::string_view path);

/// Whether it is in a group of DeepSpeed's configuration whose words mean something else: a block size of its files is no
/// sequence length.
bool is_of_other_matters(std::string_view path);

/// How many of them are.
std::size_t count_known(std::span<const FlatSetting> settings);

}  // namespace assay
