#pragma once
// Sums of doubles without rounding.

#include <array>
#include <cstdint>

#include "num/real.h"

namespace assay {

/// Adds finite doubles, in any order and number up to 2^31, and loses nothing.
class ExactSum {
 public:
  void add(double value);
  /// The sum to 128 bits and the mark; +0 where it is zero.
  Real value() const;

 private:
  // Of 32 bits each and a carry not yet passed on; the lowest bit of the first is 2^-1074. 2,098 bits hold every
  // double, 31 more the carries.
  std::array<std::int64_t, 68> words_{};
};

}  // namespace assay
