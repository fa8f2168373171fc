#pragma once
// `assay float divide` and `assay float sqrt`: what fast modes make of a quotient or a root.

#include <string>
#include <vector>

#include "assay/number_format.h"
#include "assay/report.h"
#include "assay/result.h"
#include "num/fast_math.h"

namespace assay {

struct FloatFast {
  FastMode mode;
  NumberFormat format;
  std::vector<std::string> operands;  // dividend and divisor; of a root, its argument: float_input
};

/// Errors kUsage: a mode that does not fit the format, an operand that is no value, a dividend other than 1 where the
/// mode only makes reciprocals.
Result<Report> float_fast(const FloatFast& question);

}  // namespace assay
