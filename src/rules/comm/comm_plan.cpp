// How gradients are summed over the ranks that share the data.
//
// In which format that is done is seldom said; it follows from the framework. Each as its source has it:
//
//   Megatron-LM           bf16: fp32 unless grad_reduce_in_bf16; fp16: fp16 unless accumulate_allreduce_grads_in_fp32
//                         (distributed_data_parallel.py, arguments.py). Each rank divides by their number first; with
//                         average_in_collective NCCL does; with calculate_per_token_loss nobody before the sum.
//                         reduce_scatter_with_fp32_accumulation adds in fp32 whatever is sent.
//   Megatron Bridge       ddp.grad_reduce_in_fp32 false: the training's format
//   DeepSpeed             communication_data_type, else the training's format (engine.py). ZeRO 1 to 3 divide first
//                         (stage_1_and_2.py, coalesced_collectives.py); without reduce_scatter and at stage 0 the sum
//                         is divided (prescale_gradients: before; gradient_predivide_factor: by that before).
//   FSDP of accelerate,   reduce_dtype is the training's format, whatever the weights are kept in. FSDP divides by
//   of Lightning          about √N before and by the rest after.
//   OLMo                  fsdp.precision: pure is the training's format, mixed is fp32
//   Composer              fsdp_config.mixed_precision: PURE is the training's format
//   DDP                   the gradients' own format, which is fp32 under autocast; a hook (fp16_compress_hook) makes it
//                         16 bits. DDP divides first.
//   weights in 16 bits    gradients have their format, and DDP and FSDP sum in it
//
// What is said (reduce_dtype, communication_data_type, mixed_precision_reduce) outranks all of it.
//
// Over which ranks: data-parallel ones, and those of context parallelism, which have other tokens of the same weights.
// Experts are summed over fewer; nothing is told of them.

#include "rules/comm/comm_plan.h"

#include <algorithm>
#include <cmath>

#include "assay/setting.h"
#include "base/ascii.h"
#include "num/format.h"
#include "rules/hyper/acting_settings.h"
#include "rules/places.h"
#include "rules/precision/precision_plan.h"
#include "rules/said_places.h"

namespace assay {

namespace {

// "bf16", "fp16", "e4m3", "e5m2"; empty: none of these.
std::string low_format(std::string_view word) {
  const std::string text = lower(word);
  if (const std::string_view half = half_format(text); !half.empty()) return std::string(half);
  if (text.find("e4m3") != std::string::npos) return "e4m3";
  return text.find("e5m2") != std::string::npos ? "e5m2" : std::string();
}

const Setting* known(const Setting* one) { return one != nullptr && one->unknown.empty() ? one : nullptr; }

std::string written(const Setting& one) { return one.written.empty() ? one.key : one.written; }

bool says(const Config& config, std::string_view name, bool what) {
  const Setting* one = known(last_written(config, name));
  if (one == nullptr) return false;
  const std::string word = lower(one->value);
  return what ? word == "true" || word == "1" : word == "false" || word == "0";
}

// What a setting is that asks for 16 bits of all matrices.
const Setting* precision_setting(const Plan& plan) {
  for (const std::string_view key : {setting::kPrecision, setting::kBf16, setting::kFp16}) {
    const Setting* one = known(plan.setting(key));
    if (one != nullptr && !low_format(one->value).empty()) return one;
    if (one != nullptr && key != setting::kPrecision && said_flag(plan.run(), key) == true) return one;
  }
  return nullptr;
}

std::optional<GradientSum> in_precision(const Plan& plan, bool by_default, const Setting* from = nullptr) {
  const std::string_view format = half_format(plan.precision());
  if (from == nullptr) from = precision_setting(plan);
  if (format.empty() || from == nullptr) return std::nullopt;
  return GradientSum{std::string(format), from, by_default};
}

Averaging megatron_averaging(const Config& config) {
  if (says(config, "calculate_per_token_loss", true)) return Averaging::kNone;
  return says(config, "average_in_collective", true) ? Averaging::kCollective : Averaging::kBefore;
}

std::optional<GradientSum> of_megatron(const Plan& plan) {
  const Config& config = plan.run().config;
  std::optional<GradientSum> out;
  if (says(config, "reduce_scatter_with_fp32_accumulation", true) ||
      says(config, "ddp_reduce_scatter_with_fp32_accumulation", true)) {
    return std::nullopt;
  }
  const Setting* in_fp32 = known(last_written(config, "grad_reduce_in_fp32"));
  const Setting* in_bf16 = known(last_written(config, "grad_reduce_in_bf16"));
  if (says(config, "accumulate_allreduce_grads_in_fp32", true) || says(config, "grad_reduce_in_fp32", true)) {
    return std::nullopt;
  }
  if (in_bf16 != nullptr && says(config, "grad_reduce_in_bf16", true)) {
    out = GradientSum{"bf16", in_bf16};
  } else if (in_fp32 != nullptr) {
    out = in_precision(plan, false, in_fp32);
  } else if (plan.precision() == "fp16" && settings_are_whole(plan.run())) {
    out = in_precision(plan, true);
  }
  if (!out) return out;
  out->averaging = megatron_averaging(config);
  out->fp32 = in_fp32 != nullptr ? written(*in_fp32) + "=true" : "--accumulate-allreduce-grads-in-fp32";
  return out;
}

bool deepspeed_engine(const Plan& plan) { return plan.framework() == "deepspeed" || runs_deepspeed(plan.run().config); }

void deepspeed_averaging(const Plan& plan, GradientSum& sum) {
  const Config& config = plan.run().config;
  const Setting* stage = plan.setting(setting::kZeroStage);
  const auto number = stage != nullptr && stage->unknown.empty() ? stage->number() : std::nullopt;
  if (stage != nullptr && !number) return;  // said, and not known
  const double zero = number.value_or(0);
  if (zero >= 3 || (zero >= 1 && !says(config, "reduce_scatter", false)) || says(config, "prescale_gradients", true)) {
    sum.averaging = Averaging::kBefore;
    return;
  }
  sum.averaging = Averaging::kAfter;
  const Setting* factor = known(last_written(config, "gradient_predivide_factor"));
  const auto divided = factor != nullptr ? factor->number() : std::nullopt;
  if (divided && *divided > 0 && std::isfinite(*divided)) sum.divided = *divided;
}

std::optional<GradientSum> of_deepspeed(const Plan& plan) {
  // Whoever sums micro-batches in fp32 may hand fp32 to the sum over ranks: which versions do is not told here.
  const std::string kept = plan.word(setting::kGradAccumulationDtype);
  if (!kept.empty() && low_format(kept).empty()) return std::nullopt;
  auto out = in_precision(plan, true);
  if (out) out->fp32 = "\"communication_data_type\": \"fp32\"";
  return out;
}

bool shards_as_fsdp(const Config& config) {
  return std::any_of(config.settings.begin(), config.settings.end(), [](const Setting& one) {
    if (!one.unknown.empty()) return false;
    const std::string name = lower(written(one));
    const std::string value = lower(one.value);
    const bool strategy = last_name(name) == "strategy" || last_name(name) == "distributed_type";
    if (strategy && value.find("fsdp") != std::string::npos) return true;
    return (name == "fsdp" || name == "--fsdp" || name == "use_fsdp" || name == "--use_fsdp") && !value.empty() &&
           value != "false" && value != "none" && value != "0";
  });
}

// Trainers that hand a reduce_dtype of the training's format to FSDP.
std::optional<GradientSum> of_fsdp(const Plan& plan) {
  const Config& config = plan.run().config;
  if (const Setting* olmo = known(config.find("fsdp.precision"))) {
    auto out = lower(olmo->value) == "pure" ? in_precision(plan, false, olmo) : std::nullopt;
    if (out) out->fp32 = written(*olmo) + ": mixed";
    return out;
  }
  if (const Setting* composer = known(config.find("fsdp_mixed_precision"))) {
    return lower(composer->value) == "pure" ? in_precision(plan, false, composer) : std::nullopt;
  }
  const bool hands_on = plan.framework() == "hf-trainer" || plan.framework() == "lightning";
  if (!hands_on || !shards_as_fsdp(config)) return std::nullopt;
  return in_precision(plan, true);
}

// PyTorch's hooks of DDP, by their name or the word that accelerate has for them.
std::optional<GradientSum> of_hook(const Config& config) {
  for (const Setting& one : config.settings) {
    const std::string name = last_name(written(one));
    if (!one.unknown.empty() || name.find("comm_hook") == std::string::npos) continue;
    const std::string format = low_format(one.value);
    if (!format.empty()) return GradientSum{format, &one, false, Averaging::kBefore};
  }
  return std::nullopt;
}

std::optional<GradientSum> of_weights(const Plan& plan) {
  const bool pytorch = plan.framework() == "torchtune" || plan.framework() == "lightning" ||
                       plan.framework() == "litgpt" || plan.framework() == "hf-trainer";
  const auto weights = pytorch ? low_weights(plan) : std::nullopt;
  if (!weights) return std::nullopt;
  return GradientSum{std::string(weights->format), weights->from, true};
}

// A setting that is the format of the sum, in any framework's words; its value may be fp32.
const Setting* said_format(const Plan& plan) {
  if (const Setting* one = plan.setting(setting::kGradReduceDtype)) return one;
  const auto& all = plan.run().config.settings;
  const auto found = std::find_if(all.rbegin(), all.rend(), [](const Setting& one) {
    const std::string name = last_name(written(one));
    return name == "reduce_dtype" || name == "grad_reduce_dtype" || name == "gradient_reduce_dtype";
  });
  return found == all.rend() ? nullptr : &*found;
}

}  // namespace

std::optional<GradientSum> low_gradient_sum(const Plan& plan) {
  const Config& config = plan.run().config;
  const bool engine = deepspeed_engine(plan);
  std::optional<GradientSum> out;
  if (const Setting* said = said_format(plan)) {
    const std::string format = known(said) != nullptr ? low_format(said->value) : std::string();
    if (format.empty()) return std::nullopt;
    out = GradientSum{format, said};
    out->fp32 = written(*said) + ": " + (last_name(said->written) == "communication_data_type" ? "fp32" : "float32");
    if (!engine && shards_as_fsdp(config)) out->averaging = Averaging::kBoth;
    if (plan.framework() == "torchtitan" && format == "fp16") out->averaging = Averaging::kBoth;
  } else if (engine) {
    out = of_deepspeed(plan);
  } else if (auto hook = of_hook(config)) {
    return hook;
  } else if (plan.framework() == "megatron" || plan.framework() == "megatron-bridge") {
    return of_megatron(plan);
  } else if (auto sharded = of_fsdp(plan)) {
    sharded->averaging = Averaging::kBoth;
    return sharded;
  } else {
    // FSDP keeps out of the range what it divides twice, DDP divides first: which of them it is, is not told.
    return of_weights(plan);
  }
  if (out && engine) deepspeed_averaging(plan, *out);
  return out;
}

std::optional<SumRanks> ranks_of_sum(const Plan& plan) {
  const auto sharers = plan.told(setting::kDataParallelSize);
  if (!sharers || !(sharers->value >= 1) || sharers->value > static_cast<double>(kMostRanks)) return std::nullopt;
  double count = std::floor(sharers->value);
  SumRanks out;
  out.sharers = static_cast<std::size_t>(count);
  for (const std::string_view key : {setting::kContextParallelSize, setting::kSequenceParallelSize}) {
    const auto more = plan.told(key);
    if (more && more->value > 1) count *= std::floor(more->value);
  }
  if (!(count <= static_cast<double>(kMostRanks))) return std::nullopt;
  out.count = static_cast<std::size_t>(count);
  out.from = sharers;
  // A copy is split over shards: their sums are done first, then those of the copies.
  const auto shards = plan.told(setting::kDataParallelShards);
  const auto copies = plan.told(setting::kDataParallelReplicas);
  if (shards && copies && shards->value > 1 && copies->value > 1 && shards->value * copies->value == count) {
    out.per_node = static_cast<std::size_t>(shards->value);
  }
  return out;
}

AllReduce all_reduce_of(const SumRanks& ranks, std::string_view format, Collective::Kind kind) {
  AllReduce out{.collective = {.kind = kind, .ranks = ranks.count}, .wire = format_named(format)};
  if (ranks.per_node > 1 && ranks.count % ranks.per_node == 0) {
    out.collective.kind = Collective::Kind::kHierarchical;
    out.collective.per_node = ranks.per_node;
    out.collective.within = Collective::Kind::kRing;
  }
  return out;
}

std::optional<Collective::Kind> pinned_algorithm(const Run& run) {
  const Setting* said = known(run.config.find("NCCL_ALGO"));
  if (said == nullptr) return std::nullopt;
  const std::string word = lower(said->value);
  if (word == "ring") return Collective::Kind::kRing;
  if (word == "tree") return Collective::Kind::kDoubleTree;
  return std::nullopt;
}

Value percent_of(double share) { return {two_digits(100 * share), Unit::kPercent}; }

}  // namespace assay
