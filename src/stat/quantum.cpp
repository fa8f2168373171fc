// The print quantum.
//
// Why: a log that prints 2.31, 2.31, 2.31, 2.32 has a median absolute deviation of zero, and its first 2.33 is then
// "infinitely many sigma" off. The floor that cures this is the step to which the values were rounded, and the values
// tell it themselves. A second rounding may lie under the first: a loss computed in bfloat16 has 8 significant bits
// (steps of 0.0156 between 2 and 4) however many digits are printed, which is also a finding in itself.
//
// Decimal: the shortest decimal that reads back as the same double (std::to_chars) is what the logger printed, less
// trailing zeros, as long as it printed at most 15 digits. The longest over all values gives the format. A logger has
// either fixed decimals or fixed significant digits; with D the most decimals and S the most digits seen, the step at v
// is max(10^-D, 10^(floor(log10 |v|) - S + 1)) in both cases: with fixed decimals the second term never exceeds the
// first, with fixed digits the first is that of the smallest value.
//
// Binary: a value printed as v with step q fits p bits if some p-bit number would print as v, that is, if the nearest
// p-bit number is within q / 2. With s the spacing of p-bit numbers at v, a value that was never rounded to p bits fits
// by chance with probability min(1, q / s). So integers, halves and short decimals carry no information (q >= s), and
// each informative distinct value that fits adds log2(s / q) bits of evidence; repeats of one value add nothing.
// One that does not fit costs log2(0.01 / (1 - q / s)): one in a hundred is allowed for (a logger that mixes sources).
// Values on a coarser grid (multiples of 1/4, a bfloat16 tested as float16) fit too, but never need the last bit: of
// values truly rounded to p bits about half have it set. That is asked for as well.
// Limits: means of several rounded values fit no narrow format; a constant series gives no evidence; a fixed grid of a
// power of two (accuracy in steps of 1/4 %) that stays between 2^e and 2^(e+1) cannot be told from a narrow format.

#include "stat/quantum.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace assay {
namespace {

struct Digits {
  int count;     // significant digits of the shortest decimal
  int exponent;  // of its first digit
};

/// `value` is finite and not zero.
Digits shortest_digits(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific).ptr;
  const char* mark = std::find(text, end, 'e');
  Digits out{.count = static_cast<int>(mark - text), .exponent = 0};
  if (out.count > 1) --out.count;  // the point
  const char* sign = mark + 1;
  std::from_chars(*sign == '+' ? sign + 1 : sign, end, out.exponent);
  return out;
}

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

/// Different absolute values, ascending, without zero, of up to 2 kQuantumSample evenly spaced records.
std::vector<double> distinct_magnitudes(std::span<const double> values) {
  std::vector<double> out;
  const std::size_t stride = std::max<std::size_t>(1, values.size() / kQuantumSample);
  out.reserve(values.size() / stride + 1);
  for (std::size_t i = 0; i < values.size(); i += stride) {
    if (std::isfinite(values[i]) && values[i] != 0.0) out.push_back(std::abs(values[i]));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Distance of neighbouring numbers with `bits` significant bits around a magnitude.
double spacing(double magnitude, int bits, double min_spacing) {
  return std::max(std::ldexp(1.0, std::ilogb(magnitude) - bits + 1), min_spacing);
}

std::optional<DecimalQuantum> decimal_of(const std::vector<double>& distinct) {
  if (distinct.empty()) return std::nullopt;
  DecimalQuantum out{.decimals = -400, .distinct = distinct.size()};
  for (const double magnitude : distinct) {
    const Digits digits = shortest_digits(magnitude);
    out.decimals = std::max(out.decimals, digits.count - 1 - digits.exponent);
    out.digits = std::max(out.digits, digits.count);
  }
  return out;
}

BinaryQuantum fit_of(const std::vector<double>& distinct, int bits, double min_spacing, const DecimalQuantum& printed) {
  constexpr double kStrays = 0.01;
  BinaryQuantum out{.bits = bits};
  for (const double magnitude : distinct) {
    const double step = printed.step_at(magnitude);
    const double grid = spacing(magnitude, bits, min_spacing);
    const double chance = step / grid;
    if (!(chance < 0.5)) continue;
    ++out.informative;
    const double steps = std::nearbyint(magnitude / grid);
    // A tie of the printed digit and the rounding of the decimal to double must not count against the fit.
    const double slack = 1e-6 * step + 4e-16 * magnitude;
    if (std::abs(steps * grid - magnitude) > 0.5 * step + slack) {
      out.evidence += std::log2(kStrays / (1.0 - chance));
      continue;
    }
    ++out.on_grid;
    // Printing more digits than a double has adds nothing that could be trusted.
    out.evidence += std::min(50.0, -std::log2(chance));
    if (std::fmod(steps, 2.0) != 0.0) ++out.last_bit_set;
  }
  return out;
}

}  // namespace

double DecimalQuantum::step() const { return power_of_ten(-decimals); }

double DecimalQuantum::step_at(double value) const {
  if (!std::isfinite(value) || value == 0.0) return step();
  return std::max(step(), power_of_ten(shortest_digits(value).exponent - digits + 1));
}

double BinaryQuantum::step_at(double value) const {
  if (!std::isfinite(value) || value == 0.0) return 0.0;
  return spacing(std::abs(value), bits, 0.0);
}

bool BinaryQuantum::convincing() const {
  return evidence >= 30.0 && on_grid * 100 >= informative * 98 && last_bit_set >= 2 && last_bit_set * 5 >= on_grid;
}

double Quantum::step_at(double value) const {
  const double step = decimal.step_at(value);
  return binary ? std::max(step, binary->step_at(value)) : step;
}

std::optional<DecimalQuantum> decimal_quantum(std::span<const double> values) {
  return decimal_of(distinct_magnitudes(values));
}

BinaryQuantum binary_fit(std::span<const double> values, int bits, double min_spacing, const DecimalQuantum& printed) {
  return fit_of(distinct_magnitudes(values), std::clamp(bits, 2, 24), min_spacing, printed);
}

std::optional<Quantum> find_quantum(std::span<const double> values) {
  const std::vector<double> distinct = distinct_magnitudes(values);
  const auto printed = decimal_of(distinct);
  if (!printed) return std::nullopt;
  Quantum out{.decimal = *printed, .binary = std::nullopt};
  constexpr struct {
    int bits;
    double min_spacing;
  } kFormats[] = {{8, 0.0}, {11, 0x1p-24}};
  for (const auto& format : kFormats) {
    const BinaryQuantum fit = fit_of(distinct, format.bits, format.min_spacing, *printed);
    if (!fit.convincing()) continue;
    out.binary = fit;
    break;
  }
  return out;
}

}  // namespace assay
