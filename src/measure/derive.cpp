// The arithmetic of a training run.
//
//   data-parallel size  D = world / (tensor x pipeline x context x sequence-parallel); experts do not enter
//   global batch        G = micro x D x accumulation, or given; then accumulation = G / (micro x D)
//   tokens of a step    G x S (an upper bound where sequences are not packed)
//   length, warm-up     derive_length.cpp
// Frameworks differ in what they are told and in what they count: nanoGPT's accumulation is over all ranks, MindFormers
// ignores accumulation in a pipeline and micro-batches outside of one, OLMo-core and llm.c count batches in tokens.
// What was told is believed before what can be calculated; where both are there and differ, the fact says both.
//
// All sizes come from files: zero, negative, fractional or huge ones count as not said, and no product is taken
// unchecked. A setting that is said but not known (a script would have to be run for it) is not one that is left out:
// no default takes its place, and what needs it is not derived.

#include "measure/derive.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "assay/setting.h"
#include "base/bytes.h"
#include "measure/derive_facts.h"
#include "measure/mesh.h"
#include "measure/rampup.h"

namespace assay {

namespace {

class Deriver : DerivedFacts {
 public:
  Deriver(const Config& config, std::string_view dialect, std::vector<Derived>& out)
      : DerivedFacts(config, spoken_framework(config, dialect), out) {}

  void add_all() {
    derive_precision(config_, out_);
    mesh();
    parallel();
    micro_batch();
    batch();
    accumulation();
    const Count tokens = derive_length(config_, framework_, {sequence_, batch_, step_tokens_, prompts_, rampup_}, out_);
    derive_model(config_, framework_, sequence_, tokens, out_);
    derive_switched_off(config_, framework_, out_);
  }

 private:
  Count said(std::string_view key) const {
    const auto meshed = meshed_.find(key);
    return meshed == meshed_.end() || told_by_user(config_, key) ? DerivedFacts::said(key) : meshed->second;
  }

  // --- parallelism ---

  void mesh() {
    if (!is("maxtext")) return;
    for (const MeshSize& one : mesh_sizes(config_)) {
      if (!one.product.value()) continue;
      meshed_[one.key] = *one.product.value();
      as_product(one.key, one.product);
    }
  }

  // Copies of the model that are told as replicas of a sharded group (torchtitan).
  Product replicas_and_shards() const {
    Product copies;
    const Count shards = said(setting::kDataParallelShards);
    if (!shards || unknown(setting::kDataParallelReplicas)) return copies;
    const std::int64_t replicas = said(setting::kDataParallelReplicas).value_or(1);
    if (replicas > 1) copies.times({replicas, "replicas", "个副本", setting::kDataParallelReplicas});
    copies.times({*shards, "shards", "个分片", setting::kDataParallelShards});
    return copies;
  }

  // Tensor x pipeline x context x sequence-parallel: the ranks that share one copy of the model. A size of 0 is 1.
  Product model_ranks() const {
    Product ranks;
    const Factor kinds[] = {{1, "tensor", "张量并行", setting::kTensorParallelSize},
                            {1, "pipeline", "流水线并行", setting::kPipelineParallelSize},
                            {1, "context", "上下文并行", setting::kContextParallelSize},
                            {1, "sequence-parallel", "序列并行", setting::kSequenceParallelSize}};
    for (Factor kind : kinds) {
      kind.value = said(kind.key).value_or(1);
      if (kind.value > 1) ranks.times(kind);
    }
    return ranks;
  }

  void parallel() {
    const Product shared = model_ranks();
    const std::string_view missing = first_unknown({setting::kTensorParallelSize, setting::kPipelineParallelSize,
                                                    setting::kContextParallelSize, setting::kSequenceParallelSize});
    Count told = said(setting::kDataParallelSize);
    const Product copies = told ? Product() : replicas_and_shards();
    if (!copies.from().empty()) told = copies.value();
    world(missing.empty() ? told : std::nullopt, shared);
    if (world_ && shared.value() && missing.empty()) {
      quotient_of_world(told, shared);
    } else if (is("mlx-lm")) {
      data_parallel_ = 1;  // a single process
    } else if (told) {
      data_parallel_ = told;
      if (copies.from().empty()) as_set(setting::kDataParallelSize, *told);
      as_product(setting::kDataParallelSize, copies);
    } else if (unknown(setting::kDataParallelSize)) {
      return;  // which is told where the settings are
    } else if (world_ && !missing.empty()) {
      needs(setting::kDataParallelSize, missing);
    } else if (const auto key = first_unknown({setting::kNodes, setting::kDevicesPerNode, setting::kWorldSize});
               !world_ && !key.empty()) {
      needs(setting::kDataParallelSize, key);
    }
  }

  void world(const Count& told, const Product& shared) {
    const Count nodes = said(setting::kNodes);
    const Count devices = said(setting::kDevicesPerNode);
    const bool one_node = !nodes && !unknown(setting::kNodes) && !unknown(setting::kWorldSize);
    Product product;
    if (devices && (nodes || one_node)) {
      product.times({nodes.value_or(1), "nodes", "个节点", setting::kNodes});
      product.times({*devices, "devices", "个设备", setting::kDevicesPerNode});
      if (!nodes) product = only_devices(*devices);
    } else if (told && (is("nanotron") || is("mindformers"))) {
      product.times({*told, "data-parallel", "数据并行", setting::kDataParallelSize});
      if (shared.value().value_or(0) > 1)
        product.times({*shared.value(), "ranks of one copy", "个进程存一份模型", "parallel"});
    }
    if (const Count direct = said(setting::kWorldSize)) {
      world_ = direct;
      if (told_by_user(config_, setting::kWorldSize)) return as_set(setting::kWorldSize, *direct);
      if (meshed_.contains(setting::kWorldSize)) return;
      as_set(setting::kWorldSize, *direct, product.from().empty() ? nullptr : &product);
    } else if (!product.from().empty() && product.value()) {
      world_ = product.value();
      as_product(setting::kWorldSize, product, "ranks", " 个进程");
    }
  }

  static Product only_devices(std::int64_t devices) {
    Product product;
    product.times({devices, "devices on one node", "个设备（单节点）", setting::kDevicesPerNode});
    return product;
  }

  void quotient_of_world(const Count& told, const Product& shared) {
    const std::int64_t divisor = *shared.value();
    std::vector<std::string> from = shared.from();
    from.insert(from.begin(), std::string(setting::kWorldSize));
    if (*world_ % divisor != 0) {
      const std::string name = std::string(setting::kDataParallelSize);
      add(name, Value("none"),
          {fmt::format("{} / ({})", counted(*world_, "ranks"), shared.text().en),
           fmt::format("{} 个进程 / ({})", shown(*world_), shared.text().zh)},
          from,
          {fmt::format("{} cannot be divided by {}", counted(*world_, "ranks"), shown(divisor)),
           fmt::format("{} 个进程不能被 {} 整除", shown(*world_), shown(divisor))});
      return;
    }
    const std::int64_t quotient = *world_ / divisor;
    data_parallel_ = told.value_or(quotient);
    Text text{counted(*world_, "ranks"), fmt::format("{} 个进程", shown(*world_))};
    if (divisor > 1) {
      text.en += fmt::format(" / ({}) = {}", shared.text().en, shown(quotient));
      text.zh += fmt::format(" /（{}）= {}", shared.text().zh, shown(quotient));
    }
    Text conflict;
    if (told && *told != quotient) {
      conflict = {fmt::format("set to {}, but {}", shown(*told), text.en),
                  fmt::format("设为 {}，但 {}", shown(*told), text.zh)};
    }
    add(std::string(setting::kDataParallelSize), Value(*data_parallel_), std::move(text), std::move(from),
        std::move(conflict));
  }

  // --- batch ---

  void micro_batch() {
    sequence_ = said(setting::kSequenceLength);
    micro_ = said(setting::kMicroBatchSize);
    const Count tokens = said(setting::kMicroBatchTokens);
    if (micro_ || unknown(setting::kMicroBatchSize) || !tokens || !sequence_ || *tokens % *sequence_ != 0 ||
        is("fairseq"))
      return;
    micro_ = *tokens / *sequence_;
    quotient(setting::kMicroBatchSize, {*tokens, "tokens", "个 token", setting::kMicroBatchTokens},
             tokens_of_sequence());
  }

  Amount tokens_of_sequence() const {
    return {*sequence_, "tokens a sequence", "个 token/序列", setting::kSequenceLength};
  }
  Factor micro_factor() const { return {*micro_, "micro", "单卡批量", setting::kMicroBatchSize}; }
  Factor accumulation_factor(std::int64_t steps) const {
    return {steps, "accumulation", "梯度累积", setting::kGradientAccumulation};
  }

  // Accumulation is 1 where these say nothing, unless a file of DeepSpeed's says it for Megatron.
  bool accumulates_once() const {
    if (is("megatron") && config_.find("deepspeed_config") != nullptr) return false;
    for (const std::string_view one :
         {"hf-trainer", "accelerate", "axolotl", "paddle", "deepspeed", "gpt-neox", "fairseq", "torchtitan",
          "lightning", "maxtext", "mlx-lm", "torchtune", "megatron", "megatron-swift"}) {
      if (is(one)) return true;
    }
    return false;
  }

  // The global batch as it comes out of its factors; empty where one is not known.
  Product batch_product() const {
    Product product;
    const Count steps = said(setting::kGradientAccumulation);
    if (!micro_ || is("verl") || unknown(setting::kGradientAccumulation)) return product;
    if (is("fairseq") && said(setting::kMicroBatchTokens)) return product;  // whichever limit is met first
    if (is("nanogpt")) {
      product.times(micro_factor());
      product.times({steps.value_or(1), "accumulation over all ranks", "梯度累积（全部进程合计）",
                     setting::kGradientAccumulation});
      return product;
    }
    const bool meshed = is("maxtext") && world_;  // all its devices share the batch
    if (!data_parallel_ && !meshed) return product;
    const Factor ranks = meshed ? Factor{*world_, "devices", "个设备", setting::kWorldSize}
                                : Factor{*data_parallel_, "data-parallel", "数据并行", setting::kDataParallelSize};
    if (is("mindformers")) return mindformers_product(ranks, steps);
    if (!steps && !accumulates_once()) return product;
    product.times(micro_factor());
    product.times(ranks);
    if (steps) product.times(accumulation_factor(*steps));
    return product;
  }

  Product mindformers_product(const Factor& ranks, const Count& steps) const {
    Product product;
    const bool known =
        first_unknown({setting::kBatchInterleave, setting::kPipelineParallelSize, setting::kMicroBatchCount}).empty();
    if (!known) return product;
    product.times(micro_factor());
    product.times(ranks);
    const std::int64_t interleave = said(setting::kBatchInterleave).value_or(1);
    if (interleave > 1) product.times({interleave, "interleaved", "交错", setting::kBatchInterleave});
    if (said(setting::kPipelineParallelSize).value_or(1) > 1) {
      product.times({said(setting::kMicroBatchCount).value_or(1), "micro-batches of the pipeline",
                     "个 micro-batch（流水线）", setting::kMicroBatchCount});
    } else if (steps) {
      product.times(accumulation_factor(*steps));
    }
    return product;
  }

  void batch() {
    const Product product = batch_product();
    const bool calculated = !product.from().empty() && product.value();
    // Where a batch is said and the accumulation is not, the accumulation is what is left: no product contradicts it.
    const bool counts_all = !accumulates_once() || said(setting::kGradientAccumulation);
    if (const Count given = said(setting::kGlobalBatchSize)) {
      batch_ = given;
      as_set(setting::kGlobalBatchSize, *given, calculated && counts_all ? &product : nullptr);
    } else if (unknown(setting::kGlobalBatchSize) || unknown(setting::kGlobalBatchTokens)) {
      // what it would be calculated from could only be another one
    } else if (const Count tokens = said(setting::kGlobalBatchTokens); tokens && sequence_) {
      if (*tokens % *sequence_ == 0) {
        batch_ = *tokens / *sequence_;
        quotient(setting::kGlobalBatchSize, {*tokens, "tokens", "个 token", setting::kGlobalBatchTokens},
                 tokens_of_sequence());
      }
    } else if (calculated) {
      batch_ = product.value();
      as_product(setting::kGlobalBatchSize, product, "sequences", " 条序列");
    }
    if (is("verl")) responses();
    if (is("torchtune")) answers();
    rampup();
    tokens_of_step();
    ranks_from_batch();
  }

  void tokens_of_step() {
    if (const Count tokens = said(setting::kGlobalBatchTokens)) {
      step_tokens_ = tokens;
      add("tokens_per_step", Value(*tokens), {"as set", "按设置"}, {std::string(setting::kGlobalBatchTokens)});
      return;
    }
    if (prompts_ || !batch_ || !sequence_ || unknown(setting::kGlobalBatchTokens)) return;
    Product product;
    product.times({*batch_, "sequences", "条序列", setting::kGlobalBatchSize});
    product.times({*sequence_, "tokens", "个 token", setting::kSequenceLength});
    step_tokens_ = product.value();
    as_product("tokens_per_step", product);
  }

  // Two of DeepSpeed's three batch settings give the third; all three give the ranks.
  void ranks_from_batch() {
    const Count steps = said(setting::kGradientAccumulation);
    if (data_parallel_ || !batch_ || !micro_ || !steps || !(is("deepspeed") || is("gpt-neox") || is("hf-trainer")))
      return;
    const Count one = checked_multiply(*micro_, *steps);
    if (!one) return;
    if (*batch_ % *one != 0) return no_ranks(*steps, *one);
    data_parallel_ = *batch_ / *one;
    quotient(setting::kDataParallelSize, {*batch_, "sequences", "条序列", setting::kGlobalBatchSize},
             {*one, "on each rank", "条/进程", setting::kMicroBatchSize},
             {std::string(setting::kGradientAccumulation)});
  }

  // The product of the factors is a multiple of those that are said, whatever the number of ranks is.
  void no_ranks(std::int64_t steps, std::int64_t one) {
    Product product;
    product.times(micro_factor());
    product.times(accumulation_factor(steps));
    add(std::string(setting::kDataParallelSize), Value("none"),
        {fmt::format("{} / ({})", counted(*batch_, "sequences"), product.text().en),
         fmt::format("{} 条序列 /（{}）", shown(*batch_), product.text().zh)},
        {std::string(setting::kGlobalBatchSize), std::string(setting::kMicroBatchSize),
         std::string(setting::kGradientAccumulation)},
        {fmt::format("{} cannot be divided by {}", counted(*batch_, "sequences"), shown(one)),
         fmt::format("{} 条序列不能被 {} 整除", shown(*batch_), shown(one))});
  }

  // verl's policy optimisation counts its batch in prompts; each is answered rollout.n times, and an update of the
  // optimizer takes ppo_mini_batch_size of the prompts.
  void responses() {
    for (const Setting& one : config_.settings) {
      prompts_ = prompts_ || one.key == "adv_estimator" || one.written.find("rollout") != std::string::npos;
    }
    const Count each = count_written("rollout", "n");
    if (!prompts_ || !batch_ || !each) return;
    responses(*batch_, setting::kGlobalBatchSize, *each, "responses_per_step");
    if (const Count mini = count_written("actor", "ppo_mini_batch_size")) {
      responses(*mini, "ppo_mini_batch_size", *each, "responses_per_update");
    }
  }

  // torchtune's policy optimisation: a sequence is a prompt with its answer, however long that is.
  void answers() {
    prompts_ = std::any_of(config_.settings.begin(), config_.settings.end(),
                           [](const Setting& one) { return one.written == "ppo_batch_size"; });
  }

  void responses(std::int64_t prompts, std::string_view key, std::int64_t each, std::string_view name) {
    Product product;
    product.times({prompts, "prompts", "条提示", key});
    product.times({each, "responses", "个回答", "rollout.n"});
    as_product(name, product, "sequences", " 条序列");
  }

  // A positive count that is written at the end of a path, of a file or of an option: "a/level/word", "a.level.word".
  Count count_written(std::string_view level, std::string_view word) const {
    Count out;
    for (const Setting& one : config_.settings) {
      if (!one.written.ends_with(fmt::format("{}/{}", level, word)) &&
          !one.written.ends_with(fmt::format("{}.{}", level, word)))
        continue;
      const auto number = one.unknown.empty() ? one.number() : std::nullopt;
      out = number ? exact_integer(*number) : std::nullopt;
    }
    return out && *out > 0 ? out : std::nullopt;
  }

  void rampup() {
    const auto told = rampup_said(config_);
    if (!told || !batch_ || !steps_of_samples(*told, *batch_, 0)) return;
    rampup_ = told;
    add("first_global_batch_size", Value(told->first),
        {fmt::format("grows by {} to {} over {} samples", shown(told->increment), shown(*batch_), shown(told->samples)),
         fmt::format("每次增加 {}，经 {} 个样本增至 {}", shown(told->increment), shown(told->samples), shown(*batch_))},
        {std::string(setting::kBatchRampup), std::string(setting::kGlobalBatchSize)});
  }

  void accumulation() {
    const Count told = said(setting::kGradientAccumulation);
    if (prompts_ || told || !batch_ || !micro_ || !data_parallel_ || is("mindformers") || is("nanogpt")) return;
    Product product;
    product.times(micro_factor());
    product.times({*data_parallel_, "data-parallel", "数据并行", setting::kDataParallelSize});
    if (!product.value()) return;
    std::vector<std::string> from = product.from();
    from.insert(from.begin(), std::string(setting::kGlobalBatchSize));
    const std::int64_t quotient = *batch_ / *product.value();
    const bool whole = *batch_ % *product.value() == 0;
    const std::string name = std::string(setting::kGradientAccumulation);
    Text text{fmt::format("{} / ({})", counted(*batch_, "sequences"), product.text().en),
              fmt::format("{} 条序列 /（{}）", shown(*batch_), product.text().zh)};
    if (whole) {
      text.en += " = " + shown(quotient);
      text.zh += "= " + shown(quotient);
      add(name, Value(quotient), std::move(text), std::move(from));
    } else {
      const std::string divisor = shown(*product.value());
      add(name, Value("none"), std::move(text), std::move(from),
          {fmt::format("{} cannot be divided by {}", counted(*batch_, "sequences"), divisor),
           fmt::format("{} 条序列不能被 {} 整除", shown(*batch_), divisor)});
    }
  }

  std::map<std::string_view, std::int64_t> meshed_;  // by canonical name
  std::optional<Rampup> rampup_;
  bool prompts_ = false;  // the batch is counted in prompts
  Count world_, data_parallel_, micro_, sequence_, batch_, step_tokens_;
};

}  // namespace

std::vector<Derived> derive(const Config& config, std::string_view dialect) {
  std::vector<Derived> out;
  Deriver(config, dialect, out).add_all();
  return out;
}

}  // namespace assay
