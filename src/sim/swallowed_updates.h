#pragma once
// How many updates of an optimizer a narrow weight swallows, predicted.

#include <cstdint>
#include <functional>
#include <span>

#include "assay/number_format.h"
#include "num/round.h"
#include "sim/optimizer_step.h"

namespace assay {

/// P(|update| < x) of one step; both signs are equally likely.
using UpdateSizes = std::function<double(double)>;

UpdateSizes fixed_size(double size);
UpdateSizes normal_sizes(double deviation);
/// Of Adam and AdamW at that step (from 1), for gradients that are independent, normal and without a mean; weight decay
/// is left out.
UpdateSizes adam_sizes(const OptimizerSettings& settings, std::uint64_t step);

/// Expected share of weights that an update leaves as they are. `weight`: their format; the weights are N(0, deviation)
/// or the sample, rounded to nearest into it.
double swallowed_share(const NumberFormat& weight, double deviation, const UpdateSizes& sizes,
                       Rounding rounding = Rounding::kNearestEven);
double swallowed_share(const NumberFormat& weight, std::span<const double> sample, const UpdateSizes& sizes,
                       Rounding rounding = Rounding::kNearestEven);

/// By how much (one standard deviation) the first `steps` updates move a weight that takes all of them, for the same
/// gradients as adam_sizes.
double adam_walk(const OptimizerSettings& settings, std::uint64_t steps);

}  // namespace assay
