// What settings say of formats.
//
// The same two letters say different things: "bf16: true" of a Trainer multiplies in bf16 and keeps weights in fp32,
// "dtype: bf16" of torchtune keeps the weights themselves in bf16. A rule that warns of one has to know whose word it
// is; where that is not known it says nothing. What is counted as weights without a copy in fp32:
//
//   any framework          precision bf16-true, 16-true, fp16-true; bf16: full; bf16_master_weights_and_grads
//   torchtune              dtype
//   torchtitan, verl       training.dtype; fsdp_config.model_dtype
//   MaxText                weight_dtype
//   transformers           --torch_dtype, where neither DeepSpeed nor FSDP makes a copy of its own
//   LLaMA-Factory          pure_bf16; axolotl: bfloat16
//
// Adapters are left out: theirs are small matrices that begin at zero, and peft keeps them in fp32. So is Megatron's
// precision-aware optimizer, which keeps the rest of a 16-bit weight beside it.

#include "rules/precision/precision_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "assay/setting.h"
#include "base/ascii.h"
#include "measure/adapters.h"
#include "measure/model_shape.h"
#include "num/format.h"
#include "num/real.h"
#include "num/round.h"
#include "rules/hyper/acting_settings.h"
#include "rules/said_places.h"

namespace assay {

std::string_view half_format(std::string_view word) {
  if (contains_any(word, {"bf16", "bfloat16"})) return "bf16";
  if (contains_any(word, {"fp16", "float16"}) || word == "half" || word == "16" || word == "16-true") return "fp16";
  return {};
}

bool is_low(std::string_view word) {
  return word.find("bf16") != std::string_view::npos || word.find("bfloat16") != std::string_view::npos ||
         word.find("fp16") != std::string_view::npos || word == "float16" || word.find("fp8") != std::string_view::npos;
}

const NumberFormat& format_named(std::string_view name) {
  const auto& all = number_formats();
  return *std::find_if(all.begin(), all.end(), [&](const NumberFormat& one) { return one.name == name; });
}

const Setting* said_low(const Plan& plan, std::string_view ending) {
  for (const Setting& one : plan.run().config.settings) {
    if (one.key.ends_with(ending) && one.unknown.empty() && is_low(one.value)) return &one;
  }
  return nullptr;
}

const Setting* said_true(const Plan& plan, std::string_view ending) {
  for (const Setting& one : plan.run().config.settings) {
    if (one.key.ends_with(ending) && (one.value == "true" || one.value == "True")) return &one;
  }
  return nullptr;
}

const Setting* pure_weights(const Plan& plan) {
  for (const std::string_view key : {setting::kPrecision, setting::kBf16}) {
    const std::string word = plan.word(key);
    const bool pure = word == "bf16-true" || word == "16-true" || word == "fp16-true" || word == "full";
    if (pure) return plan.setting(key);
  }
  if (const Setting* one = said_true(plan, "bf16_master_weights_and_grads")) return one;
  return said_low(plan, "main_params_dtype");
}

namespace {

std::optional<LowWeights> low(const Setting* from) {
  if (from == nullptr || !from->unknown.empty()) return std::nullopt;
  const std::string_view format = half_format(lower(from->value));
  if (format.empty()) return std::nullopt;
  return LowWeights{format, from};
}

// The word of a Trainer that loads its weights in 16 bits and changes them there.
std::optional<LowWeights> loaded_low(const Plan& plan) {
  const Config& config = plan.run().config;
  if (runs_deepspeed(config) || runs_fsdp(config)) return std::nullopt;
  const Setting* flag = plan.setting(setting::kBf16);
  if (flag != nullptr && flag_said(config, setting::kBf16) == true) {
    const std::string name = last_name(flag->written);
    if (name == "pure_bf16" || (name == "bfloat16" && plan.framework() == "axolotl")) return LowWeights{"bf16", flag};
  }
  const Setting* said = plan.setting(setting::kParamsDtype);
  // What a model's own file says is how its weights are stored.
  if (said == nullptr || plan.framework() != "hf-trainer" || !said->written.starts_with("--")) return std::nullopt;
  return low(said);
}

}  // namespace

std::optional<LowWeights> low_weights(const Plan& plan) {
  if (adapters_said(plan.run().config) != nullptr) return std::nullopt;
  const std::string precision = plan.word(setting::kPrecision);
  const bool is_16 = precision == "16-true" || precision == "fp16-true";
  if (is_16 || precision == "bf16-true") {
    return LowWeights{is_16 ? "fp16" : "bf16", plan.setting(setting::kPrecision)};
  }
  if (plan.word(setting::kBf16) == "full") return LowWeights{"bf16", plan.setting(setting::kBf16)};
  if (const Setting* one = said_true(plan, "bf16_master_weights_and_grads")) return LowWeights{"bf16", one};
  if (auto said = low(plan.setting(setting::kWeightsDtype))) return said;
  if (plan.framework() == "maxtext") return low(plan.setting(setting::kParamsDtype));
  if (plan.framework() == "torchtune") return low(plan.setting(setting::kPrecision));
  return loaded_low(plan);
}

std::int64_t distinct_integers(const NumberFormat& format, std::int64_t count) {
  std::int64_t out = 0;
  double last = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = round_to(format, real(static_cast<double>(i))).value;
    out += value != last ? 1 : 0;
    last = value;
  }
  return out;
}

double product_error(const NumberFormat& inputs) {
  return kRmsOfRounding * std::numbers::sqrt2 * unit_roundoff(inputs);
}

bool multiplies_fp32(const Plan& plan) {
  if (!plan.precision().empty()) return plan.precision() == "fp32";
  // Of these nothing said means that nothing is mixed: TrainingArguments has fp16 and bf16 false, the Trainer of
  // Lightning precision 32.
  const bool plain = plan.framework() == "hf-trainer" || plan.framework() == "lightning";
  const Config& config = plan.run().config;
  const bool elsewhere = runs_deepspeed(config) || config.find("ACCELERATE_MIXED_PRECISION") != nullptr;
  const bool unsure = plan.hidden(setting::kBf16) || plan.hidden(setting::kFp16) || plan.hidden(setting::kPrecision);
  return plain && !elsewhere && !unsure && settings_are_whole(plan.run());
}

std::optional<bool> said_flag(const Run& run, std::string_view key) {
  const Setting* said = run.config.find(key);
  if (said == nullptr || !said->unknown.empty()) return std::nullopt;
  const std::string word = lower(said->value);
  if (word == "1" || word == "true" || word == "yes" || word == "on" || word == "strict") return true;
  if (word == "0" || word == "false" || word == "no" || word == "off") return false;
  return std::nullopt;
}

Value written_name(const Setting& setting) { return Value(setting.written.empty() ? setting.key : setting.written); }

std::optional<std::int64_t> positions_of(const Plan& plan) {
  const auto length = count_said(plan.run().config, setting::kSequenceLength);
  return length ? length : count_said(plan.run().config, setting::kMaxPositions);
}

std::optional<double> loss_scale_told(const Plan& plan) {
  for (const std::string_view key : {setting::kLossScale, setting::kInitialLossScale}) {
    const auto scale = plan.find(key);
    if (scale && scale->value > 0) return scale->value;
  }
  const auto power = plan.find(setting::kInitialLossScalePower);
  if (power && power->value >= 0 && power->value < 128) return std::exp2(power->value);
  return std::nullopt;
}

Finding hazard(Severity severity, double confidence, const Setting& from, Phrase message) {
  Finding finding;
  finding.severity = severity;
  finding.confidence = confidence;
  finding.impact = severity == Severity::kNote ? 0.3 : 0.6;
  message.values.emplace_back("name", written_name(from));
  message.values.emplace_back("value", from.value);
  finding.message = std::move(message);
  finding.where = from.where;
  return finding;
}

}  // namespace assay
