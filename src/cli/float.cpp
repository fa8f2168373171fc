// assay float: number formats, and what values become in them.

#include "cli/command.h"

namespace assay::cli {

CommandGroup float_group() {
  CommandGroup group;
  group.name = "float";
  group.summary = "what values become in number formats, and the formats' limits";
  group.examples = {{"assay float table fp16 bf16 e4m3", "constants side by side"},
                    {"assay float show 0.1 --as fp16", "what is stored, bit by bit"},
                    {"assay float add 1 0.0001 --as fp16", "what a sum swallows"},
                    {"assay float cast 0.1 7 -3 --to mxfp4", "a block that shares a scale"},
                    {"assay float divide 2 3 --mode cuda-full", "a quotient as fast modes make it"}};
  return group;
}

}  // namespace assay::cli
