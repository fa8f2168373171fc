// Which models are tried.
//
// The family spans what has been found in devices (num/matrix_unit.cpp) and what stands between: every group of a power
// of two up to the length of the rows, every number of fraction bits from 7 to 36 and all of them, three ways to cut,
// four to round; then AMD's staged steps and pairs, and chains as CPUs and vector units have them. That is some
// thousands of models, at less than a nanosecond a product.
//
// The accumulator need not be searched: the results have as many bits as it has. Their longest significand is its
// precision (a random result ends in a 1 half of the time, so a hundred rows leave no doubt), and where that is short
// enough for FP16 or BF16 the results may as well have been rounded to it at the end, from FP32: both are tried.

#include "study/unit_family.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "num/double_bits.h"

namespace assay {

namespace {

constexpr int kLeastBits = 7;
constexpr int kMostBits = 36;

NumberFormat format(std::string_view name) { return number_format(name).value_or(NumberFormat{}); }

// What results of that kind can have been added up in, and rounded to at the end.
struct Destination {
  NumberFormat accumulator;
  NumberFormat output;
};

std::vector<Destination> destinations(const ResultFacts& facts) {
  const NumberFormat fp32 = format("fp32");
  if (facts.precision > 16) return {{fp32, {}}};
  std::vector<Destination> out;
  for (const std::string_view name : {"bf16", "fp16"}) {
    const NumberFormat narrow = format(name);
    const bool fits = facts.precision <= narrow.precision && facts.largest_exponent <= narrow.emax &&
                      facts.least_exponent >= narrow.emin - narrow.precision + 1;
    if (!fits) continue;
    out.push_back({fp32, narrow});
    out.push_back({format("e8m13"), narrow});
    out.push_back({narrow, {}});
  }
  // Few bits may be the data's doing: sums of small whole numbers.
  out.push_back({format("e8m13"), {}});
  if (facts.precision >= kLeastBits && facts.precision != out.back().accumulator.precision) {
    out.push_back({format("e8m" + std::to_string(facts.precision - 1)), {}});
  }
  out.push_back({fp32, {}});
  return out;
}

// Sums in FP64, rounded at the end: what emulations do.
void add_double_chain(std::vector<MatrixUnit>& out, MatrixUnit unit) {
  unit.step = StepKind::kFma;
  unit.accumulator = format("fp64");
  unit.rounding = Rounding::kNearestEven;
  if (!unit.has_output()) unit.output = format("fp32");
  out.push_back(std::move(unit));
}

std::vector<int> groups(std::size_t length) {
  std::vector<int> out{static_cast<int>(std::min<std::size_t>(length, kMostProducts))};
  for (int group = kMostProducts; group >= 1; group /= 2) {
    if (static_cast<std::size_t>(group) < length && group != out.front()) out.push_back(group);
  }
  return out;
}

void add_fused(std::vector<MatrixUnit>& out, MatrixUnit unit, std::size_t length) {
  unit.step = StepKind::kFused;
  for (const int group : groups(length)) {
    unit.group = group;
    for (int bits = kMostBits + 1; bits >= kLeastBits; --bits) {
      unit.fraction_bits = bits > kMostBits ? kNothingCut : bits;
      for (const Rounding cut : {Rounding::kTowardZero, Rounding::kDown, Rounding::kNearestEven}) {
        if (unit.fraction_bits == kNothingCut && cut != Rounding::kTowardZero) continue;
        unit.alignment = cut;
        out.push_back(unit);
      }
    }
  }
}

void add_chains(std::vector<MatrixUnit>& out, MatrixUnit unit) {
  unit.group = 1;
  for (const StepKind step : {StepKind::kFma, StepKind::kMultiplyAdd}) {
    unit.step = step;
    out.push_back(unit);
  }
}

void add_lanes(std::vector<MatrixUnit>& out, MatrixUnit unit, std::size_t length) {
  unit.step = StepKind::kLanes;
  for (const int group : groups(length)) {
    unit.group = group;
    for (unit.interleaved = 1; unit.interleaved < group && unit.interleaved <= 32; unit.interleaved *= 2) {
      out.push_back(unit);
    }
  }
}

void add_others(std::vector<MatrixUnit>& out, MatrixUnit unit, std::size_t length) {
  unit.step = StepKind::kPairs;
  for (const int group : groups(length)) {
    unit.group = group;
    if (group > 1) out.push_back(unit);
  }
  unit.step = StepKind::kStaged;
  for (const int group : groups(length)) {
    unit.group = group;
    for (const auto& [bits, late] : {std::pair(24, 31), std::pair(23, 31), std::pair(25, 31), std::pair(24, 24)}) {
      unit.fraction_bits = bits;
      unit.late_bits = late;
      for (unit.interleaved = 1; unit.interleaved <= std::min(2, group); ++unit.interleaved) out.push_back(unit);
    }
  }
}

}  // namespace

ResultFacts facts_of(const UnitRows& rows) {
  ResultFacts out;
  for (const double d : rows.d) {
    if (!std::isfinite(d)) {
      ++out.non_finite;
      continue;
    }
    if (d == 0) continue;
    const DoubleParts parts = parts_of(d);
    const int zeros = std::countr_zero(parts.whole);
    const int top = std::ilogb(d);
    const int bottom = parts.exponent + zeros;
    out.precision = std::max(out.precision, top - bottom + 1);
    out.largest_exponent = out.any_finite ? std::max(out.largest_exponent, top) : top;
    out.least_exponent = out.any_finite ? std::min(out.least_exponent, bottom) : bottom;
    out.any_finite = true;
  }
  return out;
}

std::vector<MatrixUnit> unit_family(const UnitRows& rows, const NumberFormat& input) {
  std::vector<MatrixUnit> out;
  MatrixUnit unit;
  unit.input = input;
  for (Destination& destination : destinations(facts_of(rows))) {
    unit.accumulator = std::move(destination.accumulator);
    unit.output = std::move(destination.output);
    for (const Rounding mode :
         {Rounding::kTowardZero, Rounding::kNearestEven, Rounding::kDown, Rounding::kNearestAway}) {
      unit.rounding = mode;
      add_chains(out, unit);
      add_fused(out, unit, rows.length);
      add_lanes(out, unit, rows.length);
      add_others(out, unit, rows.length);
    }
    if (unit.accumulator.name == "fp32") add_double_chain(out, unit);
  }
  return out;
}

std::vector<MatrixUnit> variants_of(const MatrixUnit& unit) {
  std::vector<MatrixUnit> out;
  for (int changes = 0; changes <= 3; ++changes) {
    for (const bool inputs : {unit.flush_inputs, !unit.flush_inputs}) {
      for (const bool outputs : {unit.flush_outputs, !unit.flush_outputs}) {
        for (const Overflow overflow : {Overflow::kInfinity, Overflow::kSaturate, Overflow::kAscend}) {
          const int changed = (inputs != unit.flush_inputs ? 1 : 0) + (outputs != unit.flush_outputs ? 1 : 0) +
                              (overflow != unit.overflow ? 1 : 0);
          if (changed != changes) continue;
          out.push_back(unit);
          out.back().flush_inputs = inputs;
          out.back().flush_outputs = outputs;
          out.back().overflow = overflow;
        }
      }
    }
  }
  return out;
}

}  // namespace assay
