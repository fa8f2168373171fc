#pragma once
// Rows of a device's results, as the emulation of a matrix unit takes them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/number_format.h"
#include "assay/result.h"
#include "format/tensors/probe_file.h"
#include "num/matrix_unit.h"

namespace assay {

/// d = c + Σ a·b, one row each.
struct UnitRows {
  std::size_t rows = 0;
  std::size_t length = 0;  // products in a row
  std::vector<double> a;   // a[k · rows + r]
  std::vector<double> b;
  std::vector<double> c;  // of each row
  std::vector<double> d;
  std::vector<std::int64_t> lines;    // of the file
  std::string name;                   // what the file says of them: "fp16 → fp32"; may be empty
  std::optional<NumberFormat> input;  // where the file says it
};

/// Of a section "matmul" with columns a, b, d and perhaps c. Errors: a column that is missing, a and b of two widths.
Result<UnitRows> unit_rows(const ProbeFile& file, const ProbeSection& section);

/// What the unit gives for all of them, up to its output format.
std::vector<double> emulated(const MatrixUnit& unit, const UnitRows& rows);
/// In how many rows that is the device's result, any NaN the same as any other.
std::size_t rows_right(const MatrixUnit& unit, const UnitRows& rows);
/// Up to `most` rows, spread evenly.
UnitRows some_of(const UnitRows& rows, std::size_t most);

/// Whether all of a and b are numbers of the format.
bool inputs_fit(const NumberFormat& format, const UnitRows& rows);
/// The place (k, row, in b) of the first that is not; nothing where all are.
struct InputPlace {
  std::size_t row = 0;
  std::size_t k = 0;
  bool in_b = false;
  double value = 0;
};
std::optional<InputPlace> first_misfit(const NumberFormat& format, const UnitRows& rows);
/// Formats of matrix units that hold all of a and b, the one of fewest bits first. Never empty: FP32 holds them.
std::vector<NumberFormat> formats_of_inputs(const UnitRows& rows);

}  // namespace assay
