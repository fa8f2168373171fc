#pragma once
// After the pass: from what was counted to findings and sections.

#include <vector>

#include "assay/report.h"
#include "engine/corpus/block_judge.h"

namespace assay {

/// One finding for each rule that found something: how much of it there is, the gravest examples, what to do.
/// warned_share: the share of documents (of lines) from which on a kind of fault is worth a warning.
std::vector<Finding> kind_findings(const CorpusFacts& facts, const DocumentRules& rules, CorpusExamples& examples,
                                   double warned_share);

/// The sentences of those findings, for the records of their rules.
std::span<const SentenceRecord> kind_sentences();

/// What was read and what of it is abnormal: by kind, by source; how long the documents are.
std::vector<Section> corpus_sections(const CorpusFacts& facts, const DocumentRules& rules);

}  // namespace assay
