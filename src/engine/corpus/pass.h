#pragma once
// The pass over a corpus: files to blocks, blocks to threads, results back in order.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/corpus/block_judge.h"
#include "engine/engine.h"

namespace assay {

/// What came of a file.
struct PassFile {
  FileRecord record;
  std::string field;  // where its text is
  TextCounts counts;
};

struct PassOutcome {
  std::vector<PassFile> files;  // in the order of the inputs; of an interrupted pass those that were reached
  CorpusExamples examples;
};

PassOutcome pass_over(const std::vector<Input>& inputs, const DocumentRules& rules, const CorpusOptions& options);

}  // namespace assay
