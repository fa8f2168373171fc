#pragma once
// The arithmetic of a number format: each operation exact, then rounded into the format once. For rows side by side.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/number_format.h"
#include "num/rounder.h"

namespace assay {

/// Operations on arrays of doubles that are numbers of a format. Essay: arithmetic.cpp.
///
/// All spans of a call have one size; `out` may be one of the inputs. Infinities, NaN and signed zeros as IEEE 754 has
/// them, then as the rules' overflow mode. Stochastic rounding draws from a counter of this object: the same calls in
/// the same order give the same bits, so work that is split among threads needs an object for each part.
class Arithmetic {
 public:
  explicit Arithmetic(const NumberFormat& format, const RoundingRules& rules = {});

  /// The numbers, rounded into the format. They are taken as exact.
  void round(std::span<const double> in, std::span<double> out);

  /// `b` need not be of the format: it may have more digits, as an exact product has (multiply-add with one rounding).
  void add(std::span<const double> a, std::span<const double> b, std::span<double> out);
  void subtract(std::span<const double> a, std::span<const double> b, std::span<double> out);
  /// Exact for factors of up to 26 bits before it is rounded.
  void multiply(std::span<const double> a, std::span<const double> b, std::span<double> out);
  void divide(std::span<const double> a, std::span<const double> b, std::span<double> out);
  void square_root(std::span<const double> a, std::span<double> out);
  /// out = f(a): FP64's value, rounded. Of formats up to FP32 it is the rightly rounded one but where the exact value
  /// is within 2^-28 of a tie, relative to the spacing.
  void apply(double (*function)(double), std::span<const double> a, std::span<double> out);

  const NumberFormat& format() const { return rounder_.format(); }
  const RoundingRules& rules() const { return rules_; }

 private:
  /// What the operations need of FP64 before the result is rounded.
  enum class Means : std::uint8_t {
    kNative,  // the format is FP64 with its own rules
    kFloat,   // FP32 with its own rules: FP64, then a conversion
    kDouble,  // FP64 holds enough: p <= 25
    kReal,    // one at a time
  };

  std::span<const double> operand(std::span<const double> given, std::vector<double>& flushed) const;
  template <class Native, class Exact>
  void operate(std::span<const double> a, std::span<const double> b, std::span<double> out, Native native, Exact exact);

  Rounder rounder_;  // of results
  RoundingRules rules_;
  Means means_;
  double flush_below_ = 0;            // operands; 0: none
  std::uint64_t drawn_ = 0;           // random numbers
  std::vector<double> left_, right_;  // flushed operands
};

}  // namespace assay
