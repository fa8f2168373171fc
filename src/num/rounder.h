#pragma once
// Rounding of arrays, with vectors. The same bits as round_to, on every processor.

#include <cstdint>
#include <span>

#include "num/round.h"
#include "num/round_plan.h"

namespace assay {

/// Rounds many numbers into one format. Cheap to make; const calls may run at once.
class Rounder {
 public:
  /// `from`: the format that the inputs are of, for flush_inputs; nothing else depends on it. Null: that of the array.
  Rounder(const NumberFormat& to, const RoundingRules& rules, const NumberFormat* from = nullptr);

  /// out[i] = round_to(to, in[i], rules, first + i).value. The spans have one size and may be the same array.
  /// Precondition of the float form: every number of the format is a float (fits_float).
  void operator()(std::span<const float> in, std::span<float> out, std::uint64_t first = 0) const;
  void operator()(std::span<const double> in, std::span<double> out, std::uint64_t first = 0) const;

  const NumberFormat& format() const { return to_; }
  const RoundingRules& rules() const { return rules_; }

 private:
  template <typename Float>
  void run(const RoundPlan<Float>& plan, std::span<const Float> in, std::span<Float> out, std::uint64_t first) const;

  NumberFormat to_;
  RoundingRules rules_;
  NumberFormat from_;
  bool from_array_ = true;
  RoundPlan<float> floats_;
  RoundPlan<double> doubles_;
};

/// Whether all numbers of the format are floats.
bool fits_float(const NumberFormat& format);

}  // namespace assay
