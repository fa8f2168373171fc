// What follows from settings.

#include "measure/derive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "format/reader.h"

namespace assay {
namespace {

using testing::HasSubstr;
using Said = std::initializer_list<std::pair<const char*, const char*>>;

Config config(Said said) {
  Config out;
  for (const auto& [key, value] : said) out.settings.push_back({key, value, {}, "", ""});
  return out;
}

struct Facts {
  std::vector<Derived> all;
  const Derived* find(std::string_view name) const {
    for (const Derived& one : all) {
      if (one.name == name) return &one;
    }
    return nullptr;
  }
  std::int64_t count(std::string_view name) const {
    const Derived* one = find(name);
    const auto* value = one == nullptr ? nullptr : std::get_if<std::int64_t>(&one->value.data);
    return value == nullptr ? -1 : *value;
  }
  std::string arithmetic(std::string_view name) const { return find(name) == nullptr ? "" : find(name)->arithmetic.en; }
  std::string disagreement(std::string_view name) const {
    return find(name) == nullptr ? "" : find(name)->disagreement.en;
  }
};

Facts facts(Said said) { return {derive(config(said))}; }

// BigScience's 176 B: 24 nodes of 8, tensor 4, pipeline 12.
TEST(Derive, RanksAndAccumulation) {
  const Facts got = facts({{"framework", "megatron"},
                           {"nodes", "24"},
                           {"devices_per_node", "8"},
                           {"tensor_parallel_size", "4"},
                           {"pipeline_parallel_size", "12"},
                           {"global_batch_size", "2048"},
                           {"micro_batch_size", "2"},
                           {"sequence_length", "2048"},
                           {"train_samples", "220000000"},
                           {"warmup_samples", "183105"}});
  EXPECT_EQ(got.count("world_size"), 192);
  EXPECT_EQ(got.count("data_parallel_size"), 4);
  EXPECT_EQ(got.count("gradient_accumulation_steps"), 256);
  EXPECT_EQ(got.count("tokens_per_step"), 2048 * 2048);
  EXPECT_EQ(got.count("train_steps"), 220'000'000 / 2048);
  EXPECT_EQ(got.count("train_tokens"), 220'000'000LL * 2048);
  EXPECT_EQ(got.count("warmup_steps"), 183'105 / 2048);
  EXPECT_EQ(got.arithmetic("data_parallel_size"), "192 ranks / (4 tensor x 12 pipeline) = 4");
  EXPECT_EQ(got.arithmetic("gradient_accumulation_steps"), "2,048 sequences / (2 micro x 4 data-parallel) = 256");
}

TEST(Derive, ContextAndSequenceParallelDivideExpertsDoNot) {
  const Facts got = facts({{"world_size", "64"},
                           {"tensor_parallel_size", "2"},
                           {"context_parallel_size", "2"},
                           {"sequence_parallel_size", "2"},
                           {"expert_parallel_size", "8"},
                           {"pipeline_parallel_size", "0"}});
  EXPECT_EQ(got.count("data_parallel_size"), 8);
}

TEST(Derive, AProductOfItsFactors) {
  const Facts got = facts({{"framework", "hf-trainer"},
                           {"world_size", "8"},
                           {"micro_batch_size", "4"},
                           {"gradient_accumulation_steps", "2"},
                           {"sequence_length", "1024"},
                           {"train_epochs", "3"},
                           {"num_examples", "6400"},
                           {"warmup_fraction", "0.03"}});
  EXPECT_EQ(got.count("global_batch_size"), 64);
  EXPECT_EQ(got.arithmetic("global_batch_size"), "4 micro x 8 data-parallel x 2 accumulation = 64 sequences");
  EXPECT_EQ(got.count("tokens_per_step"), 65536);
  EXPECT_EQ(got.count("train_steps"), 300);
  EXPECT_EQ(got.count("warmup_steps"), 9);
}

TEST(Derive, ContradictionsAreBothTold) {
  const Facts got = facts({{"framework", "deepspeed"},
                           {"world_size", "8"},
                           {"micro_batch_size", "4"},
                           {"gradient_accumulation_steps", "2"},
                           {"global_batch_size", "128"}});
  EXPECT_EQ(got.count("global_batch_size"), 128);
  EXPECT_EQ(got.disagreement("global_batch_size"), "set to 128, but 4 micro x 8 data-parallel x 2 accumulation = 64");
  const Facts uneven = facts({{"framework", "megatron"},
                              {"world_size", "8"},
                              {"tensor_parallel_size", "8"},
                              {"pipeline_parallel_size", "16"}});
  EXPECT_EQ(uneven.find("data_parallel_size")->value, Value("none"));
  EXPECT_THAT(uneven.disagreement("data_parallel_size"), HasSubstr("8 ranks cannot be divided by 128"));
  const Facts rest =
      facts({{"framework", "megatron"}, {"world_size", "8"}, {"micro_batch_size", "3"}, {"global_batch_size", "64"}});
  EXPECT_EQ(rest.find("gradient_accumulation_steps")->value, Value("none"));
  const Facts ranks = facts({{"world_size", "8"}, {"tensor_parallel_size", "2"}, {"data_parallel_size", "8"}});
  EXPECT_THAT(ranks.disagreement("data_parallel_size"), HasSubstr("set to 8, but"));
}

TEST(Derive, FrameworksCountDifferently) {
  const Facts nano = facts({{"framework", "nanogpt"},
                            {"world_size", "8"},
                            {"micro_batch_size", "12"},
                            {"gradient_accumulation_steps", "40"},
                            {"sequence_length", "1024"}});
  EXPECT_EQ(nano.count("global_batch_size"), 480);
  const Facts pipeline = facts({{"framework", "mindformers"},
                                {"data_parallel_size", "2"},
                                {"tensor_parallel_size", "4"},
                                {"pipeline_parallel_size", "2"},
                                {"micro_batch_size", "1"},
                                {"micro_batch_count", "16"},
                                {"gradient_accumulation_steps", "8"}});
  EXPECT_EQ(pipeline.count("global_batch_size"), 32);
  EXPECT_EQ(pipeline.count("world_size"), 16);
  const Facts flat = facts({{"framework", "mindformers"},
                            {"data_parallel_size", "8"},
                            {"pipeline_parallel_size", "1"},
                            {"micro_batch_size", "1"},
                            {"micro_batch_count", "16"},
                            {"gradient_accumulation_steps", "8"}});
  EXPECT_EQ(flat.count("global_batch_size"), 64);
  const Facts tokens = facts({{"framework", "olmo-core"},
                              {"world_size", "32"},
                              {"global_batch_tokens", "2097152"},
                              {"micro_batch_tokens", "32768"},
                              {"sequence_length", "4096"},
                              {"train_tokens", "20971520"}});
  EXPECT_EQ(tokens.count("global_batch_size"), 512);
  EXPECT_EQ(tokens.count("micro_batch_size"), 8);
  EXPECT_EQ(tokens.count("gradient_accumulation_steps"), 2);
  EXPECT_EQ(tokens.count("train_steps"), 10);
  const Facts three = facts({{"framework", "deepspeed"},
                             {"global_batch_size", "32"},
                             {"micro_batch_size", "4"},
                             {"gradient_accumulation_steps", "1"}});
  EXPECT_EQ(three.count("data_parallel_size"), 8);
}

TEST(Derive, WarmupOfTheDecay) {
  const Facts got = facts({{"framework", "megatron"},
                           {"train_steps", "500000"},
                           {"decay_steps", "430000"},
                           {"warmup_fraction_of_decay", ".001"}});
  EXPECT_EQ(got.count("warmup_steps"), 430);
  EXPECT_EQ(
      facts({{"framework", "litgpt"}, {"train_steps", "10"}, {"warmup_fraction_of_epoch", "0.1"}}).find("warmup_steps"),
      nullptr);
}

TEST(Derive, ParametersAndWhatFollows) {
  const Facts got = facts({{"framework", "megatron"},
                           {"num_layers", "12"},
                           {"hidden_size", "768"},
                           {"num_attention_heads", "12"},
                           {"vocab_size", "50257"},
                           {"sequence_length", "1024"},
                           {"max_position_embeddings", "1024"},
                           {"global_batch_size", "512"},
                           {"train_steps", "1000"}});
  EXPECT_EQ(got.count("padded_vocab_size"), 50304);
  EXPECT_EQ(got.count("parameters"), 124'475'904);
  ASSERT_NE(got.find("flops_per_token"), nullptr);
  EXPECT_DOUBLE_EQ(std::get<double>(got.find("flops_per_token")->value.data),
                   6.0 * 124'475'904 + 12.0 * 12 * 768 * 1024);
  EXPECT_NEAR(std::get<double>(got.find("tokens_per_parameter")->value.data), 512.0 * 1024 * 1000 / 124'475'904, 1e-9);
}

TEST(Derive, MegatronGatedFeedForward) {
  const Facts got = facts({{"framework", "megatron"},
                           {"num_layers", "32"},
                           {"hidden_size", "4096"},
                           {"num_attention_heads", "32"},
                           {"padded_vocab_size", "32000"},
                           {"gated_mlp", "true"},
                           {"linear_bias", "false"},
                           {"normalization", "RMSNorm"},
                           {"position_embedding", "rope"},
                           {"tied_embeddings", "false"},
                           {"ffn_hidden_size", "11008"}});
  EXPECT_EQ(got.count("parameters"), 6'738'415'616);
}

TEST(Derive, PrecisionInOneWord) {
  const auto word = [](Said said) { return precision_word(config(said)); };
  EXPECT_EQ(word({{"precision", "bf16-mixed"}}), "bf16");
  EXPECT_EQ(word({{"precision", "amp_fp16"}}), "fp16");
  EXPECT_EQ(word({{"precision", "16"}}), "fp16");
  EXPECT_EQ(word({{"precision", "32-true"}}), "fp32");
  EXPECT_EQ(word({{"precision", "no"}}), "fp32");
  EXPECT_EQ(word({{"precision", "bfloat16"}}), "bf16");
  EXPECT_EQ(word({{"fp16", "true"}, {"bf16", "false"}}), "fp16");
  EXPECT_EQ(word({{"fp16", "false"}, {"bf16", "false"}}), "fp32");
  EXPECT_EQ(word({{"fp16", "false"}}), "");
  EXPECT_EQ(word({{"fp8", "hybrid"}, {"bf16", "true"}}), "fp8");
  EXPECT_EQ(word({{"fp8", "None"}, {"bf16", "true"}}), "bf16");
  EXPECT_EQ(word({}), "");
  EXPECT_FALSE(Facts{derive(config({{"fp16", "true"}, {"bf16", "true"}}))}.disagreement("precision").empty());
}

TEST(Derive, NonsenseGivesNothing) {
  const char* const keys[] = {"world_size",
                              "nodes",
                              "devices_per_node",
                              "tensor_parallel_size",
                              "pipeline_parallel_size",
                              "context_parallel_size",
                              "sequence_parallel_size",
                              "data_parallel_size",
                              "micro_batch_size",
                              "micro_batch_tokens",
                              "gradient_accumulation_steps",
                              "global_batch_size",
                              "global_batch_tokens",
                              "sequence_length",
                              "train_steps",
                              "train_samples",
                              "train_tokens",
                              "train_epochs",
                              "num_examples",
                              "warmup_samples",
                              "warmup_tokens",
                              "warmup_fraction",
                              "warmup_fraction_of_decay",
                              "decay_steps",
                              "vocab_size",
                              "vocab_divisor",
                              "hidden_size",
                              "num_layers",
                              "num_attention_heads",
                              "num_key_value_heads",
                              "head_dim",
                              "ffn_hidden_size",
                              "mlp_ratio",
                              "ffn_multiple_of",
                              "ffn_multiplier",
                              "num_experts",
                              "experts_per_token"};
  for (const char* framework :
       {"megatron", "hf-trainer", "nanogpt", "mindformers", "olmo", "deepspeed", "llama-params"}) {
    for (const char* value :
         {"0", "-1", "1e300", "9007199254740992", "9007199254740991", "nan", "inf", "0.5", "x", "2"}) {
      Config bad;
      bad.settings.push_back({"framework", framework, {}, "", ""});
      for (const char* key : keys) bad.settings.push_back({key, value, {}, "", ""});
      for (const Derived& one : derive(bad)) {
        const auto* count = std::get_if<std::int64_t>(&one.value.data);
        EXPECT_GE(count == nullptr ? 0 : *count, 0) << one.name << " " << value;
      }
    }
  }
}

// A value that only a run would tell takes the place of the default.
Config with_unknown(Said said, std::initializer_list<const char*> unknown) {
  Config out = config(said);
  for (const char* key : unknown) out.settings.push_back({key, "$X", {}, "", "would have to be run"});
  return out;
}

TEST(Derive, WhatStandsOnTheUnknownIsNotDerived) {
  const Said run = {{"framework", "megatron"},    {"world_size", "8"},         {"micro_batch_size", "1"},
                    {"global_batch_size", "256"}, {"sequence_length", "4096"}, {"train_steps", "100"}};
  EXPECT_EQ(Facts{derive(config(run))}.count("data_parallel_size"), 8);
  for (const char* key :
       {"tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size", "sequence_parallel_size"}) {
    const Facts got{derive(with_unknown(run, {key}))};
    EXPECT_EQ(got.arithmetic("data_parallel_size"), std::string("needs ") + key + ", which is not known");
    EXPECT_EQ(got.find("gradient_accumulation_steps"), nullptr) << key;
    EXPECT_EQ(got.count("tokens_per_step"), 256 * 4096) << key;
  }
  // The last saying counts: what was unknown and is then said is known.
  Config later = with_unknown(run, {"tensor_parallel_size"});
  later.settings.push_back({"tensor_parallel_size", "2", {}, "", ""});
  EXPECT_EQ(Facts{derive(later)}.count("data_parallel_size"), 4);
}

TEST(Derive, UnknownNodesAreNotOne) {
  const Said run = {
      {"framework", "megatron"}, {"devices_per_node", "8"}, {"micro_batch_size", "1"}, {"global_batch_size", "256"}};
  EXPECT_EQ(Facts{derive(config(run))}.count("world_size"), 8);
  const Facts got{derive(with_unknown(run, {"nodes"}))};
  EXPECT_EQ(got.find("world_size"), nullptr);
  EXPECT_EQ(got.arithmetic("data_parallel_size"), "needs nodes, which is not known");
  EXPECT_EQ(got.find("gradient_accumulation_steps"), nullptr);
  const Facts product{derive(with_unknown(run, {"world_size"}))};
  EXPECT_EQ(product.find("world_size"), nullptr);
}

TEST(Derive, UnknownBatchesAndLengths) {
  const Said run = {{"framework", "hf-trainer"}, {"world_size", "8"},      {"micro_batch_size", "4"},
                    {"train_epochs", "3"},       {"num_examples", "6400"}, {"sequence_length", "1024"},
                    {"warmup_fraction", "0.1"}};
  EXPECT_EQ(Facts{derive(config(run))}.count("train_steps"), 600);
  EXPECT_EQ(Facts{derive(config(run))}.count("warmup_steps"), 60);
  EXPECT_EQ(Facts{derive(with_unknown(run, {"gradient_accumulation_steps"}))}.find("global_batch_size"), nullptr);
  EXPECT_EQ(Facts{derive(with_unknown(run, {"global_batch_size"}))}.find("global_batch_size"), nullptr);
  EXPECT_EQ(Facts{derive(with_unknown(run, {"train_steps"}))}.find("train_steps"), nullptr);
  EXPECT_EQ(Facts{derive(with_unknown(run, {"train_samples"}))}.find("train_steps"), nullptr);
  EXPECT_EQ(Facts{derive(with_unknown(run, {"train_tokens"}))}.find("train_steps"), nullptr);
  EXPECT_EQ(Facts{derive(with_unknown(run, {"warmup_steps"}))}.find("warmup_steps"), nullptr);
  EXPECT_EQ(Facts{derive(with_unknown(run, {"sequence_length"}))}.find("tokens_per_step"), nullptr);
  EXPECT_EQ(Facts{derive(with_unknown(run, {"bf16"}))}.find("precision"), nullptr);
}

TEST(Derive, AShapeThatIsPartlyUnknownHasNoCount) {
  const Said model = {{"framework", "megatron"},
                      {"num_layers", "2"},
                      {"hidden_size", "64"},
                      {"num_attention_heads", "4"},
                      {"padded_vocab_size", "50304"},
                      {"sequence_length", "1024"},
                      {"max_position_embeddings", "1024"}};
  EXPECT_GT(Facts{derive(config(model))}.count("parameters"), 3'000'000);
  for (const char* key : {"num_layers", "hidden_size", "num_key_value_heads", "num_experts", "ffn_hidden_size",
                          "gated_mlp", "tied_embeddings", "linear_bias", "padded_vocab_size", "normalization",
                          "max_position_embeddings", "qk_norm", "position_embedding"}) {
    const Facts got{derive(with_unknown(model, {key}))};
    EXPECT_EQ(got.arithmetic("parameters"), std::string("needs ") + key + ", which is not known");
    EXPECT_EQ(got.find("flops_per_token"), nullptr) << key;
  }
  // What the shape does not stand on may stay unknown.
  EXPECT_GT(Facts{derive(with_unknown(model, {"tensor_parallel_size"}))}.count("parameters"), 0);
  EXPECT_GT(Facts{derive(with_unknown(model, {"sequence_length"}))}.count("parameters"), 0);
}

// MindSpeed's DeepSeek-V3: 64 layers of which three only fill the pipeline.
TEST(Derive, LayersThatDoNothingAndLayersWithoutExperts) {
  Config deepseek = config({{"framework", "megatron"},      {"num_layers", "64"},
                            {"hidden_size", "7168"},        {"ffn_hidden_size", "18432"},
                            {"num_attention_heads", "128"}, {"padded_vocab_size", "129280"},
                            {"tied_embeddings", "false"},   {"gated_mlp", "true"},
                            {"linear_bias", "false"},       {"normalization", "RMSNorm"},
                            {"position_embedding", "rope"}, {"num_experts", "256"},
                            {"experts_per_token", "8"},     {"moe_ffn_hidden_size", "2048"},
                            {"shared_experts", "1"},        {"dense_layers", "3"},
                            {"query_lora_rank", "1536"},    {"key_value_lora_rank", "512"},
                            {"nope_head_dim", "128"},       {"rope_head_dim", "64"},
                            {"value_head_dim", "128"},      {"moe_layer_freq", "1"},
                            {"noop_layers", "61,62,63"},    {"moe_router_enable_expert_bias", "true"}});
  EXPECT_EQ(Facts{derive(deepseek)}.count("parameters"), 671'026'419'200);
  deepseek.settings.push_back({"dense_layers", "None", {}, "", ""});
  deepseek.settings.push_back({"moe_layer_freq", "[0]*3+[1]*61", {}, "", ""});
  EXPECT_EQ(Facts{derive(deepseek)}.count("parameters"), 671'026'419'200);
  deepseek.settings.push_back({"moe_layer_freq", "every_second()", {}, "", ""});
  EXPECT_EQ(Facts{derive(deepseek)}.find("parameters"), nullptr);
  deepseek.settings.push_back({"moe_layer_freq", "$F", {}, "", "would have to be run"});
  EXPECT_EQ(Facts{derive(deepseek)}.arithmetic("parameters"), "needs moe_layer_freq, which is not known");
  const Facts every_second = facts({{"framework", "megatron"},
                                    {"num_layers", "4"},
                                    {"hidden_size", "1024"},
                                    {"ffn_hidden_size", "4096"},
                                    {"num_attention_heads", "16"},
                                    {"padded_vocab_size", "32000"},
                                    {"gated_mlp", "true"},
                                    {"linear_bias", "false"},
                                    {"normalization", "RMSNorm"},
                                    {"position_embedding", "rope"},
                                    {"num_experts", "8"},
                                    {"experts_per_token", "2"},
                                    {"moe_ffn_hidden_size", "2048"},
                                    {"moe_layer_freq", "2"}});
  EXPECT_EQ(every_second.count("parameters"), 175'399'936);
}

// A dump of Megatron's prints the ranks of an attention that is not used.
TEST(Derive, LatentAttentionThatIsOff) {
  const Said plain = {{"framework", "megatron"},    {"num_layers", "2"},           {"hidden_size", "64"},
                      {"num_attention_heads", "4"}, {"padded_vocab_size", "1024"}, {"position_embedding", "rope"}};
  Config dump = config(plain);
  for (const auto& [key, value] : Said{{"multi_latent_attention", "False"},
                                       {"key_value_lora_rank", "32"},
                                       {"nope_head_dim", "128"},
                                       {"rope_head_dim", "64"},
                                       {"value_head_dim", "128"}}) {
    dump.settings.push_back({key, value, {}, "", ""});
  }
  EXPECT_EQ(Facts{derive(dump)}.count("parameters"), facts(plain).count("parameters"));
}

// OLMo's own YAML has the name of transformers' model, and other defaults.
TEST(Derive, OlmoOfItsOwnTrainer) {
  const Facts got = facts({{"framework", "olmo"},
                           {"hidden_size", "1024"},
                           {"num_layers", "4"},
                           {"num_attention_heads", "16"},
                           {"mlp_ratio", "4"},
                           {"activation_type", "gelu"},
                           {"rope", "true"},
                           {"padded_vocab_size", "50304"}});
  EXPECT_EQ(got.count("parameters"), 50304 * 1024 + 4 * (12'582'912 + 2 * 1024) + 1024);
  EXPECT_THAT(got.arithmetic("parameters"), HasSubstr("in tied embeddings"));
}

// OPT-350M, as its model card counts it: embeddings of 512 behind projections, no norm at the end.
TEST(Derive, EmbeddingsThatAreNarrowerThanTheModel) {
  Config opt = config({{"framework", "hf-model"},
                       {"model_type", "opt"},
                       {"hidden_size", "1024"},
                       {"ffn_hidden_size", "4096"},
                       {"num_layers", "24"},
                       {"num_attention_heads", "16"},
                       {"vocab_size", "50272"},
                       {"max_position_embeddings", "2048"},
                       {"word_embed_proj_dim", "512"}});
  EXPECT_EQ(Facts{derive(opt)}.find("parameters"), nullptr);  // whether there is a last norm is not said
  opt.settings.push_back({"do_layer_norm_before", "false", {}, "", ""});
  EXPECT_EQ(Facts{derive(opt)}.count("parameters"), 331'196'416);
}

TEST(Derive, TheLimitThatComesFirst) {
  const Facts got = facts({{"framework", "megatron"},
                           {"global_batch_size", "512"},
                           {"sequence_length", "2048"},
                           {"train_tokens", "300000000000"},
                           {"train_samples", "292968750"}});
  EXPECT_EQ(got.count("train_steps"), 286'102);
  EXPECT_EQ(got.disagreement("train_steps"),
            "train_samples would be 572,204 steps; the run ends at train_tokens, which comes first");
  const Facts agreed = facts({{"framework", "megatron"},
                              {"global_batch_size", "512"},
                              {"sequence_length", "2048"},
                              {"train_tokens", "1048576000"},
                              {"train_samples", "512000"}});
  EXPECT_EQ(agreed.count("train_steps"), 1000);
  EXPECT_EQ(agreed.disagreement("train_steps"), "");
}

TEST(Derive, PromptsAreNoSequences) {
  Config verl = config({{"framework", "verl"},
                        {"adv_estimator", "grpo"},
                        {"world_size", "16"},
                        {"global_batch_size", "1024"},
                        {"micro_batch_size", "4"},
                        {"train_steps", "435"},
                        {"warmup_fraction", "0.1"}});
  verl.settings.push_back({"n", "8", {}, "actor_rollout_ref/rollout/n", ""});
  const Facts got{derive(verl)};
  EXPECT_EQ(got.arithmetic("responses_per_step"), "1,024 prompts x 8 responses = 8,192 sequences");
  EXPECT_EQ(got.arithmetic("train_samples"), "435 steps x 1,024 prompts = 445,440 prompts");
  EXPECT_EQ(got.find("gradient_accumulation_steps"), nullptr);
  EXPECT_EQ(got.count("warmup_steps"), 43);  // int(43.5)
  verl.settings.back().unknown = "would have to be run";
  EXPECT_EQ(Facts{derive(verl)}.find("responses_per_step"), nullptr);
}

TEST(Derive, ABatchThatNoNumberOfRanksGives) {
  const Said said = {{"framework", "deepspeed"},
                     {"global_batch_size", "100"},
                     {"micro_batch_size", "4"},
                     {"gradient_accumulation_steps", "8"}};
  EXPECT_EQ(facts(said).disagreement("data_parallel_size"), "100 sequences cannot be divided by 32");
}

}  // namespace
}  // namespace assay
