#pragma once
// `assay float cast`: a value through several formats, and what one conversion would have given.

#include <optional>
#include <string>
#include <vector>

#include "assay/number_format.h"
#include "assay/report.h"
#include "num/round.h"
#include "study/float_show.h"

namespace assay {

/// A value on its way: each step is the number that the one before gave, in the next format.
struct FloatChain {
  std::vector<FloatInFormat> steps;
  FloatInFormat direct;  // from what the chain began with to its last format
  bool several = false;  // there is more than one conversion, so that the two can differ
  /// Rounding more than once gave another number than rounding once.
  bool rounded_twice() const;
};

/// from: the format that the value is of to begin with; nothing: the number as it is written.
FloatChain float_chain(const FloatInput& input, const std::optional<NumberFormat>& from,
                       const std::vector<NumberFormat>& to, const RoundingRules& rules, std::uint64_t index = 0);

struct FloatCast {
  std::vector<std::string> values;
  std::optional<NumberFormat> from;
  std::vector<NumberFormat> to;  // one at least
  RoundingRules rules;
};
Result<Report> float_cast(const FloatCast& question);

}  // namespace assay
