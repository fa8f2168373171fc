// Advice on precision: bytes, what is sent, what is lost, against numbers worked out by hand; near twins.

#include "advice/precision_advice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "advice/matrix_sums.h"
#include "advice/parts.h"
#include "advice/recipes.h"
#include "measure/derive.h"
#include "num/distribution.h"
#include "num/real.h"
#include "rules/precision/precision_plan.h"
#include "sim/optimizer_step.h"

namespace assay {
namespace {

using Said = std::vector<std::pair<std::string, std::string>>;

// Settings of launch.sh, one a line. Of a pair with the same key the last counts.
Run a_plan(const Said& said, const Said& more = {}) {
  Run run;
  run.id = "launch.sh";
  std::int64_t line = 0;
  for (const Said* part : {&said, &more}) {
    for (const auto& [key, value] : *part) {
      Setting one{key, value, {}, key, ""};
      one.where.path = run.id;
      one.where.line = ++line;
      run.config.settings.push_back(one);
    }
  }
  run.derived = derive(run.config);
  return run;
}

// Eight billion parameters over 2 tensor- × 4 pipeline-parallel ranks, 64 data-parallel ones: 1e9 a device.
const Said kMegatron = {{"framework", "megatron"},
                        {"parameters", "8000000000"},
                        {"world_size", "512"},
                        {"tensor_parallel_size", "2"},
                        {"pipeline_parallel_size", "4"},
                        {"bf16", "true"},
                        {"learning_rate", "3e-4"},
                        {"optimizer", "adam"},
                        {"adam_beta2", "0.95"},
                        {"init_std", "0.02"},
                        {"gradient_accumulation_steps", "16"},
                        {"hidden_size", "4096"},
                        {"ffn_hidden_size", "11008"},
                        {"num_layers", "32"},
                        {"vocab_size", "32000"},
                        {"sequence_length", "4096"}};

Device device(const std::string& name) { return name.empty() ? Device{} : device_named(name).value_or(Device{}); }

std::vector<Costs> costs_of(const Said& more, const std::string& chip = "") {
  const auto run = a_plan(kMegatron, more);
  return compare_recipes(Situation(run, device(chip)));
}

const Costs* recipe(const std::vector<Costs>& all, std::string_view key) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Costs& one) { return one.recipe.key == key; });
  return found == all.end() ? nullptr : &*found;
}

std::string present(const std::vector<Costs>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [](const Costs& one) { return one.now; });
  return found == all.end() ? "" : found->recipe.key;
}

const StepPart* part(const std::vector<StepPart>& all, std::string_view key) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const StepPart& one) { return one.key == key; });
  return found == all.end() ? nullptr : &*found;
}

TEST(PrecisionAdvice, BytesOfAParameterAreThePublishedOnes) {
  // Megatron Core, Distributed Optimizer: 18 with FP32 gradients, 20 with 16-bit ones, 16 in FP32.
  const auto all = costs_of({});
  ASSERT_NE(recipe(all, "bf16-fp32"), nullptr);
  EXPECT_EQ(recipe(all, "bf16-fp32")->bytes.total(), 18);
  EXPECT_EQ(recipe(all, "bf16-bf16")->bytes.total(), 20);
  EXPECT_EQ(recipe(all, "fp16")->bytes.total(), 20);
  EXPECT_EQ(recipe(all, "fp32")->bytes.total(), 16);
  EXPECT_EQ(recipe(all, "bf16-alone")->bytes.total(), 8);  // 2 + 2 + 2 · 2
  EXPECT_EQ(recipe(all, "bf16-moments")->bytes.total(), 14);
  // ZeRO: 2 + 2 + 12.
  const auto zero = a_plan({{"framework", "deepspeed"}, {"bf16", "true"}, {"parameters", "1000000000"}});
  EXPECT_EQ(recipe(compare_recipes(Situation(zero, {})), "bf16-bf16")->bytes.total(), 16);
  // Autocast: 4 + 4 + 8.
  const auto autocast = a_plan({{"framework", "nanogpt"}, {"precision", "bfloat16"}, {"parameters", "124000000"}});
  EXPECT_EQ(recipe(compare_recipes(Situation(autocast, {})), "bf16-fp32")->bytes.total(), 16);
}

TEST(PrecisionAdvice, StatesOfADeviceFollowTheStage) {
  // 1e9 parameters a device, 64 ranks that share out: 18; 6 + 12/64; 2 + 16/64; 18/64 bytes.
  const double gradients = 4, weights = 2, optimizer = 12, shards = 64;
  const std::pair<const char*, double> cases[] = {
      {"0", weights + gradients + optimizer},
      {"1", weights + gradients + optimizer / shards},
      {"2", weights + (gradients + optimizer) / shards},
      {"3", (weights + gradients + optimizer) / shards},
  };
  for (const auto& [stage, bytes] : cases) {
    const auto all = costs_of({{"zero_stage", stage}});
    ASSERT_TRUE(recipe(all, "bf16-fp32")->states.has_value()) << stage;
    EXPECT_NEAR(*recipe(all, "bf16-fp32")->states, 1e9 * bytes, 1) << stage;
  }
}

TEST(PrecisionAdvice, WhatIsSentInAStep) {
  // f = 63/64, gradients 4 bytes, weights 2, 16 micro-batches.
  const double f = 63.0 / 64;
  const std::pair<const char*, double> cases[] = {
      {"0", 2 * f * 4}, {"1", f * 4 + f * 2}, {"2", 16 * f * 4 + f * 2}, {"3", 16 * (f * 4 + 2 * f * 2)}};
  for (const auto& [stage, bytes] : cases) {
    const auto all = costs_of({{"zero_stage", stage}});
    ASSERT_TRUE(recipe(all, "bf16-fp32")->moved.has_value()) << stage;
    EXPECT_NEAR(*recipe(all, "bf16-fp32")->moved, 1e9 * bytes, 1) << stage;
  }
  // Half of that for gradients in BF16.
  EXPECT_NEAR(*recipe(costs_of({}), "bf16-bf16")->moved, 1e9 * 2 * f * 2, 1);
  // Shares of 8 of the 64, and 8 copies of each: 7/8 · 4 + 2 · 7/8 · 4/8 + 7/8 · 2 in stage 1.
  const auto hybrid = costs_of({{"zero_stage", "1"}, {"data_parallel_shards", "8"}, {"data_parallel_replicas", "8"}});
  EXPECT_NEAR(*recipe(hybrid, "bf16-fp32")->moved, 1e9 * (3.5 + 0.875 + 1.75), 1);
  EXPECT_NEAR(*recipe(hybrid, "bf16-fp32")->states, 1e9 * (6 + 12.0 / 8), 1);
}

TEST(PrecisionAdvice, ContextParallelRanksSumGradientsToo) {
  const auto run = a_plan(kMegatron, {{"context_parallel_size", "2"}});
  const Situation situation(run, {});
  // 512 / (2 · 4 · 2) = 32 data-parallel ranks, times 2.
  ASSERT_TRUE(situation.ranks.has_value());
  EXPECT_EQ(*situation.ranks, 64U);
}

TEST(PrecisionAdvice, ExpertsAreSharedByTheirOwnRanks) {
  // Mixtral 8x7B: 46,702,792,704 parameters, of which 12,879,925,248 meet a token with 2 of 8 experts: 6/8 of the
  // experts' are the difference, 33,822,867,456, so they have 45,097,156,608 and the rest 1,605,636,096.
  const auto run = a_plan({{"framework", "hf-model"},
                           {"model_type", "mixtral"},
                           {"bf16", "true"},
                           {"hidden_size", "4096"},
                           {"num_layers", "32"},
                           {"num_attention_heads", "32"},
                           {"num_key_value_heads", "8"},
                           {"ffn_hidden_size", "14336"},
                           {"vocab_size", "32000"},
                           {"num_experts", "8"},
                           {"experts_per_token", "2"},
                           {"world_size", "64"},
                           {"expert_parallel_size", "8"}});
  const Situation situation(run, {});
  ASSERT_EQ(situation.groups.size(), 2U);
  EXPECT_EQ(situation.groups[0].ranks, 64U);
  EXPECT_EQ(situation.groups[1].ranks, 8U);
  EXPECT_NEAR(situation.groups[0].parameters, 1605636096.0, 1);
  EXPECT_NEAR(situation.groups[1].parameters, 45097156608.0 / 8, 1);
}

TEST(PrecisionAdvice, LossesAreThoseOfTheTheory) {
  const auto all = costs_of({});
  const double c = 1 / std::sqrt(8 * std::numbers::ln2), u = std::ldexp(1.0, -8);
  const Costs& sums = *recipe(all, "bf16-bf16");
  EXPECT_NEAR(sums.product_error, c * std::numbers::sqrt2 * u, 1e-7);
  // Around a ring of 64: c·u·√((64 + 64·65/2 − 1) / 64) = 0.96 %; 16 micro-batches: c·u·√((16 + 16·17/2 − 1) / 16).
  ASSERT_TRUE(sums.reduction_error && sums.accumulation_error && sums.gradient_error());
  EXPECT_NEAR(*sums.reduction_error, c * u * std::sqrt((64 + 2080 - 1) / 64.0), 1e-6);
  EXPECT_NEAR(*sums.accumulation_error, c * u * std::sqrt((16 + 136 - 1) / 16.0), 1e-6);
  EXPECT_NEAR(*sums.gradient_error(), std::hypot(*sums.reduction_error, *sums.accumulation_error), 1e-9);
  EXPECT_LT(*recipe(all, "bf16-fp32")->gradient_error(), 1e-6);
  EXPECT_NEAR(recipe(all, "bf16-alone")->moment_error, c * u / 0.05, 1e-6);
}

TEST(PrecisionAdvice, LostUpdatesAreThoseOfSimulatedSteps) {
  // Steps of AdamW at the peak on weights of N(0, 0.02²) in BF16, gradients of noise; counted after 40 steps.
  constexpr std::size_t kWeights = 20000;
  std::vector<double> weights(kWeights), gradients(kWeights);
  draw(Distribution::kNormal, 0, 0.02, 5, 0, 0, weights);
  OptimizerSettings settings;
  settings.learning_rate = 3e-4;
  settings.beta2 = 0.95;
  OptimizerFormats formats = all_in(format_named("bf16"));
  for (Stored* moment : {&formats.exp_avg, &formats.exp_avg_sq, &formats.gradient})
    moment->format = format_named("fp32");
  auto step = OptimizerStep::start(settings, formats, weights);
  ASSERT_TRUE(step.has_value());
  StepCounts counts;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    draw(Distribution::kNormal, 0, 1, 5, i, 0, gradients);
    counts = step->step(gradients);
  }
  const double simulated = static_cast<double>(counts.swallowed) / static_cast<double>(counts.wanted);
  const auto all = costs_of({});
  ASSERT_TRUE(recipe(all, "bf16-alone")->lost_updates.has_value());
  EXPECT_NEAR(*recipe(all, "bf16-alone")->lost_updates, simulated, 0.03);
  EXPECT_LT(*recipe(all, "bf16-fp32")->lost_updates, 1e-3);
}

TEST(PrecisionAdvice, LossIsRankedBeforeCost) {
  // At 64 ranks and 16 micro-batches BF16 sums lose hypot(0.96 %, 0.51 %) = 1.1 %; a pure BF16 run a share of updates.
  const auto all = costs_of({{"zero_stage", "1"}});
  EXPECT_EQ(all.front().recipe.key, "bf16-fp32");
  EXPECT_EQ(all.front().harm, Harm::kNone);
  EXPECT_EQ(recipe(all, "bf16-bf16")->harm, Harm::kSome);
  EXPECT_GE(recipe(all, "bf16-alone")->harm, Harm::kMuch);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].harm, all[i].harm);
  // 16 micro-batches in BF16 are told by the rule of such sums, too, 4 are not; over 2 ranks the rest is little.
  EXPECT_EQ(recipe(costs_of({{"world_size", "16"}}), "bf16-bf16")->harm, Harm::kSome);
  EXPECT_EQ(recipe(costs_of({{"world_size", "16"}, {"gradient_accumulation_steps", "4"}}), "bf16-bf16")->harm,
            Harm::kNone);
  // Two ranks and no accumulation: the same sums lose 0.24 %, and nobody has to pay for FP32.
  const auto few = costs_of({{"world_size", "16"}, {"gradient_accumulation_steps", "1"}});
  EXPECT_EQ(recipe(few, "bf16-bf16")->harm, Harm::kNone);
}

TEST(PrecisionAdvice, WhatIsSetIsFound) {
  EXPECT_EQ(present(costs_of({})), "bf16-fp32");  // Megatron's own with bf16
  EXPECT_EQ(present(costs_of({{"grad_reduce_in_bf16", "true"}})), "bf16-bf16");
  EXPECT_EQ(present(costs_of({{"bf16", "false"}, {"fp16", "true"}})), "fp16");
  EXPECT_EQ(present(costs_of({{"bf16", "false"}, {"fp16", "false"}})), "fp32");
  EXPECT_EQ(present(costs_of({{"bf16", "false"}, {"precision", "bf16-true"}})), "bf16-alone");
  EXPECT_EQ(present(costs_of({{"exp_avg_sq_dtype", "bf16"}})), "bf16-moments");
  // fp16 with sums in FP32 is none of the usual ones of Megatron: it is put beside them.
  const auto own = costs_of({{"bf16", "false"}, {"fp16", "true"}, {"accumulate_allreduce_grads_in_fp32", "true"}});
  EXPECT_EQ(present(own), "as-set");
  EXPECT_EQ(recipe(own, "as-set")->bytes.total(), 18);
  // FSDP of a Trainer reduces in the training's format, DDP under autocast in FP32.
  const Said trainer = {
      {"framework", "hf-trainer"}, {"bf16", "true"}, {"parameters", "1000000000"}, {"world_size", "8"}};
  EXPECT_EQ(present(compare_recipes(Situation(a_plan(trainer), {}))), "bf16-fp32");
  EXPECT_EQ(present(compare_recipes(Situation(a_plan(trainer, {{"fsdp", "full_shard"}}), {}))), "bf16-bf16");
  // Nothing tells in what this framework reduces: none is marked.
  const auto unsaid =
      a_plan({{"framework", "olmo"}, {"precision", "amp_bf16"}, {"parameters", "1000000000"}, {"world_size", "8"}});
  EXPECT_EQ(present(compare_recipes(Situation(unsaid, {}))), "");
}

TEST(PrecisionAdvice, OneRankReducesNothing) {
  const auto one = costs_of({{"world_size", "8"}});
  EXPECT_EQ(recipe(one, "bf16-bf16"), nullptr);
  EXPECT_EQ(*recipe(one, "bf16-fp32")->moved, 0);
  const auto run = a_plan(kMegatron, {{"world_size", "8"}});
  EXPECT_EQ(part(parts_of_step(Situation(run, {})), "reduction"), nullptr);
  const auto many = a_plan(kMegatron);
  EXPECT_NE(part(parts_of_step(Situation(many, {})), "reduction"), nullptr);
}

TEST(PrecisionAdvice, TheDeviceDecidesWhatItCanMultiply) {
  EXPECT_NE(recipe(costs_of({}), "fp8"), nullptr);
  EXPECT_NE(recipe(costs_of({}, "h100"), "fp8"), nullptr);
  EXPECT_EQ(recipe(costs_of({}, "a100"), "fp8"), nullptr);
  EXPECT_EQ(recipe(costs_of({}, "910b"), "fp8"), nullptr);
  EXPECT_EQ(recipe(costs_of({}, "v100"), "bf16-fp32"), nullptr);  // FP16 alone
  EXPECT_EQ(recipe(costs_of({}, "v100"), "bf16-alone"), nullptr);
  EXPECT_NE(recipe(costs_of({}, "v100"), "fp16"), nullptr);
  const auto unknown = device_named("h10");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  EXPECT_NE(unknown.error().hint.find("did you mean 'h100'?"), std::string::npos);
}

TEST(PrecisionAdvice, AscendIsKnownByItsVariables) {
  const auto run = a_plan(kMegatron, {{"HCCL_CONNECT_TIMEOUT", "1200"}});
  EXPECT_EQ(device_of(run, "").name, "ascend");
  EXPECT_EQ(device_of(run, "h100").name, "h100");
  EXPECT_FALSE(device_of(a_plan(kMegatron), "").told());
}

TEST(PrecisionAdvice, PartsOfAStep) {
  const auto run = a_plan(kMegatron);
  const auto parts = parts_of_step(Situation(run, {}));
  const std::vector<std::string> wide = {"FP32"};
  // 4,096 keys and squares; BF16 counts to 256, FP16 to 2,048.
  EXPECT_EQ(part(parts, "softmax")->figure, 256);
  EXPECT_EQ(part(parts, "softmax")->safe, wide);
  EXPECT_EQ(part(parts, "softmax")->now, "FP32");
  // 769 of 0 … 4,095: 256 up to 2^8, then 128 in each of four binades and the last number, 4,096.
  EXPECT_EQ(part(parts, "positions")->figure, 769);
  // The loss begins at ln 32,000 = 10.37, in [8, 16): 2^3 · 2^-7 = 1/16.
  EXPECT_EQ(part(parts, "logits")->figure, 0.0625);
  // 64 additions of 65 terms: c·u·√((65 + 65·66/2 − 1) / 65).
  const double c = 1 / std::sqrt(8 * std::numbers::ln2), u = std::ldexp(1.0, -8);
  EXPECT_NEAR(part(parts, "residual")->figure, c * u * std::sqrt((65 + 2145 - 1) / 65.0), 1e-6);
  EXPECT_EQ(part(parts, "residual")->now, "BF16");
  EXPECT_EQ(part(parts, "reduction")->now, "FP32");
  EXPECT_EQ(part(parts, "weights")->safe, wide);
  // A short context and a narrow model: BF16 counts that far.
  const auto small =
      a_plan(kMegatron, {{"sequence_length", "128"}, {"hidden_size", "256"}, {"position_embedding", "alibi"}});
  const auto few = parts_of_step(Situation(small, {}));
  EXPECT_EQ(part(few, "softmax")->safe.front(), "BF16");
  EXPECT_EQ(part(few, "positions")->safe.front(), "BF16");
  EXPECT_EQ(part(few, "norms")->safe.front(), "BF16");
  // Rotary angles are products: few positions do not make them safe. Learned positions are no numbers at all.
  const auto rotary = a_plan(kMegatron, {{"sequence_length", "128"}, {"position_embedding", "rope"}});
  EXPECT_EQ(part(parts_of_step(Situation(rotary, {})), "positions")->safe, wide);
  const auto learned = a_plan(kMegatron, {{"position_embedding", "learned_absolute"}});
  EXPECT_EQ(part(parts_of_step(Situation(learned, {})), "positions"), nullptr);
}

TEST(PrecisionAdvice, AMatrixUnitLosesAsPublished) {
  // Hopper's FP8 sums, K = 4,096: 1.33e-3 of N(0, 1), −7.46 % of U(0, 1), from the bit-exact model.
  const Device h100 = device("h100");
  const UnitLoss fp8 = expected_loss(*h100.unit("e4m3"), 4096);
  EXPECT_NEAR(fp8.noise, 1.33e-3, 4e-4);
  EXPECT_NEAR(fp8.one_sign, -0.0746, 0.02);
  // And of FP16: about −2.7e-5.
  EXPECT_NEAR(expected_loss(*h100.unit("fp16"), 4096).one_sign, -2.7e-5, 1.5e-5);
}

TEST(PrecisionAdvice, SharesAreTold) {
  EXPECT_EQ(share_text(0.002346), "0.23 %");
  EXPECT_EQ(share_text(0.42), "42 %");
  EXPECT_EQ(share_text(1), "100 %");
  EXPECT_EQ(share_text(2.5e-8), "<0.001 %");
  EXPECT_EQ(share_text(0), "0 %");
}

TEST(PrecisionAdvice, TheSectionSaysWhatIsMissing) {
  const auto bare = a_plan({{"framework", "megatron"}, {"bf16", "true"}, {"learning_rate", "3e-4"}});
  const auto section = precision_advice(bare, {});
  ASSERT_TRUE(section.has_value());
  EXPECT_EQ(section->key, "precision-plan");
  for (const char* missing : {"--params N", "--ranks N", "--device NAME"}) {
    EXPECT_NE(section->text.en.find(missing), std::string::npos) << missing;
  }
  EXPECT_NE(section->text.zh.find("未给出"), std::string::npos);
  const auto whole = precision_advice(a_plan(kMegatron), device("h100"));
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->text.en.find("Not told"), std::string::npos) << whole->text.en;
  // Adapters: neither memory nor lost updates of the whole model are theirs.
  const auto adapters = precision_advice(a_plan(kMegatron, {{"lora_r", "16"}, {"lora_alpha", "32"}}), {});
  ASSERT_TRUE(adapters.has_value());
  EXPECT_EQ(adapters->tables.size(), 1U);
  EXPECT_EQ(whole->tables.size(), 2U);
  // Settings that speak of neither a precision nor a model.
  EXPECT_FALSE(precision_advice(a_plan({{"learning_rate", "0.1"}, {"optimizer", "sgd"}}), {}).has_value());
}

}  // namespace
}  // namespace assay
