#pragma once
// `assay float show`: what a value becomes in a format, bit by bit.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/number_format.h"
#include "assay/report.h"
#include "num/round.h"
#include "study/float_value.h"

namespace assay {

/// A value in a format, and what is to be known of it. What does not exist is NaN or nothing.
struct FloatInFormat {
  FloatInput input;
  NumberFormat format;
  Real given;       // the input, flushed where that was asked for
  Rounded rounded;  // what is stored
  std::optional<std::uint64_t> code;
  std::optional<double> above;
  std::optional<double> below;
  double spacing = 0;        // of the format's numbers where the given value lies: one ulp
  double error = 0;          // stored − given; rounded to FP64, where it is hardly ever inexact
  double error_percent = 0;  // of the given value
  double error_ulps = 0;
  double away_probability = 0;  // of stochastic rounding: to the number farther from zero

  double stored() const { return rounded.value; }
};

/// A pattern of bits (of this format) is stored as it is; all else is rounded.
FloatInFormat float_in_format(const FloatInput& input, const NumberFormat& format, const RoundingRules& rules = {},
                              std::uint64_t index = 0);

/// "0.1 in FP16 is 0.0999755859375: 0.02441 % too small, 0.4 ulp".
Text answer_of(const FloatInFormat& one);

struct FloatShow {
  std::vector<std::string> values;  // as written: float_input
  std::vector<NumberFormat> formats;
  RoundingRules rules;
};
Result<Report> float_show(const FloatShow& question);

}  // namespace assay
