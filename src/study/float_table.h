#pragma once
// `assay float table`: the constants of number formats, side by side.

#include <string>
#include <vector>

#include "assay/number_format.h"
#include "assay/report.h"

namespace assay {

/// A row a format; all values exact, as numbers and in powers of two.
Report float_table(const std::vector<NumberFormat>& formats);

}  // namespace assay
