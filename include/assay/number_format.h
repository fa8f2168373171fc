#pragma once
// Number formats as data: what a pattern of bits means, and which numbers there are. Arithmetic on them: src/num/.
//
// Every number of every format here is a double, exactly: significands have at most 53 bits, exponents lie in FP64's
// range. A value of a format is therefore passed as a double, a pattern of bits as a uint64_t.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"

namespace assay {

/// How a pattern of bits is laid out.
enum class CodeLayout : std::uint8_t {
  kFields,          // sign, biased exponent, fraction
  kTapered,         // HiF8: sign, prefix code, exponent of 0 to 4 bits, fraction of 3 to 1
  kTwosComplement,  // an integer times a power of two
};

enum class Infinities : std::uint8_t {
  kNone,
  kAllOnes,       // the exponent field all ones, fraction 0, as in IEEE 754
  kAboveLargest,  // HiF8: the code after the largest number
};

enum class Nans : std::uint8_t {
  kNone,
  kIeee,          // the exponent field all ones, fraction not 0
  kAllOnes,       // one code: all bits but the sign ones ("fn")
  kNegativeZero,  // one code: the place of -0 ("fnuz"); then there is no -0
};

struct NumberFormat {
  std::string name;               // "e4m3": what a user types, lower case
  std::vector<std::string> also;  // other names: "float8_e4m3fn"
  std::string title;              // "FP8 E4M3 (OCP)"
  int precision = 0;              // bits of the significand, with the leading one that is not stored
  int emin = 0;                   // of the smallest normal number 2^emin
  int emax = 0;                   // exponent of the largest finite number: it lies in [2^emax, 2^(emax + 1))
  int bits = 0;                   // of a pattern as it is stored; 0: the format has no bit patterns
  int unused_bits = 0;            // lowest bits of the pattern that are zero (TF32 is 19 bits in a word of 32)
  CodeLayout layout = CodeLayout::kFields;
  Infinities infinities = Infinities::kAllOnes;
  Nans nans = Nans::kIeee;
  bool has_sign = true;
  bool has_zero = true;
  bool has_subnormals = true;
  bool ties_away = false;   // hardware that converts to it rounds ties away from zero, not to even
  std::string used = {};    // where it is met, a few words
  std::string source = {};  // that defines it

  bool has_negative_zero() const {
    return has_sign && has_zero && nans != Nans::kNegativeZero && layout == CodeLayout::kFields;
  }
  bool has_infinity() const { return infinities != Infinities::kNone; }
  bool has_nan() const { return nans != Nans::kNone; }
};

/// All formats that have a name, widest first.
const std::vector<NumberFormat>& number_formats();

/// By name, in any case, with '-' for '_', by another name, or as a description:
///   "e5m3"                       sign, 5 bits of exponent, 3 of fraction, laid out as IEEE 754 does
///   "p=11,emin=-14,emax=15"      no bit patterns unless they come out as IEEE's; more: ",no-subnormals", ",no-inf"
/// Errors (kUsage): an unknown name, with the nearest; a description that is impossible, with the reason.
Result<NumberFormat> number_format(std::string_view name);

}  // namespace assay
