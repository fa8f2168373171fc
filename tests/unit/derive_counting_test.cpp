// Where frameworks count differently: what a batch is left to be, warm-ups while the batch grows, updates of a policy.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "measure/derive.h"

namespace assay {
namespace {

using Said = std::initializer_list<std::pair<const char*, const char*>>;

struct Facts {
  explicit Facts(Said said) {
    Config config;
    for (const auto& [key, value] : said) config.settings.push_back({key, value, {}, key, ""});
    all = derive(config);
  }
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
  std::string disagreement(std::string_view name) const {
    return find(name) == nullptr ? "" : find(name)->disagreement.en;
  }
  std::vector<Derived> all;
};

// An accumulation that is not said is what is left; one that is said can contradict.
TEST(DeriveCounting, OnlyWhatIsSaidContradictsABatch) {
  for (const char* framework : {"megatron", "megatron-swift", "deepspeed", "gpt-neox", "torchtitan", "hf-trainer"}) {
    const Facts left(
        {{"framework", framework}, {"world_size", "3"}, {"micro_batch_size", "2"}, {"global_batch_size", "24"}});
    EXPECT_EQ(left.disagreement("global_batch_size"), "") << framework;
    EXPECT_EQ(left.count("gradient_accumulation_steps"), 4) << framework;
  }
  const Facts said({{"framework", "deepspeed"},
                    {"world_size", "3"},
                    {"micro_batch_size", "2"},
                    {"gradient_accumulation_steps", "5"},
                    {"global_batch_size", "24"}});
  EXPECT_EQ(said.disagreement("global_batch_size"), "set to 24, but 2 micro x 3 data-parallel x 5 accumulation = 30");
}

TEST(DeriveCounting, MegatronTakesOneMicroBatchOfEachRankWhereNothingIsSaid) {
  const Facts got(
      {{"framework", "megatron"}, {"world_size", "12"}, {"tensor_parallel_size", "3"}, {"micro_batch_size", "5"}});
  EXPECT_EQ(got.count("global_batch_size"), 20);
  EXPECT_EQ(got.count("gradient_accumulation_steps"), 1);
}

TEST(DeriveCounting, AFileOfDeepspeedMaySayTheAccumulationOfMegatron) {
  const Facts got(
      {{"framework", "megatron"}, {"world_size", "12"}, {"micro_batch_size", "5"}, {"deepspeed_config", "ds.json"}});
  EXPECT_EQ(got.find("global_batch_size"), nullptr);
}

TEST(DeriveCounting, SequencesOfAnswersHaveNoLengthOfTheirOwn) {
  Config config;
  config.settings.push_back({"framework", "torchtune", {}, "", ""});
  config.settings.push_back({"global_batch_size", "48", {}, "ppo_batch_size", ""});
  config.settings.push_back({"sequence_length", "512", {}, "tokenizer/max_seq_len", ""});
  for (const Derived& one : derive(config)) EXPECT_NE(one.name, "tokens_per_step");
}

// first 4, by 4 to 16 over 240 samples: 80 samples of each of 4, 8 and 12, in 20, 10 and 7 steps (84: the stretch ends
// within a step), which leaves 400 - 244 = 156 samples in steps of 16: 9 whole ones.
TEST(DeriveCounting, AWarmUpWhileTheBatchGrowsGoesBySamples) {
  const Facts share({{"framework", "megatron"},
                     {"global_batch_size", "16"},
                     {"batch_size_rampup", "4 4 240"},
                     {"train_steps", "1000"},
                     {"decay_steps", "500"},
                     {"warmup_fraction_of_decay", "0.05"}});
  EXPECT_EQ(share.count("warmup_steps"), 46);
  const Facts steps({{"framework", "megatron"},
                     {"global_batch_size", "16"},
                     {"batch_size_rampup", "4 4 240"},
                     {"train_steps", "1000"},
                     {"warmup_steps", "25"}});
  EXPECT_EQ(steps.count("warmup_steps"), 46);
}

TEST(DeriveCounting, AWarmUpThatIsAShareOfADecayInSamples) {
  const Facts got({{"framework", "megatron"},
                   {"global_batch_size", "64"},
                   {"train_samples", "1000000"},
                   {"decay_samples", "640000"},
                   {"warmup_fraction_of_decay", "0.01"}});
  EXPECT_EQ(got.count("warmup_steps"), 100);
  const Facts whole({{"framework", "megatron"},
                     {"global_batch_size", "64"},
                     {"train_samples", "640000"},
                     {"warmup_fraction_of_decay", "0.01"}});
  EXPECT_EQ(whole.count("warmup_steps"), 100);
}

TEST(DeriveCounting, MaxtextLeavesOutThePartOfAStep) {
  const Facts got({{"framework", "maxtext"}, {"train_steps", "1005"}, {"warmup_fraction", "0.1"}});
  EXPECT_EQ(got.count("warmup_steps"), 100);
}

TEST(DeriveCounting, UpdatesOfAPolicyTakeAPartOfThePrompts) {
  Config config;
  const auto say = [&](const char* key, const char* value, const char* written) {
    config.settings.push_back({key, value, {}, written, ""});
  };
  say("framework", "verl", "");
  say("global_batch_size", "96", "data.train_batch_size");
  say("adv_estimator", "grpo", "algorithm.adv_estimator");
  say("n", "6", "actor_rollout_ref.rollout.n");
  say("ppo_mini_batch_size", "7", "critic.ppo_mini_batch_size");
  say("ppo_mini_batch_size", "24", "actor_rollout_ref.actor.ppo_mini_batch_size");
  std::int64_t step = 0;
  std::int64_t update = 0;
  for (const Derived& one : derive(config)) {
    if (one.name == "responses_per_step") step = std::get<std::int64_t>(one.value.data);
    if (one.name == "responses_per_update") update = std::get<std::int64_t>(one.value.data);
  }
  EXPECT_EQ(step, 576);
  EXPECT_EQ(update, 144);
}

TEST(DeriveCounting, ALimitOfTokensBesideSentencesLeavesTheBatchOpen) {
  const Facts both(
      {{"framework", "fairseq"}, {"world_size", "4"}, {"micro_batch_size", "8"}, {"micro_batch_tokens", "999"}});
  EXPECT_EQ(both.find("global_batch_size"), nullptr);
  const Facts sentences({{"framework", "fairseq"}, {"world_size", "4"}, {"micro_batch_size", "8"}});
  EXPECT_EQ(sentences.count("global_batch_size"), 32);
}

std::string precision_of(const char* written, const char* value) {
  Config config;
  config.settings.push_back({"params_dtype", value, {}, written, ""});
  return precision_word(config);
}

TEST(DeriveCounting, WeightsThatAProgramIsToldToHoldIn16Bits) {
  EXPECT_EQ(precision_of("--torch_dtype", "bfloat16"), "bf16");
  EXPECT_EQ(precision_of("--dtype", "float16"), "fp16");
  EXPECT_EQ(precision_of("--torch_dtype", "float32"), "");
  EXPECT_EQ(precision_of("torch_dtype", "bfloat16"), "") << "how a model is stored";
}

// Gemma 2 of 9 B: gated, four norms a layer, tied.
TEST(DeriveCounting, FourNormsALayer) {
  const Facts got({{"framework", "megatron"},
                   {"num_layers", "42"},
                   {"hidden_size", "3584"},
                   {"ffn_hidden_size", "14336"},
                   {"num_attention_heads", "16"},
                   {"num_key_value_heads", "8"},
                   {"head_dim", "256"},
                   {"vocab_size", "256000"},
                   {"vocab_divisor", "1"},
                   {"linear_bias", "false"},
                   {"normalization", "RMSNorm"},
                   {"position_embedding", "rope"},
                   {"gated_mlp", "true"},
                   {"post_norm", "true"}});
  EXPECT_EQ(got.count("parameters"), 9'241'705'984);
}

// The plan shows the number that acts.
TEST(DeriveCounting, WhatIsSwitchedOffDoesNotCount) {
  const Facts mindformers({{"framework", "mindformers"},
                           {"use_clip_grad", "False"},
                           {"clip_norm", "1.0"},
                           {"pipeline_parallel_size", "2"},
                           {"gradient_accumulation_steps", "4"}});
  EXPECT_EQ(mindformers.count("clip_norm"), 0);
  EXPECT_EQ(mindformers.count("gradient_accumulation_steps"), 1);
  const Facts on({{"framework", "mindformers"},
                  {"use_clip_grad", "True"},
                  {"clip_norm", "1.0"},
                  {"pipeline_parallel_size", "1"},
                  {"gradient_accumulation_steps", "4"}});
  EXPECT_EQ(on.find("clip_norm"), nullptr);
  EXPECT_EQ(on.find("gradient_accumulation_steps"), nullptr);
}

}  // namespace
}  // namespace assay
