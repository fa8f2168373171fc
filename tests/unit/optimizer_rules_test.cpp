// The rules about the optimizer, with true values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/hyper/rate_trouble.h"
#include "unit/support/complete.h"
#include "unit/support/make_run.h"

namespace assay {

extern const Rule kLearningRateHigh, kLearningRateLow, kNoWarmup, kOptimizerChoice, kBeta2Stale, kAdamEpsilonLost,
    kAdamEpsilonSetting, kWeightDecaySetting;

namespace {

using test::judge_completely;
using test::MakeRun;
using test::say;
using testing::HasSubstr;

MakeRun plan_of(std::string_view framework) {
  MakeRun out("launch.sh");
  out.setting(setting::kFramework, framework);
  return out;
}

// A GPT whose layers hold 0.45 B parameters; 20 B tokens: StepLaw's rate is 1.84e-3.
MakeRun small_gpt(std::string_view rate) {
  return plan_of("megatron")
      .setting(setting::kNumLayers, "16")
      .setting(setting::kHiddenSize, "1536")
      .setting(setting::kFfnHiddenSize, "6144")
      .setting(setting::kNumAttentionHeads, "16")
      .setting(setting::kTrainTokens, "20000000000")
      .setting(setting::kTrainSteps, "38147")
      .setting(setting::kLearningRate, rate);
}

std::string only(const Rule& rule, const Run& run) {
  const auto found = judge_completely(rule, run);
  if (found.size() != 1) return std::to_string(found.size()) + " findings";
  return std::string(name(found[0].severity)) + ": " + say(rule, found[0].message);
}

TEST(OptimizerPlan, WordsOfOptimizers) {
  const auto kind = [](std::string_view word) {
    const assay::Run run = MakeRun().setting(setting::kOptimizer, word).done();
    return optimizer_of(Plan(run));
  };
  for (const auto* word :
       {"adamw", "adamw_torch_fused", "FusedAdam", "decoupled_adamw", "paged_adamw_8bit", "NAdamW"}) {
    EXPECT_EQ(kind(word), OptimizerKind::kAdam) << word;
  }
  for (const auto* word : {"galore_adamw", "prodigy", "schedule_free_adamw", "soap"}) {
    EXPECT_EQ(kind(word), OptimizerKind::kOther) << word;
  }
  EXPECT_EQ(kind("sgd"), OptimizerKind::kSgd);
  EXPECT_EQ(kind("FusedLAMB"), OptimizerKind::kLayerwise);
  EXPECT_EQ(kind("adafactor"), OptimizerKind::kAdafactor);
  EXPECT_EQ(kind("muon"), OptimizerKind::kMuon);
  EXPECT_EQ(kind("lion"), OptimizerKind::kLion);
  const assay::Run unsaid = MakeRun().done();
  EXPECT_EQ(optimizer_of(Plan(unsaid)), OptimizerKind::kUnsaid);
  const assay::Run megatron = plan_of("megatron").done();
  EXPECT_EQ(optimizer_of(Plan(megatron)), OptimizerKind::kAdam);
}

Start start_of(const Run& run) { return beginning_of(Plan(run)).start; }

TEST(OptimizerPlan, Beginnings) {
  EXPECT_EQ(start_of(small_gpt("1e-3").done()), Start::kScratch);
  EXPECT_EQ(start_of(small_gpt("1e-3").setting(setting::kResumeFrom, "/models/llama").done()), Start::kTrained);
  const assay::Run own = small_gpt("1e-3").setting(setting::kResumeFrom, "ckpt").setting("save", "ckpt").done();
  const Beginning beginning = beginning_of(Plan(own));
  EXPECT_EQ(beginning.start, Start::kScratch);
  EXPECT_LT(beginning.sure, 0.6) << "whether a checkpoint lies there is not known";
  EXPECT_NE(beginning.own_folder, nullptr);
  EXPECT_EQ(start_of(small_gpt("1e-3").setting(setting::kFineTuning, "true").done()), Start::kTrained);
  EXPECT_EQ(start_of(small_gpt("1e-3").setting("lora_r", "16").done()), Start::kTrained);
  EXPECT_EQ(start_of(plan_of("hf-trainer").done()), Start::kUnknown);
  const std::vector<double> random{10.8, 9.9, 9.1, 8.6, 8.0};
  const std::vector<double> trained{2.1, 2.0, 1.9, 1.9, 1.8};
  EXPECT_EQ(start_of(MakeRun().series(metric::kLoss, random).done()), Start::kScratch);
  EXPECT_EQ(start_of(MakeRun().dialect("hf-trainer").series(metric::kLoss, trained).done()), Start::kTrained);
  EXPECT_EQ(start_of(MakeRun().series(metric::kLoss, trained).done()), Start::kUnknown) << "or a classifier's start";
  EXPECT_EQ(start_of(MakeRun().steps(50000).series(metric::kLoss, random).done()), Start::kUnknown);
}

TEST(ActingSettings, TheLogOutranksWhatIsSet) {
  const auto rate = [](MakeRun& run) {
    const assay::Run done = run.done();
    const auto acting = acting_rate(Plan(done));
    return acting ? acting->rate : 0;
  };
  const auto with = [](std::string_view said, std::vector<double> logged) {
    return MakeRun().setting(setting::kLearningRate, said).series(metric::kLearningRate, std::move(logged));
  };
  MakeRun said = MakeRun("launch.sh").setting(setting::kLearningRate, "3e-4");
  EXPECT_DOUBLE_EQ(rate(said), 3e-4);
  MakeRun more = with("3e-4", {1e-4, 2e-3, 2.4e-3});
  EXPECT_DOUBLE_EQ(rate(more), 2.4e-3);
  MakeRun rising = with("3e-4", {1e-5, 2e-5, 3e-5});
  EXPECT_DOUBLE_EQ(rate(rising), 3e-4) << "its peak is still to come";
  MakeRun passed = with("3e-4", {1e-5, 3e-5, 2e-5});
  EXPECT_DOUBLE_EQ(rate(passed), 3e-5);
  MakeRun excerpt = MakeRun()
                        .setting(setting::kLearningRate, "3e-4")
                        .steps(50000)
                        .series(metric::kLearningRate, std::vector<double>{3e-5, 2e-5, 1e-5});
  EXPECT_DOUBLE_EQ(rate(excerpt), 3e-4);
  MakeRun nothing = MakeRun("launch.sh").setting(setting::kFramework, "hf-trainer");
  EXPECT_DOUBLE_EQ(rate(nothing), 0) << "a framework's default is no one's choice";
}

TEST(ActingSettings, DefaultsOnlyBesideWholeSettings) {
  const assay::Run plan = plan_of("megatron").done();
  EXPECT_TRUE(told_or_default(Plan(plan), setting::kAdamBeta2));
  const assay::Run log =
      plan_of("megatron").series(metric::kLoss, std::vector<double>{10.8, 9.9, 9.1, 8.6, 8.0}).done();
  EXPECT_FALSE(told_or_default(Plan(log), setting::kAdamBeta2));
}

TEST(OptimizerPlan, WarmUpsInTheirUnits) {
  const auto warmup = [](const assay::Run& run) { return warmup_of(Plan(run)); };
  EXPECT_TRUE(warmup(plan_of("megatron").done()).none());
  EXPECT_FALSE(warmup(plan_of("megatron").done()).said);
  EXPECT_FALSE(warmup(plan_of("gpt-neox").done()).known);
  EXPECT_TRUE(warmup(plan_of("hf-trainer").setting(setting::kWarmupSteps, "0").done()).none());
  const assay::Run both =
      plan_of("hf-trainer").setting(setting::kWarmupSteps, "0").setting(setting::kWarmupFraction, "0.03").done();
  EXPECT_FALSE(warmup(both).none());
  EXPECT_FALSE(warmup(plan_of("megatron").setting(setting::kWarmupSamples, "1000").done()).none());
}

TEST(OptimizerPlan, SizesInNames) {
  const auto size = [](std::string_view name) {
    const auto run = plan_of("hf-trainer").setting(setting::kModel, name).done();
    const auto found = model_size(Plan(run));
    return found ? found->parameters : 0;
  };
  EXPECT_DOUBLE_EQ(size("meta-llama/Llama-2-7b-hf"), 7e9);
  EXPECT_DOUBLE_EQ(size("Qwen/Qwen2.5-0.5B"), 0.5e9);
  EXPECT_DOUBLE_EQ(size("Qwen/Qwen3-30B-A3B"), 3e9);
  EXPECT_DOUBLE_EQ(size("facebook/opt-125m"), 125e6);
  EXPECT_DOUBLE_EQ(size("mistralai/Mixtral-8x7B-v0.1"), 0);
  EXPECT_DOUBLE_EQ(size("bert-base-uncased"), 0);
  EXPECT_DOUBLE_EQ(size("models/8bit"), 0);
  EXPECT_DOUBLE_EQ(size("b"), 0);
}

TEST(LearningRateHigh, AbsurdValues) {
  EXPECT_THAT(only(kLearningRateHigh, small_gpt("1e9").done()), HasSubstr("error: the learning rate is 1.0e+9"));
  EXPECT_THAT(only(kLearningRateHigh, small_gpt("-0.1").done()), HasSubstr("error: the learning rate is -0.1"));
  EXPECT_THAT(only(kLearningRateHigh, small_gpt("1").done()), HasSubstr("error"));
  EXPECT_THAT(only(kLearningRateHigh, small_gpt("0.2").done()), HasSubstr("warning"));
  const assay::Run noam = small_gpt("2.0").setting(setting::kSchedule, "noam").done();
  EXPECT_EQ(only(kLearningRateHigh, noam), "0 findings");
  const assay::Run sgd = small_gpt("2.0").setting(setting::kOptimizer, "sgd").done();
  EXPECT_EQ(only(kLearningRateHigh, sgd), "0 findings");
}

TEST(LearningRateHigh, StepLawOnlyOnItsGrid) {
  EXPECT_THAT(only(kLearningRateHigh, small_gpt("8e-3").done()), HasSubstr("4.6 times the 0.0018 that StepLaw"));
  EXPECT_EQ(only(kLearningRateHigh, small_gpt("1.7e-3").done()), "0 findings");
  // The same rate for a trillion tokens: the law is not asked, the recipes are.
  const assay::Run far = small_gpt("7e-3").setting(setting::kTrainTokens, "1000000000000").done();
  EXPECT_THAT(only(kLearningRateHigh, far), HasSubstr("times the greatest that is published"));
  const assay::Run mup = small_gpt("8e-3").setting("use_mup", "true").done();
  EXPECT_EQ(only(kLearningRateHigh, mup), "0 findings");
}

TEST(LearningRateHigh, TrainedWeightsNeedNoMore) {
  const assay::Run tuned = small_gpt("2e-3").setting(setting::kFineTuning, "true").done();
  EXPECT_THAT(only(kLearningRateHigh, tuned), HasSubstr("note: "));
  EXPECT_EQ(only(kLearningRateHigh, small_gpt("1e-4").setting(setting::kFineTuning, "true").done()), "0 findings");
}

TEST(LearningRateHigh, PreferencesTakeAHundredth) {
  const auto run = [](std::string_view rate) {
    return plan_of("hf-trainer").setting("stage", "dpo").setting(setting::kLearningRate, rate).done();
  };
  EXPECT_THAT(only(kLearningRateHigh, run("5e-4")), HasSubstr("for a preference method"));
  EXPECT_EQ(only(kLearningRateHigh, run("5e-6")), "0 findings");
}

// The policy of a game is trained from random weights, with the rates of any network.
TEST(LearningRateHigh, PoliciesOfLanguageModelsToo) {
  const auto run = [](std::string_view framework, std::string_view rate) {
    return plan_of(framework).setting("rlhf_type", "grpo").setting(setting::kLearningRate, rate).done();
  };
  EXPECT_THAT(only(kLearningRateHigh, run("verl", "5e-4")), HasSubstr("for reinforcement learning"));
  EXPECT_EQ(only(kLearningRateHigh, run("verl", "5e-6")), "0 findings");
  EXPECT_EQ(only(kLearningRateHigh, run("hf-trainer", "5e-4")), "0 findings");
}

// A rise for good after thirty records, in a log of a hundred.
MakeRun broken_run(const std::function<double(int)>& rate, double height, bool wild) {
  std::vector<double> loss, norm, rates;
  for (int i = 0; i < 100; ++i) {
    const double healthy = 4 + 6 * std::exp(-i / 10.0) + 0.01 * (i % 3);
    loss.push_back(i < 60 ? healthy : healthy * height);
    norm.push_back(wild && i % 4 == 0 ? 30 : 1 + 0.1 * (i % 5));
    rates.push_back(rate(i));
  }
  return MakeRun().series(metric::kLoss, loss).series(metric::kGradNorm, norm).series(metric::kLearningRate, rates);
}

double rising(int i) { return 1e-4 * (i + 1) / 100; }
double decayed(int i) { return i < 20 ? 1e-4 * (i + 1) / 20 : 1e-5; }

TEST(LearningRateHigh, TwoSignsInTheLog) {
  EXPECT_FALSE(rate_trouble(broken_run(rising, 1.5, false).done(), 2, 0));  // when alone is coincidence
  const assay::Run wild = broken_run(rising, 1.5, true).done();
  const auto trouble = rate_trouble(wild, 2, 0);
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->phase, RateTrouble::Phase::kRising);
  EXPECT_EQ(trouble->steps.first, 61);
  EXPECT_NEAR(trouble->rate, 6.1e-5, 1e-9);
  EXPECT_GT(trouble->spread.value_or(0), 5);
  EXPECT_EQ(trouble->signs, 2);
  EXPECT_TRUE(rate_trouble(broken_run(rising, 20, false).done(), 2, 0));
  EXPECT_TRUE(rate_trouble(broken_run(rising, 1.5, false).done(), 2, 1e-5));
  EXPECT_FALSE(rate_trouble(broken_run(decayed, 20, true).done(), 2, 0));
  EXPECT_THAT(only(kLearningRateHigh, wild), HasSubstr("at a learning rate of 6.1e-5: it is probably too high"));
}

TEST(LearningRateHigh, WhatIsPublishedForLanguageModelsAlone) {
  const auto advice = [](MakeRun run) {
    const auto found = judge_completely(kLearningRateHigh, run.done());
    return found.size() != 1 ? std::string() : say(kLearningRateHigh, found[0].actions.at(0).text);
  };
  const auto steep = [](int i) { return 40.0 * rising(i) * 100; };
  // 0.4 at its top, 0.24 when it broke: half of that is still 120 times what any language model was trained with.
  MakeRun gpt = broken_run(steep, 20, false);
  EXPECT_THAT(advice(gpt.setting(setting::kFramework, "megatron")),
              HasSubstr("to 0.001 or less, the largest published for AdamW (Pythia 70M)"));
  EXPECT_THAT(advice(broken_run(steep, 20, false)), HasSubstr("half of what it was"));
}

TEST(LearningRateLow, Zero) {
  EXPECT_THAT(only(kLearningRateLow, small_gpt("0").done()), HasSubstr("warning: the learning rate is 0"));
  EXPECT_EQ(only(kLearningRateLow, small_gpt("0").setting("skip_train", "true").done()), "0 findings");
  EXPECT_THAT(only(kLearningRateLow, small_gpt("0").setting(setting::kTrainSteps, "10").done()), HasSubstr("note"));
  std::vector<double> still, falling, zero(60, 0.0), some(60, 1e-4);
  for (int i = 0; i < 60; ++i) {
    still.push_back(8 + 0.01 * (i % 3));
    falling.push_back(10 * std::exp(-i / 30.0));
  }
  const auto run = [&](const std::vector<double>& loss, const std::vector<double>& rate) {
    return MakeRun().series(metric::kLoss, loss).series(metric::kLearningRate, rate).done();
  };
  EXPECT_THAT(only(kLearningRateLow, run(still, zero)), HasSubstr("error: the learning rate is 0 in all 60 records"));
  EXPECT_EQ(only(kLearningRateLow, run(falling, zero)), "0 findings");
  EXPECT_EQ(only(kLearningRateLow, run(still, some)), "0 findings");
  const assay::Run again = MakeRun()
                               .series(metric::kLoss, falling)
                               .series(metric::kLearningRate, some)
                               .restart()
                               .steps(61)
                               .series(metric::kLoss, still)
                               .series(metric::kLearningRate, zero)
                               .done();
  EXPECT_THAT(only(kLearningRateLow, again), HasSubstr("after the restart"));
}

TEST(NoWarmup, FromScratchAtFullRate) {
  EXPECT_THAT(only(kNoWarmup, small_gpt("1e-3").done()),
              HasSubstr("note: no warm-up (warmup_steps) to a learning rate of 0.001"));
  EXPECT_EQ(only(kNoWarmup, small_gpt("1e-5").done()), "0 findings");
  EXPECT_THAT(only(kNoWarmup, small_gpt("1e-3").setting(setting::kWarmupSteps, "100").done()),
              HasSubstr("note: the warm-up of 100 optimizer steps (warmup_steps) is short: with beta2 0.999, 2,000"));
  EXPECT_EQ(only(kNoWarmup, small_gpt("1e-3").setting(setting::kOptimizer, "muon").done()), "0 findings");
  const auto brief = [](std::string_view steps) {
    return small_gpt("1e-3").setting(setting::kWarmupSteps, "100").setting(setting::kTrainSteps, steps).done();
  };
  EXPECT_EQ(only(kNoWarmup, brief("1000")), "0 findings") << "no room for 2,000 steps";
  const auto others = [](const assay::Run& run) {
    return judge_completely(kNoWarmup, run).at(0).actions.at(0).command;
  };
  EXPECT_EQ(others(small_gpt("1e-3").setting(setting::kWarmupSteps, "100").done()), "--lr-warmup-iters 2000");
  EXPECT_EQ(others(small_gpt("1e-3").setting(setting::kWarmupFraction, "0").done()), "")
      << "Megatron refuses a warm-up in two units";
}

TEST(OptimizerChoice, SgdAndCoupledDecay) {
  EXPECT_THAT(only(kOptimizerChoice, small_gpt("0.1").setting(setting::kOptimizer, "sgd").done()),
              HasSubstr("warning"));
  EXPECT_EQ(only(kOptimizerChoice, small_gpt("1e-3").setting(setting::kOptimizer, "adam").done()), "0 findings");
  const assay::Run torch =
      small_gpt("1e-3").setting(setting::kOptimizer, "torch.optim.Adam").setting(setting::kWeightDecay, "0.1").done();
  EXPECT_THAT(only(kOptimizerChoice, torch), HasSubstr("into the gradient"));
}

TEST(AdamEpsilonLost, PureHalfPrecisionAlone) {
  const auto run = [](std::string_view precision, std::string_view epsilon) {
    return plan_of("litgpt")
        .setting(setting::kOptimizer, "torch.optim.AdamW")
        .setting(setting::kPrecision, precision)
        .setting(setting::kAdamEpsilon, epsilon)
        .done();
  };
  EXPECT_THAT(only(kAdamEpsilonLost, run("16-true", "1e-8")), HasSubstr("error: epsilon 1.0e-8"));
  EXPECT_THAT(only(kAdamEpsilonLost, run("16-true", "2.98e-8")), HasSubstr("smallest number is 5.96e-8"));
  EXPECT_EQ(only(kAdamEpsilonLost, run("16-true", "3e-8")), "0 findings");  // becomes 5.96e-8
  EXPECT_EQ(only(kAdamEpsilonLost, run("16-mixed", "1e-8")), "0 findings");
  EXPECT_EQ(only(kAdamEpsilonLost, run("bf16-true", "1e-8")), "0 findings");
}

TEST(AdamEpsilonSetting, WhatIsLeftOfTheUpdates) {
  const auto run = [](std::string_view epsilon, std::string_view parameters) {
    return plan_of("megatron")
        .setting(setting::kParameters, parameters)
        .setting(setting::kAdamEpsilon, epsilon)
        .series(metric::kGradNorm, std::vector<double>(40, 0.3))
        .done();
  };
  EXPECT_THAT(only(kAdamEpsilonSetting, run("1e-5", "7000000000")),
              HasSubstr("note: epsilon 1.0e-5 (adam_epsilon) leaves 26.4 %"));
  EXPECT_THAT(only(kAdamEpsilonSetting, run("1e-3", "7000000000")), HasSubstr("warning"));
  const assay::Run plan =
      plan_of("megatron").setting(setting::kParameters, "124000000").setting(setting::kAdamEpsilon, "1e-4").done();
  EXPECT_THAT(only(kAdamEpsilonSetting, plan), HasSubstr("is as large as the gradients (about 9.0e-5 at a grad norm"));
  EXPECT_EQ(only(kAdamEpsilonSetting, run("1e-8", "7000000000")), "0 findings");
}

TEST(WeightDecaySetting, StrengthAndTimescale) {
  EXPECT_THAT(
      only(kWeightDecaySetting, small_gpt("1e-3").setting(setting::kWeightDecay, "20").done()),
      HasSubstr("warning: a weight decay of 20 (weight_decay) with a learning rate of 0.001 takes 2 % of every"));
  EXPECT_THAT(only(kWeightDecaySetting, small_gpt("1e-3").setting(setting::kWeightDecay, "-0.1").done()),
              HasSubstr("error"));
  // 1 / (1e-3 x 0.1) = 10,000 steps, a quarter of the run.
  EXPECT_EQ(only(kWeightDecaySetting, small_gpt("1e-3").setting(setting::kWeightDecay, "0.1").done()), "0 findings");
  EXPECT_THAT(only(kWeightDecaySetting, small_gpt("1e-3").setting(setting::kWeightDecay, "0.003").done()),
              HasSubstr("needs 330,000 optimizer steps to act"));
  const assay::Run foundry = plan_of("llm-foundry")
                                 .setting(setting::kOptimizer, "decoupled_adamw")
                                 .setting(setting::kLearningRate, "1.2e-4")
                                 .setting(setting::kWeightDecay, "0.1")
                                 .done();
  EXPECT_THAT(only(kWeightDecaySetting, foundry), HasSubstr("takes 10 % of every weight in each step"));
}

TEST(Beta2Stale, NotesAlone) {
  const auto run = [](std::string_view beta2, std::string_view tokens) {
    return small_gpt("1e-3").setting(setting::kAdamBeta2, beta2).setting(setting::kTokensPerStep, tokens).done();
  };
  EXPECT_THAT(only(kBeta2Stale, run("0.999", "2000000")),
              HasSubstr("note: beta2 0.999 (adam_beta2) averages over about 1,000 steps"));
  EXPECT_THAT(only(kBeta2Stale, run("0.95", "2048")), HasSubstr("only about 20 steps of 2,048 tokens"));
  EXPECT_EQ(only(kBeta2Stale, run("0.95", "500000")), "0 findings");
  EXPECT_THAT(only(kBeta2Stale, run("1.5", "500000")), HasSubstr("error: beta2 is 1.5"));
}

}  // namespace

}  // namespace assay
