#pragma once
// Tables whose columns are of several runs, as W&B exports a chart: "Step", "run-a - train/loss", "run-a -
// train/loss__MIN", "run-b - train/loss", …

#include <string>
#include <string_view>
#include <vector>

#include "format/tables/key_plan.h"

namespace assay {

struct RunsOfColumns {
  std::vector<std::string> runs;  // in the order of their columns; the first with a training loss in front
  std::vector<bool> left;         // for each column: it is of another run than the first, or a bound beside its value
  std::vector<bool> bound;        // of those: least and greatest values of the points that a chart drew as one
};

/// Which runs the columns are of. Of a table without such names: no runs, nothing left.
RunsOfColumns runs_of_columns(const std::vector<std::string>& names);

}  // namespace assay
