#pragma once
// `assay float between`: how many numbers of a format lie between two.

#include <cstdint>
#include <string>

#include "assay/number_format.h"
#include "assay/report.h"
#include "num/round.h"
#include "study/float_show.h"

namespace assay {

/// The places of two numbers in the order of all numbers of the format.
struct FloatDistance {
  FloatInFormat from;
  FloatInFormat to;
  std::int64_t from_ordinal = 0;
  std::int64_t to_ordinal = 0;
  std::uint64_t steps = 0;    // of next_up from one to the other; FP64 has nearly 2^64
  std::uint64_t between = 0;  // strictly
};
/// Error kUsage: NaN has no place.
Result<FloatDistance> float_distance(const FloatInFormat& from, const FloatInFormat& to);

struct FloatBetween {
  std::string from;
  std::string to;
  NumberFormat format;
  RoundingRules rules;
};
Result<Report> float_between(const FloatBetween& question);

}  // namespace assay
