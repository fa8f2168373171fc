#pragma once
// Division and square root as fast modes do them: an approximate reciprocal, Newton steps, a multiplication. Essay in
// fast_math.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/number_format.h"
#include "assay/text.h"

namespace assay {

enum class FastOperation : std::uint8_t { kDivide, kReciprocal, kSquareRoot, kReciprocalRoot };

/// A root of either kind; else a quotient of either kind.
constexpr bool is_root(FastOperation operation) { return operation >= FastOperation::kSquareRoot; }

enum class SeedKind : std::uint8_t {
  kRounded,  // the correctly rounded reciprocal (root) of that many bits: relative error at most 2^-bits
  kTable,    // of a table: the reciprocal of the middle of an interval, with that many bits behind the leading one
};

enum class StepForm : std::uint8_t {
  kFused,      // two fused multiply-adds: e = 1 - b x, x + x e
  kFusedStep,  // one: 2 - b x, then a product (Arm's FRECPS)
  kSeparate,   // every product and difference rounded
};

enum class FastScaling : std::uint8_t {
  kNone,
  kLargeDivisor,  // |b| > 2^96: b · 2^-32, and the result, too
  kFull,          // significands are divided; the exponent comes back with one rounding
};

/// A fast mode: how an operation is done.
struct FastMode {
  std::string name;  // what a user types; one of divisions and one of roots may have the same
  std::vector<std::string> also = {};
  Text title;
  FastOperation operation = FastOperation::kDivide;
  std::vector<std::string> formats = {};  // that it exists in; empty: any
  SeedKind seed = SeedKind::kRounded;
  int seed_bits = 8;
  bool seed_flushes_inputs = false;   // subnormal arguments of the seed are zeros to it
  bool seed_flushes_outputs = false;  // a subnormal seed becomes zero
  int steps = -1;                     // of Newton's iteration; -1: until the bits suffice for the format
  StepForm form = StepForm::kFused;
  bool correction = false;  // a last step by the residual of the result
  FastScaling scaling = FastScaling::kNone;
  bool keeps_specials = false;  // zeros, infinities and NaN end as IEEE 754 has them
  bool flush = false;           // subnormal inputs and results of every operation become zeros
  bool seed_specified = false;  // the seed of every chip is this one
  double documented_ulps = 0;   // largest distance from the correctly rounded result that is documented; 0: none is
  Text documented = {};         // as it is documented
  std::string source = {};
};

const std::vector<FastMode>& fast_modes();

/// A mode of divisions (`root` false) or of roots. Errors (kUsage): unknown, with the nearest.
Result<FastMode> fast_mode(std::string_view name, bool root);

/// What makes the mode impossible in the format: too many bits of the seed, a format that it does not exist in.
std::optional<Error> misfit(const FastMode& mode, const NumberFormat& format);

/// Steps that will be done: `steps`, or as many as the seed needs to reach the format's precision.
int steps_of(const FastMode& mode, const NumberFormat& format);

/// The result of the mode. `a` is the dividend, or the argument of a root; `b` the divisor: of divisions only. All
/// numbers are the format's. Precondition: no misfit.
double fast_value(const FastMode& mode, const NumberFormat& format, double a, double b);

/// The result correctly rounded, to nearest even, flushed where the mode flushes; and how far `value` is from the exact
/// result, in ulps of the result (NaN where one of them is not finite).
struct RightValue {
  double value = 0;
  double fast_error_ulps = 0;
  double right_error_ulps = 0;
};
RightValue right_value(const FastMode& mode, const NumberFormat& format, double a, double b, double fast);

/// An upper bound of the relative error where nothing overflows or is flushed. Derived in fast_math.cpp.
double relative_error_bound(const FastMode& mode, int precision);

/// How the mode fares over many significands, as if exponents had no end: nothing overflows or is flushed.
struct FastSurvey {
  enum class Over : std::uint8_t {
    kAllPairs,     // of significands
    kAllDivisors,  // or all arguments of a root, in [1, 4)
    kSample,
  };
  Over over = Over::kSample;
  std::uint64_t tried = 0;
  std::vector<std::uint64_t> by_distance;  // how many lie 0, 1, 2, … ulps from the correctly rounded result; 8: or more
  std::uint64_t largest_distance = 0;
  double worst_error_ulps = 0;      // from the exact result
  double worst_a = 0, worst_b = 0;  // significands where that happens
  double worst_fast = 0, worst_right = 0;

  std::uint64_t wrong() const { return tried - by_distance.front(); }
};
/// Formats of up to 12 bits of precision: all pairs of significands. Up to 17 bits, and FP32: all divisors with the
/// significand of `a`. Others: a sample. Under a second. Precondition: no misfit.
FastSurvey survey(const FastMode& mode, const NumberFormat& format, double a);

}  // namespace assay
