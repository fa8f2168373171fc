// That one vocabulary serves scripts, logs and trackers: the same word of the same framework means the same, and where
// frameworks differ their own dump is read in their own words.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "format/config/setting_values.h"
#include "format/config/vocabulary.h"
#include "format/reader.h"
#include "report/words.h"
#include "unit/vocabulary_cases.h"

namespace assay {
namespace {

using test::value_of;

std::string told(const char* path, const std::string& text, const char* key) {
  return value_of(read_bytes(path, text).config, key);
}

std::string unknown(const char* path, const std::string& text, const char* key) {
  for (const Setting& one : read_bytes(path, text).config.settings) {
    if (one.key == key) return one.unknown;
  }
  return "(not told)";
}

const std::string kRecords = "step 1 loss 2.5\nstep 2 loss 2.4\nstep 3 loss 2.3\n";

TEST(SharedWords, StandInOnePlace) {
  const Vocabulary& shared = shared_vocabulary();
  ASSERT_NE(shared.base, nullptr);
  std::set<std::string_view> words;
  for (const Vocabulary* one = &shared; one != nullptr; one = one->base) {
    for (const Term& term : one->terms) EXPECT_TRUE(words.insert(term.words).second) << term.words;
  }
  EXPECT_EQ(common_setting("Gradient Accumulation steps"), "gradient_accumulation_steps");
  EXPECT_EQ(common_setting("--clip-grad"), "clip_norm");
  EXPECT_EQ(common_setting("batch_size"), "");  // one rank's or all ranks': alone on a line it says nothing
  EXPECT_EQ(common_setting(std::string(200, 'a')), "");
}

TEST(SharedWords, OfADumpAndOfAScriptAreThoseOfTheirFramework) {
  const std::string dump =
      "------------------------ arguments ------------------------\n"
      "  lr_warmup_fraction .............................. 0.01\n"
      "  tensor_model_parallel_size ...................... 2\n"
      "  train_iters ..................................... 500\n"
      "  use_distributed_optimizer ....................... True\n"
      "  rampup_batch_size ............................... ['16', '16', '1000']\n"
      "-------------------- end of arguments ---------------------\n" +
      kRecords;
  const std::string script =
      "torchrun --nproc_per_node 8 pretrain_gpt.py --lr-warmup-fraction 0.01 --train-iters 500 "
      "--use-distributed-optimizer --tensor-model-parallel-size 2 --rampup-batch-size 16 16 1000\n";
  for (const auto& [path, text] : {std::pair{"a.log", dump}, {"a.sh", script}}) {
    EXPECT_EQ(told(path, text, "framework"), "megatron") << path;
    EXPECT_EQ(told(path, text, "warmup_fraction_of_decay"), "0.01") << path;
    EXPECT_EQ(told(path, text, "warmup_fraction"), "") << path;
    EXPECT_EQ(told(path, text, "zero_stage"), "1") << path;
    EXPECT_EQ(told(path, text, "train_steps"), "500") << path;
    EXPECT_NE(told(path, text, "batch_size_rampup"), "") << path;
    EXPECT_EQ(read_bytes(path, text).planned_steps, 500) << path;
  }
}

TEST(SharedWords, AnEvaluationIsNoTraining) {
  const std::string train = "***** Running training *****\n  Num examples = 1,000\n  Num Epochs = 3\n";
  const std::string evaluation = "***** Running Evaluation *****\n  Num examples = 50\n  Batch size = 8\n";
  EXPECT_EQ(told("a.log", train + kRecords + evaluation, "num_examples"), "1000");
  EXPECT_EQ(told("a.log", evaluation + train + kRecords, "num_examples"), "1000");
  EXPECT_EQ(told("a.log", evaluation + kRecords, "num_examples"), "");
}

TEST(SharedWords, TheWorldOfDeepSpeedIsWhatSharesTheData) {
  const std::string line =
      "[2024-05-01 10:00:00,000] [INFO] [config.py:962:print]   world_size ................... 4\n";
  EXPECT_EQ(told("a.log", line + kRecords, "data_parallel_size"), "4");
  EXPECT_EQ(told("a.log", line + kRecords, "world_size"), "");
  EXPECT_EQ(told("a.log", "  world_size ................... 4\n" + kRecords, "world_size"), "4");
}

TEST(SharedWords, AScheduleHasALengthOfItsOwn) {
  EXPECT_EQ(told("a.yaml", "lr: 0.1\nscheduler:\n  total_steps: 900\ntrain_steps: 500\n", "train_steps"), "500");
  EXPECT_EQ(told("a.yaml", "lr: 0.1\nscheduler:\n  total_steps: 900\n", "train_steps"), "");
  EXPECT_EQ(told("a.yaml", "lr: 0.1\nscheduler:\n  total_steps: 900\n", "decay_steps"), "900");
}

TEST(SharedWords, OnlyMinusOneSaysThatNothingIsSet) {
  EXPECT_EQ(told("a.yaml", "lr: 0.1\nseed: -5\nmax_steps: -1\n", "seed"), "-5");
  EXPECT_EQ(told("a.yaml", "lr: 0.1\nseed: -1\n", "seed"), "-1");
  EXPECT_EQ(canonical_value(ValueKind::kCount, "-1"), "None");
  EXPECT_EQ(canonical_value(ValueKind::kReal, "-1.0"), "None");
  EXPECT_EQ(canonical_value(ValueKind::kReal, "-3e-4"), "-3e-4");  // a fault to be seen
}

TEST(SharedWords, Gin) {
  const std::string text =
      "from t5x import utils\ninclude 'base.gin'\n\nMIXTURE_OR_TASK_NAME = 'c4'\nTASK_FEATURE_LENGTHS = {'inputs': "
      "512,\n"
      "  'targets': 114}\nTRAIN_STEPS = %STEPS  # below\nSTEPS = 1000\nDROPOUT_RATE = %gin.REQUIRED\n"
      "train.BATCH_SIZE = 128\ninfer_eval/utils.DatasetConfig:\n  batch_size = 7\n  seed = %NOBODY\n"
      "utils.create_learning_rate_scheduler.base_learning_rate = 0.5\noptimizer = @adafactor.Adafactor()\n";
  EXPECT_EQ(told("a.gin", text, "framework"), "t5x");
  EXPECT_EQ(told("a.gin", text, "train_steps"), "1000");
  EXPECT_EQ(told("a.gin", text, "global_batch_size"), "128");
  EXPECT_EQ(told("a.gin", text, "learning_rate"), "0.5");
  EXPECT_EQ(told("a.gin", text, "sequence_length"), "512");
  EXPECT_EQ(unknown("a.gin", text, "dropout"), "to be given on the command line");
  EXPECT_EQ(unknown("a.gin", text, "infer_eval/utils/DatasetConfig/seed"), "NOBODY is not set in this file");
  EXPECT_EQ(unknown("a.gin", text, "optimizer"), "an object of a program, which is never built");
  // What goes round in a ring ends.
  EXPECT_EQ(unknown("a.gin", "TRAIN_STEPS = %A\nA = %B\nB = %A\nlearning_rate = 1\n", "train_steps"),
            "leads through too many references");
  // Any beginning of it is read without a fault of its own.
  for (std::size_t size = 0; size <= text.size(); ++size) read_bytes("a.gin", text.substr(0, size));
}

TEST(SharedWords, ACommandInsideAJob) {
  const std::string block =
      "name: job\ncommand: |-\n  cd /code\n  torchrun --nproc_per_node=8 train.py \\\n    --optimizer.lr=3e-4 "
      "--max_steps 7\n";
  EXPECT_EQ(told("a.yaml", block, "learning_rate"), "3e-4");
  EXPECT_EQ(told("a.yaml", block, "world_size"), "8");
  const Recording got = read_bytes("a.yaml", block);
  EXPECT_EQ(got.config.find("learning_rate")->where.line, 5);
  EXPECT_EQ(got.file.kind, "yaml settings");
  EXPECT_EQ(told("a.yaml", "spec:\n  command: [python, train.py, --lr, '1e-4', --text, \"it's\"]\n", "learning_rate"),
            "1e-4");
  // A service that is no training stays what it was.
  EXPECT_TRUE(read_bytes("a.yaml", "command: nginx -g daemon\n").config.settings.empty());
}

TEST(SharedWords, ACommandOfTooManyWordsIsTold) {
  std::string text = "LR=1e-4\npython train.py --lr $LR --files";
  for (int i = 0; i < 20'001; ++i) text += " f";
  const Recording got = read_bytes("a.sh", text + "\n");
  ASSERT_EQ(got.file.problem_count, 1);
  EXPECT_EQ(got.file.problems[0].code, ErrorCode::kLimit);
  EXPECT_EQ(got.file.problems[0].where.line, 2);
}

// Every reason that varies is found again by its shape.
TEST(SharedWords, ReasonsInChinese) {
  const auto zh = [](const char* text) { return reason_word(text, Language::kChinese); };
  EXPECT_EQ(zh("$LR is not set in this script"), "$LR 未在本脚本中设置");
  EXPECT_EQ(zh("$A may be set in env.sh, which is not read"), "$A 可能在 env.sh 中设置，该文件未读取");
  EXPECT_EQ(zh("$(date) would have to be run"), "$(date) 需要运行才能知道");
  EXPECT_EQ(zh("set in a branch, line 12"), "在第 12 行的分支中设置");
  EXPECT_EQ(zh("$1 is an argument of the script"), "$1 是脚本的参数");
  EXPECT_EQ(zh("computed when the program runs"), "程序运行时才计算");
  EXPECT_EQ(zh("{} is not followed"), "{} 不作推演");
  EXPECT_EQ(zh("what nobody ever said"), "what nobody ever said");
  EXPECT_EQ(reason_word("$1 is an argument of the script", Language::kEnglish), "$1 is an argument of the script");
}

}  // namespace
}  // namespace assay
