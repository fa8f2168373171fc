#pragma once
// The tables of vocabulary.h, by family. Sources: the argument parsers and configuration classes of each framework.

#include "format/config/vocabulary.h"

namespace assay {

// vocabulary_megatron.cpp
extern const Vocabulary kMegatronWords, kMegatronSwiftWords, kGptNeoxWords, kNemoWords, kMegatronBridgeWords;
// vocabulary_trainers.cpp
extern const Vocabulary kDeepspeedWords, kDeepspeedDumpWords, kHfTrainerWords, kAccelerateWords, kAxolotlWords,
    kPaddleWords, kVerlWords, kOpenRlhfWords, kTrlxWords, kLightningWords, kLevanterWords, kTorchtuneWords;
// vocabulary_pretraining.cpp
extern const Vocabulary kOlmoWords, kOlmoCoreWords, kTorchtitanWords, kLitgptWords, kNanotronWords, kMaxtextWords,
    kLlmFoundryWords;
// vocabulary_programs.cpp
extern const Vocabulary kNanogptWords, kLlmcWords, kLlmcPythonWords, kNanochatWords, kFairseqWords, kMindformersWords,
    kMindformersPynativeWords, kMlxWords, kAlgoperfWords, kMlperfWords, kT5xWords, kLlamaParamsWords, kDiffusersWords;
// vocabulary_internlm.cpp
extern const Vocabulary kInternevoWords, kXtunerWords;
// vocabulary_models.cpp
extern const Vocabulary kHfModelWords;

}  // namespace assay
