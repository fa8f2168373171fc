// Dynamic loss scaling.
//
// Gradients of FP16 vanish below 2^-25 and overflow at 65520, so the loss is multiplied by a scale, and the scale is
// searched for: an overflow skips the step and lowers it, a window of clean steps raises it. Frameworks agree in that
// and differ in when: how many overflows they forgive (hysteresis), what gives that patience back, from where a window
// is counted, and what happens at the bottom. Each difference is a field of the rule; the machine is one.
//
// Hysteresis h: the first h - 1 overflows skip the step and leave the scale; every one after them lowers it, until the
// count is refilled. Megatron and DeepSpeed refill it only when the scale grows, so a second overflow within a window
// lowers the scale however long ago the first was; with DeepSpeed's consecutive_hysteresis, and in the hysteresis
// kernel of Apex that NeMo uses, any clean step refills it.
// DeepSpeed counts iterations since the last overflow less one, so the first growth takes a window and one step.
// fairseq ends the run instead of taking the smallest scale; DeepSpeed (ZeRO) ends it at an overflow on that scale.
// Scales are powers of two where the initial one is: all arithmetic is exact.

#include "sim/loss_scaler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "base/nearest.h"

namespace assay {

namespace {

using AtSmallest = LossScalerRule::AtSmallest;

std::unexpected<Error> refuse(std::string message) { return fail(ErrorCode::kUsage, std::move(message)); }

bool is_scale(double value) { return value > 0 && std::isfinite(value); }

std::vector<LossScalerRule> patient_rules() {
  return {
      {.name = "megatron",
       .also = {"megatron-lm"},
       .title = {"Megatron-LM DynamicGradScaler", "Megatron-LM DynamicGradScaler"},
       .initial = 0x1p32,
       .window = 1000,
       .hysteresis = 2,
       .smallest = 1,
       .source = "megatron/core/optimizer/grad_scaler.py"},
      {.name = "deepspeed",
       .also = {"zero"},
       .title = {"DeepSpeed DynamicLossScaler", "DeepSpeed DynamicLossScaler"},
       .initial = 65536,
       .window = 1000,
       .uncounted = 1,
       .hysteresis = 2,
       .smallest = 1,
       .at_smallest = AtSmallest::kStops,
       .source = "deepspeed/runtime/fp16/loss_scaler.py, runtime/constants.py"},
      {.name = "deepspeed-consecutive",
       .title = {"DeepSpeed with consecutive_hysteresis", "DeepSpeed，consecutive_hysteresis"},
       .initial = 65536,
       .window = 1000,
       .uncounted = 1,
       .hysteresis = 2,
       .refilled_by_clean_step = true,
       .smallest = 1,
       .at_smallest = AtSmallest::kStops,
       .source = "deepspeed/runtime/fp16/loss_scaler.py"},
  };
}

std::vector<LossScalerRule> other_rules() {
  return {
      {.name = "torch",
       .also = {"pytorch", "gradscaler"},
       .title = {"PyTorch GradScaler", "PyTorch GradScaler"},
       .initial = 65536,
       .window = 2000,
       .largest = std::numeric_limits<float>::max(),
       .source = "torch/amp/grad_scaler.py, aten/src/ATen/native/cuda/AmpKernels.cu"},
      {.name = "fairseq",
       .also = {"metaseq"},
       .title = {"fairseq DynamicLossScaler, one worker", "fairseq DynamicLossScaler，单卡"},
       .initial = 128,
       .window = 16384,
       .smallest = 1e-4,
       .at_smallest = AtSmallest::kNeverGets,
       .source = "fairseq/optim/dynamic_loss_scaler.py; window 2^14 / workers / update_freq"},
      {.name = "apex",
       .title = {"NVIDIA Apex amp", "NVIDIA Apex amp"},
       .initial = 65536,
       .window = 2000,
       .largest = 0x1p24,
       .source = "apex/amp/scaler.py"},
      {.name = "mindspore",
       .also = {"mindformers"},
       .title = {"MindSpore DynamicLossScaleManager", "MindSpore DynamicLossScaleManager"},
       .initial = 0x1p24,
       .window = 2000,
       .smallest = 1,
       .source = "mindspore/nn/wrap/loss_scale.py, mindspore/train/loss_scale_manager.py"},
      {.name = "static",
       .also = {"constant"},
       .title = {"a constant scale", "固定缩放"},
       .growth = 1,
       .backoff = 1,
       .window = 0,
       .source = "ConstantGradScaler of megatron/core/optimizer/grad_scaler.py"},
  };
}

}  // namespace

const std::vector<LossScalerRule>& loss_scaler_rules() {
  static const std::vector<LossScalerRule> rules = [] {
    std::vector<LossScalerRule> all = other_rules();
    for (LossScalerRule& rule : patient_rules()) all.push_back(std::move(rule));
    return all;
  }();
  return rules;
}

Result<LossScalerRule> loss_scaler_rule(std::string_view name) {
  std::string wanted = lower(name);
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  std::vector<std::string_view> known;
  for (const LossScalerRule& rule : loss_scaler_rules()) {
    if (rule.name == wanted || std::ranges::count(rule.also, wanted) > 0) return rule;
    known.push_back(rule.name);
    known.insert(known.end(), rule.also.begin(), rule.also.end());
  }
  const std::string guess = nearest(wanted, known);
  std::string hint = guess.empty() ? "there are" : "did you mean '" + guess + "'?";
  if (guess.empty()) {
    for (const LossScalerRule& rule : loss_scaler_rules()) hint += " " + rule.name;
  }
  return fail(ErrorCode::kUsage, "unknown loss scaler '" + std::string(name) + "'", {}, std::move(hint));
}

Result<LossScaler> LossScaler::start(const LossScalerRule& rule) {
  if (!is_scale(rule.initial)) return refuse("the initial loss scale must be a positive number");
  if (!(rule.growth >= 1) || !std::isfinite(rule.growth)) return refuse("the growth factor must be at least 1");
  if (!(rule.backoff > 0 && rule.backoff <= 1)) return refuse("the backoff factor must be above 0 and at most 1");
  if (!(rule.smallest >= 0 && rule.smallest <= rule.initial)) {
    return refuse("the smallest loss scale must be at least 0 and at most the initial one");
  }
  if (!(rule.largest >= rule.initial)) return refuse("the largest loss scale must be at least the initial one");
  if (rule.window < 0 || rule.uncounted < 0) return refuse("the window of clean steps must not be negative");
  if (rule.hysteresis < 1) return refuse("the hysteresis must be at least 1");
  return LossScaler(rule);
}

LossScaler::LossScaler(const LossScalerRule& rule)
    : rule_(rule), scale_(rule.initial), clean_(-rule.uncounted), hysteresis_left_(rule.hysteresis) {}

LossScaler::Update LossScaler::update(bool overflow) {
  if (stopped_) return {.skipped = overflow, .stopped = true};
  return overflow ? on_overflow() : on_clean();
}

LossScaler::Update LossScaler::on_overflow() {
  Update out{.skipped = true};
  clean_ = -rule_.uncounted;
  if (rule_.window == 0) return out;
  if (hysteresis_left_ > 1) {
    --hysteresis_left_;
    return out;
  }
  const double lower = scale_ * rule_.backoff;
  const bool never = rule_.at_smallest == AtSmallest::kNeverGets && lower <= rule_.smallest;
  const bool already = rule_.at_smallest == AtSmallest::kStops && scale_ == rule_.smallest;
  if (never || already) {
    stopped_ = out.stopped = true;
    return out;
  }
  const double before = std::exchange(scale_, std::max(lower, rule_.smallest));
  out.lowered = scale_ < before;
  return out;
}

LossScaler::Update LossScaler::on_clean() {
  Update out;
  if (rule_.window == 0) return out;
  if (rule_.refilled_by_clean_step) hysteresis_left_ = rule_.hysteresis;
  if (++clean_ < rule_.window) return out;
  clean_ = 0;
  hysteresis_left_ = rule_.hysteresis;
  const double higher = scale_ * rule_.growth;
  if (higher <= rule_.largest) {
    out.raised = higher > scale_;
    scale_ = higher;
  }
  return out;
}

}  // namespace assay
