#pragma once
// Number formats a second time, to check the first: written from their published definitions, one code after the
// other, without bits that are shifted cleverly. Includes nothing of src/num or of include/assay.

#include <cstdint>
#include <string>
#include <vector>

namespace assay::oracle {

enum class Scheme : std::uint8_t {
  kIeee,             // exponent field all ones: infinity, NaN
  kAllOnesNan,       // "fn": only S.11…1 is NaN, no infinity
  kNegativeZeroNan,  // "fnuz": only 1.00…0 is NaN, no infinity, no -0
  kAllNumbers,       // FP6, FP4: every code is a number
  kPowers,           // E8M0: 2^(code - 127), 0xFF is NaN
  kTapered,          // HiF8
  kInteger,          // MXINT8: two's complement / 64
};

struct Format {
  std::string name;  // as ml_dtypes, ONNX or PyTorch call it, or a description
  int exponent_bits = 0;
  int fraction_bits = 0;
  int bias = 0;
  Scheme scheme = Scheme::kIeee;
  int unused = 0;  // lowest bits of the word

  bool has_sign() const { return scheme != Scheme::kPowers; }
  bool has_infinity() const { return scheme == Scheme::kIeee || scheme == Scheme::kTapered; }
  bool has_nan() const { return scheme != Scheme::kAllNumbers && scheme != Scheme::kInteger; }
  bool has_negative_zero() const {
    return scheme == Scheme::kIeee || scheme == Scheme::kAllOnesNan || scheme == Scheme::kAllNumbers;
  }
  /// Without the unused ones.
  int bits() const;
};

enum class Kind : std::uint8_t { kZero, kSubnormal, kNormal, kInfinity, kNan };

struct Meaning {
  Kind kind = Kind::kZero;
  bool negative = false;
  double magnitude = 0;
  bool odd = false;            // the integer significand of the binade, for ties
  std::uint64_t fraction = 0;  // of a NaN
  double value() const { return negative ? -magnitude : magnitude; }
};

/// What a code means; `code` without the unused bits.
Meaning meaning(const Format& format, std::uint64_t code);

/// FP64 and FP32 have too many codes to be listed, the others up to 20 bits.
std::vector<Format> formats_up_to_20_bits();

/// The magnitudes of one sign in order, and what would follow if the exponent went on.
struct Grid {
  std::vector<double> values;
  std::vector<char> odd;
  double beyond = 0;
  bool beyond_odd = false;
  bool has_zero() const { return values.front() == 0; }
  double largest() const { return values.back(); }
};
Grid grid_of(const Format& format, bool negative = false);
/// Any precision and exponents, listed from the definition: m · 2^(e - p + 1).
Grid grid_of(int precision, int emin, int emax, bool subnormals);

enum class Mode : std::uint8_t { kNearestEven, kNearestAway, kTowardZero, kUp, kDown, kToOdd };

struct Step {
  double magnitude = 0;  // the largest where it is beyond
  bool inexact = false;
  bool beyond = false;   // the result with an unbounded exponent is larger than the largest
  bool stopped = false;  // ... and the mode is one that stops at the largest
  bool away = false;
};
/// Rounds a finite magnitude by searching its neighbours in the list.
Step round_magnitude(const Grid& grid, double magnitude, Mode mode, bool negative);

}  // namespace assay::oracle
