// Messages, settings, tables, headers with indented lines: what a log holds beside one line a record.

#include <gtest/gtest.h>

#include <cmath>

#include "assay/metric.h"
#include "unit/lines_generators.h"
#include "unit/lines_helpers.h"

namespace assay {
namespace {

using lines_test::read_log;
using lines_test::values_of;

const Event& only(const Recording& r) {
  EXPECT_EQ(r.events.size(), 1U);
  static const Event none;
  return r.events.empty() ? none : r.events.front();
}

TEST(LinesEvents, DeepSpeedSkipsOfAllYears) {
  const Event old = only(
      read_log("[deepscale] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 1048576.0, reducing to 524288.0\n"));
  EXPECT_EQ(old.kind, EventKind::kOverflow);
  EXPECT_EQ(old.before, 1048576);
  EXPECT_EQ(old.after, 524288);
  const Event patient =
      only(read_log("[2023-04-28 06:51:29,903] [INFO] [loss_scaler.py:188:update_scale] [deepspeed] OVERFLOW! Rank 0 "
                    "Skipping step. Attempted loss "
                    "scale: 65536, but hysteresis is 2. Reducing hysteresis to 1\n"));
  EXPECT_EQ(patient.before, 65536);
  EXPECT_FALSE(patient.after.has_value());
  EXPECT_FALSE(only(read_log("OVERFLOW! Rank 0 Skipping step.\n")).before.has_value());
  // Behind a progress bar, on the same line.
  const Event glued = only(read_log(
      "  0%|          | 1/2515 [00:14<10:00:14, 14.33s/it][2023-02-08 13:52:33,452] [INFO] [deepspeed] OVERFLOW! "
      "Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768.0\n"));
  EXPECT_EQ(glued.after, 32768);
}

TEST(LinesEvents, OtherWordsForSkipsAndNaN) {
  EXPECT_EQ(only(read_log("NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: 2.0\n")).after,
            2);
  EXPECT_EQ(only(read_log("| WARNING: overflow detected, setting loss scale to: 32.0\n")).after, 32);
  EXPECT_EQ(only(read_log("Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 16384.0\n")).after,
            16384);
  EXPECT_EQ(only(read_log("Grad overflow on iteration 7\n")).step, 7);
  EXPECT_EQ(
      only(read_log("Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.\n"))
          .kind,
      EventKind::kScaleAtMinimum);
  const Event rerun =
      only(read_log("ERROR:megatron.core.rerun_state_machine:Unexpected result nan on rank 3 at iteration #3 "
                    "invocation #2 (message='found NaN in local "
                    "grad norm for bucket #0 in backward pass before data-parallel communication collective')\n"));
  EXPECT_EQ(rerun.kind, EventKind::kNonFinite);
  EXPECT_EQ(rerun.step, 3);
  EXPECT_EQ(only(read_log("RuntimeError: CUDA out of memory\n")).kind, EventKind::kAborted);
  EXPECT_EQ(only(read_log("Loss is nan, stopping training\n")).kind, EventKind::kNonFinite);
}

TEST(LinesEvents, RanksThatAFrameworkFoundToDiffer) {
  for (const char* line :
       {"AssertionError: Parameter hashes not matching across DP replicas\n",
        "RuntimeError: disagreement between rank0 and rank3: rank0: [8, 16], rank3: [8, 17]\n",
        "RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: "
        "CollectiveFingerPrint(OpType=ALLREDUCE), but Rank 0 is running collective: "
        "CollectiveFingerPrint(OpType=BARRIER).\n"}) {
    EXPECT_EQ(only(read_log(line)).kind, EventKind::kRanksDiffer) << line;
  }
}

TEST(LinesEvents, FairseqAndOthersOfAllYears) {
  EXPECT_EQ(
      only(read_log("2020-08-01 12:39:16 | INFO | fairseq.trainer | NOTE: overflow detected, setting loss scale to: "
                    "1024.0\n"))
          .after,
      1024);
  EXPECT_EQ(only(read_log("[u] 2021-04-23 19:22:52,420 (trainer:581) WARNING: The grad norm is nan. Skipping updating "
                          "the model.\n"))
                .kind,
            EventKind::kOverflow);
  const Event paddle = only(read_log("optimizer not run, scale_before: 32768.0, scale_after: 16384.0\n"));
  EXPECT_EQ(paddle.before, 32768);
  EXPECT_EQ(paddle.after, 16384);
  const Event moved = only(read_log("[INFO] [fused_optimizer.py:316] Reducing dynamic loss scale from 8.0 to 4.0\n"));
  EXPECT_EQ(moved.kind, EventKind::kScaleChange);
  EXPECT_EQ(moved.before, 8);
  EXPECT_EQ(moved.after, 4);
  EXPECT_EQ(only(read_log("Exception: Skipped 50 iterations in a row due to Overflow - Exiting training.\n")).kind,
            EventKind::kScaleAtMinimum);
  EXPECT_EQ(only(read_log("FloatingPointError: Loss became infinite or NaN at iteration=38!\n")).step, 38);
}

TEST(LinesEvents, NumbersOfAMessageAreNoMetrics) {
  std::string log;
  for (int i = 0; i < 9; ++i) {
    log +=
        "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to " + std::to_string(512 >> i) + ".0\n";
  }
  log += "E0410 22:34:13.729731 4483055104 hooks.py:760] Model diverged with loss = NaN.\n";
  const Recording r = read_log(log);
  EXPECT_EQ(r.events.size(), 10U);
  EXPECT_EQ(r.rows(), 0U);
  // What stands before the message is a record all the same.
  std::string glued;
  for (int i = 0; i < 5; ++i) {
    glued += "step " + std::to_string(i + 40) + " loss 2." + std::to_string(i) +
             " | Gradient overflow.  Skipping step, loss "
             "scaler 0 reducing loss scale to 64.0\n";
  }
  const Recording both = read_log(glued);
  EXPECT_EQ(both.events.size(), 5U);
  EXPECT_EQ(values_of(both, metric::kLoss).size(), 5U);
  EXPECT_TRUE(values_of(both, metric::kLossScale).empty());
}

TEST(LinesEvents, WhatATracebackQuotesIsNotSaid) {
  const Recording r = read_log(
      "Traceback (most recent call last):\n"
      "  File \"/srv/engine.py\", line 7, in write\n"
      "    f\"Loss became infinite or NaN at iteration={storage.iter}!\"\n"
      "FloatingPointError: Loss became infinite or NaN at iteration=0!\n");
  ASSERT_EQ(r.events.size(), 2U);
  EXPECT_EQ(r.events[0].step, 0);
  EXPECT_EQ(r.events[1].kind, EventKind::kAborted);
}

TEST(LinesEvents, ATracebackWithoutItsLastLineEndsALog) {
  std::string log = lines_test::log_of([](int i) { return lines_test::megatron(i, "", true); }, 1, 5);
  const std::string begun = "Traceback (most recent call last):\n  File \"train.py\", line 27, in <module>\n";
  EXPECT_EQ(only(read_log(log + begun)).kind, EventKind::kAborted);
  // Followed by records it ended nothing.
  EXPECT_TRUE(read_log(log + begun + log).events.empty());
}

TEST(LinesEvents, TheBarBeforeAMessageDatesIt) {
  const Recording r = read_log(
      " 14%|█▍        | 378/2724 [13:58:09<86:18:35, 132.44s/it][2023-06-07 22:16:00,018] [INFO] [deepspeed] OVERFLOW! "
      "Rank 0 Skipping step. Attempted loss scale: 64, reducing to 32\n");
  EXPECT_EQ(only(r).step, 378);
}

TEST(LinesEvents, AKeywordIsNoEvidence) {
  const Recording r = read_log(
      "train_inner | overflow_expert1=4.4, overflow_expert2=0.1\n"
      "  overflow_check ................ True\n"
      "nan_count: 0\n"
      "            raise RuntimeError('overflow')\n"
      "def skip_on_overflow(step): pass\n"
      "class ChildFailedErrors: # 3\n");
  EXPECT_TRUE(r.events.empty());
  EXPECT_EQ(r.rows(), 0U);
}

TEST(LinesEvents, AnEndThatHundredsOfProcessesTellIsToldOnce) {
  std::string log = lines_test::log_of([](int i) { return lines_test::megatron(i, "", true); }, 1, 5);
  for (int i = 0; i < 300; ++i) log += "Killing subprocess " + std::to_string(4000 + i) + '\n';
  const Recording r = read_log(log);
  EXPECT_EQ(only(r).kind, EventKind::kAborted);
  EXPECT_EQ(r.event_row[0], 5);
  EXPECT_EQ(r.file.unused_lines, 299);
}

TEST(LinesEvents, TheLastLineOfATracebackEndsTheRun) {
  const Recording r = read_log(
      "[rank3]: Traceback (most recent call last):\n"
      "[rank3]:   File \"/x/train.py\", line 88, in <module>\n"
      "[rank3]:     loss.backward()\n"
      "[rank3]: ValueError: loss is 3 times too large\n"
      "ValueError: no traceback before this one 3\n");
  EXPECT_EQ(only(r).kind, EventKind::kAborted);
  EXPECT_EQ(r.events[0].line, 4);
}

TEST(LinesEvents, ACheckpointIsSavedOnce) {
  const Recording r = read_log(
      "saving checkpoint at iteration     500 to /x/ckpt in torch format\n"
      "  successfully saved checkpoint at iteration     500 to /x/ckpt\n"
      "Saving model checkpoint to out/checkpoint-1000\n");
  ASSERT_EQ(r.events.size(), 2U);
  EXPECT_EQ(r.events[0].step, 500);
  EXPECT_EQ(r.events[1].step, 1000);
}

TEST(LinesSettings, DumpsBannersAndPairs) {
  const Recording r = read_log(
      "  clip_grad ....................................... 1.0\n"
      "[2021-05-27 19:49:22,948] [INFO] [config.py:904:print]   gradient_accumulation_steps .. 256\n"
      "***** Running training *****\n"
      "  Total optimization steps = 2515\n"
      "[INFO|trainer.py:1149] 2021-05-25 06:30:55,250 >>   Gradient Accumulation steps = 2\n"
      "2024-12-25 20:49:10.153 | INFO     | __main__:main:221 - weight_decay                   0.1\n"
      "DLL 2020-05-28 08:52:00.179484 - PARAMETER learning_rate : 0.006 \n"
      "  \"max_grad_norm\": 0.3,\n"
      "train_batch_tokens:524288 iterations:20000 warmup_steps:20\n");
  const auto value = [&](std::string_view key) {
    const Setting* found = r.config.find(key);
    return found == nullptr ? "" : found->value;
  };
  EXPECT_EQ(value("clip_norm"), "0.3");
  EXPECT_EQ(value("gradient_accumulation_steps"), "2");
  EXPECT_EQ(value("train_steps"), "20000");
  EXPECT_EQ(value("weight_decay"), "0.1");
  EXPECT_EQ(value("learning_rate"), "0.006");
  EXPECT_EQ(value("warmup_steps"), "20");
  EXPECT_EQ(r.planned_steps, 20000);
  EXPECT_EQ(r.rows(), 0U);
}

TEST(LinesSettings, ASettingThatEveryProcessEchoesIsNoSeries) {
  std::string log;
  for (int i = 0; i < 16; ++i) log += "lr: 0.001, loss_scale: 1024\n";
  log += lines_test::log_of([](int i) { return lines_test::megatron(i, "", true); }, 1, 3);
  const Recording r = read_log(log);
  EXPECT_EQ(r.rows(), 3U);
}

TEST(LinesTables, ReadsColumnsUnderTheirNames) {
  for (const std::string separator : {" ", "\t", ",", " | "}) {
    std::string log = "starting\nstep" + separator + "loss" + separator + "lr\n";
    for (int i = 1; i <= 6; ++i)
      log += std::to_string(i * 10) + separator + lines_test::print("%.3f", 3.0 - 0.1 * i) + separator + "1e-4\n";
    const Recording r = read_log(log);
    EXPECT_EQ(values_of(r, metric::kLoss).size(), 6U) << separator;
    ASSERT_EQ(r.rows(), 6U) << separator;
    EXPECT_EQ(r.step[5], 60) << separator;
    EXPECT_EQ(values_of(r, metric::kLearningRate)[0], 1e-4) << separator;
  }
}

TEST(LinesTables, BareColumnsNeedARisingStep) {
  EXPECT_EQ(read_log("1 2.5\n2 2.4\n3 2.3\n4 2.2\n").rows(), 0U);
  EXPECT_EQ(read_log("1 2.5\n2 2.4\nSaving the model\n3 2.3\n4 2.2\n5 nan\n").rows(), 5U);
  EXPECT_EQ(read_log("5 2.5\n3 2.4\n9 2.3\n1 2.2\n2 1\n1 2\n7 1\n").rows(), 0U);
}

TEST(LinesHeaders, IndentedLinesTakeTheStepOfTheirHeader) {
  const Recording r = read_log(
      "2024-03-01 10:00:00\thost:0\tolmo.train:99\tINFO\t[step=10/900,epoch=0]\n"
      "    train/CrossEntropyLoss=3.2\n"
      "    optim/total_grad_norm=0.41\n"
      "    throughput/total_tokens=1,048,576\n"
      "2024-03-01 10:00:09\thost:0\tolmo.train:99\tINFO\t[step=11/900,epoch=0]\n"
      "    train/CrossEntropyLoss=3.1\n"
      "    optim/total_grad_norm=0.40\n");
  EXPECT_EQ(r.dialect, "olmo");
  EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{3.2, 3.1}));
  EXPECT_EQ(values_of(r, metric::kGradNorm), (std::vector<double>{0.41, 0.40}));
  ASSERT_EQ(r.rows(), 2U);
  EXPECT_EQ(r.step[1], 11);
  EXPECT_EQ(r.planned_steps, 900);
}

TEST(LinesGeneral, EvaluationsAndProgressBars) {
  const Recording r = read_log(
      "step 250: train loss 4.5000, val loss 4.6000\n"
      "\r 10%|#   | 10/100 [00:01<00:09, 9.9it/s, loss=2.5]\r 20%|##  | 20/100 [00:02<00:08, 9.9it/s, loss=2.4]\n"
      "loss at 4 2.625\nloss at 404 1.796875\n"
      "250 val 5.1\n500 val 4.9\n");
  EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{2.5, 2.4, 2.625, 1.796875}));
  EXPECT_EQ(values_of(r, metric::kEvalLoss), (std::vector<double>{4.6, 5.1, 4.9}));
  EXPECT_EQ(r.step[1], 10);
}

TEST(LinesGeneral, SourceCodeIsNoLog) {
  const Recording r = read_log(
      "import torch\n"
      "optimizer = torch.optim.AdamW(params, lr=0.0018, betas=(0.9, 0.95), weight_decay=0.1)\n"
      "print(f\"step:{step}/{args.num_iterations} train_loss:{loss.item():.4f}\")\n"
      "    loss = loss / train_accumulation_steps # 4\n"
      "optimizer = torch.optim.AdamW(params, lr=0.0018, betas=(0.9, 0.95), weight_decay=0.1)\n"
      "====================================================================================================\n"
      "step:1/100 train_loss:10.8258 train_time:278ms step_avg:nanms\n"
      "step:2/100 train_loss:10.7 train_time:300ms step_avg:141.60ms\n");
  EXPECT_EQ(r.rows(), 2U);
  EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{10.8258, 10.7}));
}

TEST(LinesTruncated, IsToldOnlyWhenSomethingIsMissing) {
  const std::string log = lines_test::log_of([](int i) { return lines_test::megatron(i, "", true); }, 1, 4);
  EXPECT_FALSE(read_log(log).truncated);
  EXPECT_FALSE(read_log(std::string_view(log).substr(0, log.size() - 1)).truncated);  // only the line end is missing
  const Recording cut = read_log(std::string_view(log).substr(0, log.size() - 10));
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.rows(), 4U);
  EXPECT_FALSE(read_log("step 1 loss 2.5\nstep 2 loss 2.4\nthe end").truncated);
  const Recording number = read_log("step 1 loss 2.51\nstep 2 loss 2.41\nstep 3 loss 2.");
  EXPECT_TRUE(number.truncated);
  EXPECT_EQ(values_of(number, metric::kLoss).size(), 2U);
}

}  // namespace
}  // namespace assay
