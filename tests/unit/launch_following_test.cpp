// Launch scripts whose settings stand behind something that has to be followed: guards, functions, what is exported,
// arithmetic of `expr`, what a job is given.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "unit/vocabulary_cases.h"

namespace assay {
namespace {

using test::value_of;
using test::Wanted;

void expect_read(const std::string& script, const Wanted& wanted) {
  const Recording got = read_bytes("run.sh", script);
  for (const auto& [key, value] : wanted) EXPECT_EQ(value_of(got.config, key), value) << key << "\n" << script;
}

const Setting* last_of(const Recording& got, std::string_view key) {
  const auto found = std::find_if(got.config.settings.rbegin(), got.config.settings.rend(),
                                  [&](const Setting& one) { return one.key == key; });
  return found == got.config.settings.rend() ? nullptr : &*found;
}

const std::string kTraining = "torchrun --nproc_per_node 4 train.py --lr 3e-4 --train-iters 70\n";

TEST(LaunchFollowing, AGuardAsksForAVariableThatWhoeverRunsItSets) {
  expect_read("if [[ -z $WORK ]]; then\n  echo missing\n  exit 1\nfi\n" + kTraining,
              {{"learning_rate", "3e-4"}, {"world_size", "4"}});
  expect_read("[ -z \"$WORK\" ] && { echo missing; exit 1; }\n" + kTraining, {{"train_steps", "70"}});
  expect_read("[ -n \"$WORK\" ] || exit 1\n" + kTraining, {{"train_steps", "70"}});
  expect_read("if [ \"$WORK\" == \"\" ]; then exit 1; fi\n" + kTraining, {{"train_steps", "70"}});
  expect_read("if [[ -z $WORK ]]; then exit 1; else LR=2e-4; fi\npython train.py --lr $LR --train-iters 70\n",
              {{"learning_rate", "2e-4"}});
}

TEST(LaunchFollowing, AnOptionIsNoCommandButTheRestOfOneWhoseBackslashWasLost) {
  const std::string script =
      "torchrun --nproc_per_node 4 train.py \\\n  --train-iters 70\n  --lr 3e-4 \\\n  --clip-grad 2\n";
  expect_read(script, {{"train_steps", "70"}, {"learning_rate", "3e-4"}, {"clip_norm", "2"}});
  const Recording got = read_bytes("run.sh", script);
  ASSERT_EQ(got.file.problem_count, 1);
  EXPECT_EQ(got.file.problems[0].where.line, 3);
  EXPECT_NE(got.file.problems[0].message.find("the shell ignores this line"), std::string::npos);
  EXPECT_EQ(read_bytes("run.sh", kTraining + "echo done\n").file.problem_count, 0);
}

TEST(LaunchFollowing, ADefaultForAVariableThatIsNotSet) {
  expect_read("if [ \"$LR\" == \"\" ]; then LR=5e-5; fi\npython train.py --lr $LR --train-iters 70\n",
              {{"learning_rate", "5e-5"}});
  expect_read("if [ -z \"$LR\" ]; then LR=5e-5; fi\npython train.py --lr $LR --train-iters 70\n",
              {{"learning_rate", "5e-5"}});
}

TEST(LaunchFollowing, WhatLeavesForAnotherReasonLeaves) {
  const Recording got = read_bytes("run.sh", "A=1\nif [ \"$A\" = 1 ]; then exit 1; fi\n" + kTraining);
  EXPECT_EQ(last_of(got, "learning_rate"), nullptr);
}

TEST(LaunchFollowing, WhatIsExportedTellsTheProcesses) {
  expect_read("export CUDA_VISIBLE_DEVICES=3\npython train.py --lr 1e-4 --train-iters 5\n", {{"world_size", "1"}});
  expect_read("CUDA_VISIBLE_DEVICES=3\npython train.py --lr 1e-4 --train-iters 5\n", {{"world_size", ""}});
  expect_read("export CUDA_VISIBLE_DEVICES=0,1\npython train.py --lr 1e-4 --train-iters 5\n", {{"world_size", ""}});
  expect_read("export NPROC_PER_NODE=3\nswift sft --learning_rate 1e-4 --num_train_epochs 2\n", {{"world_size", "3"}});
}

TEST(LaunchFollowing, ArithmeticOfExpr) {
  const std::string program = "python train.py --lr 1e-4 --gradient_accumulation_steps ";
  expect_read("N=4\n" + program + "$(expr 24 / $N)\n", {{"gradient_accumulation_steps", "6"}});
  expect_read("N=4\n" + program + "`expr $N \\* 3 + 1`\n", {{"gradient_accumulation_steps", "13"}});
  expect_read(program + "$(expr 24 / $N)\n", {{"gradient_accumulation_steps", ""}});
  expect_read(program + "$(expr length abc)\n", {{"gradient_accumulation_steps", ""}});
  expect_read(program + "$(expr 1 / 0)\n", {{"gradient_accumulation_steps", ""}});
}

TEST(LaunchFollowing, SeveralOptionsOfAJobOnOneLine) {
  expect_read(
      "#!/bin/bash\n#SBATCH <OPTIONS> --nodes=6 --exclusive --ntasks-per-node=4 -J some\n"
      "srun python train.py --lr 1e-4 --train-iters 9\n",
      {{"nodes", "6"}, {"world_size", "24"}});
  expect_read("#!/bin/bash\n#SBATCH -N 3 -n 12\nsrun python train.py --lr 1e-4 --train-iters 9\n",
              {{"world_size", "12"}});
}

TEST(LaunchFollowing, FunctionsThatTheScriptDoesNotCall) {
  const Recording got = read_bytes("lib.sh",
                                   "common () {\n  fairseq-train d --max-update 800 --clip-norm 0.5 \"$@\"\n}\n"
                                   "small () {\n  common --lr 3e-4 \"$@\"\n}\nlarge () {\n  common --lr 1e-4\n}\n");
  EXPECT_EQ(value_of(got.config, "clip_norm"), "0.5");
  EXPECT_EQ(value_of(got.config, "train_steps"), "800");
  ASSERT_NE(last_of(got, "learning_rate"), nullptr);
  EXPECT_EQ(last_of(got, "learning_rate")->unknown, "is in the function small, which the script does not call");
  expect_read("f () {\n  python train.py --lr 1e-4 --train-iters 9\n}\npython train.py --lr 2e-4 --train-iters 9\n",
              {{"learning_rate", "2e-4"}});
}

TEST(LaunchFollowing, LettersOfALauncherInAVariable) {
  const Recording got = read_bytes("run.sh",
                                   "LAUNCHER=\"python -u -m torch.distributed.launch --nproc_per_node 4 --nnodes 2\"\n"
                                   "CMD=\"pretrain_gpt.py --micro-batch-size 8 --train-iters 100 --lr 1e-4\"\n"
                                   "srun bash -c '$LAUNCHER --node_rank $SLURM_PROCID $CMD'\n");
  EXPECT_EQ(value_of(got.config, "train_steps"), "100");
  EXPECT_EQ(value_of(got.config, "world_size"), "8");
  EXPECT_EQ(last_of(got, "u"), nullptr);
  EXPECT_EQ(last_of(got, "m"), nullptr);
}

TEST(LaunchFollowing, TheVariablesOfTheBertBenchmark) {
  const std::string settings =
      "export BATCHSIZE=48\nexport GRADIENT_STEPS=3\nexport LR=0.0004\nexport MAX_STEPS=900\n"
      "export OPT_LAMB_BETA_2=0.88\nexport WARMUP_PROPORTION=0.1\nexport WEIGHT_DECAY_RATE=0.02\n";
  expect_read(settings + "export DGXNNODES=2\nexport DGXNGPU=8\n", {{"micro_batch_size", "16"},
                                                                    {"gradient_accumulation_steps", "3"},
                                                                    {"adam_beta2", "0.88"},
                                                                    {"warmup_fraction", "0.1"},
                                                                    {"weight_decay", "0.02"},
                                                                    {"world_size", "16"}});
  expect_read(settings, {{"micro_batch_size", ""}, {"weight_decay", "0.02"}});
}

TEST(LaunchFollowing, SizesThatOverrideAConfiguration) {
  expect_read(
      "python run_clm.py --config_overrides n_embd=512,n_head=8,n_layer=6 --learning_rate 1e-4 "
      "--per_device_train_batch_size 4\n",
      {{"hidden_size", "512"}, {"num_attention_heads", "8"}, {"num_layers", "6"}, {"learning_rate", "1e-4"}});
}

}  // namespace
}  // namespace assay
