#pragma once
// Constants of a number format, from its description. All exact.

#include <cstdint>

#include "assay/number_format.h"

namespace assay {

/// The significand's bits of numbers in [2^exponent, 2^(exponent + 1)): fewer below emin and, in tapered formats, away
/// from 1. At least 1 while there are numbers, 0 where numbers are further apart.
int precision_at(const NumberFormat& format, int exponent);
/// Numbers with that exponent are multiples of 2^quantum_exponent; below the smallest number it stays as it is there.
int quantum_exponent(const NumberFormat& format, int exponent);
/// The exponent of the smallest positive number.
int smallest_exponent(const NumberFormat& format);

double largest(const NumberFormat& format);
double smallest_normal(const NumberFormat& format);    // of integers the smallest positive one
double smallest_positive(const NumberFormat& format);  // subnormal where there are such
/// Distance from 1 to the next larger number, "machine epsilon"; NaN where 1 is the largest or no number.
double epsilon(const NumberFormat& format);
/// Half of it: the largest relative error of rounding to nearest is u / (1 + u).
double unit_roundoff(const NumberFormat& format);
/// Rounding to nearest overflows beyond this value; `itself`: already at it. E4M3 rounds 464 to 448 and more to NaN.
struct OverflowThreshold {
  double value = 0;
  bool itself = true;
};
OverflowThreshold overflow_threshold(const NumberFormat& format);
/// All integers up to it are numbers of the format.
double largest_exact_integer(const NumberFormat& format);

/// Bits of the exponent field, and its bias; of CodeLayout::kFields only.
int exponent_bits(const NumberFormat& format);
int exponent_bias(const NumberFormat& format);

/// How many codes there are of each kind. Formats up to 32 bits; 0 for others.
struct CodeCounts {
  std::uint64_t finite = 0;  // +0 and -0 counted as one
  std::uint64_t infinite = 0;
  std::uint64_t nan = 0;
};
CodeCounts code_counts(const NumberFormat& format);

}  // namespace assay
