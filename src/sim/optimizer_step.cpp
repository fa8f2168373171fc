// An optimizer step in given formats.
//
// Order of operations: that of PyTorch's fused kernels (aten/src/ATen/native/cuda/fused_adam_utils.cuh and
// FusedSgdKernel.cu), which read each quantity once, work in FP32 ("opmath") and store each once:
//   Adam:   g += wd · w                     AdamW:  w -= (lr · wd) · w
//           m = β1 · m + (1 - β1) · g
//           v = β2 · v + ((1 - β2) · g) · g
//           w -= ((lr / (1 - β1^t)) · m) / (√v / √(1 - β2^t) + eps)
//   SGD:    g += wd · w;  b = momentum · b + (1 - dampening) · g, the first time g;  g = b, or g + momentum · b
//           (Nesterov);  w -= lr · g
// Each operation is rounded into the arithmetic's format, and what is stored is rounded into its own from there; w uses
// m and v as they are before that. What depends on the step alone (lr / (1 - β1^t) and the like) is computed in FP64
// and rounded to FP32, also where the arithmetic is narrower: an operand of a 16-bit kernel in PyTorch is FP32, too.
// CUDA's compiler may fuse products into sums and keeps some scalars in FP64, so a last bit of FP32 may differ from the
// card; what matters here, the roundings of what is stored, does not.
// Steps of separate kernels, which store each intermediate ("foreach" in 16 bits), are had with that format as
// arithmetic.
//
// The exact update that swallowed steps are counted by is computed in FP64 from what is stored, without any rounding to
// a format. In chunks that stay in the cache; a stochastic rounding draws by step, quantity and element.

#include "sim/optimizer_step.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "num/arithmetic.h"
#include "num/philox.h"
#include "num/rounder.h"

namespace assay {

namespace {

using Kind = OptimizerSettings::Kind;
using Numbers = std::vector<double>;

constexpr std::size_t kChunk = 2048;
constexpr int kFloatDigits = 24;

double to_fp32(double value) { return static_cast<double>(static_cast<float>(value)); }

// The scalars of a step. `of`: how a kernel has them.
struct Scalars {
  double rate = 0;   // lr / (1 - β1^t), or lr
  double decay = 0;  // wd; of AdamW lr · wd
  double old1 = 0, new1 = 0, old2 = 0, new2 = 0;
  double root2 = 1;  // √(1 - β2^t)
  double eps = 0;
  bool first = false;

  Scalars as_kernel() const {
    return {to_fp32(rate), to_fp32(decay), to_fp32(old1), to_fp32(new1), to_fp32(old2),
            to_fp32(new2), to_fp32(root2), to_fp32(eps),  first};
  }
};

Scalars scalars_of(const OptimizerSettings& set, std::uint64_t step) {
  Scalars out{.rate = set.learning_rate, .decay = set.weight_decay, .first = step == 1};
  if (set.kind == Kind::kSgd) {
    out.old1 = set.momentum;
    out.new1 = 1 - set.dampening;
    return out;
  }
  const auto t = static_cast<double>(step);
  if (set.kind == Kind::kAdamW) out.decay = set.learning_rate * set.weight_decay;
  out.rate = set.learning_rate / (1 - std::pow(set.beta1, t));
  out.old1 = set.beta1;
  out.new1 = 1 - set.beta1;
  out.old2 = set.beta2;
  out.new2 = 1 - set.beta2;
  out.root2 = std::sqrt(1 - std::pow(set.beta2, t));
  out.eps = set.eps;
  return out;
}

// The numbers of a chunk while a step works on them.
struct Work {
  Numbers weight, gradient, m, v;
};

// One step in FP64, without rounding; `weight` is by how much the weights move.
Work exact_step(const OptimizerSettings& set, const Scalars& with, const Work& stored) {
  Work out = stored;
  for (std::size_t i = 0; i < stored.weight.size(); ++i) {
    const double shrink = with.decay * stored.weight[i];
    double g = stored.gradient[i];
    double& m = out.m[i];
    if (set.kind != Kind::kAdamW) g += shrink;
    if (set.kind == Kind::kSgd) {
      if (set.momentum != 0) {
        m = with.first ? g : with.old1 * m + with.new1 * g;
        g = set.nesterov ? g + with.old1 * m : m;
      }
      out.weight[i] = -with.rate * g;
      continue;
    }
    double& v = out.v[i];
    m = with.old1 * m + with.new1 * g;
    v = with.old2 * v + with.new2 * g * g;
    out.weight[i] = -with.rate * m / (std::sqrt(v) / with.root2 + with.eps);
    if (set.kind == Kind::kAdamW) out.weight[i] -= shrink;
  }
  return out;
}

// The same in a format, an array at a time.
class Kernel {
 public:
  Kernel(const OptimizerSettings& set, const Scalars& with, const NumberFormat& format)
      : set_(set), with_(with), arithmetic_(format) {}

  /// In place. Returns how many denominators were 0.
  std::size_t run(Work& work) {
    if (with_.decay != 0) decay(work);
    if (set_.kind == Kind::kSgd) {
      if (set_.momentum != 0) momentum(work);
      step(work, scaled(work.gradient, with_.rate));
      return 0;
    }
    mix(work.m, with_.old1, scaled(work.gradient, with_.new1));
    Numbers square = scaled(work.gradient, with_.new2);
    arithmetic_.multiply(square, work.gradient, square);
    mix(work.v, with_.old2, square);
    Numbers denominator(work.v.size());
    arithmetic_.square_root(work.v, denominator);
    arithmetic_.divide(denominator, constant(with_.root2, denominator.size()), denominator);
    arithmetic_.add(denominator, constant(with_.eps, denominator.size()), denominator);
    Numbers update = scaled(work.m, with_.rate);
    arithmetic_.divide(update, denominator, update);
    step(work, update);
    return static_cast<std::size_t>(std::ranges::count(denominator, 0.0));
  }

 private:
  static Numbers constant(double value, std::size_t count) { return Numbers(count, value); }

  Numbers scaled(const Numbers& numbers, double factor) {
    Numbers out(numbers.size());
    arithmetic_.multiply(numbers, constant(factor, out.size()), out);
    return out;
  }

  // old = factor · old + fresh
  void mix(Numbers& old, double factor, const Numbers& fresh) {
    arithmetic_.multiply(old, constant(factor, old.size()), old);
    arithmetic_.add(old, fresh, old);
  }

  void decay(Work& work) {
    const Numbers part = scaled(work.weight, with_.decay);
    if (set_.kind == Kind::kAdamW)
      step(work, part);
    else
      arithmetic_.add(work.gradient, part, work.gradient);
  }

  void momentum(Work& work) {
    if (with_.first)
      work.m = work.gradient;
    else
      mix(work.m, with_.old1, scaled(work.gradient, with_.new1));
    if (set_.nesterov)
      arithmetic_.add(work.gradient, scaled(work.m, with_.old1), work.gradient);
    else
      work.gradient = work.m;
  }

  void step(Work& work, const Numbers& update) { arithmetic_.subtract(work.weight, update, work.weight); }

  OptimizerSettings set_;
  Scalars with_;
  Arithmetic arithmetic_;
};

// Rounds into a quantity's format; each quantity of each step draws its own numbers.
void store(const Stored& as, std::uint64_t seed, std::uint64_t step, std::uint32_t quantity, std::uint64_t first,
           std::span<const double> in, std::span<double> out) {
  RoundingRules rules{.rounding = as.rounding, .random_bits = 32};
  if (as.rounding == Rounding::kStochastic) {
    const auto words = philox({static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32), quantity, 1},
                              {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    rules.seed = words[0] | std::uint64_t{words[1]} << 32;
  }
  const Rounder rounder(as.format, rules);
  rounder(in, out, first);
}

// Empty where there are none (SGD has no second moment).
Numbers part_of(const Numbers& numbers, std::size_t first, std::size_t count) {
  if (numbers.empty()) return {};
  const auto from = numbers.begin() + static_cast<std::ptrdiff_t>(first);
  return {from, from + static_cast<std::ptrdiff_t>(count)};
}

// How many would have become another number and are stored as the same.
std::size_t frozen(const Numbers& before, std::span<const double> after, const Numbers& exact) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < before.size(); ++i) out += after[i] == before[i] && exact[i] != before[i] ? 1 : 0;
  return out;
}

// What became of the weights, given by how much they were to move.
void count_weights(const Numbers& before, std::span<const double> after, const Numbers& weight_before,
                   std::span<const double> weight_after, const Numbers& update, StepCounts& counts) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    counts.became_nan += std::isnan(after[i]) && !std::isnan(before[i]) ? 1 : 0;
    counts.became_infinite += std::isinf(after[i]) && !std::isinf(before[i]) ? 1 : 0;
    if (update[i] == 0 || !std::isfinite(update[i]) || !std::isfinite(before[i])) continue;
    ++counts.wanted;
    counts.swallowed += after[i] == before[i] ? 1 : 0;
    counts.weight_unchanged += weight_after[i] == weight_before[i] ? 1 : 0;
    counts.exact_movement += std::fabs(update[i]);
    if (std::isfinite(after[i])) counts.stored_movement += std::fabs(after[i] - before[i]);
  }
}

bool is_share(double value) { return value >= 0 && value < 1; }
bool is_size(double value) { return value >= 0 && std::isfinite(value); }

}  // namespace

OptimizerFormats all_in(const NumberFormat& format) {
  const Stored stored{.format = format};
  return {.weight = stored,
          .master = {},
          .gradient = stored,
          .exp_avg = stored,
          .exp_avg_sq = stored,
          .arithmetic = number_format("fp32").value()};
}

Result<OptimizerStep> OptimizerStep::start(const OptimizerSettings& settings, const OptimizerFormats& formats,
                                           std::span<const double> weights) {
  const auto refuse = [](const char* message) { return fail(ErrorCode::kUsage, message); };
  if (!is_size(settings.learning_rate)) return refuse("the learning rate must be a number of at least 0");
  if (!is_size(settings.weight_decay)) return refuse("the weight decay must be a number of at least 0");
  if (!is_size(settings.eps)) return refuse("eps must be a number of at least 0");
  if (!is_share(settings.beta1) || !is_share(settings.beta2))
    return refuse("beta1 and beta2 must be at least 0 and below 1");
  if (!is_size(settings.momentum) || !std::isfinite(settings.dampening)) {
    return refuse("momentum must be a number of at least 0, dampening a number");
  }
  if (settings.nesterov && (settings.momentum == 0 || settings.dampening != 0)) {
    return refuse("Nesterov's momentum needs a momentum and no dampening");
  }
  return OptimizerStep(settings, formats, weights);
}

OptimizerStep::OptimizerStep(const OptimizerSettings& settings, const OptimizerFormats& formats,
                             std::span<const double> weights)
    : settings_(settings), formats_(formats), weights_(weights.size()), exp_avg_(weights.size()) {
  if (settings.kind != Kind::kSgd) exp_avg_sq_.resize(weights.size());
  if (formats.master) {
    master_.resize(weights.size());
    const Rounder to_master(formats.master->format, {});
    to_master(weights, master_);
  }
  const Rounder to_weight(formats.weight.format, {});
  to_weight(formats.master ? std::span<const double>(master_) : weights, weights_);
}

StepCounts OptimizerStep::step(std::span<const double> gradients) {
  enum Quantity : std::uint32_t { kWeight, kMaster, kGradient, kExpAvg, kExpAvgSq };
  ++steps_;
  const Scalars exact = scalars_of(settings_, steps_), rounded = exact.as_kernel();
  Kernel kernel(settings_, formats_.arithmetic.precision > kFloatDigits ? exact : rounded, formats_.arithmetic);
  StepCounts counts{.elements = weights_.size()};
  for (std::size_t first = 0; first < weights_.size(); first += kChunk) {
    const std::size_t count = std::min(kChunk, weights_.size() - first);
    const auto keep = [&](const Stored& as, Quantity quantity, std::span<const double> in, std::span<double> out) {
      store(as, formats_.seed, steps_, quantity, first, in, out);
    };
    const auto part = [&](Numbers& numbers) { return std::span(numbers).subspan(first, count); };
    const Numbers weight_before = part_of(weights_, first, count);
    Work work{.weight = formats_.master ? part_of(master_, first, count) : weight_before,
              .gradient = Numbers(count),
              .m = part_of(exp_avg_, first, count),
              .v = part_of(exp_avg_sq_, first, count)};
    keep(formats_.gradient, kGradient, gradients.subspan(first, count), work.gradient);
    const Work before = work, wanted = exact_step(settings_, exact, work);
    counts.eps_lost += kernel.run(work);
    if (formats_.master) keep(*formats_.master, kMaster, work.weight, part(master_));
    keep(formats_.weight, kWeight, formats_.master ? std::span<const double>(part(master_)) : work.weight,
         part(weights_));
    keep(formats_.exp_avg, kExpAvg, work.m, part(exp_avg_));
    counts.exp_avg_frozen += frozen(before.m, part(exp_avg_), wanted.m);
    if (!exp_avg_sq_.empty()) {
      keep(formats_.exp_avg_sq, kExpAvgSq, work.v, part(exp_avg_sq_));
      counts.exp_avg_sq_frozen += frozen(before.v, part(exp_avg_sq_), wanted.v);
    }
    count_weights(before.weight, formats_.master ? part(master_) : part(weights_), weight_before, part(weights_),
                  wanted.weight, counts);
  }
  if (settings_.eps == 0) counts.eps_lost = 0;
  return counts;
}

}  // namespace assay
