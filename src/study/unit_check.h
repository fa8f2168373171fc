#pragma once
// `assay unit check`: whether a device's results are what a named matrix unit gives.

#include <cstddef>
#include <string>

#include "assay/report.h"
#include "assay/result.h"

namespace assay {

struct UnitCheck {
  std::string file;
  std::string unit;  // a name or a description
};

struct UnitChecked {
  Report report;
  std::size_t wrong = 0;  // rows
};

/// Of a probe with several tables: all those that have the unit's inputs. Errors: what reading the file gives; inputs
/// that are no numbers of the unit's format; no table with such inputs.
Result<UnitChecked> unit_check(const UnitCheck& question);

}  // namespace assay
