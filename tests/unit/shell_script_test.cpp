// Launch scripts: what following them gives, against what bash itself says, and what stays unknown.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "format/config/shell_interpreter.h"
#include "format/config/shell_parser.h"
#include "format/reader.h"

namespace assay {
namespace {

shell::Outcome followed(const std::string& text) {
  static std::vector<shell::Script> kept;  // the interpreter refers to it
  kept.push_back(shell::parse_script(text));
  return shell::Interpreter().run(kept.back(), {});
}

std::string value_of(const shell::Outcome& outcome, const std::string& name) {
  const auto found = outcome.variables.find(name);
  if (found == outcome.variables.end()) return "(unset)";
  std::string out;
  for (const shell::Value& value : found->second->values) out += (out.empty() ? "" : "|") + shell::text_of(value);
  return out;
}

std::string why(const shell::Outcome& outcome, const std::string& name) {
  const auto found = outcome.variables.find(name);
  if (found == outcome.variables.end()) return "(unset)";
  for (const shell::Value& value : found->second->values) {
    if (const auto reason = shell::why_of(value)) return *reason;
  }
  return "";
}

// Each snippet sets X; bash is the judge of what X then is.
constexpr std::array kSnippets = {
    "X=5",
    "X='a b'",
    "X=\"a  b\"",
    "X=a\\ b",
    "X='a\nb'",
    "A=3; X=$A",
    "A=3; X=${A}4",
    "A=3; X=\"$A$A\"",
    "A=3; X='$A'",
    "A=3; X=\"\\$A\"",
    "A=3 B=4; X=$A$B",
    "X=${NOBODY_SET_IT:-8}",
    "X=${NOBODY_SET_IT-8}",
    "A=; X=${A:-8}",
    "A=; X=${A-8}",
    "A=1; X=${A:+yes}",
    "X=${NOBODY_SET_IT:+yes}",
    ": ${X:=7}",
    ": \"${X=7}\"",
    "A=hello; X=${#A}",
    "A=a.b.c; X=${A%.*}",
    "A=a.b.c; X=${A%%.*}",
    "A=a/b/c; X=${A##*/}",
    "A=a/b/c; X=${A#*/}",
    "A=a-b-c; X=${A/-/_}",
    "A=a-b-c; X=${A//-/_}",
    "A=abcdef; X=${A:2:3}",
    "A=abcdef; X=${A: -2}",
    "A=abc; X=${A^^}",
    "A=ABC; X=${A,,}",
    "X=$((2 + 3 * 4))",
    "X=$(( (2 + 3) * 4 ))",
    "A=6; X=$((A / 4))",
    "A=6; X=$(($A % 4))",
    "X=$((2 ** 10))",
    "X=$((1 << 4 | 3))",
    "X=$((-7 / 2))",
    "X=$((5 > 3 && 2 > 1))",
    "X=$((5 == 3 ? 1 : 2))",
    "X=$((0x10 + 010))",
    "A=2; B=A; X=$((B + 1))",
    "X=1; ((X++)); ((X += 5))",
    "let X=3*4",
    "X=1; let X++",
    "X=a; X+=b",
    "X=(a b c)",
    "X=(a 'b c' d)",
    "A=(a b); X=(${A[@]} c)",
    "A=(a 'b c'); X=(\"${A[@]}\" d)",
    "A=(a b c); X=${A[1]}",
    "A=(a b c); X=${#A[@]}",
    "X=(a); X+=(b c)",
    "X=(\n  a # first\n  b\n)",
    "declare -A M=([k]=5 [j]=6); X=${M[j]}",
    "export X=9",
    "readonly X=9",
    "A=1; if [ $A -eq 1 ]; then X=one; else X=other; fi",
    "A=2; if [ $A -eq 1 ]; then X=one; elif [[ $A == 2 ]]; then X=two; else X=other; fi",
    "A=llama-7b; if [[ $A == *7b ]]; then X=yes; else X=no; fi",
    "A=; if [ -z \"$A\" ]; then X=empty; fi",
    "A=v; [ -n \"$A\" ] && X=full",
    "A=v; [ -z \"$A\" ] || X=full",
    "[ a = b ] && X=1 || X=2",
    "[[ a < b && 1 -eq 1 ]]; X=after",
    "case 13b in 7b) X=7;; 13b|14b) X=13;; *) X=0;; esac",
    "case abc in a*) X=glob;; esac",
    "f() { X=$1; }; f 5",
    "function f { X=$(( $1 * $2 )); }\nf 5 6",
    "f() { shift; X=$1; }; f 5 6",
    "X=1; (X=2)",
    "X=1; { X=2; }",
    "X=1 # a comment",
    "X=a#b",
    "X=\"a \\\n b\"",
    "X=\\\n5",
    "set -- 4 5; X=$2",
    "for i in 3; do X=$i; done",
    "! false && X=1",
    "true && X=1",
    "X=$'a\\tb'",
    "X=a; unset X; X=${X:-gone}",
    "eval X=5",
    "cat <<EOF >/dev/null\nX=9\nEOF\nX=${X:-1}",
    "read -r -d '' X <<EOF || true\nhello\nEOF\nX=${X%o*}",
    "A='--lr 1 --b 2'; X=($A)",
    "A=5 true; X=${A:-none}",
    "X=1; X=2; X=3",
    "X=~x; X=done",
    "A=(a b c d); X=${A[@]:1:2}",
    "A=(a b c); X=${A[-1]}",
    "A=(a b c); X=\"${A[*]}\"",
    "i=1; A=(a b c); X=${A[i]}",
    "X=${A:-${B:-deep}}",
    "X=${A:-\"a b\"}",
    "A=\"x y\"; X=(${A})",
    "A='x y'; B=\"$A z\"; X=(\"$B\" $A)",
    "A=5; X=$((A++ + 1)); X=$X-$A",
    "X=$((10#1 + 1)); X=1",
    "A=1.5; X=${A%.*}; X=$((X * 2))",
    "X=$(( 3 > 2 ? 10 : 20 ))",
    "A=7; if (( A > 5 )); then X=big; else X=small; fi",
    "A=7; if (( A > 5 && A < 7 )); then X=in; else X=out; fi",
    "A=a; if [[ $A == b || $A == a ]]; then X=either; fi",
    "A=a; if [ \"$A\" == b -o \"$A\" == a ]; then X=either; fi",
    "A=; if [[ -z $A && -n x ]]; then X=yes; fi",
    "if ! [ 1 -eq 2 ]; then X=not; fi",
    "f() { local v=$1; echo hi >/dev/null; X=\"$v-$2\"; }; f a 'b c'",
    "f() { g $2 $1; }; g() { X=$1$2; }; f 1 2",
    "f() { if [ $1 = a ]; then X=1; return; fi; X=2; }; f a",
    "X=1; f() { X=2; return 0; X=3; }; f",
    "A='--lr 1e-4'; A=\"$A --wd 0.1\"; X=($A)",
    "A=\" --x \\\n  --y \"; X=($A)",
    "X=(--a 1\n --b 2 # c\n --c 3)",
    "X=a; X=${X}_$X; X=${X/_/-}",
    "A=model-7B-v2; X=${A#*-}; X=${X%%-*}",
    "A=path/to/file.tar.gz; X=${A##*/}; X=${X%%.*}",
    "set -e; X=1 || exit 1",
    "{ X=1; } && X=2",
    "X=$(cat <<EOF\nline\nEOF\n)",
    "A=3; X=$(cat <<EOF\nn $A\nEOF\n)",
    "A=3; X=$(cat <<'EOF'\nn $A\nEOF\n)",
    "X='it'\\''s'",
    "X=a'b'\"c\"d",
    "X=\"a'b\"'c\"d'",
    "X=1;X=2;# X=3",
    "X=$((2#101)); X=5",
    "A=08; X=$((10#$A))",
    "X=$((16#fF + 2#101 + 64#_ + 36#Z))",
    "IFS=, read -ra X <<< '0,1,2,3'",
    "IFS=, read -ra A <<< '0,,2,'; X=${#A[@]}",
    "read -ra X <<< ' a  b '",
    "read -a X <<< \"1 2\"",
    "A=4; printf -v A '%d' 2; X=$A",
    "printf -v X '%s-%s' a b",
    "declare -n R=X; X=4; R=8",
    "declare -n R=A; A=4; X=$R",
    "f() { local -n out=$1; out=7; }; f X; out=3",
    "declare -n R=X; R=(1 2); R+=(3)",
    "A=(1 2); B=(\"${A[@]}\" 3); X=${#B[@]}",
    "A=(1 22); X=${#A[1]}",
    "A=(\"a b\" c); X=${#A[@]}",
};

std::string ask_bash(const std::string& snippet) {
  const std::string program = snippet + "\n(IFS='|'; printf '%s' \"${X[*]}\")";
  std::string quoted = "'";
  for (const char c : program) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  std::FILE* pipe = popen(("env -i bash -c " + quoted + "'").c_str(), "r");
  if (pipe == nullptr) return "(no bash)";
  std::string out;
  std::array<char, 256> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), got);
  return pclose(pipe) == 0 ? out : "(bash failed)";
}

TEST(ShellScript, SaysWhatBashSays) {
  if (std::system("bash -c true >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no bash here";
  for (const char* snippet : kSnippets) {
    const shell::Outcome outcome = followed(snippet);
    EXPECT_EQ(why(outcome, "X"), "") << snippet;
    EXPECT_EQ(value_of(outcome, "X"), ask_bash(snippet)) << snippet;
  }
}

TEST(ShellScript, WhatOnlyARunTellsIsUnknown) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"X=$(nvidia-smi -L | wc -l)", "$(nvidia-smi -L | wc -l) would have to be run"},
      {"X=`nproc`", "`nproc` would have to be run"},
      {"X=$1", "$1 is an argument of the script"},
      {"X=\"$@\"", "$@ stands for the arguments of the script"},
      {"X=$LR", "$LR is not set in this script"},
      {"source env.sh\nX=$LR", "$LR may be set in env.sh, which is not read"},
      {". ./env.sh\nX=$LR", "$LR may be set in ./env.sh, which is not read"},
      {"A=$(date)\nX=$A", "$(date) would have to be run"},
      {"A=$(nproc)\nX=$((A * 2))", "$(nproc) would have to be run"},
      {"read X", "is input of `read`"},
      {"\nif [ -f there ]; then X=1; else X=2; fi", "set in a branch, line 2"},
      {"X=1\nif [ \"$1\" = big ]; then\n  X=2\nfi", "set in a branch, line 2"},
      {"case $1 in a) X=1;; b) X=2;; esac", "set in a branch, line 1"},
      {"X=1\ngrep -q a b && X=2", "set in a branch, line 2"},
      {"for X in 1 2; do :; done", "takes several values in a loop, line 1: 1, 2"},
      {"X=0\nwhile read l; do X=$((X + 1)); done", "changes in a loop, line 2"},
      {"X=$((1 / 0))", "\"1 / 0\" divides by zero"},
      {"X=$((9223372036854775807 + 1))", "\"9223372036854775807 + 1\" is larger than 64 bits"},
      {"X=$((X + 1))", "$X is not set in this script"},
      {"A=($(nproc)); X=${#A[@]}", "$(nproc) would have to be run"},
      {"A=($(nproc)); X=${A[1]}", "$(nproc) would have to be run"},
      {"A=(1 $(nproc)); B=(\"${A[@]}\"); X=${#B[@]}", "$(nproc) would have to be run"},
      {"B=$(nproc); A=($B); X=${#A[@]}", "$(nproc) would have to be run"},
      {"mapfile -t A < hosts; X=${#A[@]}", "is input of `mapfile`"},
      {"read -ra A; X=${#A[@]}", "is input of `read`"},
      {"read -ra A <<< \"$(ls)\"; X=${#A[@]}", "is input of `read`"},
      {"A=({1..99999999}); X=${#A[@]}", "{1..99999999} stands for several words"},
      {"A=(*.json); X=${#A[@]}", "*.json stands for several words"},
      {"A=(\"$@\"); X=${#A[@]}", "$@ stands for the arguments of the script"},
      {"A=(1)\n[ -f x ] && A+=(2)\nX=${#A[@]}", "set in a branch, line 2"},
      {"printf -v X '%05d' 3", "is what `printf -v` prints"},
      {"printf -v X '%s' $(nproc)", "is what `printf -v` prints"},
      {"X=1\nfor i in 1 2; do printf -v X '%d' 3; done", "changes in a loop, line 2"},
      {"declare -n X=$(nproc)", "refers to a variable that is not known"},
      {"X=${!A}", "${!A} names a variable by another one"},
      {"X=<your path>", "<your path> is a placeholder"},
      {"for X in {1..3}; do :; done", "takes several values in a loop, line 1: {1..3}"},
      {"for X in *.json; do :; done", "takes several values in a loop, line 1: *.json"},
      {"for X in $(seq 3); do :; done", "takes several values in a loop, line 1: $(seq 3)"},
  };
  for (const auto& [snippet, reason] : cases) {
    const shell::Outcome outcome = followed(snippet);
    EXPECT_EQ(why(outcome, "X"), reason) << snippet;
  }
}

TEST(ShellScript, WaysThatAgreeAreKnown) {
  EXPECT_EQ(value_of(followed("if [ -f a ]; then X=1; else X=1; fi"), "X"), "1");
  EXPECT_EQ(why(followed("if [ -f a ]; then X=1; else X=1; fi"), "X"), "");
  EXPECT_EQ(why(followed("X=1\nif [ $# -lt 2 ]; then X=2; exit 1; fi"), "X"), "");
  EXPECT_EQ(value_of(followed("cd there && X=1"), "X"), "1");
  EXPECT_EQ(value_of(followed("X=1; cd there || X=2"), "X"), "1");
}

TEST(ShellScript, AnUnknownPieceLeavesTheRestOfAListKnown) {
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

TEST(ShellScript, AnOptionOfOneBranchIsSaidButUnknown) {
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

TEST(ShellScript, MegatronUnderTorchrunAndSlurm) {
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
               {"rampup_batch_size", "16 16 100"},
               {"learning_rate", "3e-4"},
               {"data", "0.3 a 0.7 b"},
               {"no_masked_softmax_fusion", "true"},
               {"fine_tuning", "true"}});
}

TEST(ShellScript, WorldsOfAllLaunchers) {
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
}

TEST(ShellScript, OptionsOfOtherPrograms) {
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

TEST(ShellScript, CommandsWithinWords) {
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

TEST(ShellScript, LaunchesOfWhichOneRuns) {
  expect_told("a.sh", "if [ -f x ]; then\n python t.py --lr 1 --seed 3\nelse\n python t.py --lr 2 --seed 3\nfi\n",
              {{"learning_rate", ""}, {"seed", "3"}});
}

// Stages of one script are trainings of their own.
TEST(ShellScript, LaunchesOfWhichAllRun) {
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

TEST(ShellScript, ContainersAndOtherMachines) {
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

TEST(ShellScript, ACountThatNobodyWroteIsADefault) {
  const Recording got = read_bytes("a.sh", "torchrun --nproc_per_node 8 t.py --lr 1\n");
  ASSERT_NE(got.config.find("nodes"), nullptr);
  EXPECT_EQ(got.config.find("nodes")->written, "default of --nnodes");
}

TEST(ShellScript, WrittenFiles) {
  const std::string script =
      "MBS=2\ncat > ds.json <<EOF\n{\n  \"train_micro_batch_size_per_gpu\": $MBS,\n  \"gradient_clipping\": 1.0,\n"
      "  \"fp16\": {\"enabled\": true, \"hysteresis\": $NOBODY}\n}\nEOF\n";
  expect_told("a.sh", script, {{"micro_batch_size", "2"}, {"clip_norm", "1.0"}, {"fp16", "true"}, {"hysteresis", ""}});
  const Recording got = read_bytes("a.sh", script);
  EXPECT_EQ(got.config.find("clip_norm")->where.line, 5);
  expect_told("b.sh", "cat <<'EOF' > ds.json\n{\"seed\": $A}\nEOF\n", {{"seed", "$A"}});
  expect_told("c.sh", "cat <<EOF > c.yaml\noptimizer:\n  lr: 0.1\nseed: 3 # why\nEOF\n",
              {{"learning_rate", "0.1"}, {"seed", "3"}});
  expect_told("d.sh", "echo '{\"seed\": 8}' > a.json\n", {{"seed", "8"}});
}

TEST(ShellScript, IsKnownByItsLook) {
  expect_told("launch", "#!/usr/bin/env bash\nLR=3e-4\n", {{"learning_rate", "3e-4"}});
  expect_told("launch.txt", "torchrun --nproc_per_node=8 train.py \\\n  --lr 3e-4 \\\n  --seed 5\n",
              {{"world_size", "8"}});
}

TEST(ShellScript, AJobThatPrintsItsScriptIsALog) {
  const Recording got = read_bytes(
      "slurm-1.out", "#!/bin/bash\n#SBATCH -N 2\nsrun python t.py --seed 5\nstep 1 loss 2.5\nstep 2 loss 2.4\n");
  EXPECT_EQ(got.rows(), 2U);
  EXPECT_EQ(got.file.kind, "text log");
}

TEST(ShellScript, FaultsCostTheirLineAlone) {
  const Recording got =
      read_bytes("a.sh", "LR=1e-4\nA=\"never closed\nSEED=5\nfi\npython t.py --train-iters 7 --lr $LR\n");
  EXPECT_GE(got.file.problem_count, 1);
  ASSERT_NE(got.config.find("learning_rate"), nullptr);
  ASSERT_NE(got.config.find("train_steps"), nullptr);
  EXPECT_EQ(got.file.problems[0].where.line, 2);
}

TEST(ShellScript, HostileOnesEnd) {
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

TEST(ShellScript, EveryPrefixIsReadInAnyPieces) {
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
