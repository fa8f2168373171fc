// Advice in the words of the run's own framework.

#include "rules/actions.h"

#include <gtest/gtest.h>

#include <string>

#include "assay/setting.h"
#include "facts/framework_options.h"

namespace assay {
namespace {

Run run_of(const std::string& framework, std::vector<Setting> settings = {}) {
  Run run;
  run.id = "run";
  run.segments.emplace_back();
  if (!framework.empty()) run.config.settings.push_back({std::string(setting::kFramework), framework, {}});
  for (Setting& one : settings) run.config.settings.push_back(std::move(one));
  return run;
}

TEST(Actions, NumbersAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(plain_number(1.5e-4), "1.5e-4");
  EXPECT_EQ(plain_number(0.5), "0.5");
  EXPECT_EQ(plain_number(2000), "2000");
  EXPECT_EQ(plain_number(1e8), "1e8");
  EXPECT_EQ(plain_number(0), "0");
}

TEST(Actions, EachFrameworkHasItsWords) {
  EXPECT_EQ(option_to_set(run_of("megatron"), setting::kLearningRate, 1.5e-4), "--lr 1.5e-4");
  EXPECT_EQ(option_to_set(run_of("hf-trainer"), setting::kClipNorm, 0.5), "--max_grad_norm 0.5");
  EXPECT_EQ(option_to_set(run_of("axolotl"), setting::kLearningRate, 1.5e-4), "learning_rate: 1.5e-4");
  EXPECT_EQ(option_to_set(run_of("deepspeed"), setting::kClipNorm, 0.5), "\"gradient_clipping\": 0.5");
  EXPECT_EQ(option_to_set(run_of("nanogpt"), setting::kLearningRate, 6e-4), "--learning_rate=6e-4");
  EXPECT_EQ(option_to_set(run_of("verl"), setting::kLearningRate, 1e-6), "actor_rollout_ref.actor.optim.lr=1e-6");
  EXPECT_EQ(option_to_set(run_of(""), setting::kLearningRate, 1e-6), "");
  EXPECT_EQ(option_to_set(run_of("megatron"), setting::kWarmupSteps, 2000), "--lr-warmup-iters 2000");
  EXPECT_EQ(option_to_set(run_of("megatron"), setting::kAdamBeta2, 0.95), "--adam-beta2 0.95");
  EXPECT_EQ(option_to_set(run_of("hf-trainer"), setting::kAdamEpsilon, 1e-8), "--adam_epsilon 1e-8");
  EXPECT_EQ(option_to_set(run_of("nanogpt"), setting::kWeightDecay, 0.1), "--weight_decay=0.1");
  EXPECT_EQ(bf16_option(run_of("hf-trainer")), "--bf16 true --fp16 false");
  EXPECT_EQ(option_for_rate_on_resume(run_of("megatron"), 3e-5), "--lr 3e-5 --override-opt_param-scheduler");
}

TEST(Actions, WhatTheRunWroteComesFirst) {
  const Setting rate{std::string(setting::kLearningRate), "3e-4", {}, "--peak-lr"};
  EXPECT_EQ(option_to_set(run_of("megatron", {rate}), setting::kLearningRate, 1.5e-4), "--peak-lr 1.5e-4");
  // Betas are written together: one of them alone is no line to copy.
  const Setting betas{std::string(setting::kAdamBeta2), "0.999", {}, "optimizer/betas"};
  EXPECT_EQ(option_to_set(run_of("megatron", {betas}), setting::kAdamBeta2, 0.95), "");
  // A dump's names are no options.
  const Setting dumped{std::string(setting::kLearningRate), "3e-4", {}, "lr"};
  EXPECT_EQ(option_to_set(run_of("megatron", {dumped}), setting::kLearningRate, 1.5e-4), "--lr 1.5e-4");
}

TEST(Actions, TheTrainerCountsBeforeWhatItHandsOn) {
  auto run = run_of("deepspeed");
  run.dialect = "megatron";
  EXPECT_EQ(trainer_of(run), "megatron");
  run.dialect = "hf-trainer";
  EXPECT_EQ(trainer_of(run), "hf-trainer");
}

TEST(Actions, StepsAreSkippedWhereTheFrameworkCan) {
  EXPECT_EQ(option_to_skip(run_of("megatron"), 0, {7, 9}), "--iterations-to-skip 7 8 9");
  EXPECT_EQ(option_to_skip(run_of("megatron"), 0, {7, 99}), "--iterations-to-skip $(seq 7 99)");
  EXPECT_EQ(option_to_skip(run_of("fairseq", {{"skip_batches", "", {}}}), 0, {7, 9}), "skip_batches=7-9");
  EXPECT_EQ(option_to_skip(run_of("hf-trainer"), 0, {7, 9}), "");
}

TEST(Actions, ACheckpointOnDiskIsAnOption) {
  EXPECT_EQ(option_to_resume(run_of("megatron"), "out/ckpt/iter_0001000"), "--load out/ckpt --ckpt-step 1000");
  EXPECT_EQ(option_to_resume(run_of("hf-trainer"), "out/checkpoint-500"),
            "--resume_from_checkpoint out/checkpoint-500");
}

}  // namespace
}  // namespace assay
