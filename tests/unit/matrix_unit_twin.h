#pragma once
// A matrix unit once more, slow and plain: whole numbers of 128 bits, one row at a time, nothing of src/num/ but the
// description. Finite inputs whose exponents lie within some 60 of each other; infinities and NaN are told before.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "num/matrix_unit.h"

namespace assay::test {

__extension__ using Int128 = __int128;

/// whole · 2^exponent; the leading bit counts as 2^top, which need not be where it is.
struct Whole {
  Int128 whole = 0;
  int exponent = 0;
  int top = 0;
};

inline Whole whole_of(double value, int emin) {
  Whole out;
  if (value == 0) return {0, emin - 60, emin};
  int power = 0;
  const double fraction = std::frexp(value, &power);
  out.whole = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  out.exponent = power - 53;
  out.top = std::max(power - 1, emin);
  while (out.whole % 2 == 0) {
    out.whole /= 2;
    ++out.exponent;
  }
  return out;
}

inline Whole times(const Whole& a, const Whole& b) {
  return {a.whole * b.whole, a.exponent + b.exponent, a.top + b.top};
}

/// whole / 2^shift as a whole number.
inline Int128 shifted(Int128 whole, int shift, Rounding mode) {
  if (shift <= 0) return whole << -shift;
  const bool negative = whole < 0;
  const Int128 size = negative ? -whole : whole;
  const Int128 kept = shift > 126 ? 0 : size >> shift;
  const Int128 rest = shift > 126 ? size : size - (kept << shift);
  const Int128 half = shift > 126 ? std::numeric_limits<std::int64_t>::max() : Int128{1} << (shift - 1);
  bool away = false;
  switch (mode) {
    case Rounding::kNearestEven: away = shift <= 126 && (rest > half || (rest == half && kept % 2 != 0)); break;
    case Rounding::kNearestAway: away = shift <= 126 && rest >= half; break;
    case Rounding::kUp: away = !negative && rest != 0; break;
    case Rounding::kDown: away = negative && rest != 0; break;
    case Rounding::kToOdd: away = rest != 0 && kept % 2 == 0; break;
    default: break;
  }
  const Int128 result = kept + (away ? 1 : 0);
  return negative ? -result : result;
}

inline double value_of(Int128 whole, int exponent) { return std::ldexp(static_cast<double>(whole), exponent); }

/// Into the format; `zero`: what an exact zero is, what rounds to zero has the number's sign.
inline double rounded(const MatrixUnit& unit, const Whole& number, double zero) {
  const NumberFormat& format = unit.accumulator;
  if (number.whole == 0) return zero;
  const double sign = number.whole < 0 ? -1 : 1;
  Int128 size = number.whole < 0 ? -number.whole : number.whole;
  int top = number.exponent - 1;
  for (; size != 0; size >>= 1) ++top;
  const int quantum = std::max(top, format.emin) - format.precision + 1;
  const double value =
      std::copysign(value_of(shifted(number.whole, quantum - number.exponent, unit.rounding), quantum), sign);
  const double most = std::ldexp(2 - std::ldexp(1.0, 1 - format.precision), format.emax);
  if (unit.flush_outputs && std::fabs(value) < std::ldexp(1.0, format.emin)) return std::copysign(0.0, sign);
  if (std::fabs(value) <= most) return value;
  if (unit.overflow == Overflow::kInfinity) return std::copysign(HUGE_VAL, sign);
  return unit.overflow == Overflow::kNan ? std::nan("") : std::copysign(most, sign);
}

inline Whole plus(const Whole& a, const Whole& b) {
  if (a.whole == 0) return b;
  if (b.whole == 0) return a;
  const int exponent = std::min(a.exponent, b.exponent);
  return {(a.whole << (a.exponent - exponent)) + (b.whole << (b.exponent - exponent)), exponent, 0};
}

/// Cut to a multiple of 2^(top - bits).
inline Whole cut(const Whole& number, int top, int bits, Rounding mode) {
  const int exponent = top - bits;
  return {shifted(number.whole, exponent - number.exponent, mode), exponent, 0};
}

class TwinUnit {
 public:
  explicit TwinUnit(const MatrixUnit& unit) : unit_(unit) {}

  double operator()(const std::vector<double>& a, const std::vector<double>& b, double c) const {
    for (std::size_t first = 0; first < a.size(); first += static_cast<std::size_t>(unit_.group)) {
      std::vector<double> x, y;
      for (std::size_t k = first; k < std::min(a.size(), first + static_cast<std::size_t>(unit_.group)); ++k) {
        x.push_back(flushed(a[k], unit_.input));
        y.push_back(flushed(b[k], unit_.input));
      }
      c = step(x, y, flushed(c, unit_.accumulator));
    }
    return c;
  }

 private:
  double flushed(double value, const NumberFormat& format) const {
    return unit_.flush_inputs && std::fabs(value) < std::ldexp(1.0, format.emin) ? 0 : value;
  }

  // What becomes of an infinity or NaN.
  double not_finite(double value) const {
    if (unit_.overflow == Overflow::kInfinity) return value;
    if (unit_.overflow == Overflow::kAscend && std::isnan(value)) return 0;
    if (unit_.overflow == Overflow::kNan || std::isnan(value)) return std::nan("");
    return std::copysign(std::ldexp(2 - std::ldexp(1.0, 1 - unit_.accumulator.precision), unit_.accumulator.emax),
                         value);
  }

  double step(const std::vector<double>& a, const std::vector<double>& b, double c) const {
    double special = c;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double product = a[i] * b[i];
      const bool infinite = std::fabs(product) >= std::ldexp(1.0, unit_.accumulator.emax + 1);
      special += infinite && unit_.step == StepKind::kStaged ? std::copysign(HUGE_VAL, product) : product;
    }
    const bool at_once = unit_.step == StepKind::kFused || unit_.step == StepKind::kStaged;
    if (!std::isfinite(special) && at_once) return not_finite(special);
    switch (unit_.step) {
      case StepKind::kFused: return fused(a, b, c);
      case StepKind::kStaged: return staged(a, b, c);
      case StepKind::kLanes: return lanes(a, b, c);
      case StepKind::kPairs: return pairs(a, b, c);
      default: return chain(a.front(), b.front(), c);
    }
  }

  Whole input(double value) const { return whole_of(value, unit_.input.emin); }
  Whole held(double value) const { return whole_of(value, unit_.accumulator.emin); }

  double fused(const std::vector<double>& a, const std::vector<double>& b, double c) const {
    std::vector<Whole> addends{held(c)};
    int top = addends[0].top;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == 0 || b[i] == 0) continue;
      addends.push_back(times(input(a[i]), input(b[i])));
      top = std::max(top, addends.back().top);
    }
    Whole sum{0, unit_.fraction_bits == kNothingCut ? addends[0].exponent : top - unit_.fraction_bits, 0};
    for (const Whole& one : addends) {
      if (one.whole == 0) continue;
      sum = plus(sum, unit_.fraction_bits == kNothingCut ? one : cut(one, top, unit_.fraction_bits, unit_.alignment));
    }
    return rounded(unit_, sum, 0.0);
  }

  // As the definition has it: sets, then the sets together, then c.
  double staged(const std::vector<double>& a, const std::vector<double>& b, double c) const {
    std::vector<std::vector<Whole>> sets(static_cast<std::size_t>(unit_.interleaved));
    std::vector<int> tops(sets.size(), unit_.accumulator.emin);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == 0 || b[i] == 0) continue;
      const Whole product = times(input(a[i]), input(b[i]));
      sets[i % sets.size()].push_back(product);
      tops[i % sets.size()] = std::max(tops[i % sets.size()], product.top);
    }
    const int top = *std::max_element(tops.begin(), tops.end());
    Whole sum{0, top - unit_.fraction_bits, 0};
    for (std::size_t s = 0; s < sets.size(); ++s) {
      Whole part{0, tops[s] - unit_.fraction_bits, 0};
      for (const Whole& one : sets[s]) part = plus(part, cut(one, tops[s], unit_.fraction_bits, unit_.alignment));
      sum = plus(sum, cut(part, top, unit_.fraction_bits, unit_.late_alignment));
    }
    const Whole addend = held(c);
    const int both = std::max(top, addend.top);
    Whole result = cut(sum, both, unit_.late_bits, unit_.late_alignment);
    const bool far_below = unit_.interleaved > 1 && addend.top < both - unit_.fraction_bits - 1;
    if (c != 0 && !far_below) result = plus(result, cut(addend, both, unit_.fraction_bits, unit_.late_alignment));
    return rounded(unit_, result, 0.0);
  }

  double sum_of(double a, double b) const {
    if (!std::isfinite(a + b)) return not_finite(a + b);
    if (a == 0 || b == 0) {
      // IEEE: -0 + -0 is -0; a sum with zero may still be flushed.
      return a == 0 && b == 0 ? a + b : rounded(unit_, held(a == 0 ? b : a), 0.0);
    }
    return rounded(unit_, plus(held(a), held(b)), 0.0);
  }

  double pairs(const std::vector<double>& a, const std::vector<double>& b, double c) const {
    std::vector<double> level(static_cast<std::size_t>(unit_.group), 0.0);
    for (std::size_t i = 0; i < a.size(); ++i) level[i] = rounded(unit_, times(input(a[i]), input(b[i])), a[i] * b[i]);
    return sum_of(c, tree(std::move(level)));
  }

  double lanes(const std::vector<double>& a, const std::vector<double>& b, double c) const {
    std::vector<double> level(static_cast<std::size_t>(unit_.interleaved), 0.0);
    for (std::size_t i = 0; i < a.size(); ++i) level[i % level.size()] = fma(a[i], b[i], level[i % level.size()]);
    return sum_of(c, tree(std::move(level)));
  }

  double tree(std::vector<double> level) const {
    while (level.size() > 1) {
      std::vector<double> next;
      for (std::size_t i = 0; i < level.size(); i += 2) {
        next.push_back(i + 1 < level.size() ? sum_of(level[i], level[i + 1]) : level[i]);
      }
      level = std::move(next);
    }
    return level[0];
  }

  double fma(double a, double b, double c) const {
    if (!std::isfinite(c)) return not_finite(c + a * b);
    if (a == 0 || b == 0) return sum_of(c, a * b);
    const Whole product = times(input(a), input(b));
    return rounded(unit_, c == 0 ? product : plus(held(c), product), 0.0);
  }

  double chain(double a, double b, double c) const {
    const Whole product = times(input(a), input(b));
    if (unit_.step == StepKind::kMultiplyAdd) return sum_of(c, rounded(unit_, product, a * b));
    return fma(a, b, c);
  }

  MatrixUnit unit_;
};

}  // namespace assay::test
