#pragma once
// What a corpus is made of, as sections of its report.

#include <vector>

#include "assay/report.h"
#include "measure/corpus.h"

namespace assay {

/// Languages, scripts, kinds of text, lengths; those of which something was counted.
std::vector<Section> nature_sections(const CorpusFacts& facts);

/// "English", "Python"; empty where nothing was counted.
Text main_language(const TextNature& nature);
Text main_kind(const TextNature& nature);

}  // namespace assay
