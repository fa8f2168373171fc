#pragma once
// How many tokens a text will be, before there is a tokenizer.

#include <array>
#include <cstdint>

#include "measure/text/kind.h"
#include "measure/text/language.h"
#include "measure/text/script.h"

namespace assay {

/// [script]: thousandths of a token, so that sums are exact.
using TokenEstimate = std::array<std::uint64_t, kScripts>;

TokenEstimate estimate_tokens(const ScriptCounts& counts, TextKind kind, LanguageId language);

/// How far the truth may be from an estimate, in percent: see tokens.cpp.
inline constexpr unsigned kTokenEstimateError = 25;

}  // namespace assay
