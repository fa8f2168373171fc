#pragma once
// The pass over a corpus: files to blocks, blocks to threads, results back in order.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/corpus/block_judge.h"
#include "engine/engine.h"

namespace assay {

/// What came of a file: little, since a corpus may have a million.
struct PassFile {
  FileRecord record;  // without path and size
  std::uint64_t lines = 0;
  std::uint64_t lost_lines = 0;
  std::uint64_t documents = 0;
};

struct PassOutcome {
  std::vector<PassFile> files;  // in the order of the inputs; of an interrupted pass those that were reached
  std::vector<TextCounts> sources;
  CorpusExamples examples;
};

/// source_of: for each input the number of the source that it counts for; `sources`: how many there are.
PassOutcome pass_over(const std::vector<Input>& inputs, const std::vector<std::size_t>& source_of, std::size_t sources,
                      const DocumentRules& rules, const CorpusOptions& options);

}  // namespace assay
