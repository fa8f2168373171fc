// Launch scripts as files: the settings that their commands tell, of all launchers and wherever the command stands.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "format/reader.h"

namespace assay {
namespace {

TEST(LaunchScript, AnUnknownPieceLeavesTheRestOfAListKnown) {
  const Recording got = read_bytes("run.sh",
                                   "ARGS=\"--lr 1e-4 --seed $(date +%s)\"\n"
                                   "if [ -n \"$2\" ]; then ARGS=\"$ARGS --micro-batch-size 4\"; fi\n"
                                   "python train.py $ARGS --train-iters 10\n");
  const Setting* rate = got.config.find("learning_rate");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->value, "1e-4");
  EXPECT_EQ(rate->where.line, 1);
  EXPECT_EQ(got.config.find("seed"), nullptr);
  EXPECT_EQ(got.config.find("micro_batch_size"), nullptr);
  const auto batch = std::find_if(got.config.settings.begin(), got.config.settings.end(),
                                  [](const Setting& one) { return one.key == "micro_batch_size"; });
  ASSERT_NE(batch, got.config.settings.end());
  EXPECT_EQ(batch->value, "4");
  EXPECT_EQ(batch->unknown, "set in a branch, line 2");
  ASSERT_NE(got.config.find("train_steps"), nullptr);
}

TEST(LaunchScript, AnOptionOfOneBranchIsSaidButUnknown) {
  const Recording got = read_bytes("run.sh",
                                   "if [ \"$Q\" ]; then Y=--fp16; else Y=--bf16; fi\n"
                                   "python t.py --lr 1 --tensor-model-parallel-size 2 $Y\n");
  for (const char* key : {"fp16", "bf16"}) {
    const auto found = std::find_if(got.config.settings.begin(), got.config.settings.end(),
                                    [&](const Setting& one) { return one.key == key; });
    ASSERT_NE(found, got.config.settings.end()) << key;
    EXPECT_EQ(found->unknown, "set in a branch, line 1");
  }
}

void expect_told(const char* path, const std::string& text,
                 const std::vector<std::pair<const char*, const char*>>& pairs) {
  const Recording got = read_bytes(path, text);
  EXPECT_EQ(got.file.problem_count, 0) << text;
  for (const auto& [key, value] : pairs) {
    const Setting* found = got.config.find(key);
    if (std::string(value).empty()) {
      EXPECT_EQ(found, nullptr) << key << " of " << text;
      continue;
    }
    ASSERT_NE(found, nullptr) << key << " of " << text;
    EXPECT_EQ(found->value, value) << key << " of " << text;
  }
}

constexpr const char* kMegatronScript = R"(#!/bin/bash
#SBATCH --nodes=4   # four of them
#SBATCH --gpus-per-node=8
export CUDA_DEVICE_MAX_CONNECTIONS=1 NCCL_ALGO=Ring
NNODES=$SLURM_NNODES
GPUS=8
DISTRIBUTED_ARGS=(--nproc_per_node $GPUS --nnodes $NNODES
    --rdzv_endpoint $(hostname):6000)
MODEL="
    --num-layers 24 \
    --hidden-size 1024 \
    --group-query-attention --num-query-groups 4 \
    --untie-embeddings-and-output-weights
"
SAMPLES=1_000_000
torchrun "${DISTRIBUTED_ARGS[@]}" pretrain_gpt.py $MODEL --train-samples $SAMPLES \
    --tensor-model-parallel-size 2 --lr-warmup-fraction .01 --bf16 $EXTRA \
    --micro-batch-size 2 --rampup-batch-size 16 16 100 --lr 1e-4 --lr=3e-4 \
    --data-path 0.3 a 0.7 b --no-masked-softmax-fusion --finetune 2>&1 | tee log.txt
)";

TEST(LaunchScript, MegatronUnderTorchrunAndSlurm) {
  expect_told("pretrain.slurm", kMegatronScript,
              {{"nodes", "4"},
               {"devices_per_node", "8"},
               {"world_size", "32"},
               {"NCCL_ALGO", "Ring"},
               {"num_layers", "24"},
               {"num_key_value_heads", "4"},
               {"tied_embeddings", "false"},
               {"train_samples", "1000000"},
               {"warmup_fraction_of_decay", ".01"},
               {"bf16", "true"},
               {"micro_batch_size", "2"},
               {"batch_size_rampup", "16 16 100"},
               {"learning_rate", "3e-4"},
               {"data", "0.3 a 0.7 b"},
               {"no_masked_softmax_fusion", "true"},
               {"fine_tuning", "true"}});
}

TEST(LaunchScript, WorldsOfAllLaunchers) {
  const std::string tail = " train.py --lr 1e-4\n";
  expect_told("a.sh", "torchrun --standalone --nproc-per-node=4" + tail, {{"world_size", "4"}, {"nodes", "1"}});
  expect_told("a.sh", "torchrun --nnodes=1:4 --nproc_per_node=8" + tail,
              {{"world_size", ""}, {"devices_per_node", "8"}});
  expect_told("a.sh", "python -m torch.distributed.launch --nproc_per_node 2 --nnodes 3" + tail, {{"world_size", "6"}});
  expect_told("a.sh", "deepspeed --num_nodes 2 --num_gpus 8" + tail, {{"world_size", "16"}});
  expect_told("a.sh", "deepspeed --include localhost:0,1,2" + tail, {{"world_size", "3"}});
  expect_told("a.sh", "accelerate launch --multi_gpu --num_processes 16 --num_machines 2" + tail,
              {{"world_size", "16"}, {"nodes", "2"}});
  expect_told("a.sh", "mpirun -np 16 --allow-run-as-root python" + tail, {{"world_size", "16"}});
  expect_told("a.sh", "msrun --worker_num=8 --local_worker_num=8" + tail, {{"world_size", "8"}});
  expect_told("a.sh", "srun -N 2 --ntasks-per-node 4 python" + tail, {{"world_size", "8"}});
  expect_told("a.sh", "#SBATCH -N2\n#SBATCH --ntasks-per-node=4\nsrun python" + tail, {{"world_size", "8"}});
  expect_told("a.sh", "#SBATCH -N 2\nsrun --ntasks-per-node=1 torchrun --nnodes 2 --nproc_per_node 8" + tail,
              {{"world_size", "16"}});
  expect_told("a.sh", "CUDA_VISIBLE_DEVICES=0 python" + tail, {{"world_size", "1"}});
  expect_told("a.sh", "torchrun --nproc_per_node=$(nvidia-smi -L | wc -l)" + tail, {{"world_size", ""}});
  expect_told("a.sh", "NPUS_PER_NODE=8\nNNODES=2\nsource run_common.sh\n", {{"world_size", "16"}, {"nodes", "2"}});
  expect_told("a.sh", "torchrun --nproc_per_node 8 train.py\n", {{"world_size", "8"}});
  expect_told("a.sh", "python -m paddle.distributed.launch --gpus \"0,1,2,3\"" + tail, {{"world_size", "4"}});
  expect_told("a.sh", "tune run --nproc_per_node 4 lora --config c optimizer.lr=1e-4\n", {{"world_size", "4"}});
  expect_told("a.sh", "lightning run model --devices=4 --num_nodes 2" + tail, {{"world_size", "8"}});
}

TEST(LaunchScript, TheScriptsOfDiffusersSayTheBatchOfOneDevice) {
  expect_told(
      "a.sh",
      "accelerate launch --mixed_precision=fp16 --num_processes 2 train_text_to_image.py --resolution=512 "
      "--center_crop --random_flip --train_batch_size=3 --gradient_accumulation_steps=4 --learning_rate=1e-05\n",
      {{"micro_batch_size", "3"}, {"gradient_accumulation_steps", "4"}, {"precision", "fp16"}});
}

TEST(LaunchScript, TheBatchOfARankOfTheBenchmarks) {
  const std::string world = "export DGXNNODES=2\nexport DGXNGPU=8\nexport TP=4\nexport PP=2\nexport MINIBS=6\n";
  expect_told("config_a.sh", world + "export MAX_STEPS=800\nexport WARMUP_STEPS=20\nexport LR=0.0004\n",
              {{"global_batch_size", "12"}, {"rank_batch_size", "6"}, {"train_steps", "800"}, {"warmup_steps", "20"}});
  expect_told("config_b.sh", world + "export MICRO_BATCH_SIZE=2\n",
              {{"gradient_accumulation_steps", "3"}, {"micro_batch_size", "2"}});
  const Recording untold = read_bytes("config_c.sh", "export DGXNNODES=2\nexport DGXNGPU=8\nexport MINIBS=6\n");
  EXPECT_EQ(untold.config.find("global_batch_size"), nullptr) << "how ranks are split is said elsewhere";
}

TEST(LaunchScript, WhatALauncherTellsTheProgram) {
  expect_told("a.sh", "accelerate launch --mixed_precision bf16 --num_processes 8 train.py --lr 1e-4\n",
              {{"precision", "bf16"}, {"world_size", "8"}, {"learning_rate", "1e-4"}});
  expect_told(
      "a.sh",
      "accelerate launch --use_deepspeed --zero_stage=2 --gradient_accumulation_steps 4 --gradient_clipping 1.0 "
      "--num_processes 2 train.py --lr 1e-4\n",
      {{"zero_stage", "2"}, {"gradient_accumulation_steps", "4"}, {"clip_norm", "1.0"}, {"world_size", "2"}});
  expect_told("a.sh", "accelerate launch --mixed_precision=fp16 --num_processes 4 -m axolotl.cli.train c.yml\n",
              {{"precision", "fp16"}, {"world_size", "4"}});
  expect_told("a.sh",
              "accelerate launch --gradient_accumulation_steps 4 train.py --lr 1 --gradient_accumulation_steps 8\n",
              {{"gradient_accumulation_steps", "8"}});
  expect_told("a.sh", "fabric run --devices=4 --precision=bf16-mixed train.py --lr 1e-3\n",
              {{"precision", "bf16-mixed"}, {"world_size", "4"}});
}

TEST(LaunchScript, OptionsOfOtherPrograms) {
  expect_told("llm.sh",
              "mpirun -np 8 ./train_gpt2cu \\\n -b 64 -t 1024 -d 524288 -l 0.0006 -u 700 -q 0.1 -c 0.1 -e d12\n",
              {{"micro_batch_size", "64"},
               {"sequence_length", "1024"},
               {"global_batch_tokens", "524288"},
               {"learning_rate", "0.0006"},
               {"warmup_steps", "700"},
               {"min_learning_rate_fraction", "0.1"},
               {"weight_decay", "0.1"}});
  expect_told("ppo.sh",
              "python3 -m verl.trainer.main_ppo \\\n actor.optim.lr=1e-6 +actor.x='[a]' ~data.y trainer.z=15 "
              "trainer.n_gpus_per_node=8 trainer.nnodes=2 $@\n",
              {{"learning_rate", "1e-6"}, {"z", "15"}, {"world_size", "16"}});
  expect_told(
      "sft.sh",
      "srun bash -c \"torchrun --nnodes 2 --nproc_per_node 8 \\\n --node_rank \\$SLURM_PROCID t.py --lr 1e-5\"\n",
      {{"world_size", "16"}, {"learning_rate", "1e-5"}});
  expect_told("eval.sh", "CMD=\"python t.py --learning_rate 1e-5\"\necho $CMD\neval $CMD\n",
              {{"learning_rate", "1e-5"}});
  expect_told("frag.sh", "export PARAMS=\" ${MORE} \\\n --lr 0.1 --micro-batch-size ${MBS} --fp16\"\n",
              {{"learning_rate", "0.1"}, {"micro_batch_size", ""}, {"fp16", "true"}});
  expect_told("tool.sh", "python prepare.py --seed 5 --split train\npython t.py --lr 1 --seed 7\n", {{"seed", "7"}});
}

TEST(LaunchScript, CommandsWithinWords) {
  expect_told(
      "mf.sh",
      "bash scripts/msrun_launcher.sh \"run_mindformer.py --config a.yaml --seed 3\" 16 8 8118 0 log False 300\n",
      {{"world_size", "16"}, {"devices_per_node", "8"}, {"seed", "3"}, {"config", "a.yaml"}});
  expect_told("wrap.sh", "sbatch -N 4 --wrap=\"torchrun --nproc_per_node=4 x.py --lr 1\"\n",
              {{"world_size", "4"}, {"learning_rate", "1"}});
  expect_told("cat.sh", "S=7\nARGS=$(cat <<EOF\n--lr 1e-4\n--seed $S\nEOF\n)\npython t.py $ARGS\n",
              {{"learning_rate", "1e-4"}, {"seed", "7"}});
  expect_told("env.sh", "env NVIDIA_TF32_OVERRIDE=0 CUDA_VISIBLE_DEVICES=3 python t.py --lr 1e-4\n",
              {{"NVIDIA_TF32_OVERRIDE", "0"}, {"world_size", "1"}, {"learning_rate", "1e-4"}});
  expect_told("swift.sh", "NPROC_PER_NODE=8 NNODES=2 swift sft --learning_rate 1e-4\n", {{"world_size", "16"}});
  expect_told(
      "pai.sh",
      "if [ $1 = a ]; then G=8; else G=$G_OF_CLUSTER; fi\nR=\"torchrun --nproc_per_node $G p.py --lr ${LR:-1e-5}\"\n"
      "eval ${R}\n",
      {{"learning_rate", "1e-5"}, {"world_size", ""}});
}

TEST(LaunchScript, LaunchesOfWhichOneRuns) {
  expect_told("a.sh", "if [ -f x ]; then\n python t.py --lr 1 --seed 3\nelse\n python t.py --lr 2 --seed 3\nfi\n",
              {{"learning_rate", ""}, {"seed", "3"}});
}

// Stages of one script are trainings of their own.
TEST(LaunchScript, LaunchesOfWhichAllRun) {
  const std::string stages =
      "torchrun --nproc_per_node 8 train.py --learning_rate 1e-3 --max_steps 1000 --seed 3 --output_dir a\n"
      "torchrun --nproc_per_node 8 train.py --learning_rate 2e-5 --num_train_epochs 1 --seed 3 --output_dir b\n";
  expect_told("a.sh", stages,
              {{"learning_rate", "2e-5"},
               {"train_steps", ""},
               {"train_epochs", "1"},
               {"seed", "3"},
               {"world_size", "8"},
               {"launch 1/learning_rate", "1e-3"},
               {"launch 1/train_steps", "1000"}});
  EXPECT_FALSE(read_bytes("a.sh", stages).planned_steps);
  expect_told("b.sh", stages + "python evaluate.py --batch_size 64\n",
              {{"learning_rate", "2e-5"}, {"micro_batch_size", ""}, {"train_epochs", "1"}});
}

TEST(LaunchScript, ContainersAndOtherMachines) {
  expect_told("a.sh", "docker run --gpus all -it img bash -c \"cd /w && torchrun --nproc-per-node=8 t.py --lr 1\"\n",
              {{"learning_rate", "1"}, {"world_size", "8"}, {"gpus", ""}, {"it", ""}});
  expect_told("b.sh", "docker run --gpus all -it img torchrun --nproc-per-node=8 t.py --lr 1\n",
              {{"learning_rate", "1"}, {"world_size", "8"}, {"gpus", ""}, {"it", ""}});
  expect_told("c.sh", "srun -N 2 singularity exec --nv img.sif torchrun --nnodes 2 --nproc_per_node 4 t.py --lr 1\n",
              {{"learning_rate", "1"}, {"world_size", "8"}, {"nv", ""}});
  expect_told("d.sh", "LR=3e-4\nssh -p 22 host \"cd /w && torchrun --nproc_per_node 4 t.py --lr $LR\"\n",
              {{"learning_rate", "3e-4"}, {"world_size", "4"}, {"p", ""}});
  expect_told("e.sh", "ssh host torchrun --nproc_per_node 4 t.py --lr 1\n",
              {{"learning_rate", "1"}, {"world_size", "4"}});
}

TEST(LaunchScript, ACountThatNobodyWroteIsADefault) {
  const Recording got = read_bytes("a.sh", "torchrun --nproc_per_node 8 t.py --lr 1\n");
  ASSERT_NE(got.config.find("nodes"), nullptr);
  EXPECT_EQ(got.config.find("nodes")->written, "default of --nnodes");
}

TEST(LaunchScript, WrittenFiles) {
  const std::string script =
      "MBS=2\ncat > ds.json <<EOF\n{\n  \"train_micro_batch_size_per_gpu\": $MBS,\n  \"gradient_clipping\": 1.0,\n"
      "  \"fp16\": {\"enabled\": true, \"hysteresis\": $NOBODY}\n}\nEOF\n";
  expect_told("a.sh", script, {{"micro_batch_size", "2"}, {"clip_norm", "1.0"}, {"fp16", "true"}, {"hysteresis", ""}});
  const Recording got = read_bytes("a.sh", script);
  EXPECT_EQ(got.config.find("clip_norm")->where.line, 5);
  expect_told("b.sh", "cat <<'EOF' > ds.json\n{\"lr\": $A}\nEOF\n", {{"learning_rate", "$A"}});
  expect_told("c.sh", "cat <<EOF > c.yaml\noptimizer:\n  lr: 0.1\nseed: 3 # why\nEOF\n",
              {{"learning_rate", "0.1"}, {"seed", "3"}});
  expect_told("d.sh", "echo '{\"train_batch_size\": 8}' > a.json\n", {{"global_batch_size", "8"}});
}

TEST(LaunchScript, IsKnownByItsLook) {
  expect_told("launch", "#!/usr/bin/env bash\nLR=3e-4\n", {{"learning_rate", "3e-4"}});
  expect_told("launch.txt", "torchrun --nproc_per_node=8 train.py \\\n  --lr 3e-4 \\\n  --seed 5\n",
              {{"world_size", "8"}});
}

TEST(LaunchScript, AJobThatPrintsItsScriptIsALog) {
  const Recording got = read_bytes(
      "slurm-1.out", "#!/bin/bash\n#SBATCH -N 2\nsrun python t.py --seed 5\nstep 1 loss 2.5\nstep 2 loss 2.4\n");
  EXPECT_EQ(got.rows(), 2U);
  EXPECT_EQ(got.file.kind, "text log");
}

TEST(LaunchScript, FaultsCostTheirLineAlone) {
  const Recording got =
      read_bytes("a.sh", "LR=1e-4\nA=\"never closed\nSEED=5\nfi\npython t.py --train-iters 7 --lr $LR\n");
  EXPECT_GE(got.file.problem_count, 1);
  ASSERT_NE(got.config.find("learning_rate"), nullptr);
  ASSERT_NE(got.config.find("train_steps"), nullptr);
  EXPECT_EQ(got.file.problems[0].where.line, 2);
}

TEST(LaunchScript, HostileOnesEnd) {
  std::string doubling = "A=x\n";
  for (int i = 0; i < 100000; ++i) doubling += "A=$A$A\n";
  doubling += "python t.py --lr 1e-4 --seed $A\n";
  const Recording got = read_bytes("a.sh", doubling);
  ASSERT_NE(got.config.find("learning_rate"), nullptr);
  EXPECT_EQ(got.config.find("seed"), nullptr);
  EXPECT_LT(got.config.settings.back().value.size(), 1000U);
  const std::vector<std::string> others = {
      "A=$((" + std::string(100000, '(') + "1" + std::string(100000, ')') + "))\n",
      std::string(100000, '{') + "\n",
      "if " + std::string(50000, '(') + "\n",
      "A=" + std::string(1 << 20, 'a') + "\npython t.py --lr $A\n",
      "A=A+A\nX=$((A))\n",
      "X=$((" + std::string(300000, '-') + "1))\n",
      "((" +
          [] {
            std::string out;
            for (int i = 0; i < 100000; ++i) out += "a=";
            return out;
          }() +
          "1))\n",
      "f() { f; f; }\nf\n",
      "a() { b; b; b; b; }\nb() { c; c; c; c; }\nc() { a; a; a; a; }\na\n",
      std::string(50000, '"') + "\n" + std::string(50001, '\''),
      "A=${A:-${A:-${A:-${A:-${A:-${A:-${A:-1}}}}}}}\n",
      "A=(" + std::string(200000, ' ') + ")\nA[999999999999]=1\nA[-5]=2\n",
      "X=" + std::string(30000, '`') + "\n",
      "X=${A//a/aa}\nA=aaaaaaaaaaaaaaaaaaaaaaaa\n" + std::string(20000, '$') + "\n",
  };
  for (const std::string& one : others) read_bytes("a.sh", one);
  std::string branches;
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    branches += "if [ -f a" + n + " ]; then V" + n + "=1; fi\n";
  }
  const Recording exhausted = read_bytes("a.sh", branches);
  EXPECT_GE(exhausted.file.problem_count, 1);  // the budget is told
  ASSERT_TRUE(exhausted.file.error);           // and is why nothing was read
  EXPECT_EQ(exhausted.file.error->code, ErrorCode::kLimit);
  std::string grows;
  for (int i = 0; i < 400; ++i) grows += "if [ \"$A\" ]; then X=\"$X a\"; else X=\"$X b\"; fi\n";
  expect_told("a.sh", grows + "python t.py --lr 1e-4 $X\n", {{"learning_rate", "1e-4"}});
}

TEST(LaunchScript, EveryPrefixIsReadInAnyPieces) {
  const std::string whole =
      std::string(kMegatronScript) + "cat > a.json <<EOF\n{\"a\": [1, {\"b\": \"$X\"}]}\nEOF\n" +
      "case $1 in a|b) f() { X=${1%%.*}; };; esac\nfor i in 1 2; do let X+=1; done <<< \"$(ls)\"\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string prefix = whole.substr(0, size);
    const Recording at_once = read_bytes("a.sh", prefix);
    const Recording in_pieces = read_bytes("a.sh", prefix, 7);
    ASSERT_EQ(at_once.config.settings.size(), in_pieces.config.settings.size()) << size;
  }
}

}  // namespace
}  // namespace assay
