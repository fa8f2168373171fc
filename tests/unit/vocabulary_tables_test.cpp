// One small file in the shape of each framework: whose words they are, and what they mean.

#include <gtest/gtest.h>

#include <string>

#include "unit/vocabulary_cases.h"

namespace assay {
namespace {

using test::expect;

TEST(VocabularyTables, MegatronFamily) {
  expect(
      {"gpt-neox",
       "neox.yml",
       "{\n\"pipe-parallel-size\": 0,\n\"model_parallel_size\": 2,\n\"num-layers\": 12,\n\"hidden-size\": 768,\n"
       "\"optimizer\": {\"type\": \"Adam\", \"params\": {\"lr\": 0.0006, \"betas\": [0.9, 0.95], \"eps\": 1.0e-8,}},\n"
       "\"zero_optimization\": {\"stage\": 1},\n\"train_micro_batch_size_per_gpu\": 4,\n\"train-iters\": 320_000,\n"
       "\"lr-decay-iters\": 320000,\n\"warmup\": 0.01,\n\"gradient_clipping\": 1.0,\n\"no-weight-tying\": True,\n"
       "\"fp16\": {\"enabled\": True, \"loss_scale\": 0, \"initial_scale_power\": 12},\n}\n",
       {{"learning_rate", "0.0006"},
        {"adam_beta2", "0.95"},
        {"adam_epsilon", "1.0e-8"},
        {"zero_stage", "1"},
        {"micro_batch_size", "4"},
        {"train_steps", "320000"},
        {"warmup_fraction_of_decay", "0.01"},
        {"warmup_steps", ""},
        {"tensor_parallel_size", "2"},
        {"pipeline_parallel_size", "0"},
        {"fp16", "true"},
        {"loss_scale", "0"},
        {"initial_loss_scale_power", "12"},
        {"tied_embeddings", "false"},
        {"clip_norm", "1.0"}}});
  expect(
      {"nemo",
       "nemo.yaml",
       "trainer:\n  devices: 8\n  num_nodes: 2\n  precision: bf16\n  max_steps: 1000\n  accumulate_grad_batches: 1\n"
       "  gradient_clip_val: 1.0\nexp_manager:\n  name: x\nmodel:\n  micro_batch_size: 4\n  global_batch_size: 64\n"
       "  encoder_seq_length: 2048\n  max_position_embeddings: ${.encoder_seq_length}\n  optim:\n    name: fused_adam\n"
       "    lr: 2e-4\n    betas:\n    - 0.9\n    - 0.98\n    sched:\n      name: CosineAnnealing\n      warmup_steps: "
       "500\n"
       "      min_lr: 2e-5\n  data:\n    data_prefix: ???\n",
       {{"learning_rate", "2e-4"},
        {"min_learning_rate", "2e-5"},
        {"schedule", "CosineAnnealing"},
        {"warmup_steps", "500"},
        {"adam_beta2", "0.98"},
        {"gradient_accumulation_steps", ""},
        {"clip_norm", "1.0"},
        {"micro_batch_size", "4"},
        {"global_batch_size", "64"},
        {"sequence_length", "2048"},
        {"max_position_embeddings", "2048"},
        {"nodes", "2"},
        {"devices_per_node", "8"},
        {"precision", "bf16"},
        {"data", ""}}});
  expect(
      {"megatron-bridge",
       "bridge.yaml",
       "train:\n  train_iters: 100\n  global_batch_size: 32\n  micro_batch_size: 2\noptimizer:\n  lr: 0.0003\n  "
       "min_lr: 0.00003\n"
       "scheduler:\n  lr_warmup_iters: 10\n  lr_decay_style: cosine\nrng:\n  seed: 1234\nmixed_precision: bf16_mixed\n"
       "dataset:\n  seq_length: 4096\nddp:\n  overlap_grad_reduce: true\n",
       {{"train_steps", "100"},
        {"global_batch_size", "32"},
        {"learning_rate", "0.0003"},
        {"warmup_steps", "10"},
        {"schedule", "cosine"},
        {"seed", "1234"},
        {"precision", "bf16_mixed"},
        {"sequence_length", "4096"}}});
}

TEST(VocabularyTables, DeepspeedAutoIsNotAValue) {
  expect({"deepspeed",
          "ds.json",
          R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": 4, "gradient_clipping": "auto",
"zero_optimization": {"stage": 3, "overlap_comm": true}, "bf16": {"enabled": "auto"},
"optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto", "weight_decay": 0.1}},
"scheduler": {"type": "WarmupLR", "params": {"warmup_min_lr": 0, "warmup_num_steps": 100}}})",
          {{"global_batch_size", ""},
           {"micro_batch_size", "4"},
           {"clip_norm", ""},
           {"zero_stage", "3"},
           {"bf16", ""},
           {"learning_rate", ""},
           {"weight_decay", "0.1"},
           {"optimizer", "AdamW"},
           {"warmup_steps", "100"},
           {"min_learning_rate", ""}}});
  expect({"deepspeed",
          "ds.json",
          R"({"train_batch_size": 32, "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_min_lr": 6e-5,
"warmup_max_lr": 6e-4, "total_num_steps": 1000}}, "fp16": {"enabled": true, "loss_scale": 0}})",
          {{"min_learning_rate", "6e-5"}, {"learning_rate", "6e-4"}, {"decay_steps", "1000"}, {"loss_scale", "0"}}});
}

// The block of another framework may be longer than the file that holds it.
TEST(VocabularyTables, AnEmbeddedBlockDoesNotDecide) {
  expect({"hf-trainer",
          "args.json",
          R"({"per_device_train_batch_size": 4, "lr_scheduler_type": "cosine", "warmup_steps": 0.03,
"deepspeed": {"train_batch_size": 128, "zero_optimization": {"stage": 2, "overlap_comm": true}, "steps_per_print": 10,
"gradient_clipping": "auto", "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "betas": "auto"}}}})",
          {{"warmup_fraction", "0.03"}, {"learning_rate", "1e-4"}, {"adam_beta1", ""}, {"adam_beta2", ""}}});
}

TEST(VocabularyTables, HuggingFaceFamily) {
  expect({"hf-trainer",
          "args.json",
          R"({"output_dir": "o", "per_device_train_batch_size": 8, "gradient_accumulation_steps": 4,
"learning_rate": 5e-05,
"warmup_steps": 0.03, "lr_scheduler_type": "cosine", "max_steps": -1, "num_train_epochs": 3.0, "eval_steps": 0.1,
"save_steps": 500, "max_grad_norm": 1.0, "bf16": true, "adam_beta2": 0.999, "per_device_eval_batch_size": 2,
"deepspeed": {"zero_optimization": {"stage": 2}, "train_batch_size": 64}})",
          {{"micro_batch_size", "8"},
           {"gradient_accumulation_steps", "4"},
           {"warmup_fraction", "0.03"},
           {"warmup_steps", ""},
           {"train_steps", ""},
           {"train_epochs", "3.0"},
           {"eval_interval", ""},
           {"eval_interval_fraction", "0.1"},
           {"save_interval", "500"},
           {"clip_norm", "1.0"},
           {"bf16", "true"},
           {"zero_stage", "2"},
           {"global_batch_size", "64"}}});
  expect(
      {"hf-trainer",
       "sft.yaml",
       "model_name_or_path: m\nstage: sft\nfinetuning_type: lora\nlora_target: all\ncutoff_len: 2048\n"
       "per_device_train_batch_size: 1\nwarmup_ratio: 0.1\nwarmup_steps: 20\nlearning_rate: 1.0e-4\npure_bf16: true\n",
       {{"sequence_length", "2048"},
        {"micro_batch_size", "1"},
        {"warmup_fraction", "0.1"},
        {"warmup_steps", "20"},
        {"fine_tuning", "lora"},
        {"bf16", "true"}}});
  expect({"accelerate",
          "accelerate.yaml",
          "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_sharding_strategy: "
          "FULL_SHARD\n"
          "mixed_precision: bf16\nnum_machines: 2\nnum_processes: 16\nmachine_rank: 0\n",
          {{"world_size", "16"}, {"nodes", "2"}, {"precision", "bf16"}, {"zero_stage", "3"}}});
  expect({"axolotl",
          "axolotl.yml",
          "base_model: m\nsequence_len: 4096\nsample_packing: true\nmicro_batch_size: 2\nnum_epochs: 1\nlr_scheduler: "
          "cosine\n"
          "learning_rate: 0.0002\nbf16: auto\nfp16:\nadapter: lora\ndatasets:\n  - path: d\n    type: "
          "alpaca\nval_set_size: 0.05\n",
          {{"sequence_length", "4096"},
           {"micro_batch_size", "2"},
           {"train_epochs", "1"},
           {"schedule", "cosine"},
           {"bf16", ""},
           {"fp16", ""},
           {"fine_tuning", "lora"},
           {"data", "d"}}});
  expect({"paddle",
          "paddle.json",
          R"({"model_name_or_path": "m", "per_device_train_batch_size": 1, "gradient_accumulation_steps": 16,
"tensor_parallel_degree": 2, "pipeline_parallel_degree": 4, "sharding": "stage2", "fp16_opt_level": "O2", "bf16": true,
"unified_checkpoint": true, "warmup_steps": 30, "max_steps": 100,
"sharding_parallel_degree": -1, "scale_loss": 32768})",
          {{"tensor_parallel_size", "2"},
           {"pipeline_parallel_size", "4"},
           {"zero_stage", "2"},
           {"warmup_steps", "30"},
           {"initial_loss_scale", "32768"}}});
  expect({"verl",
          "verl.yaml",
          "data:\n  train_batch_size: 1024\n  max_prompt_length: 512\nactor_rollout_ref:\n  actor:\n    optim:\n      "
          "lr: 1e-6\n"
          "      lr_warmup_steps: -1\n      lr_warmup_steps_ratio: 0.1\n      weight_decay: 0.01\n    grad_clip: 1.0\n"
          "    ppo_mini_batch_size: 256\n    ppo_micro_batch_size_per_gpu: 8\n  rollout:\n    name: vllm\n    n: 5\n"
          "    tensor_model_parallel_size: 2\ncritic:\n  optim:\n    lr: 1e-5\ntrainer:\n  nnodes: 2\n  "
          "n_gpus_per_node: 8\n  total_epochs: 15\n",
          {{"learning_rate", "1e-6"},
           {"warmup_steps", ""},
           {"warmup_fraction", "0.1"},
           {"clip_norm", "1.0"},
           {"global_batch_size", "1024"},
           {"micro_batch_size", "8"},
           {"tensor_parallel_size", ""},
           {"nodes", "2"},
           {"train_epochs", "15"}}});
  expect({"trlx",
          "trlx.yml",
          "model:\n  num_layers_unfrozen: 2\ntrain:\n  lr_init: 1.4e-4\n  lr_target: 1.0e-5\n  opt_betas: [0.9, "
          "0.95]\n  total_steps: 100\n"
          "  batch_size: 128\n  seq_length: 48\nmethod:\n  name: ppoconfig\n  ppo_epochs: 4\n  gen_kwargs: "
          "{max_length: 48}\n",
          {{"learning_rate", "1.4e-4"},
           {"min_learning_rate", "1.0e-5"},
           {"adam_beta2", "0.95"},
           {"num_layers", ""},
           {"sequence_length", "48"},
           {"train_steps", "100"}}});
  expect({"lightning",
          "hparams.yaml",
          "max_epochs: 3\naccumulate_grad_batches: 2\ngradient_clip_val: null\nprecision: bf16-mixed\nbatch_size: "
          "4\nlr: 1e-3\n"
          "model: !!python/object:mine.Model\n  lr: 9\n",
          {{"train_epochs", "3"},
           {"gradient_accumulation_steps", "2"},
           {"clip_norm", ""},
           {"precision", "bf16-mixed"},
           {"micro_batch_size", "4"},
           {"learning_rate", "1e-3"}}});
}

TEST(VocabularyTables, PretrainingFrameworks) {
  const std::string olmo =
      "seed: 6198\nmodel:\n  d_model: 64\n  n_heads: 4\n  n_layers: 2\n  mlp_ratio: 8\n  weight_tying: true\n"
      "optimizer:\n  name: adamw\n  learning_rate: 4e-4\nscheduler:\n  name: cosine_with_warmup\n  t_warmup: 2000\n"
      "  alpha_f: 0.1\nmax_duration: 739_328\nglobal_train_batch_size: 2048\ndevice_train_microbatch_size: 8\n"
      "max_grad_norm: 1.0\nprecision: amp_bf16\neval_interval: ${save_interval}\nsave_interval: 1000\n";
  expect({"olmo",
          "olmo.yaml",
          olmo.c_str(),
          {{"warmup_steps", "2000"},
           {"train_steps", "739328"},
           {"min_learning_rate_fraction", "0.1"},
           {"global_batch_size", "2048"},
           {"micro_batch_size", "8"},
           {"clip_norm", "1.0"},
           {"eval_interval", "1000"}}});
  std::string tokens = olmo;
  tokens.replace(tokens.find("  t_warmup: 2000"), 16, "  units: tokens\n  t_warmup: 8388608000\n  t_max: 5e12");
  tokens.replace(tokens.find("739_328"), 7, "2e12T");
  expect({"olmo",
          "olmo.yaml",
          tokens.c_str(),
          {{"warmup_steps", ""},
           {"warmup_tokens", "8388608000"},
           {"decay_tokens", "5e12"},
           {"train_steps", ""},
           {"train_tokens", "2e12"}}});
  expect({"olmo-core",
          "core.json",
          R"({"dataset": {"sequence_length": 4096}, "data_loader": {"global_batch_size": 4194304, "seed": 34521},
"train_module": {"rank_microbatch_size": 8192, "max_sequence_length": 4096, "max_grad_norm": 1.0,
"optim": {"lr": 0.0003, "betas": [0.9, 0.95], "_CLASS_": "SkipStepAdamWConfig"}, "scheduler": {"warmup": 2000}},
"trainer": {"max_duration": {"value": 1, "unit": "epochs"}}, "init_seed": 12536})",
          {{"global_batch_tokens", "4194304"},
           {"micro_batch_tokens", "8192"},
           {"sequence_length", "4096"},
           {"warmup_steps", "2000"},
           {"train_epochs", "1"},
           {"train_steps", ""},
           {"seed", "12536"}}});
  expect(
      {"torchtitan",
       "titan.toml",
       "[job]\ndump_folder = './o'\n[model]\nflavor = '8B'\n[optimizer]\nname = 'AdamW'\nlr = 3e-4\neps = 1e-8\n"
       "[lr_scheduler]\nwarmup_steps = 200\n[training]\nlocal_batch_size = 1\nglobal_batch_size = -1\nseq_len = 8192\n"
       "max_norm = 1.0\nsteps = 1000\n[parallelism]\ndata_parallel_shard_degree = -1\ntensor_parallel_degree = 2\n",
       {{"learning_rate", "0.0003"},
        {"warmup_steps", "200"},
        {"micro_batch_size", "1"},
        {"global_batch_size", ""},
        {"sequence_length", "8192"},
        {"clip_norm", "1"},
        {"train_steps", "1000"},
        {"tensor_parallel_size", "2"},
        {"data_parallel_size", ""}}});
  expect({"litgpt",
          "litgpt.yaml",
          "model_name: m\ntrain:\n  global_batch_size: 512\n  micro_batch_size: 4\n  lr_warmup_fraction: 0.1\n  "
          "max_tokens: 3000000000\n"
          "  max_steps:\n  max_norm: 1.0\n  min_lr: 4e-5\neval:\n  max_iters: 100\n  interval: 1000\noptimizer:\n"
          "  class_path: torch.optim.AdamW\n  init_args:\n    lr: 4e-4\n    betas: [0.9, 0.95]\nprecision: "
          "bf16-mixed\ndevices: auto\n",
          {{"warmup_fraction_of_epoch", "0.1"},
           {"train_tokens", "3000000000"},
           {"train_steps", ""},
           {"eval_interval", "1000"},
           {"learning_rate", "4e-4"},
           {"devices_per_node", ""}}});
  expect({"nanotron",
          "nanotron.yaml",
          "general: {seed: 42}\noptimizer:\n  clip_grad: 1.0\n  zero_stage: 0\n  accumulate_grad_in_fp32: true\n"
          "  learning_rate_scheduler:\n    learning_rate: 0.0003\n    lr_warmup_steps: 2\n    min_decay_lr: 1.0e-05\n"
          "parallelism: {dp: 2, pp: 2, tp: 2}\ntokens:\n  batch_accumulation_per_replica: 1\n  micro_batch_size: 2\n"
          "  sequence_length: 256\n  train_steps: 15\ndata_stages:\n- data: {seed: 7}\n",
          {{"data_parallel_size", "2"},
           {"tensor_parallel_size", "2"},
           {"pipeline_parallel_size", "2"},
           {"gradient_accumulation_steps", "1"},
           {"train_steps", "15"},
           {"seed", "42"},
           {"min_learning_rate", "1.0e-05"}}});
  expect({"maxtext",
          "maxtext.yml",
          "base_emb_dim: 4096\nbase_num_query_heads: 32\nbase_mlp_dim: 11008\nbase_num_decoder_layers: 32\n"
          "per_device_batch_size: 12.0\nwarmup_steps_fraction: 0.1\nlearning_rate: 3.e-5\nsteps: "
          "150_001\nmax_target_length: 2048\n"
          "gradient_clipping_threshold: 1.0\nadam_b2: 0.95\nlogits_via_embedding: false\n",
          {{"hidden_size", "4096"},
           {"warmup_fraction", "0.1"},
           {"learning_rate", "3.e-5"},
           {"train_steps", "150001"},
           {"sequence_length", "2048"},
           {"clip_norm", "1.0"},
           {"adam_beta2", "0.95"},
           {"tied_embeddings", "false"}}});
  expect(
      {"llm-foundry",
       "mpt.yaml",
       "max_seq_len: 2048\nglobal_seed: 17\nmodel:\n  name: mpt_causal_lm\n  d_model: 768\n  n_heads: 12\n  n_layers: "
       "12\n"
       "  expansion_ratio: 4\nscheduler:\n  name: cosine_with_warmup\n  t_warmup: 100ba\n  alpha_f: 0.1\noptimizer:\n"
       "  name: decoupled_adamw\n  lr: 6.0e-4\n  betas:\n  - 0.9\n  - 0.95\nalgorithms:\n  gradient_clipping:\n"
       "    clipping_type: norm\n    clipping_threshold: 1.0\nmax_duration: 1ep\neval_interval: 500ba\nseed: "
       "${global_seed}\n"
       "global_train_batch_size: 256\ndevice_train_microbatch_size: auto\nfsdp_config:\n  sharding_strategy: "
       "FULL_SHARD\n"
       "eval_loader:\n  num_workers: 8\n",
       {{"warmup_steps", "100"},
        {"train_epochs", "1"},
        {"train_steps", ""},
        {"eval_interval", "500"},
        {"seed", "17"},
        {"micro_batch_size", ""},
        {"zero_stage", "3"},
        {"clip_norm", "1.0"},
        {"num_workers", ""},
        {"min_learning_rate_fraction", "0.1"}}});
}

TEST(VocabularyTables, Programs) {
  expect({"nanogpt",
          "config.yaml",
          "batch_size:\n  desc: null\n  value: 12\nblock_size:\n  value: 1024\nmax_iters:\n  value: "
          "600000\nlr_decay_iters:\n"
          "  value: 600000\nlearning_rate:\n  value: 0.0006\nmin_lr:\n  value: 6.0e-05\neval_iters:\n  value: "
          "200\nn_layer:\n"
          "  value: 12\nn_embd:\n  value: 768\ngradient_accumulation_steps:\n  value: 40\n_wandb:\n  value: {}\n",
          {{"micro_batch_size", "12"},
           {"sequence_length", "1024"},
           {"train_steps", "600000"},
           {"min_learning_rate", "6.0e-05"},
           {"num_layers", "12"},
           {"gradient_accumulation_steps", "40"}}});
  expect({"fairseq",
          "fairseq.yaml",
          "task:\n  _name: masked_lm\n  data: ???\n  tokens_per_sample: 512\ncriterion: {_name: x}\ndataset: "
          "{batch_size: 16}\n"
          "optimizer: {_name: adam, adam_betas: \"(0.9, 0.98)\", adam_eps: 1e-06}\nlr_scheduler: {_name: "
          "polynomial_decay, "
          "warmup_updates: 10000}\noptimization: {clip_norm: 0, lr: [0.0005], max_update: 125000, update_freq: [16]}\n",
          {{"learning_rate", "0.0005"},
           {"gradient_accumulation_steps", "16"},
           {"micro_batch_size", "16"},
           {"adam_beta1", "0.9"},
           {"adam_beta2", "0.98"},
           {"clip_norm", "0"},
           {"warmup_steps", "10000"},
           {"train_steps", "125000"},
           {"sequence_length", "512"},
           {"data", ""}}});
  expect({"mindformers",
          "mf.yaml",
          "run_mode: train\nrunner_config:\n  epochs: 2\n  batch_size: 1\n  gradient_accumulation_steps: 8\n"
          "runner_wrapper:\n  scale_sense:\n    type: DynamicLossScaleUpdateCell\n    loss_scale_value: 65536\n  "
          "max_grad_norm: 1.0\n"
          "lr_schedule:\n  learning_rate: 5.e-5\n  lr_end: 0\n  warmup_ratio: 0.03\n  total_steps: -1\n"
          "train_dataset: &t\n  batch_size: 6\n  seed: 3\ntask:\n  dataset_config: *t\nparallel_config:\n  "
          "data_parallel: 8\n"
          "  model_parallel: 2\n  pipeline_stage: 1\n  micro_batch_num: 4\n",
          {{"micro_batch_size", "1"},
           {"train_epochs", "2"},
           {"initial_loss_scale", "65536"},
           {"clip_norm", "1.0"},
           {"learning_rate", "5.e-5"},
           {"min_learning_rate", "0"},
           {"warmup_fraction", "0.03"},
           {"decay_steps", ""},
           {"data_parallel_size", "8"},
           {"tensor_parallel_size", "2"},
           {"micro_batch_count", "4"},
           {"seed", ""}}});
  expect({"mlx-lm",
          "lora.yaml",
          "model: m\niters: 1000\nnum_layers: 16\nbatch_size: 4\nlearning_rate: 1e-5\nsteps_per_report: "
          "10\nsteps_per_eval: 200\n"
          "adapter_path: a\nval_batches: 25\n",
          {{"train_steps", "1000"}, {"num_layers", ""}, {"micro_batch_size", "4"}, {"eval_interval", "200"}}});
  expect(
      {"algoperf",
       "hparams.json",
       R"({"dropout_rate": 0.1, "label_smoothing": 0.1, "learning_rate": 0.001, "one_minus_beta1": 0.1, "beta2": 0.98,
"weight_decay": 0.08, "warmup_factor": 0.02})",
       {{"learning_rate", "0.001"},
        {"adam_beta1", "0.9"},
        {"adam_beta2", "0.98"},
        {"warmup_fraction", "0.02"},
        {"dropout", "0.1"}}});
  expect({"levanter",
          "levanter.yaml",
          "trainer:\n  mp: p=f32,c=bfloat16\n  train_batch_size: 128\n  num_train_steps: 20\noptimizer:\n  "
          "learning_rate: 1E-3\n"
          "  min_lr_ratio: 0.1\n",
          {{"global_batch_size", "128"}, {"train_steps", "20"}, {"learning_rate", "1E-3"}}});
}

TEST(VocabularyTables, HandWrittenProgramsSpeakSharedWords) {
  expect({"",
          "mine.yaml",
          "model:\n  num_layers: 4\noptimizer:\n  lr: 1e-3\n  betas: [0.9, 0.99]\ntraining:\n  batch_size: 8\n  "
          "epochs: 3\n"
          "data:\n  max_length: 128\n  seed: 5\nevaluation:\n  batch_size: 64\n",
          {{"learning_rate", "1e-3"},
           {"adam_beta2", "0.99"},
           {"micro_batch_size", "8"},
           {"train_epochs", "3"},
           {"sequence_length", "128"},
           {"num_layers", "4"},
           {"seed", ""}}});
}

}  // namespace
}  // namespace assay
