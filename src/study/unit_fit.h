#pragma once
// Which models of a matrix unit give a device's results. Essay in unit_fit.cpp.

#include <cstddef>
#include <vector>

#include "num/matrix_unit.h"
#include "study/unit_family.h"
#include "study/unit_rows.h"

namespace assay {

/// A model and how many rows it gives right.
struct TriedUnit {
  MatrixUnit unit;
  std::size_t right = 0;
};

struct UnitFit {
  std::size_t rows = 0;
  std::size_t length = 0;
  ResultFacts facts;
  std::vector<NumberFormat> inputs;     // formats that hold a and b, the most likely first
  std::size_t tried = 0;                // models
  std::vector<TriedUnit> fitting;       // all rows right, as many as were followed; the one to name first
  std::vector<TriedUnit> nearest;       // where none fits: the best, best first
  std::vector<MatrixUnit> presets;      // named units of that input that fit
  std::vector<TriedUnit> near_presets;  // where none fits: the best named ones of that input
  // What the rows tell of the one to name: which of its variants give other results.
  bool tells_flushed_inputs = false;
  bool tells_flushed_outputs = false;
  bool tells_overflow = false;

  bool fits() const { return !fitting.empty(); }
};

/// jobs: threads, 0: one a processor. The result does not depend on it.
UnitFit fit_unit(const UnitRows& rows, unsigned jobs = 0);

}  // namespace assay
