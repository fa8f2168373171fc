#pragma once
// `assay error`: the error of an operator in a format, measured on data, predicted by theory, explained.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/report.h"
#include "base/progress.h"
#include "study/operators/operator.h"

namespace assay {

/// Where the numbers of one input come from.
struct ErrorData {
  std::string path;  // of an .npy file; empty: random numbers
  Distribution distribution = Distribution::kNormal;
  double mean = 0;
  double deviation = 1;
};

struct ErrorQuestion {
  const Operator* op = nullptr;
  OperatorModel model;
  std::string variant;             // empty: the operator's first
  std::vector<double> parameters;  // of the operator, all
  std::vector<ErrorData> data;     // of each input
  std::size_t rows = 1000;
  std::size_t length = 0;
  bool input_given = false;   // the input's format: it tells what raw bytes of files mean
  bool length_given = false;  // else the operator's, or that of the files
  std::uint64_t seed = 1;
  std::size_t seeds = 1;   // repeats of the whole experiment with other data
  std::size_t orders = 0;  // of the order study: so many orders of the same data; 0: none
  unsigned jobs = 0;
  std::vector<std::string> arguments = {};  // as they were typed: what the report tells of its question
  Progress* progress = nullptr;
  const std::atomic<bool>* interrupted = nullptr;
};

/// Errors: kUsage for what cannot be (no rows, too much at once), those of the files.
Result<Report> error_op(const ErrorQuestion& question);

}  // namespace assay
