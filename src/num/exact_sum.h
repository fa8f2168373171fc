#pragma once
// A sum of doubles with all its bits, however far apart the addends are.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "num/real.h"

namespace assay {

/// A fixed-point number that holds every double: sums of up to 2^40 of them are exact. A Real has room for 128 bits,
/// so its sum of 1e300, 1 and -1e300 is not.
class ExactSum {
 public:
  void add(double value);

  bool finite() const { return rest_.finite(); }
  /// To 128 bits, marked where there are more. Infinities, NaN and the sign of zero as IEEE 754 has them.
  Real value() const;

  /// Its decimal digits, cut after `most` with "…"; plain where that is not much longer, else with a power of ten.
  /// Precondition: finite and not zero.
  std::string text(std::size_t most) const;

 private:
  // Two's complement, the lowest limb first. The point lies between two limbs, so that the fraction is whole limbs.
  static constexpr std::size_t kFractionLimbs = 34;  // 2^-1088, below the smallest double
  static constexpr std::size_t kLimbs = 68;          // up to 2^1088
  using Limbs = std::array<std::uint32_t, kLimbs>;

  struct Decimal {
    std::string digits;  // all of them, without zeros at the ends
    int power = 0;       // of ten, of the first digit
  };

  bool negative() const { return limbs_.back() >> 31 != 0; }
  Limbs magnitude() const;
  Decimal decimal() const;

  Limbs limbs_{};
  Real rest_ = real(-0.0);  // the sum of all that limbs cannot hold; 0 in place of what they can
};

}  // namespace assay
