#pragma once
// One experiment of `assay error`: an operator on rows of data, exactly and in the model's arithmetic.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "study/error_data.h"
#include "study/error_op.h"

namespace assay {

/// Where an error comes from. The three add up to the whole error of each output, exactly.
enum class ErrorPart : std::uint8_t {
  kInput,   // the inputs were rounded: exact result of the rounded inputs − exact result
  kInside,  // the arithmetic: emulated result − exact result of the rounded inputs
  kOutput,  // the result was rounded: stored result − emulated result
};
inline constexpr std::size_t kErrorParts = 3;

/// Counts and sums over the outputs of one experiment. Errors in units of the operator's magnitude unless said.
struct Measured {
  std::uint64_t outputs = 0;
  std::uint64_t judged = 0;  // finite, with a finite exact result and a magnitude that is not zero
  std::uint64_t exact_not_finite = 0;
  std::uint64_t not_finite = 0;       // result infinite or NaN, the exact one finite
  std::uint64_t too_large = 0;        // the exact one is beyond the output format's largest number
  std::uint64_t at_largest = 0;       // stored as the largest number, though the exact one is larger: saturated
  std::uint64_t vanished = 0;         // result 0, the exact one not
  std::uint64_t data_numbers = 0;     // all inputs
  std::uint64_t data_not_finite = 0;  // numbers among the inputs
  std::uint64_t data_overflowed = 0;  // finite numbers that rounding made infinite or NaN
  std::uint64_t data_vanished = 0;    // numbers that rounding made 0

  double sum = 0, squares = 0, largest = 0;
  double vanished_squares = 0;  // of `squares`: results 0 of exact ones below the smallest number that is kept
  /// Squares of the arithmetic's error in the first rows, as it is and with nothing flushed; 0 where nothing is.
  double flushed_squares = 0, kept_squares = 0;
  std::array<double, kErrorParts> part_sums{}, part_squares{};
  double inside_by_result = 0, result_squares = 0;  // Σ inner error · exact result, Σ exact result²
  std::uint64_t beyond_ulp = 0;                     // more than one spacing of the output format from the exact result
  std::uint64_t beyond_tolerance = 0;               // of torch.testing.assert_close for the output format
  std::uint64_t beyond_certain = 0, beyond_probable = 0;  // of the operator's bounds

  std::vector<double> relative;   // |error| / |exact result|, sorted; of judged outputs whose exact result is not 0
  std::vector<double> condition;  // magnitude / |exact result|, sorted

  SumEvents events;  // of the first rows; of operators that update a state, all updates

  double bias() const;
  double rms() const;
  double part_rms(ErrorPart part) const;
  /// Standard error of the bias.
  double bias_error() const;
};

/// What theory expects of the same experiment, from a part of its rows.
struct Predicted {
  bool known = false;
  std::uint64_t outputs = 0;
  double squares = 0, sum = 0;  // mean over outputs, in units of magnitude
  std::array<double, kErrorParts> part_squares{};
  double relative_median = 0, relative_mean = 0, relative_p99 = 0;
  double swallowed = 0;  // share of the updates of a state that change nothing
  double peak = 0;
};

struct Experiment {
  Measured measured;
  SumBounds bounds;  // of the first rows; infinite where the operator has none
  Predicted predicted;
};

/// Runs the experiment with that seed. `with_theory`: predicts, too. Errors: of reading data.
Result<Experiment> run_experiment(const ErrorQuestion& question, const ErrorInputs& data, std::uint64_t seed,
                                  bool with_theory);

/// The same data for several models of one operator: whatever they have in common is done once. They must agree in
/// operator, rows, length, data and input format, and in what the exact result is. `theory_rows`: that are predicted.
Result<std::vector<Experiment>> run_experiments(std::span<const ErrorQuestion> models, const ErrorInputs& data,
                                                std::uint64_t seed, std::size_t theory_rows);

/// Results as stored, of inputs that are not rounded yet.
Lanes stored_results(const ErrorQuestion& question, const std::vector<Lanes>& inputs);

/// Quantile of sorted numbers by rank, 0 to 1; NaN of none.
double quantile_of_sorted(const std::vector<double>& sorted, double share);

/// Tolerances of torch.testing.assert_close; of formats that it does not know those of the next one up.
struct Tolerance {
  double relative = 0, absolute = 0;
};
Tolerance torch_tolerance(const NumberFormat& format);

}  // namespace assay
