#pragma once
// Dynamic loss scaling as frameworks do it: a rule as data, and the machine that follows it.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"
#include "assay/text.h"

namespace assay {

struct LossScalerRule {
  /// What becomes of an overflow when the scale cannot be lowered further.
  enum class AtSmallest : std::uint8_t {
    kStays,      // the step is skipped, the scale stays
    kStops,      // the run ends
    kNeverGets,  // the run ends when the scale would come to `smallest` or below
  };

  std::string name;  // what a user types
  std::vector<std::string> also;
  Text title;
  double initial = 65536;
  double growth = 2;
  double backoff = 0.5;
  int window = 2000;   // clean steps in a row until the scale grows; 0: it never changes
  int uncounted = 0;   // clean steps at the start and after an overflow that are not counted
  int hysteresis = 1;  // overflows until the scale is lowered; from then on each lowers it until it is refilled:
  bool refilled_by_clean_step = false;  // … by any clean step; false: when the scale grows
  double smallest = 0;                  // the scale is not lowered beyond it
  AtSmallest at_smallest = AtSmallest::kStays;
  double largest = std::numeric_limits<double>::infinity();  // growth stops there
  std::string source;
};

/// With the defaults of each framework.
const std::vector<LossScalerRule>& loss_scaler_rules();
/// By name, in any case, with '-' for '_'. Error kUsage: an unknown one, with the nearest.
Result<LossScalerRule> loss_scaler_rule(std::string_view name);

class LossScaler {
 public:
  struct Update {
    bool skipped = false;  // the optimizer does not step
    bool lowered = false;
    bool raised = false;
    bool stopped = false;  // the framework ends the run here
  };

  /// Error kUsage: a scale or factor that cannot be (growth below 1, backoff not within (0, 1], a scale that is not
  /// positive and finite, or below the smallest), a count below 0 or a hysteresis below 1.
  static Result<LossScaler> start(const LossScalerRule& rule);

  /// After the gradients of a step have been looked at. Nothing changes once the run has been stopped.
  Update update(bool overflow);

  double scale() const { return scale_; }
  bool stopped() const { return stopped_; }
  /// Overflows that will be let pass before one lowers the scale.
  int spare_overflows() const { return hysteresis_left_ - 1; }

 private:
  explicit LossScaler(const LossScalerRule& rule);
  Update on_overflow();
  Update on_clean();

  LossScalerRule rule_;
  double scale_;
  int clean_ = 0;  // counted ones in a row; negative: how many are not counted yet
  int hysteresis_left_;
  bool stopped_ = false;
};

}  // namespace assay
