#pragma once
// After the pass: from what was counted to findings and sections.

#include <vector>

#include "assay/report.h"
#include "engine/corpus/block_judge.h"

namespace assay {

/// The share of documents, and the share of text, from which on a kind of fault is worth a warning.
struct CorpusLimits {
  double documents = 0;
};

/// One finding for each rule that found something: how much of it there is, the gravest examples, what to do.
std::vector<Finding> kind_findings(const CorpusFacts& facts, const DocumentRules& rules, CorpusExamples& examples,
                                   const CorpusLimits& limits);

/// The sentences of those findings, for the records of their rules.
std::span<const SentenceRecord> kind_sentences();

/// What was read and what of it is abnormal: by kind, by source; how long the documents are.
std::vector<Section> corpus_sections(const CorpusFacts& facts, const DocumentRules& rules);

}  // namespace assay
