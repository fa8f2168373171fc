#pragma once
// What a matrix unit loses in sums of a given length, as theory expects it.

#include <cstddef>

#include "num/matrix_unit.h"

namespace assay {

struct UnitLoss {
  double noise = 0;     // rms error over the rms of results, factors N(0, 1)
  double one_sign = 0;  // mean error over the result, factors U(0, 1): negative where sums come out too small
};

/// Of sums of `length` products of the unit's own numbers. Essay: matrix_sums.cpp.
UnitLoss expected_loss(const MatrixUnit& unit, std::size_t length);

}  // namespace assay
