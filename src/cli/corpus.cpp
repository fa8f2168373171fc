// assay corpus: the text before it is tokenised.

#include "cli/command.h"

namespace assay::cli {

CommandGroup corpus_group() {
  CommandGroup group;
  group.name = "corpus";
  group.summary = "the text that a model is trained on: what of it is garbage, where, and how much";
  group.examples = {{"assay corpus check data/", "every file below it"},
                    {"assay corpus check web.jsonl.zst --documents flagged.jsonl", "and a list of flagged documents"}};
  return group;
}

}  // namespace assay::cli
