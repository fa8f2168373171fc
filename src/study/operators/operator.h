#pragma once
// An operator as `assay error` knows it: what it computes exactly, what it computes in a format, and what theory says
// of the difference. One file an operator (or a family), one line in operators.cpp.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/text.h"
#include "num/distribution.h"
#include "num/expected_error.h"
#include "num/lanes.h"
#include "num/matrix_unit.h"
#include "num/reduction.h"
#include "sim/all_reduce.h"

namespace assay {

/// Where an operator rounds, and into what.
struct OperatorModel {
  NumberFormat input;        // inputs are rounded into it first
  NumberFormat compute;      // of operations inside that are no sums
  NumberFormat accumulator;  // of sums
  std::optional<NumberFormat> partials;
  NumberFormat output;  // the results are rounded into it at the end
  SumOrder order;
  bool rounds_products = false;                      // into the accumulator's format before they are added; else fused
  std::optional<MatrixUnit> unit;                    // does sums of products in place of accumulator and order
  RoundingRules rules;                               // of all roundings
  std::optional<NumberFormat> joins = std::nullopt;  // partial sums are added in it; else in `partials`
  std::optional<AllReduce> collective = std::nullopt;  // of an all-reduce that is asked about in all its parts

  SumModel sums() const { return {accumulator, partials, order, rules, joins}; }
};

/// What an operator is called with.
struct OperatorCall {
  const OperatorModel& model;
  std::string_view variant;            // one of the operator's; empty where it has none
  std::span<const double> parameters;  // in the operator's order
  std::span<const Lanes> inputs;       // in the operator's order; all have the same rows
  std::size_t first_row = 0;           // of the experiment: where it matters which row is which

  std::size_t rows() const { return inputs.front().rows; }
  std::size_t length() const { return inputs.front().length; }
};

/// Exact results: hi + lo, to about 100 bits.
struct ExactLanes {
  Lanes hi, lo;
  ExactLanes() = default;
  ExactLanes(std::size_t rows, std::size_t length) : hi(rows, length), lo(rows, length) {}
};

/// The expected error of every output, before it is rounded into the output's format: that of the rounded inputs in
/// exact arithmetic, and that of the arithmetic.
struct ExpectedErrors {
  std::vector<Moments> input, inner;  // output k of row r at k * rows + r, as in Lanes
  // Either may stay empty. What each result is a multiple of: it decides whether storing it rounds at all (0: not
  // known). And the covariance of the two errors, where they are not independent.
  std::vector<double> grid, covariance;
  double peak = 0;                    // largest magnitude of a partial result: overflow where it is beyond the format
  double updates = 0, swallowed = 0;  // of operators that update a state: how many are made, and change nothing
  explicit ExpectedErrors(std::size_t count) : input(count), inner(count) {}
};

struct OperatorInput {
  std::string_view name;
  Distribution distribution = Distribution::kNormal;
  double mean = 0;
  double deviation = 1;
  bool single = false;  // one number a row; not of the first input
};

struct OperatorParameter {
  std::string_view name;
  double value = 0;  // where the user gives none
  double least = 0, most = 0;
  Text meaning;
};

struct Operator {
  std::string_view name;
  std::vector<std::string_view> also = {};
  Text title;
  Text formula;
  std::vector<OperatorInput> inputs;
  std::vector<OperatorParameter> parameters = {};
  std::vector<std::string_view> variants = {};  // the first is the usual one
  Text scale;                                   // what errors are set against, in words: "Σ|x|"
  Text not_finite = {};                         // why results may be infinite or NaN where nothing overflows
  bool sums = true;                             // has sums: order and accumulator matter
  bool multiplies = false;                      // is a sum of products that a matrix unit can do
  bool one_output = true;                       // a row; else as many as the row is long
  bool updates = false;                         // a state, step by step: updates that change nothing are counted
  std::size_t length = 1024;                    // of a row where the user gives none
  /// Makes the inputs where they are not random numbers (positions); null: they are.
  void (*data)(const OperatorCall& empty, std::size_t first_row, std::span<Lanes> inputs) = nullptr;
  /// Results of the inputs as they are, nothing rounded.
  void (*exact)(const OperatorCall& call, ExactLanes& out);
  /// Results of inputs that have been rounded already, in the model's arithmetic, before they are rounded into the
  /// output's format. `events` may be null.
  void (*emulate)(const OperatorCall& call, Lanes& out, SumEvents* events);
  /// What the error of each output is set against; positive.
  void (*magnitude)(const OperatorCall& call, const ExactLanes& exact, Lanes& out);
  /// Of inputs that have not been rounded yet, and their exact results. Null: there is no theory here.
  void (*expect)(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) = nullptr;
  /// Bounds of |error| / magnitude, inputs' and output's rounding included, for outputs·rows results to hold together.
  SumBounds (*bounds)(const OperatorCall& call, double outputs) = nullptr;
};

/// All operators, in the order of the help.
const std::vector<const Operator*>& operators();

/// By name. Error (kUsage): unknown, with the nearest.
Result<const Operator*> operator_named(std::string_view name);

}  // namespace assay
