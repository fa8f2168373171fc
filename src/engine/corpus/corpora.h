#pragma once
// The corpora among what is checked.

#include <vector>

#include "assay/corpus.h"
#include "engine/account.h"
#include "engine/engine.h"

namespace assay {

/// Takes the files that hold the documents of a corpus out of `inputs`, which then are logs and settings.
std::vector<Input> take_corpora(std::vector<Input>& inputs);

/// What is said of them.
struct CorpusPart {
  CorpusSummary summary;
  std::vector<FileRecord> files;
  std::vector<Section> sections;
  Judgement judgement;  // of the rules of documents and of the corpus
};

/// rules: all that are asked, those of the options' `ignore` among them, which are not looked for in documents.
CorpusPart judge_corpora(const std::vector<Input>& inputs, const std::vector<const Rule*>& rules,
                         const CorpusOptions& options);

void add_corpora(CorpusPart part, const std::vector<const Rule*>& rules, RuleTally& tally, Report& report);

}  // namespace assay
