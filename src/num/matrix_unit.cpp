// How matrix units sum.
//
// A step takes a group of products and the accumulator c and makes a new accumulator; K products are K / group steps.
// What vendors do inside a step is not documented; it was found by probing devices: Fasi, Higham, Mikaitis, Pranesh,
// "Numerical behavior of NVIDIA tensor cores", PeerJ CS 2021; Khattak, Mikaitis, arXiv 2512.07004; Xie, Wang, Yang,
// Yang, "MMA-Sim", arXiv 2511.10909. The kinds of steps (StepKind):
//
// fused (NVIDIA; AMD CDNA1 with nothing cut)
//   1. Products are exact and not normalised: 1.5 · 1.5 is 2.25 · 2^0. The exponent of a product is the sum of those
//      of its factors, where a subnormal number has the smallest normal exponent of its format and bits below 1.
//   2. All addends, c among them, are aligned to the largest of their exponents E and cut to multiples of 2^(E - F).
//      Products that are zero have no exponent, c has at least the smallest normal one of the accumulator.
//   3. The sum of what is left is exact, and rounded once into the accumulator.
// staged (AMD CDNA3)
//   Products are aligned, cut toward zero and summed so, without c. That sum, with the exponent E of step 2, then meets
//   c: both are aligned to the larger exponent, the sum is rounded down to late_bits, c down to F, and the result is
//   rounded. FP8: products of even and of odd places are aligned apart and meet first, rounded down to F; there a c
//   that lies wholly below its last bit counts as zero, where rounding down would have made -1 of a negative one.
// pairs (AMD CDNA2): floating-point operations one by one. Products are rounded, then (p0 + p1) + (p2 + p3), then c +.
// lanes (Intel AMX with two lanes and BF16; dot products of vector units)
//   Each lane is a chain of fused multiply-adds from zero over its products; the lanes are then summed and added to c.
// fma, multiply-add: what a CPU or a vector unit does in the order of k.
//
// Special values, in all of them:
//   infinities, NaN   as IEEE 754 has sums: NaN where there is one, or infinities of both signs, or 0 · infinity. Which
//                     pattern a NaN has differs by vendor and is not emulated.
//   overflow          judged after rounding; the result is infinite also where rounding is toward zero (IEEE 754 would
//                     stop at the largest number; the units do not), or as unit.overflow says.
//   zero              fused and staged: an exact sum of zero is +0, because it is a whole number; what rounds to zero
//                     keeps its sign. The others: as IEEE 754.
//   c far above       every product may be cut to nothing; then the result is c.
//
// How it is computed. Every input is a double and every product of two is exact in one. For fused and staged steps rows
// lie side by side in vectors (matrix_unit_kernels.cpp): with F <= 40 and 64 products all sums fit into 53 bits. With
// nothing cut the sum is tried in doubles, and where TwoSum says that something was lost it is done again with
// ExactSum. Sums of two are rounded to odd in double first, so that the rounding that follows is that of the exact sum.
// Rounding into the accumulator is Rounder's, into a format without an upper end, so that overflow can be judged here.
// The tests hold all of it to a twin that works with whole numbers.

#include "num/matrix_unit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "num/exact_sum.h"
#include "num/format.h"
#include "num/matrix_unit_plan.h"
#include "num/rounder.h"

namespace assay {

namespace {

constexpr std::size_t kRows = 256;  // that are worked on at once: their sums stay in the nearest cache

// Rounds results of steps into the accumulator.
class StepRounder {
 public:
  explicit StepRounder(const MatrixUnit& unit)
      : overflow_(unit.overflow),
        largest_(largest(unit.accumulator)),
        rounder_(without_end(unit.accumulator),
                 {.rounding = unit.rounding,
                  .overflow = unit.overflow == Overflow::kAscend ? Overflow::kAscend : Overflow::kInfinity,
                  .flush_outputs = unit.flush_outputs}) {}

  void operator()(std::size_t count, const double* in, double* out) const {
    rounder_(std::span(in, count), std::span(out, count));
    const double beyond = overflow_ == Overflow::kInfinity ? HUGE_VAL
                          : overflow_ == Overflow::kNan    ? std::numeric_limits<double>::quiet_NaN()
                                                           : largest_;
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = std::fabs(out[i]) > largest_ ? std::copysign(beyond, out[i]) : out[i];
    }
  }

 private:
  static NumberFormat without_end(NumberFormat format) {
    format.emax = std::numeric_limits<double>::max_exponent - 1;
    format.bits = 0;
    return format;
  }

  Overflow overflow_;
  double largest_;
  Rounder rounder_;
};

// Some rows of a and b, and their accumulators.
struct Rows {
  std::size_t count = 0;
  std::size_t stride = 0;  // from one k to the next
  const double* a = nullptr;
  const double* b = nullptr;
  double* c = nullptr;
};

double exact_step(const Rows& rows, std::size_t r, std::size_t products) {
  ExactSum sum;
  sum.add(rows.c[r]);
  for (std::size_t k = 0; k < products; ++k) sum.add(rows.a[k * rows.stride + r] * rows.b[k * rows.stride + r]);
  return round_to(number_formats().front(), sum.value(), {.rounding = Rounding::kToOdd}).value;
}

FusedPlan plan_of(const MatrixUnit& unit) {
  return {.alignment = unit.alignment,
          .fraction_bits = unit.fraction_bits,
          .late_alignment = unit.late_alignment,
          .late_bits = unit.late_bits,
          .beyond = std::ldexp(1.0, unit.accumulator.emax + 1),
          .least_input = smallest_normal(unit.input),
          .least_accumulator = smallest_normal(unit.accumulator)};
}

void fused_step(const MatrixUnit& unit, const Rows& rows, std::size_t products, double* sums) {
  if (unit.fraction_bits != kNothingCut) {
    return fused_sums(plan_of(unit), rows.count, rows.stride, products, rows.a, rows.b, rows.c, sums);
  }
  double error[kRows];
  plain_sums(rows.count, rows.stride, products, rows.a, rows.b, rows.c, sums, error);
  for (std::size_t r = 0; r < rows.count; ++r) {
    if (error[r] != 0 && std::isfinite(sums[r])) sums[r] = exact_step(rows, r, products);
  }
}

void staged_step(const MatrixUnit& unit, const Rows& rows, std::size_t products, double* sums) {
  const FusedPlan plan = plan_of(unit);
  double powers[kRows];
  if (unit.interleaved == 1) {
    staged_products(plan, rows.count, rows.stride, products, rows.a, rows.b, sums, powers);
    return staged_results(plan, rows.count, sums, powers, rows.c, false, sums);
  }
  double odd_sums_of[kRows];
  double odd_powers[kRows];
  const std::size_t stride = 2 * rows.stride;
  staged_products(plan, rows.count, stride, (products + 1) / 2, rows.a, rows.b, sums, powers);
  staged_products(plan, rows.count, stride, products / 2, rows.a + rows.stride, rows.b + rows.stride, odd_sums_of,
                  odd_powers);
  staged_sets(plan, rows.count, sums, powers, odd_sums_of, odd_powers);
  staged_results(plan, rows.count, sums, powers, rows.c, true, sums);
}

// p0 + p1, p2 + p3, …, then sums of those: `held` has `products` rows of rows.count, the first is the result.
void sum_pairs(const StepRounder& rounder, std::size_t rows, std::size_t products, double* held) {
  for (std::size_t width = 1; width < products; width *= 2) {
    for (std::size_t k = 0; k + width < products; k += 2 * width) {
      double* const left = held + k * kRows;
      odd_sums(rows, left, left + width * kRows, left);
      rounder(rows, left, left);
    }
  }
}

void pairs_step(const MatrixUnit& unit, const StepRounder& rounder, const Rows& rows, std::size_t products,
                std::vector<double>& held, double* sums) {
  const auto group = static_cast<std::size_t>(unit.group);
  held.assign(group * kRows, 0);
  for (std::size_t k = 0; k < products; ++k) {
    double* const to = held.data() + k * kRows;
    for (std::size_t r = 0; r < rows.count; ++r) to[r] = rows.a[k * rows.stride + r] * rows.b[k * rows.stride + r];
    rounder(rows.count, to, to);
  }
  sum_pairs(rounder, rows.count, group, held.data());
  odd_sums(rows.count, rows.c, held.data(), sums);
}

void lanes_step(const MatrixUnit& unit, const StepRounder& rounder, const Rows& rows, std::size_t products,
                std::vector<double>& held, double* sums) {
  const auto lanes = static_cast<std::size_t>(unit.interleaved);
  held.assign(lanes * kRows, 0);
  double product[kRows];
  for (std::size_t k = 0; k < products; ++k) {
    double* const lane = held.data() + k % lanes * kRows;
    for (std::size_t r = 0; r < rows.count; ++r) {
      product[r] = rows.a[k * rows.stride + r] * rows.b[k * rows.stride + r];
    }
    odd_sums(rows.count, lane, product, lane);
    rounder(rows.count, lane, lane);
  }
  sum_pairs(rounder, rows.count, lanes, held.data());
  odd_sums(rows.count, rows.c, held.data(), sums);
}

// Products are exact in FP64, and a sum in FP64 is the processor's own.
bool is_double(const MatrixUnit& unit) { return unit.accumulator.precision == std::numeric_limits<double>::digits; }

void chain_step(const MatrixUnit& unit, const StepRounder& rounder, const Rows& rows, double* sums) {
  double product[kRows];
  for (std::size_t r = 0; r < rows.count; ++r) product[r] = rows.a[r] * rows.b[r];
  if (is_double(unit)) {
    for (std::size_t r = 0; r < rows.count; ++r) sums[r] = rows.c[r] + product[r];
    return;
  }
  if (unit.step == StepKind::kMultiplyAdd) rounder(rows.count, product, product);
  odd_sums(rows.count, rows.c, product, sums);
}

// Subnormal numbers of a format become +0.
void flush(const NumberFormat& format, std::size_t count, const double* in, double* out) {
  const double least = smallest_normal(format);
  for (std::size_t i = 0; i < count; ++i) out[i] = std::fabs(in[i]) < least ? 0 : in[i];
}

// All steps of up to kRows rows.
void all_steps(const MatrixUnit& unit, const StepRounder& rounder, std::size_t length, Rows rows) {
  const auto group = static_cast<std::size_t>(unit.group);
  std::vector<double> held;
  double sums[kRows];
  for (std::size_t first = 0; first < length; first += group) {
    const std::size_t products = std::min(group, length - first);
    if (unit.flush_inputs) flush(unit.accumulator, rows.count, rows.c, rows.c);
    switch (unit.step) {
      case StepKind::kFused: fused_step(unit, rows, products, sums); break;
      case StepKind::kStaged: staged_step(unit, rows, products, sums); break;
      case StepKind::kLanes: lanes_step(unit, rounder, rows, products, held, sums); break;
      case StepKind::kPairs: pairs_step(unit, rounder, rows, products, held, sums); break;
      case StepKind::kFma:
      case StepKind::kMultiplyAdd: chain_step(unit, rounder, rows, sums); break;
    }
    if (is_double(unit)) {
      std::copy_n(sums, rows.count, rows.c);
    } else {
      rounder(rows.count, sums, rows.c);
    }
    rows.a += group * rows.stride;
    rows.b += group * rows.stride;
  }
}

bool is_accumulator(const NumberFormat& format) {
  return format.precision >= 2 && format.precision <= 32 && format.emin >= -300 && format.emax <= 300 &&
         format.has_sign && format.has_zero && format.infinities == Infinities::kAllOnes;
}

bool cuts(Rounding mode) {
  return mode == Rounding::kTowardZero || mode == Rounding::kDown || mode == Rounding::kUp ||
         mode == Rounding::kNearestEven;
}

bool bits_fit(int bits) { return bits == kNothingCut || (bits >= 2 && bits <= kMostFractionBits); }

const char* fault_of_step(const MatrixUnit& unit) {
  const bool one_by_one = unit.step == StepKind::kFma || unit.step == StepKind::kMultiplyAdd;
  if (one_by_one && unit.group != 1) return "a chain takes products one by one: the group is 1";
  if (unit.step == StepKind::kLanes) {
    return unit.interleaved >= 1 && unit.interleaved <= unit.group ? nullptr : "there are 1 to g lanes";
  }
  if (unit.step != StepKind::kStaged) {
    return unit.interleaved == 1 ? nullptr : "only a step with lanes, or a staged one, has sets of products";
  }
  if (unit.fraction_bits == kNothingCut || unit.late_bits == kNothingCut) {
    return "a staged step cuts twice: F and late are 2 to 40 bits";
  }
  if (!cuts(unit.late_alignment)) return "addends are cut toward zero, down, up or to nearest even";
  return unit.interleaved == 1 || unit.interleaved == 2 ? nullptr : "products are aligned in 1 or 2 sets";
}

}  // namespace

const char* fault_of(const MatrixUnit& unit) {
  if (unit.input.precision < 1 || unit.input.precision > 24) return "inputs have a significand of 1 to 24 bits";
  if (unit.input.emin < -300 || unit.input.emax > 300) return "inputs lie between 2^-300 and 2^300";
  const bool chain = unit.step == StepKind::kFma || unit.step == StepKind::kMultiplyAdd;
  const bool fp64 = is_double(unit) && unit.accumulator.emax == std::numeric_limits<double>::max_exponent - 1;
  if (fp64 && (!chain || unit.rounding != Rounding::kNearestEven || unit.flush_outputs)) {
    return "with an accumulator in FP64 only chains are emulated, rounded to nearest even, nothing flushed";
  }
  if (!fp64 && !is_accumulator(unit.accumulator)) {
    return "an accumulator is a format with sign, zero and infinities, a significand of 2 to 32 bits, and exponents "
           "from -300 to 300";
  }
  if (unit.rounding == Rounding::kStochastic) return "stochastic rounding of the accumulator is not emulated";
  if (unit.has_output() && (unit.output.precision > 32 || !unit.output.has_sign || !unit.output.has_zero)) {
    return "an output format has sign and zero and a significand of up to 32 bits";
  }
  if (unit.group < 1 || unit.group > kMostProducts) return "a group has 1 to 64 products";
  if (!bits_fit(unit.fraction_bits) || !bits_fit(unit.late_bits)) return "addends keep 2 to 40 bits, or all of them";
  if (!cuts(unit.alignment)) return "addends are cut toward zero, down, up or to nearest even";
  return fault_of_step(unit);
}

void multiply_accumulate(const MatrixUnit& unit, std::size_t rows, std::size_t length, const double* a, const double* b,
                         double* accumulator) {
  const StepRounder rounder(unit);
  std::vector<double> left, right;
  for (std::size_t first = 0; first < rows; first += kRows) {
    Rows some{.count = std::min(kRows, rows - first),
              .stride = rows,
              .a = a + first,
              .b = b + first,
              .c = accumulator + first};
    if (unit.flush_inputs) {
      left.resize(length * kRows);
      right.resize(length * kRows);
      for (std::size_t k = 0; k < length; ++k) {
        flush(unit.input, some.count, some.a + k * rows, left.data() + k * kRows);
        flush(unit.input, some.count, some.b + k * rows, right.data() + k * kRows);
      }
      some.a = left.data();
      some.b = right.data();
      some.stride = kRows;
    }
    all_steps(unit, rounder, length, some);
  }
}

void to_input(const MatrixUnit& unit, std::size_t count, double* values) {
  if (unit.input.unused_bits == 0) return;
  const Rounder rounder(unit.input, {.rounding = Rounding::kTowardZero});
  rounder(std::span(values, count), std::span(values, count));
}

void to_output(const MatrixUnit& unit, std::size_t count, double* values) {
  if (!unit.has_output()) return;
  const Rounder rounder(unit.output, {.overflow = unit.overflow, .flush_outputs = unit.flush_outputs});
  rounder(std::span(values, count), std::span(values, count));
}

}  // namespace assay
