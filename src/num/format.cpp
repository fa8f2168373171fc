// Constants of a format.
//
// Everything follows from one function, the quantum: numbers with exponent E are the multiples of 2^quantum(E) in
// [2^E, 2^(E+1)). For a significand of p bits that is 2^(E-p+1), and 2^(emin-p+1) below emin, where subnormal numbers
// keep the spacing of the smallest normal ones. HiF8 has fewer bits the further a number is from 1 (arXiv 2409.16626):
// 4 for |E| <= 3, 3 to 7, 2 to 15, and powers of two alone from 2^-16 down to 2^-22.

#include "num/format.h"

#include <cmath>
#include <limits>

#include "num/codes.h"

namespace assay {

namespace {

constexpr int kTaperedSmallest = -22;

int tapered_precision(int exponent) {
  const int distance = std::abs(exponent);
  if (exponent < -15) return 1;
  return distance <= 3 ? 4 : distance <= 7 ? 3 : 2;
}

}  // namespace

int smallest_exponent(const NumberFormat& format) {
  if (format.layout == CodeLayout::kTapered) return kTaperedSmallest;
  return format.has_subnormals ? format.emin - format.precision + 1 : format.emin;
}

int quantum_exponent(const NumberFormat& format, int exponent) {
  if (exponent < smallest_exponent(format)) return smallest_exponent(format);
  if (format.layout == CodeLayout::kTapered) return exponent - tapered_precision(exponent) + 1;
  return std::max(exponent, format.emin) - format.precision + 1;
}

int precision_at(const NumberFormat& format, int exponent) {
  return std::max(0, exponent - quantum_exponent(format, exponent) + 1);
}

double largest(const NumberFormat& format) {
  if (format.layout == CodeLayout::kTapered) return std::ldexp(1.0, format.emax);  // the code after it is infinity
  const double ones = std::ldexp(1.0, format.precision) - 1;
  // The NaN of E4M3 has the place of the last number of its binade; E8M0's has a binade of its own.
  const bool nan_above = format.nans == Nans::kAllOnes && format.precision > 1;
  return std::ldexp(nan_above ? ones - 1 : ones, format.emax - format.precision + 1);
}

double smallest_normal(const NumberFormat& format) {
  if (format.layout == CodeLayout::kTwosComplement) return smallest_positive(format);  // an integer is never subnormal
  return std::ldexp(1.0, format.emin);
}

double smallest_positive(const NumberFormat& format) { return std::ldexp(1.0, smallest_exponent(format)); }

double epsilon(const NumberFormat& format) {
  if (largest(format) <= 1 || smallest_exponent(format) > 0) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(1.0, quantum_exponent(format, 0));
}

double unit_roundoff(const NumberFormat& format) { return epsilon(format) / 2; }

OverflowThreshold overflow_threshold(const NumberFormat& format) {
  const double quantum = std::ldexp(1.0, quantum_exponent(format, format.emax));
  const double most = largest(format);
  const bool even = std::fmod(most / quantum, 2) == 0;  // then a tie stays below
  return {most + quantum / 2, !even};
}

double largest_exact_integer(const NumberFormat& format) {
  if (smallest_exponent(format) > 0) return 0;  // 1 is none of its numbers
  for (int exponent = 1; exponent <= format.emax; ++exponent) {
    if (quantum_exponent(format, exponent) > 0) return std::ldexp(1.0, exponent);
  }
  return std::floor(largest(format));
}

int exponent_bits(const NumberFormat& format) {
  return format.bits - format.unused_bits - (format.has_sign ? 1 : 0) - (format.precision - 1);
}

int exponent_bias(const NumberFormat& format) {
  return format.has_zero || format.has_subnormals ? 1 - format.emin : -format.emin;
}

CodeCounts code_counts(const NumberFormat& format) {
  CodeCounts out;
  const int used = format.bits - format.unused_bits;
  if (format.bits == 0 || used > 32) return out;
  const std::uint64_t codes = std::uint64_t{1} << used;
  if (format.layout == CodeLayout::kTwosComplement) {
    out.finite = codes;
    return out;
  }
  const auto positive = static_cast<std::uint64_t>(ordinal(format, largest(format)));
  out.finite = (format.has_sign ? 2 : 1) * positive + (format.has_zero ? 1 : 0);
  out.infinite = format.has_infinity() ? 2 : 0;
  out.nan = codes - out.finite - out.infinite - (format.has_negative_zero() ? 1 : 0);
  return out;
}

}  // namespace assay
