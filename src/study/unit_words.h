#pragma once
// Matrix units in words, for the studies of `assay unit`.

#include <cstdint>
#include <string>

#include "assay/report.h"
#include "assay/text.h"
#include "num/matrix_unit.h"
#include "study/unit_fit.h"

namespace assay {

/// "h100/fp16", or the description where it has no name.
std::string name_of(const MatrixUnit& unit);
/// "checked against results of the chip".
Text standing_words(Standing standing);
/// "published model".
Text standing_brief(Standing standing);
Text step_words(const MatrixUnit& unit);
/// "toward zero".
Text rounding_words(Rounding rounding);
Text overflow_words(Overflow overflow);
/// "16 products a step, addends cut to 25 bits below the largest, FP32 accumulator rounded toward zero". Where rows of
/// `length` products cannot tell the group: "4 products a step or more".
Text unit_words(const MatrixUnit& unit, std::size_t length = SIZE_MAX);
/// The parameters one by one; with a fit, what the rows leave open beside them.
Table parameters_table(const MatrixUnit& unit, const UnitFit* fit = nullptr);

/// "0x3f800000": the FP32 pattern.
std::string fp32_pattern(double value);

/// A row in full: what the unit was given, what the device made of it and what the model gives.
Section row_section(const UnitRows& rows, std::size_t row, double given, const MatrixUnit& unit);
/// |a - b| in steps of the format at b; NaN where one is not finite.
double distance_in_ulps(const NumberFormat& format, double a, double b);
/// In which results of the unit are.
const NumberFormat& result_format(const MatrixUnit& unit);

}  // namespace assay
