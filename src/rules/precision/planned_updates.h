#pragma once
// How large a plan's updates are, and how many of them a narrow weight swallows. Essay: update_swallowed.cpp.

#include <optional>

#include "assay/number_format.h"
#include "num/round.h"
#include "rules/plan.h"

namespace assay {

struct PlannedUpdates {
  double rate = 0;          // at the peak
  double deviation = 0.02;  // of the weights: as they are initialised, else the usual one
  double beta1 = 0.9;
  bool lion = false;                  // else Adam
  std::optional<Planned> by_default;  // the rate, where it is the framework's
};

/// Nothing where the optimizer's updates are not told by the rate, or the rate is not known.
std::optional<PlannedUpdates> planned_updates(const Plan& plan);

/// The share of updates at a rate that leave a weight of the format as it is, gradients being mostly noise.
double swallowed_at(const PlannedUpdates& updates, const NumberFormat& weight, double rate,
                    Rounding rounding = Rounding::kNearestEven);

/// What keeps the lost part of an update, or rounds so that it acts on average: then nothing is swallowed. Null: none.
const Setting* keeps_the_rest(const Plan& plan);

}  // namespace assay
