// An addition in a format, and the smallest addend that does not vanish in it.
//
// Rounding to nearest, an addend that is smaller than half the spacing of the numbers around the sum changes nothing:
// it is swallowed. At half the spacing the tie decides, so it depends on the last bit of the sum whether it survives.
// The smallest that does is found by asking the rounding itself: whether value + y still rounds to the value is
// monotone in y for every rounding that is not random, so a binary search over the format's positive numbers, in their
// order, finds the first for which it does not, in at most 63 roundings, for any format, rounding and neighbourhood.

#include <cmath>
#include <limits>

#include "num/codes.h"
#include "num/exact_sum.h"
#include "num/format.h"
#include "study/float_add.h"

namespace assay {

namespace {

bool flushes(const RoundingRules& rules) { return rules.flush_inputs || rules.flush_outputs; }

// What an addition makes of a number of the format before it adds.
struct Operand {
  const NumberFormat& format;
  const RoundingRules& rules;
  Real operator()(double value) const { return rules.flush_inputs ? flushed(format, real(value)) : real(value); }
};

}  // namespace

bool FloatAddition::swallowed() const {
  if (!std::isfinite(before) || !std::isfinite(addend.stored()) || before == 0 || addend.stored() == 0) return false;
  return after.value == before || after.value == addend.stored();
}

FloatAddition float_addition(double before, const FloatInFormat& addend, const RoundingRules& rules,
                             std::uint64_t index) {
  const Operand operand{addend.format, rules};
  FloatAddition out;
  out.before = before;
  out.addend = addend;
  out.exact = sum(real(before), real(addend.stored()));
  const Real added = sum(operand(before), operand(addend.stored()));
  out.after = round_to(addend.format, added, rules, index);
  if (out.exact.finite()) out.after.inexact = out.after.inexact || compare(added, out.exact) != 0;
  out.error = std::numeric_limits<double>::quiet_NaN();
  if (!out.exact.finite() || !std::isfinite(out.after.value)) return out;
  // With all bits: of 1 + 1e-300 the 128 bits of a Real have only the mark left.
  ExactSum error;
  for (const double term : {out.after.value, -before, -addend.stored()}) error.add(term);
  out.error = to_double(error.value());
  return out;
}

std::optional<double> smallest_that_survives(const NumberFormat& format, double value, bool downwards,
                                             const RoundingRules& rules) {
  if (rules.rounding == Rounding::kStochastic) return std::nullopt;
  const Operand operand{format, rules};
  const auto survives = [&](std::int64_t place) {
    const double y = *at_ordinal(format, place);
    return round_to(format, sum(operand(value), operand(downwards ? -y : y)), rules).value != value;
  };
  std::int64_t low = flushes(rules) ? ordinal(format, smallest_normal(format)) : 1;
  std::int64_t high = ordinal(format, largest(format));
  if (!survives(high)) return std::nullopt;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (survives(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return at_ordinal(format, low);
}

}  // namespace assay
