// Words that one framework shares with another, or that look like a setting and are none.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "unit/vocabulary_cases.h"

namespace assay {
namespace {

using test::expect;
using test::value_of;

TEST(VocabularyLookalikes, MegatronAndGptNeox) {
  expect({"megatron",
          "run.sh",
          "python pretrain_bert.py --train-iters 700 --lr-decay-style linear --lr-decay-iters 600 --data-impl mmap\n",
          {{"train_steps", "700"}, {"schedule", "linear"}, {"decay_steps", "600"}}});
  expect({"megatron",
          "finetune.sh",
          "python tasks/main.py --epochs 3 --checkpoint-activations --lr-decay-style linear\n",
          {{"train_epochs", "3"}}});
  expect({"gpt-neox",
          "a.yml",
          "pipe-parallel-size: 1\ntrain-iters: 700\nlr-decay-iters: 700\nlr-decay-style: cosine\ndata-impl: mmap\n"
          "checkpoint-activations: true\n",
          {{"train_steps", "700"}}});
}

TEST(VocabularyLookalikes, TheMegatronOfSwift) {
  const Recording got = read_bytes(
      "sft.sh",
      "megatron sft --micro_batch_size 2 --global_batch_size 24 --output_dir out --eval_steps 50 --max_length 3072 "
      "--num_train_epochs 2 --lr 2e-4 --lr_warmup_fraction 0.04 --loss_scale default --finetune true\n");
  const test::Wanted wanted = {{"framework", "megatron-swift"},
                               {"micro_batch_size", "2"},
                               {"global_batch_size", "24"},
                               {"sequence_length", "3072"},
                               {"train_epochs", "2"},
                               {"warmup_fraction_of_decay", "0.04"},
                               {"loss_scale", ""},
                               {"fine_tuning", ""},
                               {"eval_interval", "50"}};
  for (const auto& [key, value] : wanted) EXPECT_EQ(value_of(got.config, key), value) << key;
}

TEST(VocabularyLookalikes, WordsOfPolicyTraining) {
  expect({"hf-trainer",
          "grpo.sh",
          "swift rlhf --rlhf_type grpo --num_train_epochs 2 --num_iterations 4 --loss_scale last_round "
          "--learning_rate 3e-6 --model_max_length 1536\n",
          {{"train_steps", ""}, {"loss_scale", ""}, {"train_epochs", "2"}, {"sequence_length", "1536"}}});
  expect({"torchtune",
          "ppo.yaml",
          "tokenizer: {_component_: a.b}\noptimizer: {_component_: c.d, lr: 2e-6}\nmodel: {_component_: e.f}\n"
          "batch_size: 96\nnum_steps: 4800\nppo_batch_size: 48\nppo_epochs: 2\n",
          {{"train_steps", ""}, {"micro_batch_size", ""}, {"global_batch_size", "48"}}});
}

TEST(VocabularyLookalikes, ScalesOfALossThatAreNoneOfFp16) {
  expect({"fairseq",
          "data2vec.yaml",
          "common: {fp16: true}\noptimization: {max_update: 900, lr: [0.0002]}\noptimizer: {_name: adam}\n"
          "model: {_name: some, loss_scale: 4}\n",
          {{"loss_scale", ""}, {"fp16", "true"}}});
  const std::string wrapper =
      "runner_config: {epochs: 3, batch_size: 1}\nlr_schedule: {type: A, learning_rate: 1.e-6}\n"
      "runner_wrapper: {type: MFTrainOneStepCell, scale_sense: ";
  expect({"mindformers", "a.yaml", (wrapper + "1.0}\n").c_str(), {{"loss_scale", ""}}});
  expect({"mindformers", "b.yaml", (wrapper + "512.0}\n").c_str(), {{"loss_scale", "512.0"}}});
  expect({"hf-trainer",
          "c.yaml",
          "per_device_train_batch_size: 2\noutput_dir: out\ndeepspeed:\n  fp16:\n    loss_scale: 0\n",
          {{"loss_scale", "0"}}});
}

TEST(VocabularyLookalikes, OfOneOfTwoFlagsThatIsOff) {
  expect({"fairseq",
          "a.sh",
          "fairseq-train data --fp16 --memory-efficient-fp16 False --max-update 90\n",
          {{"fp16", "true"}, {"train_steps", "90"}}});
  expect({"fairseq", "b.sh", "fairseq-train data --memory-efficient-bf16 --max-update 90\n", {{"bf16", "true"}}});
  expect({"megatron",
          "c.sh",
          "python pretrain_gpt.py --train-iters 10 --lr-decay-style cosine --gelu-tanh --swiglu False\n",
          {{"gated_mlp", "true"}}});
}

// The image's length and the text's.
TEST(VocabularyLookalikes, LengthsOfAModelThatSeesImages) {
  const std::string command = "python train.py --train-iters 10 --micro-batch-size 1 --seq-length 144 ";
  expect({"megatron",
          "a.sh",
          (command + "--decoder-seq-length 1800 --language-model-type some\n").c_str(),
          {{"sequence_length", "1800"}}});
  expect({"megatron", "b.sh", (command + "--language-model-type some\n").c_str(), {{"sequence_length", "144"}}});
  expect({"megatron", "c.sh", (command + "--decoder-seq-length 36\n").c_str(), {{"sequence_length", "144"}}});
}

TEST(VocabularyLookalikes, MindformersOutsideOfGraphs) {
  expect({"mindformers-pynative",
          "pynative.yaml",
          "training: {steps: 12, local_batch_size: 2, global_batch_size: 16, max_norm: 0.5}\n"
          "optimizer: {type: AdamW, betas: [0.9, 0.98], eps: 1.e-7, weight_decay: 0.02}\n"
          "lr_scheduler: {type: ConstantWarmUpLR, learning_rate: 2.e-5, total_steps: 10}\n"
          "parallelism: {data_parallel_shard: -1, tensor_parallel: 4, pipeline_parallel: 2, expert_parallel: 8}\n"
          "model: {model_type: deepseek_v3, seq_length: 512, n_routed_experts: 16, compute_dtype: bfloat16}\n",
          {{"learning_rate", "2.e-5"},
           {"tensor_parallel_size", "4"},
           {"pipeline_parallel_size", "2"},
           {"expert_parallel_size", "8"},
           {"data_parallel_shards", ""},
           {"train_steps", "12"},
           {"decay_steps", "10"},
           {"clip_norm", "0.5"},
           {"adam_beta2", "0.98"},
           {"sequence_length", "512"},
           {"num_experts", "16"},
           {"precision", "bfloat16"}}});
}

TEST(VocabularyLookalikes, ExpertsAndLatentAttentionOfMindformers) {
  expect({"mindformers",
          "moe.yaml",
          "runner_config: {epochs: 1, batch_size: 1}\nlr_schedule: {type: A, learning_rate: 1.e-6}\nmodel:\n"
          "  model_config:\n    n_routed_experts: 16\n    num_experts_per_tok: 2\n    kv_lora_rank: 128\n"
          "    qk_nope_head_dim: 32\n    first_k_dense_replace: 1\n    seq_length: 256\n",
          {{"num_experts", "16"},
           {"experts_per_token", "2"},
           {"key_value_lora_rank", "128"},
           {"nope_head_dim", "32"},
           {"dense_layers", "1"},
           {"sequence_length", "256"}}});
}

TEST(VocabularyLookalikes, FilesOfInternLm) {
  expect({"internevo",
          "7b.py",
          "data = dict(seq_len=1024, micro_num=4, micro_bsz=2, total_steps=50)\n"
          "hybrid_zero_optimizer = dict(clip_grad_norm=0.7)\n"
          "adam = dict(lr=2e-4, adam_beta1=0.9, adam_beta2=0.97, adam_eps=1e-8, weight_decay=0.03)\n"
          "lr_scheduler = dict(total_steps=data[\"total_steps\"], warmup_ratio=0.1, eta_min=2e-5)\n"
          "parallel = dict(zero1=dict(size=4), tensor=dict(size=2, mode=\"isp\"), pipeline=dict(size=1))\n"
          "model = dict(dtype=\"torch.bfloat16\", num_layers=4)\n",
          {{"learning_rate", "2e-4"},
           {"min_learning_rate", "2e-5"},
           {"train_steps", "50"},
           {"decay_steps", "50"},
           {"clip_norm", "0.7"},
           {"micro_batch_size", "2"},
           {"gradient_accumulation_steps", "4"},
           {"tensor_parallel_size", "2"},
           {"sequence_length", "1024"},
           {"precision", "torch.bfloat16"}}});
  expect({"xtuner",
          "qlora.py",
          "from torch.optim import AdamW\nbatch_size = 2\naccumulative_counts = 8\nmax_epochs = 4\nlr = 3e-4\n"
          "use_varlen_attn = False\npack_to_max_length = True\nsave_steps = 90\n"
          "optim_wrapper = dict(type=AmpOptimWrapper, optimizer=dict(type=AdamW, lr=lr, betas=(0.9, 0.98)), "
          "clip_grad=dict(max_norm=2), accumulative_counts=accumulative_counts, loss_scale='dynamic', "
          "dtype='float16')\n",
          {{"learning_rate", "3e-4"},
           {"optimizer", "AdamW"},
           {"adam_beta2", "0.98"},
           {"clip_norm", "2"},
           {"gradient_accumulation_steps", "8"},
           {"micro_batch_size", "2"},
           {"train_epochs", "4"},
           {"precision", "float16"},
           {"loss_scale", "dynamic"}}});
}

TEST(VocabularyLookalikes, TheGpt2OfLlmcInPython) {
  expect({"llm.c-python",
          "py.sh",
          "torchrun --nproc_per_node=4 train_gpt2.py --input_bin a --write_tensors 0 --model d12 --batch_size 8 "
          "--sequence_length 256 --total_batch_size 16384 --num_iterations 500 --learning_rate_decay_frac 0.1\n",
          {{"micro_batch_size", "8"},
           {"sequence_length", "256"},
           {"global_batch_tokens", "16384"},
           {"global_batch_size", ""},
           {"train_steps", "500"}}});
}

TEST(VocabularyLookalikes, AnIntervalInEpochsIsNoneInSteps) {
  expect({"fairseq",
          "a.sh",
          "fairseq-train d --max-update 90 --save-interval 1 --save-interval-updates 40 --log-interval 10\n",
          {{"save_interval", "40"}, {"log_interval", "10"}}});
}

// "auto" is a saying whose value is known later; it hides no other.
TEST(VocabularyLookalikes, WhatIsLeftToTheProgram) {
  const Recording got = read_bytes("a.yaml", "base_model: some\nmicro_batch_size: 4\nnum_epochs: 1\nbf16: auto\n");
  const auto said = std::find_if(got.config.settings.begin(), got.config.settings.end(),
                                 [](const Setting& one) { return one.key == "bf16"; });
  ASSERT_NE(said, got.config.settings.end());
  EXPECT_EQ(said->value, "auto");
  EXPECT_EQ(said->unknown, "left to the program");
  const Recording both = read_bytes("b.yaml", "base_model: some\nsequence_len: 8\nbf16: true\nbfloat16: auto\n");
  EXPECT_EQ(value_of(both.config, "bf16"), "true");
}

}  // namespace
}  // namespace assay
