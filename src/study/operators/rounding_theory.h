#pragma once
// What the theories of operators with several steps share: the error of one rounding, and errors that are added.

#include "study/operators/operator.h"

namespace assay {

/// The error of rounding `value`, a multiple of `grid`, into a format by the model's rules. Of a value below the
/// format's smallest number (or flushed) the error is known: it becomes 0, or the smallest number. Infinite and NaN: 0.
Moments rounding_of(const OperatorModel& model, const NumberFormat& format, double value, double grid = 0);

/// The same of a value that is known but for an error of this deviation. Where that is below the spacing the rounding
/// is not a matter of chance: a row's mean square next to 1 becomes 1.
Moments rounding_about(const OperatorModel& model, const NumberFormat& format, double value, double deviation,
                       double grid = 0);

/// The error of rounding a number that is known to multiples of `spacing`. `sign`: of the number that it is part of.
Moments known_error(Rounding rounding, double number, double spacing, double sign);

/// The error of a term that is added to a sum on a coarser grid (num/expected_error.cpp): of a term that is less than
/// two spacings it is known, R(t) − t, and where that is −t all of it is lost.
Moments adding_of(const OperatorModel& model, double term, double spacing, double sum);

/// Largest relative error of one rounding of numbers that are not below the smallest normal one, and largest error of
/// those that are.
double unit_of(const OperatorModel& model, const NumberFormat& format);
double least_error(const OperatorModel& model, const NumberFormat& format);
/// unit_of of a conversion from one format into another: 0 where the other has all of its numbers.
double conversion_unit(const OperatorModel& model, const NumberFormat& from, const NumberFormat& to);

/// The error times a number.
inline Moments scaled(const Moments& error, double factor) {
  return {error.mean * factor, error.variance * factor * factor};
}

/// The format in which the model's sums come out.
inline const NumberFormat& sum_format(const OperatorModel& model) {
  return model.partials ? *model.partials : model.accumulator;
}

/// The expected error of one row's sum, of terms that are numbers of `format` (products of them where `squares`).
Moments expected_row_sum(const OperatorModel& model, const NumberFormat& format, std::vector<double> terms,
                         bool squares, double& peak);

/// Numbers of row `row`.
std::vector<double> row_of(const Lanes& lanes, std::size_t row);

}  // namespace assay
