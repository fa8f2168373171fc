#pragma once
// What theory expects of the error of a matrix unit.

#include <span>

#include "num/expected_error.h"
#include "num/matrix_unit.h"

namespace assay {

/// The expected error of Σ_k a·b of one row, begun with 0. `a`, `b`: numbers of the unit's input. The value is the sum
/// with the mean of all errors in it. `cut`: of a sample of products, in the unit's alignment, each toward its own
/// zero. Essay: expected_unit.cpp.
ExpectedSum expected_unit_sum(const MatrixUnit& unit, std::span<const double> a, std::span<const double> b,
                              TermRounding& cut);

/// Bounds of |error| / Σ|a·b| of K products: every step cuts up to g + 1 addends by less than 2^-F of the largest, and
/// rounds once. What is cut has one sign where the data have, so no probability makes it smaller.
SumBounds unit_bounds(const MatrixUnit& unit, std::size_t length);

}  // namespace assay
