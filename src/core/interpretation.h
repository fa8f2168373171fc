#pragma once
// The sentences for what was done to the numbers of a log so that they mean what their name says.

#include <span>

#include "assay/run.h"
#include "assay/text.h"

namespace assay {

/// All sentences, by the keys of Interpretation::key.
std::span<const Sentence> interpretation_sentences();

/// The interpretation as a phrase: places {metric}, {factor}, {count}, {steps}.
Phrase phrase_of(const Interpretation& interpretation);

}  // namespace assay
