#pragma once
// Whole recipes of precision, each with what it costs this plan and what it is predicted to lose. Essay: recipes.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/situation.h"
#include "assay/text.h"

namespace assay {

struct PrecisionRecipe {
  std::string key;
  Text title;
  std::string products;     // in which matrices are multiplied
  std::string weights;      // that the optimizer changes
  std::string gradients;    // accumulated over micro-batches
  std::string wire;         // summed over ranks
  std::string moments;      // "bf16", "fp32", "8-bit"
  bool stochastic = false;  // what is rounded away acts on average, or is kept
};

/// Bytes that a parameter takes on all ranks together that share it out.
struct Bytes {
  double weights = 0;  // as they are multiplied, where they are kept so
  double gradients = 0;
  double optimizer = 0;  // copies of weights and gradients in FP32, moments
  double total() const { return weights + gradients + optimizer; }
};

/// How bad the worst of the predicted losses is.
enum class Harm : std::uint8_t { kNone, kSome, kMuch, kMost };

struct Costs {
  PrecisionRecipe recipe;
  bool now = false;  // what the settings ask for
  Bytes bytes;
  std::optional<double> states;  // bytes of a device
  std::optional<double> moved;   // bytes that a device sends in a step, for gradients and weights
  double product_error = 0;      // rms, of a product, relative
  std::optional<double> accumulation_error, reduction_error;  // rms, of a gradient, relative
  std::optional<double> lost_updates;                         // share that leaves a weight as it is
  double moment_error = 0;  // rms rounding of the second moment, over what a step changes of it
  Harm harm = Harm::kNone;

  /// Of the two sums of gradients, as far as they are known.
  std::optional<double> gradient_error() const;
};

/// The recipes that the framework and the device can run, and what the settings ask for, best first.
std::vector<Costs> compare_recipes(const Situation& situation);

/// Bytes of a parameter by a recipe.
Bytes bytes_of(const PrecisionRecipe& recipe, const Situation& situation);
/// Bytes of states on a device, and bytes that it sends in a step.
std::optional<double> states_of(const Bytes& bytes, const PrecisionRecipe& recipe, const Situation& situation);
std::optional<double> moved_of(const PrecisionRecipe& recipe, const Situation& situation);

}  // namespace assay
