// What the user says beside the files wins, and tells what it replaces.

#include "engine/gaps.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "measure/derive.h"

namespace assay {
namespace {

// Settings of launch.sh, one a line.
Run a_plan(std::initializer_list<std::pair<const char*, const char*>> said, const Gaps& gaps) {
  Run run;
  run.id = "launch.sh";
  std::int64_t line = 0;
  for (const auto& [key, value] : said) {
    Setting one{key, value, {}, key, ""};
    one.where.path = run.id;
    one.where.line = ++line;
    run.config.settings.push_back(one);
  }
  run.derived = derive(run.config);
  fill_gaps(run, gaps);
  return run;
}

Gaps of(std::int64_t parameters, std::int64_t tokens, std::int64_t ranks) {
  Gaps gaps;
  gaps.parameters = parameters;
  gaps.tokens = tokens;
  gaps.ranks = ranks;
  return gaps;
}

std::string fact(const Run& run, std::string_view name) {
  for (const Derived& one : run.derived) {
    if (one.name == name) return format(one.value) + ": " + one.arithmetic.en + one.disagreement.en;
  }
  return "";
}

TEST(Gaps, RanksWinOverNodesThatWereNotFilledIn) {
  const auto run = a_plan({{"framework", "megatron"},
                           {"nodes", "1"},
                           {"devices_per_node", "8"},
                           {"tensor_parallel_size", "8"},
                           {"pipeline_parallel_size", "16"}},
                          of(0, 0, 128));
  EXPECT_EQ(fact(run, "world_size"), "128: --ranks; the settings have 8, line 2");
  EXPECT_EQ(fact(run, "data_parallel_size"), "1: 128 ranks / (8 tensor x 16 pipeline) = 1");
  EXPECT_EQ(run.config.find("nodes"), nullptr);
}

TEST(Gaps, WhatTheSettingsSayTooIsNotReplaced) {
  const auto run = a_plan({{"framework", "megatron"}, {"nodes", "2"}, {"devices_per_node", "8"}}, of(0, 0, 16));
  EXPECT_EQ(fact(run, "world_size"), "16: 2 nodes x 8 devices = 16 ranks");
}

TEST(Gaps, ParametersWinOverTheShapeOfTheModel) {
  const auto run = a_plan({{"framework", "megatron"},
                           {"num_layers", "12"},
                           {"hidden_size", "768"},
                           {"num_attention_heads", "12"},
                           {"vocab_size", "50304"},
                           {"max_position_embeddings", "1024"}},
                          of(7'000'000'000, 0, 0));
  EXPECT_TRUE(fact(run, "parameters").starts_with("7,000,000,000: --params; the settings have 1"))
      << fact(run, "parameters");
}

TEST(Gaps, TokensWinOverSteps) {
  const auto run = a_plan(
      {{"framework", "megatron"}, {"train_steps", "1000"}, {"global_batch_size", "256"}, {"sequence_length", "1024"}},
      of(0, 1'000'000'000, 0));
  EXPECT_EQ(fact(run, "train_tokens"), "1,000,000,000: --tokens; the settings have 262.1 M, line 2");
  EXPECT_EQ(fact(run, "train_steps"), "1,000: as set");
}

TEST(Gaps, WhereNothingIsToldNothingIsReplaced) {
  const auto run = a_plan({{"framework", "megatron"}}, of(0, 0, 64));
  EXPECT_EQ(fact(run, "world_size"), "64: as set");
}

}  // namespace
}  // namespace assay
