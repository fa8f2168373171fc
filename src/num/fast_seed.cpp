// Seeds. A table reads k bits of the argument's significand, or k - 1 and the lowest bit of its exponent, takes the
// middle of that interval and rounds its reciprocal (root) to k bits behind the leading one, half up: Arm ARM,
// RecipEstimate and RecipSqrtEstimate; RISC-V "V" extension, vfrec7 and vfrsqrt7. The middle of an interval of width
// 2^-k at m is at most 2^-(k+1) / m away, the rounding at most 2^-(k+2) / x for x = 1/m: together at most
// 2^-(k+1) (1/m + m/2) <= 3/2 · 2^-(k+1) over [1, 2]. Of roots: half of 2^-k / m and 2^-(k+2) / y, y = 1/√m, on [1, 2];
// on [2, 4] half of 2^-(k-1)/m, the same: 2^-(k+1) (1/m + √m/2), and 2^-(k+1) (2/m + √m/2) <= 1.71 · 2^-(k+1).

#include "num/fast_seed.h"

#include "num/real.h"
#include "num/round.h"

namespace assay::fast {

namespace {

double from_table(int k, bool root, double m) {
  const bool upper = root && m >= 2;
  const double width = std::ldexp(1.0, root ? (upper ? 2 - k : 1 - k) : -k);
  const double begin = upper ? 2 : 1;
  const double middle = begin + (std::floor((m - begin) / width) + 0.5) * width;
  const double exact = root ? 1 / std::sqrt(middle) : 1 / middle;  // in (1/2, 1)
  // No tie is near: the middle has k + 2 bits, so the reciprocal stays 2^-2k away from one, far above FP64's rounding.
  return std::ldexp(std::floor(std::ldexp(exact, k + 1) + 0.5), -k - 1);
}

}  // namespace

double seed(const FastMode& mode, double m) {
  const bool root = is_root(mode.operation);
  if (mode.seed == SeedKind::kTable) return from_table(mode.seed_bits, root, m);
  NumberFormat narrow;
  narrow.precision = mode.seed_bits;
  narrow.emin = -1000;
  narrow.emax = 1000;
  return round_to(narrow, quotient(real(1), root ? square_root(real(m)) : real(m))).value;
}

double seed_error_bound(const FastMode& mode) {
  const double unit = std::ldexp(1.0, -mode.seed_bits);
  if (mode.seed == SeedKind::kRounded) return unit;
  return unit / 2 * (is_root(mode.operation) ? 1.71 : 1.5) * (1 + unit);  // what is above first order is within it
}

}  // namespace assay::fast
