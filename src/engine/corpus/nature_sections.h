#pragma once
// What a corpus is made of, as sections of its report.

#include <vector>

#include "assay/report.h"
#include "measure/corpus.h"

namespace assay {

/// Languages, scripts, kinds of text, lengths; those of which something was counted.
std::vector<Section> nature_sections(const CorpusFacts& facts);

/// A line of blocks as long as the share; ten for all.
std::string bar_of(std::uint64_t part, std::uint64_t all);

/// "English", "Python"; empty where nothing was counted.
Text main_language(const TextNature& nature);
Text main_kind(const TextNature& nature);

/// Thousandths of a token to tokens.
std::uint64_t tokens_of(std::uint64_t thousandths);
/// "1.2 M", for people: an estimate has no more digits than it deserves.
std::string short_count(std::uint64_t count);

}  // namespace assay
