#pragma once
// What rounding adds to a sum across ranks, before a number is drawn. Essay: reduce_error.cpp.

#include <cstddef>

#include "assay/number_format.h"
#include "sim/all_reduce.h"

namespace assay {

/// What the numbers of the ranks have in common.
enum class Shards : std::uint8_t {
  kNoise,  // nothing: both signs, mean 0, all of one size
  kEqual,  // all: the same number on every rank, up to the last bits
};

/// Root mean square of the error of the sum over that of the sum. Numbers are rounded into the wire's format, then at
/// every addition; dividing by the number of ranks is left out. Precondition: check(how.collective) is content.
double expected_reduce_error(const AllReduce& how, Shards shards = Shards::kNoise);

/// The same of a sum of `terms` numbers one after the other, as micro-batches are accumulated.
double expected_running_error(const NumberFormat& format, std::size_t terms);

/// How far two orders of the same sum differ (rms over that of the sum), when both have that error.
double order_difference(double error);

}  // namespace assay
