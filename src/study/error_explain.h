#pragma once
// Where an operator's error comes from, in a sentence.

#include "study/error_measure.h"

namespace assay {

enum class ErrorCause : std::uint8_t {
  kNone,        // no error at all
  kOverflow,    // results are infinite or NaN
  kSaturation,  // results are the largest number
  kLostInside,  // a sum inside overflowed, and results became 0 by it
  kFlush,       // numbers or results became 0
  kStagnation,  // terms are smaller than half the spacing of the sum
  kSwallowed,   // updates of a state are smaller than half its spacing
  kTruncation,  // a matrix unit cuts, and the data have one sign
  kInput,
  kInside,
  kOutput,
};

ErrorCause cause_of(const ErrorQuestion& question, const Experiment& experiment);
/// "93 % of it is the rounding of the inputs to FP16: …".
Text explanation_of(const ErrorQuestion& question, const Experiment& experiment);

/// The parts' shares of the mean square error.
std::array<double, kErrorParts> shares_of(const Measured& measured);

/// "0.0293 %", "480 %".
std::string percent(double share);

/// "accumulated in FP32, sequential", "on NVIDIA H100".
Text arithmetic_words(const ErrorQuestion& question);
/// "FP32, sequential", "h100/bf16".
std::string arithmetic_name(const ErrorQuestion& question);

}  // namespace assay
