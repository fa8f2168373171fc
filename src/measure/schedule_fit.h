#pragma once
// Which curve a learning rate follows on its way down. Essay in schedule_fit.cpp.

#include <cstdint>
#include <optional>
#include <span>

namespace assay {

enum class DecayForm : std::uint8_t {
  kNone,  // constant
  kLinear,
  kCosine,
  kInverseSquareRoot,  // 1 / rate^2 is a line
  kExponential,
  kSquareRoot,  // of WSD: 1 - sqrt(x)
  kSteps,       // a few levels
  kRestarts,    // it climbs back, once or more
  kUnclear      // it falls, but too little, or along no known curve
};

/// A point of the curve: steps since the decay began, and the share of the peak.
struct DecayPoint {
  double x = 0;
  double y = 1;
};

struct DecayFit {
  DecayForm form = DecayForm::kUnclear;
  double error = 0;           // greatest distance of a point, in shares of the peak
  std::optional<double> end;  // x at which it comes to `floor`; of forms that have an end
  double floor = 0;           // share of the peak: the one that was passed in, or the one that fits
};

/// The form that fits best. floor: the share of the peak at which it ends, where known. tolerance: distance that
/// printing alone makes, in shares of the peak. Points by rising x; from four on, else kUnclear.
DecayFit fit_decay(std::span<const DecayPoint> points, std::optional<double> floor, double tolerance);

/// Where a curve of this form through these points ends if it ends at `floor`; nothing for forms without an end.
std::optional<double> decay_end(DecayForm form, std::span<const DecayPoint> points, double floor);

}  // namespace assay
