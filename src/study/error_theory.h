#pragma once
// What theory says of an experiment: the operator's expected errors of some rows, as the numbers that are measured.

#include <array>
#include <vector>

#include "study/error_measure.h"

namespace assay {

/// Of the outputs of some rows.
struct TheorySums {
  std::uint64_t outputs = 0;
  double sum = 0, squares = 0;  // of mean, and of mean² + variance, in units of magnitude
  std::array<double, kErrorParts> part_squares{};
  std::vector<Moments> relative;  // of the error of each output, relative to its exact result
  double updates = 0, swallowed = 0;
  double peak = 0;
};

/// The first rows of all. Precondition: there are so many.
Lanes first_rows(const Lanes& all, std::size_t rows);

/// How many rows theory follows: a bounded amount of work.
std::size_t rows_of_theory(const ErrorQuestion& question);

/// `most`: rows of the group to take.
TheorySums expect_group(const ErrorQuestion& question, const OperatorCall& call, const ExactLanes& exact,
                        const Lanes& magnitude, std::size_t most);

Predicted predicted_of(const std::vector<TheorySums>& groups);

}  // namespace assay
