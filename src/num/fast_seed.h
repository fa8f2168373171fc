#pragma once
// The seeds of fast division and square root: approximate 1/m and 1/√m of a significand. Essay in fast_math.cpp.

#include <cmath>

#include "num/fast_math.h"

namespace assay::fast {

/// 1/m for m in [1, 2), 1/√m for m in [1, 4).
double seed(const FastMode& mode, double m);

/// No seed's relative error is larger.
double seed_error_bound(const FastMode& mode);

}  // namespace assay::fast
