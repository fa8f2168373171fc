// Files that hold settings and no records: launch scripts, YAML, TOML and Python configurations, nested JSON.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "assay/setting.h"
#include "format/reader.h"
#include "unit/lines_helpers.h"

namespace assay {
namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

void expect_settings(const char* path, const std::string& text, const Pairs& pairs) {
  const Recording got = read_bytes(path, text);
  EXPECT_EQ(got.rows(), 0U) << path;
  for (const auto& [key, value] : pairs) {
    const Setting* found = got.config.find(key);
    ASSERT_NE(found, nullptr) << path << ": " << key;
    EXPECT_EQ(found->value, value) << path << ": " << key;
  }
}

TEST(LinesSettings, BannersBehindLoggersAndBesidePictures) {
  const Recording logged = lines_test::read_log(
      "05/01/2024 10:00:00 - INFO - __main__ - ***** Running training *****\n"
      "05/01/2024 10:00:00 - INFO - __main__ -   Gradient Accumulation steps = 4\n"
      "05/01/2024 10:00:00 - INFO - __main__ -   Total optimization steps = 15000\n");
  EXPECT_EQ(logged.config.find(setting::kGradientAccumulation)->value, "4");
  EXPECT_EQ(logged.config.find(setting::kTrainSteps)->value, "15000");
  const Recording unsloth = lines_test::read_log(
      "==((====))==  Unsloth - 2x faster free finetuning | Num GPUs used = 1\n"
      "   \\\\   /|    Num examples = 51,760 | Num Epochs = 3 | Total steps = 60\n"
      "O^O/ \\_/ \\    Batch size per device = 2 | Gradient accumulation steps = 4\n"
      "\\        /    Data Parallel GPUs = 1 | Total batch size (2 x 4 x 1) = 8\n");
  EXPECT_EQ(unsloth.config.find(setting::kMicroBatchSize)->value, "2");
  EXPECT_EQ(unsloth.config.find(setting::kGlobalBatchSize)->value, "8");
  EXPECT_EQ(unsloth.config.find(setting::kTrainSteps)->value, "60");
  EXPECT_EQ(unsloth.config.find(setting::kNumExamples)->value, "51760");
  const Recording record = lines_test::read_log("epoch = 1 | loss = 2.5\nepoch = 2 | loss = 2.4\n");
  EXPECT_TRUE(record.config.settings.empty());
  const Recording table = lines_test::read_log("| time/ |   |\n|    iterations | 3 |\n| loss | 2.5 |\n");
  EXPECT_TRUE(table.config.settings.empty());
}

TEST(SettingsFile, LaunchScript) {
  expect_settings(
      "run.sh",
      "#!/bin/bash\nTRAIN_ITERS=5000\nLR=3e-4\npython pretrain.py \\\n  --lr ${LR} \\\n  --min-lr 3.0e-5 \\\n"
      "  --num-layers 24 --hidden-size 1024 \\\n  --global-batch-size=64 --fp16 \\\n  --clip-grad 1.0\n",
      {{"train_steps", "5000"},
       {"learning_rate", "3e-4"},
       {"min_learning_rate", "3.0e-5"},
       {"num_layers", "24"},
       {"hidden_size", "1024"},
       {"global_batch_size", "64"},
       {"fp16", "true"},
       {"clip_norm", "1.0"}});
}

TEST(SettingsFile, AnOptionWithoutAValueIsNone) {
  const Recording got = read_bytes("help.txt",
                                   "usage: train.py [--lr LR] [--clip-grad CLIP] [--seed N]\nstep 1 loss 2\n"
                                   "step 2 loss 1.5\n");
  EXPECT_TRUE(got.config.settings.empty());
}

TEST(SettingsFile, YamlAndPython) {
  expect_settings("train.yaml",
                  "stage: sft\nper_device_train_batch_size: 1\nlearning_rate: 1.0e-4\nlr_scheduler_type: cosine\n"
                  "warmup_ratio: 0.1\nbf16: true\nmax_grad_norm: 1.0\noptimizer:\n  name: adamw\n  weight_decay: 0.1\n",
                  {{"micro_batch_size", "1"},
                   {"learning_rate", "1.0e-4"},
                   {"schedule", "cosine"},
                   {"warmup_fraction", "0.1"},
                   {"bf16", "true"},
                   {"clip_norm", "1.0"},
                   {"weight_decay", "0.1"}});
  expect_settings(
      "config.py", "# a comment\nblock_size = 1024\nmax_iters = 6000\nlearning_rate = 6e-4\ngrad_clip = 1.0\n",
      {{"sequence_length", "1024"}, {"train_steps", "6000"}, {"learning_rate", "6e-4"}, {"clip_norm", "1.0"}});
}

TEST(SettingsFile, NestedJsonIsCalledLikeTheOthers) {
  expect_settings("ds.json",
                  R"({"train_batch_size": 64, "gradient_clipping": 1.0, "fp16": {"enabled": true, "hysteresis": 2},)"
                  R"( "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})",
                  {{"global_batch_size", "64"},
                   {"clip_norm", "1.0"},
                   {"fp16", "true"},
                   {"hysteresis", "2"},
                   {"optimizer", "AdamW"},
                   {"learning_rate", "1e-4"}});
}

}  // namespace
}  // namespace assay
