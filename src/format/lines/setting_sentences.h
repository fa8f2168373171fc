#pragma once
// Settings that a program tells in a sentence: "Overriding: learning_rate = 0.0003", and
// "found vocab_size = 65 (inside …)".

#include <cstdint>
#include <string_view>

#include "core/recording.h"

namespace assay::lines {

/// message: the line behind what a logger put before it. False: none of the sentences that are known.
bool take_sentence(std::string_view message, std::int64_t number, Recorder& recorder);

}  // namespace assay::lines
