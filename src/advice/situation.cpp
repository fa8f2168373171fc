// What a plan tells of formats, and what its framework does where it tells nothing.
//
// The same two letters are two ways to keep a weight. Megatron and DeepSpeed hold it in 16 bits and a copy of it in
// FP32 for the optimizer; autocast of PyTorch, FSDP with a mixed policy, nanoGPT and MaxText hold it in FP32 and make
// 16 bits of it where it is multiplied. From that follow bytes, the format of gradients and what travels between ranks:
//
//                       accumulates over micro-batches      sums over ranks
//   Megatron, NeMo      bf16: FP32, unless grad-reduce-in-bf16; fp16: fp16, unless accumulate-allreduce-grads-in-fp32
//   DeepSpeed           its regime's, else grad_accum_dtype    its regime's, else communication_data_type
//   autocast            FP32                                   FP32 (DDP), reduce_dtype (FSDP)
//   16 bits alone       the weights'                           the weights'
// (Megatron-LM, training/arguments.py; DeepSpeed, configuration of communication_data_type: "by default determined by
// selected regime", and DeepSpeed#1800, #2352; torchtitan, mixed_precision_reduce.) What else is not told is not known.
//
// Gradients are summed over all ranks that have the same parameters: data-parallel × context- × sequence-parallel ones.
// A device has 1/(tensor × pipeline) of the parameters, those of experts 1/(expert tensor × expert × pipeline). That is
// a mean: the first and the last stage of a pipeline have the embeddings beside their layers.

#include "advice/situation.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "assay/setting.h"
#include "base/ascii.h"
#include "base/bytes.h"
#include "core/sections.h"
#include "measure/adapters.h"
#include "measure/model_shape.h"
#include "rules/comm/comm_plan.h"
#include "rules/precision/planned_updates.h"
#include "rules/precision/precision_plan.h"
#include "rules/said_places.h"

namespace assay {

namespace {

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_megatron(std::string_view framework) { return one_of(framework, {"megatron", "megatron-bridge", "nemo"}); }

Keeping keeping_of(const Plan& plan) {
  const std::string& framework = plan.framework();
  if (runs_deepspeed(plan.run().config) || framework == "deepspeed") return Keeping::kCopies;
  if (is_megatron(framework) || one_of(framework, {"gpt-neox", "nanotron", "llm.c"})) return Keeping::kCopies;
  if (one_of(framework, {"hf-trainer", "axolotl", "nanogpt", "torchtitan", "olmo", "olmo-core", "litgpt", "lightning",
                         "llm-foundry", "maxtext", "verl", "accelerate"})) {
    return Keeping::kAutocast;
  }
  return Keeping::kUnknown;
}

// "bf16", "fp16", "fp32"; empty: another word.
std::string format_in(std::string_view word) {
  const std::string_view half = half_format(word);
  if (!half.empty()) return std::string(half);
  return contains_any(word, {"fp32", "float32"}) || word == "float" ? "fp32" : "";
}

bool switched_on(const Plan& plan, std::string_view name) {
  const Setting* said = last_written(plan.run().config, name);
  return said != nullptr && said->unknown.empty() && !says_no(*said);
}

// Of a framework whose sums of gradients have one buffer for micro-batches and ranks.
std::string megatron_gradients(const Plan& plan) {
  if (switched_on(plan, "accumulate_allreduce_grads_in_fp32") || switched_on(plan, "grad_reduce_in_fp32"))
    return "fp32";
  if (plan.precision() == "fp16") return "fp16";
  if (plan.precision() == "bf16" || plan.precision() == "fp8") {
    return switched_on(plan, "grad_reduce_in_bf16") ? "bf16" : "fp32";
  }
  return plan.precision();
}

// What is not multiplied in FP8 is in BF16.
std::string half_or_whole(const std::string& precision) { return precision == "fp8" ? "bf16" : precision; }

std::string usual_gradients(const Plan& plan, Keeping keeping, bool over_ranks) {
  const Config& config = plan.run().config;
  if (runs_deepspeed(config) || plan.framework() == "deepspeed") return half_or_whole(plan.precision());
  if (is_megatron(plan.framework())) return megatron_gradients(plan);
  if (keeping != Keeping::kAutocast) return {};
  if (!over_ranks) return "fp32";
  const bool ddp = one_of(plan.framework(), {"hf-trainer", "nanogpt"}) && !runs_fsdp(config);
  return ddp || plan.framework() == "torchtitan" ? "fp32" : "";
}

std::string moments_of(const Plan& plan, const std::string& weights) {
  const std::string optimizer = plan.word(setting::kOptimizer);
  if (contains_any(optimizer, {"8bit", "8-bit"})) return "8-bit";
  if (const Setting* said = said_low(plan, "exp_avg_sq_dtype")) return format_in(lower(said->value));
  if (said_true(plan, "bf16_optimizer_states") != nullptr) return "bf16";
  return weights;
}

// Who says nothing of a stage shares nothing out; of these it is not known.
bool shares_unsaid(std::string_view framework) {
  return one_of(framework, {"maxtext", "litgpt", "olmo", "olmo-core", "lightning", "verl", "llm-foundry"});
}

// Those that a token does not meet are (1 − chosen / all) of them.
std::optional<double> parameters_of_experts(const Plan& plan) {
  const auto model = described_model(plan.run().config, plan.framework());
  if (!model || !model->unknown.empty() || model->shape.experts <= model->shape.experts_per_token) return std::nullopt;
  const auto counted = count_parameters(model->shape);
  if (!counted || counted->total == counted->active) return std::nullopt;
  const double chosen = static_cast<double>(model->shape.experts_per_token) / static_cast<double>(model->shape.experts);
  return static_cast<double>(counted->total - counted->active) / (1 - chosen);
}

}  // namespace

const MatrixUnit* Device::unit(std::string_view format) const {
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const MatrixUnit* one) { return one->input.name == format; });
  return found == units.end() ? nullptr : *found;
}

Result<Device> device_named(std::string_view name) {
  Device out;
  out.units = ASSAY_TRY(units_of_chip(name));
  out.name = std::string(name);
  out.from = both("--device");
  return out;
}

Device device_of(const Run& run, const std::string& name) {
  if (!name.empty()) return device_named(name).value_or(Device{});
  for (const Setting& one : run.config.settings) {
    const bool variable = one.key.starts_with("HCCL_") || one.key.starts_with("ASCEND_");
    if (!variable && one.written != "npus_per_node" && !lower(one.written).ends_with("npus_per_node")) continue;
    Device out = device_named("ascend").value_or(Device{});
    out.from = filled("{name} is set", "设置了 {name}", {{"name", one.written.empty() ? one.key : one.written}});
    return out;
  }
  return {};
}

Situation::Situation(const Run& run, const Device& told) : plan(run), device(told), keeping(keeping_of(plan)) {
  adapters = adapters_said(run.config) != nullptr;
  read_shape();
  read_ranks();
  read_groups();
  read_asked();
}

std::optional<std::int64_t> Situation::count(std::string_view key) const {
  const auto number = plan.told(key);
  if (!number || number->value < 1) return std::nullopt;
  return exact_integer(number->value);
}

void Situation::read_shape() {
  const Config& config = plan.run().config;
  if (const auto number = plan.told(setting::kParameters); number && number->value >= 1) parameters = number->value;
  positions = positions_of(plan);
  learned_positions = contains_any(plan.word(setting::kPositionEmbedding), {"learned", "absolute", "none"});
  hidden = count(setting::kHiddenSize);
  layers = count(setting::kNumLayers);
  vocabulary = count(setting::kPaddedVocabSize);
  if (!vocabulary) vocabulary = count(setting::kVocabSize);
  widest = hidden;
  if (const auto ffn = count(setting::kFfnHiddenSize); widest && ffn) widest = std::max(*widest, *ffn);
  const auto model = described_model(config, plan.framework());
  if (!model || !model->unknown.empty()) return;
  hidden = model->shape.hidden;
  layers = model->shape.layers;
  if (model->shape.vocabulary > 0) vocabulary = model->shape.vocabulary;
  learned_positions = learned_positions || model->shape.positions > 0;
  widest = std::max({model->shape.hidden, model->shape.ffn, model->shape.expert_ffn});
}

void Situation::read_ranks() {
  const auto size_or_one = [&](std::string_view key) { return static_cast<std::size_t>(count(key).value_or(1)); };
  if (const auto data = count(setting::kDataParallelSize)) {
    ranks = static_cast<std::size_t>(*data) * size_or_one(setting::kContextParallelSize) *
            size_or_one(setting::kSequenceParallelSize);
  }
  if (const auto steps = count(setting::kGradientAccumulation)) micro_batches = static_cast<std::size_t>(*steps);
  if (const auto stage = plan.told(setting::kZeroStage); stage && stage->value >= 0 && stage->value <= 3) {
    zero_stage = static_cast<int>(stage->value);
  } else if (plan.framework() == "torchtitan" || count(setting::kDataParallelShards).value_or(1) > 1) {
    zero_stage = 3;
  }
}

void Situation::read_groups() {
  if (!parameters || adapters) return;
  const bool stage_said = plan.told(setting::kZeroStage).has_value() || zero_stage > 0;
  if (!stage_said && shares_unsaid(plan.framework()) && ranks.value_or(2) > 1) return;
  for (const std::string_view key : {setting::kTensorParallelSize, setting::kPipelineParallelSize,
                                     setting::kExpertParallelSize, setting::kExpertTensorParallelSize}) {
    if (plan.hidden(key)) return;
  }
  const auto size = [&](std::string_view key) { return static_cast<double>(count(key).value_or(1)); };
  const double tensor = size(setting::kTensorParallelSize), pipeline = size(setting::kPipelineParallelSize);
  const double expert = size(setting::kExpertParallelSize);
  const double expert_tensor = static_cast<double>(
      count(setting::kExpertTensorParallelSize).value_or(count(setting::kTensorParallelSize).value_or(1)));
  ParameterGroup dense{*parameters / (tensor * pipeline), ranks.value_or(0)};
  dense.shards = dense.ranks;
  const auto shards = static_cast<std::size_t>(count(setting::kDataParallelShards).value_or(0));
  if (shards > 0 && dense.ranks % shards == 0) dense.shards = shards;
  const auto replicas = static_cast<std::size_t>(count(setting::kDataParallelReplicas).value_or(1));
  if (shards == 0 && replicas > 1 && dense.ranks % replicas == 0) dense.shards = dense.ranks / replicas;
  if (expert <= 1) {
    groups = {dense};
    return;
  }
  const auto world = count(setting::kWorldSize);
  const auto of_experts = parameters_of_experts(plan);
  if (!of_experts || !world) return;
  const double copies = static_cast<double>(*world) / (expert_tensor * expert * pipeline);
  if (!(copies >= 1) || copies != std::floor(copies)) return;
  dense.parameters = (*parameters - *of_experts) / (tensor * pipeline);
  ParameterGroup experts{*of_experts / (expert_tensor * expert * pipeline), static_cast<std::size_t>(copies)};
  experts.shards = experts.ranks;
  experts.experts = true;
  groups = {dense, experts};
}

void Situation::read_asked() {
  asked.products = plan.precision();
  if (asked.products.empty() && multiplies_fp32(plan)) asked.products = "fp32";
  if (!one_of(asked.products, {"bf16", "fp16", "fp8", "fp32"})) asked.products.clear();
  if (asked.products.empty()) return;
  const auto low = low_weights(plan);
  asked.keeps_the_rest = low && assay::keeps_the_rest(plan) != nullptr;
  asked.weights = low ? std::string(low->format) : "fp32";
  asked.moments = moments_of(plan, asked.weights);
  if (asked.products == "fp32" || low) {
    asked.accumulation = asked.reduction = asked.weights;
  } else {
    asked.accumulation = usual_gradients(plan, keeping, false);
    asked.reduction = usual_gradients(plan, keeping, true);
  }
  if (const std::string said = format_in(plan.word(setting::kGradAccumulationDtype)); !said.empty()) {
    asked.accumulation = said;
    if (is_megatron(plan.framework())) asked.reduction = said;
  }
  if (const std::string said = format_in(plan.word(setting::kGradReduceDtype)); !said.empty()) asked.reduction = said;
  // What the rules of sums across ranks know of it, they know with a source.
  if (const auto sum = low_gradient_sum(plan)) asked.reduction = sum->format;
}

}  // namespace assay
