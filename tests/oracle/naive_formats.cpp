// Comparisons and halves in double are exact here: the values have at most 20 bits, those that are rounded 53, and
// exponents lie far from the ends of FP64's range.

#include "oracle/naive_formats.h"

#include <algorithm>
#include <cmath>

namespace assay::oracle {
namespace {

std::uint64_t low_bits(std::uint64_t code, int count) { return code % (std::uint64_t{1} << count); }

Meaning meaning_of_fields(const Format& f, std::uint64_t code) {
  const std::uint64_t fraction = low_bits(code, f.fraction_bits);
  const std::uint64_t exponent = low_bits(code >> f.fraction_bits, f.exponent_bits);
  const bool negative = (code >> (f.fraction_bits + f.exponent_bits)) != 0;
  const std::uint64_t fraction_ones = (std::uint64_t{1} << f.fraction_bits) - 1;
  const std::uint64_t exponent_ones = (std::uint64_t{1} << f.exponent_bits) - 1;
  const Meaning nan{.kind = Kind::kNan, .negative = negative, .fraction = fraction};
  if (f.scheme == Scheme::kIeee && exponent == exponent_ones) {
    if (fraction == 0) return {.kind = Kind::kInfinity, .negative = negative, .magnitude = HUGE_VAL};
    return nan;
  }
  if (f.scheme == Scheme::kAllOnesNan && exponent == exponent_ones && fraction == fraction_ones) return nan;
  if (f.scheme == Scheme::kNegativeZeroNan && negative && exponent == 0 && fraction == 0) return nan;
  const double unit = std::ldexp(1.0, -f.fraction_bits);
  const double part = static_cast<double>(fraction) * unit;
  const bool odd = fraction % 2 == 1;
  if (exponent == 0) {
    const Kind kind = fraction == 0 ? Kind::kZero : Kind::kSubnormal;
    return {.kind = kind, .negative = negative, .magnitude = std::ldexp(part, 1 - f.bias), .odd = odd};
  }
  return {.kind = Kind::kNormal,
          .negative = negative,
          .magnitude = std::ldexp(1 + part, static_cast<int>(exponent) - f.bias),
          .odd = f.fraction_bits == 0 || odd};
}

// arXiv 2409.16626, table 1: the prefix ("dot") tells how many bits of exponent follow; the exponent is a sign and a
// magnitude whose leading one is not stored; the rest is the fraction. Prefix 0000: ±2^(M - 23).
struct TaperedRow {
  std::uint64_t prefix;
  int prefix_bits, exponent_bits, fraction_bits;
};
constexpr TaperedRow kTaperedRows[] = {
    {0b11, 2, 4, 1}, {0b10, 2, 3, 2}, {0b01, 2, 2, 3}, {0b001, 3, 1, 3}, {0b0001, 4, 0, 3}};

Meaning meaning_of_tapered(std::uint64_t code) {
  const bool negative = code >= 0x80;
  const std::uint64_t rest = code % 0x80;
  if (rest == 0x6F) return {.kind = Kind::kInfinity, .negative = negative, .magnitude = HUGE_VAL};
  if (rest == 0) return {.kind = negative ? Kind::kNan : Kind::kZero, .negative = negative};
  if (rest < 8) {
    const double magnitude = std::ldexp(1.0, static_cast<int>(rest) - 23);
    return {.kind = Kind::kSubnormal, .negative = negative, .magnitude = magnitude, .odd = true};
  }
  for (const TaperedRow& row : kTaperedRows) {
    if (rest >> (7 - row.prefix_bits) != row.prefix) continue;
    const std::uint64_t field = low_bits(rest >> row.fraction_bits, row.exponent_bits);
    const std::uint64_t fraction = low_bits(rest, row.fraction_bits);
    int exponent = 0;
    if (row.exponent_bits > 0) {
      const std::uint64_t leading = std::uint64_t{1} << (row.exponent_bits - 1);
      exponent = static_cast<int>(leading + field % leading);
      if (field >= leading) exponent = -exponent;
    }
    const double significand = 1 + std::ldexp(static_cast<double>(fraction), -row.fraction_bits);
    return {.kind = Kind::kNormal,
            .negative = negative,
            .magnitude = std::ldexp(significand, exponent),
            .odd = fraction % 2 == 1};
  }
  return {.kind = Kind::kNan};  // not reached: the prefixes cover all codes
}

Meaning meaning_of_integer(const Format& f, std::uint64_t code) {
  const int number = code < 128 ? static_cast<int>(code) : static_cast<int>(code) - 256;
  const Kind kind = number == 0 ? Kind::kZero : Kind::kNormal;
  return {.kind = kind,
          .negative = number < 0,
          .magnitude = std::ldexp(std::abs(number), -f.fraction_bits),
          .odd = number % 2 != 0};
}

}  // namespace

int Format::bits() const {
  if (scheme == Scheme::kTapered || scheme == Scheme::kInteger) return 8;
  return (has_sign() ? 1 : 0) + exponent_bits + fraction_bits;
}

Meaning meaning(const Format& format, std::uint64_t code) {
  switch (format.scheme) {
    case Scheme::kTapered: return meaning_of_tapered(code);
    case Scheme::kInteger: return meaning_of_integer(format, code);
    case Scheme::kPowers:
      if (code == 0xFF) return {.kind = Kind::kNan};
      return {.kind = Kind::kNormal, .magnitude = std::ldexp(1.0, static_cast<int>(code) - format.bias), .odd = true};
    default: return meaning_of_fields(format, code);
  }
}

std::vector<Format> formats_up_to_20_bits() {
  return {
      {"tf32", 8, 10, 127, Scheme::kIeee, 13},
      {"hf32", 8, 11, 127, Scheme::kIeee, 12},
      {"float16", 5, 10, 15, Scheme::kIeee},
      {"bfloat16", 8, 7, 127, Scheme::kIeee},
      {"float8_e4m3fn", 4, 3, 7, Scheme::kAllOnesNan},
      {"float8_e5m2", 5, 2, 15, Scheme::kIeee},
      {"float8_e4m3fnuz", 4, 3, 8, Scheme::kNegativeZeroNan},
      {"float8_e5m2fnuz", 5, 2, 16, Scheme::kNegativeZeroNan},
      {"float8_e4m3", 4, 3, 7, Scheme::kIeee},
      {"float8_e3m4", 3, 4, 3, Scheme::kIeee},
      {"float8_e4m3b11fnuz", 4, 3, 11, Scheme::kNegativeZeroNan},
      {"float6_e3m2fn", 3, 2, 3, Scheme::kAllNumbers},
      {"float6_e2m3fn", 2, 3, 1, Scheme::kAllNumbers},
      {"float4_e2m1fn", 2, 1, 1, Scheme::kAllNumbers},
      {"float4_e1m2", 1, 2, 1, Scheme::kAllNumbers},
      {"float8_e8m0fnu", 8, 0, 127, Scheme::kPowers},
      {"mxint8_element", 0, 6, 0, Scheme::kInteger},
      {"hifloat8", 0, 0, 0, Scheme::kTapered},
      // Not known by a name: laid out as IEEE 754 does.
      {"e5m3", 5, 3, 15, Scheme::kIeee},
      {"e6m9", 6, 9, 31, Scheme::kIeee},
      {"e2m5", 2, 5, 1, Scheme::kIeee},
      {"e7m1", 7, 1, 63, Scheme::kIeee},
  };
}

Grid grid_of(const Format& format, bool negative) {
  std::vector<std::pair<double, char>> numbers;
  for (std::uint64_t code = 0; code < std::uint64_t{1} << format.bits(); ++code) {
    const Meaning m = meaning(format, code);
    if (m.kind == Kind::kInfinity || m.kind == Kind::kNan) continue;
    if (m.kind == Kind::kZero || m.negative == negative) numbers.emplace_back(m.magnitude, m.odd ? 1 : 0);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  Grid grid;
  for (const auto& [magnitude, odd] : numbers) {
    grid.values.push_back(magnitude);
    grid.odd.push_back(odd);
  }
  // The spacing just below the largest goes on above it, except where each binade has one number.
  const double largest = grid.largest();
  const bool powers = format.scheme == Scheme::kPowers;
  // HiF8: the code of infinity, 0x6F, would be 1.5 · 2^15.
  const double spacing =
      format.scheme == Scheme::kTapered ? largest / 2 : largest - grid.values[grid.values.size() - 2];
  grid.beyond = powers ? 2 * largest : largest + spacing;
  int ignored = 0;
  const bool new_binade = std::frexp(grid.beyond, &ignored) == 0.5;
  grid.beyond_odd = powers || (!new_binade && grid.odd.back() == 0);
  return grid;
}

Grid grid_of(int precision, int emin, int emax, bool subnormals) {
  Grid grid;
  grid.values.push_back(0);
  grid.odd.push_back(0);
  const std::int64_t leading = std::int64_t{1} << (precision - 1);
  const auto add = [&](std::int64_t significand, int exponent) {
    grid.values.push_back(std::ldexp(static_cast<double>(significand), exponent - precision + 1));
    grid.odd.push_back(significand % 2 == 1 ? 1 : 0);
  };
  if (subnormals) {
    for (std::int64_t m = 1; m < leading; ++m) add(m, emin);
  }
  for (int e = emin; e <= emax; ++e) {
    for (std::int64_t m = leading; m < 2 * leading; ++m) add(m, e);
  }
  grid.beyond = std::ldexp(1.0, emax + 1);
  grid.beyond_odd = precision == 1;
  return grid;
}

Step round_magnitude(const Grid& grid, double magnitude, Mode mode, bool negative) {
  Step step;
  const auto after = std::upper_bound(grid.values.begin(), grid.values.end(), magnitude);
  if (after == grid.values.begin()) {  // no zero, and smaller than all
    return {.magnitude = grid.values.front(), .inexact = true, .away = true};
  }
  const auto at = static_cast<std::size_t>(after - grid.values.begin()) - 1;
  const double low = grid.values[at];
  step.magnitude = low;
  if (low == magnitude) return step;
  step.inexact = true;
  const bool past = after == grid.values.end();
  const double high = past ? grid.beyond : *after;
  const bool low_odd = grid.odd[at] != 0, high_odd = past ? grid.beyond_odd : grid.odd[at + 1] != 0;
  bool up = false;
  const double middle = low + (high - low) / 2;
  switch (mode) {
    // Both neighbours odd, as powers of two are with one bit of significand: to the larger.
    case Mode::kNearestEven: up = magnitude > middle || (magnitude == middle && low_odd); break;
    case Mode::kNearestAway: up = magnitude >= middle; break;
    case Mode::kTowardZero: up = false; break;
    case Mode::kUp: up = !negative; break;
    case Mode::kDown: up = negative; break;
    // Next to zero is an odd number, whatever its significand: that is what keeps small numbers from vanishing.
    case Mode::kToOdd: up = low == 0 || (!low_odd && high_odd); break;
  }
  const bool stops = mode == Mode::kTowardZero || mode == Mode::kToOdd || (mode == Mode::kUp && negative) ||
                     (mode == Mode::kDown && !negative);
  if (past && (up || magnitude >= high)) {
    step.beyond = true;
    step.stopped = stops;
    step.away = false;
    return step;
  }
  step.magnitude = up ? high : low;
  step.away = up;
  return step;
}

}  // namespace assay::oracle
