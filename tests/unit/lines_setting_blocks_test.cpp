// Settings that a log prints as one value over one line or many, and in sentences.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lines_helpers.h"

namespace assay::lines_test {
namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

// What is told has to be the same in any pieces, with and without remembering shapes; and records around it stay.
Recording expect_told(const std::string& text, const Pairs& pairs) {
  std::string log = text;
  for (int i = 1; i <= 4; ++i) log += "step " + std::to_string(i) + " loss 2." + std::to_string(i) + "\n";
  Recording got = read_log(log);
  EXPECT_EQ(values_of(got, "loss").size(), 4U) << text;
  EXPECT_EQ(described(read_log(log, 7)), described(got)) << text;
  EXPECT_EQ(described(read_log(log, 0, true)), described(got)) << text;
  for (const auto& [key, value] : pairs) {
    const Setting* found = got.config.find(key);
    EXPECT_NE(found, nullptr) << key << " of " << text;
    if (found == nullptr) continue;
    EXPECT_EQ(found->value, value) << key << " of " << text;
  }
  return got;
}

constexpr const char* kDump =
    "using world size: 8, data-parallel-size: 2, context-parallel size: 1, tensor-model-parallel size: 2, "
    "pipeline-model-parallel size: 2 \n"
    "------------------------ arguments ------------------------\n"
    "  accumulate_allreduce_grads_in_fp32 .............. True\n"
    "  data_path ....................................... ['0.5', '/a', '0.5', '/b']\n"
    "  finetune ........................................ False\n"
    "  group_query_attention ........................... False\n"
    "  lr_warmup_fraction .............................. 0.01\n"
    "  a_very_long_name_that_leaves_no_room_for_any_dots True\n"
    "  num_query_groups ................................ 1\n"
    "  save ............................................ \n"
    "  train_iters ..................................... 5000\n"
    "  untie_embeddings_and_output_weights ............. True\n"
    "-------------------- end of arguments ---------------------\n"
    " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)\n";

TEST(SettingBlocks, MegatronDump) {
  const Recording got = expect_told(kDump, {{"world_size", "8"},
                                            {"data_parallel_size", "2"},
                                            {"tensor_parallel_size", "2"},
                                            {"data", "['0.5', '/a', '0.5', '/b']"},
                                            {"warmup_fraction_of_decay", "0.01"},
                                            {"a_very_long_name_that_leaves_no_room_for_any_dots", "True"},
                                            {"num_query_groups", "1"},
                                            {"tied_embeddings", "false"},
                                            {"vocab_size", "50257"},
                                            {"padded_vocab_size", "50304"}});
  EXPECT_EQ(got.planned_steps, 5000);
  EXPECT_EQ(got.config.find("num_key_value_heads"), nullptr);
  EXPECT_EQ(got.config.find("save"), nullptr);
}

TEST(SettingBlocks, OlderAndDescendedDumps) {
  expect_told(
      "-------------------- arguments --------------------\n  adam_beta2 ................... 0.95\n"
      "[rank1]: a word between\n  seed ......................... 1234\n"
      "---------------- end of arguments ----------------\n",
      {{"adam_beta2", "0.95"}, {"seed", "1234"}});
  expect_told(
      "-------------------- arguments --------------------\n"
      "  clip_grad ....................... 1.0..........................default\n"
      "  lr_decay_style .................. cosine.......................updated\n"
      "---------------- end of arguments ----------------\n",
      {{"clip_norm", "1.0"}, {"schedule", "cosine"}});
  expect_told(
      "[rank0]:-------------------- arguments --------------------\n[rank0]:  seed ......... 5\n"
      "[rank1]:  seed ......... 6\n[rank0]:---------------- end of arguments ----------------\n",
      {{"seed", "5"}});  // a dump is told as a whole when it ends
}

TEST(SettingBlocks, LinesOfADumpWithoutItsRule) {
  expect_told(
      "  gradient_clipping ............... 1.0.........................updated\n"
      "  min_lr .......................... 9.7e-06.....................updated\n"
      "  hidden_size ..................... 6144........................default\n",
      {{"clip_norm", "1.0"}, {"min_learning_rate", "9.7e-06"}, {"hidden_size", "6144"}});
}

TEST(SettingBlocks, TheCommandLineOfAProgram) {
  const Recording got =
      expect_told("/usr/bin/python /home/user/train.py --n_epoch=100 --lr=5e-4 --width_of_net=7 --help\n",
                  {{"train_epochs", "100"}, {"learning_rate", "5e-4"}, {"width_of_net", "7"}});
  EXPECT_EQ(got.config.find("help"), nullptr);
}

TEST(SettingBlocks, TheClassOfAFieldIsNoValueOfIt) {
  const Recording got = expect_told(
      "TrainConfig(seed=7, optimizer=OptimizerConfig(name='adamw', learning_rate=0.0003), "
      "model=ModelConfig(d_model=64))\n",
      {{"optimizer", "adamw"}, {"learning_rate", "0.0003"}, {"hidden_size", "64"}});
  for (const Setting& setting : got.config.settings) EXPECT_NE(setting.value, "OptimizerConfig");
}

TEST(SettingBlocks, DeepSpeed) {
  const Recording got = expect_told(
      "[2024-05-01 10:00:00,000] [INFO] [config.py:958:print] DeepSpeedEngine configuration:\n"
      "[2024-05-01 10:00:00,000] [INFO] [config.py:962:print]   gradient_clipping ............ 1.0\n"
      "[2024-05-01 10:00:00,000] [INFO] [config.py:962:print]   optimizer_params ............. {'lr': 1e-05, 'eps': "
      "1e-8}\n"
      "[2024-05-01 10:00:00,000] [INFO] [config.py:962:print]   zero_config .................. {\n"
      "    \"stage\": 2, \n    \"reduce_bucket_size\": 5.000000e+08\n}\n"
      "[2024-05-01 10:00:00,000] [INFO] [config.py:954:print_user_config]   json = {\n"
      "    \"train_micro_batch_size_per_gpu\": 4, \n    \"fp16\": {\n        \"enabled\": true\n    }, \n"
      "    \"list\": [1, 2], \n    \"hysteresis\": 2\n}\n",
      {{"clip_norm", "1.0"},
       {"learning_rate", "1e-05"},
       {"zero_stage", "2"},
       {"micro_batch_size", "4"},
       {"fp16", "true"},
       {"hysteresis", "2"}});
  EXPECT_EQ(got.config.find("hysteresis")->where.line, 14);
}

TEST(SettingBlocks, TheBlockSizeOfAFileIsNoSequenceLength) {
  const Recording got = expect_told(
      "[2024-05-01 10:00:00,000] [INFO] [config.py:904:print]   aio_config ................... {'block_size': "
      "1048576}\n",
      {{"aio_config/block_size", "1048576"}});
  EXPECT_EQ(got.config.find("sequence_length"), nullptr);
}

TEST(SettingBlocks, ARecordWithinABlockThatNeverClosesStaysOne) {
  const std::string log =
      "[2024-05-01 10:00:00,000] [INFO] [config.py:904:print]   zero_config .................. {\n"
      "[2024-05-01 10:00:01,000] [INFO] [logging.py:60:log_dist] [Rank 0] step=1, skipped=0, lr=[0.1, 0.1], mom=[(0.9, "
      "0.9)]\n"
      "[2024-05-01 10:00:02,000] [INFO] [logging.py:60:log_dist] [Rank 0] step=2, skipped=0, lr=[0.2, 0.2], mom=[(0.9, "
      "0.9)]\n"
      "{'loss': 2.5, 'learning_rate': 0.1, 'epoch': 0.1}\n{'loss': 2.4, 'learning_rate': 0.1, 'epoch': 0.2}\n";
  EXPECT_EQ(read_log(log).rows(), 4U);
  const std::string unclosed = "Namespace(lr=0.1,\nstep 1 loss 2.5\nstep 2 loss 2.4\n{'loss': 2.3, 'step': 3}\n";
  EXPECT_GE(read_log(unclosed).rows(), 2U);
}

TEST(SettingBlocks, HuggingFace) {
  const Recording got = expect_told(
      "TrainingArguments(\n_n_gpu=1,\nadafactor=False,\nadam_beta2=0.95,\ndeepspeed=None,\n"
      "fsdp_config={'min_num_params': 0, 'xla': False},\nlabel_names=None,\nlr_scheduler_type=SchedulerType.LINEAR,\n"
      "output_dir=./out,\noptim=OptimizerNames.ADAMW_TORCH,\nseed=42,\nper_device_train_batch_size=8,\n)\n"
      "***** Running training *****\n  Num examples = 346,940\n  Num Epochs = 3\n"
      "  Instantaneous batch size per device = 8\n"
      "  Total train batch size (w. parallel, distributed & accumulation) = 64\n"
      "  Gradient Accumulation steps = 2\n  Total optimization steps = 16,263\n"
      "  Number of trainable parameters = 4,194,304\n"
      "Model config LlamaConfig {\n  \"architectures\": [\n    \"LlamaForCausalLM\"\n  ],\n  \"hidden_size\": 2048,\n"
      "  \"vocab_size\": 32000\n}\n"
      "Generate config GenerationConfig {\n  \"max_length\": 20\n}\n",
      {{"adam_beta2", "0.95"},
       {"output_dir", "./out"},
       {"schedule", "linear"},
       {"optimizer", "adamw_torch"},
       {"seed", "42"},
       {"micro_batch_size", "8"},
       {"num_examples", "346940"},
       {"global_batch_size", "64"},
       {"gradient_accumulation_steps", "2"},
       {"train_steps", "16263"},
       {"trainable_parameters", "4194304"},
       {"hidden_size", "2048"},
       {"vocab_size", "32000"}});
  EXPECT_EQ(got.planned_steps, 16263);
}

TEST(SettingBlocks, Representations) {
  expect_told(
      "Namespace(batch_size=4, betas=(0.9, 0.95), name='a, b=c', lr=0.001, model={'hidden_size': 64}, none=None)\n",
      {{"learning_rate", "0.001"},
       {"adam_beta1", "0.9"},
       {"adam_beta2", "0.95"},
       {"name", "a, b=c"},
       {"hidden_size", "64"}});
  expect_told("2024-05-01 10:00:00 | INFO | Namespace(lr=0.5,\n          seed=7,\n          x=[1,\n             2])\n",
              {{"learning_rate", "0.5"}, {"seed", "7"}});
  expect_told("args: TrainConfig(optim=OptimConfig(lr=0.003, weight_decay=0.1), model=ModelArgs(vocab_size=128))\n",
              {{"learning_rate", "0.003"}, {"weight_decay", "0.1"}, {"vocab_size", "128"}});
  expect_told(
      "2024-05-01 10:00:00 | INFO | fairseq_cli.train | {'_name': None, 'common': {'_name': None, 'seed': 3}, "
      "'optimization': {'max_update': 500, 'clip_norm': 0.0, 'lr': [0.0005]}}\n",
      {{"seed", "3"}, {"clip_norm", "0.0"}, {"train_steps", "500"}});
  expect_told(
      "[titan] 2024-05-01 10:00:00,000 - root - INFO - Running with args: {\n  \"training\": {\n    \"seq_len\": "
      "2048\n  }\n}\n",
      {{"sequence_length", "2048"}});
  expect_told("config = {'seed': 9, 'nested': {'weight_decay': 0.2}}\n", {{"seed", "9"}, {"weight_decay", "0.2"}});
  expect_told("Hyperparameters(dropout_rate=0.1, learning_rate=0.0017, beta2=0.99)\n",
              {{"learning_rate", "0.0017"}, {"adam_beta2", "0.99"}});
}

TEST(SettingBlocks, TheSourceOfAProgramSetsNothing) {
  const Recording got = read_log("    config = TrainConfig(lr=args.lr, seed=seed)\nstep 1 loss 2.0\nstep 2 loss 1.9\n");
  EXPECT_EQ(got.config.find("learning_rate"), nullptr);
  EXPECT_EQ(got.config.find("seed"), nullptr);
}

TEST(SettingBlocks, TheFileThatOverrides) {
  expect_told(
      "Overriding config with config/train.py:\n# words\nout_dir = 'out # 1'\n\nbatch_size = 8 * 2 # per device\n"
      "lr_decay_iters = 5000\nOverriding: compile = False\n",
      {{"out_dir", "out # 1"}, {"micro_batch_size", "16"}, {"decay_steps", "5000"}, {"compile", "False"}});
}

TEST(SettingBlocks, Sentences) {
  expect_told(
      "Overriding: learning_rate = 0.0003\nfound vocab_size = 65 (inside data/char/meta.pkl)\n"
      "Initializing a new model from scratch\nnumber of parameters: 123.59M\n"
      "tokens per iteration will be: 491,520\nweight_decay = 1e-1 # why\n",
      {{"learning_rate", "0.0003"},
       {"vocab_size", "65"},
       {"init_from", "scratch"},
       {"parameters", "123590000"},
       {"global_batch_tokens", "491520"},
       {"weight_decay", "1e-1"}});
  expect_told("Resuming training from out-char\n", {{"resume_from", "out-char"}});
  expect_told("| weight_decay | 0.1 |\n│ grad_clip │ 1.0 │\n", {{"weight_decay", "0.1"}, {"clip_norm", "1.0"}});
}

TEST(SettingBlocks, Benchmarks) {
  const std::string head = ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"POINT_IN_TIME\", ";
  expect_told(head + "\"key\": \"opt_adamw_beta_2\", \"value\": 0.95, \"metadata\": {}}\n" + head +
                  "\"key\": \"opt_name\", \"value\": \"adamw\", \"metadata\": {}}\n" + head +
                  "\"key\": \"train_samples\", \"value\": 4000, \"metadata\": {}}\n" + head +
                  "\"key\": \"init_checkpoint_step\", \"value\": 0, \"metadata\": {}}\n" + head +
                  "\"key\": \"opt_learning_rate_decay_schedule\", \"value\": \"cosine\", \"metadata\": {}}\n",
              {{"adam_beta2", "0.95"},
               {"optimizer", "adamw"},
               {"num_examples", "4000"},
               {"init_checkpoint_step", "0"},
               {"schedule", "cosine"}});
  expect_told(
      "DLLL {\"timestamp\": \"1\", \"type\": \"LOG\", \"step\": \"PARAMETER\", \"data\": {\"weight_decay\": 0.01}}\n",
      {{"weight_decay", "0.01"}});
}

TEST(SettingBlocks, EveryPrefixInAnyPieces) {
  const std::string whole =
      std::string(kDump) +
      "Overriding config with a.py:\nseed = 42\nlr = 5 # a\n"
      "TrainingArguments(\nseed=42,\nlr=[1,\n2],\n)\n"
      "Model config X {\n  \"hidden_size\": 8,\n  \"a\": {\n    \"b\": [1]\n  }\n}\nstep 1 loss 2.5\n"
      "config: {'a': \"x\", 'seed': 5}\nstep 2 loss 2.25\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string prefix = whole.substr(0, size);
    const auto at_once = described(read_log(prefix));
    ASSERT_EQ(described(read_log(prefix, 5)), at_once) << size;
    ASSERT_EQ(described(read_log(prefix, 0, true)), at_once) << size;
    for (const std::string& line : at_once) {
      ASSERT_EQ(line.find("train_steps=5 "), std::string::npos) << size;
      ASSERT_EQ(line.find("seed=4 "), std::string::npos) << size;
    }
  }
}

TEST(SettingBlocks, HostileOnesEnd) {
  std::string endless = "TrainingArguments(\n";
  for (int i = 0; i < 20000; ++i) endless += "key" + std::to_string(i) + "=" + std::string(100, 'x') + ",\n";
  for (int i = 1; i <= 3; ++i) endless += "step " + std::to_string(i) + " loss 2." + std::to_string(i) + "\n";
  EXPECT_EQ(values_of(read_log(endless), "loss").size(), 3U);
  read_log("config = " + std::string(300000, '{') + "\n" + std::string(300000, '}') + "\n");
  read_log("Namespace(" + std::string(300000, '(') + "\n");
  std::string many;
  for (int i = 0; i < 20000; ++i) many += "config = {\n";
  read_log(many);
}

}  // namespace
}  // namespace assay::lines_test
