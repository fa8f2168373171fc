#pragma once
// `assay float add`: a sum in a format, and what it swallows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/number_format.h"
#include "assay/report.h"
#include "num/round.h"
#include "study/float_show.h"

namespace assay {

/// sum + addend, both numbers of the format, rounded into it.
struct FloatAddition {
  double before = 0;
  FloatInFormat addend;
  Rounded after;
  Real exact;              // before + addend; to 128 bits
  double error = 0;        // after − (before + addend), of all bits; NaN where one of them is not finite
  bool swallowed() const;  // an addend that changed nothing
};

FloatAddition float_addition(double before, const FloatInFormat& addend, const RoundingRules& rules,
                             std::uint64_t index = 0);

/// The smallest positive number y of the format such that value + y (or, downwards, value − y) rounds to another number
/// than the value; a normal number where subnormal ones are flushed. Nothing where there is none; not for stochastic
/// rounding.
std::optional<double> smallest_that_survives(const NumberFormat& format, double value, bool downwards,
                                             const RoundingRules& rules);

enum class AddendOrder : std::uint8_t { kGiven, kIncreasing, kDecreasing };  // of magnitudes

struct FloatAdd {
  std::vector<std::string> values;  // two at least
  NumberFormat format;
  RoundingRules rules;
  AddendOrder order = AddendOrder::kGiven;
};
Result<Report> float_add(const FloatAdd& question);

}  // namespace assay
