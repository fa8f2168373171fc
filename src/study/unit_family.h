#pragma once
// The models that a device's results are compared with.

#include <cstddef>
#include <vector>

#include "num/matrix_unit.h"
#include "study/unit_rows.h"

namespace assay {

/// What the results themselves tell, before any model is tried.
struct ResultFacts {
  int precision = 1;         // bits of the longest significand among the results
  int largest_exponent = 0;  // of finite results
  int least_exponent = 0;    // of their lowest bits
  bool any_finite = false;
  std::size_t non_finite = 0;
};
ResultFacts facts_of(const UnitRows& rows);

/// All combinations worth trying: step, group, fraction bits, roundings, accumulator, output. Nothing is flushed and
/// overflow gives infinity: those follow, see variants_of. Simple ones stand before others that could do the same.
std::vector<MatrixUnit> unit_family(const UnitRows& rows, const NumberFormat& input);

/// The unit with each way of flushing and of overflow: itself, then those with one change, with two, with three.
std::vector<MatrixUnit> variants_of(const MatrixUnit& unit);

}  // namespace assay
