#pragma once
// Rounding into a format: the reference, one number at a time. Arrays: num/rounder.h, which gives the same bits.

#include <cstdint>

#include "assay/number_format.h"
#include "num/real.h"

namespace assay {

enum class Rounding : std::uint8_t {
  kNearestEven,
  kNearestAway,
  kTowardZero,
  kUp,
  kDown,
  kToOdd,       // inexact: the neighbour with an odd significand; a first step of rounding twice that does no harm
  kStochastic,  // up with a probability of the distance, to random_bits
};

/// What becomes of numbers beyond the largest, of infinities and of NaN.
enum class Overflow : std::uint8_t {
  kInfinity,  // as IEEE 754: infinity, else NaN where there is none, else the largest number. Toward-zero roundings
              // (and to-odd) stop at the largest number
  kNan,       // NaN where there is one
  kSaturate,  // the largest number, for infinities, too; infinities become NaN in "fnuz" formats (ONNX Cast)
  kAscend,    // saturation mode of Ascend NPUs: the largest number for infinities, too, and 0 for NaN
};

struct RoundingRules {
  Rounding rounding = Rounding::kNearestEven;
  Overflow overflow = Overflow::kInfinity;
  bool flush_inputs = false;   // subnormal numbers of the input's format become zeros with their sign
  bool flush_outputs = false;  // results below the smallest normal number, after rounding, become zeros with their sign
  int random_bits = 16;        // kStochastic: 1 to 32
  std::uint64_t seed = 0;      // kStochastic: the same seed and index give the same bits, on every machine
};

struct Rounded {
  double value = 0;  // of the format
  bool inexact = false;
  bool overflowed = false;  // beyond the largest number after rounding; what became of it is in `value`
  bool flushed = false;
  bool away = false;  // |value| > |x|
};

/// Rounds once. `index` picks the random number of a stochastic rounding. NaN where the format has none: the largest
/// number (ONNX Cast to FP4), 0 in kAscend. Formats without sign or zero (E8M0): NaN for
/// negative numbers and zero; below the smallest number they round to it.
Rounded round_to(const NumberFormat& format, const Real& value, const RoundingRules& rules = {},
                 std::uint64_t index = 0);

/// Whether the value is one of the format's, NaN and infinities where it has them.
bool is_in(const NumberFormat& format, double value);

/// The subnormals of `from`, flushed. For flush_inputs.
Real flushed(const NumberFormat& from, const Real& value);

}  // namespace assay
