#pragma once
// Steps of SGD, Adam and AdamW over arrays, each quantity in a number format of its own.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/number_format.h"
#include "assay/result.h"
#include "num/round.h"

namespace assay {

struct OptimizerSettings {
  enum class Kind : std::uint8_t {
    kSgd,    // weight decay is added to the gradient
    kAdam,   // weight decay is added to the gradient
    kAdamW,  // weight decay shrinks the weight
  };
  Kind kind = Kind::kAdamW;
  double learning_rate = 1e-3;
  double weight_decay = 0;
  double momentum = 0;  // kSgd; 0: there is none
  double dampening = 0;
  bool nesterov = false;
  double beta1 = 0.9;  // Adam
  double beta2 = 0.999;
  double eps = 1e-8;
};

/// How a quantity is kept between steps.
struct Stored {
  NumberFormat format;
  Rounding rounding = Rounding::kNearestEven;
};

struct OptimizerFormats {
  Stored weight;
  std::optional<Stored> master;  // then the steps are added to it, and the weight is its rounded copy
  Stored gradient;
  Stored exp_avg;  // of SGD the momentum
  Stored exp_avg_sq;
  NumberFormat arithmetic;
  std::uint64_t seed = 0;  // of stochastic roundings
};

/// All in one format, but for the arithmetic, which is FP32; no master weight.
OptimizerFormats all_in(const NumberFormat& format);

/// What became of the elements in one step.
struct StepCounts {
  std::size_t elements = 0;
  std::size_t wanted = 0;     // their exact update is not 0
  std::size_t swallowed = 0;  // wanted, but the master weight, or the weight where there is none, has not changed
  std::size_t weight_unchanged = 0;  // wanted, but the weight that the model works with has not changed
  std::size_t exp_avg_frozen = 0;    // the exact new value is another, the stored one the same; of the momentum of SGD
  std::size_t exp_avg_sq_frozen = 0;
  std::size_t eps_lost = 0;    // the denominator is 0, though eps is not
  std::size_t became_nan = 0;  // weights that were numbers
  std::size_t became_infinite = 0;
  double exact_movement = 0;   // sum of |exact update|
  double stored_movement = 0;  // sum of |change| of what is updated
};

class OptimizerStep {
 public:
  /// The weights are rounded into their formats to begin with. Errors kUsage: a setting outside its range (betas in
  /// [0, 1), the others finite and not negative, nesterov needs momentum without dampening).
  static Result<OptimizerStep> start(const OptimizerSettings& settings, const OptimizerFormats& formats,
                                     std::span<const double> weights);

  /// One step with these gradients (rounded into their format first). Precondition: one for each weight.
  StepCounts step(std::span<const double> gradients);

  void set_learning_rate(double learning_rate) { settings_.learning_rate = learning_rate; }
  std::span<const double> weights() const { return weights_; }
  /// What the steps are added to: the master weights, or the weights.
  std::span<const double> updated() const { return formats_.master ? master_ : weights_; }
  std::span<const double> exp_avg() const { return exp_avg_; }
  std::span<const double> exp_avg_sq() const { return exp_avg_sq_; }
  std::uint64_t steps() const { return steps_; }

 private:
  OptimizerStep(const OptimizerSettings& settings, const OptimizerFormats& formats, std::span<const double> weights);

  OptimizerSettings settings_;
  OptimizerFormats formats_;
  std::uint64_t steps_ = 0;
  std::vector<double> weights_, master_, exp_avg_, exp_avg_sq_;
};

}  // namespace assay
