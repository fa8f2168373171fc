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
  std::vector<MatrixUnit> presets;      // named units that fit, of the first of `inputs` that has any
  std::vector<MatrixUnit> also;         // and of the others
  std::vector<MatrixUnit> assumed;      // that fit, but are assumptions: nothing is recognised by them
  std::vector<TriedUnit> near_presets;  // where none fits: the best named ones
  /// Of the one to name: which other values of one parameter give all rows, too. Its own is among them.
  struct Undecided {
    std::vector<int> groups;
    std::vector<int> bits;  // kNothingCut last
    std::vector<Rounding> alignments;
    std::vector<Rounding> roundings;
    bool flushed_inputs = false;  // the rows do not tell
    bool flushed_outputs = false;
    bool overflow = false;
  };
  Undecided undecided;

  bool fits() const { return !fitting.empty(); }
};

/// jobs: threads, 0: one a processor. The result does not depend on it.
UnitFit fit_unit(const UnitRows& rows, unsigned jobs = 0);

}  // namespace assay
