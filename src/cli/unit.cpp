// assay unit: matrix units, and what a chip's own results tell.

#include "cli/command.h"

namespace assay::cli {

CommandGroup unit_group() {
  CommandGroup group;
  group.name = "unit";
  group.summary = "matrix units: what a chip's own results tell of how it computes";
  group.examples = {{"assay unit identify h100_fp16.tsv.gz", "which unit gives these results"},
                    {"assay unit check h100_fp16.tsv.gz --as h100/fp16", "whether it is this one, bit for bit"}};
  return group;
}

}  // namespace assay::cli
