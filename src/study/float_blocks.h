#pragma once
// `assay float cast … --to mxfp8`: what values become in blocks that share a scale.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/report.h"
#include "assay/result.h"
#include "num/block.h"

namespace assay {

struct FloatBlocks {
  std::vector<std::string> values;   // as written: float_input, of the first format
  std::vector<NumberFormat> before;  // formats that they go through first; none: they come as FP64
  BlockFormat format;
  BlockRules rules;
};
/// The scale of each block, each element's code and value, what was clipped and what became 0.
Result<Report> float_blocks(const FloatBlocks& question);

/// Names of --scale.
using ScaleRuleName = std::pair<ScaleRule, std::string_view>;
const std::vector<ScaleRuleName>& scale_rule_names();

}  // namespace assay
